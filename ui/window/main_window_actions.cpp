// The window's commands: what each is called, its keys, and what does it.
#include <QAbstractButton>
#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QTabWidget>
#include <QToolBar>
#include <QVBoxLayout>
#include <cmath>
#include <tuple>

#include "document/file_filters.h"
#include "editors/bound_line.h"
#include "editors/network/network_editor.h"
#include "editors/network/topology_view.h"
#include "editors/scenario_panel.h"
#include "export/launch_dialog.h"
#include "figures/paint/phrases.h"
#include "lessons/lesson_library.h"
#include "lessons/lessons_pane.h"
#include "slides/slides_pane.h"
#include "theme/appearance.h"
#include "views/background_run.h"
#include "window/command_palette.h"
#include "window/figures_export.h"
#include "window/headline.h"
#include "window/lessons_controller.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/presenter.h"
#include "window/report_export.h"
#include "window/sheets.h"
#include "window/view_output.h"
#include "window/views_area.h"
#include "window/window_layout.h"
#include "window/window_theme.h"

namespace nest {
namespace {

constexpr int kMostDevicesInPalette = 2048;
const auto kScaleKey = QStringLiteral("window/scale");

/// The first letter of a menu's name that no other menu has.
QString withMnemonic(QString name, const QMenuBar& bar) {
  QString taken;
  for (const QAction* a : bar.actions())
    if (const auto at = a->text().indexOf(QLatin1Char('&')); at >= 0) taken += a->text().at(at + 1).toLower();
  for (qsizetype i = 0; i < name.size(); ++i)
    if (name.at(i).isLetter() && !taken.contains(name.at(i).toLower()))
      return name.insert(i, QLatin1Char('&'));
  return name;
}

/// Says which step it would take.
void mirrorHistory(QAction* action, const QUndoStack& history, bool undo) {
  action->setEnabled(undo ? history.canUndo() : history.canRedo());
  QObject::connect(&history, undo ? &QUndoStack::canUndoChanged : &QUndoStack::canRedoChanged, action,
                   &QAction::setEnabled);
  QObject::connect(&history, undo ? &QUndoStack::undoTextChanged : &QUndoStack::redoTextChanged, action,
                   [action, word = action->text()](const QString& verb) {
                     action->setText(verb.isEmpty() ? word : QStringLiteral("%1: %2").arg(word, verb));
                   });
}

}  // namespace

void MainWindow::addActions() {
  const auto file = m_actions.menu(tr("File"));
  file("file.new", tr("New plan"), tr("Begin with one sentence: a model, devices, a job"), QKeySequence::New,
       "add", [this] { m_commands->begin(); });
  file("file.open", tr("Open…"),
       tr("Open a scenario, or import a network, model, profile or plan into the current one"),
       QKeySequence::Open, "open", [this] { m_commands->choose(); });
  file("file.samples", tr("Show samples"), tr("Close the scenario and choose a sample"), {}, "gallery",
       [this] { m_commands->close(); });
  file("file.save", tr("Save"), {}, QKeySequence::Save, "save", [this] { m_commands->save(); });
  file("file.saveAs", tr("Save as…"), {}, "Ctrl+Shift+S", {}, [this] { m_commands->saveAs(); });
  file("file.model", tr("Load model…"), tr("Replace the model with one from a Hugging Face config.json"), {},
       {}, [this] { m_commands->chooseModel(); });
  file("file.export", tr("Export all figures…"),
       tr("Export every figure as SVG, PNG and PDF, with plan.json and a summary"), "Ctrl+E", "export",
       [this] { m_export->ask(folderFor(m_document), *m_session->context()); });
  file("file.report", tr("Report…"), tr("Write one page about the plan to send, HTML or PDF"), {}, {},
       [this] { m_report->ask(folderFor(m_document), m_session->context()); });
  file("file.difference", tr("Report on the difference…"),
       tr("Write one page about the two plans that What-if or Compare shows, HTML or PDF"), {}, {},
       [this] { exportDifference(this, folderFor(m_document), *m_views, *m_messages); });
  file("file.close", tr("Close scenario"), {}, QKeySequence::Close, {}, [this] { m_commands->close(); });
  file("file.quit", tr("Quit"), {}, "Ctrl+Q", {}, [this] { close(); });

  const auto edit = m_actions.menu(tr("Edit"));
  QUndoStack& history = m_document.history();
  mirrorHistory(edit("edit.undo", tr("Undo"), {}, QKeySequence::Undo, "undo", [&history] { history.undo(); }),
                history, true);
  mirrorHistory(edit("edit.redo", tr("Redo"), {}, QKeySequence::Redo, "redo", [&history] { history.redo(); }),
                history, false);
  edit("edit.find", tr("Command palette…"), tr("Find commands, fields, stages, layers and devices by name"),
       "Ctrl+Shift+P", "find", [this] { openPalette(); });

  const auto plan = m_actions.menu(tr("Plan"));
  QAction* live = m_actions.add(
      {"plan.live", tr("Plan"), tr("Live"), tr("Re-plan after every edit"), Keys("Ctrl+L"), "live", true},
      {});
  live->setChecked(m_session->isLive());
  connect(live, &QAction::toggled, m_session, &PlanningSession::setLive);
  connect(m_session, &PlanningSession::liveChanged, live, &QAction::setChecked);
  plan("plan.solve", tr("Solve"), tr("Find the best plan for the scenario as it is now"), "F5", "solve",
       [this] { m_session->solve(); });
  plan("plan.cancel", tr("Cancel"), tr("Stop the search and keep the best plan so far"), "Ctrl+.", "cancel",
       [this] { m_session->cancel(); });
  plan("plan.launch", tr("Launch files…"),
       tr("Flags, configuration and host files that run this plan in Megatron-LM and others"), "Ctrl+Shift+L",
       {}, [this] { LaunchDialog(*m_session->context(), this).exec(); });

  addViewActions();

  const auto slides = m_actions.menu(tr("Present"));
  slides("present.keep", tr("Add slide"), tr("Save the current view, plan and selection as a slide"),
         "Ctrl+M", {}, [this] { m_presenter->addSlide(); });
  slides("present.step", tr("Add step"),
         tr("Save what the view shows now as a further step of the last slide"), "Ctrl+Shift+M", {},
         [this] { m_presenter->addStep(-1); });
  slides("present.show", tr("Slides"), tr("Captions and order of the slides"), {}, {},
         [this] { reveal(m_presenter->pane()); });
  slides("present.start", tr("Present from the first slide"),
         tr("Show slides full screen, one at a time (Esc exits)"), "F9", {},
         [this] { m_presenter->start(0); });
  slides("present.from", tr("Present from the selected slide"), {}, "Shift+F9", {},
         [this] { m_presenter->startFromSelected(); });
  slides("present.export", tr("Export slides as PDF…"), tr("One page per slide"), {}, {},
         [this] { m_presenter->exportPdf(); });
  slides("present.export_svg", tr("Export slides as SVG…"), tr("One file per slide"), {}, {},
         [this] { m_presenter->exportSvg(); });
  slides("present.export_page", tr("Export slides as a page…"), tr("One HTML file to send"), {}, {},
         [this] { m_presenter->exportPage(); });

  const auto help = m_actions.menu(tr("Help"));
  help("help.keys", tr("Keyboard shortcuts"), {}, "?", "help",
       [this] { showShortcutSheet(m_actions, this); });
  help("help.lessons", tr("Lessons"), tr("Lessons with questions, and short tours of the program"), {}, {},
       [this] { showLessons(); });
  help("help.words", tr("Glossary"), {}, "F1", {}, [this] { showGlossary(this); });
  help("help.about", tr("About NEST Explorer"), {}, {}, {}, [this] { showAbout(this); });
}

void MainWindow::addViewActions() {
  const auto view = m_actions.menu(tr("View"));
  int number = 1;
  const auto nextKeys = [&number] {
    return number <= 9 ? Keys(qPrintable(QStringLiteral("Ctrl+%1").arg(number++))) : Keys();
  };
  for (View* v : m_views->views()) {
    view("view.show." + v->id(), tr("Show %1").arg(v->title().toLower()), {}, nextKeys(), {},
         [this, id = v->id()] { m_views->enter(id); });
    if (auto* topology = qobject_cast<TopologyView*>(v))
      view("view.show." + topology->editor()->id(), tr("Edit the network"),
           tr("Drawing tools in Topology; again: back to the plan"), nextKeys(), {}, [this, topology] {
             const bool leaves = topology->isInSight() && topology->isEditing();
             m_views->reveal(topology->id());
             topology->setEditing(!leaves);
           });
  }
  const auto panel = [&](const char* id, const QString& text, const char* keys, QDockWidget* dock) {
    view(id, text, {}, keys, {}, [this, dock] {
      if (!m_document.isEmpty()) dock->setVisible(dock->isHidden());
    });
  };
  view("view.nextPane", tr("Next pane"), tr("Panel, views, inspector and what is below, one after the other"),
       "F6", {}, [this] { stepPane(true); });
  view("view.previousPane", tr("Previous pane"), {}, "Shift+F6", {}, [this] { stepPane(false); });
  const auto withCurrent = [this](auto act) {
    return [this, act] {
      if (m_document.isEmpty()) return;
      if (const View* v = m_views->current()) act(v->id());
    };
  };
  view("view.enlarge", tr("Enlarge view"), tr("The active view over all others; again, or Esc: back"),
       "Ctrl+Return", {}, withCurrent([this](const QString& id) { m_views->enlarge(id); }));
  view("view.own", tr("View in its own window"), tr("Again: back into this one"), "Ctrl+Shift+Return", {},
       withCurrent([this](const QString& id) { m_views->setOwnWindow(id, !m_views->hasOwnWindow(id)); }));
  const std::tuple<const char*, QString, const char*, Qt::DockWidgetArea> sides[] = {
      {"view.moveLeft", tr("Move view to the left"), "Ctrl+Alt+Left", Qt::LeftDockWidgetArea},
      {"view.moveRight", tr("Move view to the right"), "Ctrl+Alt+Right", Qt::RightDockWidgetArea},
      {"view.moveTop", tr("Move view to the top"), "Ctrl+Alt+Up", Qt::TopDockWidgetArea},
      {"view.moveBottom", tr("Move view to the bottom"), "Ctrl+Alt+Down", Qt::BottomDockWidgetArea}};
  for (const auto& [id, text, keys, area] : sides)
    view(id, text, tr("The active view gets a place of its own there"), keys, {},
         withCurrent([this, area = area](const QString& v) { m_views->moveTo(v, area); }));
  view("view.close", tr("Close view"), tr("“Show …” brings it back where it was"), "Ctrl+Shift+W", {},
       withCurrent([this](const QString& id) { m_views->closeView(id); }));
  panel("view.panel", tr("Scenario panel"), "Ctrl+B", m_panelDock);
  panel("view.inspector", tr("Inspector"), "F7", m_inspectorDock);
  panel("view.below", tr("Bottom panel"), "F8", m_belowDock);
  view("view.explore", tr("Layout: explore"),
       tr("Network, stages and memory side by side, panels around them"), {}, {},
       [this] { m_layout->explore(); });
  view("view.present", tr("Layout: present"), tr("One view at a time, no panels"), {}, {},
       [this] { m_layout->present(); });
  view("view.teach", tr("Layout: teach"), tr("Stage cuts above the schedule, with the inspector"), {}, {},
       [this] { m_layout->teach(); });
  view("view.mine", tr("Layout: mine"), tr("As “Save layout as mine” kept it"), {}, {},
       [this] { m_layout->mine(); });
  view("view.keepLayout", tr("Save layout as mine"), tr("“Layout: mine” brings it back, in any scenario"), {},
       {}, [this] { m_layout->keepMine(); });
  view("view.restoreLayout", tr("Restore layout"), tr("Views and panels as in a new window of this size"), {},
       {}, [this] { m_layout->restoreUsual(); });
  view("view.full", tr("Full screen"), {}, "F11", {},
       [this] { isFullScreen() ? showNormal() : showFullScreen(); });
  view("view.theme", tr("Switch between light and dark"), {}, "Ctrl+T", "theme",
       [this] { m_theme->toggle(); });
  const auto scaleBy = [this](double by) {
    setWindowScale(by == 0 ? 1 : std::round((windowScale() + by) * 10) / 10);
    m_layout->followSize();
    refreshSentence();
    if (m_options.remembers) QSettings().setValue(kScaleKey, windowScale());
  };
  view("view.larger", tr("Larger type"), tr("Up to 200 % of the usual size"), "Ctrl+=", {},
       [scaleBy] { scaleBy(0.1); });
  view("view.smaller", tr("Smaller type"), tr("Down to 80 % of the usual size"), "Ctrl+-", {},
       [scaleBy] { scaleBy(-0.1); });
  view("view.usualType", tr("Usual size of type"), {}, "Ctrl+0", {}, [scaleBy] { scaleBy(0); });
  view("view.copyImage", tr("Copy view as image"), {}, "Ctrl+Shift+C", "copy",
       [this] { copyFront(*m_views, *m_messages, true); });
  view("view.copyText", tr("Copy view as text"), {}, {}, {},
       [this] { copyFront(*m_views, *m_messages, false); });
  view("view.export", tr("Export view…"), tr("Export the active view as SVG, PDF or PNG"), "Ctrl+Shift+E", {},
       [this] { exportFront(*m_views, *m_messages); });
}

namespace {

/// The menu within the menu of what is chosen one of; nullptr: it stands among the others.
QMenu* groupOf(const QString& id, QMenu& menu) {
  const bool moves = id.startsWith(QLatin1String("view.move"));
  const bool isLayout = QStringList{QStringLiteral("view.explore"),    QStringLiteral("view.present"),
                                    QStringLiteral("view.teach"),      QStringLiteral("view.mine"),
                                    QStringLiteral("view.keepLayout"), QStringLiteral("view.restoreLayout")}
                            .contains(id);
  if (!moves && !isLayout) return nullptr;
  const QString name = moves ? QStringLiteral("moveView") : QStringLiteral("layouts");
  if (auto* there = menu.findChild<QMenu*>(name)) return there;
  QMenu* group = menu.addMenu(moves ? MainWindow::tr("Move view") : MainWindow::tr("Layout"));
  group->setObjectName(name);
  return group;
}

}  // namespace

void MainWindow::buildTop() {
  if (m_options.remembers) m_actions.rememberKeys();
  if (m_options.remembers) setWindowScale(QSettings().value(kScaleKey, 1.0).toDouble());
  auto* top = new QWidget(this);
  auto* column = new QVBoxLayout(top);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* bar = new QMenuBar(top);
  bar->setNativeMenuBar(false);
  QMap<QString, QMenu*> menus;
  for (const auto& entry : m_actions.entries()) {
    QMenu*& menu = menus[entry.spec.group];
    if (!menu) menu = bar->addMenu(withMnemonic(entry.spec.group, *bar));
    for (const char* first :
         {"file.export", "file.quit", "edit.find", "view.nextPane", "view.enlarge", "view.panel",
          "view.explore", "view.theme", "view.copyImage", "present.start", "help.about"})
      if (entry.spec.id == QLatin1String(first)) menu->addSeparator();
    QMenu* group = groupOf(entry.spec.id, *menu);
    (group ? group : menu)->addAction(entry.action);
    if (entry.spec.id == QLatin1String("view.full"))
      connect(menu, &QMenu::aboutToShow, this, &MainWindow::refreshViewMenu);
    if (entry.spec.id == QLatin1String("file.samples")) m_recentMenu = menu->addMenu(tr("Open recent"));
    addAction(entry.action);  // keys work without the menu bar, too
  }
  // Qt opens menus by Alt+letter; F10 is left to the desktop, which need not know of this bar.
  auto* open = new QAction(this);
  open->setShortcut(QKeySequence(Qt::Key_F10));
  connect(open, &QAction::triggered, bar, [bar] {
    bar->setFocus(Qt::MenuBarFocusReason);
    bar->setActiveAction(bar->actions().front());
  });
  addAction(open);
  auto* tools = new QToolBar(bar);
  tools->setIconSize({16, 16});
  tools->setAccessibleName(tr("Tools"));
  for (const char* id : {"file.new", "file.open", "file.save", "edit.undo", "edit.redo", "edit.find"})
    tools->addAction(m_actions.find(QLatin1String(id)));
  bar->setCornerWidget(tools);
  m_headline = new Headline(*m_session, m_actions, top);
  for (QWidget* w : std::initializer_list<QWidget*>{bar, m_headline}) column->addWidget(w);
  setMenuWidget(top);
}

void MainWindow::refreshViewMenu() {
  const auto tick = [this](const QString& id, bool on) {
    QAction* action = m_actions.find(id);
    action->setCheckable(true);
    action->setChecked(on);
  };
  const bool open = !m_document.isEmpty();
  for (const View* v : m_views->views()) tick(QStringLiteral("view.show.") + v->id(), open && v->isInSight());
  tick(QStringLiteral("view.enlarge"), m_views->isEnlarged());
  tick(QStringLiteral("view.panel"), m_panelDock->isVisible());
  tick(QStringLiteral("view.inspector"), m_inspectorDock->isVisible());
  tick(QStringLiteral("view.below"), m_belowDock->isVisible());
  tick(QStringLiteral("view.full"), isFullScreen());
  for (const char* layout : {"explore", "present", "teach", "mine"})
    tick(QStringLiteral("view.") + QLatin1String(layout),
         open && m_layout->current() == QLatin1String(layout));
  m_actions.find(QStringLiteral("view.mine"))->setEnabled(m_layout->hasMine());
}

/// What a button of a view does, with what it says of it in sight.
void MainWindow::press(View& view, QAbstractButton& button) {
  m_views->reveal(view.id());
  for (QWidget* w = &button; w != &view; w = w->parentWidget())
    if (auto* tabs = qobject_cast<QTabWidget*>(w->parentWidget()->parentWidget());
        tabs && tabs->indexOf(w) >= 0)
      tabs->setCurrentWidget(w);
  button.setFocus(Qt::ShortcutFocusReason);
  button.click();
}

void MainWindow::openPalette() {
  std::vector<CommandPalette::Item> items;
  for (const auto& entry : m_actions.entries())
    if (entry.action->isEnabled())
      items.push_back({entry.action->text().remove(QChar(0x2026)),
                       entry.action->shortcut().toString(QKeySequence::NativeText),
                       [a = entry.action] { a->trigger(); }});
  for (const LibraryLesson& lesson : builtInLessons())
    items.push_back({lesson.title(), tr("lesson"), [this, key = lesson.key] { m_lessons->start(key); }});
  for (View* v : m_document.isEmpty() ? std::vector<View*>() : m_views->views())
    for (const BackgroundRun* run : v->findChildren<BackgroundRun*>())
      for (QAbstractButton* b : run->askers())
        if (!b->isHidden())
          items.push_back({tr("%1: %2").arg(v->title(), b->text()), {}, [this, v, b] { press(*v, *b); }});
  const auto addField = [&](const QWidget* w) {
    if (w->objectName().startsWith(QLatin1Char('/')) && w->isEnabled())
      items.push_back({w->accessibleName(), tr("field"), [this, id = w->objectName()] {
                         m_panelDock->show();
                         m_panelDock->raise();
                         m_panel->reveal(id);
                       }});
  };
  for (const auto* w : m_panel->findChildren<BoundLine*>()) addField(w);
  for (const auto* w : m_panel->findChildren<QComboBox*>()) addField(w);
  for (const auto* w : m_panel->findChildren<QCheckBox*>()) addField(w);
  const auto addItem = [&](const QString& text, const QString& kind, const SelectionItem& item) {
    items.push_back({text, kind, [this, item] { m_selection.setSelected(item); }});
  };
  const PlanContext& c = *m_session->context();
  if (const Plan* plan = c.shownPlan())
    for (int s = 0; s < plan->stageCount(); ++s)
      addItem(tr("Stage %1").arg(stageNumber(s)), tr("stage"), {ItemKind::Stage, s});
  if (c.problem) {
    for (int l = 0; l < c.problem->graph->layerCount(); ++l)
      addItem(QString::fromStdString(c.problem->graph->layers[l].name), tr("layer"), {ItemKind::Layer, l});
    const Hierarchy& cluster = *c.problem->cluster;
    for (int d = 0; d < std::min(cluster.deviceCount(), kMostDevicesInPalette); ++d) {
      const DeviceIdentity id = cluster.identity(DeviceIndex(d));
      addItem(tr("Device %1 (%2, slot %3)").arg(d).arg(QString::fromStdString(id.host)).arg(id.slot),
              tr("device"), {ItemKind::Device, d});
    }
  }
  (new CommandPalette(std::move(items), this))->show();
}

}  // namespace nest
