#include "figures/study/purchase_figure.h"

#include <algorithm>

#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "theme/qt_text.h"
#include "units/at.h"
#include "units/text.h"

namespace nest {

using Role = Theme::Role;
using Mark = PurchaseBoard::Mark;

namespace {

constexpr double kOfferRow = 24, kJobRow = 64, kLeastJobRow = 34, kMostJobRow = 96, kMostJobName = 0.22,
                 kChoiceRow = 18;
constexpr double kAroundLegend = 8, kCellBar = 5, kCellPadding = 8;
constexpr double kCellNumber = 17;  ///< pixels of type, of what a cell is read for

QString quantityLabel(PurchaseQuantity q) {
  return q == PurchaseQuantity::Days     ? PurchaseFigure::tr("Days")
         : q == PurchaseQuantity::Money  ? PurchaseFigure::tr("Money")
         : q == PurchaseQuantity::Energy ? PurchaseFigure::tr("Energy")
                                         : PurchaseFigure::tr("MFU");
}

/// A figure about no plan has no banner of one.
PlanContext scenarioAlone(const PlanContext& c) {
  PlanContext out;
  out.scenario = c.scenario;
  return out;
}

}  // namespace

double PurchaseFigure::leastHeight() const {
  return 90 + kOfferRow + kLeastJobRow * static_cast<double>(m_board.jobs.size()) +
         kChoiceRow * static_cast<double>(std::min<std::size_t>(m_board.lines.size(), 10));
}

std::vector<FigureOption> PurchaseFigure::offeredOptions(const PlanContext&) const {
  FigureOption out;
  out.key = "show";
  out.label = tr("Show");
  out.tip = tr("What the cells show; days, money and energy also decide which offer is best");
  for (int k = 0; k < kPurchaseQuantityCount; ++k) {
    const auto q = static_cast<PurchaseQuantity>(k);
    out.choices.push_back({nameOf(q), quantityLabel(q)});
  }
  out.value = nameOf(m_quantity);
  return {out};
}

void PurchaseFigure::setOption(const std::string& key, const std::string& name) {
  if (key != "show") return;
  if (const auto q = purchaseQuantityNamed(name)) m_quantity = *q;
}

std::optional<FigureState> PurchaseFigure::state(const PlanContext& c, bool) const {
  if (auto none = stateOf(c, tr("which cluster to buy for which job"), false)) return none;
  return m_board.empty() ? std::optional(m_none) : std::nullopt;
}

struct PurchaseFigure::Parts {
  QRectF grid, legend, lines;
  double name = 0;  ///< width of the names of jobs
  std::vector<LegendItem> items;

