#include "window/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDateTime>
#include <QDir>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QHeaderView>
#include <QMessageBox>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QTabWidget>
#include <QTableView>
#include <QUndoView>
#include <QUrl>
#include <QVBoxLayout>

#include "editors/scenario_panel.h"
#include "inspector/inspector.h"
#include "panes/issue_model.h"
#include "panes/issue_view.h"
#include "theme/appearance.h"
#include "theme/icon.h"
#include "views/compare/compare_view.h"
#include "window/gallery.h"
#include "window/headline.h"
#include "window/message_bar.h"
#include "window/views_area.h"

namespace nest {
namespace {

constexpr int kLayoutVersion = 1;
constexpr QSize kFrame(4, 30);  ///< what a desktop usually puts around a window
const auto kThemeKey = QStringLiteral("window/theme");
const auto kGeometryKey = QStringLiteral("window/geometry");
const auto kPanelsKey = QStringLiteral("window/panels");
const auto kViewsKey = QStringLiteral("window/views");
const auto kFoldedKey = QStringLiteral("window/folded");
const auto kLiveKey = QStringLiteral("plan/live");

QString journalFolder() {
  return QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation))
      .filePath(QStringLiteral("unsaved"));
}

Theme::Kind themeFor(const WindowOptions& options) {
  if (options.theme) return *options.theme;
  const QString kept = options.remembers ? QSettings().value(kThemeKey).toString() : QString();
  if (kept == QLatin1String("dark")) return Theme::Kind::Dark;
  if (kept == QLatin1String("light")) return Theme::Kind::Light;
  return desktopPreference();
}

}  // namespace

MainWindow::MainWindow(JobRunner::Solve solve, const WindowOptions& options, QWidget* parent)
    : QMainWindow(parent),
      m_options(options),
      m_solve(solve),
      m_files(new ScenarioFiles(m_document, journalFolder(), this)),
      m_session(new PlanningSession(m_document, std::move(solve), this)) {
  m_theme = themeFor(options);
  dress(m_theme);
  setWindowIcon(QIcon(QStringLiteral(":/icons/nest.svg")));
  setAcceptDrops(true);
  setDockNestingEnabled(true);
  setDocumentMode(true);
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);

  m_views = new ViewsArea({&m_selection, &m_document, m_session}, this);
  m_gallery = new Gallery(m_solve, this);
  m_middle = new QStackedWidget(this);
  m_middle->addWidget(m_gallery);
  m_middle->addWidget(m_views);
  setCentralWidget(m_middle);
  buildDocks();
  addFileActions();
  addEditActions();
  addPlanActions();
  addViewActions();
  addHelpActions();
  buildMenus();
  connectAll();
  m_views->setTheme(m_theme);
  m_gallery->setTheme(m_theme);
  refreshRecent();
  restoreLayout();
  refreshTitle();
  refreshState();
}

MainWindow::~MainWindow() {
  // The session's last words must not reach widgets that are being taken down.
  m_session->disconnect(this);
  m_document.disconnect(this);
  m_document.history().disconnect(this);
}

void MainWindow::buildDocks() {
  const auto dock = [this](const QString& name, const QString& title, QWidget* content,
                           Qt::DockWidgetArea area) {
    auto* d = new QDockWidget(title, this);
    d->setObjectName(name);
    d->setWidget(content);
    d->setTitleBarWidget(makeDockTitle(d));
    addDockWidget(area, d);
    return d;
  };
  m_panel = new ScenarioPanel(m_document, this);
  m_panelDock = dock(QStringLiteral("panel"), tr("Scenario"), m_panel, Qt::LeftDockWidgetArea);
  m_inspector = new Inspector(m_selection, this);
  m_inspectorDock = dock(QStringLiteral("inspector"), tr("Inspector"), m_inspector, Qt::RightDockWidgetArea);

  m_issues = new IssueModel(this);
  m_issueView = new IssueView(this);
  m_issueView->setModel(m_issues);
  m_issueView->horizontalHeader()->setSectionResizeMode(IssueModel::Message, QHeaderView::Stretch);
  m_issueView->horizontalHeader()->setSectionResizeMode(IssueModel::Remedy, QHeaderView::Stretch);
  m_issueView->horizontalHeader()->setSectionResizeMode(IssueModel::Where, QHeaderView::ResizeToContents);
  auto* history = new QUndoView(&m_document.history(), this);
  history->setEmptyLabel(tr("As opened"));
  history->setAccessibleName(tr("History"));
  m_log = new QPlainTextEdit(this);
  m_log->setReadOnly(true);
  m_log->setMaximumBlockCount(2000);
  m_log->setAccessibleName(tr("Log"));
  m_below = new QTabWidget(this);
  m_below->setDocumentMode(true);
  m_below->addTab(m_issueView, tr("Issues"));
  m_below->addTab(history, tr("History"));
  m_below->addTab(m_log, tr("Log"));
  m_belowDock =
      dock(QStringLiteral("below"), tr("Issues, history and log"), m_below, Qt::BottomDockWidgetArea);
  auto* none = new QWidget(m_belowDock);  // its tabs are title enough
  none->setFixedHeight(0);
  m_belowDock->setTitleBarWidget(none);
}

