#include "evaluation/traffic.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cost/stage_messages.h"
#include "evaluation/plan_check.h"
#include "plan/stage_work.h"
#include "units/at.h"

namespace nest {
namespace {

/// The bytes that one rank sends in a ring reduce-scatter or all-gather of `full` bytes.
double ringShare(double ranks, double full) {
  return (ranks - 1) / ranks * full;
}

}  // namespace

Traffic::Traffic(const Problem& problem, const Plan& plan) : m_cluster(problem.cluster), m_plan(plan) {
  const PlanCheck check = checkPlan(problem, plan);
  if (!check.countable || !check.placeable || check.microbatch < 0) return;
  const std::vector<StageWork> works = stageWorks(problem, plan, check.microbatch);
  for (int i = 0; i < plan.stageCount(); ++i)
    for (const GroupMessages& group : works[at(i)].groups) collectGroup(i, group, check.microbatches);
  collectPairs(pairMessages(problem, plan, works, check.microbatch), check.microbatches);
  countTotals();
}

void Traffic::collectGroup(int stage, const GroupMessages& group, double microbatches) {
  const double n = group.ranks;
  if (n <= 1) return;
  Exchanges x{stage, group.exchange, group.group, 0, 0, 0, 0};
  Exchanges hops = x;
  hops.isOneRing = true;
  for (const Message& m : group.messages) {
    const double bytes = m.bytes.value();
    const double times = m.phase == MessagePhase::StepEnd ? m.times : m.times * microbatches;
    if (!(bytes > 0)) continue;
    switch (m.kind) {
      case CollectiveKind::AllReduce:
        x.ringBytes += 2 * times * ringShare(n, bytes);
        x.ringMessages += 2 * times * (n - 1);
        break;
      case CollectiveKind::AllGather:
      case CollectiveKind::ReduceScatter:
        x.ringBytes += times * ringShare(n, bytes);
        x.ringMessages += times * (n - 1);
        break;
      case CollectiveKind::AllToAll:
        x.pairBytes += times * bytes / n;
        x.pairMessages += times;
        break;
      case CollectiveKind::RingExchange:
        hops.ringBytes += times * (n - 1) * bytes;
        hops.ringMessages += times * (n - 1);
        break;
    }
  }
  for (const Exchanges& all : {x, hops})
    if (all.ringBytes > 0 || all.pairBytes > 0) m_exchanges.push_back(all);
}

void Traffic::collectPairs(const std::vector<PairMessages>& pairs, double microbatches) {
  for (const PairMessages& p : pairs) {
    const bool tied = p.exchange == Exchange::Data;
    const double bytes = p.bytes.value() * (tied ? 1 : microbatches), messages = tied ? 2 : microbatches;
    if (!(bytes > 0)) continue;
    const auto same = std::find_if(m_transfers.begin(), m_transfers.end(), [&](const Transfer& t) {
      return t.from == p.from && t.to == p.to && t.kind == p.exchange;
    });
    if (same == m_transfers.end()) {
      m_transfers.push_back({p.from, p.to, p.exchange, bytes, messages});
    } else {
      same->bytes += bytes;
      same->messages += messages;
    }
  }
}

/// Reports every flow; an all-to-all within a group is reported as a whole.
class Traffic::Painter {
public:
  explicit Painter(const Traffic& t) : m_traffic(t), m_groups(t.m_plan) {}