  QRectF cell(int column, int row, int columns, int rows) const {
    const double w = grid.width() / columns, h = grid.height() / rows;
    return {grid.left() + column * w, grid.top() + row * h, w, h};
  }
};

PurchaseFigure::Parts PurchaseFigure::layOut(const QRectF& area, bool standalone) const {
  Parts p;
  const QRectF body = bodyOf(area, {}, standalone);
  for (const std::string& job : m_board.jobs)
    p.name = std::max(p.name, FigurePainter::width(phrase(job), FigurePainter::kBody, true));
  p.name = std::min(p.name, body.width() * kMostJobName);
  const bool anyClose = std::any_of(m_board.cells.begin(), m_board.cells.end(),
                                    [](const auto& c) { return c.mark == Mark::TooClose; });
  p.items.push_back(
      {tr("the least of the job, by %1").arg(QLatin1String(nameOf(m_board.measure))), {}, 0, false, true});
  if (anyClose) p.items.push_back({tr("too close to call: inside the error of differences"), {}, 1});
  p.items.push_back({tr("bar: relative to the largest of the job"), {}});
  const double legend = legendHeight(p.items, body.width());
  double lines = 0;
  for (const std::string& line : m_board.lines)
    lines +=
        kChoiceRow * static_cast<double>(std::max<qsizetype>(
                         1, FigurePainter::lines(phrase(line), body.width(), FigurePainter::kBody).size()));
  const auto rows = static_cast<double>(m_board.jobs.size());
  const double room = body.height() - kOfferRow - legend - 2 * kAroundLegend;
  const double left = std::max(0.0, room - rows * kJobRow);
  lines = std::min(lines, std::max(left, std::max(0.0, room - rows * kLeastJobRow)));
  const double height = std::clamp((room - lines) / rows, 18.0, kMostJobRow) * rows;
  p.grid = QRectF(body.left() + p.name + 12, body.top() + kOfferRow, body.width() - p.name - 12, height);
  p.legend = QRectF(body.left(), p.grid.bottom() + kAroundLegend, body.width(), legend);
  p.lines = QRectF(body.left(), p.legend.bottom() + kAroundLegend, body.width(),
                   std::max(0.0, body.bottom() - p.legend.bottom() - kAroundLegend));
  return p;
}

QString PurchaseFigure::valueOf(const PurchaseBoard::Cell& c, PurchaseQuantity q) const {
  return c.isSolved ? phrase(valueText(c, q)) : tr("not solved");
}

void PurchaseFigure::drawCell(FigurePainter& ink, const QRectF& box, int i) const {
  const PurchaseBoard::Cell& c = m_board.cells[at(i)];
  const auto& value = c.values[at(m_quantity)];
  const QRectF inner = box.adjusted(kCellPadding, 3, -kCellPadding, -3);
  if (c.mark == Mark::Best) ink.fill(box, mixed(ink.color(Role::Canvas), ink.color(Role::Accent), 0.14));
  if (c.mark == Mark::TooClose) ink.hatch(box, 1, ink.color(Role::Grid), 7);
  if (!value) {
    if (!c.isSolved) ink.fill(box, ink.color(Role::Panel));
    const QString why = !c.isSolved         ? tr("not solved")
                        : c.problem.empty() ? QStringLiteral("–")
                                            : phrase(c.problem);
    if (static_cast<double>(FigurePainter::lines(why, inner.width(), FigurePainter::kSmall).size()) * 15 <=
        inner.height())
      ink.paragraph(inner, why, Qt::AlignHCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
    else
      ink.firstThatFits(inner, {why, tr("no plan"), QStringLiteral("×")}, Qt::AlignCenter,
                        FigurePainter::kSmall, ink.color(Role::MutedText));
    return;
  }
  double most = 0;
  const int row = i / columns();
  for (int k = 0; k < columns(); ++k)
    most = std::max(most, m_board.cell(row, k).values[at(m_quantity)].value_or(0));
  const bool isBest = c.mark == Mark::Best;
  const bool isLow = inner.height() < 44;
  const double number = isLow ? FigurePainter::kBody : kCellNumber;
  const double bar = inner.height() < 28 ? 0 : kCellBar;
  QRectF line(inner.left(), inner.top(), inner.width(), isLow ? inner.height() - bar : 24);
  const QString text = valueOf(c, m_quantity);
  ink.label(line, text, Qt::AlignLeft | Qt::AlignVCenter, number, ink.color(Role::Text), isBest);
  line.setLeft(line.left() + FigurePainter::width(text, number, isBest) + 8);
  if (const QString mark = markOf(i); !mark.isEmpty())
    ink.firstThatFits(line, {mark, isBest ? QStringLiteral("★") : QStringLiteral("≈")},
                      Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kSmall,
                      ink.color(isBest ? Role::Text : Role::MutedText), isBest);
  if (bar > 0 && most > 0) {
    const QRectF whole(inner.left(), inner.bottom() - bar, inner.width(), bar);
    ink.fill(whole, ink.color(Role::Grid));
    ink.fill({whole.left(), whole.top(), whole.width() * *value / most, bar},
             isBest ? ink.color(Role::Accent) : ink.color(Role::MutedText));
  }
  if (isLow) return;
  QStringList others;
  for (int k = 0; k < kPurchaseQuantityCount; ++k)
    if (const auto q = static_cast<PurchaseQuantity>(k); q != m_quantity && c.values[at(q)])
      others << (q == PurchaseQuantity::Mfu ? tr("MFU %1").arg(valueOf(c, q)) : valueOf(c, q));
  QRectF below(inner.left(), inner.top() + 24, inner.width(), 16);
  const auto shorter = [&others] {
    QStringList out;
    for (qsizetype n = others.size(); n > 0; --n) out << others.mid(0, n).join(QStringLiteral(" · "));
    return out;
  };
  if (below.bottom() <= inner.bottom() - bar)
    ink.firstThatFits(below, shorter(), Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall,
                      ink.color(Role::MutedText));
  below.translate(0, 16);
  if (below.bottom() <= inner.bottom() - bar - 1)
    ink.label(below, phrase(c.plan), Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall,
              ink.color(Role::MutedText));
}

void PurchaseFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  paintFrame(ink, area, scenarioAlone(c), title(), sentence());
  Parts p = layOut(area, ink.style().standalone);
  const int rows = static_cast<int>(m_board.jobs.size());
  for (int k = 0; k < columns(); ++k) {
    const QRectF cell = p.cell(k, 0, columns(), rows);
    ink.label(
        {cell.left() + kCellPadding, cell.top() - kOfferRow, cell.width() - 2 * kCellPadding, kOfferRow},
        phrase(m_board.clusters[at(k)]), Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kBody,
        ink.color(Role::Text), true);
  }
  for (int r = 0; r < rows; ++r) {
    const QRectF cell = p.cell(0, r, columns(), rows);
    ink.label({area.left(), cell.top(), cell.left() - area.left() - 10, cell.height()},
              phrase(m_board.jobs[at(r)]), Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kBody,
              ink.color(Role::Text), true);
    for (int k = 0; k < columns(); ++k) drawCell(ink, p.cell(k, r, columns(), rows), r * columns() + k);
  }
  for (int k = 0; k <= columns(); ++k) {
    const double x = p.grid.left() + p.grid.width() * k / columns();
    ink.line({x, p.grid.top()}, {x, p.grid.bottom()}, ink.color(Role::Border));
  }
  for (int r = 0; r <= rows; ++r) {
    const double y = p.grid.top() + p.grid.height() * r / rows;
    ink.line({p.grid.left(), y}, {p.grid.right(), y}, ink.color(Role::Border));
  }
  for (int i = 0; i < count(c); ++i)
    if (m_board.cells[at(i)].mark == Mark::Best)
      ink.outline(p.cell(i % columns(), i / columns(), columns(), rows).adjusted(1, 1, -1, -1),
                  ink.color(Role::Accent), 2);
  p.items.front().color = ink.color(Role::Accent);
  if (p.items.size() > 2) p.items[1].color = ink.color(Role::Canvas);
  p.items.back().color = ink.color(Role::MutedText);
  paintLegend(ink, p.legend, p.items);
  double y = p.lines.top();
  for (const std::string& line : m_board.lines) {
    const QString text = phrase(line);
    const double high =
        kChoiceRow * static_cast<double>(std::max<qsizetype>(
                         1, FigurePainter::lines(text, p.lines.width(), FigurePainter::kBody).size()));
    if (y + high > p.lines.bottom() + 1) {
      ink.leaveOut();
      break;
    }
    ink.paragraph({p.lines.left(), y, p.lines.width(), high}, text, Qt::AlignLeft | Qt::AlignTop,
                  FigurePainter::kBody, ink.color(Role::Text));
    y += high;
  }
  paintMarks(ink, area, c);
}

QString PurchaseFigure::markOf(int i) const {
  switch (m_board.cells[at(i)].mark) {
    case Mark::Best:
      return m_board.isClose(i / columns()) ? tr("ahead") : tr("best");
    case Mark::TooClose:
      return tr("too close to call");
    case Mark::None:
      break;
  }
  return {};
}

/// "256 B200 2, 512 H100 1": in how many jobs each offer is best, of those that are too close to call, or of
/// the others.
QString PurchaseFigure::leaders(bool close) const {
  std::vector<int> won(at(columns()), 0), order;
  for (int job = 0; job < static_cast<int>(m_board.jobs.size()); ++job)
    for (int k = 0; k < columns() && m_board.isClose(job) == close; ++k)
      won[at(k)] += m_board.cell(job, k).mark == Mark::Best ? 1 : 0;
  for (int k = 0; k < columns(); ++k)
    if (won[at(k)] > 0) order.push_back(k);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return won[at(a)] > won[at(b)]; });
  QStringList out;
  for (const int k : order)
    out << (order.size() == 1 ? phrase(m_board.clusters[at(k)])
                              : tr("%1 in %2").arg(phrase(m_board.clusters[at(k)]), countText(won[at(k)])));
  return out.join(QStringLiteral(", "));
}

