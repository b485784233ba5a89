#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "cluster/levels/level_abstraction.h"
#include "theme/theme.h"

namespace nest {

/// The levels that a network becomes: its dendrogram over a logarithmic bandwidth axis, with the cuts between
/// levels as handles to drag.
class DendrogramPane : public QWidget {
  Q_OBJECT
public:
  explicit DendrogramPane(QWidget* parent = nullptr);

  void setAbstraction(std::optional<LevelAbstraction>, const QString& message);
  void setTheme(const Theme&);
  void setEditable(bool editable) { m_editable = editable; }

Q_SIGNALS:
  void cutsMoved(const std::vector<double>& cuts, bool finished);
  void cutsReset();  ///< back to the largest gaps

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void contextMenuEvent(QContextMenuEvent*) override;
  QSize sizeHint() const override { return {300, 320}; }

private:
  struct Branch {
    double left = 0, right = 0, y = 0;
    int node = 0, leaves = 0;
    bool folded = false;
  };
  QRectF plot() const;
  double yOf(double bandwidth) const;
  double bandwidthAt(double y) const;
  int cutAt(double y) const;
  void lay();

  std::optional<LevelAbstraction> m_levels;
  QString m_message;
  const Theme* m_theme;
  std::vector<Branch> m_branches;
  std::vector<double> m_cuts;
  double m_low = 1e9, m_high = 1e12;
  int m_dragged = -1, m_focused = 0;
  bool m_editable = false;
};

}  // namespace nest
