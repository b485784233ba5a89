#include "figures/topology/topology_key.h"

#include <algorithm>

#include "figures/paint/key_line.h"
#include "figures/paint/phrases.h"

namespace nest {
namespace {

using Role = Theme::Role;

/// One level alone: what it carries, and between which times the colours of those who send over it lie.
void paintOneLevel(FigurePainter& ink, const QRectF& row, const Hierarchy& h, const LevelTraffic& traffic) {
  const Bytes all = traffic.bytes[traffic.only];
  const bool any = all.value() > 0;
  const QString name = phrase(h.level(traffic.only).name);
  KeyLine line(ink, row);
  line.say(any ? QStringLiteral("%1: %2 per step; a device sends for").arg(name, memoryText(all))
               : levelText(h.level(traffic.only)) + QStringLiteral(" · nothing"));
  if (!any) return;
  const int level = traffic.senders();
  const auto [least, most] = std::minmax_element(traffic.sending.begin(), traffic.sending.end());
  const auto say = [&](auto which, const QString& who) {
    line.swatch(traffic.color(level, static_cast<int>(which - traffic.sending.begin()), ink.theme()));
    line.say(QStringLiteral("up to %1 in %2").arg(timeText(*which), who));
  };
  const auto groupOf = [&](auto which) {
    return phrase(h.groupName(level, static_cast<int>(which - traffic.sending.begin())));
  };
  if (*least == *most) return say(most, QStringLiteral("each ") + phrase(h.level(level).name));
  say(least, groupOf(least));
  say(most, groupOf(most));
}

void paintLevels(FigurePainter& ink, const QRectF& row, const Hierarchy& h, const LevelTraffic& traffic) {
  // Where the whole line has no room the details go first: a level left out would be worse.
  const auto texts = [&](bool brief) {
    QStringList out;
    for (int l = 0; l < h.levelCount(); ++l) {
      if (!traffic.shown()) {
        const QString text = levelText(h.level(l));
        out << (brief ? text.section(QStringLiteral(" · "), 0, -2) : text);
        continue;
      }
      const QString name = phrase(h.level(l).name);
      if (!(traffic.bytes[l].value() > 0))
        out << name + QStringLiteral(" nothing");
      else
        out << QStringLiteral("%1 %2").arg(name, timeText(traffic.busy[l])) +
                   (brief ? QString() : QStringLiteral(" · %1 in all").arg(memoryText(traffic.bytes[l])));
    }
    return out;
  };
  const QString head = traffic.shown() ? QStringLiteral("Longest time a device sends per step:") : QString();
  double whole = head.isEmpty() ? 0 : FigurePainter::width(head, FigurePainter::kSmall) + 8;
  for (const QString& text : texts(false))
    whole += FigurePainter::width(text, FigurePainter::kSmall) + 8 +
             (traffic.shown() ? 18 : FigurePainter::width(QStringLiteral("in"), FigurePainter::kSmall) + 8);
  const QStringList said = texts(whole > row.width());
  KeyLine line(ink, row);
  if (!head.isEmpty() && !line.say(head)) return;
  for (int l = 0; l < h.levelCount(); ++l) {
    if (traffic.shown()) line.swatch(traffic.color(l, 0, ink.theme()));
    if (!line.say(said[l])) return;
    if (!traffic.shown() && l + 1 < h.levelCount() && !line.say(QStringLiteral("in"))) return;
  }
}

}  // namespace

void paintLostParts(FigurePainter& ink, const QRectF& row, const LostParts& lost) {
  double x = row.left();
  std::size_t left = lost.failed.size() + lost.cutOff.size();
  const auto paint = [&](const LostPart& part, bool failed) {
    const QString text =
        phrase(part.name) + (failed ? QStringLiteral(" failed") : QStringLiteral(" cut off")) +
        (part.devices > 1 ? QStringLiteral(" · ") + plural(part.devices, QStringLiteral("device"))
                          : QString());
    const double w = FigurePainter::width(text, FigurePainter::kSmall) + (failed ? 34 : 20);
    if (x + w > row.right() - (left > 1 ? 90 : 0)) return false;
    const QRectF box(x, row.top() + 1, w, row.height() - 4);
    const QColor color = ink.color(failed ? Role::Error : Role::MutedText);
    QPainter& p = ink.painter();
    p.setPen(QPen(color, 1.4, failed ? Qt::SolidLine : Qt::DashLine));
    p.setBrush(ink.color(Role::Canvas));
    p.drawRect(box);
    if (failed) {
      const QRectF cross(box.left() + 8, box.center().y() - 5, 10, 10);
      ink.line(cross.topLeft(), cross.bottomRight(), color, 2);
      ink.line(cross.bottomLeft(), cross.topRight(), color, 2);
    }
    ink.label(box.adjusted(failed ? 24 : 10, 0, 0, 0), text, Qt::AlignLeft | Qt::AlignVCenter,
              FigurePainter::kSmall, ink.color(Role::Text));
    x += w + 8;
    --left;
    return true;
  };
  bool room = true;
  for (const LostPart& p : lost.failed) room = room && paint(p, true);
  for (const LostPart& p : lost.cutOff) room = room && paint(p, false);
  if (left > 0)
    ink.label(QRectF(x, row.top(), row.right() - x, row.height()),
              QStringLiteral("… and %1 more").arg(countText(static_cast<long long>(left))),
              Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
}

double topologyKeyHeight(const PlanContext& c) {
  return c.shownPlan() ? 2 * kKeyRow + 8 : kKeyRow + 6;
}

void paintTopologyKey(FigurePainter& ink, const QRectF& area, const PlanContext& c,
                      const TopologyClasses& classes, const LevelTraffic& traffic, Together colouredBy) {
  const QRectF levels(area.left(), area.top(), area.width(), kKeyRow);
  if (traffic.only >= 0)
    paintOneLevel(ink, levels, classes.cluster(), traffic);
  else
    paintLevels(ink, levels, classes.cluster(), traffic);
  if (!c.shownPlan()) return;
  const Focus focus(c, ink.style());
  paintRankKey(ink, levels.translated(0, kKeyRow + 4), c.shownPlan(), colouredBy, c.shownPlan()->stageCount(),
               classes.idleDevices(), [&](int stage) { return focus.dims(stage); });
}

}  // namespace nest
