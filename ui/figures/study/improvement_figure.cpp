#include "figures/study/improvement_figure.h"

#include <algorithm>
#include <cmath>

#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/paint/unit_axis.h"
#include "figures/plan/run_figure.h"
#include "measures/metrics.h"
#include "theme/qt_text.h"
#include "units/at.h"
#include "units/text.h"
#include "words/metric_words.h"
#include "words/run_words.h"

namespace nest {

using Role = Theme::Role;

namespace {

constexpr double kGainRow = 18, kMostGainRow = 26, kGainShare = 0.72, kBesideGain = 10, kMostGainName = 0.42,
                 kGainLine = 16;
constexpr double kBelowSentence = 6, kAroundGains = 96;  ///< pixels; the latter for axis, legend and sentence
constexpr double kPaleGain = 0.62;                       ///< of a gain inside the error
constexpr double kNoGain = 5e-5;                         ///< shown as 0 %

QString measureName(ImprovementMeasure m) {
  return m == ImprovementMeasure::Money    ? ImprovementFigure::tr("money")
         : m == ImprovementMeasure::Energy ? ImprovementFigure::tr("energy")
         : m == ImprovementMeasure::Days   ? ImprovementFigure::tr("days")
                                           : ImprovementFigure::tr("time per token");
}

bool isOfTime(ImprovementMeasure m) {
  return m == ImprovementMeasure::TimePerToken || m == ImprovementMeasure::Days;
}

}  // namespace

void ImprovementFigure::setRanking(ImprovementRanking ranking) {
  m_ranking = std::move(ranking);
  m_items.clear();
  m_kept.reset();
  for (std::size_t r = 0; r < m_ranking.rows.size(); ++r)
    if (m_ranking.rows[r].hasPlan && std::abs(m_ranking.rows[r].change) >= kNoGain)
      m_items.push_back(static_cast<int>(r));
}

int ImprovementFigure::rowOfItem(int item) const {
  return m_items[at(item)];
}

double ImprovementFigure::leastHeight() const {
  return kAroundGains + kGainRow * static_cast<double>(m_items.size()) +
         kGainLine * static_cast<double>(2 * rest().size());
}

QSizeF ImprovementFigure::preferredSize(const PlanContext& c) const {
  const QSizeF usual = ListFigure::preferredSize(c);
  return {usual.width(), std::max(usual.height(), leastHeight() + 60)};
}

std::vector<FigureOption> ImprovementFigure::offeredOptions(const PlanContext&) const {
  return {unitOption(m_unit)};
}

void ImprovementFigure::setOption(const std::string& key, const std::string& name) {
  if (key != "unit") return;
  if (const auto unit = runUnitNamed(name)) m_unit = *unit;
}

/// Shares where the unit lacks a field or follows from no change. Time that is saved is saved on all devices;
/// money and energy that are counted themselves have their own unit.
const ImprovementFigure::Scale& ImprovementFigure::scaleOf(const PlanContext& c) const {
  if (m_kept && m_kept->problem == c.problem && m_kept->plan == c.plan && m_kept->unit == m_unit)
    return m_kept->scale;
  Scale out;
  const Problem& problem = *c.problem;
  const RankedPlan& plan = *c.plan;
  const PlanMetrics m = metricsOf(problem, nullptr, plan);
  out.error = words::ratioError(m.program, m.error);
  out.amount = [](const Row& row) { return std::optional(-row.change); };
  const auto forecast = m.run ? m.run : stepsOnly(problem, plan.plan, plan.evaluation);
  if (m_unit != RunUnit::Share && forecast && forecast->total && missingForUnit(problem, m_unit).empty()) {
    const auto amount = [c, f = *forecast, unit = m_unit](const Row& row) -> std::optional<double> {
      if (!(row.change > -1)) return std::nullopt;
      if (row.measure == ImprovementMeasure::Money && unit == RunUnit::Money)
        return -row.change * f.money.value_or(0);
      if (row.measure == ImprovementMeasure::Energy && unit == RunUnit::Energy)
        return -row.change * f.energy.value_or(0) / 1000;
      if (!isOfTime(row.measure) || (row.isDevices && unit != RunUnit::Days)) return std::nullopt;
      return amountsOf(*c.problem, f, c.plan->plan.devicesUsed(), *f.total * -row.change, *f.total)[at(unit)];
    };
    if (std::any_of(m_items.begin(), m_items.end(),
                    [&](int r) { return amount(m_ranking.rows[at(r)]).has_value(); }))
      out.unit = m_unit, out.amount = amount;
  }
  m_kept = Kept{c.problem, c.plan, m_unit, std::move(out)};
  return m_kept->scale;
}

bool ImprovementFigure::isInside(const Row& row, const Scale& s) {
  return std::abs(row.change) <= s.error;
}

QString ImprovementFigure::amountText(const Row& row, const Scale& s) const {
  if (!row.hasPlan) return phrase(row.obstacle);
  if (!(row.change > -1)) return tr("the run gets through its failures");
  const QString share = phrase(text::signedPercent(row.change));
  const auto amount = s.unit == RunUnit::Share ? std::nullopt : s.amount(row);
  if (!amount) return share;
  const QString size = phrase(words::amountIn(s.unit, std::abs(*amount)));
  return *amount > 0 ? QStringLiteral("−") + size : u'+' + size;
}

std::optional<FigureState> ImprovementFigure::state(const PlanContext& c, bool) const {
  if (!c.plan || !c.problem || !c.plan->evaluation.feasible()) {
    if (auto none = stateOf(c, tr("what improves the plan"))) return none;
    return FigureState{tr("Improvements of a plan that does not fit"), bannerOf(c)};
  }
  if (!m_items.empty()) return std::nullopt;
  if (!m_ranking.isWhole) return FigureState{tr("Nothing was ranked"), tr("It was stopped before.")};
  if (!m_ranking.rows.empty()) return FigureState{tr("Nothing helps"), rest().join(u'\n')};
  return FigureState{
      tr("Improvements are not ranked yet"),
      tr("Rank improvements makes each parameter 25 % better, one at a time, and solves again.")};
}

QStringList ImprovementFigure::rest() const {
  QStringList none, failed, out;
  for (const Row& row : m_ranking.rows) {
    if (!row.hasPlan)
      failed << tr("%1 (%2)").arg(phrase(row.what), phrase(row.obstacle));
    else if (std::abs(row.change) < kNoGain)
      none << phrase(row.what);
  }
  if (!none.isEmpty()) out << tr("No effect: %1").arg(none.join(QStringLiteral(", ")));
  if (!failed.isEmpty()) out << tr("No plan: %1").arg(failed.join(QStringLiteral(", ")));
  return out;
}

struct ImprovementFigure::Parts {
  QRectF plot, legend, lines;
  double label = 0;
  double bar = kGainRow;
  double most = 0;  ///< amount at the right end; 0 stands at the left
  Axis axis;
  std::vector<LegendItem> items;
  std::vector<QRectF> bars;  ///< whole bands

