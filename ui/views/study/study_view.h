#pragma once

#include <memory>

#include "figures/study/curve_figure.h"
#include "figures/study/sweep_figure.h"
#include "solver/baselines/baselines.h"
#include "study/study_curve.h"
#include "views/view.h"

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTableWidget;
class QToolButton;

namespace nest {

class AdaptiveSplitter;
class BackgroundRun;
class FigurePane;
class FlowLayout;
class ParameterBox;
class RangeBox;

/// Many solves along one parameter (how throughput scales with devices, how it follows any number of the
/// scenario, with the other planning methods beside it) or along two (a heatmap). What has been solved is
/// shown at once, and stays when the study is cancelled.
class StudyView : public View {
  Q_OBJECT
public:
  explicit StudyView(ViewServices services, QWidget* parent = nullptr);

  QString id() const override { return QStringLiteral("study"); }
  QString title() const override { return tr("Study"); }
  const Figure* figure() const override;
  std::optional<StudyRecord> study() const override;
  void showStudy(const StudyRecord& record) override { show(record); }
  /// The plan of the scenario that was studied: the one open may have been edited since.
  PlanContextPtr shownContext() const override;
  QString whyNotKept() const override;
  void compute(const Control&) override;
  std::optional<SelectionItem> marked() const override;

  void run();
  void chooseField(int index);
  void chooseSecondField(int index);  ///< −1: none
  void setWithBaselines(bool);
  void chooseQuantity(StudyQuantity);
  RangeBox& range() { return *m_range; }  ///< of the first field
  int fieldCount() const { return static_cast<int>(m_fields.size()); }
  int pointCount() const;
  const StudyRecord& record() const { return m_record; }
  const CurveFigure& curve() const { return m_curve; }
  const SweepFigure& sweep() const { return m_sweep; }
  bool isBusy() const;
  /// The plan of a value, for what can be done with it.
  NamedPlan namedPlan(int result) const;

protected:
  void refresh() override;

private:
  void buildBar(FlowLayout&);
  StudyRecord recordOf(const StudyAxis& across, const StudyAxis* up, StudyQuantity,
                       const std::vector<BaselineKind>&) const;
  std::optional<StudyAxis> axisOf(const ParameterBox&, const RangeBox&, bool fine, QString& wrong) const;
  void runCurve(const StudyAxis&, StudyQuantity);
  void runSweep(const StudyAxis& across, const StudyAxis& up, StudyQuantity);
  void take(StudyRecord::Result, PlanContextPtr);
  void showRanges();
  void showThreshold();
  StudyQuantity quantity() const;
  void showPoints();
  void copyTable() const;
  FigurePane* pane() const;

  void show(StudyRecord);
  void forget();
  void tellIfOutdated();

  std::vector<Parameter> m_fields;
  StudyRecord m_record;                  ///< empty: no study yet
  PlanContextPtr m_studied;              ///< null: it was not run here
  std::vector<PlanContextPtr> m_points;  ///< of each result, as long as it was run here; null: no plan
  CurveFigure m_curve;
  SweepFigure m_sweep;
  Selection m_point, m_cell;
  FigurePane *m_curvePane, *m_sweepPane;
  QStackedWidget* m_figures;
  QComboBox* m_quantity;
  ParameterBox *m_field, *m_second;
  RangeBox *m_range, *m_secondRange;
  QLineEdit* m_threshold;
  QToolButton* m_log;
  QCheckBox* m_baselines;
  AdaptiveSplitter* m_split;
  QWidget* m_bar;
  QTableWidget* m_table;
  QPushButton* m_copy;
  BackgroundRun* m_backgroundRun;
};

}  // namespace nest
