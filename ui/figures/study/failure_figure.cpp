#include "figures/study/failure_figure.h"

#include <algorithm>
#include <array>
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

constexpr double kAnswerRow = 13, kMostAnswerRow = 20, kFailureGap = 7, kAnswerShare = 0.82,
                 kSmallestAnswer = 9.5;
constexpr double kBelowLegend = 6, kBesideLabel = 10, kMostFailureName = 0.34;
constexpr double kAroundFailures = 110;  ///< pixels for axis, legend and sentence
constexpr double kPaleAnswer = 0.62;     ///< of an answer that is not the best
/// Numbers of stages whose colours stand for the answers.
constexpr std::array kColourOfAnswer{3, 1, 0};

QString answerName(FailureAnswer a) {
  return QString::fromLatin1(nameOf(a));
}

/// "the loss of host0"; of a degraded level what it is.
QString lossOf(const std::string& what) {
  const QString name = phrase(what);
  return what.starts_with("half ") ? name : FailureFigure::tr("the loss of %1").arg(name);
}

}  // namespace

void FailureFigure::setRanking(FailureRanking ranking) {
  m_ranking = std::move(ranking);
  m_items.clear();
  for (std::size_t r = 0; r < m_ranking.rows.size(); ++r)
    for (std::size_t a = 0; a < m_ranking.rows[r].answers.size(); ++a)
      m_items.emplace_back(static_cast<int>(r), static_cast<int>(a));
}

std::pair<int, int> FailureFigure::placeOfItem(int item) const {
  return m_items[at(item)];
}

double FailureFigure::leastHeight() const {
  return kAroundFailures + kAnswerRow * static_cast<double>(m_items.size()) +
         kFailureGap * static_cast<double>(m_ranking.rows.size());
}

QSizeF FailureFigure::preferredSize(const PlanContext& c) const {
  const QSizeF usual = ListFigure::preferredSize(c);
  return {usual.width(), std::max(usual.height(), leastHeight() + 60)};
}

std::vector<FigureOption> FailureFigure::offeredOptions(const PlanContext&) const {
  return {unitOption(m_unit)};
}

void FailureFigure::setOption(const std::string& key, const std::string& name) {
  if (key != "unit") return;
  if (const auto unit = runUnitNamed(name)) m_unit = *unit;
}

/// Shares where the unit lacks a field, or the run never ends.
const FailureFigure::Scale& FailureFigure::scaleOf(const PlanContext& c) const {
  if (m_kept && m_kept->problem == c.problem && m_kept->plan == c.plan && m_kept->unit == m_unit)
    return m_kept->scale;
  Scale out;
  const Problem& problem = *c.problem;
  const RankedPlan& plan = *c.plan;
  const PlanMetrics m = metricsOf(problem, nullptr, plan);
  out.error = words::ratioError(m.program, m.error);
  out.spares = problem.run.spareHosts;
  out.amount = [](double change) { return std::optional(-change); };
  auto forecast = m.run ? m.run : stepsOnly(problem, plan.plan, plan.evaluation);
  if (forecast && !forecast->total && !forecast->prediction) forecast->total = forecast->work;
  if (m_unit != RunUnit::Share && forecast && forecast->total && missingForUnit(problem, m_unit).empty()) {
    out.unit = m_unit;
    out.amount = [c, f = *forecast, unit = m_unit](double change) -> std::optional<double> {
      if (!(change > -1)) return std::nullopt;
      const Seconds more = *f.total * (1 / (1 + change) - 1);
      return amountsOf(*c.problem, f, c.plan->plan.devicesUsed(), more, *f.total)[at(unit)];
    };
  }
  m_kept = Kept{c.problem, c.plan, m_unit, std::move(out)};
  return m_kept->scale;
}

const FailureFigure::Answer* FailureFigure::bestOf(const Row& row, const Scale& s) {
  const Answer* best = nullptr;
  for (const Answer& a : row.answers)
    if (a.hasPlan && a.sparesNeeded <= s.spares && (!best || a.change > best->change)) best = &a;
  return best;
}

