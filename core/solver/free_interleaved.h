#pragma once

#include "solver/search.h"

namespace nest::planner {

/// Interleaved pipelines whose stages choose their strategies. Cuts are given, so this is a walk over the
/// strategies of stage 0, 1, …, each prefix bounded by the least loads of its stages and of those to come.
/// Exponential in the stages where many strategies are nearly as good as the best; the walk ends after
/// kMostNodes, and then says that it is not complete.
class FreeInterleaved {
public:
  static constexpr long long kMostNodes = 300000;

  FreeInterleaved(const Problem&, const LayerOrder&, GroupShapes&, const SearchSpace&, Search& uniform,
                  Incumbents&, Watch&);

  bool run();                                         ///< true if complete
  double lowerBound() const { return m_lowerBound; }  ///< of what was not looked at; infinite: nothing

private:
  struct Walk {
    int microbatch = 0, dataDegree = 1, stages = 1, chunks = 1, zero = 0, microbatchCount = 1;
    std::vector<LayerSums*> sums;
    std::vector<std::vector<double>> least;  ///< [strategy][stage]
    std::vector<double> leastAfter;          ///< sum of the least loads of stages i…
    std::vector<int> cuts, chosen;
    ObjectiveWeights weights;
  };
  bool begin(Walk&) const;
  void descend(Walk&, double sum, double max, int units);
  void place(const Walk&, int units);
  bool solve(const Walk&, const BlockLayout&, Found&) const;
  double limit() const;

  const Problem& m_problem;
  const LayerOrder& m_order;
  GroupShapes& m_shapes;
  const SearchSpace& m_space;
  Search& m_uniform;
  Incumbents& m_incumbents;
  Watch& m_watch;
  CutRules m_rules;
  double m_lowerBound = 0;
  long long m_nodes = 0;
};

}  // namespace nest::planner
