#include "figures/study/comparison_figure.h"

#include <algorithm>
#include <array>

#include "figures/paint/axis.h"
#include "figures/paint/edge.h"
#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/plan/kinds.h"
#include "theme/qt_text.h"
#include "units/text.h"
#include "words/metric_words.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

/// In the order of a bar; colours and hatches are those of every figure.
constexpr std::array kParts{TimePart::Compute, TimePart::Recompute, TimePart::Tensor,
                            TimePart::Context, TimePart::Expert,    TimePart::Pipeline,
                            TimePart::Data,    TimePart::Step,      TimePart::Idle};

int hatchOf(TimePart b) {
  const auto part = partOf(b);
  return part ? nest::hatchOf(*part) : 2;
}

QString partName(TimePart part) {
  return capitalised(QString::fromLatin1(words::of(part)));
}

std::vector<Pace> pacesOf(const std::vector<ComparisonFigure::Row>& rows) {
  std::vector<Pace> out;
  for (const auto& row : rows) out.push_back(row.pace);
  return out;
}

/// What a bar shows: seconds of a step, or of a token.
Seconds shownTime(const ComparisonFigure::Row& row, PaceMeasure m) {
  return comparedTime(row.pace, m);
}

/// Slower than the fastest by more than what rounding hides.
bool isBehind(const Pace& best, const Pace& p) {
  return best.tokensPerSecond() > p.tokensPerSecond() * (1 + 5e-4);
}

/// "2 % slower", "−9.4 % tokens/s"; empty: as fast.
QString behind(const Pace& best, const Pace& p, PaceMeasure m) {
  if (!isBehind(best, p)) return {};
  const double change = paceChange(best, p, m);
  return m == PaceMeasure::BatchTime ? ComparisonFigure::tr("%1 slower").arg(toQt(text::percent(change)))
                                     : toQt(text::signedPercent(change));
}

/// "; Manual does not fit", "; 3 others do not run: 2 do not fit, 1 cannot run"; empty: all run.
QString withoutRunning(const std::vector<ComparisonFigure::Row>& rows) {
  std::vector<std::pair<QString, int>> obstacles;  // in the order of the rows
  const ComparisonFigure::Row* first = nullptr;
  int all = 0;
  for (const auto& row : rows) {
    if (row.runs()) continue;
    if (!first) first = &row;
    ++all;
    const auto known = std::find_if(obstacles.begin(), obstacles.end(),
                                    [&](const auto& o) { return o.first == row.obstacle; });
    if (known == obstacles.end())
      obstacles.emplace_back(row.obstacle, 1);
    else
      ++known->second;
  }
  if (all == 0) return {};
  if (all == 1) return QStringLiteral("; %1 %2").arg(first->name, first->obstacle);
  QStringList parts;
  for (const auto& [obstacle, count] : obstacles) parts << QStringLiteral("%1 × %2").arg(count).arg(obstacle);
  return ComparisonFigure::tr("; %1 others do not run (%2)").arg(all).arg(parts.join(QStringLiteral(", ")));
}

/// Who is fastest of those that run, and by how much; then how many do not run.
QString pairSentence(const std::vector<ComparisonFigure::Row>& all, PaceMeasure m) {
  std::vector<ComparisonFigure::Row> rows = all;
  std::erase_if(rows, [](const auto& row) { return !row.runs(); });
  if (rows.empty()) return ComparisonFigure::tr("None of these plans runs");
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return isFaster(a.pace, b.pace); });
  const Pace best = rows.front().pace;
  QString lead = QStringLiteral("%1: %2").arg(rows.front().name, toQt(paceText(best, m)));
  if (m == PaceMeasure::Throughput) lead += QStringLiteral("; ") + toQt(workDifference(pacesOf(all)));
  const auto next =
      std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return isBehind(best, row.pace); });
  const auto equals = next - rows.begin();
  if (equals == 2)
    lead += ComparisonFigure::tr("; %1 is as fast").arg(rows[1].name);
  else if (equals > 2)
    lead += ComparisonFigure::tr("; %1 others are as fast").arg(equals - 1);
  if (next != rows.end())
    lead += QStringLiteral("; %1: %2")
                .arg(next->name, m == PaceMeasure::BatchTime
                                     ? behind(best, next->pace, m)
                                     : QStringLiteral("%1 (%2)").arg(toQt(paceText(next->pace, m)),
                                                                     behind(best, next->pace, m)));
  return lead + withoutRunning(all);
}

