#include "figures/study/front_figure.h"

#include <algorithm>
#include <limits>
#include <map>

#include "figures/paint/axis.h"
#include "figures/paint/chart.h"
#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/ticks.h"
#include "theme/qt_text.h"
#include "units/text.h"
#include "words/metric_words.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

/// Those of the front, and last the chosen one where it is none of them: of plans that take as long, the
/// front has the one of less memory, and the search prefers the simpler one.
std::vector<const RankedPlan*> plansOf(const PlanContext& c) {
  std::vector<const RankedPlan*> out;
  for (const RankedPlan& p : c.outcome->front) out.push_back(&p);
  const auto isChosen = [&](const RankedPlan* p) { return p->plan == c.plan->plan; };
  if (c.plan && c.plan->evaluation.feasible() && std::none_of(out.begin(), out.end(), isChosen))
    out.push_back(c.plan.get());
  return out;
}

bool isBesideFront(std::size_t i, const PlanContext& c) {
  return i >= c.outcome->front.size();
}

/// "4|2", "full|none × 7": what each stage has.
template <class Of>
QString eachStage(const Plan& p, Of of) {
  QStringList parts;
  for (std::size_t i = 0, end = 0; i < p.stages.size(); i = end) {
    const QString part = of(p.stages[i]);
    while (end < p.stages.size() && of(p.stages[end]) == part) ++end;
    parts << part + (end > i + 1 ? QStringLiteral(" × %1").arg(end - i) : QString());
  }
  return parts.join(u'|');
}

QString layerCounts(const Plan& p) {
  return eachStage(p, [](const StagePlan& s) { return QString::number(s.layers().size()); });
}

QString recomputes(const Plan& p) {
  const auto of = [](const StagePlan& s) { return QString::fromLatin1(nameOf(s.recompute)); };
  const QString each = eachStage(p, of);
  return each.contains(u'|') || p.stages.empty() ? each : of(p.stages.front());
}

/// Their summaries, and what tells those apart that have the same.
std::vector<QString> namesOf(const std::vector<const RankedPlan*>& plans) {
  struct Alike {
    const Plan* first;
    bool cuts = false, recompute = false;
  };
  std::map<std::string, Alike> bySummary;
  for (const RankedPlan* ranked : plans) {
    const auto& stages = ranked->plan.stages;
    Alike& alike = bySummary.try_emplace(summaryOf(ranked->plan), Alike{&ranked->plan}).first->second;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const StagePlan& other = alike.first->stages[i];
      alike.cuts = alike.cuts || stages[i].chunks != other.chunks;
      alike.recompute = alike.recompute || stages[i].recompute != other.recompute;
    }
  }
  std::vector<QString> out;
  for (const RankedPlan* ranked : plans) {
    const std::string summary = summaryOf(ranked->plan);
    const Alike& alike = bySummary.at(summary);
    out.push_back(toQt(summary));
    if (alike.cuts) out.back() += FrontFigure::tr(" · layers %1").arg(layerCounts(ranked->plan));
    if (alike.recompute) out.back() += FrontFigure::tr(" · recompute %1").arg(recomputes(ranked->plan));
  }
  return out;
}

double peak(const RankedPlan& p) {
  return predictedPeak(p.evaluation).value();
}

QString peakText(const RankedPlan& p) {
  const auto& stages = p.evaluation.stages;
  const auto fullest = std::max_element(stages.begin(), stages.end(), [&](const auto& a, const auto& b) {
    return a.memory.predicted() < b.memory.predicted();
  });
  const Bytes kept = fullest == stages.end() ? Bytes(0) : fullest->memory[MemoryPart::Headroom];
  return toQt(words::withHeadroom(Bytes(peak(p)), kept));
}

/// Memory to the right, from zero; time upwards, logarithmic: fronts reach over orders of magnitude.
ChartPlane planeOf(const QRectF& area, const PlanContext& c, bool standalone) {
  ChartPlane plane;
  plane.plot =
      bodyOf(area, c, standalone).adjusted(ChartPlane::kLeft, ChartPlane::kTop, -14, -ChartPlane::kBottom);
  double most = 1, fastest = std::numeric_limits<double>::infinity(), slowest = 0;
  for (const RankedPlan* p : plansOf(c)) {
    most = std::max(most, peak(*p));
    fastest = std::min(fastest, p->evaluation.batchTime.value());
    slowest = std::max(slowest, p->evaluation.batchTime.value());
  }
  const double low = fastest * 0.9, high = slowest * 1.12;
  const Axis time = Axis::time(high, 1);
  plane.y = ChartScale::powers(low, high, ticksWithin(plane.plot.height(), 36),
                               FrontFigure::tr("Step time (%1)").arg(time.unitName), time.unit);
  plane.x = ChartScale::linear(Axis::memory(most * 1.1, ticksWithin(plane.plot.width(), 90)),
                               FrontFigure::tr("Memory of the fullest device"));
  return plane;
}

QPointF valuesOf(const RankedPlan& p) {
  return {peak(p), p.evaluation.batchTime.value()};
}

