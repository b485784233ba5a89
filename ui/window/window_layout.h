#pragma once

#include <QByteArray>
#include <QObject>
#include <QSize>
#include <QString>
#include <QStringList>

class QDockWidget;
class QMainWindow;
class QToolBar;

namespace nest {

class ScenarioDocument;
class ScenarioPanel;
class Selection;
class ViewsArea;

/// How the window is arranged, and what of it is remembered: by the user, and by each scenario file.
///
/// A small window shows one view at a time, with the panels folded; it begins so, and becomes so when it
/// shrinks. What the user arranges in it then stays.
class WindowLayout : public QObject {
  Q_OBJECT
public:
  struct Parts {
    QMainWindow& window;
    ViewsArea& views;
    ScenarioPanel& fields;
    Selection& selection;
    const ScenarioDocument& document;
    QDockWidget *panel, *inspector, *below;
    QToolBar* rail;
    bool remembers;
  };
  explicit WindowLayout(const Parts& parts);
  /// Below 1400 × 850 pixels, or as many as type of the window's size makes of them.
  static bool isSmallWindow(const QSize&);

  void restore(const QSize& given);  ///< empty: the window's size is remembered, too
  void save();
  /// While no scenario is open the panels are away; each comes back as it was.
  void showPanels(bool);

  void explore();
  void present();
  void teach();
  void keepMine();  ///< the present one becomes the user's own
  void mine();      ///< the user's own; nothing where none was kept
  bool hasMine() const;
  /// Of these, the one that still stands: "explore", "present", "teach" or "mine"; empty: none of them.
  QString current() const;
  /// As a window of this size begins that nobody has arranged.
  void restoreUsual();

  /// Where everything stands, to come back to.
  struct Arrangement {
    QByteArray panels, views;
    bool oneAtATime = false;
    QSize size;
    QString called;
  };
  Arrangement arrangement();
  void bringBack(const Arrangement&);

  void keepSession();    ///< how the file at hand was looked at
  void takeUpSession();  ///< of the file that is open now, unless it is at hand
  void dropSession() { m_sessionPath.clear(); }
  void followFile();  ///< it has been saved elsewhere
  /// The window has become small, or large again: by its size, or by that of its type.
  void followSize();

protected:
  bool eventFilter(QObject*, QEvent*) override;

private:
  bool isSmall() const;
  /// Folds what a small window has no room for, unless the user arranged it so in one.
  void makeRoom(const QSize& then);
  void usualPanels();
  void restorePanels(const QByteArray&);
  bool isShown(const QDockWidget*) const;
  void setShown(QDockWidget*, bool);
  bool panelsAreAway() const;
  QByteArray panels();
  QStringList shape() const;  ///< where each view stands, whatever its size
  void call(const QString& layout);

  Parts m;
  QString m_called;       ///< the layout that was chosen last
  QStringList m_shape;    ///< then
  QString m_sessionPath;  ///< file that the present arrangement belongs to
  bool m_wasSmall = false, m_started = false;
  bool m_shownWhenLarge[3] = {false, true, false};  ///< panel, inspector, below
};

}  // namespace nest
