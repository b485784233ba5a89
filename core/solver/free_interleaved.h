#pragma once

#include "solver/search.h"

namespace nest::planner {

/// Interleaved pipelines whose stages choose their strategies. Exponential in the stages where many
/// strategies are nearly as good as the best; the walk ends after kMostNodes, and then says that it is not
/// complete.
class FreeInterleaved {
public:
  static constexpr long long kMostNodes = 300000, kPlacementNodes = 20;  ///< what placing a sequence counts

  FreeInterleaved(const Problem&, const LayerOrder&, GroupShapes&, const SearchSpace&, Search& uniform,
                  Incumbents&, Watch&);

  bool run();  ///< true if complete
  /// The same for the best plans that differ in their degrees, as many as the incumbents keep.
  bool runMany();
  double lowerBound() const { return m_lowerBound; }  ///< of what was not looked at; infinite: nothing

private:
  struct Walk {
    int microbatch = 0, dataDegree = 1, stages = 1, chunks = 1, zero = 0, microbatchCount = 1;
    std::vector<LayerSums*> sums;
    std::vector<std::vector<double>> least;  ///< [strategy][stage]
    int mostUnits = 0;
    /// Of stages i… on at most u units, [i·(mostUnits + 1) + u]: least sum, least largest load, and least Σ
    /// load·(w_sum + w_max·width / mostUnits).
    std::vector<double> sumAfter, maxAfter, mixAfter;
    std::size_t row(int stage, int units) const {
      return static_cast<std::size_t>(stage) * static_cast<std::size_t>(mostUnits + 1) +
             static_cast<std::size_t>(units);
    }
    std::vector<int> cuts, chosen;
    ObjectiveWeights weights;
  };
  bool begin(Walk&) const;
  void fillBounds(Walk&) const;
  /// `mix`: of the stages chosen, as in Walk::mixAfter.
  void descend(Walk&, double sum, double max, double mix, int units);
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
  long long m_nodes = 0, m_mostNodes = kMostNodes;
  bool m_many = false;
};

}  // namespace nest::planner