  /// Proceeds level by level, innermost first: rings over the groups inside, one through every port, each
  /// with its part of what is left.
  template <class OnFlow>
  void paintRings(const Exchanges& x, std::span<const int> ranks, const OnFlow& onFlow) const {
    const std::size_t n = ranks.size();
    const auto flow = [&](std::size_t from, std::size_t to, double bytes, double messages) {
      onFlow(Flow{ranks[from], ranks[to], x.stage, x.kind, Bytes(bytes), messages});
    };
    if (x.isOneRing) {
      for (std::size_t k = 0; k < n; ++k) flow(k, (k + 1) % n, x.ringBytes, x.ringMessages);
      return;
    }
    const double steps = static_cast<double>(n - 1), full = x.ringBytes * static_cast<double>(n) / steps;
    std::vector<std::size_t> inside(n + 1),
        around;  // where the groups' ranks begin; the last entry is their end
    std::iota(inside.begin(), inside.end(), std::size_t{0});
    for (int level = 0; inside.size() > 2 && level < m_traffic.m_cluster->levelCount(); ++level) {
      around.assign(1, 0);
      for (std::size_t g = 0; g + 1 < inside.size();) {
        const int group = m_traffic.m_cluster->groupOf(level, ranks[inside[g]]);
        std::size_t end = g, ports = 0;
        for (; end + 1 < inside.size() && m_traffic.m_cluster->groupOf(level, ranks[inside[end]]) == group;
             ++end)
          ports = std::max(ports, inside[end + 1] - inside[end]);
        const double m = static_cast<double>(end - g);
        for (std::size_t a = g; m > 1 && a < end; ++a) {
          const std::size_t b = a + 1 < end ? a + 1 : g;
          for (std::size_t k = 0; k < ports; ++k)
            flow(inside[a] + k % (inside[a + 1] - inside[a]), inside[b] + k % (inside[b + 1] - inside[b]),
                 full * (m - 1) / m / static_cast<double>(ports), x.ringMessages * (m - 1) / steps);
        }
        around.push_back(inside[end]);
        g = end;
      }
      inside.swap(around);
    }
  }

  template <class OnFlow, class OnAllToAll>
  void paint(const OnFlow& onFlow, const OnAllToAll& onAllToAll) const {
    for (const Exchanges& x : m_traffic.m_exchanges)
      m_groups.visit(x.stage, x.group, [&](std::span<const int> ranks) {
        if (ranks.size() <= 1) return;
        if (x.ringBytes > 0) paintRings(x, ranks, onFlow);
        if (x.pairBytes > 0) onAllToAll(x, ranks);
      });
    for (const Transfer& t : m_traffic.m_transfers) {
      // If one rank is paired with several of the other stage, each gets its part.
      const int a = m_groups.placement().ranks(t.from), b = m_groups.placement().ranks(t.to);
      const Bytes each(t.bytes * a / std::max(a, b));
      m_groups.visitPairs(t.from, t.to, [&](int from, int to) {
        onFlow(Flow{from, to, t.from, t.kind, each, t.messages});
        onFlow(Flow{to, from, t.to, t.kind, each, t.messages});
        return true;
      });
    }
  }

private:
  const Traffic& m_traffic;
  RankGroups m_groups;
};

void Traffic::countTotals() {
  const auto add = [this](Exchange kind, int level, double bytes) {
    m_totals[at(kind)][at(level)] += Bytes(bytes);
  };
  Painter(*this).paint(
      [&](const Flow& f) {
        if (f.source != f.destination)
          add(f.kind, m_cluster->levelBetween(f.source, f.destination), f.bytes.value());
      },
      [&](const Exchanges& x, std::span<const int> ranks) {
        // Pairs within level-l groups, without those within smaller ones.
        double inside = static_cast<double>(ranks.size());
        for (int l = 0; l < m_cluster->levelCount(); ++l) {
          double pairs = 0;
          for (std::size_t from = 0, to = 0; from < ranks.size(); from = to) {
            while (to < ranks.size() &&
                   m_cluster->groupOf(l, ranks[to]) == m_cluster->groupOf(l, ranks[from]))
              ++to;
            pairs += static_cast<double>(to - from) * static_cast<double>(to - from);
          }
          add(x.kind, l, (pairs - inside) * x.pairBytes);
          inside = pairs;
        }
      });
}

Bytes Traffic::total(Exchange kind) const {
  Bytes sum;
  for (const Bytes b : m_totals[at(kind)]) sum += b;
  return sum;
}

Bytes Traffic::total() const {
  Bytes sum;
  for (const auto& levels : m_totals)
    for (const Bytes b : levels) sum += b;
  return sum;
}

void Traffic::visitFlows(const std::function<void(const Flow&)>& visit) const {
  if (m_exchanges.empty() && m_transfers.empty()) return;
  Painter(*this).paint(
      [&](const Flow& f) {
        if (f.source != f.destination) visit(f);
      },
      [&](const Exchanges& x, std::span<const int> ranks) {
        for (const int a : ranks)
          for (const int b : ranks)
            if (a != b) visit({a, b, x.stage, x.kind, Bytes(x.pairBytes), x.pairMessages});
      });
}

namespace {

/// The seconds in which one device sends across a level.
double sendingTime(const NetworkLevel& level, double bytes, double messages) {
  return messages * level.latency.value() + bytes / level.sustained().value();
}

/// Sums flows into the cells of a matrix.
class MatrixSum {
public:
  MatrixSum(const Hierarchy& cluster, const std::vector<int>& starts, int only)
      : m_cluster(cluster), m_only(only) {
    m_out.starts = starts;
    const auto cells = static_cast<std::size_t>(m_out.buckets()) * static_cast<std::size_t>(m_out.buckets());
    m_levels = static_cast<std::size_t>(cluster.levelCount());
    m_byLevel.assign(cells * m_levels, 0);
    m_longest.assign(cells * kExchangeCount, 0);
    m_bucket.resize(cluster.deviceCount());
    for (int b = 0; b < m_out.buckets(); ++b)
      std::fill(m_bucket.begin() + starts[at(b)], m_bucket.begin() + starts[static_cast<std::size_t>(b) + 1],
                b);
  }

