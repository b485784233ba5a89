#pragma once

#include <optional>
#include <vector>

#include "solver/bounds/windows.h"
#include "solver/stage/stage_costs.h"
#include "solver/watch.h"

namespace nest::planner {

/// A pipeline's cuts and policies, and its time as the sums give it.
struct PipelineCut {
  double time = 0;
  std::vector<int> cuts;      ///< s + 1 cuts, from the empty to the whole one
  std::vector<int> policies;  ///< per stage
};

/// The best pipeline of one configuration, exact over all cuts and policies; only if its time is at most
/// `limit`. `ties`: among all pipelines within 1e-12 of the best, the one with the least recompute, then the
/// left-most cuts.
class PipelineDp {
public:
  /// Known of every plan within the limit; needs not be sharp.
  struct Floor {
    double max = 0, tail = 0;
  };

  PipelineDp(const StageCosts&, const Reach&, const CutRules&, ObjectiveWeights, Watch&);
  std::optional<PipelineCut> solve(double limit, const Floor& floor, bool ties = false);

private:
  struct Label {
    double max = 0, sum = 0;
    double relative = 0;  ///< largest sync + step, less the backward work still to come before it; absolute
                          ///< if all speeds agree
    double step = 0;      ///< largest step
    int recompute = 0;    ///< sum of policy indices; counts only for ties
    int to = 0, next = -1;
    int policy = 0;
  };
  struct Range {
    int begin = 0, end = 0;
    Label least;  ///< each figure's least over the front
  };

  void fill(int stage, int from);
  void combine(int stage, int from, int to, const StageCosts::Figures&);
  bool lookBack(int stage, int from);  ///< false: no stages in front can hold these layers
  bool hopeless(const Label&) const;
  bool worthTrying(int stage, int from, int to) const;
  bool dominates(const Label& a, const Label& b) const;
  void insert(const Label&);
  void endsOf(int stage, int from);
  double timeOf(const Label&) const;
  PipelineCut follow(const Label&) const;
  PipelineCut leftMost(double limit, int recompute);
  bool canFinish(const Label& front, int stage, int cut, double limit, int recompute) const;
  Range& labelsAt(int stage, int cut) {
    return m_ranges[static_cast<std::size_t>(stage) * m_cutCount + static_cast<std::size_t>(cut)];
  }
  const Range& labelsAt(int stage, int cut) const {
    return m_ranges[static_cast<std::size_t>(stage) * m_cutCount + static_cast<std::size_t>(cut)];
  }

  const StageCosts& m_costs;
  const Reach& m_reach;
  const CutRules& m_rules;
  const LayerOrder& m_order;
  const LayerSums& m_sums;
  ObjectiveWeights m_weights;
  Watch& m_watch;
  std::size_t m_cutCount;
  int m_stages;
  bool m_equalSpeeds, m_ties = false;
  double m_limit = 0, m_little = 0, m_less = 0, m_slowestSpeed = 1;
  Floor m_floor;
  double m_leastMax = 0;  ///< of any plan through the state being filled
  double m_before = 0, m_evenBefore = 0,
         m_coveredBefore = 0;  ///< least work of the stages before the one being filled
  std::vector<Range> m_ranges;
  std::vector<Label> m_labels, m_front;
  std::vector<int> m_ends;
  std::vector<std::vector<int>>
      m_live;  ///< not for chains: per stage, cuts at which it has labels, ascending
};

}  // namespace nest::planner
