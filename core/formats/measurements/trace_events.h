#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What traces of profilers hold of use.
namespace nest {

enum class TraceEventKind { Annotation, Operator, Launch, Kernel };

/// One event with a duration, in µs.
struct TraceEvent {
  using Kind = TraceEventKind;

  Kind kind = Kind::Operator;
  double begin = 0, end = 0;
  int process = 0;              ///< of operators, numbered
  int thread = 0;               ///< process and thread, numbered
  long long correlation = -1;   ///< of launches and kernels; of no two processes the same
  long long sequence = -1;      ///< of operators: number of the forward one, on both passes
  long long forwardThread = 0;  ///< of operators of the backward pass: which thread counted it, from 1
  bool isTask = false;          ///< the autograd engine evaluates what one forward operator left behind
  std::string name;             ///< of annotations
};

/// A layer's name without its number, and the number: "nn.Module: TransformerBlock_3", "layers.3", "layer 3
/// backward", "layer_3f".
struct LayerName {
  std::string base;
  int number = 0;
  bool isBackward = false;
};
std::optional<LayerName> layerNameIn(std::string_view);

/// Whether a kernel belongs to a communication library: exchanges are priced on the network at hand.
bool isExchange(std::string_view kernel);

/// No trace of more events is read.
inline constexpr std::size_t kMostTraceEvents = 5'000'000;

/// The events of a trace: annotations of layers, operators with a number, launches, and kernels but for
/// exchanges, which are priced on the network at hand.
struct TraceEvents {
  std::vector<TraceEvent> events;
  std::string device;       ///< name of the first one
  std::string unnumbered;   ///< annotations of this name stand for any layer; empty: each has its number
  bool hasEvents = false;   ///< there is a list of them
  std::string fault;        ///< why the text cannot be read; empty: it can
  std::size_t faultAt = 0;  ///< bytes into it; 0: nowhere in particular
};
/// Of a trace of the PyTorch profiler (Kineto).
TraceEvents readTraceEvents(std::string_view json);

}  // namespace nest
