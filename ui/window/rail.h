#pragma once

#include <QToolBar>
#include <map>

class QDockWidget;

namespace nest {

class ActionRegistry;
class IssueModel;
class ViewsArea;

/// The strip at the left edge of the window: what brings the panels and, where there is room for one view at
/// a time, the views.
class Rail : public QToolBar {
  Q_OBJECT
public:
  struct Panels {
    QDockWidget *scenario, *inspector, *below;
  };
  Rail(ViewsArea&, const Panels&, ActionRegistry&, QWidget* parent = nullptr);

  void refresh();
  /// The icon of the panel below says how bad its worst issue is.
  void showIssues(int errors, int warnings);

private:
  QAction* add(const QString& icon, const QString& text, QAction* command);
  void refreshTips();

  ViewsArea& m_views;
  std::map<QString, QAction*> m_viewActions;
  std::map<QDockWidget*, QAction*> m_panelActions;
  std::map<QAction*, QAction*> m_commands;  ///< what is pressed, by what it does
  QAction* m_line = nullptr;
  QDockWidget* m_below;
};

}  // namespace nest
