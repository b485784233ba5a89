#include "figures/plan/waterfall_figure.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "figures/paint/axis.h"
#include "figures/paint/edge.h"
#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/paint/ticks.h"
#include "figures/plan/kinds.h"
#include "measures/pace.h"
#include "theme/qt_text.h"
#include "units/text.h"
#include "words/difference_words.h"
#include "words/metric_words.h"
#include "words/outcome_words.h"

namespace nest {

using Role = Theme::Role;

namespace {

constexpr double kFactsRow = 20, kNameRow = 16, kAxisWidth = 52, kAxisTitle = 22;
constexpr double kMemoryRow = 18, kMemoryGap = 6, kMemoryCaption = 20;
constexpr double kLeastForFacts = 150, kLeastForMemory = 250;  ///< pixels of the body
constexpr double kFlatShare = 0.4;   ///< of the largest value: smaller ranges get an axis that begins later
constexpr double kLeastBegin = 0.3;  ///< of the largest value: an axis that begins below begins at 0
constexpr double kMostBar = 76, kBarShare = 0.66;

QColor stepColor(const WaterfallStep& step, const Theme& theme) {
  if (step.isJoined()) return mixed(theme.color(Role::MutedText), theme.color(Role::Canvas), 0.4);
  const auto part = partOf(step.parts.front());
  return part ? colorOf(*part, theme) : theme.color(Role::Idle);
}

int stepHatch(const WaterfallStep& step) {
  if (step.isJoined()) return 0;
  const auto part = partOf(step.parts.front());
  return part ? hatchOf(*part) : kFillAndDrainHatch;
}

/// Ticks of an axis that may begin above 0, in SI units.
struct TimeAxis {
  double begin = 0, end = 1, unit = 1;
  QString unitName;
  std::vector<double> ticks;

  double fraction(double seconds) const { return (seconds - begin) / (end - begin); }
};

TimeAxis timeAxis(double low, double high, double pixels) {
  TimeAxis a;
  const int most = std::clamp(static_cast<int>(pixels / 40), 2, 6);
  const Axis whole = Axis::time(std::max(high, 1e-12), most);
  a.unit = whole.unit, a.unitName = whole.unitName;
  double begin = 0;
  if (high > low && high - low < kFlatShare * high) begin = low - 0.3 * (high - low);
  if (begin < kLeastBegin * high) begin = 0;
  const auto round = roundTicks((high - begin) / a.unit, most);
  const double step = (round.size() > 1 ? round[1] - round[0] : (high - begin) / a.unit) * a.unit;
  if (begin > 0 && step > 0) begin = std::max(0.0, std::floor(begin / step) * step);
  a.begin = begin;
  a.end = std::max(high, begin + 1e-12);
  for (double t = begin; step > 0 && t <= a.end + 1e-9 * step && a.ticks.size() < 12; t += step)
    a.ticks.push_back(t);
  return a;
}

}  // namespace

struct WaterfallFigure::Parts {
  QRectF facts, plot, names;
  std::array<QRectF, 2> memory;
  TimeAxis axis;
  std::vector<Column> columns;
  double mostMemory = 1;
  bool staggers = false;  ///< names stand in two rows

