#pragma once

#include <QObject>
#include <QVariantMap>
#include <functional>
#include <map>
#include <optional>

#include "document/scenario_document.h"
#include "views/view.h"

namespace nest {

class FileCommands;
class LessonsPane;
class PlanningSession;
class ScenarioFiles;
class Selection;
class ViewsArea;

/// Taking a lesson: its sample takes the place of what is open, which comes back when the lesson is left, and
/// with it what was chosen in the views: a lesson begins with their defaults.
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
  /// Both ask where the lesson's scenario was saved to a file and edited since; false: it stays.
  bool start(const QString& lessonId);
  bool leave();

Q_SIGNALS:
  void started(bool teaching);  ///< its sample is open; teaching: in the layout for that
  void ended();                 ///< what was open before is back, or nothing is
  void viewWanted(const QString& id);

private:
  struct Before {
    ScenarioDocument::ParkedDocument document;
    QByteArray known;                        ///< content of its file
    std::map<QString, View::State> choices;  ///< by view
    QVariantMap remembered;                  ///< of them, for the next start of the program
  };
  void comeBack();
  Needs m;
  LessonsPane* m_pane;
  std::optional<Before> m_before;  ///< while one is taken
};

}  // namespace nest
