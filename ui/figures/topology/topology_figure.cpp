#include "figures/topology/topology_figure.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "cluster/devices/device_catalog.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/plan/communication_figure.h"
#include "figures/plan/exchange_text.h"
#include "figures/plan/instant_text.h"
#include "figures/topology/exchange_marks.h"
#include "figures/topology/microbatch_tokens.h"
#include "figures/topology/topology_key.h"
#include "figures/topology/topology_painter.h"
#include "units/at.h"

namespace nest {
namespace {

/// The name in files.
const char* shadeName(DeviceShade s) {
  return s == DeviceShade::TensorRank ? "tp-rank" : s == DeviceShade::Memory ? "memory" : "busy";
}

/// "16 trays", "4 leaves", "8 × NVL72": how many groups a level has, by its name.
QString groupCountText(const Hierarchy& h, int level) {
  const QString name = phrase(h.level(level).name);
  const int n = h.groupCount(level);
  if (name.isEmpty() || !name.back().isLower()) return QStringLiteral("%1 × %2").arg(countText(n), name);
  if (n == 1 || name.endsWith(QStringLiteral("hosts")))
    return QStringLiteral("%1 %2").arg(countText(n), name);
  const auto ends = [&](const char* with) { return name.endsWith(QLatin1String(with)); };
  const QString stem = name.chopped(1);
  const bool endsInY = ends("y") && name.size() > 1 && !QStringLiteral("aeiou").contains(stem.back());
  const QString several = ends("leaf")                                         ? stem + QStringLiteral("ves")
                          : endsInY                                            ? stem + QStringLiteral("ies")
                          : ends("s") || ends("x") || ends("ch") || ends("sh") ? name + QStringLiteral("es")
                                                                               : name + u's';
  return QStringLiteral("%1 %2").arg(countText(n), several);
}

}  // namespace

const TopologyClasses& TopologyFigure::classesOf(const PlanContext& c) const {
  if (!m_classes || !m_classes->shows(c)) {
    m_layout.reset();
    m_places.reset();
    m_traffic.reset();
    m_levelTraffic.reset();
    m_classes = std::make_shared<TopologyClasses>(c);
  }
  return *m_classes;
}

TopologyFigure::Shown TopologyFigure::show(const QRectF& area, const PlanContext& c, bool standalone) const {
  classesOf(c);
  Shown out;
  out.canvas = bodyOf(area, c, standalone);
  const QRectF states = unplannedRows(out.canvas, c);
  out.canvas.adjust(0, states.bottom() - out.canvas.top() + (states.height() > 0 ? 6 : 0), 0,
                    -topologyKeyHeight(c));
  if (!m_layout || m_layout->area() != out.canvas.size() || m_layout->folding() != m_folding) {
    m_layout = std::make_unique<TopologyLayout>(m_classes, out.canvas.size(), m_folding);
    m_places.reset();
  }
  out.layout = m_layout.get();
  const double zoom = standalone ? 1 : m_zoom;
  out.scale = m_layout->fitScale() * zoom;
  const QPointF pan = standalone ? QPointF() : m_pan;
  const QPointF middle(m_layout->size().width() / 2 + pan.x(), m_layout->size().height() / 2 + pan.y());
  out.origin = out.canvas.center() - middle * out.scale;
  return out;
}

/// Of the layout that is drawn: call show() before.
const StagePlaces& TopologyFigure::placesOf(const PlanContext& c) const {
  if (!m_places) m_places = std::make_unique<StagePlaces>(*c.shownPlan(), *m_layout);
  return *m_places;
}

const LostParts& TopologyFigure::lostOf(const PlanContext& c) const {
  if (m_lostIn != c.scenario) {
    m_lostIn = c.scenario;
    m_lost =
        c.scenario ? failedParts(c.scenario->cluster, c.scenario->constraints.excludedDevices) : LostParts();
  }
  return m_lost;
}

const std::vector<UnplannedGroup>& TopologyFigure::unplannedOf(const PlanContext& c) const {
  if (m_unplannedIn != c.scenario) {
    m_unplannedIn = c.scenario;
    m_unplanned = c.scenario ? unplannedGroups(c.scenario->cluster) : std::vector<UnplannedGroup>();
  }
  return m_unplanned;
}

QRectF TopologyFigure::unplannedRows(const QRectF& body, const PlanContext& c) const {
  const double top = body.top() + (lostOf(c).empty() ? 0 : kLostRow + 8);
  return {body.left(), top, body.width(), unplannedRowsHeight(unplannedOf(c), body.width())};
}

const LevelTraffic& TopologyFigure::trafficOf(const PlanContext& c) const {
  classesOf(c);
  if (m_levelTraffic) return *m_levelTraffic;
  m_levelTraffic.emplace();
  LevelTraffic& out = *m_levelTraffic;
  if (m_trafficKind == kNoTraffic || !c.shownPlan()) return out;
  if (!m_traffic) m_traffic = std::make_unique<Traffic>(*c.problem, *c.shownPlan());
  ExchangeMask kinds = kEveryExchange;
  for (int k = 0; k < kExchangeCount; ++k) kinds[k] = m_trafficKind == kAllTraffic || m_trafficKind == k;
  const int levels = c.problem->cluster->levelCount();
  for (int l = 0; l < levels; ++l) {
    Bytes sum;
    for (int k = 0; k < kExchangeCount; ++k)
      if (kinds[k]) sum += m_traffic->total(static_cast<Exchange>(k), l);
    out.bytes.push_back(sum);
  }
  const auto times = m_traffic->sendingTimes(kinds);
  out.step = c.shownEvaluation()->batchTime;
  for (const auto& ofLevel : times) out.busy.push_back(*std::max_element(ofLevel.begin(), ofLevel.end()));
  if (m_trafficLevel >= levels) return out;
  out.only = m_trafficLevel;
  if (out.only < 0) return out;
  out.sent = m_traffic->across(out.only, kinds);
  const Hierarchy& h = *c.problem->cluster;
  for (int g = 0; g < h.groupCount(out.senders()); ++g) {
    const auto [begin, end] = h.groupSpan(out.senders(), g);
    out.sending.push_back(
        *std::max_element(times[at(out.only)].begin() + begin, times[at(out.only)].begin() + end));
  }
  return out;
}

QString TopologyFigure::sentence(const PlanContext& c) const {
  const Hierarchy& h = *c.problem->cluster;
  const DeviceSpec& device = h.device();
  QString kind = phrase(device.name);
  // A name may say how much memory the device is sold with; what counts is what the scenario gives it.
  const auto& sold = deviceCatalog();
  if (std::any_of(sold.begin(), sold.end(), [&](const DeviceSpec& d) {
        return d.name == device.name && d.memory.value != device.memory.value;
      }))
    kind += QStringLiteral(" with %1 of memory").arg(memoryText(device.memory.value));
  QString out = QStringLiteral("%1 × %2, %3").arg(countText(h.deviceCount()), kind, groupCountText(h, 0));
  if (const Plan* plan = c.shownPlan()) {
    out += QStringLiteral(" · ") + phrase(summaryOf(*plan));
    if (const int idle = classesOf(c).idleDevices()) out += QStringLiteral(" · %1 idle").arg(countText(idle));
  }
  if (h.unplanned().any()) out += QStringLiteral(" · ") + phrase(inWords(h.unplanned()));
  if (const LostParts& lost = lostOf(c); !lost.empty()) out += QStringLiteral(" · ") + phrase(inWords(lost));
  return out;
}

std::optional<FigureState> TopologyFigure::state(const PlanContext& c, bool) const {
  return stateOf(c, QStringLiteral("the cluster"), false);
}

void TopologyFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  const FigureStyle& style = ink.style();
  const ScheduleInstant* now = c.shownPlan() ? instantOf(style) : nullptr;
  const ExchangeInstant* exchange = c.shownPlan() ? exchangeOf(style) : nullptr;
  paintFrame(ink, area, c, title(),
             exchange ? instantText(*exchange, c) + othersText(*exchange, c)
             : now    ? instantText(*now, c) + othersText(c)
                      : sentence(c));
  const Shown shown = show(area, c, style.standalone);
  const QRectF whole = bodyOf(area, c, style.standalone);
  paintLostParts(ink, QRectF(whole.left(), whole.top(), whole.width(), kLostRow), lostOf(c));
  paintUnplanned(ink, unplannedRows(whole, c), unplannedOf(c));
  const LevelTraffic& traffic = trafficOf(c);
  const Together by = shownBy(c.shownPlan(), m_colouredBy);
  TopologyPainter(ink, c, *shown.layout, shown.canvas.adjusted(-1, -6, 6, 1), shown.scale, shown.origin,
                  traffic, by, m_shade)
      .paint();
  if (now || exchange) {
    ink.painter().save();
    ink.painter().setClipRect(shown.canvas.adjusted(-1, -6, 6, 1));
    if (exchange)
      paintExchange(ink, *exchange, *shown.layout, {shown.origin, shown.scale});
    else
      paintTokens(ink, *now, placesOf(c), {shown.origin, shown.scale}, c);
    ink.painter().restore();
  }
  const QRectF body = bodyOf(area, c, style.standalone);
  paintTopologyKey(ink, QRectF(body.left(), shown.canvas.bottom() + 6, body.width(), topologyKeyHeight(c)), c,
                   *m_classes, traffic, by, m_shade);
}

