#include "slides/slide_show.h"

#include <QHelpEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QShortcut>
#include <QTimer>
#include <QToolTip>
#include <algorithm>
#include <utility>

#include "accessible/screen_reader.h"
#include "slides/slide_edits.h"
#include "slides/slide_renderer.h"
#include "theme/plain_text.h"
#include "theme/tips.h"
#include "views/view.h"

namespace nest {
namespace {
constexpr int kHintMs = 4000;
}

SlideShow::SlideShow(std::shared_ptr<const Scenario> scenario, PlanContextPtr own, Theme::Kind theme,
                     QWidget* parent)
    : QWidget(parent, Qt::Window),
      m_scenario(std::move(scenario)),
      m_own(std::move(own)),
      m_theme(theme),
      m_keys(new QLabel(tr("← → to move, Esc to exit"), this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setAttribute(Qt::WA_OpaquePaintEvent);
  makeGraphic(*this, [this] { return m_renderer ? m_renderer->asText() : QString(); });
  setWindowTitle(tr("Slides of %1").arg(QString::fromStdString(m_scenario->name)));
  setAccessibleName(windowTitle());
  setMouseTracking(true);
  m_keys->setObjectName(QStringLiteral("keys"));
  m_keys->setProperty("role", "muted");
  QTimer::singleShot(kHintMs, m_keys, &QWidget::hide);  // who presents knows them by then
  const auto key = [this](std::initializer_list<int> codes, auto run) {
    for (const int k : codes) connect(new QShortcut(QKeySequence(k), this), &QShortcut::activated, this, run);
  };
  key({Qt::Key_Right, Qt::Key_Down, Qt::Key_Space, Qt::Key_PageDown}, [this] { next(); });
  key({Qt::Key_Left, Qt::Key_Up, Qt::Key_Backspace, Qt::Key_PageUp}, [this] { back(); });
  key({Qt::Key_Home}, [this] { showSlide(0); });
  key({Qt::Key_End}, [this] { showSlide(count() - 1); });
  key({Qt::Key_Escape}, [this] { close(); });
  setFocusPolicy(Qt::StrongFocus);
  showSlide(0);
}

SlideShow::~SlideShow() = default;

double SlideShow::enlargement() const {
  return std::max(0.25, std::min(width() / kSlide.width(), height() / kSlide.height()));
}

QRectF SlideShow::page() const {
  const QSizeF size = kSlide * enlargement();
  return {(width() - size.width()) / 2, (height() - size.height()) / 2, size.width(), size.height()};
}

QPointF SlideShow::onPage(const QPointF& inWindow) const {
  return (inWindow - page().topLeft()) / enlargement();
}

void SlideShow::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const double by = enlargement();
  m_keys->setFont(Theme::font(static_cast<int>(11 * by)));
  m_keys->adjustSize();
  const QRectF at = page();
  m_keys->move(QPointF(at.center().x() - m_keys->width() / 2.0, at.bottom() - 26 * by).toPoint());
}

void SlideShow::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), Theme::of(m_theme).color(Theme::Role::Canvas));
  if (!m_renderer) return;
  painter.translate(page().topLeft());
  painter.scale(enlargement(), enlargement());
  m_renderer->paint(painter, footOf(*m_scenario, m_current));
}

void SlideShow::mouseMoveEvent(QMouseEvent* e) {
  if (!m_renderer) return;
  const auto hit = m_renderer->hit(onPage(e->position()));
  const auto item = hit ? std::optional(hit->item) : std::nullopt;
  if (item == m_renderer->hovered()) return;
  m_renderer->hover(item);
  update();
}

void SlideShow::mouseReleaseEvent(QMouseEvent* e) {
  if (!m_renderer || e->button() != Qt::LeftButton) return;
  const auto hit = m_renderer->hit(onPage(e->position()));
  m_renderer->select(hit ? std::optional(hit->item) : std::nullopt);
  update();
}

bool SlideShow::event(QEvent* e) {
  if (e->type() != QEvent::ToolTip || !m_renderer) return QWidget::event(e);
  const auto* help = static_cast<QHelpEvent*>(e);
  if (const auto hit = m_renderer->hit(onPage(help->pos())); hit && !hit->tip.isEmpty()) {
    const QRectF there(page().topLeft() + hit->area.topLeft() * enlargement(),
                       hit->area.size() * enlargement());
    showTip(help->globalPos(), richTip(hit->tip), this, there.toAlignedRect().adjusted(-1, -1, 1, 1));
  } else {
    QToolTip::hideText();
  }
  return true;
}

int SlideShow::count() const {
  return static_cast<int>(m_scenario->slides.size());
}

void SlideShow::showSlide(int wanted) {
  const int i = std::clamp(wanted, 0, std::max(0, count() - 1));
  if (i == m_current || count() == 0) return;
  m_current = i;
  const SavedSlide& slide = m_scenario->slides[i];
  m_renderer = std::make_unique<SlideRenderer>(slide, contextOf(slide, *m_scenario, m_own, m_contexts),
                                               *m_scenario, m_theme);
  setAccessibleDescription(m_renderer->caption());
  QToolTip::hideText();
  update();
  setFocus();
}

}  // namespace nest
