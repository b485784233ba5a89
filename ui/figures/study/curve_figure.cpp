#include "figures/study/curve_figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "figures/paint/axis.h"
#include "figures/paint/chart.h"
#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/paint/ticks.h"
#include "units/amount.h"
#include "units/text.h"

namespace nest {

using Role = Theme::Role;
using Result = StudyRecord::Result;

namespace {

constexpr double kMark = 8, kPoint = 4.5, kNumber = 9.5;
constexpr double kCurveKeyRow = 16, kKeyLine = 22, kKeyGap = 16;
constexpr double kMostName = 0.45;  ///< of the plot's width: longer names hide what they name

QRectF around(const QPointF& at, double radius) {
  return {at.x() - radius, at.y() - radius, 2 * radius, 2 * radius};
}

}  // namespace

const Result* CurveFigure::firstThatRuns() const {
  const auto it =
      std::find_if(m_record.results.begin(), m_record.results.end(), [](const Result& r) { return r.y > 0; });
  return it == m_record.results.end() ? nullptr : &*it;
}

double CurveFigure::xOf(const Result& r) const {
  return m_record.across[&r - m_record.results.data()].x;
}

double CurveFigure::linearAt(double x) const {
  const Result* first = firstThatRuns();
  return m_record.heldBatch > 0 && first ? first->y * x / xOf(*first) : 0;
}

/// It follows from what is to be tried, so that it stays while points arrive.
ChartPlane CurveFigure::planeOf(const QRectF& area, const PlanContext& c, bool standalone) const {
  ChartPlane plane;
  plane.plot =
      bodyOf(area, c, standalone).adjusted(ChartPlane::kLeft, ChartPlane::kTop, -16, -ChartPlane::kBottom);
  plane.plot.setTop(plane.plot.top() + kCurveKeyRow * static_cast<double>(keyOf(plane.plot).rows - 1));
  const double left = m_record.across.front().x, right = m_record.across.back().x;
  const double margin = std::pow(right / left, 0.02);
  plane.x = {left / margin, right * margin, true, phrase(m_record.acrossName), {}, false};
  addTicks(plane);
  double least = 0, most = 0;
  const auto include = [&](double y) {
    if (!(y > 0)) return;
    least = least > 0 ? std::min(least, y) : y;
    most = std::max(most, y);
  };
  for (const Result& r : m_record.results) {
    include(r.y);
    for (const double y : r.others) include(y);
  }
  include(linearAt(right));
  include(m_record.threshold);
  const double top = roundBound(most * 1.02);
  const int ticks = ticksWithin(plane.plot.height(), 36);
  plane.y =
      linearAt(right) > 0 || (m_record.logarithmic && least > 0)
          ? ChartScale::powers(roundBound(least * 0.9, true), top, ticks, phrase(m_record.quantity))
          : ChartScale::linear({top, 1, {}, roundTicks(top, std::min(ticks, 6))}, phrase(m_record.quantity));
  constexpr double kLong = 1e4;
  for (auto& tick : plane.y.ticks)  // "1.5 M": in full there is no room for it beside the axis
    if (tick.value >= kLong) tick.text = phrase(text::amount(tick.value));
  return plane;
}

/// Every second, fourth, … value where there is no room for all: the present one among them.
void CurveFigure::addTicks(ChartPlane& plane) const {
  constexpr double kApart = 8, kLeast = 24;  ///< pixels: between two labels; from one to the next
  const auto& across = m_record.across;
  const auto present = std::ranges::find_if(across, [](const auto& v) { return v.present; });
  const auto from = present == across.end() ? 0 : static_cast<std::size_t>(present - across.begin());
  std::size_t stride = 1;
  while (static_cast<double>(across.size() / stride) * kLeast > plane.plot.width()) stride *= 2;
  const auto hasRoom = [&](std::size_t step) {
    double free = -1e300;
    for (std::size_t i = from % step; i < across.size(); i += step) {
      const double half = FigurePainter::width(phrase(across[i].text), FigurePainter::kSmall) / 2;
      const double at = plane.at(across[i].x, 1).x();
      if (at - half < free) return false;
      free = at + half + kApart;
    }
    return true;
  };
  while (stride < across.size() && !hasRoom(stride)) stride *= 2;
  for (std::size_t i = from % stride; i < across.size(); i += stride)
    plane.x.ticks.push_back({across[i].x, phrase(across[i].text)});
}

QPointF CurveFigure::pointOf(double x, double y, const QRectF& area, const PlanContext& c,
                             bool standalone) const {
  return planeOf(area, c, standalone).at(x, y);
}

QString CurveFigure::title() const {
  return m_record.acrossName.empty()
             ? ListFigure::title()
             : tr("%1 by %2").arg(phrase(m_record.quantity), phrase(m_record.acrossName));
}

std::optional<FigureState> CurveFigure::state(const PlanContext& c, bool) const {
  if (!m_record.results.empty()) return std::nullopt;
  if (auto none = stateOf(c, tr("a study of it"), false)) return none;
  if (m_record.cancelled) return FigureState{tr("The study was cancelled"), tr("No value had been solved.")};
  return FigureState{tr("No study yet"),
                     tr("Choose a field to vary and run the study. Points appear as they are solved.")};
}

QString CurveFigure::progressOf(const StudyRecord& r) {
  if (r.isWhole()) return {};
  return (r.cancelled ? tr("Cancelled after %1 of %2 values") : tr("%1 of %2 values so far"))
      .arg(countText(static_cast<long long>(r.results.size())))
      .arg(countText(static_cast<long long>(r.size())));
}

void CurveFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  paintFrame(ink, area, c, title(), sentence());
  const ChartPlane plane = planeOf(area, c, ink.style().standalone);
  Chart chart(ink, plane);
  paintGround(ink, plane);
  addOthers(ink, chart, plane);
  addLinear(ink, chart, plane);
  addThreshold(ink, chart, plane);
  const QColor fill = ink.color(Role::Accent);
  chart.line(valuesOf([](const Result& r) { return r.y; }), QPen(fill, 2));
  const std::vector<const Result*> plans = marks();
  std::vector<const Result*> others;
  auto next = plans.begin();
  for (const Result& r : m_record.results)
    if (next != plans.end() && *next == &r)
      ++next;
    else if (r.y > 0)
      others.push_back(&r);
  const QPen rim(ink.color(Role::Canvas), 1.5);
  const std::vector<const Result*> numbered = apart(plans, kMark, plane);
  chart.marks(pointsOf(apart(others, kPoint, plane)), {2 * kPoint, fill, rim});
  chart.marks(pointsOf(numbered), {2 * kMark, fill, rim});
  chart.paint();
  paintMissing(ink, plane);
  if (m_record.threshold > 0)
    ink.label(QRectF(plane.plot.left() + 4, plane.at(m_record.across.front().x, m_record.threshold).y() - 16,
                     plane.plot.width() - 8, 14),
              phrase(m_record.thresholdText), Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kSmall,
              ink.color(Role::Warning), true);
  if (const double linear = linearAt(m_record.across.back().x); linear > 0)
    chart.name(plane.at(m_record.across.back().x, linear), kMark, {tr("linear scaling")});
  paintNumbers(ink, chart, plane, plans, numbered);
  ListFigure::paintMarks(ink, area, c);
}

