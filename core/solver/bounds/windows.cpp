// Windows: last[0] = 0, last[i+1] = the furthest cut that stage i reaches from last[i]; first[s] = L,
// first[i] = the earliest cut from which stage i reaches first[i+1]. Both are exact for the relaxed stage,
// because feasible() only shrinks as a stage grows. Cost: 2·s binary searches.
#include "solver/bounds/windows.h"

#include <algorithm>
#include <limits>

namespace nest::planner {
namespace {
constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}
constexpr double kSlack = 1 + 1e-12;
constexpr double kNever = std::numeric_limits<double>::infinity();
}  // namespace

Reach::Reach(const StageCosts::Context& context, double capacity)
    : m_context(context), m_capacity(capacity), m_mostLoad(std::numeric_limits<double>::infinity()) {
  const Problem& p = *context.problem;
  const LayerSums& sums = *context.sums;
  const Strategy& s = sums.strategy();
  m_dense = ParameterRates::of(p, context.zero, context.dataDegree * s.context);
  m_expert = ParameterRates::of(p, context.zero, context.dataDegree * s.context / s.expert);
  m_reserve = p.assumptions.reserve.value();
  m_weight = p.job.optimizer.weightBytes;
  for (int i = 0; i < context.stages; ++i) {
    auto policies = context.space->policies(i);
    for (int r = 0; r < kRecomputeCount; ++r)
      policies[at(r)] = policies[at(r)] && (!context.sharedPolicy || *context.sharedPolicy == r);
    m_policies.push_back(policies);
  }
  std::vector<double> hops(at(context.stages), 2 * sums.leastTransfer);
  hops.front() -= sums.leastTransfer;
  hops.back() -= sums.leastTransfer;
  m_leastHops = hops;
  setHops(std::move(hops));
  if (!context.order->isChain()) m_path = context.order->path();
}

void Reach::setHops(std::vector<double> perStage) {
  m_hops = std::move(perStage);
  m_hopsBefore.assign(1, 0);
  for (double h : m_hops) m_hopsBefore.push_back(m_hopsBefore.back() + h);
}

double Reach::fixedMemory(int from, int to) const {
  const LayerSums& sums = *m_context.sums;
  double fixed = (sums.dense[at(to)] - sums.dense[at(from)]) * m_dense.memory +
                 (sums.expert[at(to)] - sums.expert[at(from)]) * m_expert.memory + m_reserve;
  if (m_context.zero == 3) fixed += sums.largestLayer(from, to) * m_weight;
  return fixed;
}

double Reach::memory(int stage, double fixed, int from, int to, int policy) const {
  const auto& stash = m_context.sums->stash[at(policy)];
  const int inFlight = std::min(m_context.microbatchCount, m_context.stages - stage);
  return fixed + inFlight * (stash[at(to)] - stash[at(from)]) +
         m_context.sums->workspace[at(policy)](from, to);
}

bool Reach::feasible(int stage, int from, int to) const {
  const LayerSums& sums = *m_context.sums;
  const double transfers = m_hops[at(stage)];
  const double fixed = fixedMemory(from, to);
  for (int r = 0; r < kRecomputeCount; ++r) {
    if (!m_policies[at(stage)][at(r)] || sums.missing[at(r)][at(to)] != sums.missing[at(r)][at(from)])
      continue;
    if (sums.least[at(r)][at(to)] - sums.least[at(r)][at(from)] + transfers > m_mostLoad * kSlack) continue;
    if (memory(stage, fixed, from, to, r) <= m_capacity * kSlack) return true;
  }
  return false;
}

double Reach::leastLoad(int stage, int from, int to) const {
  const LayerSums& sums = *m_context.sums;
  const double fixed = fixedMemory(from, to);
  double least = kNever;
  for (int r = 0; r < kRecomputeCount; ++r) {
    if (!m_policies[at(stage)][at(r)] || sums.missing[at(r)][at(to)] != sums.missing[at(r)][at(from)])
      continue;
    const double load = sums.least[at(r)][at(to)] - sums.least[at(r)][at(from)];
    if (load >= least || load + m_hops[at(stage)] > m_mostLoad * kSlack) continue;
    if (memory(stage, fixed, from, to, r) <= m_capacity * kSlack) least = load;
  }
  return least;
}

long long Reach::windowPairs() const {
  long long pairs = 0;
  for (int i = 0; i < m_context.stages; ++i)
    pairs += static_cast<long long>(m_last[at(i)] - m_first[at(i)] + 1) *
             (m_last[at(i) + 1] - m_first[at(i) + 1] + 1);
  return pairs;
}

