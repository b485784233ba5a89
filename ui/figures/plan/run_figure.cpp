#include "figures/plan/run_figure.h"

#include <algorithm>

#include "figures/paint/edge.h"
#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/paint/unit_axis.h"
#include "theme/qt_text.h"
#include "units/at.h"
#include "words/run_words.h"

namespace nest {

using Role = Theme::Role;

namespace {

constexpr double kLabelGap = 12, kMostBarHeight = 46, kBarShare = 0.68, kLineRow = 19;
constexpr double kLeastBars = 84;  ///< pixels; lines below them go first
constexpr double kLegendGap = 8;
constexpr double kLeastState = 160, kAroundRun = 150;  ///< the latter for sentence, axis and legend
/// Numbers of stages whose colours stand for the parts, so that each theme has its own shade.
constexpr std::array kColourOfPart{0, 4, 1, 3};

QString partName(RunPart p) {
  return capitalised(QString::fromLatin1(words::of(p)));
}

QString amountText(RunUnit unit, const RunAmounts& amounts) {
  const auto& amount = amounts[at(unit)];
  return amount ? phrase(words::amountIn(unit, *amount)) : QStringLiteral("–");
}

}  // namespace

QColor colorOf(RunPart p, const Theme& theme) {
  return theme.stage(kColourOfPart[at(p)]);
}

int hatchOf(RunPart p) {
  return p == RunPart::Useful ? 0 : static_cast<int>(p);
}

FigureOption unitOption(RunUnit chosen) {
  FigureOption out;
  out.key = "unit";
  out.label = RunFigure::tr("Unit");
  for (int k = 0; k < kRunUnitCount; ++k) {
    const auto unit = static_cast<RunUnit>(k);
    out.choices.push_back({nameOf(unit), QString::fromLatin1(words::labelOf(unit))});
  }
  out.value = nameOf(chosen);
  return out;
}

std::vector<FigureOption> RunFigure::offeredOptions(const PlanContext&) const {
  FigureOption losses;
  losses.key = "losses";
  losses.label = tr("Losses alone");
  losses.tip = tr("Show checkpoints, repeated work and restarts without the useful time");
  losses.value = m_lossesAlone ? FigureOption::kOn : FigureOption::kOff;
  return {unitOption(m_unit), losses};
}

void RunFigure::setOption(const std::string& key, const std::string& name) {
  if (key == "losses") m_lossesAlone = name == FigureOption::kOn;
  if (key != "unit") return;
  if (const auto unit = runUnitNamed(name)) m_unit = *unit;
}

/// A run without losses is shown whole.
bool RunFigure::showsLosses(const Shown& s) const {
  return m_lossesAlone && std::any_of(s.bars.begin(), s.bars.end(), [](const Bar& bar) {
           return std::any_of(bar.parts.begin() + 1, bar.parts.end(),
                              [](Seconds t) { return t > Seconds(); });
         });
}

int RunFigure::firstPart(const Shown& s) const {
  return showsLosses(s) ? 1 : 0;
}

int RunFigure::partsShown(const Shown& s) const {
  return kRunPartCount - firstPart(s);
}

const RunFigure::Shown& RunFigure::shownOf(const PlanContext& c) const {
  if (m_kept && m_kept->plan == c.plan && m_kept->problem == c.problem) return m_kept->shown;
  Shown out;
  const Problem& problem = *c.problem;
  const RankedPlan& plan = *c.plan;
  out.forecast = runForecastOf(problem, plan.plan, plan.evaluation);
  const bool isDescribed = out.forecast.has_value();
  if (!isDescribed) out.forecast = stepsOnly(problem, plan.plan, plan.evaluation);
  out.missing = askedForParts(problem);
  if (out.forecast && out.missing.empty()) {
    const RunForecast& f = *out.forecast;
    const auto amounts = [&](Seconds part, Seconds all) {
      return amountsOf(problem, f, plan.plan.devicesUsed(), part, all);
    };
    const auto add = [&](const QString& name, const std::array<Seconds, kRunPartCount>& parts, Seconds all) {
      Bar bar{name, parts, {}, amounts(all, all)};
      for (std::size_t k = 0; k < parts.size(); ++k) bar.amounts[k] = amounts(parts[k], all);
      out.bars.push_back(std::move(bar));
    };
    if (!f.prediction) {
      add(tr("Steps"), {*f.work}, *f.work);
    } else if (f.prediction->finishes) {
      add(tr("Formula"), partsOf(*f.prediction, f.times->work), f.prediction->total);
      if (const auto simulated = simulateBriefly(*f.times))
        add(tr("Simulation"), partsOf(*simulated, f.times->work), simulated->total);
    }
    out.sentence = capitalised(phrase(words::runSentence(f)));
    for (const auto& [name, text] : isDescribed ? words::runLines(f) : decltype(words::runLines(f))())
      if (name != "useful time") out.lines.emplace_back(capitalised(phrase(name)), phrase(text));
  }
  m_kept = Kept{c.problem, c.plan, std::move(out)};
  return m_kept->shown;
}

/// The chosen one, or shares where it lacks a field.
RunUnit RunFigure::unitOf(const PlanContext& c) const {
  return missingForUnit(*c.problem, m_unit).empty() ? m_unit : RunUnit::Share;
}

int RunFigure::count(const PlanContext& c) const {
  return isShown(c) ? static_cast<int>(shownOf(c).bars.size()) * partsShown(shownOf(c)) : 0;
}

/// The line about checkpoints takes two where the figure is narrow.
double RunFigure::leastHeight(const PlanContext& c) const {
  if (!isShown(c)) return kLeastState;
  return kAroundRun + kLeastBars + kLineRow * static_cast<double>(shownOf(c).lines.size() + 1);
}

std::optional<FigureState> RunFigure::state(const PlanContext& c, bool) const {
  if (!c.plan || !c.problem || !c.plan->evaluation.feasible()) {
    if (auto none = stateOf(c, tr("where the time of the run goes"))) return none;
    return FigureState{tr("Run of a plan that does not fit"), bannerOf(c)};
  }
  const Shown& s = shownOf(c);
  if (!s.missing.empty()) {
    const bool isBlank = !c.problem->run.hasFailures();
    const QString fields = phrase(words::listOfFields(s.missing));
    return FigureState{isBlank ? tr("Nothing is known about the run") : tr("The run lacks values"),
                       isBlank ? tr("Give a rate of failures, or the tokens to train on: %1.").arg(fields)
                               : tr("Give %1.").arg(fields)};
  }
  if (s.bars.empty()) {
    QString text;
    for (const auto& [name, line] : s.lines) text += QStringLiteral("%1: %2\n").arg(name, line);
    return FigureState{tr("The run does not get through its failures"), text.trimmed()};
  }
  return std::nullopt;
}

struct RunFigure::Parts {
  QRectF plot, legend, lines;
  double rowHeight = 0;
  double largest = 0;  ///< in the unit
  Axis axis;
  std::vector<LegendItem> items;
  RunUnit unit = RunUnit::Share;
  int first = 0;  ///< part