/// The first plan, and each that differs from the one before.
std::vector<const Result*> CurveFigure::marks() const {
  std::vector<const Result*> out;
  for (const Result& r : m_record.results)
    if (r.y > 0 && (out.empty() || !r.change.empty())) out.push_back(&r);
  return out;
}

/// Those that stand at least so far from the one before: where thousands stand, their rims would hide them
/// all.
std::vector<const Result*> CurveFigure::apart(const std::vector<const Result*>& results, double pixels,
                                              const ChartPlane& plane) const {
  std::vector<const Result*> out;
  QPointF last;
  for (const Result* r : results) {
    const QPointF here = plane.at(xOf(*r), r->y), off = here - last;
    if (!out.empty() && std::hypot(off.x(), off.y()) < pixels) continue;
    out.push_back(r), last = here;
  }
  return out;
}

QPolygonF CurveFigure::pointsOf(const std::vector<const Result*>& results) const {
  QPolygonF out;
  for (const Result* r : results) out << QPointF(xOf(*r), r->y);
  return out;
}

/// Each plan's number, where the one before leaves room for it, and its name where there is room for that.
void CurveFigure::paintNumbers(FigurePainter& ink, Chart& chart, const ChartPlane& plane,
                               const std::vector<const Result*>& plans,
                               const std::vector<const Result*>& shown) const {
  const QColor colour = ink.theme().textOn(ink.color(Role::Accent));
  QRectF last;
  auto next = shown.begin();
  for (std::size_t i = 0; i < plans.size() && next != shown.end(); ++i) {
    if (plans[i] != *next) continue;
    const Result& r = **next++;
    const QPointF here = plane.at(xOf(r), r.y);
    const QString number = QString::number(i + 1);
    const double w = FigurePainter::width(number, kNumber, true);
    const QRectF box(here.x() - w / 2, here.y() - 9, w, 18);
    if (w > box.height() || box.intersects(last)) continue;
    last = box;
    ink.label(box, number, Qt::AlignCenter, kNumber, colour, true);
    const QString name = QStringLiteral("%1: %2").arg(number, phrase(r.plan));
    if (FigurePainter::width(name, FigurePainter::kSmall) < kMostName * plane.plot.width())
      chart.name(here, kMark, {name});
  }
}

