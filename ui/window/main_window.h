#pragma once

#include <QMainWindow>
#include <memory>
#include <optional>
#include <vector>

#include "actions/action_registry.h"
#include "document/planning_session.h"
#include "document/scenario_document.h"
#include "document/scenario_files.h"
#include "document/selection.h"
#include "theme/theme.h"
#include "window/file_commands.h"
#include "window/recovery.h"

class QAbstractButton;
class QMenu;
class QStackedWidget;
class QTabWidget;

namespace nest {

class FiguresExport;
class Gallery;
class Headline;
class Inspector;
class IssueModel;
class IssueView;
class LessonStage;
class LessonsController;
class LogPane;
class MessageBar;
class PlanSentence;
class Presenter;
class Rail;
class ReportExport;
class ScenarioPanel;
class View;
class ViewsArea;
class WindowLayout;
class WindowTheme;

/// How a window begins, apart from what it remembers.
struct WindowOptions {
  std::optional<Theme::Kind> theme;  ///< unset: what was chosen before, or what the desktop asks for
  QString onlyView;                  ///< show this view alone, without panels; for pictures
  QSize size;                        ///< empty: as remembered
  bool remembers = true;             ///< false: layout and choices are neither read nor kept
};

/// The window: headline, scenario panel, views, inspector, issues, history and log around one document. It
/// puts these together; what is done with files, slides, lessons and the layout is done by objects of their
/// own.
class MainWindow : public QMainWindow {
  Q_OBJECT
public:
  explicit MainWindow(JobRunner::Solve solve, const WindowOptions& = {}, QWidget* parent = nullptr);
  ~MainWindow() override;

  bool openPath(const QString& path) { return openPaths({path}); }
  /// Any files that the program knows; tells in the window what they were, or what is wrong.
  bool openPaths(const QStringList& paths) { return m_commands->open(paths); }
  void showGallery() { m_commands->closeAtOnce(); }  ///< the open document is closed
  QString lastFile() const;                          ///< that this user had open; empty: none, or it is gone
  void offerRecovery() { m_recovery->offer(); }

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
  void keyPressEvent(QKeyEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  bool focusNextPrevChild(bool next) override;  ///< passes by what lies behind other tabs

private:
  void buildTop();  ///< menus, headline and messages
  void buildDocks();
  void addActions();
  void addViewActions();
  void connectFiles();
  void connectSession();
  void connectPanels();
  void openPalette();
  void press(View&, QAbstractButton&);
  void reveal(QWidget* tabBelow);
  void openField(const QString& pointer);  ///< in the panel
  void showLessons();
  void refreshTheme();
  void refreshSentence();  ///< a small window has no room for it
  void refreshViewMenu();  ///< ticks at what is shown
  void stepPane(bool next);
  std::vector<View*> viewsAsRead() const;
  void carrySelection();  ///< what is selected is numbered anew when the cluster changes
  void refreshTitle();
  void refreshState();
  void refreshIssues();
  void jumpToIssue(const QModelIndex&);

  WindowOptions m_options;
  ActionRegistry m_actions;
  ScenarioDocument m_document;
  Selection m_selection;
  std::shared_ptr<const Hierarchy> m_numbering;  ///< whose numbers the selection has
  ScenarioFiles* m_files;
  PlanningSession* m_session;
  WindowTheme* m_theme;
  QStackedWidget* m_middle;
  Gallery* m_gallery;
  ViewsArea* m_views;
  PlanSentence* m_sentence;
  QWidget* m_page;  ///< the sentence above the views
  Headline* m_headline = nullptr;
  MessageBar *m_messages, *m_offers, *m_protection;
  FileCommands* m_commands = nullptr;
  FiguresExport* m_export = nullptr;
  ReportExport* m_report = nullptr;
  Recovery* m_recovery = nullptr;
  Presenter* m_presenter = nullptr;
  LessonsController* m_lessons = nullptr;
  LessonStage* m_stage = nullptr;
  Rail* m_rail = nullptr;
  std::unique_ptr<WindowLayout> m_layout;
  ScenarioPanel* m_panel = nullptr;
  Inspector* m_inspector = nullptr;
  IssueModel* m_issues = nullptr;
  IssueView* m_issueView = nullptr;
  LogPane* m_log = nullptr;
  QTabWidget* m_below = nullptr;
  QMenu* m_recentMenu = nullptr;
  QDockWidget *m_panelDock = nullptr, *m_inspectorDock = nullptr, *m_belowDock = nullptr,
              *m_lessonsDock = nullptr;
};

}  // namespace nest
