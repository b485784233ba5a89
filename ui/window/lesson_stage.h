#pragma once

#include <QByteArray>
#include <QObject>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "document/plan_context.h"
#include "lessons/lesson_scene.h"
#include "scenario/scenario.h"

class QDockWidget;
class QMainWindow;

namespace nest {

class ActionRegistry;
class FileCommands;
class Headline;
class LessonPlay;
class MessageBar;
class PlanningSession;
class PointerRing;
class ScenarioDocument;
class ScenarioFiles;
class Selection;
class ViewsArea;
class WindowLayout;

/// What a lesson makes of the window: it opens the case of each step, shows the views that the step has,
/// keeps the answer covered until it is given, refuses other edits than the lesson's, and rings what the step
/// is about. All of it is lifted when the lesson ends.
class LessonStage : public QObject {
  Q_OBJECT
public:
  struct Parts {
    QMainWindow& window;
    ScenarioDocument& document;
    ScenarioFiles& files;
    FileCommands& commands;
    const PlanningSession& session;
    const Selection& selection;
    ViewsArea& views;
    WindowLayout& layout;
    Headline& headline;
    MessageBar& messages;
    ActionRegistry& actions;
    QDockWidget *panel, *inspector, *below, *lessons;
  };
  explicit LessonStage(const Parts&);

  void prepare();           ///< the first scenario of a lesson is about to be opened: that is not an edit
  void begin(LessonPlay*);  ///< its first scenario is open
  void end();               ///< before what was open comes back
  bool isOn() const { return m_play != nullptr; }
  bool hidesFields() const;  ///< nothing of the scenario can be changed now
  void showWhere();          ///< where in the window the step is done
  void check();              ///< whether the step is done

Q_SIGNALS:
  void limitsChanged();

private:
  void follow(bool onwards);
  void openCase(bool onwards);
  void limit();
  void cover();
  void coverAll();
  void point();
  void judgeEdit(bool preview);
  void refuse(const QString& why);
  LessonScene scene() const;
  QRect placeOf(const std::string& point, const QString& view) const;

  Parts m;
  LessonPlay* m_play = nullptr;
  PointerRing* m_ring;
  QTimer m_look;
  PlanContextPtr m_start;  ///< the first plan of the open case
  std::string m_case;      ///< that is open
  Scenario m_given;        ///< as the case has it
  bool m_opening = false;  ///< what changes meanwhile is the lesson's doing
  std::optional<QString> m_refused;
  struct Before;
  std::shared_ptr<Before> m_before;  ///< how the window stood
};

}  // namespace nest
