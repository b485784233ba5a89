#include "figures/comparison_figure.h"

#include <algorithm>

#include "figures/axis.h"
#include "figures/frame.h"
#include "figures/ink.h"
#include "units/text.h"
#include "words/metric_words.h"

namespace nest {
namespace {

QString from(const std::string& s) {
  return QString::fromStdString(s);
}

/// Parts in the order of a bar, each with its Okabe–Ito colour and hatch.
struct Part {
  TimePart part;
  int colour, hatch;
};
constexpr Part kParts[] = {{TimePart::Compute, 0, 0}, {TimePart::Recompute, 0, 1}, {TimePart::Tensor, 1, 0},
                           {TimePart::Context, 2, 0}, {TimePart::Expert, 3, 0},    {TimePart::Pipeline, 4, 0},
                           {TimePart::Data, 5, 0},    {TimePart::Step, 6, 0},      {TimePart::Idle, 7, 2}};

QString partName(TimePart part) {
  QString name = QString::fromLatin1(words::of(part));
  name[0] = name[0].toUpper();
  return name;
}

/// Who is fastest, and by how much.
QString sentence(std::vector<ComparisonFigure::Row> rows) {
  std::erase_if(rows, [](const auto& row) { return !row.runs; });
  if (rows.empty()) return ComparisonFigure::tr("None of these plans fits");
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.metrics.batchTime < b.metrics.batchTime; });
  const Seconds best = rows.front().metrics.batchTime;
  const QString lead = ComparisonFigure::tr("%1: %2 a batch").arg(rows.front().name, from(text::time(best)));
  const auto next = std::find_if(rows.begin(), rows.end(), [best](const auto& row) {
    return row.metrics.batchTime.value() > best.value() * (1 + 5e-4);
  });
  if (next == rows.end()) return rows.size() > 1 ? lead + ComparisonFigure::tr(", as fast as any") : lead;
  return lead + ComparisonFigure::tr("; the next, %1, takes %2")
                    .arg(next->name, from(text::signedPercent(next->metrics.batchTime / best - 1)));
}

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

QColor partColor(const Theme& theme, const Part& p) {
  if (p.part == TimePart::Idle) return theme.color(Theme::Role::Idle);
  return theme.stage(p.colour);
}

Rows layOut(const QRectF& body, const std::vector<ComparisonFigure::Row>& rows, const Theme& theme) {
  Rows r;
  for (const Part& p : kParts) {
    const bool used = std::any_of(rows.begin(), rows.end(),
                                  [&](const auto& row) { return row.metrics.share(p.part) > 0.002; });
    if (used) r.items.push_back({partName(p.part), partColor(theme, p), p.hatch});
  }
  double label = 60;
  for (const auto& row : rows) {
    label = std::max(label, Ink::width(row.name, Ink::kBody, true) + 12);
    r.largest = std::max(r.largest, row.metrics.batchTime.value());
  }
  const double legend = legendHeight(r.items, body.width() - 24);
  r.plot = body.adjusted(12 + label, 8, -90, -52 - legend);
  r.legend = QRectF(body.left() + 12, body.bottom() - legend - 6, body.width() - 24, legend);
  r.rowHeight = std::min(64.0, r.plot.height() / std::max<double>(1, static_cast<double>(rows.size())));
  r.plot.setHeight(r.rowHeight * static_cast<double>(rows.size()));
  r.legend.moveTop(std::min(r.legend.top(), r.plot.bottom() + 34));
  return r;
}

}  // namespace

QSizeF ComparisonFigure::preferredSize(const PlanContext&) const {
  return {860, 150.0 + 56 * static_cast<double>(m_rows.size())};
}

std::optional<FigureState> ComparisonFigure::state(const PlanContext& c, bool) const {
  if (!m_rows.empty()) return std::nullopt;
  if (auto none = stateOf(c, tr("plans side by side"))) return none;
  return FigureState{tr("Nothing to compare yet"),
                     tr("Run the baselines, or keep a what-if, to see plans side by side.")};
}

