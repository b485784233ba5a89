#include "solver/stage/packed_stages.h"

#include <algorithm>
#include <cmath>

#include "solver/bounds/search_bounds.h"
#include "solver/common.h"
#include "solver/stage/messages.h"
#include "solver/watch.h"

namespace nest::planner {

PackedStages packFromBehind(const Problem& problem, const LayerOrder& order,
                            const std::vector<StageFloor>& floors, const Target& target, double capacity,
                            double perStage, double most, Watch& watch) {
  PackedStages packed;
  packed.cuts.push_back(order.last());
  // Stages that fill hosts evenly do not straddle them.
  const auto [first, end] = problem.cluster->groupSpan(0, 0);
  const auto divides = [host = end - first](int width) { return host % width == 0; };
  int widest = 1;
  while (packed.cuts.back() > 0) {
    const int to = packed.cuts.back();
    const InFlight inFlight = leastInFlight(target, static_cast<int>(packed.floors.size()), 0);
    struct {
      double share = 0, load = 0;
      int from = 0, policy = 0, width = 0;
      std::size_t floor = 0;
    } best;
    for (std::size_t k = 0; k < floors.size(); ++k) {
      const StageFloor& f = floors[k];
      const LayerSums& s = f.sums();
      const int a = s.strategy().width();
      if (watch.overAfter(2000)) return {};
      if (divides(a) && packed.units % a != 0) continue;
      const auto transfer = [&](int cut) {
        return cut > 0 && cut < order.last() ? leastTransfer(problem, 2 * a, s.boundary[at(cut)]) : 0;
      };
      const auto besides = [&](const Part& p) {
        return transfer(p.from) + transfer(p.to) + f.data(f.size(p));
      };
      const auto stands = [&](int from) {
        const Part p{from, to};
        return f.work(problem.search.recompute, inFlight, p, capacity, most - besides(p), true) < kNever;
      };
      // What holds a stage holds a shorter one: its begin is looked for in growing steps, then halved.
      int held = 0, step = 1;
      while (held < to && stands(to - std::min(to, held + step))) held = std::min(to, held + step), step *= 2;
      for (; step > 0; step /= 2)
        if (held + step <= to && stands(to - held - step)) held += step;
      // What stands in front of all begins at the first device.
      if (held == to && (packed.units + a) % std::max(widest, divides(a) ? a : 1) != 0) --held;
      if (held / (a + perStage) <= best.share) continue;
      const Part part{to - held, to};
      best = {held / (a + perStage), kNever, part.from, 0, a, k};
      for (int r = 0; r < kRecomputeCount; ++r)
        if (const double load = between(s.least[at(r)], part) + besides(part);
            problem.search.recompute[at(r)] && load < best.load && f.fits(r, inFlight, part, capacity, most))
          best.load = load, best.policy = r;
    }
    if (best.share <= 0) return {};
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

PackedStages packedStages(const Problem& problem, const LayerOrder& order,
                          const std::vector<StageFloor>& floors, const Target& target, double capacity,
                          int units, double leastMax, double mostLoad, Watch& watch) {
  constexpr double kLeast = 0.25, kMost = 32, kRatio = 1.3;  // prices of a stage, in units
  constexpr double kFiner = 3e-3;
  constexpr int kHalvings = 12, kFurther = 36;
  PackedStages best;
  double least = kNever;
  for (double perStage = kLeast; perStage < kMost; perStage *= kRatio) {
    double low = leastMax, high = mostLoad;
    const auto fits = [&](double most) {
      PackedStages packed = packFromBehind(problem, order, floors, target, capacity, perStage, most, watch);
      if (packed.floors.empty() || packed.units > units) return false;
      const double time = target.weights.time(packed.sum, most, packed.tail);
      if (time < least) least = time, best = std::move(packed);
      return true;
    };
    for (int k = 0; k < kHalvings && low < high && !watch.look(); ++k) {
      const double most = low > 0 ? std::sqrt(low * high) : high / 2;
      (fits(most) ? high : low) = most;
    }
    // Less load may need fewer units all the same.
    for (int k = 1; k <= kFurther && !watch.look(); ++k) fits(high * (1 - kFiner * k));
  }
  return best;
}

}  // namespace nest::planner
