#pragma once

#include <QMainWindow>
#include <QStringList>
#include <map>
#include <vector>

#include "views/view.h"

class QDockWidget;

namespace nest {

/// The middle of the window: every view of the registry as a dock that can be tabbed, put side by side,
/// floated, hidden.
class ViewsArea : public QMainWindow {
  Q_OBJECT
public:
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
  void arrangeDefault();
  void arrangeTabbed();
  /// Two views, one above the other, the others behind tabs of the upper one.
  void arrangePair(const QString& above, const QString& below);
  /// A remembered layout replaces the default one.
  bool restoreLayout(const QByteArray& state, int version);

protected:
  void showEvent(QShowEvent*) override;

private:
  QDockWidget* makeDock(View*);
  void refreshTitles();
  void proportion();
  void showMode(const QString& id);
  bool restoreDocks(const QByteArray& state, int version);
  void placeUnknown(const QByteArray& state);

  std::vector<View*> m_views;
  std::vector<QDockWidget*> m_docks;
  std::map<QDockWidget*, QWidget*> m_titles, m_blank;
  bool m_toProportion = false;
  mutable View* m_last = nullptr;
};

/// Before its docks are arranged anew: Qt keeps where the separator under the pointer, or held, stood among
/// them, and would read past the new ones.
void releaseSeparators(QMainWindow&);

/// A dock's own quiet title line: name and close button; for panels, too.
QWidget* makeDockTitle(QDockWidget*);

}  // namespace nest
