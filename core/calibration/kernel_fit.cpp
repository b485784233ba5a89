#include "calibration/kernel_fit.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "analytic/roofline.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr double kLeastSize = 256;  ///< of a product that training has, along each side
constexpr double kLeastKeys = 1024;
constexpr std::size_t kLeastRows = 8;
constexpr double kLargestHalf = 512, kHalfStep = 8;
constexpr double kLeastShare = 0.01, kMostShare = 1;

/// Model ÷ measured of each kernel, ascending.
using Ratios = std::vector<double>;

double quantile(const Ratios& sorted, double q) {
  return sorted[static_cast<std::size_t>(std::round(q * double(sorted.size() - 1)))];
}
double spreadOf(const Ratios& r) {
  return quantile(r, 0.9) / quantile(r, 0.1);
}

template <class Row>
Ratios ratiosOf(const std::vector<Row>& rows, const std::function<Seconds(const Row&)>& model) {
  Ratios out;
  out.reserve(rows.size());
  for (const Row& r : rows) out.push_back(model(r) / r.time);
  std::sort(out.begin(), out.end());
  return out;
}

/// Sets the share with which half of the kernels take longer than the model says and half less. A few rounds:
/// small kernels are bound by memory, whatever the share.
template <class Row>
Ratios fitShare(Sourced<double>& share, const std::vector<Row>& rows,
                const std::function<Seconds(const Row&)>& model) {
  Ratios ratios;
  share.value = 0.5;
  for (int round = 0; round < 6; ++round) {
    ratios = ratiosOf(rows, model);
    share.value = std::clamp(share.value * quantile(ratios, 0.5), kLeastShare, kMostShare);
  }
  return ratiosOf(rows, model);
}

class Fitter {
public:
  Fitter(Scenario& s, const KernelTimes& times, std::vector<std::string>& told)
      : m_scenario(s), m_times(times), m_told(told), m_device(s.cluster.device) {
    m_device.sustainedRate.value = 1;  // one kernel at a time
  }

  void products() {
    const auto rows = large(m_times.wide);
    if (rows.size() < kLeastRows) return;
    const auto model = productsIn(NumberFormat::Bf16);
    Ratios best;
    DeviceSpec found = m_device;
    for (double half = 0; half <= kLargestHalf; half += kHalfStep) {
      m_device.matrixHalfSize.value = half;
      Ratios ratios = fitShare<KernelTimes::Product>(m_device.matrixEfficiency, rows, model);
      if (!best.empty() && spreadOf(ratios) >= spreadOf(best)) continue;
      best = std::move(ratios);
      found = m_device;
    }
    m_device = found;
    DeviceSpec& to = m_scenario.cluster.device;
    tell("16-bit products reach " + text::percent(m_device.matrixEfficiency.value) + " of the peak rate (" +
             text::percent(to.matrixEfficiency.value) + " before), half of it at a size of " +
             text::number(m_device.matrixHalfSize.value, 3) + " (" +
             text::number(to.matrixHalfSize.value, 3) + ')',
         m_device.matrixEfficiency.value, best);
    set(to.matrixEfficiency, m_device.matrixEfficiency.value);
    set(to.matrixHalfSize, m_device.matrixHalfSize.value);
  }

  void fp8Products() {
    const auto rows = large(m_times.fp8);
    if (rows.size() < kLeastRows || !m_device.peakFp8) return;
    DeviceSpec& to = m_scenario.cluster.device;
    const double before = to.matrixEfficiencyFp8.value_or(to.matrixEfficiency).value;
    m_device.matrixEfficiencyFp8 = m_device.matrixEfficiency;
    const Ratios ratios =
        fitShare<KernelTimes::Product>(*m_device.matrixEfficiencyFp8, rows, productsIn(NumberFormat::Fp8));
    tell("fp8 products reach " + text::percent(m_device.matrixEfficiencyFp8->value) +
             " of their peak rate (" + text::percent(before) + " before)",
         m_device.matrixEfficiencyFp8->value, ratios);
    to.matrixEfficiencyFp8.emplace();
    set(*to.matrixEfficiencyFp8, m_device.matrixEfficiencyFp8->value);
  }

