#pragma once

#include <memory>

#include "figures/study/curve_figure.h"
#include "figures/study/sweep_figure.h"
#include "measures/pace.h"
#include "solver/baselines/baselines.h"
#include "study/parameter.h"
#include "views/view.h"

class QCheckBox;
class QComboBox;
class QPushButton;
class QStackedWidget;
class QTableWidget;

namespace nest {

class AdaptiveSplitter;
class BackgroundRun;
class FigurePane;
class FlowLayout;

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
  int fieldCount() const { return static_cast<int>(m_fields.size()); }
  int pointCount() const;
  const StudyRecord& record() const { return m_record; }
  const CurveFigure& curve() const { return m_curve; }
  const SweepFigure& sweep() const { return m_sweep; }
  bool isBusy() const;

protected:
  void refresh() override;

private:
  void buildBar(FlowLayout&);
  StudyRecord curveOf(const Parameter&, bool fine, PaceMeasure, const std::vector<BaselineKind>&) const;
  void runCurve(const Parameter&);
  void runSweep(const Parameter& across, const Parameter& up);
  void take(StudyRecord::Result);
  void showPoints();
  void copyTable() const;
  FigurePane* pane() const;

  void show(StudyRecord);
  void forget();
  void tellIfOutdated();

  std::vector<Parameter> m_fields;
  StudyRecord m_record;      ///< empty: no study yet
  PlanContextPtr m_studied;  ///< null: it was not run here
  CurveFigure m_curve;
  SweepFigure m_sweep;
  Selection m_point, m_cell;
  FigurePane *m_curvePane, *m_sweepPane;
  QStackedWidget* m_figures;
  QComboBox *m_field, *m_second;
  QCheckBox* m_baselines;
  AdaptiveSplitter* m_split;
  QWidget* m_bar;
  QTableWidget* m_table;
  QPushButton* m_copy;
  BackgroundRun* m_backgroundRun;
};

}  // namespace nest
