#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "solver/common.h"
#include "solver/preference.h"
#include "solver/stage/stage_costs.h"
#include "solver/watch.h"

/// Label setting, the one engine of the solver (STATEMENT.md §6, README.md). It fills states from the last
/// stage to the first. A state contains what the next stage towards the front must know about the pipeline
/// behind it; its value is the Pareto front of labels. A Model defines which stages can stand in front of a
/// state, what they cost, where they lead, and a bound on what is still to come.
///
/// A Model has
///   State, Index                   a state, and a map from State to index (DenseIndex or HashedIndex)
///   mostStages()                   an upper bound on the stages of a pipeline
///   ends(visit)                    visits the states of pipelines with nothing behind
///   stages(behind, state, least, visit(Step))
///                                  visits the stages that can stand there, with `behind` stages behind them
///   fronts(behind, state, step, visit(State, transfers))
///                                  visits the states that a stage leads to, unless it is the first one
///   hopeless(stages, step, label)  whether no pipeline that ends with this label can matter
///   estimate(stages, state, label) a bound on the pipelines that continue from there (only for fillBeam())
///   accept(stages, time)           whether a whole pipeline is kept; may tighten the limit
///   strategiesOf(state)            strategies of the stages that can stand in front of a state
///   between(behind, before, state, cut, step, transfers)
///                                  the one stage with step.strategy that joins two states
///   weights(stages), limit(), microbatchCount(), rank(strategy), endOf(state)
namespace nest::solver {

/// Totals over the stages behind a state.
struct Label {
  /// Largest load and sum of loads; largest y and Σ x where a schedule does not fill by load (stage_costs.h).
  double max = 0, sum = 0;
  double relative = 0;       ///< largest sync + step, less the backward work between here and there
  double step = 0;           ///< largest step
  int node = -1, next = -1;  ///< indices of the state behind and of its label; −1: none
  int policy : 8 = -1;
  int strategy : 24 = 0;  ///< of the stage in front of that state
  int sequence = 0;       ///< identifies the strategies from here on, if several pipelines are requested
};

/// The least of each value over a front.
struct LeastCosts {
  double max = 0, sum = 0, relative = 0, step = 0;
};

/// Sums of the same loads in different orders differ by rounding, which must not make labels differ.
struct Tolerance {
  double load = 0, rest = 0;
  static Tolerance of(double limit, int microbatchCount) {
    const double rest = limit < std::numeric_limits<double>::infinity() ? kEqualLabels * limit : 0;
    return {rest / microbatchCount, rest};
  }
};

inline bool dominates(const Label& a, const Label& b, const Tolerance& t) {
  return a.max <= b.max + t.load && a.sum <= b.sum + t.rest && a.relative <= b.relative + t.rest &&
         a.step <= b.step + t.rest;
}

/// One stage in front of a state.
struct Step {
  StageCosts::Prepared prepared;
  int from = 0;   ///< the cut at which it begins
  int begin = 0;  ///< the unit at which it begins, if stages differ in width
  int strategy = 0;
  bool first = false;        ///< no stage is in front of it
  double backward = 0;       ///< seconds of its backward work, which hide later syncs
  double leastMax = 0;       ///< every pipeline through here has at least this max
  double leastTail = 0;      ///< every pipeline through here exposes at least this tail
  double leastBackward = 0;  ///< backward work of the stages in front: least and most
  double mostBackward = 0;
};

/// The label of a stage in front of `behind` (6.2). Its values are raised to what every continuation reaches
/// anyway, so that fewer labels differ. `sums`: whether the objective counts sums.
inline Label extended(const Label& behind, const Step& step, const StageCosts::Figures& f, bool sums) {
  Label l;
  l.max = std::max({behind.max, f.max, step.leastMax});
  l.sum = sums ? behind.sum + f.sum : 0;
  l.step = std::max({behind.step, f.step, step.leastTail});
  l.relative = std::max(f.sync + f.step, behind.relative - step.backward);
  l.step = std::max(l.step, l.relative - step.mostBackward);
  l.relative = std::max(l.relative, l.step + step.leastBackward);
  return l;
}

/// Maps states to their index; −1 for a new state.
template <class State>
class HashedIndex {
public:
  int& operator[](const State& s) { return m_numbers.try_emplace(s, -1).first->second; }
  void clear() { m_numbers.clear(); }
  void forget(const State&) {}

private:
  std::unordered_map<State, int, typename State::Hash> m_numbers;
};

class DenseIndex {
public:
  template <class State>
  int& operator[](const State& s) {
    const std::size_t k = s.number();
    if (k >= m_numbers.size()) m_numbers.resize(k + 1, -1);
    return m_numbers[k];
  }
  void clear() {}
  template <class State>
  void forget(const State& s) {
    m_numbers[s.number()] = -1;
  }

private:
  std::vector<int> m_numbers;
};

template <class Model>
class LabelSetting {
public:
  using State = typename Model::State;
  struct Node {
    State state;
    std::vector<Label> labels;
  };
  /// The states with a given number of stages behind.
  class Layer {
  public:
    int size() const { return m_size; }
    Node& node(int n) { return m_nodes[n]; }
    const Node& node(int n) const { return m_nodes[n]; }
    Node& at(const State& s) {
      int& number = m_index[s];
      if (number < 0) {
        number = m_size++;
        if (m_size > static_cast<int>(m_nodes.size())) m_nodes.emplace_back();
        node(number).state = s;
      }
      return node(number);
    }
    void clear() {
      for (int n = 0; n < m_size; ++n) {
        m_index.forget(node(n).state);
        node(n).labels.clear();
      }
      m_index.clear();
      m_size = 0;
    }

