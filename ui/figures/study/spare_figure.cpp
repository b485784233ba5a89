#include "figures/study/spare_figure.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/paint/ticks.h"
#include "figures/paint/unit_axis.h"
#include "figures/plan/run_figure.h"
#include "units/at.h"
#include "units/text.h"
#include "words/run_words.h"

namespace nest {

using Role = Theme::Role;

namespace {

enum SpareColumn {
  kSpareCount,
  kSpareShare,
  kSpareEnough,
  kSpareDays,
  kSpareHours,
  kSpareMoney,
  kSpareMark,
  kSpareEnergy,  ///< absent in files of earlier versions
  kSpareColumns
};
constexpr std::array<const char*, kSpareColumns> kSpareHeads{
    "spare hosts", "share of throughput", "P(enough)", "days", "device-hours", "money",
    "mark",        "energy, MWh"};
constexpr const char *kCheapestMark = "fewest device-hours", *kStoppedMark = "stopped";

constexpr double kSecondsOfDay = 86400;
constexpr double kSpareAxis = 64, kSpareFoot = 40, kChanceShare = 0.3, kBetweenPlots = 28, kAboveSpares = 20;
constexpr double kMostSpareBar = 44;
constexpr double kAboveBars = 1.12;    ///< for the number on the tallest one
constexpr double kSpareTickRoom = 34;  ///< pixels between two labels below

std::string exactOr(const std::optional<double>& v) {
  return v ? text::exact(*v) : std::string();
}

std::optional<double> readExact(const std::string& cell) {
  double out = 0;
  const auto [end, wrong] = std::from_chars(cell.data(), cell.data() + cell.size(), out);
  return wrong == std::errc() && end == cell.data() + cell.size() ? std::optional(out) : std::nullopt;
}

QString sparesText(int n) {
  return plural(n, SpareFigure::tr("spare host"));
}

}  // namespace

SpareCurve curveOf(const SpareBenefit& b) {
  SpareCurve out;
  out.cheapest = b.cheapest, out.isComplete = b.isComplete;
  for (const SpareChoice& c : b.choices) {
    SpareCurve::Point p{c.spares, c.share, poissonAtMost(b.hostsAway, c.spares), {}, c.deviceHours,
                        c.money,  {}};
    if (c.energy) p.energy = *c.energy / 1000;
    if (c.total) p.days = c.total->value() / kSecondsOfDay;
    out.points.push_back(p);
  }
  return out;
}

SavedTable tableOf(const SpareCurve& curve) {
  SavedTable out;
  for (int k = 0; k < kSpareColumns; ++k) out.columns.push_back({kSpareHeads[at(k)], k != kSpareMark});
  for (const SpareCurve::Point& p : curve.points)
    out.rows.push_back({std::to_string(p.spares), text::exact(p.share), text::exact(p.enough),
                        exactOr(p.days), exactOr(p.deviceHours), exactOr(p.money),
                        p.spares == curve.cheapest ? kCheapestMark : "", exactOr(p.energy)});
  if (!curve.isComplete) {
    std::vector<std::string> last(kSpareColumns);
    last[kSpareMark] = kStoppedMark;
    out.rows.push_back(std::move(last));
  }
  return out;
}

SpareCurve curveIn(const SavedTable& table) {
  SpareCurve out;
  for (const auto& row : table.rows) {
    if (row.size() <= kSpareMark) continue;
    if (row[kSpareMark] == kStoppedMark) out.isComplete = false;
    const auto spares = readExact(row[kSpareCount]), share = readExact(row[kSpareShare]),
               enough = readExact(row[kSpareEnough]);
    if (!spares || !share || !enough) continue;
    if (row[kSpareMark] == kCheapestMark) out.cheapest = static_cast<int>(*spares);
    out.points.push_back({static_cast<int>(*spares), *share, *enough, readExact(row[kSpareDays]),
                          readExact(row[kSpareHours]), readExact(row[kSpareMoney]),
                          row.size() > kSpareEnergy ? readExact(row[kSpareEnergy]) : std::nullopt});
  }
  return out;
}

std::vector<FigureOption> SpareFigure::offeredOptions(const PlanContext&) const {
  return {unitOption(m_unit)};
}

void SpareFigure::setOption(const std::string& key, const std::string& name) {
  if (key != "unit") return;
  if (const auto unit = runUnitNamed(name)) m_unit = *unit;
}

/// Null: shares.
std::optional<double> SpareCurve::Point::*SpareFigure::memberOf(RunUnit u) {
  switch (u) {
    case RunUnit::Days:
      return &Point::days;
    case RunUnit::DeviceHours:
      return &Point::deviceHours;
    case RunUnit::Money:
      return &Point::money;
    case RunUnit::Energy:
      return &Point::energy;
    case RunUnit::Share:
      break;
  }
  return nullptr;
}

/// The chosen one, or shares where it is not known.
RunUnit SpareFigure::shownUnit() const {
  const auto member = memberOf(m_unit);
  const bool isKnown = member && std::all_of(m_curve.points.begin(), m_curve.points.end(),
                                             [&](const Point& p) { return (p.*member).has_value(); });
  return isKnown ? m_unit : RunUnit::Share;
}

double SpareFigure::costOf(const Point& p) const {
  const auto member = memberOf(shownUnit());
  if (!member) return 1 - p.share;
  const Point& none = m_curve.points.front();
  return (p.*member).value_or(0) - (none.*member).value_or(0) * none.share;
}

std::optional<FigureState> SpareFigure::state(const PlanContext& c, bool) const {
  if (!c.plan || !c.problem || !c.plan->evaluation.feasible()) {
    if (auto none = stateOf(c, tr("what spare hosts buy"))) return none;
    return FigureState{tr("Spare hosts of a plan that does not fit"), bannerOf(c)};
  }
  return m_curve.empty() ? std::optional(m_none) : std::nullopt;
}

struct SpareFigure::Parts {
  QRectF cost, chance;
  double largest = 0;
  Axis axis, chances;
  double step = 0;  ///< pixels from one number to the next