  double xOf(double amount) const { return plot.left() + plot.width() * amount / most; }
};

ImprovementFigure::Parts ImprovementFigure::layOut(const QRectF& area, const PlanContext& c,
                                                   bool standalone) const {
  const Scale& s = scaleOf(c);
  Parts p;
  const QRectF body = bodyOf(area, c, standalone);
  if (s.error > 0)
    p.items = {{tr("shaded: error of differences, %1").arg(phrase(text::percent(s.error))), {}},
               {tr("inside the error"), {}, 1}};
  double value = 0;
  for (const int r : m_items) {
    const Row& row = m_ranking.rows[at(r)];
    p.label = std::max(p.label, FigurePainter::width(phrase(row.what), FigurePainter::kBody, true));
    value = std::max(value, FigurePainter::width(amountText(row, s), FigurePainter::kBody, true) + 8);
    p.most = std::max(p.most, row.change > -1 ? s.amount(row).value_or(0) : 0);
  }
  if (!(p.most > 0)) p.most = s.unit == RunUnit::Share ? 0.01 : 1;
  p.label = std::min(p.label, body.width() * kMostGainName);
  value = std::min(value, body.width() * 0.25);
  const double left = p.label + kBesideGain;
  const double legend = legendHeight(p.items, body.width());
  double lines = 0;
  for (const QString& line : rest())
    lines += kGainLine *
             static_cast<double>(FigurePainter::lines(line, body.width(), FigurePainter::kSmall).size());
  const double fixed = legend + 2 * kBelowSentence + kHorizontalAxisHeight;
  const auto bars = static_cast<double>(m_items.size());
  lines = std::clamp(body.height() - fixed - bars * kGainRow, 0.0, lines);
  p.bar = std::clamp((body.height() - fixed - lines) / bars, 10.0, kMostGainRow);
  p.legend = QRectF(body.left(), body.top(), body.width(), legend);
  p.plot = QRectF(body.left() + left, p.legend.bottom() + kBelowSentence,
                  std::max(20.0, body.width() - left - value - 8), bars * p.bar);
  p.lines = QRectF(body.left(), p.plot.bottom() + kHorizontalAxisHeight + kBelowSentence, body.width(),
                   std::max(0.0, body.bottom() - p.plot.bottom() - kHorizontalAxisHeight - kBelowSentence));
  p.axis = unitAxis(s.unit, p.most, p.plot.width());
  for (std::size_t i = 0; i < m_items.size(); ++i)
    p.bars.emplace_back(body.left(), p.plot.top() + p.bar * static_cast<double>(i), body.width(), p.bar);
  return p;
}

void ImprovementFigure::drawBar(FigurePainter& ink, const Parts& p, int item, const Scale& s) const {
  const Row& row = m_ranking.rows[at(m_items[at(item)])];
  const QRectF band = p.bars[at(item)];
  const bool inside = isInside(row, s);
  const double size = std::min(band.height() - 2, FigurePainter::kBody);
  ink.label({band.left(), band.top(), p.label, band.height()}, phrase(row.what),
            Qt::AlignRight | Qt::AlignVCenter, size, ink.color(Role::Text), !inside);
  double end = p.xOf(0);
  const double amount = row.change > -1 ? s.amount(row).value_or(0) : p.most;
  if (amount > 0) {
    const double inset = band.height() * (1 - kGainShare) / 2;
    const QRectF bar(p.xOf(0), band.top() + inset, std::max(2.0, p.xOf(amount) - p.xOf(0)),
                     band.height() - 2 * inset);
    const QColor full = ink.color(Role::Accent);
    ink.fill(bar, inside ? mixed(full, ink.color(Role::Canvas), kPaleGain) : full);
    if (inside) ink.hatch(bar, 1, mixed(full, ink.color(Role::Text), 0.4));
    ink.outline(bar, full);
    end = bar.right();
  }
  QRectF rest(end + 5, band.top(), band.right() - end - 5, band.height());
  const QString text = amountText(row, s);
  if (!ink.label(rest, text, Qt::AlignLeft | Qt::AlignVCenter, size, ink.color(Role::Text), !inside)) return;
  rest.setLeft(rest.left() + FigurePainter::width(text, size, !inside) + 10);
  if (!row.plan.empty())
    ink.firstThatFits(rest, {phrase(row.plan), tr("with another plan")}, Qt::AlignLeft | Qt::AlignVCenter,
                      FigurePainter::kSmall, ink.color(Role::MutedText));
}

void ImprovementFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  const Scale& s = scaleOf(c);
  paintFrame(ink, area, c, title(), sentence(s));
  Parts p = layOut(area, c, ink.style().standalone);
  if (s.error > 0) {
    Row edge;
    edge.change = -s.error, edge.measure = m_ranking.rows[at(m_items.front())].measure;
    const double inside = std::min(p.plot.right(), p.xOf(s.amount(edge).value_or(0)));
    p.items[0].color = mixed(ink.color(Role::Canvas), ink.color(Role::MutedText), 0.22);
    p.items[1].color = ink.color(Role::Canvas);
    ink.fill({p.xOf(0), p.plot.top(), inside - p.xOf(0), p.plot.height()}, p.items[0].color);
  }
  paintLegend(ink, p.legend, p.items);
  const ImprovementMeasure first = m_ranking.rows[at(m_items.front())].measure;
  paintHorizontalAxis(ink, p.plot, p.axis,
                      s.unit == RunUnit::Share && !isOfTime(first)
                          ? tr("Saved of the %1").arg(measureName(first))
                      : s.unit == RunUnit::Share ? tr("Saved time")
                                                 : tr("Saved over the run"));
  for (const double tick : p.axis.ticks) {
    const double x = p.xOf(tick * p.axis.unit);
    ink.line({x, p.plot.top()}, {x, p.plot.bottom()}, ink.color(tick == 0 ? Role::Border : Role::Grid));
  }
  for (int i = 0; i < static_cast<int>(m_items.size()); ++i) drawBar(ink, p, i, s);
  double y = p.lines.top();
  for (const QString& line : rest()) {
    const double high =
        kGainLine *
        static_cast<double>(FigurePainter::lines(line, p.lines.width(), FigurePainter::kSmall).size());
    if (y + high > p.lines.bottom() + 1) {
      ink.leaveOut();
      break;
    }
    ink.paragraph({p.lines.left(), y, p.lines.width(), high}, line, Qt::AlignLeft | Qt::AlignTop,
                  FigurePainter::kSmall, ink.color(Role::MutedText));
    y += high;
  }
  paintMarks(ink, area, c);
}

