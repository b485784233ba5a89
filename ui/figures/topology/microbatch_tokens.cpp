#include "figures/topology/microbatch_tokens.h"

#include <QLineF>
#include <QPolygonF>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "figures/paint/figure_painter.h"
#include "figures/plan/kinds.h"
#include "figures/plan/memory_curve.h"
#include "figures/plan/timeline_rows.h"
#include "units/at.h"

namespace nest {
namespace {

using Role = Theme::Role;

constexpr double kTallestTag = 26, kLowestTag = 15;  ///< pixels of a tag
constexpr double kLeastDistance = 26;                ///< pixels between stages below which tags become dots
constexpr double kDot = 4;
constexpr double kBarHeight = 5;
constexpr double kWordyDevice = 34;  ///< pixels of a device from which it says more than its stage

/// Where the line from one rectangle's middle to a point leaves it.
QPointF edgeTowards(const QRectF& r, const QPointF& to) {
  const QPointF middle = r.center(), way = to - middle;
  const double x = way.x() == 0 ? std::numeric_limits<double>::infinity() : r.width() / 2 / std::abs(way.x()),
               y = way.y() == 0 ? std::numeric_limits<double>::infinity()
                                : r.height() / 2 / std::abs(way.y());
  const double t = std::min({x, y, 1.0});
  return middle + way * t;
}

bool isTransfer(TaskKind kind) {
  return kind == TaskKind::ActivationTransfer || kind == TaskKind::GradientTransfer;
}

bool isForward(TaskKind kind) {
  return kind == TaskKind::Forward || kind == TaskKind::ActivationTransfer;
}

bool isBackward(TaskKind kind) {
  return kind == TaskKind::Backward || kind == TaskKind::GradientTransfer;
}

QString textOf(const RunningTask& t) {
  if (t.kind == TaskKind::Sync) return QStringLiteral("DP");
  if (t.kind == TaskKind::Step) return QStringLiteral("opt");
  return t.microbatch < 0 ? QString() : QString::number(t.microbatch);
}

/// A tag around a point that points where its microbatch goes.
QPolygonF tagOf(const QPointF& at, double width, double height, TaskKind kind) {
  const double w = width / 2, h = height / 2, nose = 0.45 * height;
  QPolygonF out;
  if (isForward(kind))
    out << QPointF(-w, -h) << QPointF(w, -h) << QPointF(w + nose, 0) << QPointF(w, h) << QPointF(-w, h);
  else if (isBackward(kind))
    out << QPointF(w, -h) << QPointF(-w, -h) << QPointF(-w - nose, 0) << QPointF(-w, h) << QPointF(w, h);
  else
    out << QPointF(-w, -h) << QPointF(w, -h) << QPointF(w, h) << QPointF(-w, h);
  return out.translated(at);
}

class Tokens {
public:
  Tokens(FigurePainter& ink, const ScheduleInstant& now, const StagePlaces& places, const TopologyScale& to,
         const PlanContext& c)
      : m_ink(ink), m_now(now), m_places(places), m_to(to), m_context(c) {
    const double distance = places.closest() * to.scale;
    m_dots = places.count() > 1 && distance < kLeastDistance;
    m_height =
        std::clamp(0.55 * to.scale, kLowestTag, std::min(kTallestTag, std::max(kLowestTag, 0.5 * distance)));
    if (places.count() == 1) m_height = std::clamp(0.55 * to.scale, kLowestTag, kTallestTag);
  }

  void paint() {
    for (const RunningTask& t : m_now.running)
      if (isTransfer(t.kind)) paintPath(t);
    if (!m_dots)
      for (int s = 0; s < m_places.count(); ++s) paintMemory(s);
    for (const RunningTask& t : m_now.running)
      if (isShown(t)) paintToken(t);
  }

private:
  bool isShown(const RunningTask& t) const { return t.stage >= 0 && t.stage < m_places.count(); }
  bool travels(const RunningTask& t) const {
    return isTransfer(t.kind) && isShown(t) && t.from >= 0 && t.from < m_places.count() && t.from != t.stage;
  }

  std::vector<QPointF> pathOf(const RunningTask& t) const {
    std::vector<QPointF> out = m_places.path(t.from, t.stage);
    for (QPointF& p : out) p = m_to(p);
    out.front() = placeOf(t.from);
    out.back() = placeOf(t.stage);
    return out;
  }

  bool coversWords() const { return m_to.scale >= kWordyDevice; }
  /// Where a tag stands: over the devices, or on their upper edge where it would cover what they say.
  QPointF placeOf(int stage) const {
    const QRectF r = m_to(m_places.of(stage));
    return coversWords() ? QPointF(r.center().x(), r.top()) : r.center();
  }

  void paintPath(const RunningTask& t) {
    if (!travels(t)) return;
    const auto path = pathOf(t);
    for (const auto& [role, width] : {std::pair(Role::Canvas, 5.0), std::pair(Role::Accent, 2.4)})
      for (std::size_t k = 0; k + 1 < path.size(); ++k)
        m_ink.line(path[k], path[k + 1], m_ink.color(role), width);
  }