  double yOf(double seconds) const { return plot.bottom() - axis.fraction(seconds) * plot.height(); }
  bool hasMemory() const { return !memory[0].isEmpty(); }
};

void WaterfallFigure::setSides(Side first, Side second) {
  m_sides = {std::move(first), std::move(second)};
  m_instead.reset();
  m_difference = {}, m_steps.clear(), m_cause.clear(), m_facts.clear(), m_change.clear(), m_ruledOut.clear(),
  m_work.clear();
  if (!isDrawable()) return;
  const auto& [a, b] = m_sides;
  const Pace before = paceOf(*a.problem, *a.plan), after = paceOf(*b.problem, *b.plan);
  m_difference = stepDifference(a.plan->evaluation, before, b.plan->evaluation, after);
  m_steps = waterfallOf(m_difference);
  const bool isSamePlan = a.plan->plan == b.plan->plan;
  // A plan that still runs where the other was found was beaten; one that does not was ruled out.
  if (!isSamePlan && a.problem != b.problem && *a.problem->graph == *b.problem->graph) {
    const bool isSlower = m_difference.after > m_difference.before;
    const PlanObstacle obstacle =
        isSlower ? obstacleIn(*b.problem, a.plan->plan) : obstacleIn(*a.problem, b.plan->plan);
    m_ruledOut = capitalised(phrase(words::of(obstacle, isSlower)));
  }
  const auto facts = changedFacts(a.plan->plan, a.plan->evaluation, b.plan->plan, b.plan->evaluation);
  m_cause = phrase(words::cause(m_difference, facts));
  if (isSamePlan && m_steps.empty()) m_cause = tr("No difference");
  for (int side = 0; side < 2; ++side)
    if (const QString obstacle = obstacleTo(side); !obstacle.isEmpty())
      m_cause += tr("; %1 %2").arg(inSentence(m_sides[static_cast<std::size_t>(side)].name), obstacle);
  m_work = capitalised(phrase(workChangeText(before, after)));
  m_facts = capitalised(!facts.empty() ? phrase(words::of(facts))
                        : isSamePlan   ? tr("the same plan")
                                       : tr("the same degrees, other cuts or devices"));
}

void WaterfallFigure::showInstead(FigureState why) {
  setSides({}, {});
  m_instead = std::move(why);
}

/// What was changed, what of the plan differs, and why it had to; on one line what fits on one.
QStringList WaterfallFigure::factLines(double width) const {
  QStringList lines;
  for (const QString& part : {m_change.isEmpty() ? m_work : capitalised(m_change), m_facts, m_ruledOut}) {
    if (part.isEmpty()) continue;
    const QString both = lines.isEmpty() ? part : lines.back() + QStringLiteral("; ") + inSentence(part);
    if (!lines.isEmpty() && FigurePainter::width(both, FigurePainter::kBody) <= width)
      lines.back() = both;
    else
      lines << part;
  }
  return lines;
}

QString WaterfallFigure::title() const {
  return isDrawable() ? tr("%1 and %2").arg(m_sides[0].name, m_sides[1].name) : ListFigure::title();
}

int WaterfallFigure::count(const PlanContext&) const {
  return isDrawable() && m_difference.isKnown() ? static_cast<int>(m_steps.size()) + 4 : 0;
}

QString WaterfallFigure::obstacleTo(int side) const {
  return evaluation(side).feasible() ? QString() : phrase(words::obstacleTo(evaluation(side)));
}

std::optional<FigureState> WaterfallFigure::state(const PlanContext& c, bool) const {
  if (isDrawable() && m_difference.isKnown()) return std::nullopt;
  if (isDrawable()) {
    const int broken = evaluation(0).stages.empty() ? 0 : 1;
    const auto& violations = evaluation(broken).violations;
    return FigureState{tr("%1 %2").arg(m_sides[static_cast<std::size_t>(broken)].name, obstacleTo(broken)),
                       violations.empty() ? QString() : phrase(violations.front().message)};
  }
  if (m_instead) return m_instead;
  if (auto none = stateOf(c, tr("the difference of two plans"))) return none;
  return FigureState{tr("Select two plans to compare"),
                     tr("Keep a plan or run the baselines, then select two plans to compare.")};
}

double WaterfallFigure::axisBegin() const {
  if (!m_difference.isKnown()) return 0;
  double low = std::min(m_difference.before, m_difference.after).value();
  double high = std::max(m_difference.before, m_difference.after).value();
  for (const WaterfallStep& s : m_steps)
    low = std::min(low, s.to.value()), high = std::max(high, s.to.value());
  return timeAxis(low, high, 200).begin;
}

WaterfallFigure::Parts WaterfallFigure::layOut(const QRectF& area, const PlanContext& c,
                                               bool standalone) const {
  Parts p;
  QRectF body = bodyOf(area, c, standalone);
  if (body.height() >= kLeastForFacts) {
    const auto lines = static_cast<double>(factLines(body.width()).size());
    p.facts = QRectF(body.left(), body.top(), body.width(), lines * kFactsRow);
    body.setTop(p.facts.bottom());
  }
  if (body.height() >= kLeastForMemory) {
    const double all = kMemoryCaption + 2 * kMemoryRow + kMemoryGap;
    double y = body.bottom() - all + kMemoryCaption;
    for (QRectF& row : p.memory) {
      row = QRectF(body.left(), y, body.width(), kMemoryRow);
      y += kMemoryRow + kMemoryGap;
    }
    body.setBottom(body.bottom() - all - 6);
    for (int side = 0; side < 2; ++side)
      if (const int full = evaluation(side).fullestStage(); full >= 0) {
        const MemoryUse& use = evaluation(side).stages[static_cast<std::size_t>(full)].memory;
        p.mostMemory = std::max({p.mostMemory, use.total().value(), use.capacity.value()});
      }
  }
  const std::size_t n = m_steps.size() + 2;
  const double slot = (body.width() - kAxisWidth) / static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i)
    p.staggers = p.staggers || FigurePainter::width(columnName(i, true), FigurePainter::kSmall) > slot - 4;
  const double names = kNameRow * (p.staggers ? 2 : 1) + 4;
  p.plot = QRectF(body.left() + kAxisWidth, body.top() + kAxisTitle, body.width() - kAxisWidth,
                  std::max(20.0, body.height() - kAxisTitle - names));
  p.names = QRectF(p.plot.left(), p.plot.bottom() + 3, p.plot.width(), names - 3);

