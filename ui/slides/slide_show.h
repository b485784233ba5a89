#pragma once

#include <QWidget>
#include <memory>

#include "document/kept_plans.h"
#include "document/plan_context.h"
#include "theme/theme.h"

class QLabel;

namespace nest {

class SlideRenderer;

/// The slides of a scenario, one at a time over the whole screen. Arrow keys, Space, Page Up and Page Down
/// walk, Home and End jump, Escape leaves. The scenario is as it was when the walk began. A slide is painted
/// in kSlide and enlarged to the screen, so that a projector of any resolution shows the same.
class SlideShow : public QWidget {
  Q_OBJECT
public:
  SlideShow(std::shared_ptr<const Scenario>, PlanContextPtr own, Theme::Kind, QWidget* parent = nullptr);
  ~SlideShow() override;

  int current() const { return m_current; }
  int count() const;
  SlideRenderer* sight() const { return m_renderer.get(); }  ///< nullptr: the scenario has no slides
  double enlargement() const;                                ///< pixels of the window to one of the slide
  QRectF page() const;  ///< where the slide is: in the middle of the window

public Q_SLOTS:
  void showSlide(int);  ///< beyond the ends: stays
  void next() { showSlide(m_current + 1); }
  void back() { showSlide(m_current - 1); }

protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  bool event(QEvent*) override;

private:
  QPointF onPage(const QPointF& inWindow) const;

  std::shared_ptr<const Scenario> m_scenario;
  PlanContextPtr m_own;
  KeptContexts m_contexts;
  Theme::Kind m_theme;
  std::unique_ptr<SlideRenderer> m_renderer;
  int m_current = -1;
  QLabel* m_keys;
};

}  // namespace nest
