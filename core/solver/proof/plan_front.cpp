// ε-constraints: the fastest plan within (D devices, M bytes), then within a little less than it uses. All
// that use more than the plans found for D and any M are beaten by one of them, so the next D is below the
// most devices that those use. Small searches take every step, and large ones if a wider front is asked for,
// until they cost much more than the search did; else only steps of a fifth of the devices and of 3/20 of the
// memory, one dimension at a time.
#include "solver/proof/plan_front.h"

#include <algorithm>

namespace nest::solver {
namespace {

constexpr std::size_t kMostEntries = 1500, kMostMet = 24;
constexpr int kMostLayers = 40, kMostSteps = 12;
constexpr long long kFreeStates = 50000, kManyStates = 2000000;
constexpr std::size_t kFewSteps = 100000, kManySteps = 400;
constexpr double kBelow = 1 - 1e-9;

class FrontSearch {
public:
  FrontSearch(UniformSearch& search, const std::vector<CandidatePlan>& met, bool wider, Watch& watch)
      : m_search(search),
        m_known(met),
        m_watch(watch),
        m_mostStates(watch.states() * (wider ? 10 : 2) + (wider ? kManyStates : kFreeStates)),
        m_mostSteps(wider ? kManySteps : kFewSteps) {}

  /// True if the front is complete.
  bool takeEveryStep() {
    for (UniformSearch::Budget budget; budget.devices > 0;) {
      int most = 0;
      for (budget.memory = UniformSearch::Budget{}.memory;;) {
        m_tired = m_watch.states() > m_mostStates || m_found.size() > m_mostSteps;
        const auto found = step(budget);
        if (!found) break;
        most = std::max(most, found->devices);
        budget.memory = found->memory * kBelow;
        if (!(budget.memory < found->memory)) break;  // it holds nothing at all
      }
      if (m_tired || m_watch.shouldStop()) return false;
      if (most == 0) return true;
      budget.devices = most - 1;
    }
    return true;
  }

  bool takeLargeSteps(const CandidatePlan& best) {
    m_tired = false;
    UniformSearch::Budget devices, memory;
    devices.devices = best.devices * 4 / 5;
    memory.memory = best.memory * 0.85;
    for (int k = 0; k < kMostSteps && devices.devices > 0; ++k) {
      const auto found = step(devices);
      if (!found) break;
      devices.devices = found->devices * 4 / 5;
    }
    for (int k = 0; k < kMostSteps; ++k) {
      const auto found = step(memory);
      if (!found) break;
      memory.memory = found->memory * 0.85;
    }
    return !m_watch.shouldStop();
  }

  std::vector<CandidatePlan>& found() { return m_found; }

private:
  std::optional<CandidatePlan> step(const UniformSearch::Budget& budget) {
    if (m_tired || m_watch.shouldStop()) return std::nullopt;
    auto found = m_search.fastestWithin(budget, m_known);
    if (!found) return found;
    m_found.push_back(*found);
    m_known.push_back(*found);
    return found;
  }

  UniformSearch& m_search;
  std::vector<CandidatePlan> m_known, m_found;
  Watch& m_watch;
  long long m_mostStates;
  std::size_t m_mostSteps;
  bool m_tired = false;
};

void keepUnbeaten(std::vector<CandidatePlan>& front, std::vector<CandidatePlan> more, std::size_t most) {
  std::stable_sort(more.begin(), more.end(),
                   [](const CandidatePlan& a, const CandidatePlan& b) { return a.time < b.time; });
  const auto covers = [](const CandidatePlan& a, const CandidatePlan& b) {
    return a.time <= b.time * kRoundUp && a.devices <= b.devices && a.memory <= b.memory * kRoundUp;
  };
  for (const CandidatePlan& f : more) {
    if (std::any_of(front.begin(), front.end(), [&](const CandidatePlan& g) { return covers(g, f); }))
      continue;
    std::erase_if(front, [&](const CandidatePlan& g) { return covers(f, g); });
    if (front.size() < most) front.push_back(f);
  }
}

}  // namespace

PlanFront metFront(const std::vector<CandidatePlan>& met) {
  PlanFront front;
  keepUnbeaten(front.plans, met, kMostMet);
  return front;
}

PlanFront frontOf(const Problem& problem, UniformSearch& search, const std::vector<CandidatePlan>& met,
                  FrontEffort effort, Watch& watch) {
  PlanFront front;
  if (met.empty()) return front;
  const bool wider = effort == FrontEffort::Wider;
  const auto best = std::min_element(
      met.begin(), met.end(), [](const CandidatePlan& a, const CandidatePlan& b) { return a.time < b.time; });
  FrontSearch steps(search, met, wider, watch);
  const bool small = search.entryCount() <= kMostEntries && problem.graph->layerCount() <= kMostLayers;
  if (problem.search.topPlans > 1 && !watch.shouldStop()) {
    if ((small || wider) && steps.takeEveryStep())
      front.reach = FrontReach::Complete;
    else if (wider && steps.takeLargeSteps(*best))
      front.reach = FrontReach::Sampled;
  }
  keepUnbeaten(front.plans, {*best}, 1);
  keepUnbeaten(front.plans, steps.found(), steps.found().size() + 1);
  keepUnbeaten(front.plans, met, std::max(kMostMet, front.plans.size()));
  std::stable_sort(front.plans.begin(), front.plans.end(),
                   [](const CandidatePlan& a, const CandidatePlan& b) { return a.time < b.time; });
  return front;
}

}  // namespace nest::solver
