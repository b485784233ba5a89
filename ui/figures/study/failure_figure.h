#pragma once

#include <QCoreApplication>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "figures/paint/list_figure.h"
#include "figures/study/failure_ranking.h"
#include "run/run_unit.h"

namespace nest {

/// What each single failure costs under each answer, as bars: the costliest failure first, the best answer in
/// full colour, and those that are too close to it hatched. Loss is what the run would pay in tokens/s, or in
/// another unit if it went on like that from its first step to its last. Items: the answers, row by row.
class FailureFigure : public ListFigure {
  Q_DECLARE_TR_FUNCTIONS(FailureFigure)
public:
  FailureFigure() : ListFigure(QStringLiteral("failures"), tr("Failures"), {900, 480}) {}
  QSizeF preferredSize(const PlanContext&) const override;

  void setRanking(FailureRanking);
  const FailureRanking& ranking() const { return m_ranking; }
  /// Of an item: row, and answer of the row.
  std::pair<int, int> placeOfItem(int item) const;
  double leastHeight() const;  ///< at which all rows can be read

  std::vector<FigureOption> offeredOptions(const PlanContext&) const override;
  void setOption(const std::string& key, const std::string& name) override;
  int count(const PlanContext&) const override { return static_cast<int>(m_items.size()); }

protected:
  std::optional<FigureState> state(const PlanContext&, bool onPaper) const override;
  void draw(FigurePainter&, const QRectF& area, const PlanContext&) const override;
  Hit hitOf(int i, const QRectF& area, const PlanContext&) const override;
  std::vector<QRectF> placesOf(const QRectF& area, const PlanContext&) const override;
  QString lineOf(int i, const PlanContext&) const override;
  std::optional<SelectionItem> stepFrom(const std::optional<SelectionItem>&, Step,
                                        const PlanContext&) const override;
  QString words(const PlanContext&) const override;

private:
  using Answer = FailureRanking::Answer;
  using Row = FailureRanking::Row;
  /// What a loss is measured by, of the plan shown.
  struct Scale {
    RunUnit unit = RunUnit::Share;
    double error = 0;  ///< of the ratio of two plans
    int spares = 0;    ///< hosts that stand by
    std::function<std::optional<double>(double change)> amount;
  };
  struct Parts;
  const Scale& scaleOf(const PlanContext&) const;
  QString amountText(const Answer&, const Scale&) const;
  QString sentence(const Scale&) const;
  static const Answer* bestOf(const Row&, const Scale&);
  static bool isTooClose(const Answer&, const Answer& best, const Scale&);
  Parts layOut(const QRectF& area, const PlanContext&, bool standalone) const;
  void drawBar(FigurePainter&, const Parts&, int item, const Scale&) const;

  FailureRanking m_ranking;
  std::vector<std::pair<int, int>> m_items;
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
