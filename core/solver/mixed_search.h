#pragma once

#include "solver/mixed_chain_search.h"
#include "solver/mixed_interleaved_search.h"

namespace nest::solver {

/// A lower bound on the time of every plan, interleaved or not, with one strategy or one for each stage.
/// Quick: returns 0 where computing it would delay a requested stop.
double leastTime(const Problem&, const LayerOrder&, const SearchSpace&, UniformSearch& uniform);

/// Searches everything whose stages choose their own strategies, by rising bound, beginning from the best
/// plans known. Plans with one strategy are part of its space, so its first plan is the best of all, exactly.
class MixedSearch {
public:
  MixedSearch(const Problem&, const LayerOrder&, GroupShapes&, const SearchSpace&, UniformSearch& uniform,
              Incumbents&, Watch&);

  bool run();                                         ///< returns whether it ran to its end
  double lowerBound() const { return m_lowerBound; }  ///< on what is left; infinite if nothing is
  void settleTies();  ///< after run(): chooses among the plans as fast as the best one
  /// Called after run(): offers the best plans that differ in their degrees. Returns false if not all were
  /// found.
  bool runMany();
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