bool FailureFigure::isTooClose(const Answer& a, const Answer& best, const Scale& s) {
  return a.hasPlan && (1 + best.change) <= (1 + a.change) * (1 + s.error);
}

QString FailureFigure::amountText(const Answer& a, const Scale& s) const {
  if (!a.hasPlan) return phrase(a.obstacle);
  if (s.unit == RunUnit::Share) return a.change == 0 ? tr("0 %") : phrase(text::signedPercent(a.change));
  const auto amount = s.amount(a.change);
  if (!amount) return QStringLiteral("–");
  const QString size = phrase(words::amountIn(s.unit, std::abs(*amount)));
  return *amount > 0 ? u'+' + size : *amount < 0 ? QStringLiteral("−") + size : size;
}

std::optional<FigureState> FailureFigure::state(const PlanContext& c, bool) const {
  if (!c.plan || !c.problem || !c.plan->evaluation.feasible()) {
    if (auto none = stateOf(c, tr("what failures cost"))) return none;
    return FigureState{tr("Failures of a plan that does not fit"), bannerOf(c)};
  }
  if (!m_ranking.rows.empty()) return std::nullopt;
  if (!m_ranking.isWhole) return FigureState{tr("Nothing was ranked"), tr("It was stopped before.")};
  return FigureState{tr("Failures are not ranked yet"),
                     tr("Rank failures solves for the loss of one device, host and group of each kind, and "
                        "for half the bandwidth of each level.")};
}

struct FailureFigure::Parts {
  QRectF plot, legend;
  double label = 0, answer = 0;  ///< widths of the columns at the left
  double bar = kAnswerRow, gap = kFailureGap;
  double most = 0;  ///< amount at the right end; 0 stands at the left
  Axis axis;
  std::vector<LegendItem> items;
  std::vector<QRectF> rows, bars;  ///< whole bands, by row and by item

  double xOf(double amount) const { return plot.left() + plot.width() * amount / most; }
};

FailureFigure::Parts FailureFigure::layOut(const QRectF& area, const PlanContext& c, bool standalone) const {
  const Scale& s = scaleOf(c);
  Parts p;
  const QRectF body = bodyOf(area, c, standalone);
  const Theme& theme = Theme::of(Theme::Kind::Light);
  if (s.error > 0) {
    p.items.push_back({tr("inside the error of differences, %1").arg(phrase(text::percent(s.error))),
                       theme.color(Role::Grid)});
    p.items.push_back({tr("too close to the best answer to call"), theme.color(Role::Canvas), 1});
  }
  p.items.push_back(
      {tr("full colour: best answer with the spares that stand by (%1)").arg(countText(s.spares)),
       theme.stage(kColourOfAnswer.back())});
  double value = 0;
  p.most = 0;
  for (const Row& row : m_ranking.rows) {
    p.label = std::max(p.label, FigurePainter::width(phrase(row.what), FigurePainter::kBody, true));
    for (const Answer& a : row.answers) {
      p.answer = std::max(p.answer, FigurePainter::width(answerName(a.answer), FigurePainter::kSmall, true));
      value = std::max(value, FigurePainter::width(amountText(a, s), FigurePainter::kSmall, true) +
                                  (a.hasPlan && a.sparesNeeded > 0 ? 100 : 6));
      const double amount = a.hasPlan ? s.amount(a.change).value_or(0) : 0;
      p.most = std::max(p.most, amount);
    }
  }
  if (!(p.most > 0)) p.most = s.unit == RunUnit::Share ? 0.01 : 1;
  if (s.error > 0) p.most = std::max(p.most, s.amount(-s.error).value_or(0));
  p.label = std::min(p.label, body.width() * kMostFailureName);
  value = std::min(value, body.width() * 0.25);
  const double left = p.label + kBesideLabel + p.answer + kBesideLabel;
  const double legend = legendHeight(p.items, body.width());
  const double room = body.height() - kHorizontalAxisHeight - kBelowLegend - legend - 4;
  const auto bars = static_cast<double>(m_items.size());
  const auto rows = static_cast<double>(m_ranking.rows.size());
  const double share = std::max(0.3, room / (bars * kAnswerRow + rows * kFailureGap));
  p.bar = std::min(kMostAnswerRow, kAnswerRow * share),
  p.gap = std::min(kFailureGap * 2, kFailureGap * share);
  // Above the bars, so that it is in sight where they are scrolled.
  p.legend = QRectF(body.left(), body.top(), body.width(), legend);
  p.plot = QRectF(body.left() + left, p.legend.bottom() + kBelowLegend,
                  std::max(20.0, body.width() - left - value - 8), bars * p.bar + rows * p.gap);
  p.axis = unitAxis(s.unit, p.most, p.plot.width());
  double y = p.plot.top();
  for (const Row& row : m_ranking.rows) {
    y += p.gap / 2;
    const double top = y;
    for (std::size_t a = 0; a < row.answers.size(); ++a, y += p.bar)
      p.bars.emplace_back(body.left() + p.label + kBesideLabel, y,
                          body.right() - body.left() - p.label - kBesideLabel, p.bar);
    p.rows.emplace_back(body.left(), top, body.width(), y - top);
    y += p.gap / 2;
  }
  return p;
}