  void attention() {
    std::vector<KernelTimes::Attention> rows;
    std::copy_if(m_times.attention.begin(), m_times.attention.end(), std::back_inserter(rows),
                 [](const auto& a) { return a.keys >= kLeastKeys; });
    if (rows.size() < kLeastRows) return;
    AnalyticOptions options = m_scenario.model.analytic;
    options.attentionKernel = AttentionKernel::Latest;
    const Ratios ratios = fitShare<KernelTimes::Attention>(
        m_device.attentionEfficiency, rows, [&](const KernelTimes::Attention& a) {
          const double flops = 2 * a.sequences * a.heads * a.keys * a.keys * a.headDim;
          return Roofline(m_device, NumberFormat::Bf16, options).attention(flops, a.keys, a.headDim);
        });
    DeviceSpec& to = m_scenario.cluster.device;
    tell("attention reaches " + text::percent(m_device.attentionEfficiency.value) + " of the peak rate (" +
             text::percent(to.attentionEfficiency.value) + " before)",
         m_device.attentionEfficiency.value, ratios);
    set(to.attentionEfficiency, m_device.attentionEfficiency.value);
    if (m_scenario.model.analytic.attentionKernel != AttentionKernel::Latest)
      m_told.push_back("this program runs an earlier attention kernel, whose rate stays");
  }

private:
  static std::vector<KernelTimes::Product> large(const std::vector<KernelTimes::Product>& all) {
    std::vector<KernelTimes::Product> out;
    std::copy_if(all.begin(), all.end(), std::back_inserter(out), [](const auto& p) {
      return std::min({p.m, p.n, p.k}) >= kLeastSize;
    });
    return out;
  }
  std::function<Seconds(const KernelTimes::Product&)> productsIn(NumberFormat format) {
    return [this, format](const KernelTimes::Product& p) {
      return Roofline(m_device, format, m_scenario.model.analytic).product(p.m, p.n, p.k);
    };
  }
  void set(Sourced<double>& to, double value) const {
    to = {std::round(value * 1e4) / 1e4, Origin::Measured, m_times.source + " on " + m_times.device};
  }
  void tell(std::string what, double share, const Ratios& ratios) {
    const double least = quantile(ratios, 0.1) - 1, most = quantile(ratios, 0.9) - 1;
    m_told.push_back(std::move(what) + "; of " + text::count(static_cast<int>(ratios.size())) +
                     " kernels the middle eight tenths are predicted " + text::signedPercent(least) + " to " +
                     text::signedPercent(most) + " off");
    if (share <= kLeastShare || share >= kMostShare || most > 1)
      m_told.push_back("no rate from " + text::percent(kLeastShare) + " to " + text::percent(kMostShare) +
                       " of the peak explains these times: check the unit of the file");
  }

  Scenario& m_scenario;
  const KernelTimes& m_times;
  std::vector<std::string>& m_told;
  DeviceSpec m_device;
};

}  // namespace

Diagnostics setKernels(Scenario& s, const KernelTimes& times, std::vector<std::string>& told) {
  const auto fail = [](std::string message, std::string remedy) -> Diagnostics {
    return {error("kernel-fit", {"", 0, 0, "/cluster/device"}, std::move(message), std::move(remedy))};
  };
  if (std::string other = otherDevice(times.device, s.cluster.device, false); !other.empty())
    return fail(std::move(other), "choose the device that was measured, or give the table of this one");
  Fitter fitter(s, times, told);
  fitter.products();
  fitter.fp8Products();
  fitter.attention();
  if (told.empty())
    return fail("no eight kernels have the sizes of training (products of " + text::number(kLeastSize, 3) +
                    " and more on every side, attention over " + text::count(static_cast<int>(kLeastKeys)) +
                    " keys and more)",
                "give the whole table");
  told.push_back(
      "measured are forward kernels alone and their shape over sizes; the share of their rate that lasts "
      "through training steps (" +
      text::percent(s.cluster.device.sustainedRate.value) + ") stays; a log shows the bias of whole steps");
  return {};
}

}  // namespace nest
