#include "figures/topology_key.h"

#include <algorithm>

#include "figures/key_line.h"
#include "figures/phrases.h"

namespace nest {
namespace {

using Role = Theme::Role;

/// One level alone: what it carries, and between which amounts the colours of those who send over it lie.
void paintOneLevel(Ink& ink, const QRectF& row, const Hierarchy& h, const LevelTraffic& traffic) {
  const Bytes all = traffic.bytes[traffic.only];
  const bool any = all.value() > 0;
  KeyLine line(ink, row);
  line.say(levelText(h.level(traffic.only)) +
           (any ? QStringLiteral(" · %1 per step").arg(memoryText(all)) : QStringLiteral(" · nothing")));
  if (!any) return;
  const int level = traffic.senders();
  const auto [least, most] = std::minmax_element(traffic.sent.begin(), traffic.sent.end());
  const auto say = [&](const QString& how, auto which) {
    const auto group = static_cast<int>(which - traffic.sent.begin());
    line.say(how);
    line.swatch(traffic.color(level, group, ink.theme()));
    line.say(QStringLiteral("%1 by %2 %3").arg(memoryText(*which), phrase(h.level(level).name)).arg(group));
  };
  if (*least == *most) {
    line.say(QStringLiteral("sent by each %1").arg(phrase(h.level(level).name)));
    line.swatch(traffic.color(level, 0, ink.theme()));
    line.say(memoryText(*most));
    return;
  }
  say(QStringLiteral("from"), least);
  say(QStringLiteral("to"), most);
}

void paintLevels(Ink& ink, const QRectF& row, const Hierarchy& h, const LevelTraffic& traffic) {
  // Where the whole line has no room the latencies go first: a level left out would be worse.
  double whole = 0;
  for (int l = 0; l < h.levelCount(); ++l) whole += Ink::width(levelText(h.level(l)), Ink::kSmall) + 24;
  const bool brief = !traffic.shown() && whole > row.width();
  KeyLine line(ink, row);
  for (int l = 0; l < h.levelCount(); ++l) {
    QString text = levelText(h.level(l));
    if (brief) text = text.section(QStringLiteral(" · "), 0, -2);
    if (traffic.shown()) {
      const Bytes carried = traffic.bytes[l];
      text += carried.value() > 0 ? QStringLiteral(" · %1 per step").arg(memoryText(carried))
                                  : QStringLiteral(" · nothing");
      line.swatch(traffic.color(l, 0, ink.theme()));
    }
    if (!line.say(text) || (l + 1 < h.levelCount() && !line.say(QStringLiteral("in")))) return;
  }
}

}  // namespace

void paintLostParts(Ink& ink, const QRectF& row, const LostParts& lost) {
  double x = row.left();
  std::size_t left = lost.failed.size() + lost.cutOff.size();
  const auto paint = [&](const LostPart& part, bool failed) {
    const QString text =
        phrase(part.name) + (failed ? QStringLiteral(" failed") : QStringLiteral(" cut off")) +
        (part.devices > 1 ? QStringLiteral(" · ") + plural(part.devices, QStringLiteral("device"))
                          : QString());
    const double w = Ink::width(text, Ink::kSmall) + (failed ? 34 : 20);
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
    ink.label(box.adjusted(failed ? 24 : 10, 0, 0, 0), text, Qt::AlignLeft | Qt::AlignVCenter, Ink::kSmall,
              ink.color(Role::Text));
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
              Qt::AlignLeft | Qt::AlignVCenter, Ink::kSmall, ink.color(Role::MutedText));
}

double topologyKeyHeight(const PlanContext& c) {
  return c.shownPlan() ? 2 * kKeyRow + 8 : kKeyRow + 6;
}

void paintTopologyKey(Ink& ink, const QRectF& area, const PlanContext& c, const TopologyClasses& classes,
                      const LevelTraffic& traffic, Together colouredBy) {
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