void FailureFigure::drawBar(FigurePainter& ink, const Parts& p, int item, const Scale& s) const {
  const auto [r, i] = m_items[at(item)];
  const Row& row = m_ranking.rows[at(r)];
  const Answer& a = row.answers[at(i)];
  const Answer* best = bestOf(row, s);
  const bool isBest = &a == best;
  const QRectF band = p.bars[at(item)];
  const double size = std::clamp(p.bar - 2, kSmallestAnswer, FigurePainter::kSmall);
  ink.label({band.left(), band.top(), p.answer, band.height()}, answerName(a.answer),
            Qt::AlignRight | Qt::AlignVCenter, size, ink.color(isBest ? Role::Text : Role::MutedText),
            isBest);
  double end = p.xOf(0);
  if (a.hasPlan) {
    const double amount = std::max(0.0, s.amount(a.change).value_or(0));
    const double inset = band.height() * (1 - kAnswerShare) / 2;
    const QRectF bar(p.xOf(0), band.top() + inset, std::max(2.0, p.xOf(amount) - p.xOf(0)),
                     band.height() - 2 * inset);
    const QColor full = ink.theme().stage(kColourOfAnswer[at(a.answer)]);
    const QColor fill = isBest ? full : mixed(full, ink.color(Role::Canvas), kPaleAnswer);
    ink.fill(bar, fill);
    if (!isBest && best && isTooClose(a, *best, s))
      ink.hatch(bar, 1, mixed(full, ink.color(Role::Text), 0.4));
    ink.outline(bar, isBest ? ink.color(Role::Text) : full);
    end = bar.right();
  }
  QString text = amountText(a, s);
  QRectF rest(end + 5, band.top(), band.right() - end - 5, band.height());
  if (ink.label(rest, text, Qt::AlignLeft | Qt::AlignVCenter, size,
                ink.color(a.hasPlan ? Role::Text : Role::MutedText), isBest) &&
      a.hasPlan && a.sparesNeeded > s.spares) {
    rest.setLeft(rest.left() + FigurePainter::width(text, size, isBest) + 8);
    ink.firstThatFits(rest, {tr("with %1").arg(plural(a.sparesNeeded, tr("spare host")))},
                      Qt::AlignLeft | Qt::AlignVCenter, size, ink.color(Role::MutedText));
  }
}

void FailureFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  const Scale& s = scaleOf(c);
  paintFrame(ink, area, c, title(), sentence(s));
  Parts p = layOut(area, c, ink.style().standalone);
  if (s.error > 0) {
    const double inside = std::min(p.plot.right(), p.xOf(s.amount(-s.error).value_or(0)));
    p.items[0].color = mixed(ink.color(Role::Canvas), ink.color(Role::MutedText), 0.22);
    p.items[1].color = ink.color(Role::Canvas);
    ink.fill({p.xOf(0), p.plot.top(), inside - p.xOf(0), p.plot.height()}, p.items[0].color);
  }
  p.items.back().color = ink.theme().stage(kColourOfAnswer.back());
  paintHorizontalAxis(
      ink, p.plot, p.axis,
      s.unit == RunUnit::Share ? tr("Loss of tokens/s") : tr("Cost if the whole run went on like that"));
  for (const double tick : p.axis.ticks) {
    const double x = p.xOf(tick * p.axis.unit);
    ink.line({x, p.plot.top()}, {x, p.plot.bottom()}, ink.color(tick == 0 ? Role::Border : Role::Grid));
  }
  for (std::size_t r = 0; r < p.rows.size(); ++r) {
    const QRectF& row = p.rows[r];
    if (r > 0)
      ink.line({row.left(), row.top() - p.gap / 2}, {p.plot.right(), row.top() - p.gap / 2},
               ink.color(Role::Grid));
    const QString name = phrase(m_ranking.rows[r].what);
    const QRectF box(row.left(), row.top(), p.label, row.height());
    const auto lines = FigurePainter::lines(name, p.label, FigurePainter::kBody, true);
    const double high = FigurePainter::height(FigurePainter::kBody);
    if (lines.size() > 1 && static_cast<double>(lines.size()) * high <= row.height() + 2) {
      for (qsizetype k = 0; k < lines.size(); ++k)
        ink.label({box.left(),
                   box.center().y() + (static_cast<double>(k) - static_cast<double>(lines.size()) / 2) * high,
                   box.width(), high},
                  lines[k], Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kBody, ink.color(Role::Text),
                  true);
    } else {
      ink.label(box.adjusted(0, -3, 0, 3), name, Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kBody,
                ink.color(Role::Text), true);
    }
  }
  for (int i = 0; i < static_cast<int>(m_items.size()); ++i) drawBar(ink, p, i, s);
  paintLegend(ink, p.legend, p.items);
  paintMarks(ink, area, c);
}

/// The failure that costs most with the answer that is best for it, and what spare hosts would do about it.
QString FailureFigure::sentence(const Scale& s) const {
  const auto leftAfter = [&s](const Row& r) {
    const Answer* a = bestOf(r, s);
    return a ? a->change : -1;
  };
  const Row& row = *std::min_element(m_ranking.rows.begin(), m_ranking.rows.end(),
                                     [&](const Row& a, const Row& b) { return leftAfter(a) < leftAfter(b); });
  const Answer* best = bestOf(row, s);
  QString out;
  if (!best) {
    out = tr("After %1 no plan fits").arg(lossOf(row.what));
  } else if (!(best->change < 0)) {
    out = tr("No single failure costs tokens/s with its best answer");
  } else {
    const QString amount = s.unit == RunUnit::Share
                               ? tr("%1 of tokens/s").arg(phrase(text::percent(-best->change)))
                               : phrase(words::amountIn(s.unit, s.amount(best->change).value_or(0)));
    out =
        tr("%1 costs most: %2 after %3").arg(capitalised(lossOf(row.what)), amount, answerName(best->answer));
    if (-best->change <= s.error) out += tr(", inside the error of differences");
    if (s.unit != RunUnit::Share) out += tr(", if the whole run went on like that");
  }
  const auto swap = std::find_if(row.answers.begin(), row.answers.end(), [](const Answer& a) {
    return a.answer == FailureAnswer::Swap && a.hasPlan;
  });
  if (swap != row.answers.end() && &*swap != best && swap->sparesNeeded > 0)
    out += tr("; with %1 it costs %2")
               .arg(plural(swap->sparesNeeded, tr("spare host")),
                    swap->change < 0 ? amountText(*swap, s) : tr("nothing"));
  if (row.otherBatch)
    out += tr("; with a batch that may differ by %1 it costs %2")
               .arg(phrase(text::percent(kOtherBatch)), phrase(text::percent(-*row.otherBatch)));
  if (!m_ranking.isWhole) out += tr("; stopped before all was ranked");
  return out;
}

