#pragma once

#include <QSize>
#include <QString>

class QDockWidget;
class QMainWindow;

namespace nest {

class ScenarioDocument;
class ScenarioPanel;
class Selection;
class ViewsArea;

/// How the window is arranged, and what of it is remembered: by the user, and by each scenario file.
class WindowLayout {
public:
  struct Parts {
    QMainWindow& window;
    ViewsArea& views;
    ScenarioPanel& fields;
    Selection& selection;
    const ScenarioDocument& document;
    QDockWidget *panel, *inspector, *below;
    bool remembers;
  };
  explicit WindowLayout(const Parts& parts) : m(parts) {}

  void restore(const QSize& given);  ///< empty: the window's size is remembered, too
  void save();
  /// While no scenario is open the panels are away; each comes back as it was.
  void showPanels(bool);

  void explore();
  void present();
  void teach();

  void keepSession();    ///< how the file at hand was looked at
  void takeUpSession();  ///< of the file that is open now, unless it is at hand
  void dropSession() { m_sessionPath.clear(); }
  void followFile();  ///< it has been saved elsewhere

private:
  void makeRoom(int widthThen);
  bool panelsAreAway() const;

  Parts m;
  QString m_sessionPath;  ///< file that the present arrangement belongs to
};

}  // namespace nest
