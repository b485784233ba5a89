#pragma once

#include <QObject>
#include <functional>
#include <optional>

#include "document/scenario_document.h"

namespace nest {

class FileCommands;
class LessonsPane;
class PlanningSession;
class ScenarioFiles;
class Selection;
class ViewsArea;

/// Taking a lesson: its sample takes the place of what is open, which comes back when the lesson is left.
class LessonsController : public QObject {
  Q_OBJECT
public:
  struct Needs {
    ScenarioDocument& document;
    ScenarioFiles& files;
    FileCommands& commands;
    const Selection& selection;
    const PlanningSession& session;
    const ViewsArea& views;
  };
  LessonsController(const Needs&, bool remembers, QWidget* window);

  LessonsPane* pane() const { return m_pane; }
  void start(const QString& lessonId);
  void leave();

Q_SIGNALS:
  void started(bool teaching);  ///< its sample is open; teaching: in the layout for that
  void viewWanted(const QString& id);

private:
  struct Before {
    ScenarioDocument::SetAside document;
    QByteArray known;  ///< content of its file
  };
  Needs m;
  LessonsPane* m_pane;
  std::optional<Before> m_before;  ///< while one is taken
};

}  // namespace nest
