// Runs MixedChainSearch and MixedInterleavedSearch on one heap, so that the least bound of both rises
// together.
#include "solver/mixed_search.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "solver/best_first.h"
#include "solver/common.h"

namespace nest::solver {
namespace {
/// Combines two tasks into one, so that a bound proven at any moment is valid for both.
template <class A, class B>
class Together {
public:
  struct Item {
    double bound;
    std::variant<typename A::Item, typename B::Item> of;
    bool operator>(const Item& o) const { return bound != o.bound ? bound > o.bound : of > o.of; }
  };
  Together(A& a, B& b) : m_a(a), m_b(b) {}

  std::vector<Item> items() {
    std::vector<Item> all;
    for (auto& i : m_a.items()) all.push_back({i.bound, std::move(i)});
    for (auto& i : m_b.items()) all.push_back({i.bound, std::move(i)});
    return all;
  }
  double limit() const { return std::max(m_a.limit(), m_b.limit()); }
  bool open(const Item& item) const {
    return std::visit([&](const auto& i) { return taskOf(*this, i).open(i); }, item.of);
  }
  template <class Put>
  bool take(const Item& item, Put put) {
    return std::visit(
        [&](const auto& i) {
          return taskOf(*this, i).take(i, [&](auto part) { put({part.bound, std::move(part)}); });
        },
        item.of);
  }
  void drop(const Item& item) {
    std::visit([&](const auto& i) { taskOf(*this, i).drop(i); }, item.of);
  }
  void report(double bound, double done) { m_a.report(bound, done); }

private:
  template <class T>
  static auto& taskOf(T& self, const typename A::Item&) {
    return self.m_a;
  }
  template <class T>
  static auto& taskOf(T& self, const typename B::Item&) {
    return self.m_b;
  }
  A& m_a;
  B& m_b;
};

}  // namespace

// The bound falls as the number of chunks grows.
double leastTime(const Problem& problem, const LayerOrder& order, const SearchSpace& space,
                 UniformSearch& uniform) {
  double least = kInfinity;
  for (const bool covered : {false, true}) {
    auto choices = space.schedules();
    std::erase_if(choices, [&](const auto& c) { return c.schedule->coversExchanges() != covered; });
    if (choices.empty()) continue;
    for (const int b : space.microbatches()) {
      std::vector<const LeastLayers*> layers;
      for (const int k : space.strategies()) {
        layers.push_back(uniform.leastLayersOf(b, k, covered));
        if (!layers.back()) return 0;
      }
      const LeastWork work(*problem.graph, layers);
      for (const auto& [schedule, v] : choices) {
        int last = 0;
        for (const int d : space.dataDegrees(b, work.narrow())) {
          const auto batches = problem.batchChoices(problem.profile->microbatches()[at(b)], d);
          if (batches.empty()) continue;
          const int units = problem.cluster->deviceCount() / d;
          const bool isOne = batches.size() == 1 && !problem.deviceWeights;
          // More replicas leave fewer units.
          if (isOne && batches.front().microbatches == std::exchange(last, batches.front().microbatches))
            continue;
          // With fewer whole microbatches a sequence takes no less.
          for (std::size_t i = 0; i < std::min<std::size_t>(batches.size(), 2); ++i) {
            const auto& [batch, m, isPadded] = batches[i];
            const auto bound = targetOf(problem.search.objective, *schedule, m, 1, v).bound;
            least = std::min(least, work.time(bound, units, order.layerCount() / v, uniform.bounds()) *
                                        problem.weightOf(d, batch));
          }
        }
      }
    }
  }
  return least;
}

MixedSearch::MixedSearch(const Problem& problem, const LayerOrder& order, GroupShapes& shapes,
                         const SearchSpace& space, UniformSearch& uniform, Incumbents& incumbents,
                         Watch& watch)
    : m_problem(problem),
      m_order(order),
      m_space(space),
      m_uniform(uniform),
      m_watch(watch),
      m_perStage(problem, order, shapes, space, uniform, incumbents, watch),
      m_interleaved(problem, order, shapes, space, uniform, incumbents, watch) {}

bool MixedSearch::run() {
  m_watch.enter(MixedChainSearch::kPhase);
  Together both(m_perStage, m_interleaved);
  auto items = both.items();
  if (m_watch.shouldStop()) {  // the list of items is incomplete
    m_lowerBound = leastTime(m_problem, m_order, m_space, m_uniform);
    return false;
  }
  const bool complete = searchBestFirst(both, std::move(items), m_watch, m_lowerBound);
  m_lowerBound = std::min(m_lowerBound, m_perStage.left());
  return complete && !(m_perStage.left() <= both.limit());
}

void MixedSearch::settleTies() {
  m_perStage.settleTies();
  m_interleaved.settleTies();
}

bool MixedSearch::runMany() {
  return m_interleaved.runMany() && m_perStage.runMany();
}

}  // namespace nest::solver
