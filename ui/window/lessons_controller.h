#pragma once

#include <QObject>
#include <QVariantMap>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "diagnostics/diagnostic.h"
#include "document/scenario_document.h"
#include "lessons/lesson_record.h"
#include "views/view.h"

namespace nest {

class FileCommands;
class LessonPlay;
class LessonStage;
class LessonsPane;
class MessageBar;
class PlanningSession;
class ScenarioFiles;
class Selection;
class ViewsArea;
struct LibraryLesson;

/// Taking a lesson: its scenario takes the place of what is open, which comes back when the lesson is left,
/// and with it what was chosen in the views: a lesson begins with their defaults.
class LessonsController : public QObject {
  Q_OBJECT
public:
  struct Needs {
    ScenarioDocument& document;
    ScenarioFiles& files;
    FileCommands& commands;
    const ViewsArea& views;
    MessageBar& messages;
  };
  LessonsController(const Needs&, bool remembers, QWidget* window);
  ~LessonsController() override;
  /// What a lesson makes of the window; once the window is whole.
  void setStage(LessonStage*);

  LessonsPane* pane() const { return m_pane; }
  const LessonRecord& record() const { return m_record; }
  /// A built-in lesson by its id, or a file; of a folder the lessons are listed. It goes on where it was
  /// left. False: it stays as it is, and why was said; both ask where the lesson's scenario was saved to a
  /// file and edited since.
  bool start(const QString& key);
  bool leave();

Q_SIGNALS:
  void started();     ///< its scenario is open
  void listWanted();  ///< a folder was opened
  void ended();       ///< what was open before is back, or nothing is

private:
  struct Before {
    ScenarioDocument::ParkedDocument document;
    QByteArray known;                        ///< content of its file
    std::map<QString, View::State> choices;  ///< by view
    QVariantMap remembered;                  ///< of them, for the next start of the program
  };
  bool listFolder(const QString& path);
  void restart();
  void choose();
  void saveAnswers();
  void comeBack();
  void fail(const QString& title, const Diagnostics&);

  Needs m;
  LessonRecord m_record;
  LessonsPane* m_pane;
  LessonStage* m_stage = nullptr;
  std::unique_ptr<LessonPlay> m_play;
  std::optional<Before> m_before;  ///< while one is taken
  QWidget* m_window;
};

}  // namespace nest
