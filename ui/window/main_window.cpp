#include "window/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLayout>
#include <QMimeData>
#include <QSettings>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QTabWidget>
#include <QUndoView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "document/carried_selection.h"
#include "editors/network/network_editor.h"
#include "editors/plan_sentence.h"
#include "editors/scenario_panel.h"
#include "figures/paint/phrases.h"
#include "inspector/inspector.h"
#include "lessons/lessons_pane.h"
#include "panes/issue_model.h"
#include "panes/issue_view.h"
#include "panes/log_pane.h"
#include "slides/slides_pane.h"
#include "theme/icon.h"
#include "theme/plain_text.h"
#include "window/figures_export.h"
#include "window/gallery.h"
#include "window/headline.h"
#include "window/lesson_stage.h"
#include "window/lessons_controller.h"
#include "window/message_bar.h"
#include "window/presenter.h"
#include "window/rail.h"
#include "window/report_export.h"
#include "window/views_area.h"
#include "window/window_layout.h"
#include "window/window_theme.h"

namespace nest {
namespace {

const auto kLiveKey = QStringLiteral("plan/live");

/// A drawn network has no fields in the panel.
bool isAboutNetwork(const QString& pointer) {
  return pointer.startsWith(QLatin1String("/cluster/network")) ||
         pointer.startsWith(QLatin1String("/cluster/graph"));
}

QString journalFolder() {
  return QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation))
      .filePath(QStringLiteral("unsaved"));
}

}  // namespace

MainWindow::MainWindow(JobRunner::Solve solve, const WindowOptions& options, QWidget* parent)
    : QMainWindow(parent),
      m_options(options),
      m_files(new ScenarioFiles(m_document, journalFolder(), this)),
      m_session(new PlanningSession(m_document, solve, this)),
      m_theme(new WindowTheme(options.theme, options.remembers, this)),
      m_middle(new QStackedWidget(this)),
      m_gallery(new Gallery(std::move(solve), this)),
      m_views(new ViewsArea({&m_selection, &m_document, m_session}, this)),
      m_sentence(new PlanSentence(m_document, this)),
      m_page(new QWidget(this)),
      m_messages(new MessageBar(this)),
      m_offers(new MessageBar(this)),
      m_protection(new MessageBar(this)) {
  m_offers->setStays(true);
  m_protection->setStays(true);
  m_offers->stackOn(m_messages);
  m_protection->stackOn(m_offers);
  keepTextPlain();
  setWindowIcon(QIcon(QStringLiteral(":/icons/nest.svg")));
  setAcceptDrops(true);
  setDockNestingEnabled(true);
  setDocumentMode(true);
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  m_middle->addWidget(m_gallery);
  auto* column = new QVBoxLayout(m_page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_sentence);
  column->addWidget(m_views, 1);
  m_middle->addWidget(m_page);
  setCentralWidget(m_middle);

  m_commands = new FileCommands(*m_files, m_document, *m_messages, this);
  m_recovery = new Recovery(*m_files, *m_offers, *m_protection, [this] { return m_commands->mayDiscard(); });
  m_presenter = new Presenter({m_document, *m_session, m_selection, *m_views, *m_messages, m_actions}, this);
  m_lessons = new LessonsController({m_document, *m_files, *m_commands, *m_views, *m_messages},
                                    options.remembers, this);
  m_export = new FiguresExport(*m_views, *m_messages, this);
  m_report = new ReportExport(*m_views, *m_messages, this);
  buildDocks();
  addActions();
  m_rail = new Rail(*m_views, {m_panelDock, m_inspectorDock, m_belowDock}, m_actions, this);
  addToolBar(Qt::LeftToolBarArea, m_rail);
  m_layout = std::make_unique<WindowLayout>(
      WindowLayout::Parts{*this, *m_views, *m_panel, m_selection, m_document, m_panelDock, m_inspectorDock,
                          m_belowDock, m_rail, options.remembers && options.onlyView.isEmpty()});
  buildTop();
  m_stage = new LessonStage({*this, m_document, *m_files, *m_commands, *m_session, m_selection, *m_views,
                             *m_layout, *m_headline, *m_messages, m_actions, m_panelDock, m_inspectorDock,
                             m_belowDock, m_lessonsDock});
  m_lessons->setStage(m_stage);
  connectFiles();
  connectSession();
  connectPanels();
  m_commands->fillRecent(*m_recentMenu);
  m_gallery->setRecent(m_files->recent());
  m_layout->restore(options.size);
  if (options.remembers && QSettings().contains(kLiveKey))
    m_session->setLive(QSettings().value(kLiveKey).toBool());
  setFocus(Qt::OtherFocusReason);  // no field or view is marked before the user has chosen one
  if (!options.onlyView.isEmpty()) m_views->showAlone(options.onlyView);
  refreshTheme();
  refreshTitle();
  refreshState();
}

