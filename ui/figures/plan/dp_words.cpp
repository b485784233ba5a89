#include "figures/plan/dp_words.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "figures/paint/phrases.h"
#include "schedule/pipeline_schedule.h"
#include "theme/qt_text.h"
#include "units/text.h"

namespace nest::dp {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("DpWords", text);
}

QString seconds(double t) {
  return timeText(Seconds(t));
}

QString plainNumber(double x) {
  return toQt(text::number(x));
}

/// The formula in words, or with numbers.
QString formula(const DpProbe& p, const QString& fill, const QString& fillBehind, const QString& pace,
                const QString& paceBehind, const QString& tail) {
  QString sum = fillBehind.isEmpty() ? fill : fill + QStringLiteral(" + ") + fillBehind;
  if (p.sumWeight() != 1) sum = QStringLiteral("%1 × (%2)").arg(plainNumber(p.sumWeight()), sum);
  const QString largest = paceBehind.isEmpty() ? pace : QStringLiteral("max(%1, %2)").arg(pace, paceBehind);
  QStringList terms;
  if (p.sumWeight() > 0) terms << sum;
  if (p.maxWeight() > 0)
    terms << (p.maxWeight() == 1 ? largest
                                 : QStringLiteral("%1 × %2").arg(plainNumber(p.maxWeight()), largest));
  return (terms << tail).join(QStringLiteral(" + "));
}

QString layerRange(const DpProbe& p, int cut, const PlanContext& c) {
  const int first = p.firstLayer(cut), last = c.problem->graph->layerCount() - 1;
  return first == last ? layerNumber(first) : layerNumber(first) + QStringLiteral("…") + layerNumber(last);
}

}  // namespace

QString columnName(const DpProbe& p, int cut) {
  const int first = p.firstLayer(cut);
  return first >= 0 ? layerNumber(first) : tr("end");
}

QString layerText(const DpProbe& p, int cut, const PlanContext& c) {
  const int first = p.firstLayer(cut);
  if (first < 0) return tr("the end");
  return tr("layer %1 (%2)").arg(layerNumber(first)).arg(phrase(c.problem->graph->layers[first].name));
}

QString ratioText(double ratio) {
  if (!std::isfinite(ratio)) return QStringLiteral("–");
  return QString::number(ratio, 'f', ratio < 9.995 ? 2 : 0);
}

QString timeFromHere(const DpCell& cell) {
  if (!cell.reached) return QStringLiteral("–");
  return cell.isBound ? tr("at least %1").arg(seconds(cell.time)) : seconds(cell.time);
}

QString whyEmpty(const DpProbe& p, const DpThrough* through, int stage, int cut) {
  if (!p.hasLayers(stage, cut)) {
    if (stage == 0) return tr("the first stage begins with the first layer");
    return p.firstLayer(cut) < 0 || cut > stage ? tr("the stages from here on need a layer each")
                                                : tr("the stages before need a layer each");
  }
  if (!through) return p.cell(stage, cut).reached ? QString() : tr("nothing that follows fits");
  const DpThrough::Cell& cell = through->cell(stage, cut);
  if (cell.fits()) return {};
  if (!std::isfinite(cell.shortfall)) return tr("rules of the scenario forbid every plan through here");
  return tr("however the layers before and behind are cut, a stage lacks at least %1 of memory (stage %2)")
      .arg(memoryText(Bytes(cell.shortfall)), stageNumber(cell.shortStage));
}

QString cellText(const DpProbe& p, const DpThrough* through, int stage, int cut, const PlanContext& c) {
  const DpCell& cell = p.cell(stage, cut);
  QString out = tr("If stage %1 starts at %2: ").arg(stageNumber(stage)).arg(layerText(p, cut, c));
  if (const QString why = whyEmpty(p, through, stage, cut); !why.isEmpty()) return out + why + u'.';
  if (through) {
    const double ratio = through->ratio(stage, cut);
    out += ratio < 1.0000005
               ? tr("the best plan through here is the best of all, %1. ").arg(seconds(through->best()))
               : tr("the best plan through here takes %1, %2 more than the best. ")
                     .arg(seconds(through->cell(stage, cut).time), toQt(text::percent(ratio - 1)));
  }
  out +=
      tr("From here to the end %1 (slowest stage %2, all stages %3, end of step %4)")
          .arg(timeFromHere(cell), seconds(cell.largestLoad), seconds(cell.sumOfLoads), seconds(cell.tail));
  out +=
      (cell.stages == 1 ? tr(". %1 on %2 of each block remains") : tr(". %1 on %2 of each block remain"))
          .arg(plural(cell.stages, QStringLiteral("stage")), plural(cell.devices, QStringLiteral("device")));
  if (cell.level >= 0) out += tr(", reached over level %1").arg(levelName(c, cell.level));
  return out + u'.';
}

QString sumOf(const DpProbe& p, const DpTerms& t, int stage) {
  const bool last = stage + 1 == p.stageCount();
  return formula(p, seconds(t.fill), last ? QString() : seconds(t.fillBehind), seconds(t.pace),
                 last ? QString() : seconds(t.paceBehind), seconds(t.tail));
}

QString recurrence(const DpProbe& p, const DpThrough* through, int stage, int cut, const PlanContext& c) {
  const QString name = tr("best(%1)").arg(p.firstLayer(cut) < 0 ? tr("end") : layerRange(p, cut, c));
  if (!p.hasLayers(stage, cut) || !p.cell(stage, cut).reached)
    return tr("%1 is empty: %2.").arg(name, whyEmpty(p, through, stage, cut));
  const auto all = p.alternatives(stage, cut);
  const DpAlternative* best = nullptr;
  int possible = 0;
  for (const DpAlternative& a : all) {
    if (!std::isfinite(a.time)) continue;
    ++possible;
    if (!best || a.time < best->time) best = &a;
  }
  if (!best) return {};
  const bool last = stage + 1 == p.stageCount(), loads = p.fillsByLoad();
  const QString ways = p.chunkCount() > 1 ? plural(possible, QStringLiteral("recompute policy"))
                                          : plural(possible, QStringLiteral("end"));
  QString out =
      name + QStringLiteral(" = ") + (possible > 1 ? tr("min over %1 of ").arg(ways) : QString()) +
      formula(p, loads ? tr("load") : tr("fill"),
              last    ? QString()
              : loads ? tr("loads behind")
                      : tr("fill behind"),
              loads ? tr("load") : tr("pace"), last ? QString() : tr("largest behind"), tr("end of step"));
  out += QStringLiteral("\n= ") + sumOf(p, best->terms, stage) + QStringLiteral(" = ") + seconds(best->time);
  if (p.chunkCount() == 1 && !last && possible > 1)
    out += tr(", if stage %1 ends before %2").arg(stageNumber(stage), layerText(p, best->to, c));
  if (p.cell(stage, cut).isBound)
    out += tr(" (a bound: how much of the end of the step is hidden depends on the stages before)");
  if (const QString why = whyEmpty(p, through, stage, cut); !why.isEmpty())
    out += tr("\nNo whole plan has this cell: %1.").arg(why);
  return out;
}

QString whyOneRow(const DpProbe& p) {
  if (p.stageCount() == 1)
    return tr("One stage holds every layer, so there is no cut to choose and the table has one cell");
  if (p.chunkCount() > 1)
    return tr("With %1 chunks per stage all parts hold equally many blocks, so there is no cut to choose and "
              "the table is one row of stages")
        .arg(p.chunkCount());
  return {};
}

}  // namespace nest::dp