void ComparisonFigure::draw(Ink& ink, const QRectF& area, const PlanContext& c) const {
  const FigureStyle& style = ink.style();
  paintFrame(ink, area, c, title(), sentence(m_rows));
  const Rows r = layOut(bodyOf(area, c, style.standalone), m_rows, ink.theme());
  const Axis axis = Axis::time(r.largest, 6);
  paintHorizontalAxis(ink, r.plot, axis, tr("Batch time"));
  const double fastest =
      std::min_element(m_rows.begin(), m_rows.end(), [](auto& a, auto& b) {
        return a.runs > b.runs || (a.runs == b.runs && a.metrics.batchTime < b.metrics.batchTime);
      })->metrics.batchTime.value();
  for (std::size_t i = 0; i < m_rows.size(); ++i) {
    const Row& row = m_rows[i];
    const QRectF bar = r.bar(i);
    ink.label({area.left() + 8, bar.top(), bar.left() - area.left() - 16, bar.height()}, row.name,
              Qt::AlignRight | Qt::AlignVCenter, Ink::kBody, ink.color(Theme::Role::Text), true);
    double x = bar.left();
    const double total = bar.width() * row.metrics.batchTime.value() / axis.largest;
    for (const Part& p : kParts) {
      const double w = total * row.metrics.share(p.part);
      if (w <= 0.3) continue;
      const QRectF piece(x, bar.top(), w, bar.height());
      x += w;
      const QColor fill = partColor(ink.theme(), p);
      if (row.runs) {
        ink.fill(piece, fill);
        if (p.hatch) ink.hatch(piece, p.hatch, mixed(fill, ink.theme().textOn(fill), 0.5));
      } else {
        ink.hatch(piece, 1, ink.color(Theme::Role::MutedText));
      }
    }
    ink.outline({bar.left(), bar.top(), total, bar.height()},
                ink.color(row.runs ? Theme::Role::Border : Theme::Role::Error), row.runs ? 1 : 1.5);
    const QString time = from(text::time(row.metrics.batchTime));
    const QString delta = row.runs
                              ? row.metrics.batchTime.value() > fastest * (1 + 1e-9)
                                    ? from(text::signedPercent(row.metrics.batchTime.value() / fastest - 1))
                                    : QString()
                              : tr("does not fit");
    const QColor tone = ink.color(row.runs ? Theme::Role::MutedText : Theme::Role::Error);
    if (bar.height() >= 30) {
      ink.label({bar.left() + total + 6, bar.top(), 90, bar.height() / 2}, time,
                Qt::AlignLeft | Qt::AlignVCenter, Ink::kBody, ink.color(Theme::Role::Text));
      ink.label({bar.left() + total + 6, bar.center().y(), 90, bar.height() / 2}, delta,
                Qt::AlignLeft | Qt::AlignVCenter, Ink::kSmall, tone);
    } else {
      const double w = Ink::width(time, Ink::kSmall) + 6;
      ink.label({bar.left() + total + 6, bar.top(), w, bar.height()}, time, Qt::AlignLeft | Qt::AlignVCenter,
                Ink::kSmall, ink.color(Theme::Role::Text));
      ink.label({bar.left() + total + 6 + w, bar.top(), 90, bar.height()}, delta,
                Qt::AlignLeft | Qt::AlignVCenter, Ink::kSmall, tone);
    }
    if (!r.saysPlans()) continue;
    ink.label({bar.left(), bar.bottom() + 1, bar.width() + 80, Ink::height(Ink::kSmall)}, row.plan,
              Qt::AlignLeft | Qt::AlignVCenter, Ink::kSmall, ink.color(Theme::Role::MutedText));
  }
  paintLegend(ink, r.legend, r.items);
  paintMarks(ink, area, c);
}

Figure::Hit ComparisonFigure::hitOf(int i, const QRectF& area, const PlanContext& c) const {
  const Rows r = layOut(bodyOf(area, c, false), m_rows, Theme::of(Theme::Kind::Light));
  const Row& row = m_rows[static_cast<std::size_t>(i)];
  QString tip = QStringLiteral("<b>%1</b><br>%2").arg(row.name.toHtmlEscaped(), row.plan.toHtmlEscaped());
  for (const Part& p : kParts)
    if (const double share = row.metrics.share(p.part); share > 0.0005)
      tip += QStringLiteral("<br>%1: %2 (%3)")
                 .arg(partName(p.part), from(text::time(row.metrics.batchTime * share)),
                      from(text::percent(share)));
  return {itemOf(i), r.bar(static_cast<std::size_t>(i)), tip};
}

QString ComparisonFigure::lineOf(int i, const PlanContext&) const {
  const Row& r = m_rows[static_cast<std::size_t>(i)];
  return QStringLiteral("%1: %2, %3%4")
      .arg(r.name, from(text::time(r.metrics.batchTime)), r.plan, r.runs ? QString() : tr(" (does not fit)"));
}

}  // namespace nest
