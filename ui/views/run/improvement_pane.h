#pragma once

#include <optional>
#include <vector>

#include "figures/study/improvement_ranking.h"
#include "views/run/run_pane.h"

namespace nest {

class ImprovementFigure;

/// What single improvements save, by what the goal counts.
class ImprovementPane : public RunPane {
  Q_OBJECT
public:
  explicit ImprovementPane(QWidget* parent = nullptr);

  const ImprovementFigure& figure() const { return *m_figure; }
  /// What was ranked elsewhere, of the plan that is shown next.
  void show(ImprovementRanking);
  bool isEmpty() const override;
  /// The field that the chosen bar changes; nullopt: none, or no field makes it.
  std::optional<FieldToTry> toTry() const;
  QString chosenName() const;  ///< empty: nothing is chosen

protected:
  void forget() override;
  void showFigure() override;
  bool canTry() const override { return toTry().has_value(); }

private:
  ImprovementPane(std::unique_ptr<ImprovementFigure>, QWidget* parent);
  const Improvement* improvement() const;

  ImprovementFigure* m_figure;
  std::vector<Improvement> m_all;  ///< rows of the figure
};

}  // namespace nest