Figure::Hit FailureFigure::hitOf(int i, const QRectF& area, const PlanContext& c) const {
  const auto [r, k] = m_items[at(i)];
  const Row& row = m_ranking.rows[at(r)];
  const Answer& a = row.answers[at(k)];
  const Scale& s = scaleOf(c);
  Tip tip(tr("%1: %2").arg(phrase(row.what), answerName(a.answer)));
  if (!a.hasPlan) {
    tip.note(phrase(a.obstacle));
  } else {
    tip.row(tr("Tokens/s"), a.change == 0 ? tr("0 %") : phrase(text::signedPercent(a.change)));
    if (s.unit != RunUnit::Share) tip.row(tr("Cost"), amountText(a, s));
    if (a.sparesNeeded > 0) tip.row(tr("Spare hosts needed"), countText(a.sparesNeeded));
    tip.row(tr("Devices idle"), countText(a.devicesIdle));
    if (!a.moved.empty()) tip.row(tr("State that moves"), phrase(a.moved));
    if (!a.restart.empty()) tip.row(tr("Steps run again after"), phrase(a.restart));
    tip.row(tr("Plan"), phrase(a.how));
    if (row.otherBatch)
      tip.note(tr("%1 of tokens/s with a batch that may differ by %2: set the batch tolerance")
                   .arg(phrase(text::signedPercent(*row.otherBatch)), phrase(text::percent(kOtherBatch))));
    const Answer* best = bestOf(row, s);
    if (best && &a != best && isTooClose(a, *best, s))
      tip.note(tr("Too close to %1 to call").arg(answerName(best->answer)));
  }
  return {itemOf(i), layOut(area, c, false).bars[at(i)], tip.html()};
}

std::vector<QRectF> FailureFigure::placesOf(const QRectF& area, const PlanContext& c) const {
  return layOut(area, c, false).bars;
}

QString FailureFigure::lineOf(int i, const PlanContext& c) const {
  const auto [r, k] = m_items[at(i)];
  const Row& row = m_ranking.rows[at(r)];
  const Answer& a = row.answers[at(k)];
  const Scale& s = scaleOf(c);
  QString out = tr("%1, %2: %3").arg(phrase(row.what), answerName(a.answer), amountText(a, s));
  if (!a.hasPlan) return out;
  if (a.sparesNeeded > 0) out += tr(", needs %1").arg(plural(a.sparesNeeded, tr("spare host")));
  if (a.devicesIdle > 0) out += tr(", %1 idle").arg(plural(a.devicesIdle, tr("device")));
  if (!a.restart.empty()) out += tr(", steps run again after %1").arg(phrase(a.restart));
  const Answer* best = bestOf(row, s);
  if (&a == best) out += tr(", best");
  if (best && &a != best && isTooClose(a, *best, s)) out += tr(", too close to the best to call");
  return out;
}

/// Up and down between failures, left and right between their answers.
std::optional<SelectionItem> FailureFigure::stepFrom(const std::optional<SelectionItem>& from, Step step,
                                                     const PlanContext& c) const {
  const int i = indexOf(from);
  if (i < 0 || i >= count(c) || (step != Step::Up && step != Step::Down))
    return ListFigure::stepFrom(from, step, c);
  const auto [row, answer] = m_items[at(i)];
  const int to = row + (step == Step::Down ? 1 : -1);
  if (to < 0 || to >= static_cast<int>(m_ranking.rows.size())) return itemOf(i);
  const auto found = std::find_if(m_items.begin(), m_items.end(), [to, answer = answer](const auto& item) {
    return item.first == to && item.second == answer;
  });
  const auto first =
      std::find_if(m_items.begin(), m_items.end(), [to](const auto& item) { return item.first == to; });
  return itemOf(static_cast<int>((found != m_items.end() ? found : first) - m_items.begin()));
}

QString FailureFigure::words(const PlanContext& c) const {
  QString out = title() + u'\n' + sentence(scaleOf(c)) + u'\n';
  for (int i = 0; i < count(c); ++i) out += lineOf(i, c) + u'\n';
  return out;
}

}  // namespace nest
