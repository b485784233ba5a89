#include <algorithm>

#include "formats/format.h"
#include "formats/measurements/layer_timer.h"

namespace nest {
namespace {

constexpr std::size_t kMostTraceBytes = 512u << 20;

constexpr ProfilingAdvice kTraceAdvice = {
    .kernels = "profile with ProfilerActivity.CPU and ProfilerActivity.CUDA, and export_chrome_trace",
    .layers =
        "wrap each block in torch.profiler.record_function(f\"layer_{i}\"), or profile with "
        "with_stack=True and with_modules=True, which names modules like TransformerBlock_0",
    .launches =
        "profile without CUDA graphs, in which launches cannot be distinguished, and with "
        "ProfilerActivity.CPU",
    .backward = "profile whole training steps; forward and backward must lie in the same profile"};

std::optional<Measurement> readTrace(SourceText& source) {
  const std::string_view text = source.text();
  TraceEvents trace = readTraceEvents(text);
  if (!trace.fault.empty()) {
    source.error(trace.faultAt > 0 ? source.place(std::min(trace.faultAt, text.size()) - 1) : source.whole(),
                 "trace-syntax", "the trace cannot be read: " + trace.fault,
                 "export it again, of fewer steps if it is cut off");
    return std::nullopt;
  }
  if (!trace.hasEvents) trace.events.clear();
  return layerTimesOf(trace, source, kTraceAdvice);
}

}  // namespace

const Format& profilerTraceFormat() {
  static constexpr Format format = {
      .key = "profiler-trace",
      .name = "PyTorch profiler trace",
      .suffixes = "json",
      .fileNames = "pt.trace.json",
      .example =
          R"({"schemaVersion": 1, "deviceProperties": [{"name": "NVIDIA H100 80GB HBM3"}], "traceEvents": [)"
          "\n"
          R"( {"ph": "X", "cat": "user_annotation", "name": "layer_0", "ts": 10, "dur": 90, …}, …]})",
      .remarks =
          "What export_chrome_trace writes, with each block in record_function(\"layer_N\"): forward and "
          "backward\n"
          "time of each layer's kernels, for evaluate --measured.",
      .claims = [](const FileLook& f) { return f.names("traceEvents"); },
      .read = ReadMeasurement([](std::string_view text, const std::string& file) -> Reading<Measurement> {
        SourceText source(text, file);
        if (!source.isReadable(kMostTraceBytes, "a trace", "profile fewer steps, of one rank"))
          return {std::nullopt, source.take()};
        auto result = readTrace(source);
        return {std::move(result), source.take()};
      })};
  return format;
}

}  // namespace nest