  QRectF column(std::size_t i) const {
    return {cost.left() + step * static_cast<double>(i), cost.top(), step, chance.bottom() - cost.top()};
  }
};

SpareFigure::Parts SpareFigure::layOut(const QRectF& area, const PlanContext& c, bool standalone) const {
  Parts p;
  const QRectF body = bodyOf(area, c, standalone).adjusted(kSpareAxis, kAboveSpares, -8, -kSpareFoot);
  const double chance = (body.height() - kBetweenPlots) * kChanceShare;
  p.cost = QRectF(body.left(), body.top(), body.width(), body.height() - kBetweenPlots - chance);
  p.chance = QRectF(body.left(), body.bottom() - chance, body.width(), chance);
  p.step = body.width() / static_cast<double>(m_curve.points.size());
  for (const Point& point : m_curve.points) p.largest = std::max(p.largest, costOf(point));
  if (!(p.largest > 0)) p.largest = shownUnit() == RunUnit::Share ? 0.01 : 1;
  p.largest *= kAboveBars;
  p.axis = unitAxis(shownUnit(), p.largest, p.cost.height() * 2.5);
  p.chances = unitAxis(RunUnit::Share, 1, 200);
  return p;
}

void SpareFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  paintFrame(ink, area, c, title(), sentence());
  const Parts p = layOut(area, c, ink.style().standalone);
  paintVerticalAxis(ink, p.cost, p.axis,
                    shownUnit() == RunUnit::Share ? tr("Throughput lost to hosts that are away")
                                                  : tr("Cost of hosts that are away, and of spares"));
  paintVerticalAxis(ink, p.chance, p.chances, tr("Probability that the spares are enough"));
  const double width = std::min(kMostSpareBar, std::max(1.0, p.step * 0.7));
  const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(kSpareTickRoom / p.step)));
  for (std::size_t i = 0; i < m_curve.points.size(); ++i) {
    const Point& point = m_curve.points[i];
    const QRectF column = p.column(i);
    const double x = column.center().x() - width / 2;
    const bool isCheapest = point.spares == m_curve.cheapest;
    const bool isNow = c.problem->run.spareHosts == point.spares;
    const double cost = std::max(0.0, costOf(point)) / p.largest * p.cost.height();
    const QColor fill =
        isCheapest ? ink.color(Role::Accent) : mixed(ink.color(Role::Accent), ink.color(Role::Canvas), 0.55);
    ink.fill({x, p.cost.bottom() - cost, width, cost}, fill);
    ink.fill(
        {x, p.chance.bottom() - p.chance.height() * point.enough, width, p.chance.height() * point.enough},
        isCheapest ? ink.color(Role::Text) : ink.color(Role::MutedText));
    const RunUnit unit = shownUnit();
    ink.firstThatFits({column.left(), p.cost.bottom() - cost - 16, column.width(), 14},
                      {phrase(words::amountIn(unit, costOf(point)))}, Qt::AlignCenter, FigurePainter::kSmall,
                      ink.color(Role::Text), isCheapest);
    if (i % every == 0 || isCheapest || isNow)
      ink.label({column.center().x() - kSpareTickRoom / 2, p.chance.bottom() + 4, kSpareTickRoom, 15},
                countText(point.spares), Qt::AlignCenter, FigurePainter::kSmall,
                ink.color(isNow || isCheapest ? Role::Text : Role::MutedText), isNow || isCheapest);
    if (isNow) {
      ink.line({column.center().x(), p.cost.top() - 4}, {column.center().x(), p.cost.bottom() - cost - 18},
               ink.color(Role::MutedText), 1, Qt::DotLine);
      ink.label({column.center().x() + 3, p.cost.top() - 6, 40, 14}, tr("now"),
                Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
    }
  }
  ink.label({p.chance.left(), p.chance.bottom() + 20, p.chance.width(), 16},
            tr("Spare hosts (full colour: fewest device-hours)"), Qt::AlignCenter, FigurePainter::kBody,
            ink.color(Role::Text));
  paintMarks(ink, area, c);
}

