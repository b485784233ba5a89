#pragma once

#include <QObject>

#include "theme/theme.h"

namespace nest {

class ActionRegistry;
class MessageBar;
class SlideShow;
class SlidesPane;
class PlanningSession;
class ScenarioDocument;
class Selection;
class View;
class ViewsArea;

/// Slides: adding the view in front as one, showing them full screen, writing them as a PDF.
class Presenter : public QObject {
  Q_OBJECT
public:
  struct Needs {
    ScenarioDocument& document;
    const PlanningSession& session;
    const Selection& selection;
    const ViewsArea& views;
    MessageBar& messages;
    const ActionRegistry& actions;
  };
  Presenter(const Needs&, QWidget* window);

  SlidesPane* pane() const { return m_pane; }
  void setTheme(Theme::Kind);
  bool hasSlides() const;

  void addSlide();
  void start(int from);
  void startFromSelected();
  void exportPdf();
  void exportSvg();
  void exportPage();
  void addStep(int slide);  ///< of the front view; below 0: to the last slide

Q_SIGNALS:
  void paneWanted();  ///< the user asks for the list of slides

private:
  void sayNone();
  void toggleSpeaker(SlideShow*);

  Needs m;
  QWidget* m_window;
  SlidesPane* m_pane;
  Theme::Kind m_theme = Theme::Kind::Light;
  std::size_t m_saidAdded = 0;  ///< slides there were when a message said that one had been added
};

}  // namespace nest
