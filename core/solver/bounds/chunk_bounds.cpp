// Computes one least load per stage and strategy, and per U a PrefixTable, filled stage by stage.
#include "solver/bounds/chunk_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "solver/bounds/search_bounds.h"
#include "solver/common.h"
#include "solver/space/chunk_cuts.h"
#include "solver/stage/messages.h"
#include "solver/watch.h"

namespace nest::solver {

ChunkBounds::ChunkBounds(const Problem& problem, const SearchSpace& space, const LayerOrder& order,
                         const GroupShapes& shapes, const ChunkConfiguration& c, double capacity,
                         Watch& watch)
    : ChunkBounds(problem, space, order, shapes, c,
                  {{c.dataDegree, space.shardDegrees(c.dataDegree, c.zero, strategiesOf(c.sums))}}, capacity,
                  watch) {}

ChunkBounds::ChunkBounds(const Problem& problem, const SearchSpace& space, const LayerOrder& order,
                         const GroupShapes& shapes, const ChunkConfiguration& c,
                         const std::vector<Sharding>& shardings, double capacity, Watch& watch)
    : ChunkBounds(problem, space, order, c, floorsOf(problem, shapes, c, shardings, watch), capacity, watch) {
}

std::vector<StageFloor> ChunkBounds::floorsOf(const Problem& problem, const GroupShapes& shapes,
                                              const ChunkConfiguration& c,
                                              const std::vector<Sharding>& shardings, Watch& watch) {
  std::vector<StageFloor> floors;
  for (const LayerSums* s : c.sums)
    floors.emplace_back(problem, *s, GradientFloor::of(shapes, s->strategy(), shardings, watch), c.zero);
  return floors;
}

ChunkBounds::ChunkBounds(const Problem& problem, const SearchSpace& space, const LayerOrder& order,
                         const ChunkConfiguration& c, const std::vector<StageFloor>& floors, double capacity,
                         Watch& watch)
    : m_ledger(&watch.bounds()),
      m_stages(c.stages),
      m_bound(c.target.bound),
      m_weights(problem, c.target),
      m_toY(c.target.share / m_weights.share),
      m_leastBoundary(at(order.cutCount()), kInfinity) {
  if (const auto tied = tiedStagesOf(problem, c.cuts, c.stages, *c.schedule)) m_copyIn = tied->second;
  const auto parts = chunkParts(c.cuts, c.stages, *c.schedule);
  for (const LayerSums* s : c.sums) {
    m_width.push_back(s->strategy().width());
    m_narrow = std::min(m_narrow, m_width.back());
    for (std::size_t cut = 0; cut < m_leastBoundary.size(); ++cut)
      m_leastBoundary[cut] = std::min(m_leastBoundary[cut], s->boundary[cut]);
    m_backwardShare = std::max(m_backwardShare, s->mostBackwardShare);
  }
  std::vector<Candidate> candidates(m_width.size());  // of identical stages
  std::vector<Least> inFront, least;
  for (int i = 0; i < m_stages; ++i) {
    const auto& own = parts[at(i)];
    const bool alike = i > 0 && areAlike(problem, c, i, parts[at(i - 1)], own);
    const InFlight inFlight = inFlightOf(*c.schedule, i, m_stages, c.microbatchCount, c.chunks);
    const Policies policies = space.policies(i);
    int narrow = std::numeric_limits<int>::max(), wide = 0;
    least.clear();
    for (std::size_t k = 0; k < floors.size() && !watch.shouldStopAfter(alike ? 10 : 200); ++k) {
      if (!alike) candidates[k] = candidateOf(problem, space, order, c, i, floors[k], own);
      least.push_back(leastOf(candidates[k], c, inFlight, policies, capacity));
      if (least.back().load == kInfinity) continue;
      narrow = std::min(narrow, m_width[k]);
      wide = std::max(wide, m_width[k]);
    }
    if (wide == 0 || watch.shouldStop()) {  // no strategy can form this stage, or the search was stopped
      m_leastUnits = 1, m_mostUnits = 0;
      return;
    }
    if (i == 0)
      for (std::size_t k = 0; k < floors.size(); ++k)
        if (least[k].load < kInfinity) m_first.push_back({least[k].load, candidates[k].tail});
    if (!alike || least != inFront) addChoices(candidates, least);
    m_choicesOf.push_back(m_choices.size() - 1);
    std::swap(least, inFront);
    m_leastUnits += narrow;
    m_mostUnits += wide;
  }
}

// A folded pipeline turns around inside its last stage, so nothing is sent there.
bool ChunkBounds::turns(Parts parts, int cut) {
  const auto meets = [cut](int Part::*end) { return [cut, end](const Part& p) { return p.*end == cut; }; };
  return std::any_of(parts.begin(), parts.end(), meets(&Part::from)) &&
         std::any_of(parts.begin(), parts.end(), meets(&Part::to));
}

bool ChunkBounds::areAlike(const Problem& problem, const ChunkConfiguration& c, int stage, Parts a,
                           Parts b) const {
  if (a.size() != b.size() || m_copyIn == stage || m_copyIn == stage - 1 ||
      !problem.constraints.stagePins.empty())
    return false;
  const auto& layers = problem.graph->layers;
  const auto sends = [&](int x, int y) {
    return turns(a, x) == turns(b, y) && std::all_of(c.sums.begin(), c.sums.end(), [&](const LayerSums* s) {
             return s->boundary[at(x)] == s->boundary[at(y)];
           });
  };
  return std::equal(a.begin(), a.end(), b.begin(), [&](const Part& p, const Part& q) {
    return std::equal(
               layers.begin() + p.from, layers.begin() + p.to, layers.begin() + q.from, layers.begin() + q.to,
               [](const Layer& x, const Layer& y) { return x.classId == y.classId && x.kind == y.kind; }) &&
           sends(p.from, q.from) && sends(p.to, q.to);
  });
}

double ChunkBounds::leastTransfers(const Problem& problem, const LayerSums& sums, Parts parts) const {
  Messages all;
  for (const Part& p : parts) {
    if (!turns(parts, p.from)) all.add(m_leastBoundary[at(p.from)]);
    if (!turns(parts, p.to)) all.add(sums.boundary[at(p.to)]);
  }
  return leastTransfer(problem, sums.strategy().width() + m_narrow, all);
}

ChunkBounds::Candidate ChunkBounds::candidateOf(const Problem& problem, const SearchSpace& space,
                                                const LayerOrder& order, const ChunkConfiguration& c,
                                                int stage, const StageFloor& floor, Parts parts) const {
  const LayerSums& s = floor.sums();
  Candidate candidate;
  if (!space.strategyAllowed(stage, s.strategy())) return candidate;
  StageSize size = floor.size(parts);
  candidate.tail = floor.tail(size);
  for (const Part& p : parts) {
    for (int x = p.from; x < p.to; ++x)
      if (!s.usable(x)) return candidate;
    if (m_copyIn == stage && order.holds(p.to, problem.profile->tied->second.value) &&
        !order.holds(p.from, problem.profile->tied->second.value))
      size.addCopy(problem, s);
  }
  candidate.fixed = floor.fixedMemory(size);
  candidate.data = floor.data(size);
  candidate.transfers = c.target.covered ? 0 : leastTransfers(problem, s, parts);
  // Transfers may be sent in either pass, so they count in neither.
  if (m_weights.fills()) candidate.passes = LeastPasses::of(s, c.zero, parts, 0, 0);
  for (int r = 0; r < kRecomputeCount; ++r) {
    if (!hasPolicy(s, parts, r)) continue;
    candidate.work[at(r)] = between(s.least[at(r)], parts);
    candidate.stash[at(r)] = stashBytes(s, parts, r, c.schedule->stashesWholeStages());
    candidate.workspace[at(r)] = workspaceBytes(s, parts, r);
  }
  return candidate;
}

ChunkBounds::Least ChunkBounds::leastOf(const Candidate& candidate, const ChunkConfiguration& c,
                                        InFlight inFlight, const Policies& policies, double capacity) const {
  double own = kInfinity;
  for (int r = 0; r < kRecomputeCount; ++r)
    if (policies[at(r)] && candidate.work[at(r)] < own &&
        candidate.fixed + inFlight.count * candidate.stash[at(r)] + candidate.workspace[at(r)] <=
            capacity * kRoundUp)
      own = candidate.work[at(r)];
  if (own == kInfinity) return {};
  const double load = own + candidate.data + candidate.transfers;
  if (!m_weights.fills()) return {load, {load, load}};
  LeastPasses passes = candidate.passes;
  passes.input += own;
  const double most = c.limit / c.microbatchCount;
  return {load, m_weights.of(passes, candidate.data, most * kRoundUp)};
}

void ChunkBounds::addChoices(const std::vector<Candidate>& candidates, const std::vector<Least>& least) {
  std::vector<Choice> all;
  for (std::size_t k = 0; k < least.size(); ++k)
    if (least[k].load < kInfinity) all.push_back({m_width[k], least[k].fill, candidates[k].tail});
  std::sort(all.begin(), all.end(), [](const Choice& a, const Choice& b) {
    return std::tie(a.width, a.fill.y, a.fill.x, a.tail) < std::tie(b.width, b.fill.y, b.fill.x, b.tail);
  });
  const bool dominance = m_ledger->uses(SearchBound::Dominance);
  auto& [kept, ofWidth] = m_choices.emplace_back();
  std::ptrdiff_t first = 0;  // of this width
  for (const Choice& c : all) {
    const auto beats = [&](const Choice& o) {
      return o.fill.y <= c.fill.y && o.fill.x <= c.fill.x && o.tail <= c.tail;
    };
    if (!ofWidth.empty() && ofWidth.back().width != c.width) first = std::ssize(ofWidth);
    if (dominance && std::any_of(ofWidth.begin() + first, ofWidth.end(), beats)) continue;
    ofWidth.push_back(c);
    if (!dominance || std::none_of(kept.begin(), kept.end(), beats)) kept.push_back(c);
  }
  if (!dominance) return;
  m_ledger->countCalls(SearchBound::Dominance, static_cast<long long>(all.size()));
  m_ledger->countClosed(SearchBound::Dominance, static_cast<long long>(all.size() - ofWidth.size()));
}

double ChunkBounds::quick(int units) const {
  double sum = 0, max = 0, even = 0, first = kInfinity;
  for (const Choice& c : choices(0).any) first = std::min(first, c.tail);
  for (int i = 0; i < m_stages; ++i) {
    double fastest = kInfinity, mixed = kInfinity, fill = kInfinity;
    for (const Choice& c : choices(i).any) {
      fastest = std::min(fastest, c.fill.y);
      fill = std::min(fill, c.fill.x);
      mixed = std::min(mixed, m_weights.sum * c.fill.x + m_weights.max * c.width / units * c.fill.y);
    }
    sum += fill;
    max = std::max(max, fastest);
    even += mixed;
  }
  return std::max(m_weights.time(sum, max, first), even + first) * kRoundDown;
}

/// Σ x·w_sum + price·a, less the price of the units, with the tail shared over `shared` first stages.
double ChunkBounds::priced(int units, double most, double price, int shared) const {
  double all = 0;
  for (int i = 0; i < m_stages; ++i) {
    double least = kInfinity;
    for (const Choice& c : choices(i).any)
      if (c.fill.y <= most)
        least =
            std::min(least, c.fill.x * m_weights.sum + price * c.width + (i < shared ? c.tail / shared : 0));
    all += least;
  }
  return all * kRoundDown - price * units -
         m_backwardShare * most / m_weights.share * (shared - 1) / 2 / kRoundDown;
}

double ChunkBounds::upTo(int units, double limit) const {
  constexpr double kRatio = 1.6, kBand = 0.01;
  constexpr int kMostBands = 16, kPrices = 8;
  double max = 0, sum = 0, unitSum = 0, first = kInfinity;
  for (const Choice& c : choices(0).any) first = std::min(first, c.tail);
  for (int i = 0; i < m_stages; ++i) {
    double fastest = kInfinity, narrowest = kInfinity, fill = kInfinity;
    for (const Choice& c : choices(i).any) {
      fastest = std::min(fastest, c.fill.y);
      fill = std::min(fill, c.fill.x);
      narrowest = std::min(narrowest, c.fill.y * c.width);
    }
    max = std::max(max, fastest);
    sum += fill;
    unitSum += narrowest;
  }
  const double low = std::max(max, unitSum / units) * kRoundDown;
  const double plain = m_weights.time(sum, low, first) * kRoundDown;
  if (!(m_weights.max > 0) || !(low > 0) || limit == kInfinity) return plain;
  const double high = (limit - m_weights.sum * sum - first) / m_weights.max / kRoundDown;
  if (high < low) return std::max(plain, limit);
  if (!m_ledger->uses(SearchBound::ChunkPrices)) return plain;
  const int count = std::clamp(static_cast<int>(std::ceil(std::log(high / low) / kBand)), 1, kMostBands);
  double bound = kInfinity;
  for (int j = 0; j < count; ++j) {
    const double from = low * std::pow(high / low, double(j) / count),
                 to = j + 1 == count ? high : low * std::pow(high / low, double(j + 1) / count) / kRoundDown;
    double rest = m_weights.sum * sum + first, price = m_weights.max * to / units / 4;
    for (int q = 0; q < kPrices; ++q, price *= kRatio)
      for (const int shared : {1, std::min(6, m_stages)})
        rest = std::max(rest, priced(units, to, price, shared));
    bound = std::min(bound, (m_weights.max * from + rest) * kRoundDown);
    if (bound <= plain) break;
  }
  m_ledger->count(SearchBound::ChunkPrices, plain <= limit && bound > limit);
  return std::max(plain, bound);
}

namespace {
// The rates let λ·U reach w_max for the whole pipeline, and go further for the narrower prefixes.
PrefixTable<double>::Rates ratesOf(double even) {
  PrefixTable<double>::Rates rates{0, even / 2, even};
  for (std::size_t j = 3; j < rates.size(); ++j) rates[j] = rates[j - 1] * 1.5;
  return rates;
}
}  // namespace

ChunkBounds::Prefixes::Prefixes(const ChunkBounds& b, int all)
    : m_bounds(&b),
      m_stages(b.m_stages),
      m_all(all),
      m_knows(b.m_ledger->uses(SearchBound::ChunkStages)),
      m_table(b.m_weights, ratesOf(b.m_weights.max / all), row(m_stages, all) + 1, kRoundDown, true) {
  const BoundLedger::Timer timer(*b.m_ledger, SearchBound::ChunkStages);
  m_table.grow(row(m_stages, all) + 1);
  m_table.open(0);
  for (int i = 0; i < m_stages; ++i)
    for (const Choice& c : b.choices(i).ofWidth)
      m_table.add(row(i, 0), row(i + 1, c.width), m_table.added(c.width, c.fill, i == 0 ? c.tail : 0),
                  all - c.width + 1);
}

double ChunkBounds::Prefixes::leastTail(double mostLoad) const {
  if (!m_knows) return 0;
  double least = kInfinity;
  for (const First& f : m_bounds->m_first)
    if (f.load <= mostLoad / kRoundDown) least = std::min(least, f.tail);
  return least * kRoundDown;
}

double ChunkBounds::Prefixes::mostLoad(double limit) const {
  const ObjectiveWeights& w = m_bounds->m_bound;
  const double most = limit / std::max(1e-300, w.sum + w.max);
  if (!m_knows) return most / kRoundDown;
  return std::min(most, m_table.most(row(m_stages, m_all), m_all, limit, most) / m_bounds->m_weights.share) /
         kRoundDown;
}

}  // namespace nest::solver