/// "With 2 spare hosts the run takes 192 d instead of 199 d, for the fewest device-hours; they are enough
/// 99.7 % of the time".
QString SpareFigure::sentence() const {
  const auto best = std::find_if(m_curve.points.begin(), m_curve.points.end(),
                                 [&](const Point& p) { return p.spares == m_curve.cheapest; });
  const Point& none = m_curve.points.front();
  if (best == m_curve.points.end()) return {};
  QString out;
  const auto daysText = [](double days) { return phrase(text::time(Seconds(days * kSecondsOfDay))); };
  if (best->spares == 0)
    out = tr("No spare host pays for itself: without one %1 of the throughput is lost to hosts that are away")
              .arg(phrase(text::percent(1 - none.share)));
  else if (best->days && none.days)
    out = tr("With %1 the run takes %2 instead of %3, for the fewest device-hours")
              .arg(sparesText(best->spares), daysText(*best->days), daysText(*none.days));
  else
    out =
        tr("With %1 hosts that are away cost %2 of the throughput instead of %3, for the fewest device-hours")
            .arg(sparesText(best->spares), phrase(text::percent(1 - best->share)),
                 phrase(text::percent(1 - none.share)));
  out += tr("; enough %1 of the time").arg(phrase(text::percent(best->enough)));
  if (!m_curve.isComplete) out += tr("; stopped early, so that the cost is an upper bound");
  return out;
}

Figure::Hit SpareFigure::hitOf(int i, const QRectF& area, const PlanContext& c) const {
  const Point& p = m_curve.points[at(i)];
  Tip tip(sparesText(p.spares));
  tip.row(tr("Throughput"), phrase(text::percent(p.share)));
  if (p.days) tip.row(tr("Run"), phrase(text::time(Seconds(*p.days * kSecondsOfDay))));
  if (p.deviceHours)
    tip.row(tr("Device-hours"), phrase(words::amountIn(RunUnit::DeviceHours, *p.deviceHours)));
  if (p.money) tip.row(tr("Money"), phrase(words::amountIn(RunUnit::Money, *p.money)));
  if (p.energy) tip.row(tr("Energy"), phrase(words::amountIn(RunUnit::Energy, *p.energy)));
  tip.row(tr("Enough"), phrase(text::percent(p.enough)));
  if (p.spares == m_curve.cheapest) tip.note(tr("Fewest device-hours"));
  return {itemOf(i), layOut(area, c, false).column(at(i)), tip.html()};
}

std::vector<QRectF> SpareFigure::placesOf(const QRectF& area, const PlanContext& c) const {
  const Parts p = layOut(area, c, false);
  std::vector<QRectF> out;
  for (std::size_t i = 0; i < m_curve.points.size(); ++i) out.push_back(p.column(i));
  return out;
}

QString SpareFigure::lineOf(int i, const PlanContext&) const {
  const Point& p = m_curve.points[at(i)];
  QString out = tr("%1: %2 of the throughput").arg(sparesText(p.spares), phrase(text::percent(p.share)));
  if (p.days) out += tr(", the run takes %1").arg(phrase(text::time(Seconds(*p.days * kSecondsOfDay))));
  if (shownUnit() != RunUnit::Share && shownUnit() != RunUnit::Days)
    out += tr(", costs %1 more").arg(phrase(words::amountIn(shownUnit(), costOf(p))));
  out += tr(", enough %1 of the time").arg(phrase(text::percent(p.enough)));
  if (p.spares == m_curve.cheapest) out += tr(", fewest device-hours");
  return out;
}

QString SpareFigure::words(const PlanContext& c) const {
  QString out = title() + u'\n' + sentence() + u'\n';
  for (int i = 0; i < count(c); ++i) out += lineOf(i, c) + u'\n';
  return out;
}

}  // namespace nest
