#include "moments/moment_sight.h"

#include <QPainter>
#include <QPixmap>
#include <algorithm>
#include <utility>

#include "figures/figure.h"
#include "moments/moment_edits.h"
#include "views/registry.h"
#include "views/view.h"

namespace nest {
namespace {

/// Something is picked out, or a part enlarged: on paper, too, it is this that is meant.
bool pointsAtSomething(const SavedMoment& m) {
  if (m.selected) return true;
  const auto differs = [&](const char* key) { return numberIn(m.state, key, 1) != 1; };
  return differs("zoom") || differs("span");
}

}  // namespace

MomentSight::MomentSight(const SavedMoment& moment, PlanContextPtr context, const Scenario& scenario,
                         Theme::Kind theme, QWidget* parent)
    : m_moment(moment), m_context(std::move(context)), m_theme(theme) {
  Scenario own = m_context->scenario ? *m_context->scenario : scenario;
  own.keptPlans = scenario.keptPlans;
  m_document.reset(std::move(own), {});
  m_selection.setSelected(selectedIn(m_moment));
  const ViewPlace place = placeOf(QString::fromStdString(m_moment.view), m_moment.state);
  for (const ViewEntry& entry : viewRegistry())
    if (entry.id == place.view) m_view = entry.make({&m_selection, &m_document, nullptr}, parent);
  if (!m_view) return;
  m_view->setTheme(theme);
  KeptContexts contexts;
  m_view->setState(place.state);
  if (auto beside = besideOf(m_moment, m_context, scenario, contexts); !beside.empty())
    m_view->showBeside(std::move(beside));
  if (m_moment.study) m_view->showStudy(*m_moment.study);
  m_view->showBare();
  m_view->setContext(m_context);
}

MomentSight::~MomentSight() {
  delete m_view;
}

QString MomentSight::caption() const {
  return QString::fromStdString(m_moment.caption);
}

void MomentSight::paint(QPainter& painter, const QRectF& area) const {
  if (!m_view) return;
  if (!m_view->isVisible()) {  // a view works out what it shows when it comes into sight
    m_view->setAttribute(Qt::WA_DontShowOnScreen);
    m_view->resize(area.size().toSize());
    m_view->show();
  }
  if (const Figure* figure = m_view->figure()) {
    FigureStyle style;
    style.theme = &Theme::of(m_theme);
    style.standalone = m_theme == Theme::Kind::Print && !pointsAtSomething(m_moment);
    style.selected = m_selection.selected();
    figure->paint(painter, area, *m_context, style);
    return;
  }
  const QPixmap picture = m_view->grab();
  const QSizeF size = QSizeF(picture.deviceIndependentSize()).scaled(area.size(), Qt::KeepAspectRatio);
  painter.drawPixmap(QRectF(area.topLeft(), size), picture, QRectF(QPointF(), picture.size()));
}

QImage thumbnailOf(const SavedMoment& moment, const PlanContextPtr& context, const Scenario& scenario,
                   const QSize& size, Theme::Kind theme) {
  constexpr double kLayoutWidth = 800;  // laid out larger than shown: labels as on the real figure
  const double scale = size.width() / kLayoutWidth;
  QImage image(size, QImage::Format_RGB32);
  image.fill(Theme::of(theme).color(Theme::Role::Canvas));
  QPainter painter(&image);
  painter.setRenderHint(QPainter::SmoothPixmapTransform);
  painter.scale(scale, scale);
  MomentSight(moment, context, scenario, theme, nullptr)
      .paint(painter, QRectF(0, 0, kLayoutWidth, size.height() / scale));
  return image;
}

}  // namespace nest
