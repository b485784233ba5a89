#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QVariantAnimation>
#include <QWidget>
#include <memory>
#include <optional>

#include "document/kept_plans.h"
#include "document/plan_context.h"
#include "theme/theme.h"

class QLabel;
class QListWidget;

namespace nest {

class SlideMorph;
class SlideRenderer;

/// The slides of a scenario, one at a time over the whole screen. Arrow keys, Page Up and Page Down walk over
/// slides and their steps, and so does Space where a slide does not play; one that keeps a playhead it plays,
/// Home and End jump, a number with Enter goes to that slide, G shows all of them, B and W cover the screen
/// in black or white, L dims all but what is round the pointer, T makes text larger, M switches motion on or
/// off, P opens the speaker's window, Escape leaves; the context menu has text and motion, too. A click on
/// what a slide shows selects it, any other goes on. From one slide to the next, what both show moves. The
/// scenario is as it was when the walk began. A slide is painted in kSlide and enlarged to the screen, so
/// that a projector of any resolution shows the same.
class SlideShow : public QWidget {
  Q_OBJECT
public:
  enum class Cover { None, Black, White };

  SlideShow(std::shared_ptr<const Scenario>, PlanContextPtr own, Theme::Kind, QWidget* parent = nullptr);
  ~SlideShow() override;

  int current() const { return m_current; }
  int step() const { return m_step; }  ///< of the slide; 0: as it is at first
  int count() const;
  const Scenario& scenario() const { return *m_scenario; }
  SlideRenderer* sight() const { return m_renderer.get(); }  ///< nullptr: the scenario has no slides
  std::unique_ptr<SlideRenderer> rendererOf(int slide, int step = 0);  ///< another of its slides
  double enlargement() const;  ///< pixels of the window to one of the slide
  QRectF page() const;         ///< where the slide is: in the middle of the window
  Cover cover() const { return m_cover; }
  bool showsOverview() const;
  bool hasSpotlight() const { return m_hasSpotlight; }
  static constexpr int kTextSizes = 3;
  int textSize() const { return m_textSize; }  ///< 0: as laid out; the largest that leaves nothing out
  void setTextSize(int);                       ///< kept for the next time
  bool moves() const { return m_moves; }       ///< from slide to slide, unless the desktop asks for no motion
  void setMoves(bool);                         ///< kept for the next time
  bool isMoving() const { return m_morph != nullptr; }
  qint64 secondsSinceBegin() const { return m_begun.elapsed() / 1000; }

public Q_SLOTS:
  void showSlide(int slide, int step = 0);  ///< beyond the ends: stays
  void next();                              ///< the next step, or the next slide
  void back();
  void play();  ///< what the slide plays, or pauses it; the next slide where it plays nothing

Q_SIGNALS:
  void slideChanged(int slide);  ///< or its step
  void speakerWanted();          ///< the speaker's window, or its end

protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void contextMenuEvent(QContextMenuEvent*) override;
  bool event(QEvent*) override;

private:
  QPointF onPage(const QPointF& inWindow) const;
  void followPlayer();
  void coverWith(Cover);
  void showOverview();
  int stepsOf(int slide) const;
  void leave();  ///< what lies over the slide, or the show
  void moveFrom(const SlideRenderer& before, const QPixmap& picture);
  void endMove();
  QPixmap picture() const;  ///< of the slide, as large as it is shown

  std::shared_ptr<const Scenario> m_scenario;
  PlanContextPtr m_own;
  KeptContexts m_contexts;
  Theme::Kind m_theme;
  std::unique_ptr<SlideRenderer> m_renderer;
  std::unique_ptr<SlideMorph> m_morph;
  QVariantAnimation m_motion;
  int m_textSize = 0;
  bool m_moves = true;
  int m_current = -1, m_step = 0;
  QLabel* m_keys;
  QListWidget* m_overview = nullptr;
  Cover m_cover = Cover::None;
  bool m_hasSpotlight = false;
  int m_typed = 0;  ///< digits so far, 0: none
  QTimer m_forgetTyped;
  QElapsedTimer m_begun;
};

}  // namespace nest