MainWindow::~MainWindow() {
  // The session's last words must not reach widgets that are being taken down.
  m_session->disconnect(this);
  m_document.disconnect(this);
  m_document.history().disconnect(this);
}

QString MainWindow::lastFile() const {
  const QString last = m_files->recent().value(0);
  return QFileInfo::exists(last) ? last : QString();
}

void MainWindow::carrySelection() {
  const PlanContext& c = *m_session->context();
  const bool isFinal = c.current && c.plan && !m_document.isPreviewing();
  if (const auto& item = m_selection.selected(); item && isFinal && !isThere(*item, c))
    m_selection.setSelected(std::nullopt);
  if (!c.problem || c.problem->cluster == m_numbering) return;
  const auto before = std::exchange(m_numbering, c.problem->cluster);
  const auto& selected = m_selection.selected();
  if (!before || !selected) return;
  m_selection.setHovered(std::nullopt);
  m_selection.setSelected(carriedOver(*selected, *before, *m_numbering));
}

QString MainWindow::logText() const {
  return m_log->text();
}

void MainWindow::buildDocks() {
  const auto dock = [this](const QString& name, const QString& title, QWidget* content,
                           Qt::DockWidgetArea area) {
    auto* d = new QDockWidget(title, this);
    d->setObjectName(name);
    d->setWidget(content);
    d->setTitleBarWidget(makeDockTitle(d, content == m_lessons->pane()));  // the rail hides the others
    addDockWidget(area, d);
    return d;
  };
  m_panel = new ScenarioPanel(m_document, this);
  m_panelDock = dock(QStringLiteral("panel"), tr("Scenario"), m_panel, Qt::LeftDockWidgetArea);
  m_lessonsDock = dock(QStringLiteral("lessons"), tr("Lessons"), m_lessons->pane(), Qt::LeftDockWidgetArea);
  tabifyDockWidget(m_panelDock, m_lessonsDock);
  m_lessonsDock->hide();
  m_inspector = new Inspector(m_selection, this);
  connect(&m_selection.exchangePlayer(), &ExchangePlayer::viewWanted, this,
          [this] { m_views->reveal(QStringLiteral("exchange")); });
  m_inspectorDock = dock(QStringLiteral("inspector"), tr("Inspector"), m_inspector, Qt::RightDockWidgetArea);

  m_issues = new IssueModel(this);
  m_issueView = new IssueView(this);
  m_issueView->setModel(m_issues);
  m_issueView->setTabKeyNavigation(false);
  m_issueView->horizontalHeader()->setSectionResizeMode(IssueModel::Message, QHeaderView::Stretch);
  m_issueView->horizontalHeader()->setSectionResizeMode(IssueModel::Remedy, QHeaderView::Stretch);
  for (int column : {IssueModel::Where, IssueModel::Repair})
    m_issueView->horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  auto* history = new QUndoView(&m_document.history(), this);
  history->setEmptyLabel(tr("As opened"));
  history->setAccessibleName(tr("History"));
  m_log = new LogPane(this);
  m_below = new QTabWidget(this);
  m_below->setDocumentMode(true);
  m_below->setAccessibleName(tr("Issues, history, log and slides"));
  m_below->addTab(m_issueView, tr("Issues"));
  m_below->addTab(history, tr("History"));
  m_below->addTab(m_log, tr("Log"));
  m_below->addTab(m_presenter->pane(), tr("Slides"));
  m_belowDock =
      dock(QStringLiteral("below"), tr("Issues, history, log and slides"), m_below, Qt::BottomDockWidgetArea);
  auto* none = new QWidget(m_belowDock);  // its tabs are title enough
  none->setFixedHeight(0);
  m_belowDock->setTitleBarWidget(none);
}

void MainWindow::reveal(QWidget* tabBelow) {
  m_belowDock->show();
  m_below->setCurrentWidget(tabBelow);
  tabBelow->setFocus();
}

void MainWindow::showLessons() {
  m_lessonsDock->show();
  m_lessonsDock->raise();
  m_lessons->pane()->setFocus();
}

void MainWindow::refreshTheme() {
  m_views->setTheme(m_theme->kind());
  m_gallery->setTheme(m_theme->kind());
  m_presenter->setTheme(m_theme->kind());
  refreshIssues();
}