QString TopologyFigure::deviceTip(int device, const PlanContext& c) const {
  const Hierarchy& h = *c.problem->cluster;
  const Seat seat = classesOf(c).seats().at(device);
  Tip tip(deviceName(h, device));
  tip.row(QStringLiteral("Device"), countText(device));
  addRankRows(tip, seat, c);
  const DeviceFactor f = h.factor(DeviceIndex(device));
  addDeviceRows(tip, f.memory, f.speed);
  return tip.html();
}

QString TopologyFigure::groupTip(const TopologyLayout::Box& box, const PlanContext& c) const {
  const Hierarchy& h = *c.problem->cluster;
  const auto [begin, end] = h.groupSpan(box.level, box.group);
  const NetworkLevel& level = h.level(box.level);
  Tip tip(phrase(h.groupName(box.level, box.group)));
  tip.row(QStringLiteral("Devices"), countText(end - begin));
  if (box.level > 0) tip.row(QStringLiteral("Hosts"), hostSpan(h, begin, end));
  tip.row(QStringLiteral("Bandwidth inside, one way"),
          phrase(text::bandwidth(level.bandwidth)) +
              QStringLiteral(" (%1 B/s)").arg(countText(std::llround(level.bandwidth.value()))));
  tip.row(QStringLiteral("Latency"), exactTime(level.latency));
  if (level.oversubscription != 1)
    tip.row(QStringLiteral("Oversubscription"),
            phrase(text::number(level.oversubscription)) + QStringLiteral(" : 1"));
  if (c.shownPlan()) {
    std::map<int, int> stages;
    for (int d = begin; d < end; ++d) ++stages[classesOf(c).seats().at(d).stage];
    QStringList parts;
    for (const auto& [stage, count] : stages) {
      if (parts.size() == 12) {
        parts << QStringLiteral("…");
        break;
      }
      parts << QStringLiteral("%1 on %2")
                   .arg(countText(count), stage < 0 ? QStringLiteral("none") : stageNumber(stage));
    }
    tip.row(QStringLiteral("Devices on stages"), parts.join(QStringLiteral(", ")));
  }
  if (const LevelTraffic& traffic = trafficOf(c); traffic.tints(box.level)) {
    tip.row(QStringLiteral("Longest time a device sends"), exactTime(traffic.timeOf(box.level, box.group)));
    tip.row(traffic.only < 0    ? QStringLiteral("Traffic of this level per step")
            : traffic.only == 0 ? QStringLiteral("Sent inside per step")
                                : QStringLiteral("Sent over %1 per step").arg(levelName(c, traffic.only)),
            exactMemory(traffic.carried(box.level, box.group)));
  }
  if (box.count > 1) tip.note(QStringLiteral("Represents %1 identical ones.").arg(countText(box.count)));
  return tip.html();
}

