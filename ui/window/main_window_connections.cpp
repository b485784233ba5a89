// What follows from what: signals of files, of the session and of the panels, and what the window does on
// each.
#include <QDockWidget>
#include <QStackedWidget>
#include <type_traits>

#include "editors/cuts/cut_view.h"
#include "editors/network/network_editor.h"
#include "editors/network/topology_view.h"
#include "editors/plan_sentence.h"
#include "editors/scenario_panel.h"
#include "editors/what_if/what_if_view.h"
#include "fields/field_advice.h"
#include "inspector/inspector.h"
#include "lessons/lessons_pane.h"
#include "panes/issue_model.h"
#include "panes/issue_view.h"
#include "panes/log_pane.h"
#include "slides/slides_pane.h"
#include "views/compare/compare_view.h"
#include "views/run/run_view.h"
#include "views/search/search_view.h"
#include "window/gallery.h"
#include "window/headline.h"
#include "window/lesson_stage.h"
#include "window/lessons_controller.h"
#include "window/main_window.h"
#include "window/measured_runs.h"
#include "window/message_bar.h"
#include "window/plan_uses.h"
#include "window/presenter.h"
#include "window/rail.h"
#include "window/views_area.h"
#include "window/window_layout.h"
#include "window/window_theme.h"

namespace nest {

void MainWindow::connectFiles() {
  connect(&m_document, &ScenarioDocument::opened, this, [this] {
    m_layout->keepSession();  // of the one before
    m_layout->dropSession();
    m_selection.setHovered(std::nullopt);
    m_selection.setSelected(std::nullopt);
    m_numbering.reset();
    m_messages->dismiss();
    m_issues->setFileDiagnostics({});
    if (m_document.isEmpty()) m_lessonsDock->hide();  // the start page has them
    refreshState();
  });
  connect(&m_document, &ScenarioDocument::fileChanged, this, [this] {
    refreshTitle();
    m_layout->followFile();
  });
  connect(&m_document, &ScenarioDocument::changed, this, [this](ScenarioParts parts) {
    refreshTitle();
    refreshSentence();
    if (parts & ScenarioPart::Slides) refreshState();
    if (parts & ScenarioPart::Cluster) {
      const auto* drawn = std::get_if<GraphSource>(&m_document.scenario().cluster.network);
      m_issues->setNetwork(drawn ? &drawn->graph : nullptr);
      refreshIssues();
    }
  });
  connect(&m_files->assumptions(), &ImportAssumptions::changed, this, [this] {
    m_issues->setAssumptions(m_files->assumptions().notes());
    m_headline->showAssumed(m_files->assumptions().sentence());
    refreshIssues();
  });
  connect(m_commands, &FileCommands::opened, this, [this] {
    if (!m_document.scenario().purchase.empty()) m_views->reveal(QStringLiteral("purchase"));
    m_layout->takeUpSession();
  });
  connect(m_commands, &FileCommands::begun, this, [this] {
    refreshSentence();
    m_sentence->focusFirst();
  });
  connect(m_commands, &FileCommands::diagnosed, this, [this](const Diagnostics& d) {
    m_issues->setFileDiagnostics(d);
    refreshIssues();
  });
  connect(m_commands, &FileCommands::renameWanted, this, [this] {
    m_panelDock->show();
    m_panelDock->raise();
    m_panel->reveal(QStringLiteral("/name"));
  });
  connect(m_commands, &FileCommands::issuesWanted, this, [this] { reveal(m_issueView); });
  connect(m_files, &ScenarioFiles::recentChanged, this, [this] {
    m_commands->fillRecent(*m_recentMenu);
    m_gallery->setRecent(m_files->recent());
  });
  connect(m_files, &ScenarioFiles::planRead, this, [this](const Plan& plan, const QString& name) {
    if (auto* compare = m_views->findChild<CompareView*>()) {
      compare->addPlan(plan, name);
      m_views->reveal(compare->id());
    }
  });
  auto* runs = new MeasuredRuns(m_document, *m_session, *m_messages, this);
  connect(m_files, &ScenarioFiles::figureRead, this, [this](const QString& figure) {
    for (const View* view : m_views->views())
      for (const Figure* f : view->figures())
        if (f->id() == figure) return m_views->reveal(view->id());
  });
  connect(m_files, &ScenarioFiles::measurementRead, runs,
          [runs](const Measurement& m, const QString& name) { runs->take(m, name); });
}

void MainWindow::connectSession() {
  connect(m_session, &PlanningSession::contextChanged, this, [this] {
    carrySelection();
    m_views->setContext(m_session->context());
    m_inspector->setContext(m_session->context());
    m_issues->setPlan(*m_session->context());
    m_presenter->pane()->setContext(m_session->context());
    refreshIssues();
  });
  // What is cut by hand is looked at wherever a plan is, for as long as Cuts is in sight.
  auto* uses = new PlanUses({m_document, *m_session, *m_views, *m_inspector, *m_headline, *m_messages}, this);
  connect(m_views->findChild<CutView*>(), &CutView::handPlanChanged, uses, &PlanUses::showInstead);
  connect(m_session, &PlanningSession::diagnosticsChanged, this, [this] {
    m_panel->showDiagnostics(m_session->diagnostics());
    m_issues->setScenarioDiagnostics(m_session->diagnostics());
    refreshIssues();
  });
  connect(m_session, &PlanningSession::searchChanged, this, [this] {
    m_inspector->followSearch();
    refreshState();
  });
  connect(m_session, &PlanningSession::logged, this, [](const QString& line) { logLine(line); });
}

void MainWindow::connectPanels() {
  connect(m_theme, &WindowTheme::changed, this, &MainWindow::refreshTheme);
  connect(m_gallery, &Gallery::chosen, this, &MainWindow::openPath);
  connect(m_gallery, &Gallery::openRequested, m_commands, &FileCommands::choose);
  connect(m_gallery, &Gallery::beginRequested, m_commands, &FileCommands::begin);
  connect(m_gallery, &Gallery::drawRequested, this, [this] {
    m_commands->begin();
    if (!m_document.isEmpty()) m_views->enter(QStringLiteral("network"));
  });
  connect(m_gallery, &Gallery::lessonChosen, m_lessons, &LessonsController::start);
  connect(m_lessons, &LessonsController::ended, m_lessonsDock, &QWidget::hide);
  connect(m_lessons, &LessonsController::started, this, &MainWindow::showLessons);
  connect(m_lessons, &LessonsController::listWanted, this, &MainWindow::showLessons);
  connect(m_stage, &LessonStage::limitsChanged, this, [this] {
    refreshSentence();
    m_rail->refresh();
  });
  connect(m_presenter, &Presenter::paneWanted, this, [this] { reveal(m_presenter->pane()); });
  auto* topology = m_views->findChild<TopologyView*>();
  connect(topology, &TopologyView::drawnOn, m_headline, &Headline::setDrawing);
  m_headline->setDrawing(topology->isDrawnOn());
  NetworkEditor* network = topology->editor();
  const auto connectFields = [&](auto* fields) {
    using Fields = std::remove_pointer_t<decltype(fields)>;
    connect(fields, &Fields::loadModelRequested, m_commands, &FileCommands::chooseModel);
    connect(fields, &Fields::noticed, this, [this](const Diagnostic& d) {
      m_issues->setFileDiagnostics({d});
      refreshIssues();
      m_messages->show(MessageBar::Tone::Note, inWords(d),
                       {{tr("Show issues"), [this] { reveal(m_issueView); }}});
    });
    connect(fields, &Fields::networkRequested, this, [this, network] {
      m_views->reveal(network->id());
      network->showSelected();
    });
  };
  connectFields(m_panel);
  connectFields(m_sentence);
  connect(m_headline, &Headline::widerRequested, this, [this] {
    const auto outcome = m_session->context()->outcome;
    if (!outcome) return;
    m_document.closeStep();
    m_document.edit({}, tr("Search wider"), [&](Scenario& s) {
      for (const NotSearched& n : outcome->notSearched)
        for (const auto& part : adviceParts(n.change))
          if (const auto* change = std::get_if<FieldChange>(&part); change && makesDifference(s, *change))
            make(s, *change);
    });
    m_document.closeStep();
  });
  const auto tryIt = [this, whatIf = m_views->findChild<WhatIfView*>()](const QString& pointer,
                                                                        double value) {
    m_views->reveal(whatIf->id());
    whatIf->tryValue(pointer, value);
  };
  connect(m_views->findChild<SearchView*>(), &SearchView::tryRequested, this, tryIt);
  connect(m_issueView, &QTableView::activated, this, &MainWindow::jumpToIssue);
  const auto* run = m_views->findChild<RunView*>();
  connect(run, &RunView::fieldRequested, this, &MainWindow::openField);
  connect(run, &RunView::tryRequested, this, tryIt);
  connect(run, &RunView::whatIfRequested, this,
          [this, id = m_views->findChild<WhatIfView*>()->id()] { m_views->reveal(id); });
  connect(m_issueView, &IssueView::repairRequested, this, [this, network](const QModelIndex& index) {
    if (const IssueModel::Fix* fix = m_issues->fixFor(index)) {
      const IssueModel::Fix now = *fix;  // the model forgets it while it is applied
      m_document.closeStep();
      m_document.edit({}, now.verb, now.edit);
      return m_document.closeStep();
    }
    const graph::Problem* known = m_issues->repairOf(index);
    if (!known) return;
    const graph::Problem problem = *known;  // the model forgets it while it is repaired
    network->repair(problem);
  });
}

}  // namespace nest
