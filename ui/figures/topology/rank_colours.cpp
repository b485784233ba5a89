#include "figures/topology/rank_colours.h"

#include <algorithm>

#include "figures/paint/key_line.h"
#include "measures/metrics.h"

namespace nest {
namespace {

using Role = Theme::Role;

/// Groups of a single rank each would colour every device at random.
bool tellsRanksApart(const Plan* plan, Together t) {
  if (t == Together::Stage || !plan) return true;
  for (int i = 0; i < plan->stageCount(); ++i)
    if (membershipOf(*plan, t, i, 0, 0).size > 1) return true;
  return false;
}

/// How many groups the stages before this one have.
int firstColour(const Plan& plan, Together by, int stage) {
  int groups = 0;
  for (int i = 0; i < stage; ++i) groups += membershipOf(plan, by, i, 0, 0).groups;
  return groups;
}

/// "TP groups: 8 ranks each in stages 1–4 · 128 a stage": what the numbers on the devices count.
void paintGroupKey(FigurePainter& ink, const QRectF& row, const Plan& plan, Together kind) {
  KeyLine line(ink, row);
  line.say(QStringLiteral("%1s, numbered from 0 in each stage:").arg(QString::fromUtf8(labelOf(kind))));
  for (int i = 0; i < plan.stageCount();) {
    const Membership m = membershipOf(plan, kind, i, 0, 0);
    int last = i;
    const auto alike = [&](int stage) {
      const Membership o = membershipOf(plan, kind, stage, 0, 0);
      return o.size == m.size && o.groups == m.groups;
    };
    while (last + 1 < plan.stageCount() && alike(last + 1)) ++last;
    for (int g = 0; g < std::min(3, m.groups); ++g)
      line.swatch(ink.stageColor(firstColour(plan, kind, i) + g, false));
    const QString stages = last > i ? QStringLiteral("stages %1–%2").arg(stageNumber(i), stageNumber(last))
                                    : QStringLiteral("stage %1").arg(stageNumber(i));
    if (!line.say(QStringLiteral("%1 of %2 in %3")
                      .arg(plural(m.groups, QStringLiteral("group")), plural(m.size, QStringLiteral("rank")),
                           stages)))
      return;
    i = last + 1;
  }
}

/// "4 of 0–15": ranks, replicas and groups of ranks count from 0.
QString numberOf(int index, int count) {
  return QStringLiteral("%1 of 0–%2").arg(countText(index), countText(count - 1));
}

void paintStageKey(FigurePainter& ink, const QRectF& row, int n, int idleDevices,
                   const std::function<bool(int)>& dims) {
  ink.label(QRectF(row.left(), row.top(), 40, kKeyRow), QStringLiteral("Stage"),
            Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
  const double idle = idleDevices > 0 ? 92 : 0;
  const double room = row.width() - 42 - idle;
  const double step = std::min(32.0, room / std::max(1, n));
  if (step >= 19) {
    for (int i = 0; i < n; ++i)
      ink.stageChip(QRectF(row.left() + 42 + i * step, row.top() + 1, step - 4, 17), i, FigurePainter::kSmall,
                    dims(i));
  } else {
    const int most = std::max(1, static_cast<int>(room / 24) - 3);
    for (int i = 0; i < std::min(n, most); ++i)
      ink.stageChip(QRectF(row.left() + 42 + i * 24.0, row.top() + 1, 20, 17), i, FigurePainter::kSmall,
                    dims(i));
    if (most < n)
      ink.label(QRectF(row.left() + 42 + most * 24.0, row.top(), 70, kKeyRow),
                QStringLiteral("… %1").arg(stageNumber(n - 1)), Qt::AlignLeft | Qt::AlignVCenter,
                FigurePainter::kSmall, ink.color(Role::MutedText));
  }
  if (idle > 0) {
    const QRectF box(row.right() - idle + 4, row.top() + 3, 13, 13);
    ink.fill(box, ink.color(Role::Idle));
    ink.outline(box, ink.color(Role::Border));
    ink.label(QRectF(box.right() + 6, row.top(), idle - 24, kKeyRow),
              QStringLiteral("%1 idle").arg(countText(idleDevices)), Qt::AlignLeft | Qt::AlignVCenter,
              FigurePainter::kSmall, ink.color(Role::Text));
  }
}

}  // namespace

QString RankKind::number(Together by) const {
  return by == Together::Stage ? stageNumber(stage) : QString::number(group);
}

RankKind kindOf(const Seat& seat, const Plan* plan, Together by) {
  if (seat.idle() || !plan || by == Together::Stage) return {seat.stage, 0, seat.stage};
  return {seat.stage, membershipOf(*plan, by, seat.stage, seat.replica, seat.rank).group,
          firstColour(*plan, by, seat.stage)};
}

Together shownBy(const Plan* plan, Together chosen) {
  return tellsRanksApart(plan, chosen) ? chosen : Together::Stage;
}

FigureOption colourOption(const PlanContext& c, Together chosen) {
  std::vector<FigureOption::Choice> colours;
  for (const Together t : kTogether)
    if (tellsRanksApart(c.shownPlan(), t)) colours.push_back({nameOf(t), QString::fromUtf8(labelOf(t))});
  return {"colour", QStringLiteral("Colour by"),
          QStringLiteral("What the ranks of one colour have in common"), colours,
          nameOf(shownBy(c.shownPlan(), chosen))};
}

Together colouredByNamed(const std::string& name, Together otherwise) {
  const auto found =
      std::find_if(kTogether.begin(), kTogether.end(), [&](Together t) { return name == nameOf(t); });
  return found == kTogether.end() ? otherwise : *found;
}

QString rankText(const Seat& seat) {
  return seat.idle() ? QStringLiteral("idle")
                     : QStringLiteral("stage %1, replica %2, rank %3")
                           .arg(stageNumber(seat.stage))
                           .arg(seat.replica)
                           .arg(seat.rank);
}

void addRankRows(Tip& tip, const Seat& seat, const PlanContext& c) {
  if (seat.idle()) {
    tip.note(c.shownPlan() ? QStringLiteral("Idle: nothing is placed here.")
                           : QStringLiteral("Nothing is placed yet."));
  } else {
    const Placement placement(*c.shownPlan());
    tip.row(QStringLiteral("Stage"),
            QStringLiteral("%1 of 1–%2")
                .arg(stageNumber(seat.stage), stageNumber(c.shownPlan()->stageCount() - 1)));
    tip.row(QStringLiteral("Replica"), numberOf(seat.replica, placement.replicas()));
    tip.row(QStringLiteral("Rank in the replica"), numberOf(seat.rank, placement.ranks(seat.stage)));
    for (const Together kind : kTogether) {
      const Membership m = membershipOf(*c.shownPlan(), kind, seat.stage, seat.replica, seat.rank);
      if (kind == Together::Stage || m.size == 1) continue;
      tip.row(QString::fromUtf8(labelOf(kind)),
              QStringLiteral("%1, %2 ranks").arg(numberOf(m.group, m.groups), countText(m.size)));
    }
    const auto& stages = c.shownEvaluation()->stages;
    if (static_cast<std::size_t>(seat.stage) < stages.size()) {
      const auto& e = stages[seat.stage];
      tip.row(QStringLiteral("Time per microbatch"), exactTime(e.load));
      tip.row(QStringLiteral("Memory at the peak"), exactMemory(e.memory.predicted()));
    }
  }
}

void addDeviceRows(Tip& tip, Bytes memory, double speed) {
  if (memory.value() > 0) tip.row(QStringLiteral("Memory"), exactMemory(memory));
  if (speed != 1)
    tip.row(QStringLiteral("Speed"), phrase(text::percent(speed)) + QStringLiteral(" of nominal"));
}

void paintRankKey(FigurePainter& ink, const QRectF& row, const Plan* plan, Together by, int stages,
                  int idleDevices, const std::function<bool(int)>& dims) {
  if (!plan || by == Together::Stage)
    paintStageKey(ink, row, stages, idleDevices, dims);
  else
    paintGroupKey(ink, row, *plan, by);
}

}  // namespace nest