void MainWindow::connectAll() {
  connect(&m_document, &ScenarioDocument::opened, this, [this] {
    m_selection.setHovered(std::nullopt);
    m_selection.setSelected(std::nullopt);
    m_messages->hide();
    m_issues->setFileDiagnostics({});
    refreshState();
  });
  connect(&m_document, &ScenarioDocument::fileChanged, this, &MainWindow::refreshTitle);
  connect(&m_document, &ScenarioDocument::changed, this, &MainWindow::refreshTitle);
  connect(m_session, &PlanningSession::contextChanged, this, [this] {
    m_views->setContext(m_session->context());
    m_inspector->setContext(m_session->context());
    m_issues->setPlan(*m_session->context());
    refreshIssues();
  });
  connect(m_session, &PlanningSession::diagnosticsChanged, this, [this] {
    m_panel->showDiagnostics(m_session->diagnostics());
    m_issues->setScenarioDiagnostics(m_session->diagnostics());
    refreshIssues();
  });
  connect(m_session, &PlanningSession::activityChanged, this, &MainWindow::refreshState);
  connect(m_session, &PlanningSession::logged, this, &MainWindow::log);
  connect(m_files, &ScenarioFiles::recentChanged, this, &MainWindow::refreshRecent);
  connect(m_files, &ScenarioFiles::saved, this,
          [this](const QString& path) { log(tr("Saved %1").arg(path)); });
  connect(m_files, &ScenarioFiles::read, this, [this](const Diagnostics& d) {
    m_issues->setFileDiagnostics(d);
    refreshIssues();
  });
  connect(m_files, &ScenarioFiles::recognised, this, [this](const QString& sentence, bool changed) {
    log(sentence);
    std::vector<MessageBar::Choice> choices;
    if (changed && m_document.history().canUndo())
      choices.push_back({tr("Undo"), [this] { m_document.history().undo(); }});
    m_messages->show(MessageBar::Tone::Note, sentence, choices);
  });
  connect(m_files, &ScenarioFiles::planRead, this, [this](const Plan& plan, const QString& name) {
    if (auto* compare = qobject_cast<CompareView*>(m_views->view(QStringLiteral("compare")))) {
      compare->addPlan(plan, name);
      m_views->reveal(QStringLiteral("compare"));
    }
  });
  connect(m_files, &ScenarioFiles::failed, this, [this](const QString& sentence, const Diagnostics& d) {
    m_issues->setFileDiagnostics(d);
    refreshIssues();
    QString text = sentence;
    if (!d.empty()) text += QStringLiteral(": ") + QString::fromStdString(toText(d.front()));
    if (d.size() > 1) text += tr(" (and %1 more)").arg(d.size() - 1);
    m_messages->show(MessageBar::Tone::Error, text, {{tr("Show issues"), [this] {
                                                        m_belowDock->show();
                                                        m_below->setCurrentWidget(m_issueView);
                                                      }}});
    log(text);
  });
  connect(m_files, &ScenarioFiles::changedOutside, this, [this](const QString& path) {
    if (!m_document.isModified()) {
      if (openPath(path))
        m_messages->show(
            MessageBar::Tone::Note,
            tr("%1 was changed by another program and has been read again.").arg(QFileInfo(path).fileName()));
      return;
    }
    m_messages->show(
        MessageBar::Tone::Warning,
        tr("%1 was changed by another program, and you have unsaved edits.").arg(QFileInfo(path).fileName()),
        {{tr("Read it again"), [this, path] { openPath(path); }}, {tr("Keep mine"), nullptr}});
  });
  connect(m_gallery, &Gallery::chosen, this, &MainWindow::openPath);
  connect(m_gallery, &Gallery::openRequested, this, &MainWindow::chooseFile);
  connect(m_panel, &ScenarioPanel::loadModelRequested, this, &MainWindow::chooseModel);
  connect(m_panel, &ScenarioPanel::networkRequested, this,
          [this] { m_views->reveal(QStringLiteral("network")); });
  connect(m_issueView, &QTableView::activated, this, &MainWindow::jumpToIssue);
}

