#include "figures/topology/topology_painter.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "evaluation/schedule.h"
#include "figures/paint/edge.h"
#include "figures/paint/phrases.h"
#include "figures/plan/kinds.h"
#include "units/text.h"
#include "words/metric_words.h"

namespace nest {
namespace {

using Role = Theme::Role;

constexpr double kSmallestDevice = 3.5;  ///< pixels; smaller ones are painted as runs of their host
constexpr double kSmallestGroup = 5;     ///< pixels; smaller groups are painted as one
constexpr double kLabelDevice = 11;      ///< pixels of height from which a device carries its stage number
constexpr double kSmallestText = 8.5;
constexpr double kRankDevice = 60, kMemoryDevice = 120;  ///< pixels of height from which a device says more

}  // namespace

QColor LevelTraffic::color(int level, int group, const Theme& theme) const {
  constexpr double kDecades = 4;
  const auto& all = only < 0 ? busy : sending;
  const double most = std::max_element(all.begin(), all.end())->value(), here = timeOf(level, group).value();
  if (!(here > 0)) return theme.color(Role::Canvas);
  const double x = only < 0 ? 1 + std::log10(here / most) / kDecades : here / most;
  return theme.magnitude(0.15 + 0.85 * std::clamp(x, 0.0, 1.0));
}

int LevelTraffic::busiest() const {
  if (busy.empty()) return -1;
  const auto most = std::max_element(busy.begin(), busy.end());
  return *most > Seconds() ? static_cast<int>(most - busy.begin()) : -1;
}

const ScheduleInstant* instantOf(const FigureStyle& style) {
  return style.playhead && !style.standalone ? &*style.playhead : nullptr;
}

const ExchangeInstant* exchangeOf(const FigureStyle& style) {
  return style.exchange && !style.standalone ? &*style.exchange : nullptr;
}

std::vector<double> sharesOf(DeviceShade shade, const PlanContext& c, const ScheduleInstant* now) {
  std::vector<double> out;
  const Evaluation* e = c.shownEvaluation();
  if (!e || (shade != DeviceShade::Memory && shade != DeviceShade::Busy)) return out;
  for (std::size_t i = 0; i < e->stages.size(); ++i) {
    const StageEvaluation& s = e->stages[i];
    if (shade == DeviceShade::Memory) {
      const Bytes used = now && i < now->memory.size() ? now->memory[i] : s.memory.total();
      out.push_back(s.memory.capacity > Bytes() ? used / s.memory.capacity : 0);
    } else
      out.push_back(
          e->batchTime > Seconds() ? stepParts(*e, static_cast<int>(i)).busy() / e->batchTime.value() : 0);
  }
  return out;
}

TopologyPainter::TopologyPainter(FigurePainter& ink, const PlanContext& c, const TopologyLayout& layout,
                                 const QRectF& canvas, double scale, const QPointF& origin,
                                 LevelTraffic traffic, Together colouredBy, DeviceShade shade)
    : m_ink(ink),
      m_context(c),
      m_layout(layout),
      m_canvas(canvas),
      m_scale(scale),
      m_origin(origin),
      m_focus(c, ink.style()),
      m_traffic(std::move(traffic)),
      m_colouredBy(colouredBy),
      m_shade(shade),
      m_shares(sharesOf(shade, c, instantOf(ink.style()))),
      m_boxes(static_cast<std::size_t>(layout.classes().cluster().levelCount())) {}

/// At the play head this stage has nothing to do, or it takes no part in the exchange that is played.
bool TopologyPainter::rests(int stage) const {
  if (const ExchangeInstant* x = exchangeOf(m_ink.style())) {
    const PlanExchange& played = x->replay->exchange();
    return stage != played.stage && stage != played.run->from && stage != played.run->to;
  }
  const auto& playhead = m_ink.style().playhead;
  if (!playhead || m_ink.style().standalone) return false;
  return std::none_of(playhead->running.begin(), playhead->running.end(),
                      [stage](const RunningTask& r) { return r.stage == stage; });
}

RankKind TopologyPainter::kindAt(int device) const {
  const Seat seat = m_layout.classes().seats().at(device);
  const Plan* plan = m_context.shownPlan();
  if (m_shade == DeviceShade::TensorRank && plan && !seat.idle())
    return {seat.stage,
            seat.rank % std::max(1, plan->stages[static_cast<std::size_t>(seat.stage)].strategy.tensor), 0};
  return kindOf(seat, plan, m_shares.empty() ? m_colouredBy : Together::Stage);
}

/// A magnitude on the ramp, or the colour of what ranks have in common.
QColor TopologyPainter::colourOf(const RankKind& kind) const {
  if (kind.stage < 0) return m_ink.color(Role::Idle);
  if (static_cast<std::size_t>(kind.stage) >= m_shares.size())
    return m_ink.stageColor(kind.colour(), dims(kind));
  const double share = m_shares[static_cast<std::size_t>(kind.stage)];
  if (share > 1 + 1e-9) return m_ink.color(Role::Error);
  const QColor c = m_ink.theme().magnitude(0.1 + 0.9 * std::clamp(share, 0.0, 1.0));
  return dims(kind) ? mixed(c, m_ink.color(Role::Canvas), 0.65) : c;
}

/// What crosses this level at the play head: messages between stages or replicas, or those within passes.
TopologyPainter::Crossing TopologyPainter::crossing(int level) const {
  const auto& playhead = m_ink.style().playhead;
  const Evaluation* e = m_context.shownEvaluation();
  Crossing out = Crossing::Nothing;
  if (const ExchangeInstant* x = exchangeOf(m_ink.style()))
    return x->running() && x->running()->level == level ? Crossing::Between : Crossing::Nothing;
  if (!playhead || m_ink.style().standalone || !e) return out;
  for (const RunningTask& r : playhead->running) {
    if (r.stage < 0 || static_cast<std::size_t>(r.stage) >= e->stages.size()) continue;
    if (r.level == level) return Crossing::Between;
    const StageEvaluation& s = e->stages[static_cast<std::size_t>(r.stage)];
    const bool computes =
        r.kind == TaskKind::Forward || r.kind == TaskKind::Backward || r.kind == TaskKind::WeightGradient;
    if (computes && (s.tensorLevel == level || s.contextLevel == level || s.expertLevel == level))
      out = Crossing::Within;
  }
  return out;
}

void TopologyPainter::paint() {
  QPainter& p = m_ink.painter();
  p.save();
  p.setClipRect(m_canvas);
  collect(m_layout.root());
  p.setRenderHint(QPainter::Antialiasing, m_scale >= 6);
  paintBoxes();
  paintDevices();
  p.setRenderHint(QPainter::Antialiasing, true);
  paintHeaders();
  paintBottleneck();
  paintMarks();
  p.restore();
}

void TopologyPainter::collect(const Box& box) {
  const QRectF rect = pixels(box.rect);
  if (!rect.intersects(m_canvas)) return;
  if (std::min(rect.width(), rect.height()) < kSmallestGroup) return collectRuns(box, rect);
  m_boxes[box.level].push_back(box);
  if (box.level == 0) return collectHost(box);
  for (const Box& child : m_layout.childrenOf(box)) collect(child);
}

void TopologyPainter::collectHost(const Box& host) {
  const auto [begin, end] = m_layout.classes().cluster().groupSpan(0, host.group);
  if (m_scale < kSmallestDevice) {
    const QRectF body = pixels(host.rect.adjusted(0.2, m_layout.header(0), -0.2, -0.2));
    return collectRuns(host, body);
  }
  const bool labels = m_scale >= kLabelDevice;
  for (int d = begin; d < end; ++d) {
    const QRectF rect = pixels(m_layout.deviceRect(host, d - begin));
    if (!rect.intersects(m_canvas)) continue;
    const RankKind kind = kindAt(d);
    m_fills[kind].push_back(rect);
    if (labels)
      m_labelled[kind].push_back({rect, d});
    else
      m_ink.leaveOut();
  }
}

/// The devices of a group side by side in one box, neighbours of one colour together.
void TopologyPainter::collectRuns(const Box& box, const QRectF& rect) {
  const auto [begin, end] = m_layout.classes().cluster().groupSpan(box.level, box.group);
  if (rect.width() < 3 || end - begin > 64) {
    m_fills[kindAt(begin)].push_back(rect);
    return;
  }
  const double w = rect.width() / (end - begin);
  for (int d = begin; d < end;) {
    const RankKind kind = kindAt(d);
    int last = d;
    while (last < end && kindAt(last) == kind) ++last;
    m_fills[kind].push_back(QRectF(rect.left() + (d - begin) * w, rect.top(), (last - d) * w, rect.height()));
    d = last;
  }
}

/// Inner boxes stand out from the outer ones by a step of the same tone, or by what they carry.
QColor TopologyPainter::groundOf(const Box& box) const {
  if (m_traffic.tints(box.level)) return m_traffic.color(box.level, box.group, m_ink.theme());
  const auto levels = static_cast<int>(m_boxes.size());
  return mixed(m_ink.color(Role::Canvas), m_ink.color(Role::Border),
               (levels - box.level) % 2 == 1 ? 0.2 : 0.0);
}

void TopologyPainter::paintBoxes() {
  QPainter& p = m_ink.painter();
  const auto levels = static_cast<int>(m_boxes.size());
  for (int l = levels - 1; l >= 0; --l) {
    const auto& boxes = m_boxes[l];
    if (boxes.empty()) continue;
    const QColor edge = mixed(m_ink.color(Role::Border), m_ink.color(Role::Text), 0.12 * l);
    // Those behind stay clear of the words in the header around them.
    const double behind = l + 1 < levels ? std::clamp(0.2 * m_layout.header(l + 1) * m_scale, 2.0, 5.0) : 5.0;
    std::map<QRgb, std::vector<QRectF>> rects;
    for (const Box& box : boxes) {
      const QRectF r = pixels(box.rect);
      const QColor ground = groundOf(box);
      if (box.count > 1 && r.width() > 20)
        for (const double shift : {behind, behind / 2}) {
          p.setPen(QPen(edge, 1));
          p.setBrush(ground);
          p.drawRect(r.translated(shift, -shift));
        }
      rects[ground.rgb()].push_back(r);
    }
    const bool framed = pixels(boxes.front().rect).width() >= 14;
    const Crossing busy = crossing(l);
    const double width = busy == Crossing::Between ? 2.5 : busy == Crossing::Within ? 1.4 : l > 0 ? 1.2 : 1;
    p.setPen(framed ? QPen(busy == Crossing::Nothing ? edge : m_ink.color(Role::Accent), width)
                    : QPen(Qt::NoPen));
    for (const auto& [ground, alike] : rects) {
      p.setBrush(QColor::fromRgb(ground));
      p.drawRects(alike.data(), static_cast<int>(alike.size()));
    }
  }
}

void TopologyPainter::paintDevices() {
  QPainter& p = m_ink.painter();
  const bool hatched = m_scale >= 7;
  for (const auto& [kind, rects] : m_fills) {
    const bool idle = kind.stage < 0;
    const QColor c = colourOf(kind);
    p.setPen(Qt::NoPen);
    if (m_traffic.shown() && m_scale >= 6) {
      // On a tinted ground a stage of the same tone would vanish. Larger boxes behind cost less than frames.
      std::vector<QRectF> behind;
      for (const QRectF& r : rects) behind.push_back(r.adjusted(-0.8, -0.8, 0.8, 0.8));
      p.setBrush(m_ink.color(Role::Canvas));
      p.drawRects(behind.data(), static_cast<int>(behind.size()));
    }
    p.setBrush(c);
    p.drawRects(rects.data(), static_cast<int>(rects.size()));
    const int pattern = idle || !m_shares.empty() ? 0 : m_ink.theme().stageHatch(kind.colour());
    if (hatched && pattern != 0) {
      std::vector<QLineF> lines;
      for (const QRectF& r : rects) FigurePainter::hatchLines(r, pattern, 6, lines);
      p.setPen(QPen(mixed(c, m_ink.theme().textOn(c), 0.35), 1, Qt::SolidLine, Qt::FlatCap));
      p.drawLines(lines.data(), static_cast<int>(lines.size()));
    }
    paintEdges(m_ink, rects, c);
  }
  p.setRenderHint(QPainter::Antialiasing, true);
  for (const auto& [kind, cells] : m_labelled) {
    if (kind.stage < 0) continue;
    const QColor c = colourOf(kind);
    const QColor ink = m_ink.theme().textOn(c);
    const QString number = !m_shares.empty() && static_cast<std::size_t>(kind.stage) < m_shares.size()
                               ? phrase(text::number(100 * m_shares[static_cast<std::size_t>(kind.stage)], 2))
                           : m_shade == DeviceShade::TensorRank ? QString::number(kind.group)
                                                                : kind.number(m_colouredBy);
    const double size = std::clamp(m_scale * 0.5, 8.0, std::max(15.0, m_scale * 0.16));
    const bool hatch = m_shares.empty() && m_ink.theme().stageHatch(kind.colour()) != 0;
    const double plate = FigurePainter::width(number, size, true) + 4;
    const bool second = m_scale >= 34;
    // One way of writing replicas for the whole picture: the long one if its longest fits everywhere.
    const double small = std::clamp(m_scale * 0.28, 8.0, std::max(12.0, m_scale * 0.12));
    const QString longest =
        QStringLiteral("replica %1")
            .arg(std::max(0, m_context.shownPlan() ? m_context.shownPlan()->dataDegree() - 1 : 0));
    const QString replica = FigurePainter::width(longest, small) <= m_scale * TopologyLayout::kDeviceWidth - 6
                                ? QStringLiteral("replica %1")
                                : QStringLiteral("r%1");
    for (const Cell& cell : cells) {
      QRectF box = cell.rect;
      if (second)
        box.setHeight(box.height() * (m_scale >= kMemoryDevice ? 0.34
                                      : m_scale >= kRankDevice ? 0.48
                                                               : 0.58));
      if (plate > box.width()) {
        m_ink.leaveOut();
        continue;
      }
      if (hatch && !second)
        m_ink.fill(QRectF(box.center().x() - plate / 2, box.center().y() - size * 0.55, plate, size * 1.1),
                   c);
      if (hatch && second) m_ink.fill(cell.rect.adjusted(4, 4, -4, -4), c);
      m_ink.firstThatFits(box, {number}, Qt::AlignCenter, size, ink, true);
      if (!second) continue;
      const Seat seat = m_layout.classes().seats().at(cell.device);
      if (m_scale >= kRankDevice) {
        paintDetails(cell.rect, cell.device, c, ink);
        continue;
      }
      const QRectF below(cell.rect.left() + 3, cell.rect.top() + cell.rect.height() * 0.5,
                         cell.rect.width() - 6, cell.rect.height() * 0.42);
      m_ink.firstThatFits(below, {replica.arg(seat.replica)}, Qt::AlignCenter, small, ink);
    }
  }
}

/// Of a device that is large enough: replica and rank, its number, and from kMemoryDevice on its memory.
void TopologyPainter::paintDetails(const QRectF& device, int index, const QColor& ground,
                                   const QColor& text) {
  const Seat seat = m_layout.classes().seats().at(index);
  const bool withMemory = m_scale >= kMemoryDevice;
  const double small = std::clamp(m_scale * (withMemory ? 0.1 : 0.13), 9.0, 16.0), line = small * 1.35;
  double y = device.top() + device.height() * (withMemory ? 0.36 : 0.5);
  const auto say = [&](const QStringList& choices) {
    m_ink.firstThatFits({device.left() + 4, y, device.width() - 8, line}, choices, Qt::AlignCenter, small,
                        text);
    y += line;
  };
  say({QStringLiteral("replica %1, rank %2").arg(seat.replica).arg(seat.rank),
       QStringLiteral("r%1 · rank %2").arg(seat.replica).arg(seat.rank),
       QStringLiteral("r%1.%2").arg(seat.replica).arg(seat.rank)});
  say({QStringLiteral("device %1").arg(countText(index)), countText(index)});
  const Evaluation* e = m_context.shownEvaluation();
  if (!withMemory || !e || static_cast<std::size_t>(seat.stage) >= e->stages.size()) return;
  const MemoryUse& use = e->stages[static_cast<std::size_t>(seat.stage)].memory;
  const double whole = std::max(use.capacity, use.total()).value();
  const QRectF bar(device.left() + 8, device.bottom() - 6 - small, device.width() - 16, small);
  m_ink.fill(bar, mixed(ground, m_ink.color(Role::Canvas), 0.75));
  double x = bar.left();
  const auto parts = memoryParts(use);
  for (int k = 0; k < kMemoryPartCount && whole > 0; ++k) {
    const double w = parts[static_cast<std::size_t>(k)] / whole * bar.width();
    if (w < 0.5) continue;
    const QColor fill = colorOf(static_cast<MemoryPart>(k), m_ink.theme());
    m_ink.fill({x, bar.top(), w, bar.height()}, fill);
    paintEdge(m_ink, {x, bar.top(), w, bar.height()}, fill);
    x += w;
  }
  const bool over = use.headroom() < Bytes();
  m_ink.outline(bar, over ? m_ink.color(Role::Error) : text, over ? 2 : 1);
  m_ink.firstThatFits({bar.left(), bar.top() - line, bar.width(), line},
                      {phrase(words::memory(use)), memoryText(use.predicted())}, Qt::AlignCenter, small,
                      text);
}

/// The level that is busy for the largest part of the step, named with a line to one of its boxes.
void TopologyPainter::paintBottleneck() {
  const int level = m_traffic.busiest();
  if (level < 0 || m_traffic.only >= 0 || m_boxes[static_cast<std::size_t>(level)].empty()) return;
  const double share = m_traffic.share(m_traffic.busy[static_cast<std::size_t>(level)]);
  if (!(share > 0)) return;
  const QString name = phrase(m_layout.classes().cluster().level(level).name);
  const QString said = QStringLiteral("busiest: %1, %2 of the step").arg(name, phrase(text::percent(share)));
  const double w = FigurePainter::width(said, FigurePainter::kBody, true) + 16;
  QRectF plate(m_canvas.right() - w - 10, m_canvas.top() + 10, w, 22);
  if (plate.left() < m_canvas.left() || m_canvas.height() < 80) return;
  // To the top edge of the box nearest to the right.
  const auto& boxes = m_boxes[static_cast<std::size_t>(level)];
  const auto last = std::max_element(boxes.begin(), boxes.end(), [&](const Box& a, const Box& b) {
    const QRectF x = pixels(a.rect), y = pixels(b.rect);
    return x.right() - x.top() < y.right() - y.top();
  });
  const QRectF box = pixels(last->rect).intersected(m_canvas);
  const QPointF end(std::clamp(box.center().x(), plate.left() + 10, plate.right() - 10),
                    std::max(box.top(), plate.bottom() + 8));
  m_ink.line({end.x(), plate.bottom()}, end, m_ink.color(Role::Text), 1.4);
  m_ink.fill(QRectF(end.x() - 3, end.y() - 3, 6, 6), m_ink.color(Role::Text));
  m_ink.fill(plate, m_ink.color(Role::Canvas));
  m_ink.outline(plate, m_ink.color(Role::Text), 1.2, 4);
  m_ink.label(plate, said, Qt::AlignCenter, FigurePainter::kBody, m_ink.color(Role::Text), true);
}

QString TopologyPainter::headerText(const Box& box, int variant) const {
  const Hierarchy& h = m_layout.classes().cluster();
  const auto [begin, end] = h.groupSpan(box.level, box.group);
  const NetworkLevel& level = h.level(box.level);
  const QString name = phrase(h.groupName(box.level, box.group));
  switch (variant) {
    case 0:
      return QStringLiteral("%1 · %2 · %3 · %4")
          .arg(name, plural(end - begin, QStringLiteral("device")), phrase(text::bandwidth(level.bandwidth)),
               timeText(level.latency));
    case 1:
      return QStringLiteral("%1 · %2").arg(name, phrase(text::bandwidth(level.bandwidth)));
    case 2:
      return name;
    default:
      break;
  }
  // The number alone where the name is one of a row: "leaf 12", "host12".
  qsizetype digits = name.size();
  while (digits > 0 && name.at(digits - 1).isDigit()) --digits;
  return digits < name.size() ? name.mid(digits) : name;
}

std::optional<TopologyPainter::Header> TopologyPainter::headerOf(const Box& box) const {
  const QRectF r = pixels(box.rect);
  const double room = m_layout.header(box.level) * m_scale;
  const double size = std::min(room * 0.68, box.level == 0 ? 11.5 : 13.0);
  const double margin = std::min(6.0, 0.2 * m_scale + 1);
  Header out{QRectF(r.left() + margin, r.top(), r.width() - 2 * margin, room), size, size < kSmallestText};
  if (!out.tight) return out;
  if (r.width() < 58 || r.height() < 26 || box.level == 0) return std::nullopt;
  out.size = 10;
  return out;
}

/// Siblings say equally much: how far the headers of a level must be shortened so that each whole box in
/// sight has room for its own. Names are never shortened for the sake of others.
int TopologyPainter::briefest(const std::vector<Box>& boxes) const {
  int variant = 0;
  for (const Box& box : boxes) {
    if (variant == 2) break;
    const auto header = headerOf(box);
    if (!header || header->tight || header->line.left() < m_canvas.left()) continue;
    const double count =
        box.count > 1 ? FigurePainter::width(QStringLiteral("×%1").arg(box.count), header->size, true) + 8
                      : 0;
    while (variant < 2 && FigurePainter::width(headerText(box, variant), header->size, box.level > 0) >
                              header->line.width() - count)
      ++variant;
  }
  return variant;
}

void TopologyPainter::paintHeaders() {
  std::vector<QRectF> written;  // inner names first: an outer one does not lie over them
  const auto isFree = [&](const QRectF& spot) {
    return std::none_of(written.begin(), written.end(),
                        [&](const QRectF& other) { return other.intersects(spot.adjusted(3, 2, -3, -2)); });
  };
  bool holdsBoxes = false;
  for (const auto& boxes : m_boxes) {
    const int variant = briefest(boxes);
    for (const Box& box : boxes) {
      const auto header = headerOf(box);
      if (!header) continue;
      auto [line, size, tight] = *header;
      const QRectF r = pixels(box.rect);
      const QColor strong =
          m_traffic.tints(box.level) ? m_ink.theme().textOn(groundOf(box)) : m_ink.color(Role::Text);
      const QColor color = box.level == 0 && !m_traffic.tints(0) ? m_ink.color(Role::MutedText) : strong;
      if (box.count > 1) {
        const QString times = QStringLiteral("×%1").arg(countText(box.count));
        const double w = FigurePainter::width(times, size, true) + 2;
        const QRectF spot = tight ? QRectF(line.right() - w, r.top() + 2, w, 14)
                                  : QRectF(line.right() - w, line.top(), w, line.height());
        if (w < line.width() && (!tight || isFree(spot))) {
          if (tight) written.push_back(spot);
          m_ink.label(spot, times, Qt::AlignRight | Qt::AlignVCenter, size, strong, true);
          line.setRight(line.right() - w - 6);
        }
      }
      if (tight) {
        const QString name = headerText(box, 2);
        const double w = FigurePainter::width(name, size, true) + 8;
        // On the frame where boxes stand inside: over these it would hide what the figure is about.
        const QRectF plate = holdsBoxes ? QRectF(r.left() + 6, r.top() - 7, w, 14)
                                        : QRectF(r.center().x() - w / 2, r.center().y() - 8, w, 16);
        if (w > r.width() || !isFree(plate)) continue;
        written.push_back(plate);
        m_ink.fill(plate, m_ink.color(Role::Canvas));
        m_ink.label(plate, name, Qt::AlignCenter, size, m_ink.color(Role::Text), true);
        continue;
      }
      // Long boxes that are partly out of sight keep their label in view.
      line.setLeft(std::min(std::max(line.left(), m_canvas.left() + 4), line.right()));
      QStringList choices;
      for (int v = variant; v <= 3; ++v) choices << headerText(box, v);
      m_ink.firstThatFits(line, choices, Qt::AlignLeft | Qt::AlignVCenter, size, color, box.level > 0);
    }
    holdsBoxes = holdsBoxes || !boxes.empty();
  }
}

void TopologyPainter::paintMarks() {
  if (m_ink.style().standalone) return;
  const Hierarchy& h = m_layout.classes().cluster();
  const auto mark = [&](const SelectionItem& item, const QColor& color, const auto& again) -> void {
    if (item.kind == ItemKind::Device && item.index >= 0 && item.index < h.deviceCount()) {
      m_ink.outline(pixels(m_layout.rectOfDevice(item.index)).adjusted(-1.5, -1.5, 1.5, 1.5), color, 2.2);
    } else if (item.kind == ItemKind::Group && item.level >= 0 && item.level < h.levelCount() &&
               item.index >= 0 && item.index < h.groupCount(item.level)) {
      m_ink.outline(pixels(m_layout.boxOf(item.level, item.index).rect), color, 2.2);
    } else if (const auto ends = endsOf(item, h)) {
      for (const SelectionItem& end : {ends->first, ends->second}) again(end, color, again);
    }
  };
  if (m_ink.style().selected) mark(*m_ink.style().selected, m_ink.color(Role::Selection), mark);
  if (m_ink.style().hovered) mark(*m_ink.style().hovered, m_ink.color(Role::Hover), mark);
  if (const auto stage = m_focus.selected()) {
    QPainter& p = m_ink.painter();
    p.setPen(QPen(m_ink.color(Role::Selection), m_scale > 8 ? 2 : 1));
    p.setBrush(Qt::NoBrush);
    std::size_t count = 0;
    for (auto found = m_fills.lower_bound({*stage, 0});
         found != m_fills.end() && found->first.stage == *stage; ++found) {
      if ((count += found->second.size()) > 4096) return;
      p.drawRects(found->second.data(), static_cast<int>(found->second.size()));
    }
  }
}

}  // namespace nest
