#include "views/plan_banner.h"

#include <QPainter>
#include <cmath>

#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"

namespace nest {

PlanBanner::PlanBanner(QWidget* parent)
    : QWidget(parent), m_context(std::make_shared<PlanContext>()), m_theme(&Theme::of(Theme::Kind::Light)) {
  QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  hide();
}

void PlanBanner::show(const PlanContextPtr& context, const Theme& theme) {
  m_context = context;
  m_theme = &theme;
  const QString text = bannerOf(*context, false);
  setAccessibleName(text);
  setVisible(!text.isEmpty());
  updateGeometry();
  update();
}

int PlanBanner::heightForWidth(int width) const {
  return static_cast<int>(std::ceil(bannerHeight(bannerOf(*m_context, false), width)));
}

/// Layouts within splitters and stacks do not ask for the height of a width.
void PlanBanner::resizeEvent(QResizeEvent*) {
  if (height() != heightForWidth(width())) updateGeometry();
}

void PlanBanner::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  FigureStyle style;
  style.theme = m_theme;
  FigurePainter ink(painter, style);
  paintBanner(ink, rect(), *m_context);
}

}  // namespace nest