bool MainWindow::openPaths(const QStringList& paths) {
  const bool opened = m_files->openAll(paths);
  if (opened)
    for (const QString& path : paths)
      log(tr("Opened %1")
              .arg(path.startsWith(QLatin1Char(':')) ? tr("the sample %1").arg(QFileInfo(path).fileName())
                                                     : path));
  return opened;
}

void MainWindow::showGallery() {
  m_document.close();
  m_files->forgetUnsaved();
}

bool MainWindow::isFirstRun() const {
  return m_files->recent().isEmpty();
}

void MainWindow::offerRecovery() {
  const auto entries = m_files->recoverable();
  if (entries.empty()) return;
  const Journal::Entry entry = entries.front();
  const QString name = entry.path.isEmpty() ? entry.name : QFileInfo(entry.path).fileName();
  m_recovery->show(MessageBar::Tone::Warning,
                   tr("Unsaved work on %1 from %2 was left when the program ended.")
                       .arg(name, QLocale().toString(entry.when.toLocalTime(), QLocale::ShortFormat)),
                   {{tr("Restore"), [this, entry] { restore(entry); }},
                    {tr("Show what differs"),
                     [this, entry] {
                       const QStringList lines = ScenarioFiles::differencesOf(entry);
                       QMessageBox box(QMessageBox::Question, tr("Unsaved work"),
                                       tr("Restoring would change this against the file:"),
                                       QMessageBox::NoButton, this);
                       box.setInformativeText(lines.isEmpty() ? tr("There is no file to compare with.")
                                                              : lines.mid(0, 30).join(QLatin1Char('\n')));
                       QAbstractButton* restore = box.addButton(tr("Restore"), QMessageBox::AcceptRole);
                       box.addButton(tr("Not now"), QMessageBox::RejectRole);
                       box.exec();
                       if (box.clickedButton() == restore)
                         this->restore(entry);
                       else
                         offerRecovery();
                     }},
                    {tr("Discard"), [this, entry] {
                       Journal::discard(entry);
                       offerRecovery();  // there may be more
                     }}});
}

void MainWindow::restore(const Journal::Entry& entry) {
  if (!mayDiscard()) return offerRecovery();
  if (m_files->restore(entry)) log(tr("Restored unsaved work"));
}

void MainWindow::refreshState() {
  const bool open = !m_document.isEmpty();
  m_middle->setCurrentWidget(open ? static_cast<QWidget*>(m_views) : m_gallery);
  const bool panels = open && m_options.onlyView.isEmpty();
  if (!panels)
    showPanels(false);
  else if (!m_panelDock->property("wanted").isNull())
    showPanels(true);
  const bool running = m_session->activity().phase == PlanningSession::Phase::Running;
  const auto enable = [this](const char* id, bool on) {
    if (QAction* a = m_actions.find(QLatin1String(id))) a->setEnabled(on);
  };
  enable("file.save", open);
  enable("file.saveAs", open);
  enable("file.close", open);
  enable("file.model", open);
  enable("plan.solve", open && !running && !hasErrors(m_session->diagnostics()));
  enable("plan.cancel", running);
  for (const char* id : {"file.export", "view.export", "view.copyImage", "view.copyText"}) enable(id, open);
}

/// While no scenario is open the panels are away; each comes back as it was.
void MainWindow::showPanels(bool shown) {
  for (QDockWidget* d : {m_panelDock, m_inspectorDock, m_belowDock}) {
    if (shown) {
      d->setVisible(d->property("wanted").toBool());
      d->setProperty("wanted", QVariant());
    } else if (d->property("wanted").isNull()) {
      d->setProperty("wanted", !d->isHidden());
      d->hide();
    }
  }
}

void MainWindow::refreshTitle() {
  QString title = m_document.displayName();
  if (!title.isEmpty()) title += QStringLiteral("[*] – ");
  setWindowTitle(title + QStringLiteral("NEST Explorer"));
  setWindowModified(m_document.isModified());
}

void MainWindow::refreshIssues() {
  const int errors = m_issues->errorCount(), all = m_issues->rowCount();
  m_below->setTabText(0, all == 0 ? tr("Issues") : tr("Issues (%1)").arg(all));
  m_below->setTabIcon(0, errors > 0                     ? themedIcon(QStringLiteral("error"))
                         : m_issues->warningCount() > 0 ? themedIcon(QStringLiteral("warning"))
                                                        : QIcon());
}

