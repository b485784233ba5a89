#include "figures/plan/traffic_table.h"

#include <algorithm>

#include "figures/paint/figure_painter.h"
#include "figures/paint/phrases.h"
#include "figures/plan/communication_figure.h"
#include "units/at.h"

namespace nest {

using Role = Theme::Role;

QString nameOfKind(const std::optional<Exchange>& kind) {
  if (!kind) return QStringLiteral("All traffic");
  switch (*kind) {
    case Exchange::Tensor:
      return QStringLiteral("TP");
    case Exchange::Context:
      return QStringLiteral("CP");
    case Exchange::Expert:
      return QStringLiteral("EP");
    case Exchange::Pipeline:
      return QStringLiteral("PP");
    case Exchange::Data:
      break;
  }
  return QStringLiteral("DP");
}

void paintTrafficTable(FigurePainter& ink, const QRectF& area, const Traffic& traffic,
                       const LongestTimes* times, const TrafficShown& shown, const PlanContext& c) {
  const int levels = c.problem->cluster->levelCount();
  const double first = 74, column = std::min(92.0, (area.width() - first) / (levels + 1));
  if (column < 52) return;
  double y = area.top();
  const auto cell = [&](int k, const QString& text, Qt::Alignment align, Role role, bool bold) {
    const QRectF box = k < 0 ? QRectF(area.left(), y, first, 20)
                             : QRectF(area.left() + first + k * column, y, column - 6, 20);
    ink.label(box, text, align | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(role), bold);
  };
  const auto rule = [&] {
    ink.line({area.left(), y}, {area.left() + first + (levels + 1) * column - 6, y}, ink.color(Role::Border));
  };
  ink.firstThatFits(QRectF(area.left(), y, area.width(), 18),
                    times
                        ? QStringList{QStringLiteral("Longest time of a device per step, by kind and level"),
                                      QStringLiteral("Longest time of a device per step")}
                        : QStringList{QStringLiteral("Bytes per step, by kind and level"),
                                      QStringLiteral("Bytes per step")},
                    Qt::AlignLeft | Qt::AlignVCenter, 12, ink.color(Role::Text), true);
  y += 26;
  for (int l = 0; l < levels; ++l) cell(l, levelName(c, l), Qt::AlignRight, Role::MutedText, false);
  cell(levels, times ? QStringLiteral("Longest") : QStringLiteral("Total"), Qt::AlignRight, Role::MutedText,
       false);
  y += 20;
  rule();
  y += 3;
  for (int k = 0; k <= kExchangeCount; ++k) {
    const bool sum = k == kExchangeCount;
    const auto kind = static_cast<Exchange>(k);
    if (!sum && !(traffic.total(kind).value() > 0)) continue;
    if (sum) rule();
    const bool ofKind = sum ? !shown.kind : !shown.kind || *shown.kind == kind;
    cell(-1, sum ? QStringLiteral("All") : nameOfKind(kind), Qt::AlignLeft,
         ofKind ? Role::Text : Role::MutedText, sum || shown.kind == kind);
    Seconds longest;
    for (int l = 0; l < levels; ++l) {
      const bool isShown = ofKind && (shown.level < 0 || shown.level == l);
      Bytes bytes;
      for (int j = 0; j < kExchangeCount; ++j)
        if (sum || j == k) bytes += traffic.total(static_cast<Exchange>(j), l);
      const bool any = bytes.value() > 0;
      if (times && sum) continue;  // not the sum over kinds: these are of different devices
      if (times && any) longest = std::max(longest, times->byKind[kind][at(l)]);
      cell(l,
           !any    ? QStringLiteral("–")
           : times ? timeText(times->byKind[kind][at(l)])
                   : memoryText(bytes),
           Qt::AlignRight, any && isShown ? Role::Text : Role::MutedText, sum);
    }
    if (times && sum) longest = times->ofAll;
    cell(levels, times ? timeText(longest) : memoryText(sum ? traffic.total() : traffic.total(kind)),
         Qt::AlignRight, ofKind && shown.level < 0 ? Role::Text : Role::MutedText, true);
    y += 20;
  }
}

}  // namespace nest
