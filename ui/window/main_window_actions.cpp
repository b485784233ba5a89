// The window's commands: what each is called, its keys, and what it does.
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QMenuBar>
#include <QToolBar>
#include <QVBoxLayout>

#include "editors/bound_line.h"
#include "editors/scenario_panel.h"
#include "export/launch_dialog.h"
#include "figures/phrases.h"
#include "inspector/inspector.h"
#include "lessons/lessons_pane.h"
#include "moments/moments_pane.h"
#include "window/command_palette.h"
#include "window/gallery.h"
#include "window/headline.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/sheets.h"
#include "window/views_area.h"

namespace nest {
namespace {

constexpr int kMostDevicesInPalette = 2048;

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

}  // namespace

void MainWindow::addFileActions() {
  m_actions.add({"file.open", tr("File"), tr("Open…"),
                 tr("Open a scenario, or import a network, model, profile or plan into the current one"),
                 QKeySequence::Open, "open"},
                [this] { chooseFile(); });
  m_actions.add({"file.samples",
                 tr("File"),
                 tr("Show samples"),
                 tr("Close the scenario and choose a sample"),
                 {},
                 "gallery"},
                [this] {
                  if (mayDiscard()) showGallery();
                });
  m_actions.add({"file.save", tr("File"), tr("Save"), {}, QKeySequence::Save, "save"}, [this] { save(); });
  m_actions.add(
      {"file.saveAs", tr("File"), tr("Save as…"), {}, QKeySequence(QStringLiteral("Ctrl+Shift+S")), {}},
      [this] { saveAs(); });
  m_actions.add({"file.model",
                 tr("File"),
                 tr("Load model…"),
                 tr("Replace the model with one from a Hugging Face config.json"),
                 {},
                 {}},
                [this] { chooseModel(); });
  m_actions.add({"file.export", tr("File"), tr("Export all figures…"),
                 tr("Export every figure as SVG, PNG and PDF, with plan.json and a summary"),
                 QKeySequence(QStringLiteral("Ctrl+E")), "export"},
                [this] { exportFigures(); });
  m_actions.add({"file.close", tr("File"), tr("Close scenario"), {}, QKeySequence::Close, {}}, [this] {
    if (mayDiscard()) showGallery();
  });
  m_actions.add({"file.quit", tr("File"), tr("Quit"), {}, QKeySequence(QStringLiteral("Ctrl+Q")), {}},
                [this] { close(); });
}

void MainWindow::addEditActions() {
  const auto mirror = [this](QAction* action, bool undo) {
    QUndoStack& history = m_document.history();
    action->setEnabled(undo ? history.canUndo() : history.canRedo());
    connect(&history, undo ? &QUndoStack::canUndoChanged : &QUndoStack::canRedoChanged, action,
            &QAction::setEnabled);
    connect(&history, undo ? &QUndoStack::undoTextChanged : &QUndoStack::redoTextChanged, action,
            [action, undo](const QString& verb) {
              const QString word = undo ? tr("Undo") : tr("Redo");
              action->setText(verb.isEmpty() ? word : QStringLiteral("%1: %2").arg(word, verb));
            });
  };
  mirror(m_actions.add({"edit.undo", tr("Edit"), tr("Undo"), {}, QKeySequence::Undo, "undo"},
                       [this] { m_document.history().undo(); }),
         true);
  mirror(m_actions.add({"edit.redo", tr("Edit"), tr("Redo"), {}, QKeySequence::Redo, "redo"},
                       [this] { m_document.history().redo(); }),
         false);
  m_actions.add({"edit.find", tr("Edit"), tr("Command palette…"),
                 tr("Find commands, fields, stages, layers and devices by name"),
                 QKeySequence(QStringLiteral("Ctrl+Shift+P")), "find"},
                [this] { openPalette(); });
}

void MainWindow::addPlanActions() {
  QAction* live =
      m_actions.add({"plan.live", tr("Plan"), tr("Live"), tr("Re-plan after every edit"),
                     QKeySequence(QStringLiteral("Ctrl+L")), "live", true},
                    [this] { m_session->setLive(m_actions.find(QStringLiteral("plan.live"))->isChecked()); });
  live->setChecked(m_session->isLive());
  connect(m_session, &PlanningSession::liveChanged, live, &QAction::setChecked);
  m_actions.add(
      {"plan.solve", tr("Plan"), tr("Solve"), tr("Find the best plan for the scenario as it is now"),
       QKeySequence(QStringLiteral("F5")), "solve"},
      [this] { m_session->solve(); });
  m_actions.add({"plan.cancel", tr("Plan"), tr("Cancel"), tr("Stop the search and keep the best plan so far"),
                 QKeySequence(QStringLiteral("Ctrl+.")), "cancel"},
                [this] { m_session->cancel(); });
  m_actions.add({"plan.launch",
                 tr("Plan"),
                 tr("Launch files…"),
                 tr("Flags, configuration and host files that run this plan in Megatron-LM and others"),
                 QKeySequence(QStringLiteral("Ctrl+Shift+L")),
                 {}},
                [this] { LaunchDialog(*m_session->context(), this).exec(); });
}

void MainWindow::addViewActions() {
  int number = 1;
  for (const View* view : m_views->views()) {
    const QString id = view->id();
    const QKeySequence keys =
        number <= 9 ? QKeySequence(QStringLiteral("Ctrl+%1").arg(number)) : QKeySequence();
    m_actions.add({"view.show." + id, tr("View"), tr("Show %1").arg(view->title().toLower()), {}, keys, {}},
                  [this, id] { m_views->reveal(id); });
    ++number;
  }
  const auto panel = [this](const char* id, const QString& text, const QString& keys, QDockWidget* dock) {
    m_actions.add({id, tr("View"), text, {}, QKeySequence(keys), {}}, [this, dock] {
      if (!m_document.isEmpty()) dock->setVisible(dock->isHidden());
    });
  };
  panel("view.panel", tr("Show or hide the scenario panel"), QStringLiteral("F6"), m_panelDock);
  panel("view.inspector", tr("Show or hide the inspector"), QStringLiteral("F7"), m_inspectorDock);
  panel("view.below", tr("Bottom panel"), QStringLiteral("F8"), m_belowDock);
  m_actions.add({"view.explore",
                 tr("View"),
                 tr("Layout: explore"),
                 tr("Network, stages and memory side by side, panels around them"),
                 {},
                 {}},
                [this] {
                  m_views->arrangeDefault();
                  for (QDockWidget* d : {m_panelDock, m_inspectorDock, m_belowDock}) d->show();
                });
  m_actions.add(
      {"view.present", tr("View"), tr("Layout: present"), tr("One view at a time, no panels"), {}, {}},
      [this] {
        m_views->arrangeTabbed();
        for (QDockWidget* d : {m_panelDock, m_inspectorDock, m_belowDock}) d->hide();
      });
  m_actions.add({"view.teach",
                 tr("View"),
                 tr("Layout: teach"),
                 tr("Stage cuts above the schedule, with the inspector"),
                 {},
                 {}},
                [this] {
                  m_views->arrangePair(QStringLiteral("cuts"), QStringLiteral("timeline"));
                  for (QDockWidget* d : {m_panelDock, m_belowDock}) d->hide();
                  m_inspectorDock->show();
                });
  m_actions.add({"view.full", tr("View"), tr("Full screen"), {}, QKeySequence(QStringLiteral("F11")), {}},
                [this] { isFullScreen() ? showNormal() : showFullScreen(); });
  m_actions.add({"view.theme",
                 tr("View"),
                 tr("Switch between light and dark"),
                 {},
                 QKeySequence(QStringLiteral("Ctrl+T")),
                 "theme"},
                [this] { setTheme(m_theme == Theme::Kind::Dark ? Theme::Kind::Light : Theme::Kind::Dark); });
  m_actions.add({"view.copyImage",
                 tr("View"),
                 tr("Copy view as image"),
                 {},
                 QKeySequence(QStringLiteral("Ctrl+Shift+C")),
                 "copy"},
                [this] { copyView(true); });
  m_actions.add({"view.copyText", tr("View"), tr("Copy view as text"), {}, {}, {}},
                [this] { copyView(false); });
  m_actions.add({"view.export",
                 tr("View"),
                 tr("Export view…"),
                 tr("Export the active view as SVG, PDF or PNG"),
                 QKeySequence(QStringLiteral("Ctrl+Shift+E")),
                 {}},
                [this] { exportView(); });
}

void MainWindow::addPresentActions() {
  const QString group = tr("Present");
  m_actions.add({"present.keep",
                 group,
                 tr("Add slide"),
                 tr("Save the current view, plan and selection as a slide"),
                 QKeySequence(QStringLiteral("Ctrl+M")),
                 {}},
                [this] { keepMomentInFront(); });
  m_actions.add({"present.show", group, tr("Slides"), tr("Captions and order of the slides"), {}, {}},
                [this] {
                  m_belowDock->show();
                  m_below->setCurrentWidget(m_moments);
                  m_moments->setFocus();
                });
  m_actions.add({"present.start",
                 group,
                 tr("Present from the first slide"),
                 tr("Show slides full screen, one at a time (Esc exits)"),
                 QKeySequence(QStringLiteral("F9")),
                 {}},
                [this] { present(0); });
  m_actions.add({"present.from",
                 group,
                 tr("Present from the selected slide"),
                 {},
                 QKeySequence(QStringLiteral("Shift+F9")),
                 {}},
                [this] { present(std::max(0, m_moments->current())); });
  m_actions.add({"present.export", group, tr("Export slides as PDF…"), tr("One page per slide"), {}, {}},
                [this] { exportMoments(); });
}

void MainWindow::addHelpActions() {
  m_actions.add(
      {"help.keys", tr("Help"), tr("Keyboard shortcuts"), {}, QKeySequence(QStringLiteral("?")), "help"},
      [this] { showShortcutSheet(m_actions, this); });
  m_actions.add(
      {"help.lessons", tr("Help"), tr("Lessons"), tr("Short guided tours, each with its own sample"), {}, {}},
      [this] { showLessons(); });
  m_actions.add({"help.words", tr("Help"), tr("Glossary"), {}, QKeySequence(QStringLiteral("F1")), {}},
                [this] { showGlossary(this); });
  m_actions.add({"help.about", tr("Help"), tr("About NEST Explorer"), {}, {}, {}},
                [this] { showAbout(this); });
}

void MainWindow::buildMenus() {
  if (m_options.remembers) m_actions.rememberKeys();
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
    for (const char* first : {"file.export", "file.quit", "edit.find", "view.panel", "view.explore",
                              "view.theme", "view.copyImage", "present.start", "help.about"})
      if (entry.spec.id == QLatin1String(first)) menu->addSeparator();
    menu->addAction(entry.action);
    if (entry.spec.id == QLatin1String("file.samples")) m_recentMenu = menu->addMenu(tr("Open recent"));
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
  for (const char* id : {"file.open", "file.save", "edit.undo", "edit.redo", "edit.find", "file.export",
                         "view.theme", "help.keys"})
    tools->addAction(m_actions.find(QLatin1String(id)));
  bar->setCornerWidget(tools);
  m_headline = new Headline(*m_session, m_actions, top);
  for (const QDockWidget* d : {m_panelDock, m_inspectorDock})
    connect(d, &QDockWidget::visibilityChanged, this, &MainWindow::refreshWaysBack);
  m_messages = new MessageBar(top);
  m_recovery = new MessageBar(top);
  m_protection = new MessageBar(top);
  column->addWidget(bar);
  column->addWidget(m_headline);
  column->addWidget(m_protection);
  column->addWidget(m_recovery);
  column->addWidget(m_messages);
  setMenuWidget(top);
  for (const auto& entry : m_actions.entries())
    addAction(entry.action);  // keys work without the menu bar, too
}

void MainWindow::openPalette() {
  std::vector<CommandPalette::Item> items;
  for (const auto& entry : m_actions.entries())
    if (entry.action->isEnabled())
      items.push_back({entry.action->text().remove(QChar(0x2026)),
                       entry.action->shortcut().toString(QKeySequence::NativeText),
                       [a = entry.action] { a->trigger(); }});
  for (const Lesson& lesson : lessons())
    items.push_back({lesson.title, tr("lesson"), [this, id = lesson.id] { startLesson(id); }});
  const auto addField = [&](const QWidget* w) {
    if (w->objectName().startsWith(QLatin1Char('/')) && w->isEnabled())
      items.push_back({w->accessibleName(), tr("field"), [this, id = w->objectName()] {
                         m_panelDock->show();
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
      addItem(QString::fromStdString(c.problem->graph->layers[static_cast<std::size_t>(l)].name), tr("layer"),
              {ItemKind::Layer, l});
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
