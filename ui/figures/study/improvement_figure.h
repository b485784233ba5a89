#pragma once

#include <QCoreApplication>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "figures/paint/list_figure.h"
#include "figures/study/improvement_ranking.h"
#include "run/run_unit.h"

namespace nest {

/// What each single improvement saves, as bars with the largest first; those inside the error of differences
/// are hatched, and the error is shaded. What changes nothing and what cannot be planned stands in words
/// below. Items: the bars.
class ImprovementFigure : public ListFigure {
  Q_DECLARE_TR_FUNCTIONS(ImprovementFigure)
public:
  ImprovementFigure() : ListFigure(QStringLiteral("improvements"), tr("Improvements"), {900, 480}) {}
  QSizeF preferredSize(const PlanContext&) const override;

  void setRanking(ImprovementRanking);
  const ImprovementRanking& ranking() const { return m_ranking; }
  int rowOfItem(int item) const;  ///< of the ranking
  double leastHeight() const;     ///< at which all bars can be read

  std::vector<FigureOption> offeredOptions(const PlanContext&) const override;
  void setOption(const std::string& key, const std::string& name) override;
  int count(const PlanContext&) const override { return static_cast<int>(m_items.size()); }

protected:
  std::optional<FigureState> state(const PlanContext&, bool onPaper) const override;
  void draw(FigurePainter&, const QRectF& area, const PlanContext&) const override;
  Hit hitOf(int i, const QRectF& area, const PlanContext&) const override;
  std::vector<QRectF> placesOf(const QRectF& area, const PlanContext&) const override;
  QString lineOf(int i, const PlanContext&) const override;
  QString words(const PlanContext&) const override;

private:
  using Row = ImprovementRanking::Row;
  /// What a gain is measured by, of the plan shown.
  struct Scale {
    RunUnit unit = RunUnit::Share;
    double error = 0;  ///< of the ratio of two plans
    /// What is saved; nullopt: the unit does not follow from the change.
    std::function<std::optional<double>(const Row&)> amount;
  };
  struct Parts;
  const Scale& scaleOf(const PlanContext&) const;
  static bool isInside(const Row&, const Scale&);
  QString amountText(const Row&, const Scale&) const;
  QString sentence(const Scale&) const;
  QStringList rest() const;  ///< what has no bar
  Parts layOut(const QRectF& area, const PlanContext&, bool standalone) const;
  void drawBar(FigurePainter&, const Parts&, int item, const Scale&) const;

  ImprovementRanking m_ranking;
  std::vector<int> m_items;  ///< rows with a bar
  RunUnit m_unit = RunUnit::Share;
  struct Kept {
    std::shared_ptr<const Problem> problem;
    std::shared_ptr<const RankedPlan> plan;
    RunUnit unit;
    Scale scale;
  };
  mutable std::optional<Kept> m_kept;
};

}  // namespace nest