std::optional<Figure::Hit> TopologyFigure::itemAt(const QPointF& at, const QRectF& area,
                                                  const PlanContext& c) const {
  const QRectF rows = unplannedRows(bodyOf(area, c, false), c);
  if (rows.contains(at)) {
    // Hosts that no plan uses have no number in the cluster; the level of hosts stands for them.
    QRectF place;
    const QString tip = unplannedTipAt(unplannedOf(c), rows, at, &place);
    if (tip.isEmpty()) return std::nullopt;
    return Hit{{ItemKind::Level, 0, 0}, place, tip};
  }
  const Shown shown = show(area, c, false);
  if (!shown.canvas.contains(at)) return std::nullopt;
  TopologyLayout::Box box;
  const QPointF p = shown.toUnits(at);
  if (!shown.layout->boxAt(p, 0, box)) return std::nullopt;
  if (box.level == 0) {
    const int index = shown.layout->deviceAt(box, p);
    if (index >= 0) {
      const int device = c.problem->cluster->groupSpan(0, box.group).first + index;
      return Hit{{ItemKind::Device, device},
                 shown.toPixels(shown.layout->deviceRect(box, index)),
                 deviceTip(device, c)};
    }
  }
  return Hit{{ItemKind::Group, box.group, box.level}, shown.toPixels(box.rect), groupTip(box, c)};
}