  int bucketOf(int position) const { return m_bucket[at(position)]; }

  /// Adds `bytes` from each of `senders` devices around `source` to devices around `destination`.
  void add(int source, int destination, Exchange kind, double senders, double bytes, double messages) {
    const int level = m_cluster.levelBetween(source, destination);
    if (m_only >= 0 && level != m_only) return;
    const std::size_t cell = m_out.cell(bucketOf(source), bucketOf(destination));
    const NetworkLevel& l = m_cluster.level(level);
    m_byLevel[cell * m_levels + static_cast<std::size_t>(level)] += senders * bytes;
    double& longest = m_longest[cell * kExchangeCount + static_cast<std::size_t>(kind)];
    const double time = sendingTime(l, bytes, messages);
    longest = std::max(longest, time);
    Seconds& ofLevel = m_out.longest[kind][static_cast<std::size_t>(level)];
    ofLevel = std::max(ofLevel, Seconds(time));
  }

  TrafficMatrix take() {
    const std::size_t cells = m_byLevel.size() / m_levels;
    m_out.bytes.resize(cells);
    m_out.time.resize(cells);
    m_out.level.assign(cells, -1);
    for (std::size_t c = 0; c < cells; ++c) {
      const double* levels = m_byLevel.data() + c * m_levels;
      double sum = 0;
      for (std::size_t l = 0; l < m_levels; ++l) sum += levels[l];
      if (!(sum > 0)) continue;
      m_out.bytes[c] = Bytes(sum);
      m_out.level[c] = static_cast<std::int8_t>(std::max_element(levels, levels + m_levels) - levels);
      for (std::size_t k = 0; k < kExchangeCount; ++k)
        m_out.time[c] += Seconds(m_longest[c * kExchangeCount + k]);
    }
    return std::move(m_out);
  }

private:
  const Hierarchy& m_cluster;
  int m_only;
  TrafficMatrix m_out;
  std::size_t m_levels = 0;
  std::vector<double> m_byLevel, m_longest;
  std::vector<int> m_bucket;
};

/// The ranks of one group in one bucket and one host.
struct Run {
  int first = 0;
  double count = 0;
};

}  // namespace

TrafficMatrix Traffic::matrix(const std::vector<int>& starts, const ExchangeMask& kinds, int level) const {
  MatrixSum sum(*m_cluster, starts, level);
  if (m_exchanges.empty() && m_transfers.empty()) return sum.take();
  const auto wanted = [&](Exchange k) { return kinds[at(k)]; };
  std::vector<Run> runs;
  Painter(*this).paint(
      [&](const Flow& f) {
        if (wanted(f.kind) && f.source != f.destination)
          sum.add(f.source, f.destination, f.kind, 1, f.bytes.value(), f.messages);
      },
      [&](const Exchanges& x, std::span<const int> ranks) {
        if (!wanted(x.kind)) return;
        // The ranks of one bucket and one host are joined to any other such run at a single level.
        runs.clear();
        for (const int p : ranks) {
          if (runs.empty() || sum.bucketOf(runs.back().first) != sum.bucketOf(p) ||
              m_cluster->groupOf(0, runs.back().first) != m_cluster->groupOf(0, p))
            runs.push_back({p, 0});
          ++runs.back().count;
        }
        for (const Run& a : runs)
          for (const Run& b : runs) {
            const double peers = &a == &b ? a.count - 1 : b.count;
            if (peers > 0)
              sum.add(a.first, b.first, x.kind, a.count, peers * x.pairBytes, peers * x.pairMessages);
          }
      });
  return sum.take();
}

std::vector<Bytes> Traffic::across(int level, const ExchangeMask& kinds) const {
  const int senders = std::max(0, level - 1);
  std::vector<Bytes> out(m_cluster->groupCount(senders));
  visitFlows([&](const Flow& f) {
    if (kinds[at(f.kind)] && m_cluster->levelBetween(f.source, f.destination) == level)
      out[at(m_cluster->groupOf(senders, f.source))] += f.bytes;
  });
  return out;
}

std::vector<std::vector<Seconds>> Traffic::sendingTimes(const ExchangeMask& kinds) const {
  const auto levels = static_cast<std::size_t>(m_cluster->levelCount());
  std::vector<std::vector<Seconds>> out(levels, std::vector<Seconds>(m_cluster->deviceCount()));
  if (m_exchanges.empty() && m_transfers.empty()) return out;
  const auto add = [&](int device, int level, double bytes, double messages) {
    out[at(level)][at(device)] += Seconds(sendingTime(m_cluster->level(level), bytes, messages));
  };
  std::vector<int> inside;  // number of ranks of the group around the current rank, itself included
  Painter(*this).paint(
      [&](const Flow& f) {
        if (kinds[f.kind] && f.source != f.destination)
          add(f.source, m_cluster->levelBetween(f.source, f.destination), f.bytes.value(), f.messages);
      },
      [&](const Exchanges& x, std::span<const int> ranks) {
        if (!kinds[x.kind]) return;
        inside.assign(ranks.size(), 1);
        for (int l = 0; l < m_cluster->levelCount(); ++l)
          for (std::size_t from = 0, to = 0; from < ranks.size(); from = to) {
            while (to < ranks.size() &&
                   m_cluster->groupOf(l, ranks[to]) == m_cluster->groupOf(l, ranks[from]))
              ++to;
            for (std::size_t r = from; r < to; ++r) {
              const int peers = static_cast<int>(to - from) - std::exchange(inside[r], int(to - from));
              if (peers > 0) add(ranks[r], l, peers * x.pairBytes, peers * x.pairMessages);
            }
          }
      });
  return out;
}

namespace {

std::vector<int> bucketsOf(int devices, int size) {
  std::vector<int> starts;
  for (int p = 0; p < devices; p += size) starts.push_back(p);
  starts.push_back(devices);
  return starts;
}

}  // namespace

std::vector<int> evenBuckets(const Hierarchy& h, int most) {
  const int n = h.deviceCount();
  return bucketsOf(n, (n + std::max(1, most) - 1) / std::max(1, most));
}

std::vector<int> bucketsAlongGroups(const Hierarchy& h, int least, int most) {
  const int n = h.deviceCount();
  const int smallest = (n + std::max(1, most) - 1) / std::max(1, most),
            largest = std::max(smallest, n / std::max(1, least));
  std::vector<int> groups;
  for (int l = 0; l < h.levelCount(); ++l)
    if (const int size = h.uniformGroupSize(l); size > 1) groups.push_back(size);
  int best = smallest, suited = -1;
  for (int size = smallest; size <= largest; ++size) {
    const auto suits = static_cast<int>(std::count_if(
        groups.begin(), groups.end(), [size](int g) { return g % size == 0 || size % g == 0; }));
    if (suits > suited) best = size, suited = suits;
  }
  return bucketsOf(n, best);
}

std::vector<int> groupBuckets(const Hierarchy& h, int level) {
  std::vector<int> starts;
  for (int g = 0; g < h.groupCount(level); ++g) starts.push_back(h.groupSpan(level, g).first);
  starts.push_back(h.deviceCount());
  return starts;
}

}  // namespace nest
