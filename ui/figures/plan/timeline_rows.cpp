#include "figures/plan/timeline_rows.h"

#include <QImage>
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "figures/paint/edge.h"
#include "figures/paint/figure_painter.h"

namespace nest {
namespace {

using Role = Theme::Role;
constexpr std::size_t kMostTimelineBoxes = 6000;
constexpr double kLeastTask = 2;  ///< pixels of the mean task; narrower ones are drawn as bands
constexpr int kMixedLines = 6;    ///< lines of a row from which two bands may share one, mixed

double gapOf(double row) {
  return row >= 24 ? 3 : row >= 5 ? 1 : 0;
}

QColor dimmed(const QColor& c, const FigurePainter& ink) {
  return mixed(c, ink.color(Role::Canvas), 0.65);
}

/// Pixels of the device to a unit; on paper nobody knows them yet.
double pixelsOf(FigurePainter& ink) {
  return std::max(ink.style().standalone ? 2.0 : 1.0, ink.painter().deviceTransform().m11());
}

}  // namespace

LoadPart partOf(TaskKind kind) {
  switch (kind) {
    case TaskKind::Forward:
      return LoadPart::Forward;
    case TaskKind::Backward:
      return LoadPart::Backward;
    case TaskKind::WeightGradient:
      return LoadPart::WeightGradient;
    case TaskKind::ActivationTransfer:
      return LoadPart::Activation;
    case TaskKind::GradientTransfer:
      return LoadPart::Gradient;
    case TaskKind::Sync:
      return LoadPart::Sync;
    case TaskKind::Step:
      break;
  }
  return LoadPart::Step;
}

/// Told from the gap between rows, where it is as thin.
QColor bubbleColor(const Theme& theme) {
  return theme.color(Role::Idle);
}

QColor bubbleLineColor(const Theme& theme) {
  return mixed(theme.color(Role::Border), theme.color(Role::Text), 0.15);
}

TimelineRows::TimelineRows(const Schedule& schedule, const std::vector<std::size_t>& starts,
                           const QRectF& plot, double begin, double end)
    : m_schedule(schedule),
      m_starts(starts),
      m_plot(plot),
      m_begin(begin),
      m_end(end),
      m_row(std::min(kTallestRow,
                     plot.height() / std::max<double>(1, static_cast<double>(starts.size()) - 1))) {}

std::pair<std::size_t, std::size_t> TimelineRows::visible(int stage) const {
  const auto first = m_schedule.intervals.begin() + static_cast<std::ptrdiff_t>(m_starts[stage]);
  const auto last = m_schedule.intervals.begin() +
                    static_cast<std::ptrdiff_t>(m_starts[static_cast<std::size_t>(stage) + 1]);
  const auto from = std::lower_bound(first, last, m_begin,
                                     [](const ScheduleInterval& i, double t) { return i.end.value() < t; });
  const auto to = std::lower_bound(from, last, m_end,
                                   [](const ScheduleInterval& i, double t) { return i.begin.value() < t; });
  return {static_cast<std::size_t>(from - m_schedule.intervals.begin()),
          static_cast<std::size_t>(to - m_schedule.intervals.begin())};
}

void TimelineRows::paint(FigurePainter& ink, const Focus& focus, TimelineImage& kept) const {
  paintGround(ink);
  if (drawsTasks()) {
    paintBoxes(ink, focus);
    paintNumbers(ink, focus);
  } else {
    paintImage(ink, focus, kept);
  }
}

std::pair<int, int> TimelineRows::linesOf(int stage, double scale) const {
  const double gap = gapOf(m_row) / 2;
  return {static_cast<int>(std::lround((stage * m_row + gap) * scale)),
          static_cast<int>(std::lround(((stage + 1) * m_row - gap) * scale))};
}

QRectF TimelineRows::laneOf(int stage, double scale) const {
  const auto [first, last] = linesOf(stage, scale);
  return {m_plot.left(), m_plot.top() + first / scale, m_plot.width(), (last - first) / scale};
}

/// Bubble everywhere; tasks come over it. Rows without a gap share one hatch.
void TimelineRows::paintGround(FigurePainter& ink) const {
  const double scale = pixelsOf(ink);
  std::vector<QRectF> lanes;
  if (gapOf(m_row) > 0)
    for (int s = 0; s < stageCount(); ++s) lanes.push_back(laneOf(s, scale));
  else
    lanes.push_back(laneOf(0, scale) | laneOf(stageCount() - 1, scale));
  QPainter& p = ink.painter();
  p.setPen(Qt::NoPen);
  p.setBrush(bubbleColor(ink.theme()));
  p.drawRects(lanes.data(), static_cast<int>(lanes.size()));
  std::vector<QLineF> lines;
  for (const QRectF& r : lanes) FigurePainter::hatchLines(r, kBubbleHatch, 7, lines);
  p.setPen(QPen(bubbleLineColor(ink.theme()), 1, Qt::SolidLine, Qt::FlatCap));
  p.drawLines(lines.data(), static_cast<int>(lines.size()));
}

/// The next task has the same colour, and nothing that can be seen lies between.
bool TimelineRows::meetsItsLike(std::size_t task, std::size_t end) const {
  const auto& all = m_schedule.intervals;
  const auto like =
      std::find_if(all.begin() + static_cast<std::ptrdiff_t>(task) + 1,
                   all.begin() + static_cast<std::ptrdiff_t>(end), [](const auto& i) {
                     return i.kind != TaskKind::ActivationTransfer && i.kind != TaskKind::GradientTransfer;
                   });
  const ScheduleInterval& i = all[task];
  return like != all.begin() + static_cast<std::ptrdiff_t>(end) && like->kind == i.kind &&
         like->chunk % 2 == i.chunk % 2 && xOf(like->begin.value()) - xOf(i.end.value()) < 1;
}

void TimelineRows::paintBoxes(FigurePainter& ink, const Focus& focus) const {
  QPainter& p = ink.painter();
  PerLoadPart<std::vector<QRectF>> lit[2], dim[2];  ///< even and odd chunks
  const double scale = pixelsOf(ink);
  for (std::size_t s = 0; s + 1 < m_starts.size(); ++s) {
    auto* const shades = focus.dims(static_cast<int>(s)) ? dim : lit;
    const QRectF lane = laneOf(static_cast<int>(s), scale);
    const auto [from, to] = visible(static_cast<int>(s));
    for (std::size_t k = from; k < to; ++k) {
      const auto& i = m_schedule.intervals[k];
      auto& rects = shades[i.chunk % 2];
      const double a = std::max(xOf(i.begin.value()), m_plot.left()),
                   b = std::min(xOf(i.end.value()), m_plot.right());
      if (b <= a) continue;
      // A hairline between tasks of one colour, so that one can count them.
      const double seam = b - a > 7 && meetsItsLike(k, to) ? 0.7 : 0;
      double begin = a;
      if (i.recompute.value() > 0) {
        begin = std::clamp(xOf((i.begin + i.recompute).value()), a, b);
        if (begin > a) rects[LoadPart::Recompute].push_back(QRectF(a, lane.top(), begin - a, lane.height()));
      }
      if (b > begin)
        rects[partOf(i.kind)].push_back(QRectF(begin, lane.top(), b - begin - seam, lane.height()));
    }
  }
  for (const LoadPart part :
       {LoadPart::Forward, LoadPart::Backward, LoadPart::WeightGradient, LoadPart::Recompute,
        LoadPart::Activation, LoadPart::Gradient, LoadPart::Sync, LoadPart::Step})
    for (const int look : {0, 1, 2, 3}) {
      const bool dims = look > 1;
      const auto& rects = (dims ? dim : lit)[look % 2][part];
      if (rects.empty()) continue;
      QColor c = colorOf(part, ink.theme());
      if (look % 2 == 1) c = mixed(c, ink.color(Role::Canvas), 0.28);
      if (dims) c = dimmed(c, ink);
      p.setPen(Qt::NoPen);
      p.setBrush(c);
      p.drawRects(rects.data(), static_cast<int>(rects.size()));
      if (hatchOf(part) != 0 && m_row >= 8 && rects.size() <= 1500) {
        std::vector<QLineF> lines;
        for (const QRectF& r : rects) FigurePainter::hatchLines(r, hatchOf(part), 5, lines);
        p.setPen(QPen(mixed(c, ink.theme().textOn(c), 0.45), 1, Qt::SolidLine, Qt::FlatCap));
        p.drawLines(lines.data(), static_cast<int>(lines.size()));
      }
      paintEdges(ink, rects, c);
    }
}

void TimelineRows::paintNumbers(FigurePainter& ink, const Focus& focus) const {
  if (m_row < 12) return;
  // All tasks of one length are numbered, or none.
  int last = 0;
  for (const auto& i : m_schedule.intervals) last = std::max(last, i.microbatch);
  const double least = FigurePainter::width(QString::number(last), FigurePainter::kSmall) + 2;
  for (std::size_t s = 0; s + 1 < m_starts.size(); ++s) {
    const auto [from, to] = visible(static_cast<int>(s));
    const QRectF row = rowBox(static_cast<int>(s));
    for (std::size_t k = from; k < to; ++k) {
      const auto& i = m_schedule.intervals[k];
      if (i.kind != TaskKind::Forward && i.kind != TaskKind::Backward && i.kind != TaskKind::WeightGradient)
        continue;
      const double a = std::max(xOf((i.begin + i.recompute).value()), m_plot.left()),
                   b = std::min(xOf(i.end.value()), m_plot.right());
      if (b - a < least) continue;
      const QColor fill = colorOf(partOf(i.kind), ink.theme());
      ink.firstThatFits(QRectF(a, row.top(), b - a, row.height()), {QString::number(i.microbatch)},
                        Qt::AlignCenter, FigurePainter::kSmall,
                        ink.theme().textOn(focus.dims(static_cast<int>(s)) ? dimmed(fill, ink) : fill));
    }
  }
}

/// What a stage has done of each part until some time, asked in ascending order.
class TimelineRows::Done {
public:
  Done(const TimelineRows& rows, int stage) : m_intervals(rows.m_schedule.intervals) {
    std::tie(m_next, m_last) = rows.visible(stage);
  }
  PerLoadPart<double> at(double seconds) {
    for (; m_next < m_last && m_intervals[m_next].end.value() <= seconds; ++m_next)
      add(m_intervals[m_next], seconds, m_done);
    PerLoadPart<double> done = m_done;
    if (m_next < m_last && m_intervals[m_next].begin.value() < seconds)
      add(m_intervals[m_next], seconds, done);
    return done;
  }

private:
  static void add(const ScheduleInterval& i, double until, PerLoadPart<double>& to) {
    const double taken = std::min(i.end.value(), until) - i.begin.value();
    const double again = std::min(taken, i.recompute.value());
    to[LoadPart::Recompute] += again;
    to[partOf(i.kind)] += taken - again;
  }

