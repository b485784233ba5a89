#include "solver/stage/packed_stages.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "solver/bounds/search_bounds.h"
#include "solver/common.h"
#include "solver/stage/messages.h"
#include "solver/watch.h"

namespace nest::solver {

PackedStages packFromBehind(const Problem& problem, const LayerOrder& order,
                            const std::vector<StageFloor>& floors, const Target& target, double capacity,
                            const StageWorth& worth, double most, Watch& watch) {
  PackedStages packed;
  packed.cuts.push_back(order.last());
  // Stages whose width divides the host size do not straddle hosts.
  const auto [first, end] = problem.cluster->groupSpan(0, 0);
  const auto divides = [host = end - first](int width) { return host % width == 0; };
  int widest = 1;
  while (packed.cuts.back() > 0) {
    const int to = packed.cuts.back();
    const int behind = packed.stages();
    const InFlight inFlight = leastInFlight(target, behind, 0);
    struct {
      double worth = -kInfinity, load = 0;
      int from = 0, policy = 0, width = 0;
      std::size_t floor = 0;
    } best;
    for (std::size_t k = 0; k < floors.size(); ++k) {
      const StageFloor& f = floors[k];
      const LayerSums& s = f.sums();
      const int a = s.strategy().width();
      if (watch.shouldStopAfter(2000)) return packed;
      if (divides(a) && packed.units % a != 0) continue;
      const auto transfer = [&](int cut) {
        return cut > 0 && cut < order.last() ? leastTransfer(problem, 2 * a, s.boundary[at(cut)]) : 0;
      };
      const auto besides = [&](const Part& p) {
        return transfer(p.from) + transfer(p.to) + f.data(f.size(p));
      };
      const auto stands = [&](int from) {
        const Part p{from, to};
        return f.work(problem.search.recompute, inFlight, p, capacity, most - besides(p), true) < kInfinity;
      };
      // If a stage fits, a shorter one fits, too, so its begin is found by growing steps and then by halving.
      int held = 0, step = 1;
      while (held < to && stands(to - std::min(to, held + step))) held = std::min(to, held + step), step *= 2;
      for (; step > 0; step /= 2)
        if (held + step <= to && stands(to - held - step)) held += step;
      // The first stage begins at the first device.
      if (held == to && (packed.units + a) % std::max(widest, divides(a) ? a : 1) != 0) --held;
      const double own = held > 0 ? worth(held, a, behind) : -kInfinity;
      if (own <= best.worth) continue;
      const Part part{to - held, to};
      best = {own, kInfinity, part.from, 0, a, k};
      for (int r = 0; r < kRecomputeCount; ++r)
        if (const double load = between(s.least[at(r)], part) + besides(part);
            problem.search.recompute[at(r)] && load < best.load && f.fits(r, inFlight, part, capacity, most))
          best.load = load, best.policy = r;
    }
    if (best.width == 0) break;
    packed.cuts.push_back(best.from);
    packed.policies.push_back(best.policy);
    packed.floors.push_back(best.floor);
    packed.units += best.width;
    if (divides(best.width)) widest = std::max(widest, best.width);
    packed.sum += best.load;
    packed.tail = floors[best.floor].tail(floors[best.floor].size(Part{best.from, to}));
  }
  std::reverse(packed.cuts.begin(), packed.cuts.end());
  std::reverse(packed.policies.begin(), packed.policies.end());
  std::reverse(packed.floors.begin(), packed.floors.end());
  return packed;
}

namespace {

/// Packs into exactly `stages` stages if possible. It finds a price of units, in layers, that gives too few
/// stages and one that gives too many, and uses the higher price behind, where less is in flight, and the
/// lower one in front.
PackedStages packInStages(int stages, double mostPrice,
                          const std::function<PackedStages(const StageWorth&)>& pack, Watch& watch) {
  constexpr int kHalvings = 9;
  double low = 0, high = mostPrice;
  const auto packed = [&](double last, double front, int until) {
    return pack(
        [=](int layers, int width, int behind) { return layers - (behind < until ? last : front) * width; });
  };
  PackedStages p;
  for (int k = 0; k < kHalvings && !watch.checkClock(); ++k) {
    const double middle = (low + high) / 2;
    p = packed(middle, middle, 0);
    if (p.whole() && p.stages() == stages) return p;
    (p.stages() >= stages ? high : low) = middle;
  }
  for (int from = 0, to = stages; from < to && !watch.checkClock();) {
    const int until = (from + to) / 2;  // this many stages have the higher price
    p = packed(high, low, until);
    if (p.whole() && p.stages() == stages) return p;
    if (p.stages() >= stages)
      to = until;
    else
      from = until + 1;
  }
  return p;
}

}  // namespace

PackedStages packedStages(const Problem& problem, const LayerOrder& order,
                          const std::vector<StageFloor>& floors, const Target& target, double capacity,
                          int units, double leastMax, double mostLoad, Watch& watch) {
  constexpr double kLeast = 0.25, kMost = 32, kRatio = 1.3;  // prices of a stage, in units
  // price of a unit in layers, relative to the layers that a unit holds on average
  constexpr double kMostPrice = 4;
  constexpr double kFiner = 3e-3;
  constexpr int kHalvings = 12, kFurther = 36;
  PackedStages best;
  double least = kInfinity;
  const auto& allowed = problem.constraints.stages;
  // Packs with decreasing limits of the largest load. `finer`: the step size at the end.
  const auto search = [&](const auto& pack, bool toCount, double finer) {
    double low = leastMax, high = mostLoad;
    const auto fits = [&](double most) {
      PackedStages packed = pack(most);
      const int stages = packed.stages();
      if (packed.units > units || stages > allowed.most.value_or(stages)) return false;
      if (!packed.whole()) return toCount;
      const double time = target.weights.time(packed.sum, most, packed.tail);
      if (time < least && allowed.allows(stages)) least = time, best = std::move(packed);
      return true;
    };
    for (int k = 0; k < kHalvings && low < high && !watch.checkClock(); ++k) {
      const double most = low > 0 ? std::sqrt(low * high) : high / 2;
      (fits(most) ? high : low) = most;
    }
    for (int k = 1; k <= kFurther && !watch.checkClock(); ++k) fits(high * (1 - finer * k));
  };
  const auto pack = [&](const StageWorth& worth, double most) {
    return packFromBehind(problem, order, floors, target, capacity, worth, most, watch);
  };
  for (const int stages : std::set{allowed.least.value_or(1), allowed.most.value_or(1)})
    if (stages > 1)
      search(
          [&](double most) {
            return packInStages(
                stages, kMostPrice * order.layerCount() / units,
                [&](const StageWorth& worth) { return pack(worth, most); }, watch);
          },
          true, -kFiner / 2);  // for a fixed number of stages, some loads have no packing
  if (allowed.least && allowed.least == allowed.most) return best;
  for (double perStage = kLeast; perStage < kMost; perStage *= kRatio)
    search(
        [&](double most) {
          return pack([=](int layers, int width, int) { return layers / (width + perStage); }, most);
        },
        false, kFiner);  // a lower load limit may still need fewer units
  return best;
}

}  // namespace nest::solver
