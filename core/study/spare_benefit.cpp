#include "study/spare_benefit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "measures/pace.h"
#include "run/restart.h"
#include "run/run_forecast.h"
#include "study/plan_positions.h"
#include "study/quiet_solve.h"
#include "units/at.h"

namespace nest {
namespace {

constexpr int kMostChoices = 100;
constexpr double kSecondsInHour = 3600;

std::vector<int> hostsOf(const Problem& problem, const Plan& plan) {
  const auto used = usedBy(problem, plan);
  std::set<int> hosts;
  for (int i = 0; i < problem.cluster->deviceCount(); ++i)
    if (used[at(i)]) hosts.insert(problem.cluster->groupOf(0, i));
  return {hosts.begin(), hosts.end()};
}

/// The same ones in an order of which every beginning is spread evenly: halves, quarters, eighths, …
std::vector<int> spreadEvenly(const std::vector<int>& all) {
  std::vector<int> out;
  std::vector<char> isTaken(all.size(), 0);
  for (unsigned i = 0; out.size() < all.size(); ++i) {
    double place = 0, part = 0.5;
    for (unsigned bits = i; bits > 0; bits >>= 1, part /= 2)
      if (bits & 1) place += part;
    const auto k = static_cast<std::size_t>(place * static_cast<double>(all.size()));
    if (!isTaken[k]) out.push_back(all[k]);
    isTaken[k] = 1;
  }
  return out;
}

/// P(k) of k hosts away, of which there are so many in all; what is beyond the last one is negligible.
std::vector<double> chancesOf(double mean, int hosts) {
  const auto last = static_cast<int>(std::min<double>(hosts, mean + 12 * std::sqrt(mean) + 20));
  std::vector<double> out;
  double sum = 0;
  for (int k = 0; k <= last; ++k) sum += out.emplace_back(poissonAt(mean, k));
  if (last == hosts) out.back() += std::max(0.0, 1 - sum);  // no more can be away
  return out;
}

std::vector<int> choicesUpTo(int needed, int reserved) {
  std::set<int> out{reserved};
  for (int i = 0; i <= std::min(needed, kMostChoices); ++i)
    out.insert(needed <= kMostChoices ? i : static_cast<int>(std::lround(double(i) * needed / kMostChoices)));
  return {out.begin(), out.end()};
}

/// ρ, computed where it matters.
class LeftSearch {
public:
  LeftSearch(const Problem& problem, const RankedPlan& present, std::vector<double> chances,
             std::vector<int> spares, const Control& control)
      : m_problem(problem),
        m_present(present),
        m_chances(std::move(chances)),
        m_spares(std::move(spares)),
        m_control(control),
        m_hosts(spreadEvenly(hostsOf(problem, present.plan))) {
    m_known[0] = {0, 1, FailureAnswer::Swap};
    // Without the last device there is nothing to plan on.
    const auto count = static_cast<int>(m_hosts.size());
    if (static_cast<int>(lost(count).size()) == problem.cluster->deviceCount())
      m_known[count] = {count, 0, {}};
  }

  void run() {
    for (int plans = 0; plans < kMostPlansForSpares; ++plans) {
      reportStudy(m_control, "Spare hosts", at(plans), at(kMostPlansForSpares));
      const int next = mostOpen();
      if (next < 0) return;
      if (studyStopped(m_control)) {
        isComplete = false;
        return;
      }
      add(leftWithout(next));
    }
  }

  /// Σ P(k)·ρ(max(0, k − s)), with the lower bound of ρ, and how much more the upper one has.
  std::pair<double, double> shareWith(int spares) const {
    double least = 0, most = 0;
    for (std::size_t k = 0; k < m_chances.size(); ++k) {
      const auto [low, high] = boundsAt(std::max(0, static_cast<int>(k) - spares));
      least += m_chances[k] * low, most += m_chances[k] * high;
    }
    return {least, most - least};
  }

  std::vector<ThroughputLeft> computed() const {
    std::vector<ThroughputLeft> out;
    const auto all = static_cast<int>(m_hosts.size());
    for (const auto& [j, left] : m_known)
      if (j > 0 && (j < all || left.share > 0)) out.push_back(left);
    return out;
  }

  bool isComplete = true;

private:
  std::pair<double, double> boundsAt(int j) const {
    const auto above = m_known.lower_bound(j);
    const double least = above != m_known.end() ? above->second.share : 0;
    return {least, above != m_known.end() && above->first == j ? least : std::prev(above)->second.share};
  }

