#include "window/lessons_controller.h"

#include <QSettings>
#include <algorithm>
#include <utility>

#include "document/planning_session.h"
#include "document/scenario_files.h"
#include "lessons/lessons_pane.h"
#include "views/figure_view.h"
#include "views/search/search_view.h"
#include "window/file_commands.h"
#include "window/views_area.h"

namespace nest {
namespace {

const auto kRemembered = QStringLiteral("views");  ///< group of the settings

/// What a view shows before anything was chosen in it; empty of views that lessons leave alone.
View::State defaultsOf(const View& view) {
  if (const auto* figure = qobject_cast<const FigureView*>(&view)) return figure->defaults();
  if (const auto* search = qobject_cast<const SearchView*>(&view)) return search->defaults();
  return {};
}

std::map<QString, View::State> choicesOf(const ViewsArea& views) {
  std::map<QString, View::State> all;
  for (const View* view : views.views()) {
    const View::State defaults = defaultsOf(*view);
    View::State state = view->state();
    std::erase_if(state, [&](const auto& entry) { return !defaults.contains(entry.first); });
    if (!defaults.empty()) all[view->id()] = std::move(state);
  }
  return all;
}

QVariantMap rememberedChoices() {
  QSettings settings;
  settings.beginGroup(kRemembered);
  QVariantMap all;
  for (const QString& key : settings.allKeys()) all[key] = settings.value(key);
  return all;
}

void remember(const QVariantMap& choices) {
  QSettings settings;
  settings.beginGroup(kRemembered);
  settings.remove(QString());
  for (auto it = choices.begin(); it != choices.end(); ++it) settings.setValue(it.key(), it.value());
}

}  // namespace

LessonsController::LessonsController(const Needs& needs, bool remembers, QWidget* window)
    : QObject(window), m(needs) {
  const auto scene = [this] {
    return TourScene{&m.document, &m.selection, m.session.context(), nullptr,
                     [this](const QString& id) { return m.views.view(id); }};
  };
  m_pane = new LessonsPane(scene, remembers, window);
  connect(m_pane, &LessonsPane::startRequested, this, &LessonsController::start, Qt::QueuedConnection);
  connect(m_pane, &LessonsPane::leaveRequested, this, &LessonsController::leave);
  connect(m_pane, &LessonsPane::viewRequested, this, &LessonsController::viewWanted);
  // It is the user's own that may be lost.
  connect(&m.commands, &FileCommands::discarding, this, [this] {
    if (m_before) comeBack();
  });
}

bool LessonsController::start(const QString& id) {
  const auto it = std::find_if(tours().begin(), tours().end(), [&](const Tour& l) { return l.id == id; });
  if (it == tours().end() || (m_before && !m.commands.mayLetGo())) return false;
  const auto before = m_before.value_or(
      Before{m.document.setAside(), m.files.known(), choicesOf(m.views), rememberedChoices()});
  m.files.setAside();
  if (!m.commands.open({it->sample})) return false;
  m_before = before;
  m.document.beScratch();
  for (View* view : m.views.views())
    if (const View::State defaults = defaultsOf(*view); !defaults.empty()) view->setState(defaults);
  Q_EMIT started(it->arrange == QLatin1String("teach"));
  m_pane->begin(id);
  return true;
}

bool LessonsController::leave() {
  if (m_before && !m.commands.mayLetGo()) return false;
  comeBack();
  return true;
}

void LessonsController::comeBack() {
  m_pane->endLesson();
  const auto before = std::exchange(m_before, std::nullopt);
  if (!before) return;
  m.files.resume(before->document, before->known);
  for (View* view : m.views.views())
    if (const auto it = before->choices.find(view->id()); it != before->choices.end())
      view->setState(it->second);
  remember(before->remembered);
  Q_EMIT ended();
}

}  // namespace nest