  double low = std::min(m_difference.before, m_difference.after).value();
  double high = std::max(m_difference.before, m_difference.after).value();
  for (const WaterfallStep& s : m_steps)
    low = std::min(low, s.to.value()), high = std::max(high, s.to.value());
  p.axis = timeAxis(low, high, p.plot.height());
  // What stands over the highest bar.
  const double room = std::clamp(p.plot.height() - 18, 10.0, p.plot.height());
  p.axis.end = p.axis.begin + (p.axis.end - p.axis.begin) * p.plot.height() / room;
  const double bar = std::min(kMostBar, slot * kBarShare);
  for (std::size_t i = 0; i < n; ++i) {
    Column column;
    column.slot = QRectF(p.plot.left() + static_cast<double>(i) * slot, p.plot.top(), slot,
                         p.names.bottom() - p.plot.top());
    double from = p.axis.begin, to = 0;
    if (i == 0)
      to = m_difference.before.value();
    else if (i + 1 == n)
      to = m_difference.after.value();
    else
      from = m_steps[i - 1].from.value(), to = m_steps[i - 1].to.value();
    column.low = std::min(from, to), column.high = std::max(from, to);
    const double top = p.yOf(column.high);
    column.bar = QRectF(column.slot.center().x() - bar / 2, top, bar, std::max(1.5, p.yOf(column.low) - top));
    p.columns.push_back(column);
  }
  return p;
}

std::vector<WaterfallFigure::Column> WaterfallFigure::columnsIn(const QRectF& area, const PlanContext& c,
                                                                bool standalone) const {
  return isDrawable() && m_difference.isKnown() ? layOut(area, c, standalone).columns : std::vector<Column>();
}

QString WaterfallFigure::columnName(std::size_t i, bool brief) const {
  if (i == 0) return m_sides[0].name;
  if (i > m_steps.size()) return m_sides[1].name;
  return phrase(brief ? words::brief(m_steps[i - 1]) : words::of(m_steps[i - 1]));
}

QString WaterfallFigure::columnText(std::size_t i) const {
  if (i == 0) return timeText(m_difference.before);
  if (i > m_steps.size()) return timeText(m_difference.after);
  return phrase(words::signedTime(m_steps[i - 1].growth()));
}

void WaterfallFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  paintFrame(ink, area, c, title(), m_cause);
  const Parts p = layOut(area, c, ink.style().standalone);
  QRectF row(p.facts.left(), p.facts.top(), p.facts.width(), kFactsRow);
  for (const QString& line : p.facts.isEmpty() ? QStringList() : factLines(row.width())) {
    ink.label(row, line, Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kBody, ink.color(Role::MutedText));
    row.translate(0, kFactsRow);
  }
  const bool isStep = m_difference.measure == PaceMeasure::BatchTime;
  for (const double t : p.axis.ticks) {
    const double y = p.yOf(t);
    if (y < p.plot.top() - 1) continue;
    ink.line({p.plot.left(), y}, {p.plot.right(), y},
             ink.color(t == p.axis.begin ? Role::Border : Role::Grid));
    ink.label(QRectF(p.plot.left() - 60, y - 9, 54, 18), tickLabel(t / p.axis.unit),
              Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
  }
  QString axis =
      QStringLiteral("%1 (%2)").arg(isStep ? tr("Step time") : tr("Time per token"), p.axis.unitName);
  if (p.axis.begin > 0) axis += tr(", axis from %1").arg(timeText(Seconds(p.axis.begin)));
  ink.label(QRectF(p.plot.left() - 50, p.plot.top() - kAxisTitle + 2, p.plot.width() + 50, 16), axis,
            Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
  // From each bar to the next, at the running total.
  for (std::size_t i = 0; i + 1 < p.columns.size(); ++i) {
    const double at = i == 0 ? m_difference.before.value() : m_steps[i - 1].to.value();
    ink.line({p.columns[i].bar.right(), p.yOf(at)}, {p.columns[i + 1].bar.left(), p.yOf(at)},
             ink.color(Role::MutedText), 1, Qt::DotLine);
  }
  for (std::size_t i = 0; i < p.columns.size(); ++i) paintColumn(ink, p, i);
  std::vector<QRectF> taken;
  for (const Column& column : p.columns) taken.push_back(column.bar.adjusted(0, 1, 0, -1));
  for (std::size_t i = 0; i < p.columns.size(); ++i) {
    const Column& column = p.columns[i];
    const QString text = columnText(i);
    const bool isEnd = i == 0 || i > m_steps.size();
    const double w = FigurePainter::width(text, FigurePainter::kSmall, isEnd) + 4;
    QRectF box(column.slot.center().x() - w / 2, column.bar.top() - 17, w, 15);
    const auto isFree = [&](const QRectF& r) {
      return r.left() >= p.plot.left() - 8 && r.right() <= p.plot.right() + 10 &&
             std::none_of(taken.begin(), taken.end(), [&](const QRectF& t) { return t.intersects(r); });
    };
    if (!isFree(box)) box.moveTop(column.bar.bottom() + 2);
    if (!isEnd && (!isFree(box) || box.bottom() > p.plot.bottom())) {
      ink.leaveOut();
      continue;
    }
    if (isEnd) box.moveTop(column.bar.top() - 17);
    taken.push_back(box);
    ink.label(box, text, Qt::AlignCenter, FigurePainter::kSmall, ink.color(Role::Text), isEnd);
  }
  if (p.hasMemory()) {
    QRectF caption = p.memory[0];
    caption.moveTop(p.memory[0].top() - kMemoryCaption);
    ink.label(caption, tr("Memory of the fullest device"), Qt::AlignLeft | Qt::AlignVCenter,
              FigurePainter::kSmall, ink.color(Role::MutedText));
    for (int side = 0; side < 2; ++side) paintMemoryBar(ink, p, side);
  } else {
    ink.leaveOut();
  }
  paintMarks(ink, area, c);
}

void WaterfallFigure::paintColumn(FigurePainter& ink, const Parts& p, std::size_t i) const {
  const Column& column = p.columns[i];
  const bool isEnd = i == 0 || i > m_steps.size();
  const int side = i == 0 ? 0 : 1;
  const bool runs = !isEnd || obstacleTo(side).isEmpty();
  if (isEnd) {
    const QColor base = ink.color(side == 0 ? Role::MutedText : Role::Accent);
    ink.fill(column.bar, mixed(base, ink.color(Role::Canvas), runs ? 0.35 : 0.8));
    if (p.axis.begin > 0 && column.bar.height() > 16) {  // a break, since it begins below the axis
      const double y = column.bar.bottom() - 8;
      for (const double dy : {0.0, 4.0})
        ink.line({column.bar.left() - 3, y + dy + 2}, {column.bar.right() + 3, y + dy - 3},
                 ink.color(Role::Canvas), 2);
    }
  } else {
    const WaterfallStep& step = m_steps[i - 1];
    const QColor colour = stepColor(step, ink.theme());
    ink.fill(column.bar, colour);
    if (stepHatch(step) && column.bar.height() > 4)
      ink.hatch(column.bar, stepHatch(step), mixed(colour, ink.theme().textOn(colour), 0.45), 5);
    paintEdge(ink, column.bar, colour);
  }
  ink.outline(column.bar, ink.color(runs ? Role::Border : Role::Error), runs ? 1 : 1.6);
  QRectF name = column.slot;
  name.setTop(p.names.top() + (p.staggers && i % 2 == 1 ? kNameRow : 0));
  name.setHeight(kNameRow);
  if (p.staggers) name.adjust(-column.slot.width() / 2, 0, column.slot.width() / 2, 0);
  name = name.intersected(p.names.adjusted(-8, 0, 8, 0));
  const QColor tone = ink.color(isEnd ? Role::Text : Role::MutedText);
  const bool fits = ink.firstThatFits(name, {columnName(i, false), columnName(i, true)}, Qt::AlignCenter,
                                      FigurePainter::kSmall, tone, isEnd);
  if (!fits) ink.label(name, columnName(i, true), Qt::AlignCenter, FigurePainter::kSmall, tone, isEnd);
}

void WaterfallFigure::paintMemoryBar(FigurePainter& ink, const Parts& p, int side) const {
  const int full = evaluation(side).fullestStage();
  if (full < 0) return;
  const MemoryUse& use = evaluation(side).stages[static_cast<std::size_t>(full)].memory;
  const QRectF& row = p.memory[static_cast<std::size_t>(side)];
  const QString text = phrase(words::memory(use));
  const double name = std::clamp(row.width() * 0.14, 44.0, 110.0);
  const double said = std::min(FigurePainter::width(text, FigurePainter::kSmall) + 10, row.width() * 0.45);
  const QRectF bar(row.left() + name, row.top() + 3, std::max(20.0, row.width() - name - said - 8),
                   row.height() - 6);
  ink.label({row.left(), row.top(), name - 6, row.height()}, m_sides[static_cast<std::size_t>(side)].name,
            Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::Text));
  const double scale = bar.width() / p.mostMemory;
  double x = bar.left();
  const auto parts = memoryParts(use);
  for (int k = 0; k < kMemoryPartCount; ++k) {
    const double w = parts[static_cast<std::size_t>(k)] * scale;
    if (w <= 0.3) continue;
    const auto part = static_cast<MemoryPart>(k);
    const QRectF piece(x, bar.top(), w, bar.height());
    const QColor colour = colorOf(part, ink.theme());
    ink.fill(piece, colour);
    if (hatchOf(part) && w > 4)
      ink.hatch(piece, hatchOf(part), mixed(colour, ink.theme().textOn(colour), 0.45), 5);
    paintEdge(ink, piece, colour);
    x += w;
  }
  const bool isOver = use.headroom().value() < 0;
  ink.outline({bar.left(), bar.top(), x - bar.left(), bar.height()},
              ink.color(isOver ? Role::Error : Role::Border), isOver ? 2 : 1);
  const double limit = bar.left() + use.capacity.value() * scale;
  ink.line({limit, row.top()}, {limit, row.bottom()}, ink.color(Role::Text), 1.5);
  ink.firstThatFits(
      {bar.right() + 8, row.top(), said, row.height()},
      {text, phrase(words::portion(use.predicted(), use.capacity)), memoryText(use.predicted())},
      Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(isOver ? Role::Error : Role::Text));
}