std::optional<Figure::Hit> TopologyFigure::placeOf(const SelectionItem& item, const QRectF& area,
                                                   const PlanContext& c) const {
  const Shown shown = show(area, c, false);
  const Hierarchy& h = *c.problem->cluster;
  if (item.kind == ItemKind::Device && item.index >= 0 && item.index < h.deviceCount())
    return Hit{item, shown.toPixels(shown.layout->rectOfDevice(item.index)), deviceTip(item.index, c)};
  if (item.kind == ItemKind::Group && item.level >= 0 && item.level < h.levelCount() && item.index >= 0 &&
      item.index < h.groupCount(item.level)) {
    auto box = shown.layout->boxOf(item.level, item.index);
    const QRectF rect = shown.toPixels(box.rect);
    box.group = item.index, box.level = item.level;
    return Hit{item, rect, groupTip(box, c)};
  }
  const auto stage = stageOf(item, c);
  if (!stage || !c.shownEvaluation() ||
      static_cast<std::size_t>(*stage) >= c.shownEvaluation()->stages.size())
    return std::nullopt;
  const Placement placement(*c.shownPlan());
  const int device = placement.device(*stage, 0, 0).value;
  if (device < 0 || device >= h.deviceCount()) return std::nullopt;
  return Hit{item, shown.toPixels(shown.layout->rectOfDevice(device)), deviceTip(device, c)};
}

