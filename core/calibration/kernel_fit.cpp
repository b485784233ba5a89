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
  Fitter(Scenario& s, const KernelTimes& times, std::vector<std::string>& notes, Diagnostics& out)
      : m_scenario(s), m_times(times), m_notes(notes), m_out(out), m_device(s.cluster.device) {
    m_device.sustainedRate.value = 1;  // one kernel at a time
  }

  bool hasTried() const { return m_hasTried; }

  void products() {
    const auto rows = large(m_times.wide);
    if (rows.size() < kLeastRows) return;
    m_hasTried = true;
    const DeviceSpec before = m_device;
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
    if (explainsNothing("16-bit products", m_device.matrixEfficiency.value, best)) {
      m_device = before;
      return;
    }
    tell("16-bit products reach " + text::percent(m_device.matrixEfficiency.value) + " of the peak rate (" +
             text::percent(to.matrixEfficiency.value) + " before), half of it at a size of " +
             text::number(m_device.matrixHalfSize.value, 3) + " (" +
             text::number(to.matrixHalfSize.value, 3) + ')',
         best);
    set(to.matrixEfficiency, m_device.matrixEfficiency.value);
    set(to.matrixHalfSize, m_device.matrixHalfSize.value);
  }

  void fp8Products() {
    const auto rows = large(m_times.fp8);
    if (rows.size() < kLeastRows || !m_device.peakFp8) return;
    m_hasTried = true;
    DeviceSpec& to = m_scenario.cluster.device;
    const double before = to.matrixEfficiencyFp8.value_or(to.matrixEfficiency).value;
    m_device.matrixEfficiencyFp8 = m_device.matrixEfficiency;
    const Ratios ratios =
        fitShare<KernelTimes::Product>(*m_device.matrixEfficiencyFp8, rows, productsIn(NumberFormat::Fp8));
    if (explainsNothing("fp8 products", m_device.matrixEfficiencyFp8->value, ratios)) return;
    tell("fp8 products reach " + text::percent(m_device.matrixEfficiencyFp8->value) +
             " of their peak rate (" + text::percent(before) + " before)",
         ratios);
    to.matrixEfficiencyFp8.emplace();
    set(*to.matrixEfficiencyFp8, m_device.matrixEfficiencyFp8->value);
  }

  void attention() {
    std::vector<KernelTimes::Attention> rows;
    std::copy_if(m_times.attention.begin(), m_times.attention.end(), std::back_inserter(rows),
                 [](const auto& a) { return a.keys >= kLeastKeys; });
    if (rows.size() < kLeastRows) return;
    m_hasTried = true;
    AnalyticOptions options = m_scenario.model.analytic;
    options.attentionKernel = AttentionKernel::Latest;
    const Ratios ratios = fitShare<KernelTimes::Attention>(
        m_device.attentionEfficiency, rows, [&](const KernelTimes::Attention& a) {
          const double flops = 2 * a.sequences * a.heads * a.keys * a.keys * a.headDim;
          return Roofline(m_device, NumberFormat::Bf16, options).attention(flops, a.keys, a.headDim);
        });
    DeviceSpec& to = m_scenario.cluster.device;
    if (explainsNothing("attention", m_device.attentionEfficiency.value, ratios)) return;
    tell("attention reaches " + text::percent(m_device.attentionEfficiency.value) + " of the peak rate (" +
             text::percent(to.attentionEfficiency.value) + " before)",
         ratios);
    set(to.attentionEfficiency, m_device.attentionEfficiency.value);
    if (m_scenario.model.analytic.attentionKernel != AttentionKernel::Latest)
      m_notes.push_back("this program runs an earlier attention kernel, whose rate stays");
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
  /// No rate explains the times: the scenario keeps the one it has, and a warning says so.
  bool explainsNothing(const char* kernels, double share, const Ratios& ratios) {
    const double least = quantile(ratios, 0.1) - 1, most = quantile(ratios, 0.9) - 1;
    if (share > kLeastShare && share < kMostShare && most <= 1) return false;
    m_out.push_back(warning("kernel-fit-useless", {"", 0, 0, "/cluster/device"},
                            std::string("no rate from ") + text::percent(kLeastShare) + " to " +
                                text::percent(kMostShare) + " of the peak explains the times of " + kernels +
                                ", whose rate stays as it is: with " + text::percent(share) +
                                " the middle eight tenths are predicted " + text::signedPercent(least) +
                                " to " + text::signedPercent(most) + " off",
                            "check the unit of the file: latencies are in ms"));
    return true;
  }
  void tell(std::string what, const Ratios& ratios) {
    const double least = quantile(ratios, 0.1) - 1, most = quantile(ratios, 0.9) - 1;
    m_notes.push_back(std::move(what) + "; of " + text::count(static_cast<int>(ratios.size())) +
                      " kernels the middle eight tenths are predicted " + text::signedPercent(least) +
                      " to " + text::signedPercent(most) + " off");
  }

  Scenario& m_scenario;
  const KernelTimes& m_times;
  std::vector<std::string>& m_notes;
  Diagnostics& m_out;
  DeviceSpec m_device;
  bool m_hasTried = false;
};

/// The times of the scenario's device, where the table has those of several; nullptr, with an error: of none,
/// or of several that the name fits.
const KernelTimes* timesOf(const DeviceSpec& device, const KernelTimes& times, Diagnostics& out) {
  std::vector<const KernelTimes*> all{&times}, fitting;
  for (const KernelTimes& other : times.others) all.push_back(&other);
  std::string names;
  for (const KernelTimes* t : all) {
    if (otherDevice(t->device, device, false).empty()) fitting.push_back(t);
    names += (names.empty() ? "" : t == all.back() ? " and " : ", ") + t->device;
  }
  const Place place{"", 0, 0, "/cluster/device"};
  if (all.size() > 1 && fitting.size() == 1)
    out.push_back(
        note("kernel-devices", place,
             "the table has times of " + names + "; those of " + fitting.front()->device + " are used"));
  if (fitting.size() == 1) return fitting.front();
  if (all.size() == 1)
    out.push_back(error("kernel-fit", place, otherDevice(times.device, device, false),
                        "choose the device that was measured, or give the table of this one"));
  else
    out.push_back(error("kernel-fit", place,
                        "the table has times of " + names + ", and the scenario has " + device.name,
                        fitting.empty() ? "choose one of these devices, or give the table of this one"
                                        : "give the rows of one device"));
  return nullptr;
}

}  // namespace

Diagnostics setKernels(Scenario& s, const KernelTimes& all, std::vector<std::string>& notes) {
  Diagnostics out;
  const KernelTimes* times = timesOf(s.cluster.device, all, out);
  if (!times) return out;
  Fitter fitter(s, *times, notes, out);
  fitter.products();
  fitter.fp8Products();
  fitter.attention();
  if (!fitter.hasTried())
    out.push_back(error("kernel-fit", {"", 0, 0, "/cluster/device"},
                        "no eight kernels have the sizes of training (products of " +
                            text::number(kLeastSize, 3) + " and more on every side, attention over " +
                            text::count(static_cast<int>(kLeastKeys)) + " keys and more)",
                        "give the whole table"));
  if (!notes.empty())
    notes.push_back(
        "measured are forward kernels alone and their shape over sizes; the share of their rate that lasts "
        "through training steps (" +
        text::percent(s.cluster.device.sustainedRate.value) + ") stays; a log shows the bias of whole steps");
  return out;
}

}  // namespace nest
