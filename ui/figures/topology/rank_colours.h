#pragma once

#include <functional>

#include "figures/paint/figure_option.h"
#include "figures/paint/figure_painter.h"
#include "figures/paint/phrases.h"
#include "figures/plan/seat_map.h"
#include "plan/rank_membership.h"

namespace nest {

/// Devices of one kind have one colour: those of a stage, or of a group of ranks in it. The same wherever
/// devices are drawn.
struct RankKind {
  int stage = -1;  ///< −1: idle
  int group = 0;   ///< its number in the stage
  int first = 0;   ///< colour of the stage's first group

  friend auto operator<=>(const RankKind&, const RankKind&) = default;
  bool idle() const { return stage < 0; }
  /// A number as Theme::stage() takes it: groups count on from stage to stage, so that no two that touch, in
  /// a stage or between two, look alike. Stages of a single group keep their own colours.
  int colour() const { return first + group; }
  /// What a device carries: its stage, or its group.
  QString number(Together by) const;
};

/// `plan`: whose seat it is; null: stages are all that is known.
RankKind kindOf(const Seat&, const Plan* plan, Together by);

/// What colours tell: stages, where every group that was chosen is a single rank.
Together shownBy(const Plan*, Together chosen);
/// "Colour by": what tells ranks apart in this plan, and what is shown.
FigureOption colourOption(const PlanContext&, Together chosen);
Together colouredByNamed(const std::string& name, Together otherwise);

QString rankText(const Seat&);  ///< "stage 2, replica 0, rank 1"
/// What is done at this place, with the groups it belongs to.
void addRankRows(Tip&, const Seat&, const PlanContext&);
/// What a device has of its own.
void addDeviceRows(Tip&, Bytes memory, double speed);

/// Which stage has which colour, or what the numbers on the devices count; and how many devices are idle.
/// `plan` null: stages are all that is known.
void paintRankKey(FigurePainter&, const QRectF& row, const Plan* plan, Together by, int stages,
                  int idleDevices, const std::function<bool(int)>& dims);

}  // namespace nest