std::optional<SelectionItem> TopologyFigure::stepFrom(const std::optional<SelectionItem>& from, Step step,
                                                      const PlanContext& c) const {
  // Left and right walk along a level; up leaves for the group around, down enters the first thing inside.
  const Hierarchy& h = *c.problem->cluster;
  const int top = h.levelCount() - 1;
  if (!from || step == Step::First) return SelectionItem{ItemKind::Device, 0};
  if (step == Step::Last) return SelectionItem{ItemKind::Device, h.deviceCount() - 1};
  if (from->kind == ItemKind::Group && from->level >= 0 && from->level <= top && from->index >= 0 &&
      from->index < h.groupCount(from->level)) {
    const auto [begin, end] = h.groupSpan(from->level, from->index);
    if (step == Step::Up)
      return from->level == top
                 ? *from
                 : SelectionItem{ItemKind::Group, h.groupOf(from->level + 1, begin), from->level + 1};
    if (step == Step::Down)
      return from->level == 0
                 ? SelectionItem{ItemKind::Device, begin}
                 : SelectionItem{ItemKind::Group, h.groupOf(from->level - 1, begin), from->level - 1};
    const int index =
        std::clamp(from->index + (step == Step::Right ? 1 : -1), 0, h.groupCount(from->level) - 1);
    return SelectionItem{ItemKind::Group, index, from->level};
  }
  int device = from->kind == ItemKind::Device ? from->index : 0;
  if (from->kind != ItemKind::Device)
    if (const auto stage = stageOf(*from, c)) device = Placement(*c.shownPlan()).device(*stage, 0, 0).value;
  device = std::clamp(device, 0, h.deviceCount() - 1);
  if (step == Step::Up) return SelectionItem{ItemKind::Group, h.groupOf(0, device), 0};
  if (step == Step::Down) return SelectionItem{ItemKind::Device, device};
  return SelectionItem{ItemKind::Device,
                       std::clamp(device + (step == Step::Right ? 1 : -1), 0, h.deviceCount() - 1)};
}

void TopologyFigure::zoomAt(const QPointF& at, double factor, const QRectF& area, const PlanContext& c) {
  if (!isShown(c)) return;
  const Shown before = show(area, c, false);
  const double zoom = std::clamp(m_zoom * factor, 0.5, std::max(8.0, 120 / before.layout->fitScale()));
  const QPointF fixed = before.toUnits(at);
  m_zoom = zoom;
  const Shown after = show(area, c, false);
  m_pan += fixed - after.toUnits(at);
  if (m_zoom <= 1) m_pan = {};
}

std::map<std::string, double> TopologyFigure::viewport() const {
  return {{"zoom", m_zoom}, {"x", m_pan.x()}, {"y", m_pan.y()}};
}

void TopologyFigure::setViewport(const std::map<std::string, double>& wanted) {
  const auto zoom = wanted.find("zoom"), x = wanted.find("x"), y = wanted.find("y");
  if (zoom == wanted.end() || x == wanted.end() || y == wanted.end()) return;
  m_zoom = std::clamp(zoom->second, 0.5, 1e6);
  m_pan = m_zoom <= 1 ? QPointF() : QPointF(x->second, y->second);
}

void TopologyFigure::panBy(const QPointF& pixels, const QRectF& area, const PlanContext& c) {
  if (!isShown(c) || m_zoom <= 1) return;  // all of it is in sight
  const Shown shown = show(area, c, false);
  const QSizeF size = shown.layout->size();
  m_pan -= pixels / shown.scale;
  m_pan.setX(std::clamp(m_pan.x(), -size.width() / 2, size.width() / 2));
  m_pan.setY(std::clamp(m_pan.y(), -size.height() / 2, size.height() / 2));
}

QString TopologyFigure::sentenceOf(const SelectionItem& item, const PlanContext& c) const {
  const Hierarchy& h = *c.problem->cluster;
  if (item.kind == ItemKind::Device && item.index >= 0 && item.index < h.deviceCount()) {
    return deviceName(h, item.index) + QStringLiteral(": ") + rankText(classesOf(c).seats().at(item.index));
  }
  if (item.kind == ItemKind::Group && item.level >= 0 && item.level < h.levelCount() && item.index >= 0 &&
      item.index < h.groupCount(item.level)) {
    const auto [begin, end] = h.groupSpan(item.level, item.index);
    return QStringLiteral("%1: %2, %3")
        .arg(phrase(h.groupName(item.level, item.index)), plural(end - begin, QStringLiteral("device")),
             hostSpan(h, begin, end));
  }
  const auto stage = stageOf(item, c);
  return stage ? QStringLiteral("Stage %1").arg(stageNumber(*stage)) : QString();
}

