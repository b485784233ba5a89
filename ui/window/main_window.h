#pragma once

#include <QMainWindow>
#include <memory>
#include <optional>

#include "actions/action_registry.h"
#include "document/planning_session.h"
#include "document/scenario_document.h"
#include "document/scenario_files.h"
#include "document/selection.h"
#include "theme/theme.h"

class QMenu;
class QStackedWidget;
class QTabWidget;
class QTableView;

namespace nest {

class CommandPalette;
class Gallery;
class Headline;
class Inspector;
class IssueModel;
class LessonsPane;
class LogPane;
class MessageBar;
class MomentsPane;
class ScenarioPanel;
class ViewsArea;

/// How a window begins, apart from what it remembers.
struct WindowOptions {
  std::optional<Theme::Kind> theme;  ///< unset: what was chosen before, or what the desktop asks for
  QString onlyView;                  ///< show this view alone, without panels; for pictures
  QSize size;                        ///< empty: as remembered
  bool remembers = true;             ///< false: layout and choices are neither read nor kept
};

/// The window: headline, scenario panel, views, inspector, issues, history and log around one document.
class MainWindow : public QMainWindow {
  Q_OBJECT
public:
  explicit MainWindow(JobRunner::Solve solve, const WindowOptions& = {}, QWidget* parent = nullptr);
  ~MainWindow() override;

  bool openPath(const QString& path) { return openPaths({path}); }
  /// Any files that the program knows; tells in the window what they were, or what is wrong.
  bool openPaths(const QStringList& paths);
  void showGallery();       ///< the open document is closed
  bool isFirstRun() const;  ///< nothing has been opened by this user before
  void offerRecovery();

  ScenarioDocument& document() { return m_document; }
  PlanningSession& session() { return *m_session; }
  Selection& selection() { return m_selection; }
  ActionRegistry& actions() { return m_actions; }
  ViewsArea& views() { return *m_views; }
  ScenarioPanel& panel() { return *m_panel; }
  Headline& headline() { return *m_headline; }
  MessageBar& messages() { return *m_messages; }
  MessageBar& protection() { return *m_protection; }  ///< says when a crash would lose edits
  QString logText() const;

protected:
  void closeEvent(QCloseEvent*) override;
  void dragEnterEvent(QDragEnterEvent*) override;
  void dropEvent(QDropEvent*) override;
  bool focusNextPrevChild(bool next) override;  ///< passes by what lies behind other tabs

private:
  void addFileActions();
  void addEditActions();
  void addPlanActions();
  void addViewActions();
  void addPresentActions();
  void addHelpActions();
  void buildMenus();
  void buildDocks();
  void connectAll();
  void restoreLayout();
  void makeRoom(int widthThen);
  void refreshWaysBack();
  void carrySelection();  ///< what is selected is numbered anew when the cluster changes
  void saveLayout();
  std::optional<Theme::Kind> chosenTheme() const;
  void followDesktop();
  void keepSession();    ///< how the file at m_sessionPath is looked at
  void takeUpSession();  ///< of the file that is open now

  /// Lays it over the open scenario: with the plan shown, if it is of that run, else as far as it goes
  /// without. `level`: whose exchanges it timed, where the user was asked.
  void takeMeasurement(const Measurement&, const QString& name, std::optional<int> level = {});
  void restore(const Journal::Entry&);
  void chooseFile();
  void chooseModel();
  bool save();
  bool saveAs();
  bool mayDiscard();  ///< asks if there is unsaved work
  void exportFigures();
  void exportView();
  void writeAndTell(const QString& path, const QByteArray& content);
  void keepMomentInFront();
  void present(int from);
  void exportMoments();
  void showLessons();
  void startLesson(const QString& id);
  void leaveLesson();
  void copyView(bool asImage);
  void openPalette();
  void setTheme(Theme::Kind);  ///< as the user chooses: it is kept
  void applyTheme(Theme::Kind);
  void showPanels(bool shown);
  void refreshRecent();
  void refreshTitle();
  void refreshState();
  void refreshIssues();
  void jumpToIssue(const QModelIndex&);
  void log(const QString& line);         ///< what the user did and got
  void logTrouble(const QString& line);  ///< what the user is told went wrong

  WindowOptions m_options;
  ActionRegistry m_actions;
  ScenarioDocument m_document;
  Selection m_selection;
  std::shared_ptr<const Hierarchy> m_numbering;  ///< whose numbers the selection has
  JobRunner::Solve m_solve;
  ScenarioFiles* m_files;
  PlanningSession* m_session;
  Headline* m_headline = nullptr;
  MessageBar *m_messages = nullptr, *m_recovery = nullptr, *m_protection = nullptr;
  QStackedWidget* m_middle = nullptr;
  Gallery* m_gallery = nullptr;
  ViewsArea* m_views = nullptr;
  ScenarioPanel* m_panel = nullptr;
  Inspector* m_inspector = nullptr;
  IssueModel* m_issues = nullptr;
  QTableView* m_issueView = nullptr;
  MomentsPane* m_moments = nullptr;
  LessonsPane* m_lessons = nullptr;
  struct BeforeLesson {
    ScenarioDocument::SetAside document;
    QByteArray known;  ///< content of its file
  };
  std::optional<BeforeLesson> m_beforeLesson;  ///< while one is taken
  LogPane* m_log = nullptr;
  QTabWidget* m_below = nullptr;
  QMenu* m_recentMenu = nullptr;
  QDockWidget *m_panelDock = nullptr, *m_inspectorDock = nullptr, *m_belowDock = nullptr,
              *m_lessonsDock = nullptr;
  Theme::Kind m_theme = Theme::Kind::Light;
  bool m_themeIsChosen = false;  ///< by the user, in this window
  QString m_sessionPath;         ///< file that the present arrangement belongs to
};

}  // namespace nest
