#pragma once

#include "solver/chunk_search.h"
#include "solver/per_stage_search.h"

namespace nest::solver {

/// No plan is faster, whether its stages choose their strategies or not, interleaved or not. At once; 0
/// where one who has asked to stop would wait for it.
double leastTime(const Problem&, const LayerOrder&, const SearchSpace&, Search& uniform);

/// The search over everything whose stages choose their strategies, by rising bound; begins from the best
/// plans known. Plans that use one strategy are in its space too: its first plan is the best of all, exactly.
class StrategySearch {
public:
  StrategySearch(const Problem&, const LayerOrder&, GroupShapes&, const SearchSpace&, Search& uniform,
                 Incumbents&, Watch&);

  bool run();                                         ///< true if it ran to its end
  double lowerBound() const { return m_lowerBound; }  ///< of what is left; infinite: nothing
  void settleTies();                                  ///< after run(), of the plans as fast as the best one
  bool runMany();  ///< after run(): the best plans that differ in their degrees; false: not all of them
  long long tuples() const { return m_perStage.tuples() + m_interleaved.tuples(); }

private:
  const Problem& m_problem;
  const LayerOrder& m_order;
  const SearchSpace& m_space;
  Search& m_uniform;
  Watch& m_watch;
  PerStageSearch m_perStage;
  ChunkSearch m_interleaved;
  double m_lowerBound = 0;
};

}  // namespace nest::solver