QString TopologyFigure::words(const PlanContext& c) const {
  const Hierarchy& h = *c.problem->cluster;
  QString out = title() + u'\n' + sentence(c) + u'\n';
  for (const UnplannedGroup& g : unplannedOf(c))
    for (const std::string& host : g.hosts)
      out += phrase(host) + (g.isPartly ? QStringLiteral(": partly ") : QStringLiteral(": ")) +
             phrase(std::string(nameOf(g.state))) + QStringLiteral(", not planned on\n");
  for (int l = 0; l < h.levelCount(); ++l)
    out += QStringLiteral("Level %1: %2, %3 groups\n")
               .arg(l)
               .arg(levelText(h.level(l)), countText(h.groupCount(l)));
  // Host by host, neighbours with the same stages together.
  const auto& classes = classesOf(c);
  for (int g = 0; g < h.groupCount(0);) {
    int last = g;
    while (last + 1 < h.groupCount(0) && classes.classOf(0, last + 1) == classes.classOf(0, g)) ++last;
    const auto [begin, end] = h.groupSpan(0, g);
    out += hostSpan(h, begin, h.groupSpan(0, last).second) + QStringLiteral(":");
    for (int d = begin; d < end;) {
      int run = d;
      const int stage = classes.seats().at(d).stage;
      while (run + 1 < end && classes.seats().at(run + 1).stage == stage) ++run;
      out +=
          QStringLiteral(" %1 × %2")
              .arg(run - d + 1)
              .arg(stage < 0 ? QStringLiteral("idle") : QStringLiteral("stage %1").arg(stageNumber(stage)));
      d = run + 1;
    }
    out += u'\n';
    g = last + 1;
  }
  return out;
}

std::vector<FigureOption> TopologyFigure::offeredOptions(const PlanContext& c) const {
  FigureOption colour = colourOption(c, m_colouredBy);
  const Plan* plan = c.shownPlan();
  const bool hasTensor = !plan || std::any_of(plan->stages.begin(), plan->stages.end(),
                                              [](const StagePlan& s) { return s.strategy.tensor > 1; });
  if (hasTensor) colour.choices.push_back({shadeName(DeviceShade::TensorRank), QStringLiteral("TP rank")});
  colour.choices.push_back({shadeName(DeviceShade::Memory), QStringLiteral("Memory")});
  colour.choices.push_back({shadeName(DeviceShade::Busy), QStringLiteral("Busy share")});
  if (m_shade != DeviceShade::None && (m_shade != DeviceShade::TensorRank || hasTensor))
    colour.value = shadeName(m_shade);
  return {std::move(colour),
          foldingOption(m_folding),
          {"traffic", QStringLiteral("Traffic"),
           QStringLiteral("Colour the boxes by the longest time that a device spends sending"),
           withExchanges({{"none", QStringLiteral("None")}, {"all", nameOfKind(std::nullopt)}}),
           m_trafficKind == kNoTraffic    ? "none"
           : m_trafficKind == kAllTraffic ? "all"
                                          : nameOf(static_cast<Exchange>(m_trafficKind))},
          {"level",
           QStringLiteral("Level"),
           {},
           withLevels({{"every", QStringLiteral("All")}}, c),
           m_trafficLevel < 0 ? "every" : levelChoice(m_trafficLevel)}};
}

void TopologyFigure::setOption(const std::string& key, const std::string& name) {
  if (key == "colour") {
    setShade(DeviceShade::None);
    for (const DeviceShade s : {DeviceShade::TensorRank, DeviceShade::Memory, DeviceShade::Busy})
      if (name == shadeName(s)) setShade(s);
    if (m_shade == DeviceShade::None) setColouredBy(colouredByNamed(name, m_colouredBy));
  }
  if (key == "folding") setFolding(foldingNamed(name));
  if (key == "traffic") {
    const auto kind = exchangeNamed(name);
    setTraffic(kind ? static_cast<int>(*kind) : name == "all" ? kAllTraffic : kNoTraffic);
  }
  if (key == "level") setTrafficLevel(levelNamed(name));
}

}  // namespace nest