/// "By money: 256 B200 is best for 1 of 3 jobs; too close to call for 2, with 512 H100 ahead".
QString PurchaseFigure::sentence() const {
  int decided = 0, close = 0;
  const int jobs = static_cast<int>(m_board.jobs.size());
  for (int job = 0; job < jobs; ++job) {
    bool hasBest = false;
    for (int k = 0; k < columns(); ++k) hasBest = hasBest || m_board.cell(job, k).mark == Mark::Best;
    (m_board.isClose(job) ? close : decided) += hasBest ? 1 : 0;
  }
  const auto number = [&](int n) {
    return n < jobs ? tr("%1 of %2").arg(countText(n), plural(jobs, tr("job")))
           : n > 1  ? tr("all %1").arg(plural(n, tr("job")))
                    : tr("the job");
  };
  QStringList parts;
  if (decided > 0) {
    const QString best = leaders(false);
    parts << (best.contains(u',') ? tr("the best offer for %1 is %2") : tr("%2 is best for %1"))
                 .arg(number(decided), best);
  }
  if (close > 0)
    parts << tr("too close to call for %1, with %2 ahead")
                 .arg(decided > 0 ? countText(close) : number(close), leaders(true));
  if (parts.isEmpty()) parts << tr("no offer has a value");
  const int solved = m_board.solved();
  if (solved < static_cast<int>(m_board.cells.size()))
    parts << tr("%1 of %2 cells solved")
                 .arg(countText(solved), countText(static_cast<long long>(m_board.cells.size())));
  return tr("By %1: ").arg(QLatin1String(nameOf(m_board.measure))) + parts.join(QStringLiteral("; "));
}

