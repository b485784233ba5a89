#include "support/artifact_search.h"

#include <algorithm>
#include <limits>
#include <map>

namespace nest::artifact {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Loads of all intervals under one width, by the levels of their boundaries, filled on demand.
class Loads {
public:
  Loads(const Instance& in, const Width& w) : m_in(in), m_w(w), m_n(in.nodeCount()) {}

  double operator()(int first, int last, int fromEnd, int levelIn, int levelOut) {
    const bool lastStage = fromEnd == 1;
    const int levels = static_cast<int>(m_in.groupSizes.size());
    auto& table = m_tables[(levelIn * levels + levelOut) * 2 + (lastStage ? 1 : 0)];
    if (table.empty()) table.assign(static_cast<std::size_t>(m_n) * static_cast<std::size_t>(m_n), -1);
    double& v = table[static_cast<std::size_t>(first) * static_cast<std::size_t>(m_n) +
                      static_cast<std::size_t>(last)];
    if (v < 0) v = stageLoad(m_in, m_w, first, last, fromEnd, levelIn, levelOut);
    return v;
  }

private:
  const Instance& m_in;
  const Width& m_w;
  int m_n;
  std::map<int, std::vector<double>> m_tables;
};

class WidthSearch {
public:
  WidthSearch(const Instance& in, const Width& w, std::optional<Optimum>& best)
      : m_in(in), m_w(w), m_best(best), m_loads(in, w), m_n(in.nodeCount()), m_a(in.devicesOf(w)) {}

  void run() {
    const int most = std::min({m_n, m_in.devices / m_a, m_in.devices});
    if (most < 1) return;
    m_rest.assign(static_cast<std::size_t>(most) + 1,
                  std::vector<double>(static_cast<std::size_t>(m_n) + 1, kInfinity));
    m_cut.assign(m_rest.size(), std::vector<int>(static_cast<std::size_t>(m_n) + 1, m_n));
    m_rest[0][m_n] = 0;
    for (int p = 1; p <= most; ++p) {
      finish(p);
      for (int x = 0; x < m_n; ++x) place(p, x);
    }
  }

private:
  int boundary(int p) const {
    return p < 1 ? 0
                 : levelBetween(m_in, static_cast<long long>(p - 1) * m_a, static_cast<long long>(p) * m_a);
  }
  double load(int p, int first, int last) {
    if (!stageFits(m_in, m_w, first, last, p)) return kInfinity;
    return m_loads(first, last, p, boundary(p), p == 1 ? 0 : boundary(p - 1));
  }

  /// Stage p from the end begins at x; the rest after it has p − 1 stages.
  void place(int p, int x) {
    double& best = m_rest[p][x];
    for (int next = x + 1; next <= m_n; ++next) {
      const double after = m_rest[p - 1][next];
      if (!(after < best)) continue;
      const double value = std::max(after, load(p, x, next - 1));
      if (value < best) {
        best = value;
        m_cut[p][x] = next;
      }
    }
  }

  /// All plans of exactly p stages: every first stage, every d.
  void finish(int p) {
    double parameters = 0;
    for (int next = 1; next <= m_n; ++next) {
      parameters += m_w.nodes[next - 1].parameters;
      const double after = m_rest[p - 1][next];
      if (!(after < kInfinity)) continue;
      const double slowest = std::max(after, load(p, 0, next - 1));
      if (!(slowest < kInfinity)) continue;
      const int mostD = std::min(m_in.devices / (p * m_a), m_in.microbatches);
      for (int d = mostD; d >= 1; --d) {
        const double pipeline = slowest * ((m_in.microbatches + d - 1) / d + p - 1);
        if (m_best && pipeline >= m_best->time) break;  // a smaller d only makes the pipeline longer
        const double time = pipeline + allReduce(m_in, d, static_cast<long long>(p) * m_a, parameters);
        if (!m_best || time < m_best->time) keep(p, next, d, time);
      }
    }
  }

  void keep(int p, int next, int d, double time) {
    Optimum o{time, m_w.tensor, d, {0}};
    for (int q = p - 1, x = next;; x = m_cut[q][x], --q) {
      o.starts.push_back(x);
      if (q == 0) break;
    }
    m_best = std::move(o);
  }

  const Instance& m_in;
  const Width& m_w;
  std::optional<Optimum>& m_best;
  Loads m_loads;
  int m_n, m_a;
  std::vector<std::vector<double>> m_rest;
  std::vector<std::vector<int>> m_cut;
};

}  // namespace

std::optional<Optimum> exactOptimum(const Instance& in) {
  std::optional<Optimum> best;
  for (const Width& w : in.widths) WidthSearch(in, w, best).run();
  return best;
}

}  // namespace nest::artifact
