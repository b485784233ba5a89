#include "figures/plan/dp_grid.h"

#include <QCoreApplication>
#include <cmath>

#include "figures/paint/phrases.h"
#include "figures/plan/dp_words.h"

namespace nest {
namespace {

DpGrid::Cell cellOf(const DpProbe& p, const DpThrough* through, int stage, int cut, int filled) {
  using enum DpGrid::Kind;
  if (!p.hasLayers(stage, cut)) return {};
  if (stage < p.stageCount() - filled) return {Waiting, 0, {}};
  const DpCell& own = p.cell(stage, cut);
  if (through) {
    const DpThrough::Cell& cell = through->cell(stage, cut);
    if (!cell.fits()) return {std::isfinite(cell.shortfall) ? Short : Blank, 0, QStringLiteral("×")};
    const double ratio = through->ratio(stage, cut);
    return {Value, ratio, dp::ratioText(ratio)};
  }
  if (!own.reached) return {Short, 0, QStringLiteral("×")};
  return {own.isBound ? AtLeast : Value, 0,
          (own.isBound ? QStringLiteral("≥ ") : QString()) + timeText(Seconds(own.time))};
}

}  // namespace

DpGrid gridOf(const DpProbe& p, const DpThrough* through, int filled) {
  DpGrid grid;
  grid.rowTitle = QCoreApplication::translate("DpFigure", "Stage");
  grid.columnTitle = QCoreApplication::translate("DpFigure", "First layer of the stage");
  for (int i = 0; i < p.stageCount(); ++i) grid.rows << stageNumber(i);
  for (int x = 0; x < p.cutCount(); ++x) grid.columns << dp::columnName(p, x);
  grid.cells.reserve(static_cast<std::size_t>(p.stageCount()) * static_cast<std::size_t>(p.cutCount()));
  for (int i = 0; i < p.stageCount(); ++i)
    for (int x = 0; x < p.cutCount(); ++x) {
      grid.cells.push_back(cellOf(p, through, i, x, filled));
      if (p.cell(i, x).onPath && i >= p.stageCount() - filled) grid.path.emplace_back(x, i);
    }
  return grid;
}

}  // namespace nest
