#include "figures/topology_key.h"

#include <algorithm>

#include "figures/phrases.h"

namespace nest {
namespace {

using Role = Theme::Role;
constexpr double kKeyRow = 20;

/// Writes a line from left to right, as far as there is room.
class KeyLine {
public:
  KeyLine(Ink& ink, const QRectF& row) : m_ink(ink), m_row(row), m_x(row.left()) {}

  void swatch(const QColor& color) {
    const QRectF box(m_x, m_row.top() + 4, 12, 12);
    m_ink.fill(box, color);
    m_ink.outline(box, m_ink.color(Role::Border));
    m_x += 18;
  }
  /// False: it did not fit, an ellipsis stands for it.
  bool say(const QString& text) {
    const double w = Ink::width(text, Ink::kSmall) + 2;
    const bool whole = m_x + w <= m_row.right();
    m_ink.label(QRectF(m_x, m_row.top(), whole ? w : 14, m_row.height()), whole ? text : QStringLiteral("…"),
                Qt::AlignLeft | Qt::AlignVCenter, Ink::kSmall, m_ink.color(Role::MutedText));
    m_x += w + 6;
    return whole;
  }

private:
  Ink& m_ink;
  QRectF m_row;
  double m_x;
};

/// One level alone: what it carries, and between which amounts the colours of those who send over it lie.
void paintOneLevel(Ink& ink, const QRectF& row, const Hierarchy& h, const LevelTraffic& traffic) {
  const Bytes all = traffic.bytes[static_cast<std::size_t>(traffic.only)];
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

/// "TP groups: 8 ranks each in stages 1–4 · 128 a stage": what the numbers on the devices count.
void paintGroupKey(Ink& ink, const QRectF& row, const Plan& plan, Together kind) {
  KeyLine line(ink, row);
  line.say(QStringLiteral("%1s, numbered in each stage:").arg(QString::fromUtf8(labelOf(kind))));
  for (int i = 0; i < plan.stageCount();) {
    const Membership m = membershipOf(plan, kind, i, 0, 0);
    int last = i;
    const auto alike = [&](int stage) {
      const Membership o = membershipOf(plan, kind, stage, 0, 0);
      return o.size == m.size && o.groups == m.groups;
    };
    while (last + 1 < plan.stageCount() && alike(last + 1)) ++last;
    for (int g = 0; g < std::min(3, m.groups); ++g) line.swatch(ink.stageColor(i + g, false));
    const QString stages = last > i ? QStringLiteral("stages %1–%2").arg(stageNumber(i), stageNumber(last))
                                    : QStringLiteral("stage %1").arg(stageNumber(i));
    if (!line.say(QStringLiteral("%1 of %2 in %3")
                      .arg(plural(m.groups, QStringLiteral("group")), plural(m.size, QStringLiteral("rank")),
                           stages)))
      return;
    i = last + 1;
  }
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
      const Bytes carried = traffic.bytes[static_cast<std::size_t>(l)];
      text += carried.value() > 0 ? QStringLiteral(" · %1 per step").arg(memoryText(carried))
                                  : QStringLiteral(" · nothing");
      line.swatch(traffic.color(l, 0, ink.theme()));
    }
    if (!line.say(text) || (l + 1 < h.levelCount() && !line.say(QStringLiteral("<")))) return;
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

void paintStageKey(Ink& ink, const QRectF& row, int n, int idleDevices,
                   const std::function<bool(int)>& dims) {
  ink.label(QRectF(row.left(), row.top(), 40, kKeyRow), QStringLiteral("Stage"),
            Qt::AlignLeft | Qt::AlignVCenter, Ink::kSmall, ink.color(Role::MutedText));
  const double idle = idleDevices > 0 ? 92 : 0;
  const double room = row.width() - 42 - idle;
  const double step = std::min(32.0, room / std::max(1, n));
  if (step >= 19) {
    for (int i = 0; i < n; ++i)
      ink.stageChip(QRectF(row.left() + 42 + i * step, row.top() + 1, step - 4, 17), i, Ink::kSmall, dims(i));
  } else {
    const int most = std::max(1, static_cast<int>(room / 24) - 3);
    for (int i = 0; i < std::min(n, most); ++i)
      ink.stageChip(QRectF(row.left() + 42 + i * 24.0, row.top() + 1, 20, 17), i, Ink::kSmall, dims(i));
    if (most < n)
      ink.label(QRectF(row.left() + 42 + most * 24.0, row.top(), 70, kKeyRow),
                QStringLiteral("… %1").arg(stageNumber(n - 1)), Qt::AlignLeft | Qt::AlignVCenter, Ink::kSmall,
                ink.color(Role::MutedText));
  }
  if (idle > 0) {
    const QRectF box(row.right() - idle + 4, row.top() + 3, 13, 13);
    ink.fill(box, ink.color(Role::Idle));
    ink.outline(box, ink.color(Role::Border));
    ink.label(QRectF(box.right() + 6, row.top(), idle - 24, kKeyRow),
              QStringLiteral("%1 idle").arg(countText(idleDevices)), Qt::AlignLeft | Qt::AlignVCenter,
              Ink::kSmall, ink.color(Role::Text));
  }
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
  if (colouredBy != Together::Stage) {
    paintGroupKey(ink, levels.translated(0, kKeyRow + 4), *c.shownPlan(), colouredBy);
    return;
  }
  const Focus focus(c, ink.style());
  paintStageKey(ink, levels.translated(0, kKeyRow + 4), c.shownPlan()->stageCount(), classes.idleDevices(),
                [&](int stage) { return focus.dims(stage); });
}

}  // namespace nest
