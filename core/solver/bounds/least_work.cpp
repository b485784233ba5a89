// Takes the largest of the bounds over kSteps values of θ (least_work.h).
#include "solver/bounds/least_work.h"

#include <algorithm>
#include <limits>

#include "solver/common.h"

namespace nest::solver {
namespace {
constexpr int kSteps = 9;
}  // namespace

LeastWork::LeastWork(const LayerGraph& graph, const std::vector<const LeastLayers*>& strategies)
    : m_narrow(std::numeric_limits<int>::max()) {
  for (const LeastLayers* s : strategies) m_narrow = std::min(m_narrow, s->width);
  std::vector<int> count(at(graph.classCount), 0);
  for (const Layer& layer : graph.layers) ++count[at(layer.classId)];
  for (int k = 0; k < graph.classCount; ++k) {
    if (count[at(k)] == 0) continue;
    Class& added = m_classes.emplace_back();
    added.layers = count[at(k)];
    std::vector<Choice> all;
    for (const LeastLayers* s : strategies)
      if (const double load = s->ofClass[at(k)].fastest; load < kInfinity)
        all.push_back({s->width, load, load * s->width});
    std::stable_sort(all.begin(), all.end(), [](const Choice& a, const Choice& b) {
      return std::pair(a.width, a.load) < std::pair(b.width, b.load);
    });
    for (const Choice& choice : all)
      if (std::none_of(added.choices.begin(), added.choices.end(), [&](const Choice& o) {
            return o.load <= choice.load && o.unitLoad <= choice.unitLoad;
          }))
        added.choices.push_back(choice);
  }
}

double LeastWork::time(const ObjectiveWeights& weights, int units, int stages, BoundLedger& ledger) const {
  if (units < m_narrow || stages < 1) return kInfinity;
  if (!ledger.uses(SearchBound::LayerWork)) return 0;
  ledger.countCalls(SearchBound::LayerWork, 1);
  double bound = 0;
  for (int k = 0; k < kSteps; ++k) {
    const double theta = weights.max * k / (kSteps - 1);
    const double perLoad = weights.sum + (weights.max - theta) / stages, perUnit = theta / units;
    double all = 0;
    for (const Class& c : m_classes) {
      double least = kInfinity;
      for (const Choice& choice : c.choices) {
        if (choice.width > units) break;
        least = std::min(least, choice.load * perLoad + choice.unitLoad * perUnit);
      }
      all += c.layers * least;
    }
    bound = std::max(bound, all);
  }
  return bound * kRoundDown;
}

}  // namespace nest::solver