Figure::Hit WaterfallFigure::hitOf(int i, const QRectF& area, const PlanContext& c) const {
  const Parts p = layOut(area, c, false);
  const auto columns = static_cast<int>(p.columns.size());
  if (i >= columns) {
    const int side = i - columns, full = evaluation(side).fullestStage();
    Tip tip(tr("%1, memory of the fullest device").arg(m_sides[static_cast<std::size_t>(side)].name));
    if (full >= 0) {
      const MemoryUse& use = evaluation(side).stages[static_cast<std::size_t>(full)].memory;
      tip.row(tr("Stage"), stageNumber(full));
      const auto parts = memoryParts(use);
      for (int k = 0; k < kMemoryPartCount; ++k)
        if (const double bytes = parts[static_cast<std::size_t>(k)]; bytes > 0)
          tip.row(nameOf(static_cast<MemoryPart>(k)), exactMemory(Bytes(bytes)));
      tip.row(tr("Free"), exactMemory(use.headroom()));
    }
    const QRectF row = p.hasMemory() ? p.memory[static_cast<std::size_t>(side)]
                                     : QRectF(p.names.topLeft(), QSizeF(p.names.width(), 1));
    return {itemOf(i), row, tip.html()};
  }
  const auto at = static_cast<std::size_t>(i);
  Tip tip(columnName(at, false));
  if (i == 0 || i + 1 == columns) {
    const int side = i == 0 ? 0 : 1;
    const bool isStep = m_difference.measure == PaceMeasure::BatchTime;
    tip.row(isStep ? tr("Step time") : tr("Time per token"),
            exactTime(side == 0 ? m_difference.before : m_difference.after));
    for (const PartChange& t : m_difference.terms)
      tip.row(capitalised(phrase(words::of(t.part))), exactTime(side == 0 ? t.before : t.after));
    tip.note(phrase(summaryOf(m_sides[static_cast<std::size_t>(side)].plan->plan)));
  } else {
    const WaterfallStep& step = m_steps[at - 1];
    for (const TimePart part : step.parts)
      for (const PartChange& t : m_difference.terms)
        if (t.part == part)
          tip.row(capitalised(phrase(words::of(part))),
                  tr("%1 → %2").arg(exactTime(t.before), exactTime(t.after)));
    tip.row(tr("Change"), phrase(words::signedTime(step.growth())));
  }
  return {itemOf(i), p.columns[at].slot, tip.html()};
}

