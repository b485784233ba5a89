#include "figures/plan/rank_strip.h"

#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "figures/paint/figure_painter.h"
#include "figures/paint/phrases.h"
#include "figures/plan/exchange_text.h"

namespace nest {
namespace {

using Role = Theme::Role;

constexpr double kStripRow = 15, kStripLines = 30, kStripNames = 96, kLeastRank = 5, kWidestRank = 46;
constexpr std::size_t kMostPairs = 64;

}  // namespace

double rankStripHeight(const ExchangeRun& run) {
  return kStripRow * (outermostLevel(run) + 2) + kStripLines;
}

void paintRankStrip(FigurePainter& ink, const QRectF& area, const ExchangeInstant& now,
                    const PlanContext& c) {
  const Hierarchy& h = *c.problem->cluster;
  const PlanExchange& x = now.replay->exchange();
  const std::vector<int>& ranks = *now.ranks;
  const auto n = static_cast<double>(ranks.size());
  const double names = std::min(kStripNames, 0.2 * area.width());
  const double cell = std::min(kWidestRank, (area.width() - names) / std::max(1.0, n));
  const double left = area.left() + names;
  const CollectiveStep* step = now.running();
  const auto box = [&](const QRectF& r, bool lit, const QString& text) {
    ink.fill(r, lit ? mixed(ink.color(Role::Canvas), ink.color(Role::Accent), 0.3)
                    : mixed(ink.color(Role::Canvas), ink.color(Role::Border), 0.35));
    if (r.width() >= 3) ink.outline(r, ink.color(lit ? Role::Accent : Role::Border), lit ? 1.6 : 1);
    ink.firstThatFits(r.adjusted(2, 0, -2, 0), {text}, Qt::AlignCenter, FigurePainter::kSmall - 1,
                      ink.color(Role::Text), lit);
  };
  double y = area.top();
  for (int l = outermostLevel(*x.run); l >= 0; --l, y += kStripRow) {
    const bool lit = step && step->level == l;
    ink.label(QRectF(area.left(), y, names - 8, kStripRow - 1), levelName(c, l),
              Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kSmall,
              ink.color(lit ? Role::Text : Role::MutedText), lit);
    for (std::size_t from = 0, to = 0; from < ranks.size(); from = to) {
      const int group = h.groupOf(l, ranks[from]);
      while (to < ranks.size() && h.groupOf(l, ranks[to]) == group) ++to;
      box(QRectF(left + static_cast<double>(from) * cell, y, static_cast<double>(to - from) * cell - 1,
                 kStripRow - 2),
          lit, phrase(h.groupName(l, group)));
    }
  }
  ink.label(QRectF(area.left(), y, names - 8, kStripRow - 1),
            x.run->group ? QStringLiteral("%1 ranks").arg(countText(static_cast<long long>(ranks.size())))
                         : QStringLiteral("a pair of ranks"),
            Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
  const int stages[] = {x.run->from, x.run->to};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const QRectF r(left + static_cast<double>(i) * cell, y, std::max(0.5, cell - 1), kStripRow - 2);
    const int stage = !x.run->group && i < 2 ? stages[i] : x.stage;
    const QColor colour = ink.stageColor(stage);
    ink.fill(r, colour);
    const QString name = QString::number(x.run->group ? static_cast<int>(i) : stage);
    ink.firstThatFits(r, {x.run->group ? name : stageNumber(stage)}, Qt::AlignCenter,
                      FigurePainter::kSmall - 1, ink.theme().textOn(colour));
  }
  if (!step) return;
  const std::size_t at = now.step();
  const auto pairs = pairsAt(h, *x.run, ranks, *step, now.replay->roundAt(at, now.at));
  if (cell < kLeastRank || pairs.size() > kMostPairs) return ink.leaveOut();
  const double inRound = std::fmod(now.replay->doneOf(at, now.at) * step->rounds, 1.0);
  const bool both = step->move == StepMove::Halving || step->move == StepMove::Doubling;
  const double base = y + kStripRow - 1;
  QPainter& p = ink.painter();
  const auto middleOf = [&](int device) {
    const auto i = std::lower_bound(ranks.begin(), ranks.end(), device) - ranks.begin();
    return left + (static_cast<double>(i) + 0.5) * cell;
  };
  // Ranks of a message stand in the order in which it goes.
  const auto place = [&](int device) {
    return x.run->group ? middleOf(device) : left + (device == ranks.front() ? 0.5 : 1.5) * cell;
  };
  const double longest = n * cell;
  for (const auto& [a, b] : pairs) {
    const QPointF from(place(a), base), to(place(b), base);
    const double depth = 10 + (2 * kStripLines - 24) * std::min(1.0, std::abs(to.x() - from.x()) / longest);
    QPainterPath way(from);
    way.quadTo(QPointF((from.x() + to.x()) / 2, base + depth), to);
    p.setBrush(Qt::NoBrush);
    p.setPen(QPen(ink.color(Role::Accent), 1.4));
    p.drawPath(way);
    p.setBrush(ink.color(Role::Text));
    p.setPen(Qt::NoPen);
    p.drawEllipse(way.pointAtPercent(inRound), 2.6, 2.6);
    if (both) p.drawEllipse(way.pointAtPercent(1 - inRound), 2.6, 2.6);
  }
}

}  // namespace nest
