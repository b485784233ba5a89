#pragma once

#include <vector>

#include "figures/study/failure_ranking.h"
#include "views/run/run_pane.h"

namespace nest {

class FailureFigure;

/// What failures of the plan shown cost.
class FailurePane : public RunPane {
  Q_OBJECT
public:
  explicit FailurePane(QWidget* parent = nullptr);

  const FailureFigure& figure() const { return *m_figure; }
  /// What was ranked elsewhere, of the plan that is shown next.
  void show(FailureRanking);
  bool isEmpty() const override;
  /// The failure and the answer that are chosen; null: none, or the figure shows a kept ranking.
  const Failure* failure() const;
  const FailureResponse* answer() const;

protected:
  void forget() override;
  void showFigure() override;
  bool canTry() const override { return failure() != nullptr; }

private:
  FailurePane(std::unique_ptr<FailureFigure>, QWidget* parent);
  void take(std::vector<Failure>);

  FailureFigure* m_figure;
  std::vector<Failure> m_failures;  ///< rows of the figure
};

}  // namespace nest