  /// Of all parts that are shown.
  double length(const Bar& bar) const {
    double out = bar.whole[at(unit)].value_or(1);
    for (int k = 0; k < first; ++k) out -= bar.amounts[at(k)][at(unit)].value_or(0);
    return out;
  }
  QRectF row(std::size_t i) const {
    const double height = std::min(kMostBarHeight, rowHeight * kBarShare);
    return {plot.left(), plot.top() + rowHeight * static_cast<double>(i) + (rowHeight - height) / 2,
            plot.width(), height};
  }
  /// Part `part` of bar `i`.
  QRectF piece(const Bar& bar, std::size_t i, int part) const {
    const auto amount = [&](int k) { return bar.amounts[at(k)][at(unit)].value_or(0); };
    double before = 0;
    for (int k = first; k < part; ++k) before += amount(k);
    const QRectF all = row(i);
    return {all.left() + all.width() * before / largest, all.top(), all.width() * amount(part) / largest,
            all.height()};
  }
};

RunFigure::Parts RunFigure::layOut(const QRectF& area, const PlanContext& c, bool standalone,
                                   const Theme& theme) const {
  const Shown& s = shownOf(c);
  Parts p;
  p.unit = unitOf(c);
  p.first = firstPart(s);
  QRectF body = bodyOf(area, c, standalone);
  for (int k = p.first; k < kRunPartCount; ++k)
    if (s.bars.front().parts[at(k)] > Seconds())
      p.items.push_back(
          {partName(static_cast<RunPart>(k)) + u' ' + amountText(p.unit, s.bars.front().amounts[at(k)]),
           colorOf(static_cast<RunPart>(k), theme), hatchOf(static_cast<RunPart>(k))});
  double label = 0;
  for (const Bar& bar : s.bars) {
    label = std::max(label, FigurePainter::width(bar.name, FigurePainter::kBody, true));
    p.largest = std::max(p.largest, p.length(bar));
  }
  if (!(p.largest > 0)) p.largest = 1;
  double lines = 0;
  for (const auto& [name, text] : s.lines)
    lines += kLineRow * static_cast<double>(std::max<qsizetype>(
                            1, FigurePainter::lines(text, body.width() - 110, FigurePainter::kBody).size()));
  const double legend = legendHeight(p.items, body.width());
  const double fixed = kHorizontalAxisHeight + kLegendGap + legend;
  const double least = kLeastBars * (s.bars.size() > 1 ? 1 : 0.6);
  lines = std::clamp(body.height() - fixed - least - 10, 0.0, lines);
  const double most = static_cast<double>(s.bars.size()) * (kMostBarHeight / kBarShare);
  const double bars = std::clamp(body.height() - fixed - lines - 10, 20.0, most);
  p.plot = QRectF(body.left() + label + kLabelGap, body.top(), body.width() - label - kLabelGap - 8, bars);
  p.rowHeight = bars / static_cast<double>(s.bars.size());
  p.legend = QRectF(body.left(), p.plot.bottom() + kHorizontalAxisHeight + kLegendGap, body.width(), legend);
  p.lines = QRectF(body.left(), p.legend.bottom() + 10, body.width(),
                   std::min(lines, std::max(0.0, body.bottom() - p.legend.bottom() - 10)));
  p.axis = unitAxis(p.unit, p.largest, p.plot.width());
  return p;
}

void RunFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  const Shown& s = shownOf(c);
  QString sentence = s.sentence;
  if (const auto missing = missingForUnit(*c.problem, m_unit); !missing.empty())
    sentence += tr("; %1 needs %2")
                    .arg(QString::fromLatin1(words::labelOf(m_unit)), phrase(words::listOfFields(missing)));
  paintFrame(ink, area, c, title(), sentence);
  const Parts p = layOut(area, c, ink.style().standalone, ink.theme());
  paintHorizontalAxis(ink, p.plot, p.axis, p.first > 0 ? tr("Time lost") : tr("Time of the run"));
  for (std::size_t i = 0; i < s.bars.size(); ++i) {
    const QRectF row = p.row(i);
    ink.label({area.left(), row.top(), row.left() - area.left() - kLabelGap, row.height()}, s.bars[i].name,
              Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kBody, ink.color(Role::Text), true);
    for (int k = p.first; k < kRunPartCount; ++k) {
      const QRectF piece = p.piece(s.bars[i], i, k);
      if (piece.width() < 0.3) continue;
      const QColor fill = colorOf(static_cast<RunPart>(k), ink.theme());
      const QColor on = ink.theme().textOn(fill);
      ink.fill(piece, fill);
      if (const int hatch = hatchOf(static_cast<RunPart>(k))) ink.hatch(piece, hatch, mixed(fill, on, 0.4));
      paintEdge(ink, piece, fill);
      const QString text = amountText(p.unit, s.bars[i].amounts[at(k)]);
      if (const double w = FigurePainter::width(text, FigurePainter::kBody, true) + 8; w <= piece.width()) {
        const QRectF box(piece.center().x() - w / 2, piece.center().y() - 9, w, 18);
        if (k > 0) ink.fill(box, fill);  // no line of the hatch through the number
        ink.label(box, text, Qt::AlignCenter, FigurePainter::kBody, on, true);
      }
    }
    const double whole = row.width() * p.length(s.bars[i]) / p.largest;
    ink.outline({row.left(), row.top(), whole, row.height()}, ink.color(Role::Border));
  }
  paintLegend(ink, p.legend, p.items);
  QRectF row(p.lines.left(), p.lines.top(), p.lines.width(), 0);
  for (const auto& [name, text] : s.lines) {
    const auto count =
        std::max<qsizetype>(1, FigurePainter::lines(text, row.width() - 110, FigurePainter::kBody).size());
    row.setHeight(kLineRow * static_cast<double>(count));
    if (row.bottom() > p.lines.bottom() + 1) {
      ink.leaveOut();
      break;
    }
    ink.label({row.left(), row.top(), 104, kLineRow}, name, Qt::AlignLeft | Qt::AlignVCenter,
              FigurePainter::kBody, ink.color(Role::MutedText));
    ink.paragraph(row.adjusted(110, 1, 0, 0), text, Qt::AlignLeft | Qt::AlignTop, FigurePainter::kBody,
                  ink.color(Role::Text));
    row.moveTop(row.bottom());
  }
  paintMarks(ink, area, c);
}