  std::vector<int> lost(int count) const {
    std::vector<int> out;
    for (int i = 0; i < count; ++i) {
      const auto [begin, end] = m_problem.cluster->groupSpan(0, m_hosts[at(i)]);
      for (int d = begin; d < end; ++d) out.push_back(d);
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  ThroughputLeft leftWithout(int hosts) {
    const auto answers = answersTo(m_problem, m_present, lost(hosts), m_control);
    ThroughputLeft out{hosts, 0, {}};
    if (const FailureResponse* best = bestWithoutSpares(answers))
      out = {hosts, std::min(1.0, 1 + best->change), best->answer};
    if (studyStopped(m_control)) isComplete = false;
    return out;
  }

  /// A plan without more hosts runs without fewer as well.
  void add(ThroughputLeft left) {
    const auto more = m_known.upper_bound(left.hosts);
    if (more != m_known.end() && more->second.share > left.share)
      left.share = more->second.share, left.answer = more->second.answer;
    for (auto& [hosts, fewer] : m_known)
      if (hosts < left.hosts && fewer.share < left.share)
        fewer.share = left.share, fewer.answer = left.answer;
    m_known[left.hosts] = left;
  }

  /// Where the value of ρ is worth most to the choice that is least known; −1: all are known well enough.
  int mostOpen() const {
    int worst = -1;
    double most = kSparesWithin;
    for (const int s : m_spares) {
      const auto [least, open] = shareWith(s);
      if (open > most * std::max(least, open)) worst = s, most = open / std::max(least, open);
    }
    return worst < 0 ? -1 : middleOf(worst);
  }

  /// Of the gap between two known values that leaves most open for so many spares, the middle by chance.
  int middleOf(int spares) const {
    double largest = 0;
    int best = -1;
    for (auto below = m_known.begin(); below != m_known.end(); ++below) {
      const auto above = std::next(below);
      const int end = above != m_known.end() ? above->first : static_cast<int>(m_hosts.size()) + 1;
      const double apart = below->second.share - (above != m_known.end() ? above->second.share : 0);
      double chance = 0;
      for (int j = below->first + 1; j < end; ++j) chance += chanceOf(j + spares);
      if (chance * apart <= largest) continue;
      largest = chance * apart;
      double sum = 0;
      for (best = below->first + 1; best + 1 < end; ++best)
        if ((sum += chanceOf(best + spares)) >= chance / 2) break;
    }
    return best;
  }

  double chanceOf(int k) const { return at(k) < m_chances.size() ? m_chances[at(k)] : 0; }

  const Problem& m_problem;
  const RankedPlan& m_present;
  const std::vector<double> m_chances;
  const std::vector<int> m_spares;
  const Control& m_control;
  const std::vector<int> m_hosts;
  std::map<int, ThroughputLeft> m_known;
};

std::vector<std::string> missingForDaysOf(const Problem& problem) {
  std::vector<std::string> out = missingForFailures(problem);
  if (!problem.job.trainingTokens) out.insert(out.begin(), "/job/training_tokens");
  return out;
}

/// Adds what the run takes when so large a share of the throughput is left.
void addRun(const Problem& problem, const RankedPlan& present, SpareChoice& c) {
  const auto run = runForecastOf(problem, present.plan, present.evaluation);
  const double goodput = run ? run->goodput().value_or(1) : 1;
  c.tokensPerSecond = paceOf(problem, present).tokensPerSecond() * goodput * c.share;
  if (!run || !run->prediction || !run->total || !(c.share > 0)) return;
  c.total = *run->total / c.share;
  const double devices = present.plan.devicesUsed() + double(c.spares) * problem.cluster->largestGroupSize(0);
  c.deviceHours = devices * c.total->value() / kSecondsInHour;
  if (const auto price = problem.run.pricePerDeviceHour) c.money = *c.deviceHours * *price;
  if (run->energy) c.energy = *run->energy / c.share;
}

}  // namespace

const SpareChoice* SpareBenefit::with(int spares) const {
  for (const SpareChoice& c : choices)
    if (c.spares == spares) return &c;
  return nullptr;
}

SpareBenefit spareBenefit(const Problem& problem, const RankedPlan& present, double confidence,
                          const Control& control) {
  SpareBenefit out;
  out.hosts = static_cast<int>(hostsOf(problem, present.plan).size());
  if (out.hosts == 0) return out;
  const double each = double(present.plan.devicesUsed()) / out.hosts;
  const SpareHosts enough = spareHostsFor(problem.run, out.hosts, each, confidence);
  out.missing = enough.missing;
  if (!out.missing.empty()) return out;
  out.missingForDays = missingForDaysOf(problem);
  out.hostsAway = enough.failed;
  const std::vector<int> spares = choicesUpTo(enough.needed, problem.run.spareHosts);
  LeftSearch search(problem, present, chancesOf(out.hostsAway, out.hosts), spares, control);
  search.run();
  out.left = search.computed();
  out.isComplete = search.isComplete;
  double fewest = 0;
  for (const int s : spares) {
    const auto [share, open] = search.shareWith(s);
    SpareChoice c;
    c.spares = s, c.share = share;
    if (share > 0) out.within = std::max(out.within, open / share);
    addRun(problem, present, c);
    const double cost = present.plan.devicesUsed() + double(s) * problem.cluster->largestGroupSize(0);
    if (share > 0 && (fewest == 0 || cost / share < fewest)) fewest = cost / share, out.cheapest = s;
    out.choices.push_back(std::move(c));
  }
  return out;
}

}  // namespace nest