  const std::vector<ScheduleInterval>& m_intervals;
  std::size_t m_next = 0, m_last = 0;
  PerLoadPart<double> m_done{};
};

/// Seconds from one forward pass of a stage to its next, as most are; 0 where hardly any is visible.
double TimelineRows::periodOf(int stage) const {
  const auto [from, to] = visible(stage);
  std::vector<double> steps;
  double last = -1;
  for (std::size_t k = from; k < to; ++k) {
    const ScheduleInterval& i = m_schedule.intervals[k];
    if (i.kind != TaskKind::Forward) continue;
    if (last >= 0) steps.push_back(i.begin.value() - last);
    last = i.begin.value();
  }
  if (steps.size() < 3) return 0;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle;
}

bool TimelineRows::drawsTasks() const {
  std::size_t count = 0, most = 0;
  for (int s = 0; s < stageCount(); ++s) {
    const auto [from, to] = visible(s);
    count += to - from;
    most = std::max(most, to - from);
  }
  return count <= kMostTimelineBoxes && kLeastTask * static_cast<double>(most) <= m_plot.width();
}

/// Each column of pixels is divided as the time around it is, the length of a microbatch: where tasks are
/// narrower than that, their rhythm would beat with the pixels. Transparent where nothing runs. In a row of
/// few pixels each has the colour of one part, as mixtures would be most of the row and are in no legend.
QImage TimelineRows::bandImage(const Theme& theme, const QSize& size, double scale) const {
  const int stages = stageCount(), width = size.width();
  QImage image(size, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  PerLoadPart<std::array<double, 3>> colors;
  for (int k = 0; k < kLoadPartCount; ++k) {
    const QColor c = colorOf(static_cast<LoadPart>(k), theme);
    colors[k] = {static_cast<double>(c.red()), static_cast<double>(c.green()), static_cast<double>(c.blue())};
  }
  const double pixel = (m_end - m_begin) / width;
  std::vector<std::array<double, 4>> column;
  for (int s = 0; s < stages; ++s) {
    const auto [first, last] = linesOf(s, scale);
    const int lines = std::min(last, size.height()) - first;
    if (lines <= 0) continue;
    column.resize(static_cast<std::size_t>(lines));
    const double half = std::max(pixel, periodOf(s)) / 2;
    Done before(*this, s), after(*this, s);
    for (int x = 0; x < width; ++x) {
      const double middle = m_begin + (x + 0.5) * pixel;
      const double from = std::max(m_begin, middle - half), to = std::min(m_end, middle + half);
      const PerLoadPart<double> a = before.at(from), b = after.at(to);
      std::fill(column.begin(), column.end(), std::array<double, 4>{});
      double done = 0, top = 0;
      for (int k = 0; k < kLoadPartCount; ++k) {
        done += (b[k] - a[k]) / (to - from) * lines;
        const double bottom = lines < kMixedLines ? std::round(done) : done;
        for (int y = static_cast<int>(top); y < std::min<double>(lines, bottom); ++y) {
          const double share = std::min<double>(bottom, y + 1) - std::max<double>(top, y);
          for (std::size_t c = 0; c < 3; ++c) column[y][c] += share * colors[k][c];
          column[y][3] += share;
        }
        top = bottom;
      }
      for (int y = 0; y < lines; ++y) {
        const auto& q = column[y];
        const double whole = std::max(1.0, q[3]);  // rounding may fill a pixel beyond the whole
        const auto part = [whole](double v) { return std::min(255, static_cast<int>(v / whole + 0.5)); };
        reinterpret_cast<QRgb*>(image.scanLine(first + y))[x] =
            qRgba(part(q[0]), part(q[1]), part(q[2]), part(255 * q[3]));
      }
    }
  }
  return image;
}

void TimelineRows::paintImage(FigurePainter& ink, const Focus& focus, TimelineImage& kept) const {
  const double scale = pixelsOf(ink);
  const int stages = stageCount(), lines = linesOf(stages - 1, scale).second;
  const QSize size(std::clamp(static_cast<int>(std::lround(m_plot.width() * scale)), 16, 4000),
                   std::max(1, lines));
  const double row = m_row * scale;
  if (kept.image.size() != size || kept.begin != m_begin || kept.end != m_end || kept.row != row ||
      kept.theme != &ink.theme())
    kept = {bandImage(ink.theme(), size, scale), m_begin, m_end, row, &ink.theme()};
  ink.painter().setRenderHint(QPainter::SmoothPixmapTransform, false);
  ink.painter().drawImage(QRectF(m_plot.topLeft(), QSizeF(m_plot.width(), size.height() / scale)), kept.image,
                          QRectF(QPointF(), QSizeF(size)));
  QColor veil = ink.color(Role::Canvas);
  veil.setAlphaF(0.65F);
  for (int s = 0; s < stages; ++s) {
    if (!focus.dims(s)) continue;
    QRectF area = rowBox(s);  // one veil for neighbours: each translucent fill is dear
    for (; s + 1 < stages && focus.dims(s + 1); ++s) area |= rowBox(s + 1);
    ink.fill(area, veil);
  }
}

}  // namespace nest