/// "+25 % peak rate saves most: −17.2 % of the time per token; 9 of 16 gains are inside the error".
QString ImprovementFigure::sentence(const Scale& s) const {
  const Row& best = m_ranking.rows[at(m_items.front())];
  if (best.change > 0) return tr("No single improvement helps");
  QString out = tr("%1 saves most: %2").arg(phrase(best.what), amountText(best, s));
  if (best.change > -1 && (s.unit == RunUnit::Share || !s.amount(best)))
    out += tr(" of the %1").arg(measureName(best.measure));
  const auto inside = std::count_if(m_items.begin(), m_items.end(),
                                    [&](int r) { return isInside(m_ranking.rows[at(r)], s); });
  if (inside > 0)
    out += tr("; %1 of %2 are inside the error of differences")
               .arg(countText(inside), plural(static_cast<long long>(m_items.size()), tr("change")));
  if (!m_ranking.isWhole) out += tr("; stopped before all was ranked");
  return out;
}

Figure::Hit ImprovementFigure::hitOf(int i, const QRectF& area, const PlanContext& c) const {
  const Row& row = m_ranking.rows[at(m_items[at(i)])];
  const Scale& s = scaleOf(c);
  Tip tip(phrase(row.what));
  tip.row(capitalised(measureName(row.measure)),
          row.change > -1 ? phrase(text::signedPercent(row.change)) : amountText(row, s));
  if (s.unit != RunUnit::Share && s.amount(row)) tip.row(tr("Over the run"), amountText(row, s));
  tip.row(tr("Plan"), row.plan.empty() ? tr("the same") : phrase(row.plan));
  if (isInside(row, s))
    tip.note(tr("Inside the error of differences, %1").arg(phrase(text::percent(s.error))));
  return {itemOf(i), layOut(area, c, false).bars[at(i)], tip.html()};
}

std::vector<QRectF> ImprovementFigure::placesOf(const QRectF& area, const PlanContext& c) const {
  return layOut(area, c, false).bars;
}

QString ImprovementFigure::lineOf(int i, const PlanContext& c) const {
  const Row& row = m_ranking.rows[at(m_items[at(i)])];
  const Scale& s = scaleOf(c);
  QString out = tr("%1: %2").arg(phrase(row.what), amountText(row, s));
  if (s.unit == RunUnit::Share && row.change > -1) out += tr(" of the %1").arg(measureName(row.measure));
  if (isInside(row, s)) out += tr(", inside the error of differences");
  if (!row.plan.empty()) out += tr(", with another plan (%1)").arg(phrase(row.plan));
  return out;
}

QString ImprovementFigure::words(const PlanContext& c) const {
  QString out = title() + u'\n' + sentence(scaleOf(c)) + u'\n';
  if (!m_ranking.measuredBy.empty()) out += phrase(m_ranking.measuredBy) + u'\n';
  for (int i = 0; i < count(c); ++i) out += lineOf(i, c) + u'\n';
  for (const QString& line : rest()) out += line + u'\n';
  return out;
}

}  // namespace nest
