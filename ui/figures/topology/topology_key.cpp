#include "figures/topology/topology_key.h"

#include <algorithm>
#include <map>

#include "figures/paint/key_line.h"
#include "figures/paint/phrases.h"
#include "formats/networks/slurm_hostlist.h"

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
                   (traffic.step > Seconds()
                        ? QStringLiteral(" (%1)").arg(phrase(text::percent(traffic.share(traffic.busy[l]))))
                        : QString()) +
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

/// What the colours of a shade mean, and the stages that have least and most.
void paintShadeKey(FigurePainter& ink, const QRectF& row, const PlanContext& c, DeviceShade shade) {
  KeyLine line(ink, row);
  if (shade == DeviceShade::TensorRank) {
    int most = 1;
    for (const StagePlan& s : c.shownPlan()->stages) most = std::max(most, s.strategy.tensor);
    line.say(QStringLiteral("Rank in its TP group:"));
    for (int k = 0; k < most; ++k) {
      line.swatch(ink.stageColor(k));
      if (!line.say(QString::number(k))) return;
    }
    return;
  }
  const ScheduleInstant* now = instantOf(ink.style());
  const std::vector<double> shares = sharesOf(shade, c, now);
  if (shares.empty()) return;
  line.say(shade == DeviceShade::Busy ? QStringLiteral("Time that a device works, % of the step:")
           : now                      ? QStringLiteral("Memory of a device at this time, % of its capacity:")
                                      : QStringLiteral("Memory of a device at its peak, % of its capacity:"));
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    line.swatch(ink.theme().magnitude(0.1 + 0.9 * share));
    if (!line.say(QString::number(static_cast<int>(100 * share)))) return;
  }
  const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
  const auto say = [&](const char* what, auto which) {
    return line.say(QStringLiteral("· %1 %2 on stage %3")
                        .arg(QLatin1String(what), phrase(text::percent(*which)),
                             stageNumber(static_cast<int>(which - shares.begin()))));
  };
  if (say("most", most) && shares.size() > 1) say("least", least);
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

namespace {

/// What moves while the step is played.
void paintTokenKey(FigurePainter& ink, const QRectF& row, const Plan& plan) {
  KeyLine line(ink, row);
  const int replicas = plan.dataDegree();
  line.say(replicas > 1 ? QStringLiteral("Tag: a microbatch of the first of %1 replicas; the others do the "
                                         "same at the same time.")
                              .arg(replicas)
                        : QStringLiteral("Tag: a microbatch."));
  line.say(QStringLiteral("Bar: memory in use on the stage."));
}

}  // namespace

double topologyKeyHeight(const PlanContext& c) {
  return c.shownPlan() ? 2 * kKeyRow + 8 : kKeyRow + 6;
}

void paintTopologyKey(FigurePainter& ink, const QRectF& area, const PlanContext& c,
                      const TopologyClasses& classes, const LevelTraffic& traffic, Together colouredBy,
                      DeviceShade shade) {
  const QRectF levels(area.left(), area.top(), area.width(), kKeyRow);
  if (traffic.only >= 0)
    paintOneLevel(ink, levels, classes.cluster(), traffic);
  else if (c.shownPlan() && instantOf(ink.style()) && !traffic.shown())
    paintTokenKey(ink, levels, *c.shownPlan());
  else
    paintLevels(ink, levels, classes.cluster(), traffic);
  if (!c.shownPlan()) return;
  const Focus focus(c, ink.style());
  if (shade != DeviceShade::None) return paintShadeKey(ink, levels.translated(0, kKeyRow + 4), c, shade);
  paintRankKey(ink, levels.translated(0, kKeyRow + 4), c.shownPlan(), colouredBy, c.shownPlan()->stageCount(),
               classes.idleDevices(), [&](int stage) { return focus.dims(stage); });
}

namespace {

constexpr double kStateRow = 26, kStateGap = 8;
constexpr int kMostStateRows = 2;

QString stateWord(HostState s) {
  return phrase(std::string(nameOf(s)));
}

struct StateBox {
  QRectF rect;
  QString text;
  std::size_t group = 0;
};

/// Boxes from left to right in as many rows as it takes; false: more than there may be.
bool arrangeStates(std::vector<StateBox>& boxes, double width) {
  double x = 0;
  int row = 0;
  for (StateBox& b : boxes) {
    const double w = std::min(width, FigurePainter::width(b.text, FigurePainter::kSmall) + 34);
    if (x > 0 && x + w > width) x = 0, ++row;
    if (row >= kMostStateRows) return false;
    b.rect = QRectF(x, row * kStateRow + 1, w, kStateRow - 4);
    x += w + kStateGap;
  }
  return true;
}

QString groupSummary(const UnplannedGroup& g, std::size_t most) {
  std::string list = compressHostlist(g.hosts);
  QString hosts = phrase(list);
  if (static_cast<std::size_t>(hosts.size()) > most)
    hosts = hosts.left(static_cast<int>(most)) + QStringLiteral("…");
  return (g.isPartly ? QStringLiteral("%1 partly %2 · %3") : QStringLiteral("%1 %2 · %3"))
      .arg(countText(static_cast<long long>(g.hosts.size())), stateWord(g.state), hosts);
}

std::vector<StateBox> stateBoxesOf(const std::vector<UnplannedGroup>& groups, double width) {
  constexpr std::size_t kMostSingle = 64;
  std::vector<StateBox> single;
  for (std::size_t g = 0; g < groups.size() && single.size() <= kMostSingle; ++g)
    for (const std::string& host : groups[g].hosts)
      single.push_back({{},
                        (groups[g].isPartly ? QStringLiteral("%1 · partly %2") : QStringLiteral("%1 · %2"))
                            .arg(phrase(host), stateWord(groups[g].state)),
                        g});
  if (single.size() <= kMostSingle && arrangeStates(single, width)) return single;
  for (std::size_t length = 48; length >= 6; length /= 2) {
    std::vector<StateBox> boxes;
    for (std::size_t g = 0; g < groups.size(); ++g) boxes.push_back({{}, groupSummary(groups[g], length), g});
    if (arrangeStates(boxes, width)) return boxes;
  }
  std::vector<StateBox> bare;
  for (std::size_t g = 0; g < groups.size(); ++g)
    bare.push_back(
        {{},
         countText(static_cast<long long>(groups[g].hosts.size())) + u' ' + stateWord(groups[g].state),
         g});
  arrangeStates(bare, width);
  std::erase_if(bare, [](const StateBox& b) { return b.rect.isNull(); });
  return bare;
}

}  // namespace

