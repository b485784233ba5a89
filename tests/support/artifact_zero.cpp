#include "support/artifact_zero.h"

#include <algorithm>
#include <cmath>

namespace nest::artifact {
namespace {

struct Sizes {
  double parameters = 0, activation = 0, stash = 0;
};

Sizes sizesOf(const Instance& in, const Width& w, int first, int last) {
  Sizes s;
  for (int v = first; v <= last; ++v) {
    s.parameters += w.nodes[v].parameters;
    s.activation += w.nodes[v].activation;
  }
  s.stash = in.recompute ? 0 : s.activation;
  if (in.recompute)
    for (const Edge& e : w.edges)
      if (first <= e.to && e.to <= last && (e.from < first || e.from > last)) s.stash += e.bytes;
  return s;
}

int parallelStages(const Instance& in) {
  return std::min(in.devices, in.nodeCount());
}

}  // namespace

long long mostStages(const Instance& in, const Width& w, int first, int last, const Shards& shards) {
  const Sizes s = sizesOf(in, w, first, last);
  const double optimizer = in.adam ? 6 * s.parameters : 0, z = shards.degree;
  double fixed = 2 * s.parameters + optimizer + s.activation;
  if (shards.type == 2) fixed = s.parameters + s.parameters / z + optimizer / z + s.activation;
  if (shards.type == 3) fixed = 2 * s.parameters / z + optimizer / z + s.activation;
  if (fixed + (in.devices - 1) * s.stash <= in.memory) return in.devices;
  if (fixed > in.memory) return 0;
  return 1 + static_cast<long long>(std::floor((in.memory - fixed) / s.stash));
}

std::optional<Shards> shardsOf(const Instance& in, const Width& w, int first, int last) {
  if (mostStages(in, w, first, last, {}) > 0) return Shards{};
  for (int z = 2; in.devicesOf(w) * z <= in.devices; z *= 2)
    for (const int type : {2, 3})
      if (mostStages(in, w, first, last, {z, type}) >= parallelStages(in)) return Shards{z, type};
  return std::nullopt;
}

double shardingTime(const Instance& in, const Width& w, int first, int last, const Shards& shards) {
  if (shards.type == 0) return 0;
  const int z = shards.degree, outer = levelBetween(in, 0, static_cast<long long>(z - 1) * in.devicesOf(w));
  double slowest = in.bandwidth[0];
  for (int l = 1; l <= outer; ++l) slowest = std::min(slowest, in.bandwidth[l]);
  const double shard = std::floor(sizesOf(in, w, first, last).parameters / z);
  const double cycles = std::floor((z - 1) * (1640 + shard / (25.49 * slowest / in.bandwidth[0])));
  return (shards.type == 3 ? 2 : 1) * cycles / 1.05e6;
}

double shardedBatchTime(const Instance& in, const Width& w, int d, const std::vector<int>& starts,
                        const std::vector<Shards>& shards) {
  const int s = static_cast<int>(starts.size()) - 1;
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  std::vector<long long> begin(at(s));
  long long used = 0;
  for (int i = s - 1; i >= 0; --i) {
    begin[at(i)] = used;
    used += static_cast<long long>(in.devicesOf(w)) * shards[at(i)].degree;
  }
  double slowest = 0;
  for (int i = 0; i < s; ++i) {
    const int in_ = i > 0 ? levelBetween(in, begin[at(i)], begin[at(i - 1)]) : 0;
    const int out = i + 1 < s ? levelBetween(in, begin[at(i)], begin[at(i + 1)]) : 0;
    const int first = starts[at(i)], last = starts[at(i + 1)] - 1;
    slowest = std::max(slowest, stageLoad(in, w, first, last, s - i, in_, out) +
                                    shardingTime(in, w, first, last, shards[at(i)]));
  }
  double parameters = sizesOf(in, w, 0, starts[1] - 1).parameters;
  if (shards.front().type == 3) parameters /= shards.front().degree;
  return slowest * ((in.microbatches + d - 1) / d + s - 1) + allReduce(in, d, used, parameters);
}

namespace {

/// All cuts of one width, the last stage first.
class Enumeration {
public:
  Enumeration(const Instance& in, const Width& w, std::optional<ShardedPlan>& best)
      : m_in(in), m_w(w), m_best(best) {}

  void run() { extend(m_in.nodeCount(), 0); }

private:
  void extend(int end, int devices) {
    if (end == 0) return judge(devices);
    for (int first = 0; first < end; ++first) {
      const auto shards = shardsOf(m_in, m_w, first, end - 1);
      const int fromEnd = static_cast<int>(m_stages.size()) + 1;
      if (!shards ||
          fromEnd > std::min<long long>(mostStages(m_in, m_w, first, end - 1, *shards), parallelStages(m_in)))
        continue;
      const int width = m_in.devicesOf(m_w) * shards->degree;
      if (devices + width > m_in.devices) continue;
      m_stages.push_back({first, *shards});
      extend(first, devices + width);
      m_stages.pop_back();
    }
  }
  void judge(int devices) {
    std::vector<int> starts;
    std::vector<Shards> shards;
    for (auto it = m_stages.rbegin(); it != m_stages.rend(); ++it) {
      starts.push_back(it->first);
      shards.push_back(it->second);
    }
    starts.push_back(m_in.nodeCount());
    for (int d = 1; d <= std::min(m_in.devices / devices, m_in.microbatches); ++d) {
      const double time = shardedBatchTime(m_in, m_w, d, starts, shards);
      if (!m_best || time < m_best->time) m_best = ShardedPlan{time, m_w.tensor, d, starts};
    }
  }

  const Instance& m_in;
  const Width& m_w;
  std::optional<ShardedPlan>& m_best;
  std::vector<std::pair<int, Shards>> m_stages;
};

}  // namespace

std::optional<ShardedPlan> bestShardedPlan(const Instance& in) {
  std::optional<ShardedPlan> best;
  for (const Width& w : in.widths) Enumeration(in, w, best).run();
  return best;
}

}  // namespace nest::artifact
