#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/scenario/scenario_json.h"
#include "measures/metrics.h"
#include "solver/control.h"
#include "solver/outcome.h"

namespace nest {

/// What a purchase is decided by.
enum class PurchaseMeasure { Days, Money, Energy };
const char* nameOf(PurchaseMeasure);  ///< "days", "money", "energy"

/// The offers and the jobs of a scenario's section "purchase": each cluster for each job.
class PurchaseGrid {
public:
  /// `scenario`: text of a scenario file. A scenario without clusters is its own only offer, one without jobs
  /// its own only job. Errors: neither, and what is wrong with any offer or job by itself.
  static Reading<PurchaseGrid> build(std::string_view scenario, const std::string& file,
                                     const ReferenceLoader& load);

  int clusters() const { return static_cast<int>(m_clusters.size()); }
  int jobs() const { return static_cast<int>(m_jobs.size()); }
  const std::string& cluster(int k) const { return m_clusters[static_cast<std::size_t>(k)].name; }
  const std::string& job(int k) const { return m_jobs[static_cast<std::size_t>(k)].name; }
  Reading<Scenario> scenarioOf(int job, int cluster) const;

private:
  std::string m_text, m_file;
  std::vector<PurchaseVariant> m_clusters, m_jobs;
  ReferenceLoader m_load;
};

/// One job on one cluster. Figures are absent without a plan, and where fields that they need are.
struct PurchaseCell {
  int job = 0, cluster = 0;
  std::string status;   ///< of the outcome, "invalid" or "stopped"
  std::string problem;  ///< why there is no plan, or what a figure lacks
  std::optional<RankedPlan> plan;
  std::shared_ptr<const Outcome> outcome;  ///< of the search; null: there was none
  std::optional<double> goalGap;
  double tokensPerSecond = 0;
  std::optional<double> mfu, days, money, energyKwh;
  std::optional<double> pricePerDeviceHour;
  int reservedDevices = 0;  ///< all of the offer, and of spare hosts
  /// Relative: how far the time may err, and the ratio of two plans of one program and family of devices.
  double error = 0, ratioError = 0;
  std::string program, deviceFamily;

  std::optional<double> value(PurchaseMeasure) const;
};

/// What one job says about the offers.
struct PurchaseChoice {
  int job = 0;
  int best = -1;                    ///< cluster; −1: no offer has a figure
  std::vector<int> tooClose;        ///< others whose difference is inside the error of differences
  std::optional<int> next;          ///< the best of the others
  double lead = 0;                  ///< next ÷ best − 1
  std::optional<double> flipPrice;  ///< price per device-hour of `next` at which the choice flips
};

struct PurchaseMatrix {
  PurchaseMeasure measure = PurchaseMeasure::Days;
  std::vector<PurchaseCell> cells;  ///< job by job
  std::vector<PurchaseChoice> choices;
  bool isComplete = true;

  const PurchaseCell& cell(int job, int cluster, int clusters) const {
    return cells[static_cast<std::size_t>(job * clusters + cluster)];
  }
};

/// Solves every cell for the measure. `onCell` is called with each, one call at a time. A stop leaves cells
/// with the status "stopped".
PurchaseMatrix solvePurchase(
    const PurchaseGrid&, PurchaseMeasure, int threads, const Control& = {},
    const std::function<void(const PurchaseCell&, std::size_t done, std::size_t all)>& onCell = {});

/// What each job says about the offers by matrix.measure. Days and money are decided on the same cells: an
/// offer is paid for as a whole.
std::vector<PurchaseChoice> choicesOf(const PurchaseMatrix&, int jobs, int clusters);

/// One job on one cluster, solved for the measure.
PurchaseCell solvedCell(Scenario, PurchaseMeasure, const Control&);

/// Whether two figures differ by no more than runs of such programs on such devices say.
bool isTooClose(const PurchaseCell& a, double valueOfA, const PurchaseCell& b, double valueOfB);

namespace report {
/// A value as people read it; "–" without one.
std::string purchaseValue(const PurchaseCell&, PurchaseMeasure);
/// "Llama-3 8B: 512 H100, 12.3 M; next 512 H200, +8.1 %; 512 H200 is the choice below 1.84 a device-hour".
std::string choiceText(const PurchaseGrid&, const PurchaseMatrix&, const PurchaseChoice&);
std::string purchaseCsv(const PurchaseGrid&, const PurchaseMatrix&);
}  // namespace report

}  // namespace nest