/// The names of the other lines, beside the axis title and above it in as many rows as they need.
CurveFigure::Key CurveFigure::keyOf(const QRectF& plot) const {
  Key key;
  const double start = plot.left() - ChartPlane::kLeft + 4;
  double x = start +
             FigurePainter::width(phrase(m_record.quantity) + QStringLiteral(", logarithmic"),
                                  FigurePainter::kSmall) +
             kKeyGap;
  for (const std::string& name : m_record.others) {
    const double w = kKeyLine + 5 + FigurePainter::width(phrase(name), FigurePainter::kSmall) + kKeyGap;
    if (x + w - kKeyGap > plot.right() && x > start) x = start, ++key.rows;
    key.places.emplace_back(x, key.rows - 1);
    x += w;
  }
  return key;
}

/// Not a number where there is none, which breaks the line.
template <class Of>
QPolygonF CurveFigure::valuesOf(Of of) const {
  QPolygonF out;
  for (const Result& r : m_record.results)
    out << QPointF(xOf(r), of(r) > 0 ? of(r) : std::numeric_limits<double>::quiet_NaN());
  return out;
}

/// Behind all: the present value, and what is not solved yet.
void CurveFigure::paintGround(FigurePainter& ink, const ChartPlane& plane) const {
  const QRectF& plot = plane.plot;
  const auto acrossAt = [&](std::size_t i) { return plane.at(m_record.across[i].x, plane.y.high).x(); };
  for (std::size_t i = 0; i < m_record.across.size(); ++i) {
    const double x = acrossAt(i);
    if (m_record.across[i].present) {
      ink.line({x, plot.top()}, {x, plot.bottom()}, ink.color(Role::MutedText), 1, Qt::DotLine);
      const double w = FigurePainter::width(tr("now"), FigurePainter::kSmall) + 1;
      const double left = x + 4 + w < plot.right() ? x + 4 : x - 4 - w;
      ink.label({left, plot.bottom() - 16, w, 14}, tr("now"), Qt::AlignLeft | Qt::AlignVCenter,
                FigurePainter::kSmall, ink.color(Role::MutedText));
    }
  }
  // What has not been solved is shaded, or a part would pass for the whole.
  if (const std::size_t done = m_record.results.size(); done < m_record.across.size()) {
    const double from = done == 0 ? plot.left() : (acrossAt(done - 1) + acrossAt(done)) / 2;
    const QRectF rest(QPointF(from, plot.top()), plot.bottomRight());
    ink.hatch(rest, 1, ink.color(Role::Grid), 9);
    ink.firstThatFits(rest, {tr("not solved")}, Qt::AlignCenter, FigurePainter::kSmall,
                      ink.color(Role::MutedText));
  }
}

/// Values without a plan stand at no height: a cross at the axis, the first of a row with its reason.
void CurveFigure::paintMissing(FigurePainter& ink, const ChartPlane& plane) const {
  const QRectF& plot = plane.plot;
  for (std::size_t i = 0; i < m_record.results.size(); ++i) {
    const Result& r = m_record.results[i];
    if (r.y > 0) continue;
    const double x = plane.at(m_record.across[i].x, plane.y.high).x();
    ink.label(around({x, plot.bottom() - 12}, 8), r.decided ? QStringLiteral("×") : QStringLiteral("?"),
              Qt::AlignCenter, FigurePainter::kBody, ink.color(r.decided ? Role::Error : Role::MutedText),
              true);
    if (i > 0 && !(m_record.results[i - 1].y > 0)) continue;
    const QString reason = phrase(r.none);
    const double w = std::min(90.0, FigurePainter::width(reason, FigurePainter::kSmall) + 4);
    const QRectF box(std::max(x - w / 2, plot.left() + 2), plot.bottom() - 36, w, 14);
    ink.fill(box, ink.color(Role::Canvas));  // the grid passes behind
    ink.label(box, reason, Qt::AlignCenter, FigurePainter::kSmall, ink.color(Role::Error));
  }
}

