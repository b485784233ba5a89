#pragma once

#include <QCoreApplication>
#include <array>
#include <memory>
#include <vector>

#include "figures/paint/list_figure.h"
#include "run/run_unit.h"

namespace nest {

/// What the calendar time of the run goes to: useful time, checkpoints, repeated work and restarts as one
/// bar that adds up to the whole, or its losses alone, by formula and by simulation, and the lines about the
/// run below. Items: the parts of the first bar, then those of the second.
class RunFigure : public ListFigure {
  Q_DECLARE_TR_FUNCTIONS(RunFigure)
public:
  RunFigure() : ListFigure(QStringLiteral("run"), tr("Run"), {900, 420}) {}

  std::vector<FigureOption> offeredOptions(const PlanContext&) const override;
  void setOption(const std::string& key, const std::string& name) override;
  int count(const PlanContext&) const override;
  double leastHeight(const PlanContext&) const;  ///< at which all lines stand below the bars

protected:
  std::optional<FigureState> state(const PlanContext&, bool onPaper) const override;
  void draw(FigurePainter&, const QRectF& area, const PlanContext&) const override;
  Hit hitOf(int i, const QRectF& area, const PlanContext&) const override;
  QString lineOf(int i, const PlanContext&) const override;
  QString words(const PlanContext&) const override;

private:
  struct Bar {
    QString name;
    std::array<Seconds, kRunPartCount> parts;
    std::array<RunAmounts, kRunPartCount> amounts;
    RunAmounts whole;
  };
  /// All that is shown of a plan.
  struct Shown {
    std::optional<RunForecast> forecast;
    std::vector<std::string> missing;  ///< askedForParts()
    std::vector<Bar> bars;
    QString sentence;
    std::vector<std::pair<QString, QString>> lines;
  };
  struct Parts;
  const Shown& shownOf(const PlanContext&) const;
  RunUnit unitOf(const PlanContext&) const;
  bool showsLosses(const Shown&) const;
  int firstPart(const Shown&) const;
  int partsShown(const Shown&) const;
  Parts layOut(const QRectF& area, const PlanContext&, bool standalone, const Theme&) const;

  RunUnit m_unit = RunUnit::Share;
  bool m_lossesAlone = false;
  /// A simulation takes half a millisecond, and every tip asks: it is kept for the plan that was shown last.
  struct Kept {
    std::shared_ptr<const Problem> problem;
    std::shared_ptr<const RankedPlan> plan;
    Shown shown;
  };
  mutable std::optional<Kept> m_kept;
};

/// Its colour and hatch, the same in every figure of the run.
QColor colorOf(RunPart, const Theme&);
int hatchOf(RunPart);

/// "%" and the others, for what lets the user choose a unit.
FigureOption unitOption(RunUnit chosen);

}  // namespace nest
