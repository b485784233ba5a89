#pragma once

#include <QMainWindow>
#include <QStringList>
#include <map>
#include <optional>
#include <vector>

#include "views/view.h"

class QDockWidget;
class QLabel;
class QMenu;
class QTabBar;

namespace nest {

class PaneButtons;

/// The middle of the window: every view of the registry as a dock that can be tabbed, put side by side,
/// floated, hidden; or one of them alone, large, or because the window is small.
class ViewsArea : public QMainWindow {
  Q_OBJECT
public:
  static constexpr int kLayoutVersion = 1;

  ViewsArea(ViewServices, QWidget* parent = nullptr);
  ~ViewsArea() override;

  const std::vector<View*>& views() const { return m_views; }
  View* view(const QString& id) const;  ///< nullptr if unknown; that of a mode by the name of this
  QDockWidget* dockOf(const QString& id) const;
  View* current() const;  ///< the view that has, or last had, the focus; or the first visible one

  void setContext(PlanContextPtr);
  void setTheme(Theme::Kind);
  void reveal(const QString& id);      ///< shows and raises it, in the mode that is named
  void enter(const QString& id);       ///< and the next key is its own
  void setCurrent(const QString& id);  ///< as if it had had the focus
  void showAlone(const QString& id);   ///< hides all others; in the mode that is named
  /// The view takes the place of all others, until bringBack(); of the one that has it already, the same.
  void enlarge(const QString& id);
  bool bringBack();  ///< false: no view is enlarged
  bool isEnlarged() const { return m_sole == Sole::Enlarged; }
  /// One view at a time, for small windows: whatever is revealed takes the place of what was in sight.
  void setOneAtATime(bool);
  bool isOneAtATime() const { return m_sole == Sole::Always; }
  /// The arrangement of all views, also while one is alone: what restoreLayout() takes.
  QByteArray arrangement() const;

  void setOwnWindow(const QString& id, bool);
  bool hasOwnWindow(const QString& id) const;
  void moveTo(const QString& id, Qt::DockWidgetArea);          ///< its own place at that side
  void joinTabs(const QString& id, const QString& neighbour);  ///< behind the tabs of another view
  void closeView(const QString& id);                           ///< reveal() brings it back
  /// Everything that can be done with the pane of a view, then what works in it.
  void fillPaneMenu(QMenu&, View&);
  void arrangeDefault();
  void arrangeTabbed();
  /// Two views, one above the other, the others behind tabs of the upper one.
  void arrangePair(const QString& above, const QString& below);
  /// These views alone exist until another call; unset: all, which the caller then arranges again. The first
  /// stands above the others.
  void offer(const std::optional<QStringList>& ids);
  bool isOffered(const QString& id) const;
  /// In place of these views a sentence says why they are not shown; all others are.
  void cover(const QStringList& ids, const QString& why);
  /// A remembered layout replaces the default one.
  bool restoreLayout(const QByteArray& state, int version);

Q_SIGNALS:
  void arranged();  ///< other views are in sight, or in other places

protected:
  void showEvent(QShowEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  bool eventFilter(QObject*, QEvent*) override;

private:
  enum class Sole { No, Enlarged, Always };

  QDockWidget* makeDock(View*);
  QWidget* makeTitle(QDockWidget*, View*);
  void refreshTitles();
  void refreshTabs();
  void placeCorner(QTabBar*);
  View* viewOf(const QDockWidget*) const;
  QDockWidget* dockOfTab(const QTabBar*, int tab) const;
  bool filterTabs(QTabBar*, QEvent*);
  void tearOut(QDockWidget*, const QPoint& global);
  void openPaneMenu(View&, const QPoint& global);
  void showOnly(QDockWidget*);
  void leaveSole();
  void arrangeOffered();
  void proportion();
  void showMode(const QString& id);
  bool restoreDocks(const QByteArray& state, int version);
  void placeUnknown(const QByteArray& state);

  std::vector<View*> m_views;
  std::vector<QDockWidget*> m_docks;
  std::map<QDockWidget*, QWidget*> m_titles, m_blank;
  std::map<const QDockWidget*, PaneButtons*> m_titleButtons;
  Sole m_sole = Sole::No;
  QByteArray m_all;  ///< where the views stand that are away while one is alone
  int m_pressedTab = -1;
  bool m_arranging = false;  ///< what docks report meanwhile is not the user's doing
  bool m_toProportion = false;
  std::optional<QStringList> m_offered;
  std::map<QDockWidget*, QLabel*> m_covers;  ///< in place of their views
  mutable View* m_last = nullptr;
};

/// Before its docks are arranged anew: Qt keeps where the separator under the pointer, or held, stood among
/// them, and would read past the new ones.
void releaseSeparators(QMainWindow&);

/// A dock's own quiet title line: name and close button; for panels, too.
QWidget* makeDockTitle(QDockWidget*, bool closes);

}  // namespace nest
