#pragma once

#include "solver/mixed_chain_search.h"
#include "solver/mixed_interleaved_search.h"

namespace nest::solver {

/// No plan is faster, whether its stages choose their strategies or not, interleaved or not. At once; 0
/// where one who has asked to stop would wait for it.
double leastTime(const Problem&, const LayerOrder&, const SearchSpace&, UniformSearch& uniform);

/// The search over everything whose stages choose their strategies, by rising bound; begins from the best
/// plans known. Plans that use one strategy are in its space too: its first plan is the best of all, exactly.
class MixedSearch {
public:
  MixedSearch(const Problem&, const LayerOrder&, GroupShapes&, const SearchSpace&, UniformSearch& uniform,
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
  UniformSearch& m_uniform;
  Watch& m_watch;
  MixedChainSearch m_perStage;
  MixedInterleavedSearch m_interleaved;
  double m_lowerBound = 0;
};

}  // namespace nest::solver
