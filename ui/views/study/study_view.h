#pragma once

#include <memory>

#include "figures/curve_figure.h"
#include "study/lever.h"
#include "views/view.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QTableWidget;

namespace nest {

class FigurePane;
class StudyWorker;

/// Many solves along one field: how throughput scales with devices, how batch time follows a figure of the
/// cluster.
class StudyView : public View {
  Q_OBJECT
public:
  explicit StudyView(ViewServices services, QWidget* parent = nullptr);
  ~StudyView() override;

  QString id() const override { return QStringLiteral("study"); }
  QString title() const override { return tr("Study"); }
  const Figure* figure() const override;

  void run();
  void chooseField(int index);
  int pointCount() const;

protected:
  void refresh() override;

private:
  struct Field {
    QString name;
    bool scaling = false, batch = false;
    Lever lever;
  };
  void runScaling();
  void runBatch();
  void runLever(const Lever&);
  void addPoint(const CurveFigure::Point&);
  void showPoints();
  void copyTable() const;

  std::vector<Field> m_fields;
  std::unique_ptr<CurveFigure> m_curve;
  FigurePane* m_pane;
  QComboBox* m_field;
  QTableWidget* m_table;
  QPushButton *m_run, *m_stop, *m_copy;
  QProgressBar* m_progress;
  QLabel* m_state;
  StudyWorker* m_worker;
};

}  // namespace nest