  private:
    std::vector<Node> m_nodes;  ///< those beyond m_size are kept to reuse their memory
    typename Model::Index m_index;
    int m_size = 0;
  };
  /// Memory of a fill. The next fill can reuse it and avoid allocations.
  using Storage = std::vector<Layer>;
  /// A whole pipeline.
  struct Finished {
    Label label;
    int stages = 0;
    double time = std::numeric_limits<double>::infinity();
  };
  /// The stages of a pipeline, from the first on.
  struct Stage {
    const State* state;
    int policy, strategy;
  };
  /// The first stages of a pipeline that may still be among the fastest.
  struct Path {
    int node = -1;
    double max = 0, sum = 0, tail = 0, covered = 0, memory = 0;
    int recompute = 0;
    std::vector<int> cuts = {0}, policies, strategies;
  };

  LabelSetting(Model& model, Watch& watch) : m_model(model), m_watch(watch), m_layers(m_own) {}
  LabelSetting(Model& model, Watch& watch, Storage& storage)
      : m_model(model), m_watch(watch), m_layers(storage) {}
  ~LabelSetting() {
    if (!m_own.empty()) m_watch.leave(std::move(m_own));
  }

  /// Fills all fronts. `many` > 1 requests that many pipelines with different strategies. Returns false if
  /// the fill was stopped, by the watch or because more than `mostStates` states were expanded or
  /// `mostLabels` labels stored. For one pipeline, a state counts as three labels.
  bool fill(int many = 1, long long mostStates = std::numeric_limits<long long>::max(),
            long long mostLabels = std::numeric_limits<long long>::max()) {
    m_many = many;
    m_labelCount = 0;
    long long nodes = 0;  // in complete layers
    m_best = {};
    m_finished.clear();
    for (Layer& layer : m_layers) layer.clear();
    m_used = 1;
    if (m_layers.size() <= static_cast<std::size_t>(m_model.mostStages()))
      m_layers.resize(static_cast<std::size_t>(m_model.mostStages()) + 1);
    m_model.ends([&](const State& s) { m_layers[0].at(s).labels.emplace_back(); });
    for (int behind = 0; behind < m_model.mostStages() && layer(behind).size() > 0; ++behind) {
      m_used = behind + 2;
      if constexpr (requires { &Model::estimate; })
        if (m_beam > 0) narrow(behind);
      for (int n = 0; n < layer(behind).size(); ++n) {
        if (layer(behind).node(n).labels.empty()) continue;
        const long long kept = m_labelCount + (many > 1 ? 0 : 3 * (nodes + layer(behind + 1).size()));
        if (m_watch.shouldStop() || m_watch.states() > mostStates || kept > mostLabels) return false;
        expand(behind, n);
      }
      nodes += layer(behind + 1).size();
    }
    return true;
  }

