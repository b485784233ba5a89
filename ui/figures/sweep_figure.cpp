#include "figures/sweep_figure.h"

#include <algorithm>

#include "figures/frame.h"
#include "figures/ink.h"
#include "figures/phrases.h"

namespace nest {

using Role = Theme::Role;

void SweepFigure::begin(QString xTitle, QStringList xs, QString yTitle, QStringList ys, QString value) {
  m_xTitle = std::move(xTitle), m_xs = std::move(xs);
  m_yTitle = std::move(yTitle), m_ys = std::move(ys);
  m_value = std::move(value);
  m_cells.assign(static_cast<std::size_t>(m_xs.size() * m_ys.size()), {});
}

void SweepFigure::setCell(int column, int row, Cell cell) {
  m_cells[static_cast<std::size_t>(row * columns() + column)] = std::move(cell);
}

const SweepFigure::Cell& SweepFigure::cell(int column, int row) const {
  return m_cells[static_cast<std::size_t>(row * columns() + column)];
}

QRectF SweepFigure::plotOf(const QRectF& area, const PlanContext& c, bool standalone) const {
  double label = 40;
  for (const QString& y : m_ys) label = std::max(label, Ink::width(y, Ink::kSmall) + 14);
  return bodyOf(area, c, standalone).adjusted(label + 22, 4, -10, -78);
}

QRectF SweepFigure::areaOf(int column, int row, const QRectF& p) const {
  const double w = p.width() / columns(), h = p.height() / rows();
  // Larger values stand higher, as on an axis.
  return {p.left() + column * w, p.bottom() - (row + 1) * h, w, h};
}

QString SweepFigure::title() const {
  return m_cells.empty() ? ListFigure::title() : tr("%1 by %2 and %3").arg(m_value, m_xTitle, m_yTitle);
}

std::optional<FigureState> SweepFigure::state(const PlanContext& c, bool) const {
  if (!m_cells.empty()) return std::nullopt;
  if (auto none = stateOf(c, tr("a study of it"), false)) return none;
  return FigureState{tr("No study yet"), tr("Choose two fields and run it. Cells fill as they are solved.")};
}

void SweepFigure::draw(Ink& ink, const QRectF& area, const PlanContext& c) const {
  QPainter& painter = ink.painter();
  const FigureStyle& style = ink.style();
  paintFrame(ink, area, c, title(), tr("Thick lines: the best plan is another one"));
  const QRectF p = plotOf(area, c, style.standalone);
  double least = 1e300, most = 0;
  for (const Cell& cell : m_cells)
    if (cell.known && cell.y > 0) least = std::min(least, cell.y), most = std::max(most, cell.y);
  painter.setRenderHint(QPainter::Antialiasing, false);
  for (int r = 0; r < rows(); ++r)
    for (int x = 0; x < columns(); ++x) {
      const Cell& it = cell(x, r);
      const QRectF box = areaOf(x, r, p);
      if (!it.known || !(it.y > 0)) {
        ink.fill(box, ink.color(it.known ? Role::Canvas : Role::Panel));
        if (it.known) ink.hatch(box, 1, ink.color(Role::Border), 7);
        if (it.known)
          ink.firstThatFits(box, {it.none, QStringLiteral("×")}, Qt::AlignCenter, Ink::kSmall,
                            ink.color(Role::MutedText));
        continue;
      }
      const QColor colour = ink.theme().magnitude(most > least ? (it.y - least) / (most - least) : 0.5);
      ink.fill(box.adjusted(0, 0, 0.6, 0.6), colour);
      ink.firstThatFits(box, {phrase(text::number(it.y))}, Qt::AlignCenter, Ink::kSmall,
                        ink.theme().textOn(colour));
    }
  paintBorders(ink, p);
  for (int r = 0; r < rows(); ++r) {
    const QRectF box = areaOf(0, r, p);
    ink.label({area.left() + 30, box.center().y() - 8, p.left() - area.left() - 36, 16}, m_ys[r],
              Qt::AlignRight | Qt::AlignVCenter, Ink::kSmall, ink.color(Role::MutedText));
  }
  for (int x = 0; x < columns(); ++x) {
    const QRectF box = areaOf(x, 0, p);
    ink.firstThatFits({box.left(), p.bottom() + 3, box.width(), 16}, {m_xs[x]}, Qt::AlignCenter, Ink::kSmall,
                      ink.color(Role::MutedText));
  }
  ink.label({p.left(), p.bottom() + 21, p.width(), 18}, m_xTitle, Qt::AlignCenter, Ink::kBody,
            ink.color(Role::Text));
  painter.save();
  painter.translate(area.left() + 20, p.center().y());
  painter.rotate(-90);
  ink.label({-p.height() / 2, -9, p.height(), 18}, m_yTitle, Qt::AlignCenter, Ink::kBody,
            ink.color(Role::Text));
  painter.restore();
  if (most > 0) paintScale(ink, p, least, most);
  paintMarks(ink, area, c);
}

void SweepFigure::paintBorders(Ink& ink, const QRectF& p) const {
  const auto differ = [](const Cell& a, const Cell& b) { return a.known && b.known && a.plan != b.plan; };
  for (int r = 0; r < rows(); ++r)
    for (int x = 0; x < columns(); ++x) {
      const QRectF box = areaOf(x, r, p);
      if (x + 1 < columns() && differ(cell(x, r), cell(x + 1, r)))
        ink.line(box.topRight(), box.bottomRight(), ink.color(Role::Canvas), 3);
      if (r + 1 < rows() && differ(cell(x, r), cell(x, r + 1)))
        ink.line(box.topLeft(), box.topRight(), ink.color(Role::Canvas), 3);
    }
  ink.outline(p, ink.color(Role::Border));
}

void SweepFigure::paintScale(Ink& ink, const QRectF& p, double least, double most) const {
  const QRectF ramp(p.left(), p.bottom() + 52, std::min(180.0, p.width() / 3), 10);
  for (int i = 0; i < 36; ++i)
    ink.fill({ramp.left() + ramp.width() * i / 36, ramp.top(), ramp.width() / 36 + 0.6, ramp.height()},
             ink.theme().magnitude(i / 35.0));
  ink.label({ramp.right() + 8, ramp.top() - 4, p.right() - ramp.right() - 8, 18},
            tr("%1: %2 to %3 · hatched: no plan")
                .arg(m_value, phrase(text::number(least)), phrase(text::number(most))),
            Qt::AlignLeft | Qt::AlignVCenter, Ink::kSmall, ink.color(Role::MutedText));
}

Figure::Hit SweepFigure::hitOf(int i, const QRectF& area, const PlanContext& c) const {
  const int x = i % columns(), r = i / columns();
  const Cell& it = cell(x, r);
  Tip tip(QStringLiteral("%1, %2").arg(m_xs[x], m_ys[r]));
  if (it.known) {
    tip.row(m_value, it.y > 0 ? it.yText : it.none);
    if (!it.plan.isEmpty()) tip.row(tr("Plan"), it.plan);
  } else {
    tip.note(tr("Not solved yet."));
  }
  return {itemOf(i), areaOf(x, r, plotOf(area, c, false)), tip.html()};
}

QString SweepFigure::lineOf(int i, const PlanContext&) const {
  const int x = i % columns(), r = i / columns();
  const Cell& it = cell(x, r);
  return QStringLiteral("%1, %2: %3")
      .arg(m_xs[x], m_ys[r],
           !it.known  ? tr("not solved yet")
           : it.y > 0 ? it.yText + QStringLiteral(", ") + it.plan
                      : it.none);
}

std::optional<SelectionItem> SweepFigure::stepFrom(const std::optional<SelectionItem>& from, Step step,
                                                   const PlanContext& c) const {
  const int i = indexOf(from);
  if (i < 0 || i >= count(c) || step == Step::First || step == Step::Last || step == Step::Left ||
      step == Step::Right)
    return ListFigure::stepFrom(from, step, c);
  const int next = step == Step::Up ? i + columns() : i - columns();
  return itemOf(next >= 0 && next < count(c) ? next : i);
}

QString SweepFigure::words(const PlanContext&) const {
  QString out = title() + u'\n' + m_yTitle + QStringLiteral(" \\ ") + m_xTitle;
  for (const QString& x : m_xs) out += u'\t' + x;
  for (int r = 0; r < rows(); ++r) {
    out += u'\n' + m_ys[r];
    for (int x = 0; x < columns(); ++x) {
      const Cell& it = cell(x, r);
      out += u'\t' + (!it.known ? QString() : it.y > 0 ? it.yText : it.none);
    }
  }
  return out + u'\n';
}

}  // namespace nest
