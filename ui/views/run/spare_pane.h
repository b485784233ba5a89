#pragma once

#include "views/run/run_pane.h"

namespace nest {

class SpareFigure;
struct SpareBenefit;
struct SpareCurve;

/// What spare hosts buy the run of the plan shown.
class SparePane : public RunPane {
  Q_OBJECT
public:
  explicit SparePane(QWidget* parent = nullptr);

  const SpareFigure& figure() const { return *m_figure; }
  /// What was computed elsewhere, of the plan that is shown next.
  void show(SpareCurve);
  bool isEmpty() const override;

protected:
  void forget() override;
  void showFigure() override;

private:
  SparePane(std::unique_ptr<SpareFigure>, QWidget* parent);
  void take(const SpareBenefit&);

  SpareFigure* m_figure;
  QString m_lacking;  ///< fields without which nothing is known, for people
};

}  // namespace nest