StateLook lookOf(HostState s) {
  switch (s) {
    case HostState::Down:
      return {3, 6, Role::Error};
    case HostState::Drained:
      return {3, 9, Role::MutedText};
    case HostState::Reserved:
      return {2, 6, Role::MutedText};
    case HostState::Spare:
      return {2, 11, Role::MutedText};
    case HostState::Free:
    case HostState::Busy:
      break;
  }
  return {1, 6, Role::MutedText};
}

double paintStateKey(FigurePainter& ink, const QRectF& row, const std::function<int(HostState)>& hosts) {
  double x = row.left();
  for (int s = 0; s < kHostStateCount; ++s) {
    const auto state = static_cast<HostState>(s);
    const int count = hosts(state);
    if (count == 0) continue;
    const StateLook look = lookOf(state);
    const QRectF box(x, row.center().y() - 6, 20, 12);
    ink.fill(box, ink.color(Role::Canvas));
    ink.hatch(box, look.hatch, ink.color(look.ink), look.spacing);
    ink.outline(box, ink.color(look.ink));
    const QString text = countText(count) + u' ' + stateWord(state);
    const double w = FigurePainter::width(text, FigurePainter::kSmall) + 2;
    ink.label(QRectF(x + 25, row.top(), w, row.height()), text, Qt::AlignLeft | Qt::AlignVCenter,
              FigurePainter::kSmall, ink.color(Role::MutedText));
    x += 25 + w + 12;
  }
  return x - row.left();
}

std::vector<UnplannedGroup> unplannedGroups(const ClusterSource& c) {
  std::vector<UnplannedGroup> out;
  std::map<std::pair<int, bool>, std::size_t> known;
  for (const StateOfHost& s : c.states) {
    if (isPlannedOn(s.state, c.plannedOn)) continue;
    const bool isPartly = !s.devices.empty();
    const auto [of, isNew] = known.emplace(std::pair(static_cast<int>(s.state), isPartly), out.size());
    if (isNew) out.push_back({s.state, {}, {}, isPartly});
    UnplannedGroup& g = out[of->second];
    g.hosts.push_back(s.host);
    if (!s.word.empty() && s.word != nameOf(s.state) &&
        ("," + g.words + ",").find("," + s.word + ",") == std::string::npos)
      g.words += (g.words.empty() ? "" : ",") + s.word;
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const UnplannedGroup& a, const UnplannedGroup& b) { return a.state < b.state; });
  return out;
}

double unplannedRowsHeight(const std::vector<UnplannedGroup>& groups, double width) {
  double height = 0;
  for (const StateBox& b : stateBoxesOf(groups, width)) height = std::max(height, b.rect.bottom() + 3);
  return height;
}

void paintUnplanned(FigurePainter& ink, const QRectF& rows, const std::vector<UnplannedGroup>& groups) {
  for (const StateBox& b : stateBoxesOf(groups, rows.width())) {
    const StateLook look = lookOf(groups[b.group].state);
    const QRectF box = b.rect.translated(rows.topLeft());
    QPainter& p = ink.painter();
    p.setPen(QPen(ink.color(look.ink), 1.2, Qt::DashLine));
    p.setBrush(ink.color(Role::Canvas));
    p.drawRect(box);
    ink.hatch(QRectF(box.left() + 1, box.top() + 1, 22, box.height() - 2), look.hatch, ink.color(look.ink),
              look.spacing);
    ink.label(box.adjusted(28, 0, -2, 0), b.text, Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall,
              ink.color(Role::Text));
  }
}

QString unplannedTipAt(const std::vector<UnplannedGroup>& groups, const QRectF& rows, const QPointF& at,
                       QRectF* box) {
  for (const StateBox& b : stateBoxesOf(groups, rows.width())) {
    const QRectF rect = b.rect.translated(rows.topLeft());
    if (!rect.contains(at)) continue;
    if (box) *box = rect;
    const UnplannedGroup& g = groups[b.group];
    Tip tip(b.text);
    tip.row(QStringLiteral("State"), g.words.empty()
                                         ? stateWord(g.state)
                                         : stateWord(g.state) + QStringLiteral(" (%1)").arg(phrase(g.words)));
    tip.row(QStringLiteral("Hosts in this state"), groupSummary(g, 200));
    tip.note(QStringLiteral("Plans leave these hosts out. Set their state in the context menu."));
    return tip.html();
  }
  return {};
}

}  // namespace nest