  /// Fills with a beam: each layer keeps only the `width` labels with the least estimates. This is quick. A
  /// pipeline that it finds is valid, but it may miss the best one.
  void fillBeam(std::size_t width) {
    m_beam = width;
    fill();
    m_beam = 0;
  }

  /// The fastest pipeline; `stages` is 0 if none is within the limit.
  const Finished& best() const { return m_best; }
  /// The fastest pipeline of each sequence of strategies, if several are requested.
  const std::map<int, Finished>& finished() const { return m_finished; }

  std::vector<Stage> follow(const Finished& f) const {
    std::vector<Stage> stages;
    const Label* l = &f.label;
    for (int behind = f.stages - 1; behind >= 0; --behind) {
      const Node& node = layer(behind).node(l->node);
      stages.push_back({&node.state, l->policy, l->strategy});
      l = &node.labels[l->next];
    }
    return stages;
  }

  /// Called after fill(): among the pipelines with exactly `stages` stages within `limit`, returns the one
  /// with the least recompute, then the left-most cuts, then the smallest strategies from the first stage on.
  /// The path has no policies if there is no such pipeline, or if there are too many to compare.
  Path preferred(int stages, double limit) {
    std::vector<Path> paths;
    if (!this->paths(stages, limit, paths) || paths.empty()) return {};
    return *std::min_element(paths.begin(), paths.end(),
                             [&](const Path& a, const Path& b) { return compare(a, b) < 0; });
  }

  /// The paths that preferred() chooses from. Returns false if there are too many.
  bool paths(int stages, double limit, std::vector<Path>& all) {
    return grow(stages, limit, false, kMostPaths, all);
  }
  /// Negative if `a` is preferred; both are equally fast.
  int compare(const Path& a, const Path& b) const {
    const auto order = Preference(a.recompute, a.cuts) <=> Preference(b.recompute, b.cuts);
    if (order != 0) return order < 0 ? -1 : 1;
    for (std::size_t i = 0; i < a.strategies.size(); ++i)
      if (const int d = m_model.rank(a.strategies[i]) - m_model.rank(b.strategies[i]); d != 0) return d;
    return 0;
  }

  /// Lists every sequence of strategies within `limit`, with its nondominated paths. Returns false if there
  /// are more than `most`, or if the watch stopped it.
  bool all(int stages, double limit, std::size_t most, std::vector<Path>& paths) {
    return grow(stages, limit, true, most, paths);
  }

  int layerCount() const { return m_used; }
  Layer& layer(int behind) { return m_layers[behind]; }
  const Layer& layer(int behind) const { return m_layers[behind]; }

private:
  static constexpr std::size_t kMostPaths = 20000;