/// Straight on logarithmic axes, wherever it begins and ends.
void CurveFigure::addLinear(FigurePainter& ink, Chart& chart, const ChartPlane& plane) const {
  const Result* first = firstThatRuns();
  if (!plane.y.logarithmic || !first) return;
  const double right = m_record.across.back().x;
  chart.line({{xOf(*first), first->y}, {right, linearAt(right)}},
             QPen(ink.color(Role::MutedText), 1, Qt::DashLine, Qt::FlatCap));
}

void CurveFigure::addThreshold(FigurePainter& ink, Chart& chart, const ChartPlane& plane) const {
  if (m_record.threshold > 0)
    chart.line({{plane.x.low, m_record.threshold}, {plane.x.high, m_record.threshold}},
               QPen(ink.color(Role::Warning), 1.4, Qt::DashLine, Qt::FlatCap));
}

/// "; 20 s or less from 512 on", "; 900 k tokens/s or more at 3 of 8 values"; empty: no threshold.
QString CurveFigure::thresholdText(const StudyRecord& r) {
  if (!(r.threshold > 0) || r.results.empty()) return {};
  const QString level = (r.lessIsBetter ? tr("%1 or less") : tr("%1 or more")).arg(phrase(r.thresholdText));
  const auto reaches = [&r](const Result& one) { return r.reaches(one); };
  const auto& all = r.results;
  const auto count = std::count_if(all.begin(), all.end(), reaches);
  if (count == 0) return tr("; %1 at none of these values").arg(level);
  if (count == static_cast<std::ptrdiff_t>(all.size())) return tr("; %1 at all of these values").arg(level);
  const auto first = std::find_if(all.begin(), all.end(), reaches);
  const auto textOf = [&](auto it) {
    return phrase(r.across[static_cast<std::size_t>(it - all.begin())].text);
  };
  if (r.upName.empty() && count == all.end() - first) return tr("; %1 from %2 on").arg(level, textOf(first));
  if (r.upName.empty() && std::all_of(all.begin(), all.begin() + count, reaches))
    return tr("; %1 up to %2").arg(level, textOf(all.begin() + count - 1));
  return tr("; %1 at %2 of %3 values")
      .arg(level, countText(count), countText(static_cast<long long>(all.size())));
}

/// "From 8.45 samples/s at 64 to 121 samples/s at 1,024, 90 % of linear; global batch held at 1,536 (strong
/// scaling); the plan changes 6 times".
QString CurveFigure::sentence() const {
  QString lead = progressOf(m_record);
  if (!lead.isEmpty()) lead += QStringLiteral(": ");
  const Result* first = firstThatRuns();
  if (!first) {
    const bool decided = std::all_of(m_record.results.begin(), m_record.results.end(),
                                     [](const Result& r) { return r.decided; });
    return !decided         ? lead + tr("stopped before a plan was found at any of these values")
           : lead.isEmpty() ? tr("No plan fits at any of these values")
                            : lead + tr("no plan fits yet");
  }
  const Result* last = &*std::find_if(m_record.results.rbegin(), m_record.results.rend(),
                                      [](const Result& r) { return r.y > 0; });
  const auto textOf = [this](const Result& r) {
    return phrase(m_record.across[&r - m_record.results.data()].text);
  };
  if (first == last) return lead + tr("%1 at %2").arg(phrase(first->yText), textOf(*first));
  QString out = lead + (lead.isEmpty() ? tr("From") : tr("from")) +
                tr(" %1 at %2 to %3 at %4")
                    .arg(phrase(first->yText), textOf(*first), phrase(last->yText), textOf(*last));
  if (const double linear = linearAt(xOf(*last)); linear > 0)
    out += tr(", %1 of linear; global batch held at %2 (strong scaling)")
               .arg(phrase(text::percent(last->y / linear)), countText(m_record.heldBatch));
  const auto changes = std::count_if(m_record.results.begin(), m_record.results.end(),
                                     [](const Result& r) { return !r.change.empty(); });
  return out +
         (changes == 0   ? tr("; the plan stays the same")
          : changes == 1 ? tr("; the plan changes once")
          : changes == 2 ? tr("; the plan changes twice")
                         : tr("; the plan changes %1 times").arg(changes)) +
         thresholdText(m_record) + withoutPlan(m_record);
}

/// "; no plan fits at 5 of 12 values": what the sentence before does not speak of; empty: a plan at each.
QString CurveFigure::withoutPlan(const StudyRecord& r) {
  const auto count = [&](bool decided) {
    return std::count_if(r.results.begin(), r.results.end(),
                         [decided](const Result& one) { return !(one.y > 0) && one.decided == decided; });
  };
  const auto text = [&](const QString& said, auto n) {
    return n == 0 ? QString() : said.arg(countText(n), countText(static_cast<long long>(r.results.size())));
  };
  return text(tr("; no plan fits at %1 of %2 values"), count(true)) +
         text(tr("; at %1 of %2 values the search was stopped before it found a plan"), count(false));
}