void MainWindow::refreshState() {
  const bool open = !m_document.isEmpty(), panels = open && m_options.onlyView.isEmpty();
  // The views are laid out in the room that the panels leave: in the gallery's they would be torn about.
  if (!open) m_middle->setCurrentWidget(m_gallery);
  m_layout->showPanels(panels);
  m_rail->setVisible(panels);
  refreshSentence();
  if (open && m_middle->currentWidget() != m_page) {
    layout()->activate();
    m_middle->setCurrentWidget(m_page);
  }
  const bool running = m_session->search().running;
  const auto enable = [this](std::initializer_list<const char*> ids, bool on) {
    for (const char* id : ids) m_actions.find(QLatin1String(id))->setEnabled(on);
  };
  enable({"file.save", "file.saveAs", "file.close", "file.model", "file.export", "file.report",
          "file.difference", "present.keep", "present.show", "present.start", "present.from", "view.export",
          "view.copyImage", "view.copyText"},
         open);
  enable({"plan.solve"}, open && !running && !hasErrors(m_session->diagnostics()));
  enable({"plan.cancel"}, running);
  enable({"present.step", "present.export", "present.export_svg", "present.export_page"},
         m_presenter->hasSlides());
}

void MainWindow::refreshTitle() {
  QString title = m_document.displayName();
  if (!title.isEmpty()) title += QStringLiteral("[*] – ");
  setWindowTitle(title + QStringLiteral("NEST Explorer"));
  setWindowModified(m_document.isModified());
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && m_views->bringBack()) return;
  QMainWindow::keyPressEvent(event);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  refreshSentence();
}

void MainWindow::refreshSentence() {
  const bool room = !WindowLayout::isSmallWindow(size()) || m_sentence->isAnyAssumed();
  m_sentence->setVisible(m_options.onlyView.isEmpty() && room && !(m_stage && m_stage->hidesFields()));
}

void MainWindow::refreshIssues() {
  // Notes are no reason to look: what is counted is what is wrong, or may be.
  const int errors = m_issues->errorCount(), bad = errors + m_issues->warningCount();
  m_below->setTabText(0, bad == 0 ? tr("Issues") : tr("Issues (%1)").arg(countText(bad)));
  m_below->setTabIcon(0, errors > 0                     ? themedIcon(QStringLiteral("error"))
                         : m_issues->warningCount() > 0 ? themedIcon(QStringLiteral("warning"))
                                                        : QIcon());
  m_rail->showIssues(errors, m_issues->warningCount());
}

void MainWindow::jumpToIssue(const QModelIndex& index) {
  const auto number = [&](int role) { return index.data(role).toInt(); };
  if (const int stage = number(IssueModel::kStageRole); stage >= 0)
    m_selection.setSelected(SelectionItem{ItemKind::Stage, stage});
  const int node = number(IssueModel::kNodeRole), link = number(IssueModel::kLinkRole);
  const QString pointer = index.siblingAtColumn(0).data(IssueModel::kPointerRole).toString();
  const bool isDrawn = std::holds_alternative<GraphSource>(m_document.scenario().cluster.network);
  const bool isThere = isDrawn && (node >= 0 || link >= 0 || isAboutNetwork(pointer));
  if (auto* network = m_views->findChild<NetworkEditor*>(); isThere && network) {
    m_views->reveal(network->id());
    return network->jumpTo(node, link);
  }
  if (!pointer.isEmpty()) openField(pointer);
}

void MainWindow::openField(const QString& pointer) {
  m_panelDock->show();
  m_panelDock->raise();
  m_panel->reveal(pointer);
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!m_commands->mayDiscard()) return event->ignore();
  m_layout->keepSession();
  m_layout->save();
  if (m_options.remembers) QSettings().setValue(kLiveKey, m_session->isLive());
  m_files->forgetUnsaved();
  event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (!event->mimeData()->hasUrls()) return;
  event->setDropAction(Qt::CopyAction);
  event->accept();
}

void MainWindow::dropEvent(QDropEvent* event) {
  if (!event->mimeData()->hasUrls()) return;
  // Files are read where they lie; a source that was told that they moved would delete them.
  event->setDropAction(Qt::CopyAction);
  event->accept();
  m_commands->drop(*event->mimeData());
}

/// The views in sight as they are read.
std::vector<View*> MainWindow::viewsAsRead() const {
  std::vector<View*> out;
  for (View* view : m_views->views())
    if (view->isInSight() && !view->visibleRegion().isEmpty()) out.push_back(view);
  const auto place = [this](const QWidget* w) { return mapFromGlobal(w->mapToGlobal(QPoint())); };
  std::sort(out.begin(), out.end(), [&](const QWidget* a, const QWidget* b) {
    const QPoint p = place(a), q = place(b);
    // Neighbours begin at nearly the same height: one may have a title above its bar.
    return std::abs(p.y() - q.y()) > 40 ? p.y() < q.y() : p.x() < q.x();
  });
  return out;
}

