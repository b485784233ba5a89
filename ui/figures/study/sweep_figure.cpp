#include "figures/study/sweep_figure.h"

#include <algorithm>
#include <cmath>

#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/study/curve_figure.h"
#include "units/amount.h"

namespace nest {

using Role = Theme::Role;

const StudyRecord::Result* SweepFigure::cell(int column, int row) const {
  const auto i = static_cast<std::size_t>(row * columns() + column);
  return i < m_record.results.size() ? &m_record.results[i] : nullptr;
}

QRectF SweepFigure::plotOf(const QRectF& area, const PlanContext& c, bool standalone) const {
  double label = 40;
  for (const auto& y : m_record.up)
    label = std::max(label, FigurePainter::width(phrase(y.text), FigurePainter::kSmall) + 14);
  return bodyOf(area, c, standalone).adjusted(label + 22, 4, -10, -78);
}

QRectF SweepFigure::areaOf(int column, int row, const QRectF& p) const {
  const double w = p.width() / columns(), h = p.height() / rows();
  // Larger values stand higher, as on an axis.
  return {p.left() + column * w, p.bottom() - (row + 1) * h, w, h};
}

QString SweepFigure::title() const {
  return m_record.size() == 0
             ? ListFigure::title()
             : tr("%1 by %2 and %3")
                   .arg(phrase(m_record.quantity), phrase(m_record.acrossName), phrase(m_record.upName));
}

std::optional<FigureState> SweepFigure::state(const PlanContext& c, bool) const {
  if (m_record.size() > 0) return std::nullopt;
  if (auto none = stateOf(c, tr("a study of it"), false)) return none;
  return FigureState{tr("No study yet"),
                     tr("Choose two fields and run the study. Cells fill as they are solved.")};
}

void SweepFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  QPainter& painter = ink.painter();
  const FigureStyle& style = ink.style();
  paintFrame(ink, area, c, title(), sentence());
  const QRectF p = plotOf(area, c, style.standalone);
  double least = 1e300, most = 0;
  for (const auto& cell : m_record.results)
    if (cell.y > 0) least = std::min(least, cell.y), most = std::max(most, cell.y);
  painter.setRenderHint(QPainter::Antialiasing, false);
  for (int r = 0; r < rows(); ++r)
    for (int x = 0; x < columns(); ++x) {
      const auto* it = cell(x, r);
      const QRectF box = areaOf(x, r, p);
      if (!it || !(it->y > 0)) {
        ink.fill(box, ink.color(it ? Role::Canvas : Role::Panel));
        if (it) ink.hatch(box, 1, ink.color(Role::Border), 7);
        ink.firstThatFits(
            box,
            it ? QStringList{phrase(it->none), it->decided ? QStringLiteral("×") : QStringLiteral("?")}
               : QStringList{tr("not solved"), QStringLiteral("?")},
            Qt::AlignCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
        continue;
      }
      const QColor colour = ink.theme().magnitude(most > least ? (it->y - least) / (most - least) : 0.5);
      ink.fill(box.adjusted(0, 0, 0.6, 0.6), colour);
      ink.firstThatFits(box, {phrase(text::amount(it->y))}, Qt::AlignCenter, FigurePainter::kSmall,
                        ink.theme().textOn(colour));
    }
  paintBorders(ink, p);
  // Of many values as many as have the room, evenly.
  const auto every = [](double needed, double step) {
    return std::max(1, static_cast<int>(std::ceil(needed / std::max(0.1, step))));
  };
  double widest = 0;
  for (const auto& x : m_record.across)
    widest = std::max(widest, FigurePainter::width(phrase(x.text), FigurePainter::kSmall) + 8);
  const double wide = areaOf(0, 0, p).width(), high = areaOf(0, 0, p).height();
  const int acrossEach = every(widest, wide);
  for (int r = 0; r < rows(); r += every(14, high)) {
    const QRectF box = areaOf(0, r, p);
    ink.label({area.left() + 30, box.center().y() - 8, p.left() - area.left() - 36, 16},
              phrase(m_record.up[r].text), Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kSmall,
              ink.color(Role::MutedText));
  }
  for (int x = 0; x < columns(); x += acrossEach) {
    const double middle = areaOf(x, 0, p).center().x(), room = wide * acrossEach;
    ink.firstThatFits({middle - room / 2, p.bottom() + 3, room, 16}, {phrase(m_record.across[x].text)},
                      Qt::AlignCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
  }
  ink.label({p.left(), p.bottom() + 21, p.width(), 18}, phrase(m_record.acrossName), Qt::AlignCenter,
            FigurePainter::kBody, ink.color(Role::Text));
  painter.save();
  painter.translate(area.left() + 20, p.center().y());
  painter.rotate(-90);
  ink.label({-p.height() / 2, -9, p.height(), 18}, phrase(m_record.upName), Qt::AlignCenter,
            FigurePainter::kBody, ink.color(Role::Text));
  painter.restore();
  if (most > 0) paintScale(ink, p, least, most);
  paintMarks(ink, area, c);
}

void SweepFigure::paintBorders(FigurePainter& ink, const QRectF& p) const {
  const auto differ = [](const auto* a, const auto* b) { return a && b && a->plan != b->plan; };
  // Light and dark: one of them stands out from whatever cells are beside it.
  for (const auto& [role, width] : {std::pair(Role::Canvas, 4.5), std::pair(Role::Text, 2.0)})
    for (int r = 0; r < rows(); ++r)
      for (int x = 0; x < columns(); ++x) {
        const QRectF box = areaOf(x, r, p);
        if (x + 1 < columns() && differ(cell(x, r), cell(x + 1, r)))
          ink.line(box.topRight(), box.bottomRight(), ink.color(role), width);
        if (r + 1 < rows() && differ(cell(x, r), cell(x, r + 1)))
          ink.line(box.topLeft(), box.topRight(), ink.color(role), width);
      }
  ink.outline(p, ink.color(Role::Border));
}

void SweepFigure::paintScale(FigurePainter& ink, const QRectF& p, double least, double most) const {
  const QRectF ramp(p.left(), p.bottom() + 52, std::min(180.0, p.width() / 3), 10);
  for (int i = 0; i < 36; ++i)
    ink.fill({ramp.left() + ramp.width() * i / 36, ramp.top(), ramp.width() / 36 + 0.6, ramp.height()},
             ink.theme().magnitude(i / 35.0));
  ink.label({ramp.right() + 8, ramp.top() - 4, p.right() - ramp.right() - 8, 18},
            tr("%1: %2 to %3 · hatched: no plan")
                .arg(phrase(m_record.quantity), phrase(text::amount(least)), phrase(text::amount(most))),
            Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
}

QString SweepFigure::sentence() const {
  const QString part = CurveFigure::progressOf(m_record);
  const bool less = m_record.lessIsBetter;
  const auto best = std::max_element(m_record.results.begin(), m_record.results.end(),
                                     [less](const auto& a, const auto& b) {
                                       if (!(a.y > 0) || !(b.y > 0)) return b.y > 0 && !(a.y > 0);
                                       return less ? a.y > b.y : a.y < b.y;
                                     });
  QString out = part.isEmpty() ? QString() : part + QStringLiteral(": ");
  if (best != m_record.results.end() && best->y > 0) {
    const int i = static_cast<int>(best - m_record.results.begin());
    out += less ? (part.isEmpty() ? tr("Least") : tr("least")) : (part.isEmpty() ? tr("Most") : tr("most"));
    out += tr(" %1 at %2 %3 and %4 %5; ")
               .arg(phrase(best->yText), phrase(m_record.acrossName),
                    phrase(m_record.across[i % columns()].text), phrase(m_record.upName),
                    phrase(m_record.up[i / columns()].text));
  }
  return out +
         (out.isEmpty() ? tr("Lines separate different best plans")
                        : tr("lines separate different best plans")) +
         CurveFigure::thresholdText(m_record) + CurveFigure::withoutPlan(m_record);
}

QString SweepFigure::valueText(int i) const {
  const auto* it = cell(i % columns(), i / columns());
  return !it ? tr("not solved") : phrase(it->y > 0 ? it->yText : it->none);
}

Figure::Hit SweepFigure::hitOf(int i, const QRectF& area, const PlanContext& c) const {
  const int x = i % columns(), r = i / columns();
  const auto* it = cell(x, r);
  Tip tip(QStringLiteral("%1, %2").arg(phrase(m_record.across[x].text), phrase(m_record.up[r].text)));
  tip.row(phrase(m_record.quantity), valueText(i));
  if (it && !it->plan.empty()) tip.row(tr("Plan"), phrase(it->plan));
  return {itemOf(i), areaOf(x, r, plotOf(area, c, false)), tip.html()};
}

std::vector<QRectF> SweepFigure::placesOf(const QRectF& area, const PlanContext& c) const {
  const QRectF plot = plotOf(area, c, false);
  std::vector<QRectF> out;
  for (int i = 0; i < count(c); ++i) out.push_back(areaOf(i % columns(), i / columns(), plot));
  return out;
}

QString SweepFigure::lineOf(int i, const PlanContext&) const {
  const int x = i % columns(), r = i / columns();
  const auto* it = cell(x, r);
  QString out = QStringLiteral("%1, %2: %3")
                    .arg(phrase(m_record.across[x].text), phrase(m_record.up[r].text), valueText(i));
  if (it && it->y > 0) out += QStringLiteral(", ") + phrase(it->plan);
  return out;
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
  QString out =
      title() + u'\n' + phrase(m_record.upName) + QStringLiteral(" \\ ") + phrase(m_record.acrossName);
  for (const auto& x : m_record.across) out += u'\t' + phrase(x.text);
  for (int r = 0; r < rows(); ++r) {
    out += u'\n' + phrase(m_record.up[r].text);
    for (int x = 0; x < columns(); ++x) out += u'\t' + valueText(r * columns() + x);
  }
  return out + u'\n';
}

}  // namespace nest
