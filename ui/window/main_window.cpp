#include "window/main_window.h"

#include <spdlog/spdlog.h>

#include <QCloseEvent>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QTabWidget>
#include <QTableView>

#include "document/carried_selection.h"
#include "editors/cuts/cut_view.h"
#include "editors/network/network_editor.h"
#include "editors/scenario_panel.h"
#include "inspector/inspector.h"
#include "lessons/lessons_pane.h"
#include "moments/moments_pane.h"
#include "panes/issue_model.h"
#include "panes/issue_view.h"
#include "panes/log_pane.h"
#include "text/printable.h"
#include "theme/appearance.h"
#include "theme/icon.h"
#include "theme/plain_text.h"
#include "views/compare/compare_view.h"
#include "window/gallery.h"
#include "window/headline.h"
#include "window/message_bar.h"
#include "window/views_area.h"

namespace nest {
namespace {

/// "line 2: the host is duplicated; name it once": the file is named by the sentence around it.
QString inWords(const Diagnostic& d) {
  QString text = d.where.line > 0 ? MainWindow::tr("line %1: ").arg(d.where.line) : QString();
  text += QString::fromStdString(d.message);
  return d.remedy.empty() ? text : text + QStringLiteral("; ") + QString::fromStdString(d.remedy);
}

/// A drawn network has no fields in the panel.
bool isAboutNetwork(const QString& pointer) {
  return pointer.startsWith(QLatin1String("/cluster/network")) ||
         pointer.startsWith(QLatin1String("/cluster/graph"));
}

/// nullptr: nothing is open, or its levels are typed.
const NetworkGraph* drawnIn(const ScenarioDocument& document) {
  const auto* source =
      document.isEmpty() ? nullptr : std::get_if<GraphSource>(&document.scenario().cluster.network);
  return source ? &source->graph : nullptr;
}

const auto kOutside = QStringLiteral("the file outside");  ///< topic of the message bar

QString journalFolder() {
  return QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation))
      .filePath(QStringLiteral("unsaved"));
}

}  // namespace