void CurveFigure::addOthers(FigurePainter& ink, Chart& chart, const ChartPlane& plane) const {
  constexpr std::array kLines{Qt::DashLine, Qt::DotLine, Qt::DashDotLine, Qt::DashDotDotLine};
  const QRectF& plot = plane.plot;
  const Key key = keyOf(plot);
  for (std::size_t k = 0; k < m_record.others.size(); ++k) {
    const QColor colour =
        mixed(ink.color(Role::Text), ink.color(Role::Canvas), 0.25 + 0.1 * static_cast<double>(k % 4));
    const QPen pen(colour, 1.4, kLines[k % kLines.size()], Qt::FlatCap);
    const QPolygonF values = valuesOf([k](const Result& r) { return k < r.others.size() ? r.others[k] : 0; });
    chart.line(values, pen);
    chart.marks(values, {5, colour, Qt::NoPen, true});
    // Named at the top, with its line.
    const auto& [x, row] = key.places[k];
    const double y = plot.top() - 18 - kCurveKeyRow * row;
    ink.line({x, y}, {x + kKeyLine, y}, colour, 1.4, pen.style());
    ink.label({x + kKeyLine + 5, y - 8, plot.right() + 16 - x - kKeyLine - 5, 16}, phrase(m_record.others[k]),
              Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
  }
}

Figure::Hit CurveFigure::hitOf(int i, const QRectF& area, const PlanContext& c) const {
  const Result& r = m_record.results[i];
  const ChartPlane plane = planeOf(area, c, false);
  Tip tip(phrase(m_record.across[i].text));
  if (r.y > 0) tip.row(phrase(m_record.quantity), phrase(r.yText)).row(tr("Plan"), phrase(r.plan));
  if (r.y <= 0) tip.note(phrase(r.none));
  if (const double linear = linearAt(xOf(r)); linear > 0 && r.y > 0)
    tip.row(tr("Relative to linear scaling"), phrase(text::percent(r.y / linear)));
  if (!r.change.empty()) tip.note(phrase(r.change));
  return {itemOf(i), around(placeOf(i, plane), 9), tip.html()};
}

QPointF CurveFigure::placeOf(int i, const ChartPlane& plane) const {
  const Result& r = m_record.results[i];
  return r.y > 0 ? plane.at(xOf(r), r.y)
                 : QPointF(plane.at(xOf(r), plane.y.high).x(), plane.plot.bottom() - 12);
}

std::vector<QRectF> CurveFigure::placesOf(const QRectF& area, const PlanContext& c) const {
  const ChartPlane plane = planeOf(area, c, false);
  std::vector<QRectF> out;
  for (int i = 0; i < count(c); ++i) out.push_back(around(placeOf(i, plane), 9));
  return out;
}

QString CurveFigure::lineOf(int i, const PlanContext&) const {
  const Result& r = m_record.results[i];
  const QString x = phrase(m_record.across[i].text);
  if (!(r.y > 0)) return QStringLiteral("%1: %2").arg(x, phrase(r.none));
  QString out = QStringLiteral("%1: %2, %3").arg(x, phrase(r.yText), phrase(r.plan));
  if (!r.change.empty()) out += QStringLiteral("; ") + phrase(r.change);
  return out;
}

QString CurveFigure::words(const PlanContext&) const {
  QString out = phrase(m_record.acrossName) + u'\t' + phrase(m_record.quantity);
  if (m_record.heldBatch > 0) out += u'\t' + tr("linear scaling");
  out += u'\t' + tr("plan");
  for (const std::string& o : m_record.others) out += u'\t' + phrase(o);
  out += u'\n';
  for (std::size_t i = 0; i < m_record.results.size(); ++i) {
    const Result& r = m_record.results[i];
    out += phrase(m_record.across[i].text) + u'\t' + phrase(r.y > 0 ? r.yText : r.none);
    if (m_record.heldBatch > 0) out += u'\t' + phrase(text::amount(linearAt(m_record.across[i].x)));
    out += u'\t' + phrase(r.plan);
    for (std::size_t k = 0; k < m_record.others.size(); ++k)
      out += u'\t' + (k < r.others.size() && r.others[k] > 0 ? phrase(text::amount(r.others[k]))
                                                             : QStringLiteral("–"));
    out += u'\n';
  }
  if (const QString part = progressOf(m_record); !part.isEmpty()) out += part + u'\n';
  return out;
}

}  // namespace nest
