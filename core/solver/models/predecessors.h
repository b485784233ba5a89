#pragma once

#include <vector>

#include "solver/space/layer_order.h"

namespace nest::solver {

/// The cuts from which a stage that ends at a given cut may begin. This is the only difference between chains
/// and DAGs.
class Predecessors {
public:
  explicit Predecessors(const LayerOrder& order) : m_order(order) {}

  /// Visits smaller cuts, larger ones before the subsets of them, for as long as `light` returns true, which
  /// means that there are not too many layers in between. If `light` is false for a cut, it must be false for
  /// its subsets. On a chain, `visit` ends the walk by returning false.
  template <class Light, class Visit>
  void visit(int cut, Light light, Visit visit) {
    if (m_order.isChain()) {
      for (int from = cut - 1; from >= 0 && light(from); --from)
        if (!visit(from)) break;
      return;
    }
    prepare();
    ++m_now;
    m_reached.assign(1, cut);
    for (std::size_t k = 0; k < m_reached.size(); ++k)
      for (const int from : m_previous[m_reached[k]]) {
        if (m_seen[from] == m_now || !light(from)) continue;
        m_seen[from] = m_now;
        m_reached.push_back(from);
      }
    for (std::size_t k = 1; k < m_reached.size(); ++k) visit(m_reached[k]);
  }

private:
  void prepare() {
    if (!m_previous.empty()) return;
    const auto cuts = static_cast<std::size_t>(m_order.cutCount());
    m_previous.resize(cuts);
    m_seen.assign(cuts, 0);
    for (int c = 0; c < m_order.cutCount(); ++c)
      for (const int next : m_order.next(c)) m_previous[next].push_back(c);
  }

  const LayerOrder& m_order;
  std::vector<std::vector<int>> m_previous;  ///< cuts with one layer less
  std::vector<int> m_seen, m_reached;
  int m_now = 0;
};

}  // namespace nest::solver