MainWindow::MainWindow(JobRunner::Solve solve, const WindowOptions& options, QWidget* parent)
    : QMainWindow(parent),
      m_options(options),
      m_solve(solve),
      m_files(new ScenarioFiles(m_document, journalFolder(), this)),
      m_session(new PlanningSession(m_document, std::move(solve), this)) {
  keepTextPlain();
  followDesktop();
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
  addPresentActions();
  addHelpActions();
  buildMenus();
  connectAll();
  m_views->setTheme(m_theme);
  m_gallery->setTheme(m_theme);
  m_moments->setTheme(m_theme);
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

void MainWindow::carrySelection() {
  const PlanContext& c = *m_session->context();
  if (!c.problem || c.problem->cluster == m_numbering) return;
  const auto before = std::exchange(m_numbering, c.problem->cluster);
  const auto& selected = m_selection.selected();
  if (!before || !selected) return;
  m_selection.setHovered(std::nullopt);
  m_selection.setSelected(carriedOver(*selected, *before, *m_numbering));
}

void MainWindow::connectAll() {
  connect(&m_document, &ScenarioDocument::opened, this, [this] {
    keepSession();  // of the one before
    m_sessionPath.clear();
    m_selection.setHovered(std::nullopt);
    m_selection.setSelected(std::nullopt);
    m_numbering.reset();
    m_messages->hide();
    m_issues->setFileDiagnostics({});
    refreshState();
  });
  connect(&m_document, &ScenarioDocument::fileChanged, this, [this] {
    refreshTitle();
    if (!m_sessionPath.isEmpty()) m_sessionPath = m_document.path();  // saved elsewhere
  });
  connect(&m_document, &ScenarioDocument::changed, this, [this](ScenarioParts parts) {
    refreshTitle();
    if (parts & ScenarioPart::Moments) refreshState();
    if (parts & ScenarioPart::Cluster) {
      m_issues->setNetwork(drawnIn(m_document));
      refreshIssues();
    }
  });
  connect(m_session, &PlanningSession::contextChanged, this, [this] {
    carrySelection();
    m_views->setContext(m_session->context());
    m_inspector->setContext(m_session->context());
    m_issues->setPlan(*m_session->context());
    m_moments->setContext(m_session->context());
    refreshIssues();
  });
  // What is cut by hand is looked at wherever a plan is, for as long as Cuts is in sight.
  if (auto* cuts = qobject_cast<CutView*>(m_views->view(QStringLiteral("cuts"))))
    connect(cuts, &CutView::handPlanChanged, this, [this](const PlanContextPtr& hand) {
      const PlanContextPtr& shown = hand ? hand : m_session->context();
      for (const char* id : {"topology", "stages", "memory", "communication", "timeline", "placement"})
        if (View* view = m_views->view(QLatin1String(id))) view->setContext(shown);
      m_inspector->setContext(shown);
      m_headline->showInstead(hand);
    });
  connect(m_session, &PlanningSession::diagnosticsChanged, this, [this] {
    m_panel->showDiagnostics(m_session->diagnostics());
    m_issues->setScenarioDiagnostics(m_session->diagnostics());
    refreshIssues();
  });
  connect(m_session, &PlanningSession::activityChanged, this, &MainWindow::refreshState);
  connect(m_session, &PlanningSession::logged, this, [this](const QString& line) { log(line); });
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
  connect(m_files, &ScenarioFiles::measurementRead, this,
          [this](const Measurement& m, const QString& name) { takeMeasurement(m, name); });
  connect(m_files, &ScenarioFiles::failed, this, [this](const QString& sentence, const Diagnostics& d) {
    m_issues->setFileDiagnostics(d);
    refreshIssues();
    QString text = sentence;
    if (!d.empty()) text += QStringLiteral(": ") + inWords(d.front());
    if (d.size() > 1) text += tr(" (and %1 more)").arg(d.size() - 1);
    m_messages->show(MessageBar::Tone::Error, text, {{tr("Show issues"), [this] {
                                                        m_belowDock->show();
                                                        m_below->setCurrentWidget(m_issueView);
                                                      }}});
    logTrouble(text);
  });
  connect(m_files, &ScenarioFiles::changedOutside, this, [this](const QString& path) {
    if (!m_document.isModified()) {
      if (openPath(path))
        m_messages->show(
            MessageBar::Tone::Note,
            tr("%1 was changed by another program and has been reloaded.").arg(QFileInfo(path).fileName()));
      return;
    }
    m_messages->show(
        MessageBar::Tone::Warning,
        tr("%1 was changed by another program, and you have unsaved edits.").arg(QFileInfo(path).fileName()),
        {{tr("Reload"), [this, path] { openPath(path); }},
         {tr("Keep my edits"), [this] { m_files->keepOurs(); }}},
        kOutside);
  });
  connect(m_files, &ScenarioFiles::outsideSettled, this, [this] { m_messages->withdraw(kOutside); });
  connect(m_files, &ScenarioFiles::protectionChanged, this, [this](const Diagnostics& trouble) {
    if (trouble.empty()) {
      m_protection->hide();
      return log(tr("Unsaved edits are protected against a crash again"));
    }
    const QString text =
        tr("A crash would lose your unsaved edits: %1. Save often.").arg(inWords(trouble.front()));
    m_protection->show(MessageBar::Tone::Warning, text);
    logTrouble(text);
  });
  connect(m_gallery, &Gallery::lessonChosen, this, &MainWindow::startLesson);
  connect(m_lessons, &LessonsPane::startRequested, this, &MainWindow::startLesson, Qt::QueuedConnection);
  connect(m_lessons, &LessonsPane::leaveRequested, this, &MainWindow::leaveLesson);
  connect(m_lessons, &LessonsPane::viewRequested, this, [this](const QString& id) { m_views->reveal(id); });
  connect(m_moments, &MomentsPane::keepRequested, this, &MainWindow::keepMomentInFront);
  connect(m_moments, &MomentsPane::presentRequested, this, &MainWindow::present);
  connect(m_moments, &MomentsPane::exportRequested, this, &MainWindow::exportMoments);
  connect(m_files, &ScenarioFiles::goneOutside, this, [this](const QString& path) {
    m_messages->show(MessageBar::Tone::Warning,
                     tr("%1 was moved or deleted. Your scenario is still open; save to recreate the file.")
                         .arg(QFileInfo(path).fileName()),
                     {{tr("Save"), [this] { save(); }}}, kOutside);
  });
  connect(m_gallery, &Gallery::chosen, this, &MainWindow::openPath);
  connect(m_gallery, &Gallery::openRequested, this, &MainWindow::chooseFile);
  connect(m_panel, &ScenarioPanel::loadModelRequested, this, &MainWindow::chooseModel);
  connect(m_panel, &ScenarioPanel::networkRequested, this,
          [this] { m_views->reveal(QStringLiteral("network")); });
  connect(m_issueView, &QTableView::activated, this, &MainWindow::jumpToIssue);
  connect(static_cast<IssueView*>(m_issueView), &IssueView::repairRequested, this,
          [this](const QModelIndex& index) {
            const graph::Problem* known = m_issues->repairOf(index);
            auto* network = qobject_cast<NetworkEditor*>(m_views->view(QStringLiteral("network")));
            if (!known || !network) return;
            const graph::Problem problem = *known;  // the model forgets it while it is repaired
            network->repair(problem);
          });
}

void MainWindow::refreshState() {
  const bool open = !m_document.isEmpty();
  m_middle->setCurrentWidget(open ? static_cast<QWidget*>(m_views) : m_gallery);
  const bool panels = open && m_options.onlyView.isEmpty();
  if (!panels)
    showPanels(false);
  else if (!m_panelDock->property("wanted").isNull())
    showPanels(true);
  refreshWaysBack();
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
  enable("present.keep", open);
  enable("present.show", open);
  const bool any = !m_document.scenario().moments.empty();
  for (const char* id : {"present.start", "present.from", "present.export"}) enable(id, any);
  for (const char* id : {"file.export", "view.export", "view.copyImage", "view.copyText"}) enable(id, open);
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
  const int node = index.data(IssueModel::kNodeRole).toInt(),
            link = index.data(IssueModel::kLinkRole).toInt();
  const QString pointer = index.siblingAtColumn(0).data(IssueModel::kPointerRole).toString();
  const bool drawn = drawnIn(m_document) && (node >= 0 || link >= 0 || isAboutNetwork(pointer));
  if (auto* network = qobject_cast<NetworkEditor*>(m_views->view(QStringLiteral("network")));
      drawn && network) {
    m_views->reveal(network->id());
    return network->jumpTo(node, link);
  }
  if (!pointer.isEmpty()) {
    m_panelDock->show();
    m_panel->reveal(pointer);
  }
}

void MainWindow::log(const QString& line) {
  spdlog::info(printable(line.toStdString(), false));
}

void MainWindow::logTrouble(const QString& line) {
  spdlog::warn(printable(line.toStdString(), false));
}

QString MainWindow::logText() const {
  return m_log->text();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!mayDiscard()) return event->ignore();
  keepSession();
  saveLayout();
  m_files->forgetUnsaved();
  event->accept();
}

}  // namespace nest
