#pragma once

#include <QWidget>
#include <memory>

#include "document/plan_context.h"
#include "solver/dp_probe.h"
#include "theme/theme.h"

class QTableWidget;

namespace nest {

/// The DP table of the shown plan's configuration as a heatmap to walk, cell by cell: stages down, cuts
/// across.
class DpHeatmap : public QWidget {
  Q_OBJECT
public:
  explicit DpHeatmap(QWidget* parent = nullptr);

  void setProbe(std::shared_ptr<const DpProbe>, PlanContextPtr, const QString& why, const Theme&);
  int stage() const { return m_stage; }
  int cut() const { return m_cut; }
  void moveTo(int stage, int cut);
  QString describe(int stage, int cut) const;  ///< one cell in words

Q_SIGNALS:
  void cellChanged(int stage, int cut);

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  bool event(QEvent*) override;

private:
  QRectF plot() const;
  QRectF cellArea(int stage, int cut) const;
  std::optional<std::pair<int, int>> cellAt(const QPointF&) const;

  std::shared_ptr<const DpProbe> m_probe;
  PlanContextPtr m_context;
  QString m_why;
  const Theme* m_theme;
  int m_stage = 0, m_cut = 0;
  double m_least = 0, m_most = 1;
};

/// The heatmap with the alternatives of the chosen cell beside it.
class DpPane : public QWidget {
  Q_OBJECT
public:
  explicit DpPane(QWidget* parent = nullptr);
  void setContext(PlanContextPtr, const Theme&);
  DpHeatmap& heatmap() const { return *m_heatmap; }

private:
  void showAlternatives(int stage, int cut);

  DpHeatmap* m_heatmap;
  QTableWidget* m_table;
  std::shared_ptr<const DpProbe> m_probe;
  PlanContextPtr m_context;
};

}  // namespace nest
