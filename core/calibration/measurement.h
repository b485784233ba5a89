#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/profile.h"
#include "plan/plan.h"
#include "scenario/scenario.h"

/// What runs have left behind: logs, benchmarks, traces. Laid over a scenario by scenario/calibration.h.
namespace nest {

/// How a run was set up, as far as its files say.
struct RunSettings {
  std::string program;          ///< what ran it, by id; empty: not stated
  std::string programEvidence;  ///< what tells it: "its arguments hold attention_backend (Megatron-Core 0.11
                                ///< and later)"
  std::optional<int> devices, tensor, context, expert, pipeline, chunks, data, microbatch, zero;
  std::optional<bool> sequenceParallel;
  std::optional<Recompute> recompute;  ///< of all stages
  std::optional<NumberFormat> format;
  std::optional<int> globalBatch, sequenceLength;
  std::optional<int> localBatch;      ///< sequences of one data-parallel rank in a step
  std::optional<double> batchTokens;  ///< tokens of a global batch, to three digits
  bool fillsCluster = false;          ///< the data degree is what the other degrees leave of the devices
  /// Whether exchanges of tensor parallelism run beside products, where its program can do either.
  std::optional<bool> overlapsTensor;
  /// Share of the optimizer state in host memory, and whether its copies run at the same time as its updates.
  std::optional<double> offloadedOptimizer;
  std::optional<bool> overlapsOptimizerCopies;
  /// Of its model.
  std::optional<int> layers, hidden, heads, keyValueHeads, intermediate, experts, expertsPerToken;
  std::optional<double> parameters;  ///< of its model, as far as it prints them
  std::string device;                ///< as the driver calls it; empty: unknown

  /// A global batch follows from it, on some cluster.
  bool saysBatch() const { return globalBatch || batchTokens || (localBatch && (data || fillsCluster)); }
};

/// A training log, or the configuration of a run: then without steps.
struct TrainingRun {
  RunSettings settings;
  std::optional<Seconds> step;            ///< median of the lines that count
  std::optional<double> tokensPerDevice;  ///< per second, median; where a log tells it in place of the time
  int lines = 0;                          ///< with a time, that count
  int leftOut = 0;                        ///< warm-up, another batch size, skipped iterations
  bool isWarmUp = false;                  ///< the one line that counts is the run's first
  std::optional<FlopsPerSecond> rate;     ///< per device, median
  std::optional<Bytes> allocated, reserved;  ///< most on any device that tells it
};

/// How long one kind of exchange took at several sizes (nccl-tests).
struct CollectiveTimes {
  enum class Kind { AllReduce, AllGather, ReduceScatter, AllToAll, SendReceive };
  struct Row {
    Bytes size;  ///< as Collective::bytes; of one message, for SendReceive
    Seconds time;
    BytesPerSecond bus;  ///< as the benchmark counts it
  };
  Kind kind = Kind::AllReduce;
  std::vector<std::string> rankHosts;  ///< the host of each rank
  std::string device;                  ///< as the driver calls it; may be empty
  std::vector<Row> rows;               ///< ascending by size; at least one

  int ranks() const { return static_cast<int>(rankHosts.size()); }
  int hosts() const;  ///< distinct ones
};
const char* nameOf(CollectiveTimes::Kind);

/// How long each layer's own kernels took, exchanges left out (profiler traces).
struct LayerTimes {
  struct Layer {
    int number = 0;  ///< as the trace numbers it; −1: it does not, the one entry is any layer's mean
    Seconds forward, backward;  ///< of one pass
    int passes = 0;
  };
  std::string annotation;     ///< what the layers are called there: "TransformerBlock"
  std::string device;         ///< may be empty
  std::vector<Layer> layers;  ///< ascending by number; at least one
};

/// What planners measure of one block of their model (Galvatron), exchanges left out.
struct BlockTable {
  struct Time {
    int microbatch = 1, sequenceLength = 0;
    Seconds forward;  ///< of one pass, without tensor parallelism
  };
  struct Memory {
    int tensor = 1, sequenceLength = 0;
    bool sequenceParallel = false;
    Bytes perSample;  ///< activations kept for the backward pass, nothing computed again
  };
  std::vector<Time> times;  ///< ascending by microbatch size; one of the two lists is empty
  std::vector<Memory> memory;
  std::string model;  ///< as the file's name says: "llama2-7b"; empty: it does not
};

/// How long single kernels took on one device (AIConfigurator); one list is not empty.
struct KernelTimes {
  struct Product {
    double m = 0, n = 0, k = 0;
    Seconds time;
  };
  struct Attention {
    double sequences = 0, keys = 0, heads = 0, headDim = 0;
    Seconds time;
  };
  std::string device;                ///< as the driver calls it
  std::string source;                ///< what measured them: "AIConfigurator, VLLM 0.20.0"
  std::vector<Product> wide, fp8;    ///< in 16-bit formats, in fp8
  std::vector<Attention> attention;  ///< causal, forward, in 16-bit formats
  std::vector<KernelTimes> others;   ///< of the other devices that the same table names
};

/// A machine as a whole (samples/profiling/measure_cluster.py): one of its devices, and exchanges of each
/// level.
struct MachineTimes {
  std::optional<KernelTimes> kernels;      ///< one of the two is there
  std::vector<CollectiveTimes> exchanges;  ///< inner levels first
};

struct Measurement {
  /// Of several times of exchanges each tells a level, or is compared with one that does; inner ones first.
  std::variant<TrainingRun, std::vector<CollectiveTimes>, LayerTimes, BlockTable, KernelTimes, MachineTimes>
      of;
};

/// "38 steps of 16.5 s (median), 412 TFLOP/s per device; TP 8 · PP 4 · DP 32 · MBS 1; megatron-core-2025".
std::string holdsOf(const Measurement&);
/// "TP 8 · PP 4 · DP 32 · MBS 1", what is known of it.
std::string degreesOf(const RunSettings&);

/// Which sequences a global batch of so many tokens, known to three digits, has: the roundest number that
/// rounds to it. nullopt: none does.
std::optional<int> sequencesIn(double tokens, int sequenceLength);

/// What of a run another plan or scenario has otherwise: "TP 8, not 4"; empty: nothing that is known.
std::vector<std::string> differencesOf(const RunSettings&, const Setting&, const Plan&);

/// Where a file names its device, as the driver does ("NVIDIA H100 80GB HBM3"), and it is not the scenario's:
/// "the times are of NVIDIA A100, the scenario has H100 SXM"; else empty. `orItsFamily`: an H200 is as good.
std::string otherDevice(const std::string& driverName, const DeviceSpec&, bool orItsFamily);

/// Puts into a scenario how a run was set up: what ran it (unless `keepsProgram`), its degrees as
/// constraints, batch and sequence length. What the run leaves to the size of its cluster follows from the
/// setting's. Each with a note; a warning where its model is another.
void takeOver(const RunSettings&, bool keepsProgram, Setting&, Diagnostics&);

}  // namespace nest
