#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "plan/plan.h"
#include "solver/models/chain_model.h"

namespace nest::solver {

/// One solved pipeline with all its decisions, not yet a Plan.
struct CandidatePlan {
  int microbatchIndex = 0;
  int dataDegree = 1, zero = 0, chunks = 1;
  int batch = 0;            ///< sequences of a step; 0: the job's
  int microbatchCount = 0;  ///< m; 0: as the job's batch has it
  ScheduleKind schedule = ScheduleKind::OneForwardOneBackward;
  std::vector<int> strategies;  ///< profile index per stage
  BlockLayout layout;
  PipelineCut cut;  ///< interleaved: s·v + 1 cuts
  double time = 0;  ///< seconds × Problem::weightOf()
  int devices = 0;
  double memory = 0;   ///< on the fullest device, bytes
  int candidate = -1;  ///< row of the search log, −1: none
  Plan given;          ///< the caller's own plan, if it has stages

  int stages() const { return static_cast<int>(strategies.size()); }
  /// Equal in every decision but the batch, cuts, recompute, shard groups and placement.
  bool sameDegrees(const CandidatePlan& o) const {
    return microbatchIndex == o.microbatchIndex && dataDegree == o.dataDegree && zero == o.zero &&
           chunks == o.chunks && schedule == o.schedule && strategies == o.strategies;
  }
};

/// The best `size` plans so far that differ in their degrees: (b, d, z, v, s, schedule and the strategy of
/// each stage). Each stands for the best cuts, recompute and placement of its degrees.
class Incumbents {
public:
  explicit Incumbents(std::size_t size) : m_size(size) {}
  int size() const { return static_cast<int>(m_size); }  ///< how many are kept, at most

  /// The fastest time so far and, of the plans that take it, the first by devices, stages and ZeRO stage.
  struct Lead {
    double time = std::numeric_limits<double>::infinity();
    int devices = std::numeric_limits<int>::max(), stages = 0, zero = 0;
  };
  const Lead& lead() const { return m_lead; }

  /// What a plan of these degrees must beat, or equal, to be of interest.
  double limit(const CandidatePlan& degrees) const;
  /// The same for plans whose degrees are not known.
  double limit() const;
  void offer(CandidatePlan found);

  const std::vector<CandidatePlan>& best() const {
    return m_best;
  }  ///< best first, ties as in STATEMENT.md §5
  const std::vector<CandidatePlan>& all() const {
    return m_all;
  }  ///< every plan offered, the latest of its degrees
  /// Puts the plans in their order. `settle` first makes of a plan the one preferred among those of its
  /// configuration that take as long.
  void sort(const Problem&, const std::function<void(CandidatePlan&)>& settle = {});

private:
  std::size_t m_size;
  Lead m_lead;
  std::vector<CandidatePlan> m_best, m_all;
  std::vector<CandidatePlan> m_equal;  ///< as fast as one of m_best of the same degrees, in another placement
};

/// a before b: less time; within 1e-12 the tie rules.
bool precedes(const Problem&, const CandidatePlan& a, const CandidatePlan& b);

Plan planOf(const Problem&, const LayerOrder&, const CandidatePlan&);

}  // namespace nest::solver