void Reach::findLeastWork() {
  const int s = m_context.stages;
  m_leastWork.assign(at(s) + 1, {});
  m_origin = m_first;
  m_leastWork[0].assign(1, 0);
  for (int i = 0; i < s; ++i) {
    auto& next = m_leastWork[at(i) + 1];
    next.assign(at(m_last[at(i) + 1] - m_first[at(i) + 1] + 1), kNever);
    for (int from = m_first[at(i)]; from <= m_last[at(i)]; ++from) {
      const double before = m_leastWork[at(i)][at(from - m_first[at(i)])];
      if (before == kNever) continue;
      for (int to = std::max(from + 1, m_first[at(i) + 1]); to <= m_last[at(i) + 1]; ++to) {
        const double load = leastLoad(i, from, to);
        if (load == kNever) break;  // nor is a longer stage feasible
        double& least = next[at(to - m_first[at(i) + 1])];
        least = std::min(least, before + load);
      }
    }
  }
}

double Reach::leastWork(int stage, int cut) const {
  const double any = m_context.sums->leastAny[at(cut)];
  if (m_leastWork.empty()) return any;
  const auto& row = m_leastWork[at(stage)];
  const int k = cut - m_origin[at(stage)];
  return k < 0 || k >= static_cast<int>(row.size()) ? kNever : std::max(any, row[at(k)]);
}

int Reach::leanest(int stage, int from, int to) const {
  const LayerSums& sums = *m_context.sums;
  const double fixed = fixedMemory(from, to);
  double least = kNever;
  int policy = 0;
  for (int r = 0; r < kRecomputeCount; ++r) {
    if (!m_policies[at(stage)][at(r)] || sums.missing[at(r)][at(to)] != sums.missing[at(r)][at(from)])
      continue;
    const double bytes = memory(stage, fixed, from, to, r);
    if (bytes < least) least = bytes, policy = r;
  }
  return policy;
}

double Reach::leastMemory(int stage, int from, int to) const {
  const int policy = leanest(stage, from, to);
  const auto& missing = m_context.sums->missing[at(policy)];
  if (!m_policies[at(stage)][at(policy)] || missing[at(to)] != missing[at(from)]) return kNever;
  return memory(stage, fixedMemory(from, to), from, to, policy);
}

double Reach::leastFirst() const {
  const double hops = m_hopsBefore.back() - m_hopsBefore[1];
  const double others = (m_context.stages - 1) * m_mostLoad * kSlack - hops;
  return m_context.stages == 1 ? m_context.sums->leastAny.back()
                               : std::max(0.0, m_context.sums->leastAny.back() - others);
}

bool Reach::findWindows() {
  const int s = m_context.stages, layers = m_context.order->layerCount();
  m_first.assign(at(s) + 1, 0);
  m_last.assign(at(s) + 1, 0);
  m_first[at(s)] = layers;
  for (int i = 0; i < s; ++i) {
    const int from = m_last[at(i)];
    int low = from, high = layers - (s - i - 1);  // feasible up to `low`
    while (low < high) {
      const int mid = (low + high + 1) / 2;
      if (feasible(i, cutAt(from), cutAt(mid)))
        low = mid;
      else
        high = mid - 1;
    }
    m_last[at(i) + 1] = low;
    if (low < i + 1) return false;
  }
  if (m_last[at(s)] < layers) return false;
  for (int i = s - 1; i >= 0; --i) {
    const int to = m_first[at(i) + 1];
    int low = i, high = to;  // feasible from `high`
    while (low < high) {
      const int mid = (low + high) / 2;
      if (feasible(i, cutAt(mid), cutAt(to)))
        high = mid;
      else
        low = mid + 1;
    }
    m_first[at(i)] = high;
    if (high > m_last[at(i)]) return false;
  }
  return m_first[0] == 0;
}

std::vector<int> Reach::evenCuts() {
  const double limit = m_mostLoad;
  const auto first = m_first, last = m_last;
  const LayerSums& sums = *m_context.sums;
  double low = std::max(sums.slowestLayer, sums.leastAny.back() / m_context.stages);
  const double least = low;
  double high = std::min(limit, sums.least[0].back() + sums.least[1].back() + sums.least[2].back());
  std::vector<int> cuts;
  const auto attempt = [&](double load) {
    m_mostLoad = load;
    if (!findWindows()) return false;
    cuts.assign(m_last.begin(), m_last.end());
    return true;
  };
  // Most often the even share, or a little more, is enough.
  for (double step = 1.02; low * step < high; step = 1 + 4 * (step - 1)) {
    if (attempt(low * step)) {
      high = low * step;
      break;
    }
    low *= step;
  }
  if (cuts.empty()) attempt(high);
  while (!cuts.empty() && high - low > 2e-3 * high) {
    const double middle = (low + high) / 2;
    (attempt(middle) ? high : low) = middle;
  }
  m_mostLoad = limit;
  m_first = first;
  m_last = last;
  m_leastMax = m_path.empty() ? low : least;
  for (int& cut : cuts) cut = cutAt(cut);
  return cuts;
}

}  // namespace nest::planner
