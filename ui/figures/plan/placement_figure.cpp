#include "figures/plan/placement_figure.h"

#include <QFontMetricsF>
#include <algorithm>

#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/plan/seat_map.h"

namespace nest {
namespace {

using Role = Theme::Role;
constexpr double kPlacementRow = 26, kHead = 24, kHosts = 250, kDevices = 150;
constexpr double kStages = 76;          ///< the least that shows one run of a host
constexpr int kMostPlacementRows = 40;  ///< of a page; the text has all

/// "7", "8 – 15"
QString spanText(int begin, int end) {
  return end - begin == 1 ? countText(begin)
                          : PlacementFigure::tr("%1 – %2").arg(countText(begin), countText(end - 1));
}

}  // namespace

const std::vector<PlacementFigure::Row>& PlacementFigure::rowsOf(const PlanContext& c) const {
  if (m_context.problem == c.problem && m_context.plan == c.plan && m_context.outcome == c.outcome)
    return m_rows;
  m_context = c;
  m_rows.clear();
  if (!c.problem || !c.shownPlan()) return m_rows;
  const Hierarchy& h = *c.problem->cluster;
  const SeatMap seats(*c.shownPlan(), h.deviceCount());
  for (int g = 0; g < h.groupCount(0); ++g) {
    const auto [begin, end] = h.groupSpan(0, g);
    std::vector<Run> runs;
    for (int d = begin; d < end; ++d) {
      const int stage = seats.at(d).stage;
      if (runs.empty() || runs.back().stage != stage) runs.push_back({stage, 0});
      ++runs.back().devices;
    }
    if (!m_rows.empty() && m_rows.back().runs == runs)
      m_rows.back().end = end, ++m_rows.back().hosts;
    else
      m_rows.push_back({begin, end, 1, std::move(runs)});
  }
  return m_rows;
}

QSizeF PlacementFigure::preferredSize(const PlanContext& c) const {
  const int rows = std::min(kMostPlacementRows, static_cast<int>(rowsOf(c).size()) + 1);
  return {ListFigure::preferredSize(c).width(), std::max(240.0, 130 + kHead + kPlacementRow * rows)};
}

int PlacementFigure::count(const PlanContext& c) const {
  return isShown(c) ? static_cast<int>(rowsOf(c).size()) : 0;
}

std::optional<FigureState> PlacementFigure::state(const PlanContext& c, bool) const {
  return stateOf(c, tr("the placement"));
}

QRectF PlacementFigure::rowBox(int i, const QRectF& body) const {
  return {body.left(), body.top() + kHead + i * kPlacementRow, body.width(), kPlacementRow};
}

void PlacementFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  const auto& rows = rowsOf(c);
  paintFrame(ink, area, c, title(), phrase(summaryOf(*c.shownPlan())));
  const QRectF body = bodyOf(area, c, ink.style().standalone);
  const auto column = [&](const QRectF& row, double from, double width, const QString& text, Role role) {
    ink.label(QRectF(row.left() + from, row.top(), width - 8, row.height()), text,
              Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kBody, ink.color(role));
  };
  const QRectF head(body.left(), body.top(), body.width(), kHead);
  // On a narrow page the names give way: without its stages a row would say nothing.
  double devices = std::min(kDevices, FigurePainter::width(tr("Devices"), FigurePainter::kBody) + 12),
         hosts = kHosts;
  if (body.width() < kHosts + kDevices + kStages) {
    for (const Row& r : rows)
      devices = std::min(
          kDevices,
          std::max(devices, FigurePainter::width(spanText(r.begin, r.end), FigurePainter::kBody) + 16));
    hosts = std::clamp(body.width() - devices - kStages, 40.0, kHosts);
  } else {
    devices = kDevices;
  }
  column(head, 0, hosts, tr("Hosts"), Role::MutedText);
  column(head, hosts, devices, tr("Devices"), Role::MutedText);
  const double stages = body.width() - hosts - devices;
  ink.firstThatFits({head.left() + hosts + devices, head.top(), stages, head.height()},
                    {tr("Stages on each host"), tr("Stages")}, Qt::AlignLeft | Qt::AlignVCenter,
                    FigurePainter::kBody, ink.color(Role::MutedText));
  ink.line(head.bottomLeft(), head.bottomRight(), ink.color(Role::Border));
  const int room = std::max(1, static_cast<int>((body.height() - kHead) / kPlacementRow));
  const int n = static_cast<int>(rows.size()), shown = n <= room ? n : room - 1;
  const Hierarchy& h = *c.problem->cluster;
  for (int i = 0; i < shown; ++i) {
    const Row& r = rows[i];
    const QRectF row = rowBox(i, body);
    const QString names = hostSpan(h, r.begin, r.end);
    // Names of hosts differ at their ends.
    column(row, 0, hosts,
           QFontMetricsF(Theme::font(FigurePainter::kBody))
               .elidedText(r.hosts > 1 ? tr("%1 (%2)").arg(names, countText(r.hosts)) : names,
                           Qt::ElideMiddle, hosts - 9),
           Role::Text);
    column(row, hosts, devices, spanText(r.begin, r.end), Role::MutedText);
    double x = row.left() + hosts + devices;
    for (const Run& run : r.runs) {
      const QString times = tr("%1 ×").arg(run.devices);
      const double w = FigurePainter::width(times, FigurePainter::kBody) + 6;
      if (x + w + 30 > row.right()) {
        column(row, x - row.left(), 30, QStringLiteral("…"), Role::MutedText);
        break;
      }
      ink.label(QRectF(x, row.top(), w, kPlacementRow), times, Qt::AlignLeft | Qt::AlignVCenter,
                FigurePainter::kBody, ink.color(Role::Text));
      x += w;
      if (run.stage >= 0)
        ink.stageChip(QRectF(x, row.top() + 4, 30, kPlacementRow - 8), run.stage, FigurePainter::kSmall);
      else
        column(row, x - row.left(), 44, tr("idle"), Role::MutedText);
      x += 46;
    }
  }
  if (shown < n)
    column(rowBox(shown, body), 0, body.width(),
           tr("… and %1 further rows; the text and the CSV have them all").arg(countText(n - shown)),
           Role::MutedText);
  paintMarks(ink, area, c);
  const auto& selected = ink.style().selected;
  if (ink.style().standalone || !selected || selected->kind != ItemKind::Device) return;
  const auto row = std::find_if(rows.begin(), rows.begin() + shown, [&](const Row& r) {
    return r.begin <= selected->index && selected->index < r.end;
  });
  if (row != rows.begin() + shown)
    ink.outline(rowBox(static_cast<int>(row - rows.begin()), body).adjusted(-3, 0, 3, 0),
                ink.color(Role::Selection), 1.6, 4);
}

Figure::Hit PlacementFigure::hitOf(int i, const QRectF& area, const PlanContext& c) const {
  return {itemOf(i), rowBox(i, bodyOf(area, c, false)), lineOf(i, c).toHtmlEscaped()};
}

QString PlacementFigure::lineOf(int i, const PlanContext& c) const {
  const Row& r = rowsOf(c)[i];
  QStringList parts;
  for (const Run& run : r.runs)
    parts << (run.stage < 0 ? tr("%1 idle").arg(run.devices)
                            : tr("%1 × stage %2").arg(run.devices).arg(stageNumber(run.stage)));
  return (r.end - r.begin == 1 ? tr("%1, device %2: %3") : tr("%1, devices %2: %3"))
      .arg(hostSpan(*c.problem->cluster, r.begin, r.end), spanText(r.begin, r.end),
           parts.join(QStringLiteral(", ")));
}

}  // namespace nest
