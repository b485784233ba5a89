// T ≥ Σ_x min_σ load_σ(x)·(w_sum + φ/S + θ·a_σ/U) for θ + φ = w_max, the largest over kSteps values of θ.
// Cost: kSteps × layer classes × strategies, in straight loops.
#include "solver/bounds/least_work.h"

#include <algorithm>
#include <limits>
#include <map>

#include "solver/common.h"

namespace nest::planner {
namespace {
constexpr int kSteps = 9;
}  // namespace

LeastWork::LeastWork(const LayerOrder& order, const LayerGraph& graph, const std::vector<LayerSums*>& sums)
    : m_narrow(std::numeric_limits<int>::max()) {
  std::map<int, std::size_t> numbers;
  for (const LayerSums* s : sums) m_narrow = std::min(m_narrow, s->strategy().width());
  for (int c = 1; c < order.cutCount(); ++c) {
    const int x = order.added(c);
    if (!numbers.try_emplace(graph.layers[at(x)].classId, m_classes.size()).second) continue;
    Class& added = m_classes.emplace_back();
    std::vector<Choice> all;
    for (const LayerSums* s : sums) {
      if (!s->usable(x)) continue;
      const double load = s->leastAny[at(c)] - s->leastAny[at(order.parent(c))];
      all.push_back({s->strategy().width(), load, load * s->strategy().width()});
    }
    std::stable_sort(all.begin(), all.end(), [](const Choice& a, const Choice& b) {
      return std::pair(a.width, a.load) < std::pair(b.width, b.load);
    });
    for (const Choice& choice : all)
      if (std::none_of(added.choices.begin(), added.choices.end(), [&](const Choice& o) {
            return o.load <= choice.load && o.unitLoad <= choice.unitLoad;
          }))
        added.choices.push_back(choice);
  }
  for (const Layer& layer : graph.layers) ++m_classes[numbers.at(layer.classId)].layers;
}

double LeastWork::time(const ObjectiveWeights& weights, int units, int stages) const {
  if (units < m_narrow || stages < 1) return kNever;
  double bound = 0;
  for (int k = 0; k < kSteps; ++k) {
    const double theta = weights.max * k / (kSteps - 1);
    const double perLoad = weights.sum + (weights.max - theta) / stages, perUnit = theta / units;
    double all = 0;
    for (const Class& c : m_classes) {
      double least = kNever;
      for (const Choice& choice : c.choices) {
        if (choice.width > units) break;
        least = std::min(least, choice.load * perLoad + choice.unitLoad * perUnit);
      }
      all += c.layers * least;
    }
    bound = std::max(bound, all);
  }
  return bound * (1 - 1e-12);
}

}  // namespace nest::planner
