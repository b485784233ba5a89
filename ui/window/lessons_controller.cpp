#include "window/lessons_controller.h"

#include <algorithm>
#include <utility>

#include "document/planning_session.h"
#include "document/scenario_files.h"
#include "lessons/lessons_pane.h"
#include "window/file_commands.h"
#include "window/views_area.h"

namespace nest {

LessonsController::LessonsController(const Needs& needs, bool remembers, QWidget* window)
    : QObject(window), m(needs) {
  const auto scene = [this] {
    return LessonScene{&m.document, &m.selection, m.session.context(), nullptr,
                       [this](const QString& id) { return m.views.view(id); }};
  };
  m_pane = new LessonsPane(scene, remembers, window);
  connect(m_pane, &LessonsPane::startRequested, this, &LessonsController::start, Qt::QueuedConnection);
  connect(m_pane, &LessonsPane::leaveRequested, this, &LessonsController::leave);
  connect(m_pane, &LessonsPane::viewRequested, this, &LessonsController::viewWanted);
  // It is the user's own that may be lost.
  connect(&m.commands, &FileCommands::discarding, this, [this] {
    if (m_before) leave();
  });
}

void LessonsController::start(const QString& id) {
  const auto it =
      std::find_if(lessons().begin(), lessons().end(), [&](const Lesson& l) { return l.id == id; });
  if (it == lessons().end()) return;
  const auto before = m_before.value_or(Before{m.document.setAside(), m.files.known()});
  if (!m.commands.open({it->sample})) return;
  m_before = before;
  m.document.beScratch();
  Q_EMIT started(it->arrange == QLatin1String("teach"));
  m_pane->begin(id);
}

void LessonsController::leave() {
  m_pane->showList();
  if (const auto before = std::exchange(m_before, std::nullopt))
    m.files.resume(before->document, before->known);
}

}  // namespace nest