Figure::Hit PurchaseFigure::hitOf(int i, const QRectF& area, const PlanContext&) const {
  const PurchaseBoard::Cell& c = m_board.cells[at(i)];
  Tip tip(tr("%1 on %2")
              .arg(phrase(m_board.jobs[at(i / columns())]), phrase(m_board.clusters[at(i % columns())])));
  for (int k = 0; k < kPurchaseQuantityCount; ++k)
    tip.row(quantityLabel(static_cast<PurchaseQuantity>(k)), valueOf(c, static_cast<PurchaseQuantity>(k)));
  if (c.devices > 0) tip.row(tr("Devices paid for"), countText(c.devices));
  if (!c.plan.empty()) tip.row(tr("Plan"), phrase(c.plan));
  if (const QString mark = markOf(i); !mark.isEmpty()) tip.note(capitalised(mark));
  if (!c.problem.empty()) tip.note(phrase(c.problem));
  return {itemOf(i),
          layOut(area, false)
              .cell(i % columns(), i / columns(), columns(), static_cast<int>(m_board.jobs.size())),
          tip.html()};
}

std::vector<QRectF> PurchaseFigure::placesOf(const QRectF& area, const PlanContext& c) const {
  const Parts p = layOut(area, false);
  std::vector<QRectF> out;
  for (int i = 0; i < count(c); ++i)
    out.push_back(p.cell(i % columns(), i / columns(), columns(), static_cast<int>(m_board.jobs.size())));
  return out;
}

QString PurchaseFigure::lineOf(int i, const PlanContext&) const {
  const PurchaseBoard::Cell& c = m_board.cells[at(i)];
  QString out =
      tr("%1 on %2: ")
          .arg(phrase(m_board.jobs[at(i / columns())]), phrase(m_board.clusters[at(i % columns())]));
  if (!c.isSolved) return out + tr("not solved");
  QStringList values;
  for (int k = 0; k < kPurchaseQuantityCount; ++k)
    if (c.values[at(k)])
      values << (k == static_cast<int>(PurchaseQuantity::Mfu) ? tr("MFU %1") : QStringLiteral("%1"))
                    .arg(valueOf(c, static_cast<PurchaseQuantity>(k)));
  out += values.join(QStringLiteral(", "));
  if (const QString mark = markOf(i); !mark.isEmpty()) out += QStringLiteral("; ") + mark;
  if (!c.plan.empty()) out += QStringLiteral("; ") + phrase(c.plan);
  if (!c.problem.empty()) out += QStringLiteral("; ") + phrase(c.problem);
  return out;
}

std::optional<SelectionItem> PurchaseFigure::stepFrom(const std::optional<SelectionItem>& from, Step step,
                                                      const PlanContext& c) const {
  const int i = indexOf(from);
  if (i < 0 || i >= count(c) || (step != Step::Up && step != Step::Down))
    return ListFigure::stepFrom(from, step, c);
  const int next = step == Step::Down ? i + columns() : i - columns();
  return itemOf(next >= 0 && next < count(c) ? next : i);
}

QString PurchaseFigure::words(const PlanContext& c) const {
  QString out = title() + u'\n' + sentence() + u'\n';
  for (int i = 0; i < count(c); ++i) out += lineOf(i, c) + u'\n';
  for (const std::string& line : m_board.lines) out += phrase(line) + u'\n';
  return out;
}

}  // namespace nest
