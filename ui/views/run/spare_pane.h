#pragma once

#include <QWidget>
#include <memory>
#include <string>

#include "document/plan_context.h"
#include "document/selection.h"
#include "solver/control.h"
#include "theme/theme.h"

namespace nest {

class BackgroundRun;
class FigurePane;
class SpareFigure;
struct SpareBenefit;
struct SpareCurve;

/// What spare hosts buy the run of the plan shown, computed in the background when it is asked for. What was
/// computed goes with its plan.
class SparePane : public QWidget {
  Q_OBJECT
public:
  explicit SparePane(QWidget* parent = nullptr);
  ~SparePane() override;

  const SpareFigure& figure() const { return *m_figure; }
  FigurePane* pane() const { return m_pane; }
  const Selection& chosen() const { return m_chosen; }
  void setUnit(const std::string& name);
  void setContext(PlanContextPtr, const Theme&);
  /// What was computed elsewhere, of the plan that is shown next.
  void show(SpareCurve);

  void compute();
  void computeAtOnce(const Control&);
  bool isBusy() const;

private:
  bool isReady() const;
  void take(const SpareBenefit&);
  void forget();
  void showFigure();

  std::unique_ptr<SpareFigure> m_figure;
  Selection m_chosen;  ///< a number of spare hosts
  FigurePane* m_pane;
  BackgroundRun* m_backgroundRun;
  PlanContextPtr m_context;
  const Theme* m_theme;
  bool m_isOwn = false;  ///< the curve was computed here
  QString m_lacking;     ///< fields without which nothing is known, for people
};

}  // namespace nest
