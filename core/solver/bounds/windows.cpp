// The windows are last[0] = 0, last[i+1] = the furthest cut that stage i reaches from last[i]; first[s] = L,
// first[i] = the earliest cut from which stage i reaches first[i+1]. Both are exact for the relaxed stage,
// because a stage only becomes harder to fit as it grows. Cost: 2·s searches, each beginning at the width of
// the neighbouring stage.
#include "solver/bounds/windows.h"

#include <algorithm>

#include "solver/common.h"
#include "solver/watch.h"

namespace nest::solver {
namespace {

/// The largest number in low…high up to which `holds` is true, as it is for `low`. The search begins near
/// `guess`.
template <class Holds>
int farthest(int low, int high, int guess, Holds holds) {
  if (low >= high) return low;
  int k = std::clamp(guess, low + 1, high), step = 1;
  if (holds(k)) {
    for (low = k; low < high; step *= 2) {
      k = std::min(high, low + step);
      if (holds(k)) {
        low = k;
        continue;
      }
      high = k - 1;
      break;
    }
  } else {
    for (high = k - 1; low < high; step *= 2) {
      k = std::max(low, high - step + 1);
      if (k == low || holds(k)) {
        low = k;
        break;
      }
      high = k - 1;
    }
  }
  while (low < high) {
    k = low + (high - low + 1) / 2;
    if (holds(k))
      low = k;
    else
      high = k - 1;
  }
  return low;
}
}  // namespace

StageWindows::StageWindows(const ChainConfiguration& context, double capacity)
    : m_context(context),
      m_floor(*context.problem, *context.sums,
              GradientFloor::of(*context.shapes, context.sums->strategy(), context.dataDegree,
                                {context.shardDegree}),
              context.zero),
      m_capacity(capacity),
      m_mostLoad(kInfinity) {
  const LayerSums& sums = *context.sums;
  // Without pins all stages are identical.
  m_policies.assign(at(context.stages), context.policies(0));
  if (!context.problem->constraints.stagePins.empty())
    for (int i = 1; i < context.stages; ++i) m_policies[at(i)] = context.policies(i);
  m_inFlight.reserve(at(context.stages));
  for (int i = 0; i < context.stages; ++i) m_inFlight.push_back(context.inFlight(i));
  std::vector<double> hops(at(context.stages), 2 * sums.leastTransfer);
  hops.front() -= sums.leastTransfer;
  hops.back() -= sums.leastTransfer;
  m_leastHops = hops;
  setHops(std::move(hops));
  if (!context.order->isChain()) m_path = context.order->path();
}

void StageWindows::setHops(std::vector<double> perStage) {
  m_hops = std::move(perStage);
  m_hopsBefore.assign(1, 0);
  m_hopsBefore.reserve(m_hops.size() + 1);
  for (double h : m_hops) m_hopsBefore.push_back(m_hopsBefore.back() + h);
}

double StageWindows::leastLoad(int stage, int from, int to, bool any) const {
  const Part part{from, to};
  return m_floor.work(m_policies[at(stage)], m_inFlight[at(stage)], part, m_capacity,
                      m_mostLoad * kRoundUp - m_hops[at(stage)], any);
}

long long StageWindows::windowPairs() const {
  long long pairs = 0;
  for (int i = 0; i < m_context.stages; ++i)
    pairs += static_cast<long long>(m_last[at(i)] - m_first[at(i)] + 1) *
             (m_last[at(i) + 1] - m_first[at(i) + 1] + 1);
  return pairs;
}

bool StageWindows::findLeastWork(Watch& watch) {
  const int s = m_context.stages;
  m_leastWork.assign(at(s) + 1, {});
  m_origin = m_first;
  m_leastWork[0].assign(1, 0);
  for (int i = 0; i < s; ++i) {
    if (watch.shouldStopAfter(at(m_last[at(i) + 1] - m_first[at(i)]) * 4)) return m_leastWork.clear(), false;
    auto& next = m_leastWork[at(i) + 1];
    next.assign(at(m_last[at(i) + 1] - m_first[at(i) + 1] + 1), kInfinity);
    for (int r = 0; r < kRecomputeCount; ++r)
      if (m_policies[at(i)][at(r)]) leastWorkOf(i, r, next);
  }
  return true;
}

// Computes min over `from` of W(from) + P(to) − P(from). The cuts from which the stage fits move on with
// `to`; the best of them, and those that may become the best, are kept in a monotone queue.
void StageWindows::leastWorkOf(int stage, int policy, std::vector<double>& next) const {
  const auto& work = m_context.sums->least[at(policy)];
  const auto& before = m_leastWork[at(stage)];
  const int first = m_first[at(stage)], last = m_last[at(stage)];
  const double most = m_mostLoad * kRoundUp - m_hops[at(stage)];
  std::vector<std::pair<double, int>> row;  // ascending
  std::size_t head = 0;
  int from = first, least = first;
  for (int to = m_first[at(stage) + 1]; to <= m_last[at(stage) + 1]; ++to) {
    for (; from <= std::min(last, to - 1); ++from) {
      const double own = before[at(from - first)] - work[at(from)];
      if (own == kInfinity) continue;
      while (row.size() > head && row.back().first >= own) row.pop_back();
      row.emplace_back(own, from);
    }
    while (least < from && !m_floor.fits(policy, m_inFlight[at(stage)], {least, to}, m_capacity, most))
      ++least;
    while (head < row.size() && row[head].second < least) ++head;
    if (head == row.size()) continue;
    double& known = next[at(to - m_first[at(stage) + 1])];
    known = std::min(known, row[head].first + work[at(to)]);
  }
}

double StageWindows::leastMemory(int stage, int from, int to) const {
  const Part part{from, to};
  const Parts parts(&part, 1);
  const double fixed = m_floor.fixedMemory(m_floor.size(parts));
  double least = kInfinity;
  for (int r = 0; r < kRecomputeCount; ++r)
    if (m_policies[at(stage)][at(r)] && hasPolicy(*m_context.sums, parts, r))
      least = std::min(least, fixed + activationBytes(*m_context.sums, parts, r, m_inFlight[at(stage)]));
  return least;
}

double StageWindows::leastFirst() const {
  const double hops = m_hopsBefore.back() - m_hopsBefore[1];
  const double others = (m_context.stages - 1) * m_mostLoad * kRoundUp - hops;
  return m_context.stages == 1 ? m_context.sums->leastAny.back()
                               : std::max(0.0, m_context.sums->leastAny.back() - others);
}

int StageWindows::earliest(int stage) const {
  return m_context.rules && m_path.empty() ? m_context.rules->earliest(stage) : stage;
}

// A rule for one end also applies to the ends in front of it, or names the end that satisfies it.
int StageWindows::mostEnd(int stage, int from) const {
  const int most = m_context.order->layerCount() - (m_context.stages - stage - 1);
  if (!m_context.rules || !m_path.empty()) return most;
  const CutRules& rules = *m_context.rules;
  return std::max(from, rules.allowed(std::min({most, rules.latest(stage + 1), rules.mostEnd(from)}), -1));
}

int StageWindows::leastBegin(int stage, int to) const {
  if (!m_context.rules || !m_path.empty()) return stage;
  const CutRules& rules = *m_context.rules;
  return std::min(to, rules.allowed(std::max(earliest(stage), rules.leastBegin(to)), 1));
}

bool StageWindows::findLast() {
  const int s = m_context.stages, layers = m_context.order->layerCount();
  m_last.assign(at(s) + 1, 0);
  for (int i = 0, width = layers / s; i < s; ++i) {
    const int from = m_last[at(i)];
    m_last[at(i) + 1] = farthest(from, mostEnd(i, from), from + width,
                                 [&](int to) { return feasible(i, cutAt(from), cutAt(to)); });
    width = m_last[at(i) + 1] - from;
    if (m_last[at(i) + 1] < earliest(i + 1)) return false;
  }
  return m_last[at(s)] == layers;
}

bool StageWindows::findWindows() {
  if (!findLast()) return false;
  const int s = m_context.stages, layers = m_context.order->layerCount();
  m_first.assign(at(s) + 1, layers);
  for (int i = s - 1, width = layers / s; i >= 0; --i) {
    const int to = m_first[at(i) + 1];
    m_first[at(i)] = to - farthest(0, to - leastBegin(i, to), width,
                                   [&](int count) { return feasible(i, cutAt(to - count), cutAt(to)); });
    width = to - m_first[at(i)];
    if (m_first[at(i)] > m_last[at(i)]) return false;
  }
  return m_first[0] == 0;
}

std::vector<int> StageWindows::evenCuts() {
  const double limit = m_mostLoad;
  const auto first = m_first, last = m_last;
  const LayerSums& sums = *m_context.sums;
  double low = std::max(sums.slowestLayer, sums.leastAny.back() / m_context.stages);
  const double least = low;
  double high = std::min(limit, sums.least[0].back() + sums.least[1].back() + sums.least[2].back());
  std::vector<int> cuts;
  const auto attempt = [&](double load) {
    m_mostLoad = load;
    if (!findLast()) return false;
    cuts.assign(m_last.begin(), m_last.end());
    return true;
  };
  // Usually the even share, or a little more, is enough.
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

}  // namespace nest::solver