/// From the sentence and the panel to the views, the inspector and what is below, and round again.
void MainWindow::stepPane(bool next) {
  std::vector<QWidget*> panes;
  const auto add = [&panes](QWidget* pane) {
    if (pane->isVisible() && !pane->visibleRegion().isEmpty()) panes.push_back(pane);
  };
  for (QWidget* pane : std::initializer_list<QWidget*>{m_sentence, m_panel, m_lessons->pane()}) add(pane);
  for (View* view : viewsAsRead()) panes.push_back(view);
  if (panes.empty()) add(m_gallery);
  add(m_inspector);
  add(m_below);
  if (panes.empty()) return;
  const QWidget* focus = QApplication::focusWidget();
  const auto at = std::find_if(panes.begin(), panes.end(), [&](const QWidget* p) {
    return focus && (p == focus || p->isAncestorOf(focus));
  });
  const auto count = static_cast<std::ptrdiff_t>(panes.size());
  const std::ptrdiff_t now = at == panes.end() ? (next ? -1 : 0) : at - panes.begin();
  QWidget* to = panes[(now + (next ? 1 : -1) + count) % count];
  if (auto* view = qobject_cast<View*>(to)) return m_views->enter(view->id());
  QWidget* target = to->focusWidget() && to->focusWidget()->isVisible() ? to->focusWidget() : nullptr;
  for (QWidget* w = to; !target && w; w = w->nextInFocusChain() == to ? nullptr : w->nextInFocusChain())
    if ((w == to || to->isAncestorOf(w)) && (w->focusPolicy() & Qt::TabFocus) && w->isVisibleTo(to) &&
        w->isEnabled() && !w->focusProxy())
      target = w;
  if (target) target->setFocus(Qt::TabFocusReason);
}

/// Tab goes through the window as it is read, whatever stands where: in each part as the part says.
bool MainWindow::focusNextPrevChild(bool next) {
  // Qt takes a dock behind other tabs for visible: it lies there as it is, out of the window's sight.
  const auto takesTab = [this](const QWidget* w) {
    if (!(w->focusPolicy() & Qt::TabFocus) || w->focusProxy() || !w->isEnabled() || !w->isVisibleTo(this) ||
        w->window() != this)
      return false;
    // Where Qt keeps the bar of docks that are not shown.
    if (w->parentWidget() == this && !rect().intersects(w->geometry())) return false;
    for (const QWidget* up = w; up && up != this; up = up->parentWidget())
      if (qobject_cast<const QDockWidget*>(up) && up->visibleRegion().isEmpty()) return false;
    return true;
  };
  std::vector<const QWidget*> parts{menuWidget(), m_rail, m_gallery, m_sentence, m_panelDock, m_lessonsDock};
  for (const View* view : viewsAsRead()) {
    const QLayoutItem* bar = view->layout() ? view->layout()->itemAt(0) : nullptr;  // stands above the rest
    if (bar && bar->widget()) parts.push_back(bar->widget());
    parts.push_back(view);
  }
  for (const QWidget* part : std::initializer_list<const QWidget*>{m_views, m_inspectorDock, m_belowDock})
    parts.push_back(part);
  const auto partOf = [&](const QWidget* w) {
    return std::find_if(parts.begin(), parts.end(),
                        [w](const QWidget* part) { return part == w || part->isAncestorOf(w); }) -
           parts.begin();
  };
  QWidget* const from = focusWidget();
  std::vector<std::pair<std::ptrdiff_t, QWidget*>> stops;
  for (QWidget* w = nextInFocusChain(); w != this; w = w->nextInFocusChain())
    if (w == from || takesTab(w)) stops.emplace_back(partOf(w), w);
  std::stable_sort(stops.begin(), stops.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto count = static_cast<std::ptrdiff_t>(stops.size());
  const auto at =
      std::find_if(stops.begin(), stops.end(), [from](const auto& stop) { return stop.second == from; }) -
      stops.begin();
  const bool isAmong = at < count;
  if (count == 0 || (count == 1 && isAmong)) return false;
  const std::ptrdiff_t to = !isAmong ? (next ? 0 : count - 1) : (at + (next ? 1 : -1) + count) % count;
  stops[to].second->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
  return true;
}

}  // namespace nest
