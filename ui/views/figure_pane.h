#pragma once

#include <QWidget>

#include "figures/figure.h"

namespace nest {

/// Shows one figure as it is, with its tips: no zoom, no selection. For figures that stand beside tables.
class FigurePane : public QWidget {
  Q_OBJECT
public:
  explicit FigurePane(const Figure* figure, QWidget* parent = nullptr);  ///< `figure` must outlive this

  void setContext(PlanContextPtr, const Theme&);

Q_SIGNALS:
  void activated(const nest::SelectionItem&);  ///< clicked

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  bool event(QEvent*) override;

private:
  const Figure* m_figure;
  PlanContextPtr m_context;
  const Theme* m_theme;
};

}  // namespace nest