QString WaterfallFigure::lineOf(int i, const PlanContext&) const {
  const auto columns = static_cast<int>(m_steps.size()) + 2;
  if (i >= columns) {
    const int side = i - columns, full = evaluation(side).fullestStage();
    const QString& name = m_sides[static_cast<std::size_t>(side)].name;
    if (full < 0) return tr("%1, memory: unknown").arg(name);
    const auto& stage = evaluation(side).stages[static_cast<std::size_t>(full)];
    return tr("%1, fullest device: %2, stage %3")
        .arg(name, phrase(words::memory(stage.memory)), stageNumber(full));
  }
  const auto at = static_cast<std::size_t>(i);
  if (i == 0 || i + 1 == columns) {
    const int side = i == 0 ? 0 : 1;
    const QString obstacle = obstacleTo(side);
    return QStringLiteral("%1: %2 %3")
               .arg(columnName(at, false), columnText(at),
                    m_difference.measure == PaceMeasure::BatchTime ? tr("per step") : tr("per token")) +
           (obstacle.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(obstacle));
  }
  const WaterfallStep& step = m_steps[at - 1];
  return tr("%1: %2 → %3 (%4)")
      .arg(capitalised(columnName(at, false)), timeText(step.before), timeText(step.after), columnText(at));
}

QString WaterfallFigure::words(const PlanContext& c) const {
  QString out = title() + u'\n' + m_cause + u'\n' + factLines(1e9).join(u'\n') + u'\n';
  for (int i = 0; i < count(c); ++i) out += lineOf(i, c) + u'\n';
  return out;
}

}  // namespace nest
