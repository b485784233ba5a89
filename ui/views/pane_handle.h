#pragma once

#include <QLabel>
#include <QPoint>
#include <optional>

class QToolButton;

namespace nest {

/// The name of a pane, by which it is held: dragged, the pane comes out of its place; double-clicked, it
/// grows.
class PaneHandle : public QLabel {
  Q_OBJECT
public:
  explicit PaneHandle(const QString& name, QWidget* parent = nullptr);

Q_SIGNALS:
  void pulled(const QPoint& global);
  void enlargeRequested();
  void menuRequested(const QPoint& global);

protected:
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void contextMenuEvent(QContextMenuEvent*) override;

private:
  std::optional<QPoint> m_pressed;
};

/// What every pane can do, at the right end of its bar: grow and shrink again, and the menu with all else.
/// Both have keys, so Tab passes them by.
class PaneButtons : public QWidget {
  Q_OBJECT
public:
  explicit PaneButtons(const QString& name, QWidget* parent = nullptr);
  void setName(const QString&);            ///< of the pane
  void setLarge(bool);                     ///< the first button brings the others back
  void setParts(bool enlarge, bool menu);  ///< of what there is to offer; without both, nothing is shown

Q_SIGNALS:
  void enlargeRequested();
  void menuRequested(const QPoint& global);

private:
  void refresh();

  QString m_name;
  bool m_large = false;
  QToolButton *m_enlarge, *m_menu;
};

}  // namespace nest