void MainWindow::jumpToIssue(const QModelIndex& index) {
  const int stage = index.data(IssueModel::kStageRole).toInt();
  if (stage >= 0) m_selection.setSelected(SelectionItem{ItemKind::Stage, stage});
  const QString pointer = index.siblingAtColumn(0).data(IssueModel::kPointerRole).toString();
  if (!pointer.isEmpty()) {
    m_panelDock->show();
    m_panel->reveal(pointer);
  }
}

void MainWindow::log(const QString& line) {
  m_log->appendPlainText(QDateTime::currentDateTime().toString(QStringLiteral("HH:mm:ss  ")) + line);
}

QString MainWindow::logText() const {
  return m_log->toPlainText();
}

void MainWindow::restoreLayout() {
  const QSize screen = QGuiApplication::primaryScreen() ? QGuiApplication::primaryScreen()->availableSize()
                                                        : QSize(1600, 1000);
  resize(m_options.size.isEmpty() ? QSize(1600, 1000).boundedTo(screen - kFrame) : m_options.size);
  resizeDocks({m_panelDock, m_inspectorDock}, {width() < 1400 ? 306 : 330, width() < 1400 ? 260 : 330},
              Qt::Horizontal);
  resizeDocks({m_belowDock}, {120}, Qt::Vertical);
  if (height() < 900) m_belowDock->hide();
  setFocus(Qt::OtherFocusReason);  // no field or view is marked before the user has chosen one
  if (!m_options.onlyView.isEmpty()) m_views->showAlone(m_options.onlyView);
  if (!m_options.remembers) return;
  QSettings s;
  if (m_options.size.isEmpty()) restoreGeometry(s.value(kGeometryKey).toByteArray());
  if (m_options.onlyView.isEmpty()) {
    restoreState(s.value(kPanelsKey).toByteArray(), kLayoutVersion);
    m_views->restoreLayout(s.value(kViewsKey).toByteArray(), kLayoutVersion);
  }
  if (s.contains(kFoldedKey)) m_panel->setFoldedSections(s.value(kFoldedKey).toStringList());
  if (s.contains(kLiveKey))
    if (QAction* live = m_actions.find(QStringLiteral("plan.live")))
      live->setChecked(s.value(kLiveKey).toBool());
}

void MainWindow::saveLayout() {
  if (!m_options.remembers || !m_options.onlyView.isEmpty()) return;
  if (!m_panelDock->property("wanted").isNull()) showPanels(true);
  QSettings s;
  s.setValue(kGeometryKey, saveGeometry());
  s.setValue(kPanelsKey, saveState(kLayoutVersion));
  s.setValue(kViewsKey, m_views->saveState(kLayoutVersion));
  s.setValue(kFoldedKey, m_panel->foldedSections());
  s.setValue(kLiveKey, m_session->isLive());
}

void MainWindow::setTheme(Theme::Kind kind) {
  m_theme = kind;
  dress(kind);
  m_views->setTheme(kind);
  m_gallery->setTheme(kind);
  refreshIssues();
  if (m_options.remembers)
    QSettings().setValue(kThemeKey,
                         kind == Theme::Kind::Dark ? QStringLiteral("dark") : QStringLiteral("light"));
}

bool MainWindow::mayDiscard() {
  if (!m_document.isModified()) return true;
  QMessageBox box(QMessageBox::Warning, tr("Unsaved edits"),
                  tr("Save the edits of %1 first?").arg(m_document.displayName()),
                  QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
  box.setDefaultButton(QMessageBox::Save);
  box.button(QMessageBox::Discard)->setText(tr("Discard edits"));
  const int answer = box.exec();
  if (answer == QMessageBox::Save) return save();
  if (answer == QMessageBox::Discard) m_files->forgetUnsaved();
  return answer == QMessageBox::Discard;
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!mayDiscard()) return event->ignore();
  saveLayout();
  m_files->forgetUnsaved();
  event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  const auto urls = event->mimeData()->urls();
  if (!urls.isEmpty() && urls.front().isLocalFile()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const auto urls = event->mimeData()->urls();
  if (urls.isEmpty()) return;
  event->acceptProposedAction();
  QStringList paths;
  for (const QUrl& url : urls)
    if (url.isLocalFile()) paths += url.toLocalFile();
  if (!paths.isEmpty() && (!m_files->replacesScenario(paths) || mayDiscard())) openPaths(paths);
}

}  // namespace nest
