#include "figures/timeline_rows.h"

#include <QImage>
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "figures/ink.h"

namespace nest {
namespace {

using Role = Theme::Role;
constexpr std::size_t kMostBoxes = 6000;
constexpr double kLeastTask = 2;   ///< pixels of the mean task; narrower ones are drawn as bands
constexpr double kLeastBands = 6;  ///< pixels of a row that has room for bands; below, they are one colour

double gapOf(double row) {
  return row >= 14 ? 3 : row >= 6 ? 1 : 0;
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

void TimelineRows::paint(Ink& ink, const Focus& focus, TimelineImage& kept) const {
  paintGround(ink);
  if (drawsTasks()) {
    paintBoxes(ink, focus);
    paintNumbers(ink);
  } else {
    paintImage(ink, focus, kept);
  }
}

/// Bubble everywhere; tasks come over it. Rows without a gap share one hatch.
void TimelineRows::paintGround(Ink& ink) const {
  const double gap = gapOf(m_row);
  std::vector<QRectF> lanes;
  if (gap > 0)
    for (std::size_t s = 0; s + 1 < m_starts.size(); ++s)
      lanes.push_back(rowBox(static_cast<int>(s)).adjusted(0, gap / 2, 0, -gap / 2));
  else
    lanes.push_back(rowBox(0) | rowBox(static_cast<int>(m_starts.size()) - 2));
  QPainter& p = ink.painter();
  p.setPen(Qt::NoPen);
  p.setBrush(mixed(ink.color(Role::Canvas), ink.color(Role::Idle), 0.6));
  p.drawRects(lanes.data(), static_cast<int>(lanes.size()));
  std::vector<QLineF> lines;
  for (const QRectF& r : lanes) Ink::hatchLines(r, kBubbleHatch, 7, lines);
  p.setPen(QPen(ink.color(Role::Border), 1, Qt::SolidLine, Qt::FlatCap));
  p.drawLines(lines.data(), static_cast<int>(lines.size()));
}

void TimelineRows::paintBoxes(Ink& ink, const Focus& focus) const {
  QPainter& p = ink.painter();
  PerLoadPart<std::vector<QRectF>> lit[2], dim[2];  ///< even and odd chunks
  const double gap = gapOf(m_row);
  for (std::size_t s = 0; s + 1 < m_starts.size(); ++s) {
    auto* const shades = focus.dims(static_cast<int>(s)) ? dim : lit;
    const QRectF lane = rowBox(static_cast<int>(s)).adjusted(0, gap / 2, 0, -gap / 2);
    const auto [from, to] = visible(static_cast<int>(s));
    for (std::size_t k = from; k < to; ++k) {
      const auto& i = m_schedule.intervals[k];
      auto& rects = shades[i.chunk % 2];
      const double a = std::max(xOf(i.begin.value()), m_plot.left()),
                   b = std::min(xOf(i.end.value()), m_plot.right());
      if (b <= a) continue;
      // A hairline between tasks, so that one can count them.
      const double seam = b - a > 5 ? 0.7 : 0;
      rects[partOf(i.kind)].push_back(QRectF(a, lane.top(), b - a - seam, lane.height()));
      if (i.recompute.value() > 0) {
        const double r = std::min(xOf((i.begin + i.recompute).value()), m_plot.right());
        if (r > a)
          rects[LoadPart::Recompute].push_back(QRectF(a, lane.top(), std::min(r, b) - a, lane.height()));
      }
    }
  }
  // Recompute lies on its backward, so it comes after.
  for (const LoadPart part :
       {LoadPart::Forward, LoadPart::Backward, LoadPart::WeightGradient, LoadPart::Recompute,
        LoadPart::Activation, LoadPart::Gradient, LoadPart::Sync, LoadPart::Step})
    for (const int look : {0, 1, 2, 3}) {
      const bool dimmed = look > 1;
      const auto& rects = (dimmed ? dim : lit)[look % 2][part];
      if (rects.empty()) continue;
      QColor c = colorOf(part, ink.theme());
      if (look % 2 == 1) c = mixed(c, ink.color(Role::Canvas), 0.28);
      if (dimmed) c = mixed(c, ink.color(Role::Canvas), 0.65);
      p.setPen(Qt::NoPen);
      p.setBrush(c);
      p.drawRects(rects.data(), static_cast<int>(rects.size()));
      if (hatchOf(part) == 0 || m_row < 8 || rects.size() > 1500) continue;
      std::vector<QLineF> lines;
      for (const QRectF& r : rects) Ink::hatchLines(r, hatchOf(part), 5, lines);
      p.setPen(QPen(mixed(c, ink.theme().textOn(c), 0.45), 1, Qt::SolidLine, Qt::FlatCap));
      p.drawLines(lines.data(), static_cast<int>(lines.size()));
    }
}

void TimelineRows::paintNumbers(Ink& ink) const {
  if (m_row < 12) return;
  // All tasks of one length are numbered, or none.
  int last = 0;
  for (const auto& i : m_schedule.intervals) last = std::max(last, i.microbatch);
  const double least = Ink::width(QString::number(last), Ink::kSmall) + 2;
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
      ink.firstThatFits(QRectF(a, row.top(), b - a, row.height()), {QString::number(i.microbatch)},
                        Qt::AlignCenter, Ink::kSmall,
                        ink.theme().textOn(colorOf(partOf(i.kind), ink.theme())));
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
  return count <= kMostBoxes && kLeastTask * static_cast<double>(most) <= m_plot.width();
}

/// Each column of pixels is divided as the time around it is, the length of a microbatch: where tasks are
/// narrower than that, their rhythm would beat with the pixels. Transparent where nothing runs.
QImage TimelineRows::bandImage(const Theme& theme, const QSize& size) const {
  const int stages = stageCount(), width = size.width(), lines = size.height() / stages;
  QImage image(size, QImage::Format_ARGB32_Premultiplied);
  PerLoadPart<std::array<double, 3>> colors;
  for (int k = 0; k < kLoadPartCount; ++k) {
    const QColor c = colorOf(static_cast<LoadPart>(k), theme);
    colors[k] = {static_cast<double>(c.red()), static_cast<double>(c.green()), static_cast<double>(c.blue())};
  }
  const double pixel = (m_end - m_begin) / width;
  std::vector<std::array<double, 4>> column(static_cast<std::size_t>(lines));
  for (int s = 0; s < stages; ++s) {
    const double half = std::max(pixel, periodOf(s)) / 2;
    Done before(*this, s), after(*this, s);
    for (int x = 0; x < width; ++x) {
      const double middle = m_begin + (x + 0.5) * pixel;
      const double from = std::max(m_begin, middle - half), to = std::min(m_end, middle + half);
      const PerLoadPart<double> a = before.at(from), b = after.at(to);
      std::fill(column.begin(), column.end(), std::array<double, 4>{});
      double top = 0;
      for (int k = 0; k < kLoadPartCount; ++k) {
        const double bottom = top + (b[k] - a[k]) / (to - from) * lines;
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
        reinterpret_cast<QRgb*>(image.scanLine(s * lines + y))[x] =
            qRgba(part(q[0]), part(q[1]), part(q[2]), part(255 * q[3]));
      }
    }
  }
  return image;
}

void TimelineRows::paintImage(Ink& ink, const Focus& focus, TimelineImage& kept) const {
  // On paper nobody knows the pixels yet.
  const double scale = std::max(ink.style().standalone ? 2.0 : 1.0, ink.painter().deviceTransform().m11());
  const int stages = stageCount();
  const int lines = m_row < kLeastBands ? 1 : static_cast<int>(std::lround(m_row * scale));
  const QSize size(std::clamp(static_cast<int>(std::lround(m_plot.width() * scale)), 16, 4000),
                   lines * stages);
  if (kept.image.size() != size || kept.begin != m_begin || kept.end != m_end || kept.theme != &ink.theme())
    kept = {bandImage(ink.theme(), size), m_begin, m_end, &ink.theme()};
  ink.painter().setRenderHint(QPainter::SmoothPixmapTransform, false);
  ink.painter().drawImage(QRectF(m_plot.topLeft(), QSizeF(m_plot.width(), m_row * stages)), kept.image,
                          QRectF(QPointF(), QSizeF(size)));
  QColor veil = ink.color(Role::Canvas);
  veil.setAlphaF(0.65F);
  for (int s = 0; s < stages; ++s) {
    if (!focus.dims(s)) continue;
    QRectF area = rowBox(s);  // one veil for neighbours: each translucent fill is dear
    for (; s + 1 < stages && focus.dims(s + 1); ++s) area |= rowBox(s + 1);
    ink.fill(area, veil);
  }
  if (const double gap = gapOf(m_row); gap > 0)
    for (int s = 1; s < stages; ++s)
      ink.fill(QRectF(m_plot.left(), m_plot.top() + s * m_row - gap / 2, m_plot.width(), gap),
               ink.color(Role::Canvas));
}

}  // namespace nest