Figure::Hit RunFigure::hitOf(int i, const QRectF& area, const PlanContext& c) const {
  const Shown& s = shownOf(c);
  const auto bar = at(i / partsShown(s));
  const int part = firstPart(s) + i % partsShown(s);
  const Bar& b = s.bars[bar];
  Tip tip(tr("%1: %2").arg(b.name, inSentence(partName(static_cast<RunPart>(part)))));
  for (int k = 0; k < kRunUnitCount; ++k)
    if (b.amounts[at(part)][at(k)])
      tip.row(QString::fromLatin1(words::labelOf(static_cast<RunUnit>(k))),
              amountText(static_cast<RunUnit>(k), b.amounts[at(part)]));
  const Parts p = layOut(area, c, false, Theme::of(Theme::Kind::Light));
  QRectF place = p.piece(b, bar, part);
  if (place.width() < 4) place = place.adjusted(-2, 0, 2, 0);  // a part that is too thin to be seen
  return {itemOf(i), place, tip.html()};
}

QString RunFigure::lineOf(int i, const PlanContext& c) const {
  const Shown& s = shownOf(c);
  const Bar& bar = s.bars[at(i / partsShown(s))];
  const int part = firstPart(s) + i % partsShown(s);
  return QStringLiteral("%1: %2 %3")
      .arg(bar.name, inSentence(partName(static_cast<RunPart>(part))),
           amountText(unitOf(c), bar.amounts[at(part)]));
}

QString RunFigure::words(const PlanContext& c) const {
  const Shown& s = shownOf(c);
  QString out = title() + u'\n' + s.sentence + u'\n';
  for (int i = 0; i < count(c); ++i) out += lineOf(i, c) + u'\n';
  for (const auto& [name, text] : s.lines) out += QStringLiteral("%1: %2\n").arg(name, text);
  return out;
}

}  // namespace nest