  void paintToken(const RunningTask& t) {
    const QPointF at = travels(t) ? alongPath(pathOf(t), t.done) : placeOf(t.stage);
    const QColor colour = colorOf(partOf(t.kind), m_ink.theme());
    QPainter& p = m_ink.painter();
    const QString text = textOf(t);
    const double size = std::clamp(0.62 * m_height, 9.0, 15.0);
    const double width =
        m_dots ? 2 * kDot : std::max(m_height, FigurePainter::width(text, size, true) + 0.45 * m_height);
    const QPolygonF tag = tagOf(at, width, m_dots ? 2 * kDot : m_height, t.kind);
    p.setBrush(Qt::NoBrush);
    p.setPen(QPen(m_ink.color(Role::Canvas), 4, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    p.drawPolygon(tag);
    p.setPen(QPen(m_ink.color(Role::Text), 1.2));
    p.setBrush(colour);
    p.drawPolygon(tag);
    if (m_dots) return m_ink.leaveOut();
    m_ink.label(QRectF(at.x() - width / 2 - 2, at.y() - m_height / 2, width + 4, m_height), text,
                Qt::AlignCenter, size, m_ink.theme().textOn(colour), true);
  }

  /// What a device of the stage holds now, of what there is.
  void paintMemory(int stage) {
    const Evaluation* e = m_context.shownEvaluation();
    if (!e || at(stage) >= m_now.memory.size() || at(stage) >= e->stages.size()) return;
    const Bytes capacity = e->stages[at(stage)].memory.capacity, used = m_now.memory[at(stage)];
    if (!(capacity > Bytes())) return;
    const QRectF place = m_to(m_places.of(stage));
    const double width = std::clamp(0.8 * place.width(), 24.0, coversWords() ? 200.0 : 90.0);
    const double y = coversWords() ? place.bottom() + 1 : place.center().y() + m_height / 2 + 4;
    const QRectF bar(place.center().x() - width / 2, y, width, kBarHeight);
    const bool over = isOver(used, capacity);
    m_ink.fill(bar.adjusted(-2, -2, 2, 2), m_ink.color(Role::Canvas));
    m_ink.fill(QRectF(bar.left(), bar.top(), width * std::min(1.0, used / capacity), kBarHeight),
               m_ink.color(over ? Role::Error : Role::Accent));
    m_ink.outline(bar.adjusted(-0.5, -0.5, 0.5, 0.5), m_ink.color(over ? Role::Error : Role::Text), 1);
  }

  FigurePainter& m_ink;
  const ScheduleInstant& m_now;
  const StagePlaces& m_places;
  const TopologyScale& m_to;
  const PlanContext& m_context;
  bool m_dots = false;
  double m_height = kLowestTag;
};

}  // namespace

StagePlaces::StagePlaces(const Plan& plan, const TopologyLayout& layout) {
  const Hierarchy& h = layout.classes().cluster();
  const Placement placement(plan);
  for (int s = 0; s < plan.stageCount(); ++s) {
    const int first = placement.device(s, 0, 0).value;
    if (first < 0 || first >= h.deviceCount()) {
      m_places.clear();
      return;
    }
    Place place;
    for (int l = 0; l < h.levelCount(); ++l) place.around.push_back(layout.boxOf(l, h.groupOf(l, first)));
    place.rect = layout.rectOfDevice(first);
    for (int r = 1; r < placement.ranks(s); ++r) {
      const int device = placement.device(s, 0, r).value;
      if (device < 0 || device >= h.deviceCount() || h.groupOf(0, device) != h.groupOf(0, first)) break;
      place.rect = place.rect.united(layout.rectOfDevice(device));
    }
    m_places.push_back(std::move(place));
  }
  m_closest = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < m_places.size(); ++a)
    for (std::size_t b = a + 1; b < m_places.size(); ++b)
      m_closest = std::min(m_closest, QLineF(m_places[a].rect.center(), m_places[b].rect.center()).length());
}

std::vector<QPointF> StagePlaces::path(int from, int to) const {
  const Place &a = m_places[at(from)], &b = m_places[at(to)];
  std::vector<QPointF> out{a.rect.center()};
  // The outermost boxes that only one of both stands in.
  for (std::size_t l = a.around.size(); l-- > 0;) {
    const QRectF &left = a.around[l].rect, &right = b.around[l].rect;
    if (left == right) continue;
    const QPointF exit = edgeTowards(left, right.center()), entry = edgeTowards(right, left.center());
    out.push_back(exit);
    out.push_back(entry);
    break;
  }
  out.push_back(b.rect.center());
  return out;
}

QPointF alongPath(const std::vector<QPointF>& path, double share) {
  double whole = 0;
  for (std::size_t k = 0; k + 1 < path.size(); ++k) whole += QLineF(path[k], path[k + 1]).length();
  double left = std::clamp(share, 0.0, 1.0) * whole;
  for (std::size_t k = 0; k + 1 < path.size(); ++k) {
    const QLineF part(path[k], path[k + 1]);
    if (left <= part.length()) return part.length() > 0 ? part.pointAt(left / part.length()) : part.p1();
    left -= part.length();
  }
  return path.empty() ? QPointF() : path.back();
}

void paintTokens(FigurePainter& ink, const ScheduleInstant& now, const StagePlaces& places,
                 const TopologyScale& to, const PlanContext& c) {
  Tokens(ink, now, places, to, c).paint();
}

}  // namespace nest