constexpr double kBeside = 150;  ///< right of the longest bar, for what is said of it

struct Rows {
  QRectF plot, legend;
  double rowHeight = 0, largest = 0;
  std::vector<LegendItem> items;

  bool saysPlans() const { return rowHeight >= 36; }  ///< below each bar
  QRectF bar(std::size_t i) const {
    return {plot.left(), plot.top() + rowHeight * (static_cast<double>(i) + 0.18), plot.width(),
            rowHeight * (saysPlans() ? 0.5 : 0.7)};
  }
};

QColor partColor(const Theme& theme, TimePart b) {
  const auto part = partOf(b);
  return part ? colorOf(*part, theme) : theme.color(Theme::Role::Idle);
}

Rows layOut(const QRectF& body, const std::vector<ComparisonFigure::Row>& rows, const Theme& theme,
            PaceMeasure measure) {
  Rows r;
  for (const TimePart p : kParts) {
    const bool used =
        std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.metrics.share(p) > 0.002; });
    if (used) r.items.push_back({partName(p), partColor(theme, p), hatchOf(p)});
  }
  double label = 60;
  for (const auto& row : rows) {
    label = std::max(label, FigurePainter::width(row.name, FigurePainter::kBody, true) + 12);
    r.largest = std::max(r.largest, shownTime(row, measure).value());
  }
  const double legend = legendHeight(r.items, body.width() - 24);
  r.plot = body.adjusted(12 + label, 8, -kBeside, -24 - kHorizontalAxisHeight - legend);
  r.legend = QRectF(body.left() + 12, body.bottom() - legend - 6, body.width() - 24, legend);
  r.rowHeight = std::min(64.0, r.plot.height() / std::max<double>(1, static_cast<double>(rows.size())));
  r.plot.setHeight(r.rowHeight * static_cast<double>(rows.size()));
  r.legend.moveTop(std::min(r.legend.top(), r.plot.bottom() + kHorizontalAxisHeight + 8));
  return r;
}

}  // namespace

ComparisonFigure::Row ComparisonFigure::rowOf(const QString& name, const Scenario* s, const Problem& problem,
                                              const RankedPlan& plan) {
  const TransformerArchitecture* a = s && s->model.architecture ? &*s->model.architecture : nullptr;
  return {name, metricsOf(problem, a, plan), toQt(summaryOf(plan.plan)),
          plan.evaluation.feasible() ? QString() : toQt(words::obstacleTo(plan.evaluation)),
          paceOf(problem, plan)};
}

QSizeF ComparisonFigure::preferredSize(const PlanContext&) const {
  return {860, 162.0 + 56 * static_cast<double>(m_rows.size())};
}

std::optional<FigureState> ComparisonFigure::state(const PlanContext& c, bool) const {
  if (!m_rows.empty()) return std::nullopt;
  if (auto none = stateOf(c, tr("plans side by side"))) return none;
  return FigureState{tr("Nothing to compare yet"),
                     tr("Run the baselines or keep a what-if to compare plans.")};
}

PaceMeasure ComparisonFigure::measure() const {
  return measureOf(pacesOf(m_rows));
}

void ComparisonFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  const FigureStyle& style = ink.style();
  const PaceMeasure m = measure();
  paintFrame(ink, area, c, title(), pairSentence(m_rows, m));
  const Rows r = layOut(bodyOf(area, c, style.standalone), m_rows, ink.theme(), m);
  const Axis axis = Axis::time(r.largest, 6);
  paintHorizontalAxis(ink, r.plot, axis,
                      m == PaceMeasure::BatchTime ? tr("Step time") : tr("Time per token"));
  const Pace fastest = std::min_element(m_rows.begin(), m_rows.end(), [](const Row& a, const Row& b) {
                         return a.runs() != b.runs() ? a.runs() : isFaster(a.pace, b.pace);
                       })->pace;
  for (std::size_t i = 0; i < m_rows.size(); ++i) {
    const Row& row = m_rows[i];
    const QRectF bar = r.bar(i);
    ink.label({area.left() + 8, bar.top(), bar.left() - area.left() - 16, bar.height()}, row.name,
              Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kBody, ink.color(Theme::Role::Text), true);
    double x = bar.left();
    const double total = bar.width() * shownTime(row, m).value() / axis.largest;
    for (const TimePart p : kParts) {
      const double w = total * row.metrics.share(p);
      if (w <= 0.3) continue;
      const QRectF piece(x, bar.top(), w, bar.height());
      x += w;
      const QColor fill = partColor(ink.theme(), p);
      if (row.runs()) {
        ink.fill(piece, fill);
        if (hatchOf(p)) ink.hatch(piece, hatchOf(p), mixed(fill, ink.theme().textOn(fill), 0.5));
        paintEdge(ink, piece, fill);
      } else {
        ink.hatch(piece, 1, ink.color(Theme::Role::MutedText));
      }
    }
    ink.outline({bar.left(), bar.top(), total, bar.height()},
                ink.color(row.runs() ? Theme::Role::Border : Theme::Role::Error), row.runs() ? 1 : 1.5);
    const QString time = m == PaceMeasure::BatchTime ? toQt(text::time(row.pace.batchTime))
                                                     : toQt(tokensRate(row.pace.tokensPerSecond()));
    const QString delta = row.runs() ? behind(fastest, row.pace, m) : row.obstacle;
    const QColor tone = ink.color(row.runs() ? Theme::Role::MutedText : Theme::Role::Error);
    if (bar.height() >= 30) {
      ink.label({bar.left() + total + 6, bar.top(), 90, bar.height() / 2}, time,
                Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kBody, ink.color(Theme::Role::Text));
      ink.label({bar.left() + total + 6, bar.center().y(), 90, bar.height() / 2}, delta,
                Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall, tone);
    } else {
      const double w = FigurePainter::width(time, FigurePainter::kSmall) + 6;
      ink.label({bar.left() + total + 6, bar.top(), w, bar.height()}, time, Qt::AlignLeft | Qt::AlignVCenter,
                FigurePainter::kSmall, ink.color(Theme::Role::Text));
      ink.label({bar.left() + total + 6 + w, bar.top(), 90, bar.height()}, delta,
                Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall, tone);
    }
    if (!r.saysPlans()) continue;
    ink.label({bar.left(), bar.bottom() + 1, bar.width() + 80, FigurePainter::height(FigurePainter::kSmall)},
              row.plan, Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall,
              ink.color(Theme::Role::MutedText));
  }
  paintLegend(ink, r.legend, r.items);
  paintMarks(ink, area, c);
}

Figure::Hit ComparisonFigure::hitOf(int i, const QRectF& area, const PlanContext& c) const {
  const Rows r = layOut(bodyOf(area, c, false), m_rows, Theme::of(Theme::Kind::Light), measure());
  const Row& row = m_rows[i];
  QString tip = QStringLiteral("<b>%1</b><br>%2").arg(row.name.toHtmlEscaped(), row.plan.toHtmlEscaped());
  for (const TimePart p : kParts)
    if (const double share = row.metrics.share(p); share > 0.0005)
      tip += QStringLiteral("<br>%1: %2 (%3)")
                 .arg(partName(p), toQt(text::time(shownTime(row, measure()) * share)),
                      toQt(text::percent(share)));
  return {itemOf(i), r.bar(static_cast<std::size_t>(i)), tip};
}

QString ComparisonFigure::lineOf(int i, const PlanContext&) const {
  const Row& r = m_rows[i];
  return QStringLiteral("%1: %2, %3%4")
      .arg(r.name, toQt(paceText(r.pace, measure())), r.plan,
           r.runs() ? QString() : QStringLiteral(" (%1)").arg(r.obstacle));
}

}  // namespace nest
