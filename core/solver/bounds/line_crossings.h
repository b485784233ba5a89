#pragma once

#include <functional>
#include <vector>

#include "solver/space/line_room.h"
#include "solver/stage/stage_costs.h"

namespace nest::solver {

/// What groups of the network and kinds of devices force on the stages of one layout, wherever they stand on
/// a line (STATEMENT.md (6.18)).
///
/// Claim: of each demand, so many stages cost as on the sites `dear` or more, and the others as on sites().
/// Proof: runs that stand inside level-l groups are disjoint, so that a group of g devices holds ⌊g/u⌋ runs
/// of u positions. Stages of which all such runs do are as many as these runs, divided by those of a stage;
/// every other one has a run that straddles groups, and so has a group of ranks in it, which costs as
/// setAnywhere(…, l) or more. Where no stage avoids that, sites() has it.
class LineCrossings {
public:
  using Sites = std::vector<StageSite>;
  struct Demand {
    int stages = 0;
    Sites dear;        ///< of all stages
    int spanned = -1;  ///< they are those that no group of this level holds whole
  };

  /// `sites`: of all stages, their groups where they are cheapest.
  LineCrossings(GroupShapes&, const LineRoom&, const Strategy&, const BlockLayout&, Sites sites);

  const Sites& sites() const { return m_sites; }
  const std::vector<Demand>& demands() const { return m_demands; }
  /// All stages of one block, each of which straddles groups of the level.
  Sites straddling(int level) const;

private:
  /// Groups of ranks of a stage that stand side by side, each on a run of its own.
  struct Kind {
    RankPattern group;
    long long run = 1, runs = 1;  ///< positions of a run; runs of a stage
    std::vector<int StageSite::*> sets;
  };
  static std::vector<Kind> kindsOf(const Strategy&, const BlockLayout&);
  void raise(StageSite&, const Kind&, int level) const;

  GroupShapes& m_shapes;
  std::vector<Kind> m_kinds;
  Sites m_sites;
  std::vector<Demand> m_demands;
};

}  // namespace nest::solver