  void narrow(int behind) {
    struct Entry {
      double estimate;
      Label label;
      int node;
    };
    std::vector<Entry> all;
    for (int n = 0; n < layer(behind).size(); ++n) {
      Node& node = layer(behind).node(n);
      for (const Label& l : node.labels) all.push_back({m_model.estimate(behind, node.state, l), l, n});
    }
    if (all.size() <= m_beam) return;
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(m_beam);
    std::nth_element(all.begin(), end, all.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.estimate, a.node) < std::tie(b.estimate, b.node);
    });
    for (int n = 0; n < layer(behind).size(); ++n) layer(behind).node(n).labels.clear();
    for (auto e = all.begin(); e != end; ++e) layer(behind).node(e->node).labels.push_back(e->label);
  }

  void expand(int behind, int n) {
    const Node& node = layer(behind).node(n);
    Layer& next = layer(behind + 1);
    LeastCosts least{node.labels[0].max, node.labels[0].sum, node.labels[0].relative, node.labels[0].step};
    for (const Label& l : node.labels) {
      least.max = std::min(least.max, l.max);
      least.sum = std::min(least.sum, l.sum);
      least.relative = std::min(least.relative, l.relative);
      least.step = std::min(least.step, l.step);
    }
    const bool sums = m_model.weights(behind + 1).sum > 0;
    m_model.stages(behind, node.state, least, [&](const Step& step) {
      const Tolerance tolerance = Tolerance::of(m_model.limit(), m_model.microbatchCount());
      m_model.fronts(behind, node.state, step, [&](const State& front, const Transfers& transfers) {
        Node* const inFront = step.first ? nullptr : &next.at(front);
        if (step.prepared.byLoad())
          return join(behind, n, node, step, step.prepared.with(transfers), sums, tolerance, inFront);
        for (int c = 0; c < step.prepared.count; ++c)
          join(behind, n, node, step, step.prepared.under(step.prepared.choices[c], transfers), sums,
               tolerance, inFront);
      });
    });
  }

  void join(int behind, int n, const Node& node, const Step& step, const StageCosts::Figures& f, bool sums,
            const Tolerance& tolerance, Node* front) {
    if (m_watch.shouldStop()) return;
    for (std::size_t k = 0; k < node.labels.size(); ++k) {
      if (m_watch.shouldStopAfter(100 + (front ? front->labels.size() : 0))) return;
      const Label& tail = node.labels[k];
      Label l = extended(tail, step, f, sums);
      if (m_model.hopeless(behind + 1, step, l)) continue;
      l.node = n, l.next = static_cast<int>(k), l.policy = f.policy, l.strategy = step.strategy;
      if (m_many > 1)
        l.sequence =
            m_sequences.try_emplace({step.strategy, tail.sequence}, static_cast<int>(m_sequences.size()) + 1)
                .first->second;
      if (front)
        insert(front->labels, l, tolerance);
      else
        finish(behind + 1, l);
    }
  }

  void finish(int stages, const Label& l) {
    const Finished f{l, stages, m_model.weights(stages).time(l.sum, l.max, std::max(l.relative, l.step))};
    if (!m_model.accept(stages, f.time)) return;
    if (m_many > 1) {
      const auto [it, isNew] = m_finished.try_emplace(l.sequence, f);
      if (!isNew && f.time < it->second.time) it->second = f;
    } else {
      m_best = f;
    }
  }

  void insert(std::vector<Label>& front, const Label& label, const Tolerance& t) {
    if (m_many > 1) {
      if (coveredByMany(front, label, t)) return;
    } else {
      for (std::size_t k = 0; k < front.size(); ++k)
        if (dominates(front[k], label, t)) {
          // A label that dominates one label soon dominates others.
          if (k > 0) std::swap(front[k], front[k / 2]);
          return;
        }
    }
    const auto erased = std::erase_if(
        front, [&](const Label& f) { return f.sequence == label.sequence && dominates(label, f, t); });
    m_labelCount += 1 - static_cast<long long>(erased);
    front.push_back(label);
  }

  // Whatever can stand in front of `label` can stand in front of each label that dominates it. So if `m_many`
  // sequences dominate it, there are as many pipelines that are at least as fast.
  bool coveredByMany(const std::vector<Label>& front, const Label& label, const Tolerance& t) {
    m_covering.clear();
    for (const Label& f : front) {
      if (!dominates(f, label, t)) continue;
      if (f.sequence == label.sequence) return true;
      if (std::find(m_covering.begin(), m_covering.end(), f.sequence) == m_covering.end())
        m_covering.push_back(f.sequence);
      if (static_cast<int>(m_covering.size()) >= m_many) return true;
    }
    return false;
  }

  /// Whether some label of the front behind completes the path within the limit. If so, raises the path's
  /// largest load and tail to what every such completion reaches anyway, which does not change the order of
  /// paths.
  bool canFinish(const ObjectiveWeights& weights, double limit, Path& p, const Node* behind) const {
    double max = kInfinity, tail = kInfinity;
    const auto consider = [&](double bMax, double bSum, double later) {
      if (weights.time(p.sum + bSum, std::max(p.max, bMax), std::max(p.tail, later)) > limit) return;
      max = std::min(max, bMax);
      tail = std::min(tail, later);
    };
    if (!behind)
      consider(0, 0, 0);
    else
      for (const Label& b : behind->labels) consider(b.max, b.sum, std::max(b.relative - p.covered, b.step));
    if (max == kInfinity) return false;
    p.max = std::max(p.max, max);
    p.tail = std::max(p.tail, tail);
    return true;
  }

  /// Lists all paths to the end. Of two paths that no later stage can distinguish (and that have the same
  /// sequence of strategies, if `each`) only the preferred one is kept.
  bool grow(int stages, double time, bool each, std::size_t most, std::vector<Path>& paths) {
    paths.assign(1, {});
    if (m_used < stages) return paths.clear(), true;
    const ObjectiveWeights weights = m_model.weights(stages);
    // Sums are added in a different order than in the labels, so the limit allows a few more roundings.
    const double limit = time * kRoundUp * (1 + kRoundingOfSums / 10);
    const Tolerance t = Tolerance::of(time, m_model.microbatchCount());
    for (int behind = stages - 1; behind >= 0; --behind) {
      const Layer& nodes = layer(behind);
      std::vector<std::vector<Path>> kept(nodes.size());
      std::size_t count = 0;
      for (const Path& path : paths)
        for (int n = 0; n < nodes.size(); ++n) {
          const Node& node = nodes.node(n);
          if (node.labels.empty()) continue;
          if (m_watch.shouldStop() || count > most) return false;
          const State* before = path.node < 0 ? nullptr : &layer(behind + 1).node(path.node).state;
          for (const int strategy : m_model.strategiesOf(node.state)) {
            Step step;
            step.strategy = strategy;
            Transfers transfers;
            if (!m_model.between(behind, before, node.state, path.cuts.back(), step, transfers)) continue;
            for (int c = 0; c < step.prepared.count; ++c) {
              const auto f = step.prepared.under(step.prepared.choices[c], transfers);
              Path p = path;
              p.max = std::max(p.max, f.max);
              p.sum = weights.sum > 0 ? p.sum + f.sum : 0;
              p.tail = std::max(p.tail, std::max(0.0, f.sync - p.covered) + f.step);
              p.covered += step.backward;
              if (!canFinish(weights, limit, p, behind == 0 ? nullptr : &node)) continue;
              p.node = n;
              p.memory = std::max(p.memory, f.memory);
              p.recompute += f.policy;
              p.cuts.push_back(m_model.endOf(node.state));
              p.policies.push_back(f.policy);
              p.strategies.push_back(strategy);
              auto& same = kept[n];
              const auto covers = [&](const Path& a, const Path& b) {
                return (!each || a.strategies == b.strategies) && a.max <= b.max + t.load &&
                       a.sum <= b.sum + t.rest && a.tail <= b.tail + t.rest &&
                       a.covered >= b.covered - t.rest && compare(a, b) <= 0;
              };
              if (std::any_of(same.begin(), same.end(), [&](const Path& o) { return covers(o, p); }))
                continue;
              count -= std::erase_if(same, [&](const Path& o) { return covers(p, o); });
              same.push_back(std::move(p));
              ++count;
            }
          }
        }
      paths.clear();
      for (auto& same : kept)
        for (Path& p : same) paths.push_back(std::move(p));
    }
    return true;
  }

  Model& m_model;
  Watch& m_watch;
  Storage m_own;
  Storage& m_layers;  ///< by stages behind
  int m_used = 0;     ///< number of layers in use
  Finished m_best;
  std::map<int, Finished> m_finished;
  std::map<std::pair<int, int>, int> m_sequences;  ///< (strategy, sequence behind) → sequence
  std::vector<int> m_covering;                     ///< sequences, while coveredByMany() counts them
  int m_many = 1;
  std::size_t m_beam = 0;
  long long m_labelCount = 0;
};

}  // namespace nest::solver
