#include "plan/explanation_constants.h"

#include <utility>

namespace nest {
namespace {

template <class T>
double plain(const T& value) {
  if constexpr (requires { value.value(); })
    return value.value();
  else
    return value;
}

class Constants {
public:
  template <class T>
  void add(const char* symbol, const char* meaning, const Sourced<T>& constant, TermUnit unit) {
    m_inputs.push_back(
        {symbol, meaning, plain(constant.value), unit, constant.origin, constant.citation, false});
  }
  std::vector<TermInput> take() { return std::move(m_inputs); }

private:
  std::vector<TermInput> m_inputs;
};

}  // namespace

void addConstants(CostTerm& root, const DeviceSpec& d, const AnalyticConstants& k) {
  using enum TermUnit;
  Constants c;
  c.add("peak", "dense bf16 matrix rate of a device, FLOP/s", d.peak, Count);
  if (d.peakFp8) c.add("peak fp8", "dense fp8 matrix rate of a device, FLOP/s", *d.peakFp8, Count);
  c.add("matrix efficiency", "share of the peak that a large matrix product reaches", d.matrixEfficiency,
        Fraction);
  if (d.matrixEfficiencyFp8)
    c.add("matrix efficiency fp8", "the same of the fp8 peak", *d.matrixEfficiencyFp8, Fraction);
  c.add("sustained rate", "share of single kernels' rates that lasts through a step", d.sustainedRate,
        Fraction);
  c.add("half size", "rows, columns or depth of a product at which half its rate is lost", d.matrixHalfSize,
        Count);
  c.add("attention efficiency", "share of the peak that fused attention reaches", d.attentionEfficiency,
        Fraction);
  if (d.attentionEfficiencyFlash2)
    c.add("attention efficiency of FlashAttention-2", "the same of that kernel", *d.attentionEfficiencyFlash2,
          Fraction);
  c.add("memory bandwidth", "of a device", d.memoryBandwidth, Bandwidth);
  c.add("memory efficiency", "share of it that element-wise kernels reach", d.memoryEfficiency, Fraction);
  c.add("kernel latency", "least time of any kernel", d.kernelLatency, Time);
  c.add("backward traffic", "bytes of element-wise backward kernels ÷ forward", k.backwardTraffic, Count);
  c.add("attention backward work", "operations of fused attention, backward ÷ forward",
        k.attentionBackwardWork, Count);
  c.add("attention backward rate", "rate of fused attention, backward ÷ forward", k.attentionBackwardRate,
        Fraction);
  c.add("attention half length", "keys at which fused attention reaches half its rate", k.attentionHalfLength,
        Count);
  c.add("fp32 rate", "fp32 (TF32) matrix rate ÷ 16-bit rate", k.fp32Rate, Fraction);
  c.add("fp8 cast traffic", "bytes moved per element that is cast to fp8", k.fp8CastTraffic, Memory);
  c.add("fp8 expert overhead", "least time of a grouped product in fp8 for each expert", k.fp8ExpertOverhead,
        Time);
  c.add("loss traffic", "bytes moved per logit by the loss, forward", k.lossTraffic, Memory);
  c.add("loss backward traffic", "bytes moved per logit by the loss, backward", k.lossBackwardTraffic,
        Memory);
  c.add("loss buffers", "bytes held per logit", k.lossWorkspace, Memory);

  CostTerm t;
  t.id = "constants";
  t.label = "Constants behind estimated layer times";
  t.unit = Count;
  t.kind = TermKind::Compute;
  t.formula = "roofline of each operator: the longer of arithmetic and memory traffic";
  t.inputs = c.take();
  t.value = static_cast<double>(t.inputs.size());
  t.factor = 0;
  root.children.push_back(std::move(t));
}

}  // namespace nest