QRectF boxOf(const RankedPlan& p, const ChartPlane& plane) {
  const QPointF v = valuesOf(p), at = plane.at(v.x(), v.y());
  return {at.x() - 9, at.y() - 9, 18, 18};
}

QString tipOf(const RankedPlan& p, const QString& name, bool beside) {
  const QString chosen = beside ? FrontFigure::tr("<br>The plan shown; not on the front") : QString();
  return FrontFigure::tr("<b>%1</b><br>%2 per step<br>%3 devices<br>%4 on the fullest device")
             .arg(name, toQt(text::time(p.evaluation.batchTime)), toQt(text::count(p.plan.devicesUsed())),
                  peakText(p)) +
         chosen;
}

}  // namespace

std::optional<FigureState> FrontFigure::state(const PlanContext& c, bool) const {
  if (auto none = stateOf(c, tr("the Pareto front"))) return none;
  if (c.outcome && !c.outcome->front.empty()) return std::nullopt;
  return FigureState{tr("No Pareto front yet"), tr("No plan fits, so there is no front.")};
}

void FrontFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  const QString plans = capitalised(QString::fromUtf8(words::promiseOf(c.outcome->frontReach)));
  const auto all = plansOf(c);
  const bool beside = isBesideFront(all.size() - 1, c);
  paintFrame(ink, area, c, title(),
             plans + (beside ? tr(". Ring: the plan shown, which is not on the front") : QString()) +
                 tr(". Labels: devices, plan"));
  const ChartPlane plane = planeOf(area, c, ink.style().standalone);
  Chart chart(ink, plane);
  // Plans on as many devices, joined as what each amount of memory reaches.
  std::map<int, QPolygonF> rows;
  for (const auto& p : c.outcome->front) rows[p.plan.devicesUsed()] << valuesOf(p);
  for (auto& [devices, points] : rows) {
    std::sort(points.begin(), points.end(), [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); });
    QPolygonF steps;
    for (const QPointF& p : points) {
      if (!steps.isEmpty()) steps << QPointF(p.x(), steps.back().y());
      steps << p;
    }
    chart.line(steps, QPen(ink.color(Theme::Role::MutedText), 1));
  }
  const auto isBest = [&](const RankedPlan& p) { return c.plan && p.plan == c.plan->plan; };
  const QPen rim(ink.color(Theme::Role::Canvas), 1);
  QPolygonF best, others;
  for (const RankedPlan* p : all) (isBest(*p) ? best : others) << valuesOf(*p);
  chart.marks(others, {9, ink.color(Theme::Role::Text), rim, false, true, true});
  if (beside)  // others may stand at the same place
    chart.marks(best, {14, Qt::NoBrush, QPen(ink.color(Theme::Role::Accent), 2.5)});
  else
    chart.marks(best, {14, ink.color(Theme::Role::Accent), rim});
  chart.paint();
  const std::vector<QString>& named = names(c);
  const auto name = [&](std::size_t i) {
    const RankedPlan& p = *all[i];
    const QString devices = toQt(text::count(p.plan.devicesUsed()));
    const QPointF v = valuesOf(p);
    chart.name(plane.at(v.x(), v.y()), isBest(p) ? 9 : 6,
               {QStringLiteral("%1: %2").arg(devices, named[i]), devices}, isBest(p));
  };
  if (beside) name(all.size() - 1);
  for (std::size_t i = 0; i < c.outcome->front.size(); ++i) name(i);  // the fastest have their names first
  paintMarks(ink, area, c);
}

const std::vector<QString>& FrontFigure::names(const PlanContext& c) const {
  const auto all = plansOf(c);
  if (m_named.outcome != c.outcome || m_named.plan != c.plan || m_names.size() != all.size())
    m_named = c, m_names = namesOf(all);
  return m_names;
}

const RankedPlan& FrontFigure::planAt(int i, const PlanContext& c) const {
  return *plansOf(c)[static_cast<std::size_t>(i)];
}

int FrontFigure::count(const PlanContext& c) const {
  return isShown(c) ? static_cast<int>(plansOf(c).size()) : 0;
}

Figure::Hit FrontFigure::hitOf(int i, const QRectF& area, const PlanContext& c) const {
  const RankedPlan& plan = *plansOf(c)[i];
  return {itemOf(i), boxOf(plan, planeOf(area, c, false)),
          tipOf(plan, names(c)[static_cast<std::size_t>(i)], isBesideFront(i, c))};
}

std::vector<QRectF> FrontFigure::placesOf(const QRectF& area, const PlanContext& c) const {
  const ChartPlane plane = planeOf(area, c, false);
  std::vector<QRectF> out;
  for (const RankedPlan* p : plansOf(c)) out.push_back(boxOf(*p, plane));
  return out;
}

QString FrontFigure::lineOf(int i, const PlanContext& c) const {
  const RankedPlan& p = *plansOf(c)[i];
  const QString line =
      tr("%1: %2, %3 devices, %4")
          .arg(names(c)[static_cast<std::size_t>(i)], toQt(text::time(p.evaluation.batchTime)))
          .arg(p.plan.devicesUsed())
          .arg(peakText(p));
  return isBesideFront(i, c) ? tr("%1 (the plan shown; not on the front)").arg(line) : line;
}

}  // namespace nest
