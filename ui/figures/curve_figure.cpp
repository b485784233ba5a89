#include "figures/curve_figure.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "figures/frame.h"
#include "figures/ink.h"
#include "figures/phrases.h"
#include "figures/ticks.h"
#include "units/text.h"

namespace nest {

using Role = Theme::Role;
using Result = StudyRecord::Result;

namespace {

constexpr double kMark = 8, kPoint = 4.5;

bool overlaps(const std::vector<QRectF>& taken, const QRectF& r) {
  return std::any_of(taken.begin(), taken.end(), [&](const QRectF& t) { return t.intersects(r); });
}

QRectF around(const QPointF& at, double radius) {
  return {at.x() - radius, at.y() - radius, 2 * radius, 2 * radius};
}

}  // namespace

/// Where values stand. It follows from what is to be tried, so that it stays while points arrive.
struct CurveFigure::Scale {
  QRectF plot;
  double left = 1, right = 1;  ///< x at the ends
  double bottom = 0, top = 1;  ///< y at the ends
  bool logarithmic = false;

  QPointF at(double x, double y) const {
    const double t = right > left ? std::log(x / left) / std::log(right / left) : 0.5;
    const double u = logarithmic ? std::log(y / bottom) / std::log(top / bottom) : y / top;
    return {plot.left() + (0.02 + 0.96 * t) * plot.width(), plot.bottom() - u * plot.height()};
  }
};

const Result* CurveFigure::firstThatRuns() const {
  const auto it =
      std::find_if(m_record.results.begin(), m_record.results.end(), [](const Result& r) { return r.y > 0; });
  return it == m_record.results.end() ? nullptr : &*it;
}

double CurveFigure::xOf(const Result& r) const {
  return m_record.across[static_cast<std::size_t>(&r - m_record.results.data())].x;
}

double CurveFigure::linearAt(double x) const {
  const Result* first = firstThatRuns();
  return m_record.heldBatch > 0 && first ? first->y * x / xOf(*first) : 0;
}

CurveFigure::Scale CurveFigure::scaleOf(const QRectF& area, const PlanContext& c, bool standalone) const {
  Scale s;
  s.plot = bodyOf(area, c, standalone).adjusted(58, 30, -16, -50);
  s.left = m_record.across.front().x, s.right = m_record.across.back().x;
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
  include(linearAt(s.right));
  s.logarithmic = linearAt(s.right) > 0;
  s.bottom = s.logarithmic ? roundBound(least * 0.9, true) : 0;
  s.top = roundBound(most * 1.02);
  return s;
}

QPointF CurveFigure::pointOf(double x, double y, const QRectF& area, const PlanContext& c,
                             bool standalone) const {
  return scaleOf(area, c, standalone).at(x, y);
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
      .arg(r.results.size())
      .arg(r.size());
}

void CurveFigure::draw(Ink& ink, const QRectF& area, const PlanContext& c) const {
  paintFrame(ink, area, c, title(), sentence());
  const Scale s = scaleOf(area, c, ink.style().standalone);
  paintAxes(ink, area, s);
  ink.painter().setRenderHint(QPainter::Antialiasing);
  std::vector<QRectF> taken;
  for (const Result& r : m_record.results)
    if (r.y > 0) taken.push_back(around(s.at(xOf(r), r.y), r.change.empty() ? kPoint : kMark));
  paintLinear(ink, s, taken);
  paintOthers(ink, s);
  paintPoints(ink, s);
  paintNames(ink, s, taken);
  ListFigure::paintMarks(ink, area, c);
}

void CurveFigure::paintAxes(Ink& ink, const QRectF& area, const Scale& s) const {
  const QRectF& plot = s.plot;
  const int most = std::max(2, static_cast<int>(plot.height() / 36));
  for (const double tick :
       s.logarithmic ? logTicks(s.bottom, s.top, most) : roundTicks(s.top, std::min(most, 6))) {
    const double y = s.at(s.left, tick).y();
    ink.line({plot.left(), y}, {plot.right(), y}, ink.color(Role::Grid));
    ink.label({plot.left() - 56, y - 8, 50, 16}, tickLabel(tick), Qt::AlignRight | Qt::AlignVCenter,
              Ink::kSmall, ink.color(Role::MutedText));
  }
  ink.label({plot.left() - 54, plot.top() - 26, plot.width(), 18},
            s.logarithmic ? tr("%1, logarithmic").arg(phrase(m_record.quantity)) : phrase(m_record.quantity),
            Qt::AlignLeft | Qt::AlignVCenter, Ink::kBody, ink.color(Role::Text));
  ink.label({plot.left(), plot.bottom() + 26, plot.width(), 18}, phrase(m_record.acrossName), Qt::AlignCenter,
            Ink::kBody, ink.color(Role::Text));
  ink.line(plot.bottomLeft(), plot.bottomRight(), ink.color(Role::Border));

  double freeX = -1e300;
  for (std::size_t i = 0; i < m_record.across.size(); ++i) {
    const StudyRecord::Value& v = m_record.across[i];
    const double x = s.at(v.x, s.top).x();
    if (v.present) {
      ink.line({x, plot.top()}, {x, plot.bottom()}, ink.color(Role::MutedText), 1, Qt::DotLine);
      const double w = Ink::width(tr("now"), Ink::kSmall) + 1;
      const double left = x + 4 + w < plot.right() ? x + 4 : x - 4 - w;
      ink.label({left, plot.bottom() - 16, w, 14}, tr("now"), Qt::AlignLeft | Qt::AlignVCenter, Ink::kSmall,
                ink.color(Role::MutedText));
    }
    const bool solved = i < m_record.results.size();
    if (solved && m_record.results[i].y <= 0) {
      const Result& r = m_record.results[i];
      ink.label(around({x, plot.bottom() - 12}, 8), r.decided ? QStringLiteral("×") : QStringLiteral("?"),
                Qt::AlignCenter, Ink::kBody, ink.color(r.decided ? Role::Error : Role::MutedText), true);
      if (i == 0 || m_record.results[i - 1].y > 0)
        ink.label({std::max(x - 45, plot.left() + 2), plot.bottom() - 36, 90, 14}, phrase(r.none),
                  x - 45 < plot.left() + 2 ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignCenter, Ink::kSmall,
                  ink.color(Role::Error));
    }
    const QString text = phrase(v.text);
    const double w = Ink::width(text, Ink::kSmall) + 8;
    const double left = std::clamp(x - w / 2, area.left(), area.right() - w);
    if (left < freeX) continue;
    ink.line({x, plot.bottom()}, {x, plot.bottom() + 4}, ink.color(Role::Border));
    ink.label({left, plot.bottom() + 6, w, 16}, text, Qt::AlignCenter, Ink::kSmall,
              ink.color(solved ? Role::Text : Role::MutedText));
    freeX = left + w;
  }
  // What has not been solved is shaded, or a part would pass for the whole.
  if (const std::size_t done = m_record.results.size(); done < m_record.across.size()) {
    const double from =
        done == 0
            ? plot.left()
            : (s.at(m_record.across[done - 1].x, s.top).x() + s.at(m_record.across[done].x, s.top).x()) / 2;
    const QRectF rest(QPointF(from, plot.top()), plot.bottomRight());
    ink.hatch(rest, 1, ink.color(Role::Grid), 9);
    ink.firstThatFits(rest, {tr("not solved")}, Qt::AlignCenter, Ink::kSmall, ink.color(Role::MutedText));
  }
}

/// Straight on logarithmic axes, wherever it begins and ends.
void CurveFigure::paintLinear(Ink& ink, const Scale& s, std::vector<QRectF>& taken) const {
  const Result* first = firstThatRuns();
  if (!s.logarithmic) return;
  const QPointF from = s.at(xOf(*first), first->y), to = s.at(s.right, linearAt(s.right));
  ink.line(from, to, ink.color(Role::MutedText), 1, Qt::DashLine);
  const QString name = tr("linear scaling");
  const double w = Ink::width(name, Ink::kSmall) + 6;
  const QRectF box(to.x() - w - 14, to.y() - 9, w, 15);
  ink.fill(box, ink.color(Role::Canvas));
  ink.label(box, name, Qt::AlignCenter, Ink::kSmall, ink.color(Role::MutedText));
  taken.push_back(box);
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
    return phrase(m_record.across[static_cast<std::size_t>(&r - m_record.results.data())].text);
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
  return out + (changes == 0   ? tr("; the plan stays the same")
                : changes == 1 ? tr("; the plan changes once")
                : changes == 2 ? tr("; the plan changes twice")
                               : tr("; the plan changes %1 times").arg(changes));
}

void CurveFigure::paintOthers(Ink& ink, const Scale& s) const {
  constexpr std::array kLines{Qt::DashLine, Qt::DotLine, Qt::DashDotLine, Qt::DashDotDotLine};
  double x = s.plot.left() + 160;
  for (std::size_t k = 0; k < m_record.others.size(); ++k) {
    const QColor colour =
        mixed(ink.color(Role::Text), ink.color(Role::Canvas), 0.25 + 0.1 * static_cast<double>(k % 4));
    const auto pen = kLines[k % kLines.size()];
    QPointF previous;
    bool joined = false;
    for (const Result& r : m_record.results) {
      const double y = k < r.others.size() ? r.others[k] : 0;
      if (!(y > 0)) {
        joined = false;
        continue;
      }
      const QPointF here = s.at(xOf(r), y);
      if (joined) ink.line(previous, here, colour, 1.4, pen);
      ink.fill(around(here, 2.5), colour);
      previous = here, joined = true;
    }
    // Named at the top, with its line.
    const QString name = phrase(m_record.others[k]);
    const double w = Ink::width(name, Ink::kSmall) + 38;
    if (x + w > s.plot.right()) continue;
    ink.line({x, s.plot.top() - 17}, {x + 22, s.plot.top() - 17}, colour, 1.4, pen);
    ink.label({x + 27, s.plot.top() - 25, w - 27, 16}, name, Qt::AlignLeft | Qt::AlignVCenter, Ink::kSmall,
              ink.color(Role::MutedText));
    x += w;
  }
}

void CurveFigure::paintPoints(Ink& ink, const Scale& s) const {
  const QColor fill = ink.color(Role::Accent);
  const Result* previous = nullptr;
  for (const Result& r : m_record.results) {
    if (previous && r.y > 0) ink.line(s.at(xOf(*previous), previous->y), s.at(xOf(r), r.y), fill, 2);
    previous = r.y > 0 ? &r : nullptr;
  }
  int plan = 0;
  for (const Result& r : m_record.results) {
    if (!(r.y > 0)) continue;
    const bool marked = plan == 0 || !r.change.empty();
    plan += marked;
    const QPointF here = s.at(xOf(r), r.y);
    ink.painter().setPen(QPen(ink.color(Role::Canvas), 1.5));
    ink.painter().setBrush(fill);
    ink.painter().drawEllipse(here, marked ? kMark : kPoint, marked ? kMark : kPoint);
    if (marked)
      ink.label(around(here, 9), QString::number(plan), Qt::AlignCenter, 9.5, ink.theme().textOn(fill), true);
  }
}

/// The plan of each mark under its number, as near to the mark as there is room, nearer than to any other.
void CurveFigure::paintNames(Ink& ink, const Scale& s, std::vector<QRectF>& taken) const {
  int plan = 0;
  for (const Result& r : m_record.results) {
    if (!(r.y > 0) || !(plan == 0 || !r.change.empty())) continue;
    ++plan;
    const QPointF here = s.at(xOf(r), r.y);
    const QString name = QStringLiteral("%1: %2").arg(plan).arg(phrase(r.plan));
    const double w = Ink::width(name, Ink::kSmall) + 6;
    const QRectF places[] = {
        {here.x() + 8, here.y() + 9, w, 14},      {here.x() - w / 2, here.y() + 11, w, 14},
        {here.x() - w / 2, here.y() - 25, w, 14}, {here.x() - w - 8, here.y() - 22, w, 14},
        {here.x() + 11, here.y() - 7, w, 14},     {here.x() - w - 11, here.y() - 7, w, 14}};
    for (const QRectF& box : places) {
      if (!s.plot.adjusted(0, 0, 14, 0).contains(box) || overlaps(taken, box)) continue;
      ink.fill(box, ink.color(Role::Canvas));  // lines pass behind the words
      ink.label(box, name, Qt::AlignCenter, Ink::kSmall, ink.color(Role::Text));
      taken.push_back(box);
      break;
    }
  }
}

Figure::Hit CurveFigure::hitOf(int i, const QRectF& area, const PlanContext& c) const {
  const Result& r = m_record.results[static_cast<std::size_t>(i)];
  const Scale s = scaleOf(area, c, false);
  Tip tip(phrase(m_record.across[static_cast<std::size_t>(i)].text));
  if (r.y > 0) tip.row(phrase(m_record.quantity), phrase(r.yText)).row(tr("Plan"), phrase(r.plan));
  if (r.y <= 0) tip.note(phrase(r.none));
  if (const double linear = linearAt(xOf(r)); linear > 0 && r.y > 0)
    tip.row(tr("Relative to linear scaling"), phrase(text::percent(r.y / linear)));
  if (!r.change.empty()) tip.note(phrase(r.change));
  const QPointF here = r.y > 0 ? s.at(xOf(r), r.y) : QPointF(s.at(xOf(r), s.top).x(), s.plot.bottom() - 12);
  return {itemOf(i), around(here, 9), tip.html()};
}

QString CurveFigure::lineOf(int i, const PlanContext&) const {
  const Result& r = m_record.results[static_cast<std::size_t>(i)];
  const QString x = phrase(m_record.across[static_cast<std::size_t>(i)].text);
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
    if (m_record.heldBatch > 0) out += u'\t' + phrase(text::number(linearAt(m_record.across[i].x)));
    out += u'\t' + phrase(r.plan);
    for (std::size_t k = 0; k < m_record.others.size(); ++k)
      out += u'\t' + (k < r.others.size() && r.others[k] > 0 ? phrase(text::number(r.others[k]))
                                                             : QStringLiteral("–"));
    out += u'\n';
  }
  if (const QString part = progressOf(m_record); !part.isEmpty()) out += part + u'\n';
  return out;
}

}  // namespace nest
