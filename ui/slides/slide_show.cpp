#include "slides/slide_show.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QSettings>
#include <QShortcut>
#include <QStyle>
#include <QTimer>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "accessible/screen_reader.h"
#include "document/player.h"
#include "slides/slide_edits.h"
#include "slides/slide_morph.h"
#include "slides/slide_renderer.h"
#include "theme/plain_text.h"
#include "theme/tips.h"
#include "views/view.h"

namespace nest {
namespace {
constexpr int kHintMs = 4000;
constexpr int kTypedMs = 3000;         ///< a number that is not ended by then is forgotten
constexpr QSize kThumbnail(256, 144);  ///< in the overview, at least
constexpr QSize kAround(24, 48);       ///< a thumbnail: its caption below it
constexpr double kSpotRadius = 110;    ///< px of the slide
constexpr int kMorphMs = 400;
constexpr std::array<double, SlideShow::kTextSizes> kType{1, 1.25, 1.5};  ///< of what a slide is laid out in
const QString kTextKey = QStringLiteral("slides/text"), kMotionKey = QStringLiteral("slides/motion");

/// As large as all of `count` fit on a screen without scrolling.
QSize thumbnailFor(int count, const QSize& screen) {
  constexpr int kMostColumns = 8, kSpacing = 16, kScrollBar = 24;
  for (int columns = 2; columns < kMostColumns; ++columns) {
    const int width = (screen.width() - kScrollBar) / columns - kAround.width() - kSpacing;
    if (width < kThumbnail.width()) break;
    const int height = width * kThumbnail.height() / kThumbnail.width(),
              rows = (count + columns - 1) / columns;
    if (rows * (height + kAround.height() + kSpacing) <= screen.height()) return {width, height};
  }
  return kThumbnail;
}

}  // namespace

SlideShow::SlideShow(std::shared_ptr<const Scenario> scenario, PlanContextPtr own, Theme::Kind theme,
                     QWidget* parent)
    : QWidget(parent, Qt::Window),
      m_scenario(std::move(scenario)),
      m_own(std::move(own)),
      m_theme(theme),
      m_keys(new QLabel(
          tr("← → to move, Space to play, G all slides, T larger text, B black, L spotlight, P speaker's "
             "window, Esc to exit"),
          this)) {
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
  key({Qt::Key_Right, Qt::Key_Down, Qt::Key_PageDown}, [this] { next(); });
  key({Qt::Key_Space}, [this] { play(); });
  key({Qt::Key_Left, Qt::Key_Up, Qt::Key_Backspace, Qt::Key_PageUp}, [this] { back(); });
  key({Qt::Key_Home}, [this] { showSlide(0); });
  key({Qt::Key_End}, [this] { showSlide(count() - 1); });
  key({Qt::Key_Escape}, [this] { leave(); });
  key({Qt::Key_B, Qt::Key_Period}, [this] { coverWith(Cover::Black); });
  key({Qt::Key_W, Qt::Key_Comma}, [this] { coverWith(Cover::White); });
  key({Qt::Key_G}, [this] { m_overview ? leave() : showOverview(); });
  key({Qt::Key_P}, [this] { Q_EMIT speakerWanted(); });
  key({Qt::Key_T}, [this] { setTextSize((m_textSize + 1) % kTextSizes); });
  key({Qt::Key_M}, [this] { setMoves(!m_moves); });
  key({Qt::Key_L}, [this] {
    m_hasSpotlight = !m_hasSpotlight;
    QToolTip::hideText();
    update();
  });
  m_forgetTyped.setSingleShot(true);
  m_forgetTyped.setInterval(kTypedMs);
  connect(&m_forgetTyped, &QTimer::timeout, this, [this] { m_typed = 0; });
  setFocusPolicy(Qt::StrongFocus);
  m_textSize = std::clamp(QSettings().value(kTextKey, 0).toInt(), 0, kTextSizes - 1);
  m_moves = QSettings().value(kMotionKey, true).toBool();
  m_motion.setStartValue(0.0);
  m_motion.setEndValue(1.0);
  m_motion.setDuration(kMorphMs);
  m_motion.setEasingCurve(QEasingCurve::InOutCubic);
  connect(&m_motion, &QVariantAnimation::valueChanged, this, [this] { update(); });
  connect(&m_motion, &QVariantAnimation::finished, this, &SlideShow::endMove);
  m_begun.start();
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

bool SlideShow::showsOverview() const {
  return m_overview != nullptr;
}

int SlideShow::stepsOf(int slide) const {
  return static_cast<int>(m_scenario->slides[static_cast<std::size_t>(slide)].steps.size());
}

std::unique_ptr<SlideRenderer> SlideShow::rendererOf(int slide, int step) {
  const SavedSlide s =
      atStep(m_scenario->slides[static_cast<std::size_t>(slide)], static_cast<std::size_t>(step));
  return std::make_unique<SlideRenderer>(s, contextOf(s, *m_scenario, m_own, m_contexts), *m_scenario,
                                         m_theme, nullptr, kType[static_cast<std::size_t>(m_textSize)]);
}

void SlideShow::setTextSize(int size) {
  m_textSize = std::clamp(size, 0, kTextSizes - 1);
  QSettings().setValue(kTextKey, m_textSize);
  QToolTip::hideText();
  endMove();
  if (m_current >= 0) m_renderer = rendererOf(m_current, m_step);
  followPlayer();
  update();
  Q_EMIT slideChanged(m_current);
}

void SlideShow::setMoves(bool on) {
  m_moves = on;
  QSettings().setValue(kMotionKey, on);
  if (!on) endMove();
}

QPixmap SlideShow::picture() const {
  const double by = enlargement() * devicePixelRatioF();
  QPixmap out((kSlide * by).toSize());
  out.fill(Theme::of(m_theme).color(Theme::Role::Canvas));
  QPainter painter(&out);
  painter.scale(by, by);
  m_renderer->paint(painter, footOf(*m_scenario, m_current, m_step));
  return out;
}

void SlideShow::moveFrom(const SlideRenderer& before, const QPixmap& was) {
  auto pieces = SlideMorph::shared(before, *m_renderer);
  if (pieces.empty()) return;
  m_morph = std::make_unique<SlideMorph>(was, picture(), std::move(pieces),
                                         Theme::of(m_theme).color(Theme::Role::Canvas));
  m_motion.start();
}

void SlideShow::endMove() {
  m_motion.stop();
  m_morph.reset();
  update();
}

void SlideShow::contextMenuEvent(QContextMenuEvent* e) {
  QMenu menu(this);
  const std::array<QString, kTextSizes> names{tr("Usual text"), tr("Large text"), tr("Largest text")};
  for (int i = 0; i < kTextSizes; ++i) {
    QAction* size = menu.addAction(names[static_cast<std::size_t>(i)], this, [this, i] { setTextSize(i); });
    size->setCheckable(true);
    size->setChecked(i == m_textSize);
  }
  menu.addSeparator();
  QAction* moves = menu.addAction(tr("Move what two slides share"));
  moves->setCheckable(true);
  moves->setChecked(m_moves);
  connect(moves, &QAction::toggled, this, &SlideShow::setMoves);
  menu.exec(e->globalPos());
}

void SlideShow::coverWith(Cover cover) {
  m_cover = m_cover == cover ? Cover::None : cover;
  update();
}

void SlideShow::showOverview() {
  m_cover = Cover::None;
  m_overview = new QListWidget(this);
  m_overview->setAccessibleName(tr("All slides"));
  m_overview->setViewMode(QListView::IconMode);
  m_overview->setMovement(QListView::Static);
  m_overview->setResizeMode(QListView::Adjust);
  const QSize thumbnail = thumbnailFor(count(), size());
  m_overview->setIconSize(thumbnail);
  m_overview->setGridSize(thumbnail + kAround);
  m_overview->setWordWrap(true);
  m_overview->setFrameShape(QFrame::NoFrame);
  m_overview->setSpacing(16);
  for (int i = 0; i < count(); ++i) {
    const SavedSlide& slide = m_scenario->slides[static_cast<std::size_t>(i)];
    const QImage picture =
        thumbnailOf(slide, contextOf(slide, *m_scenario, m_own, m_contexts), *m_scenario, thumbnail, m_theme);
    m_overview->addItem(
        new QListWidgetItem(QPixmap::fromImage(picture),
                            QStringLiteral("%1  %2").arg(i + 1).arg(QString::fromStdString(slide.caption))));
  }
  m_overview->setCurrentRow(m_current);
  const auto choose = [this] {
    const int row = m_overview->currentRow();
    leave();
    showSlide(row);
  };
  connect(m_overview, &QListWidget::itemActivated, this, choose);
  connect(m_overview, &QListWidget::itemClicked, this, choose);
  m_overview->setGeometry(rect());
  m_overview->show();
  m_overview->setFocus();
}

void SlideShow::leave() {
  if (m_overview) {
    m_overview->hide();
    std::exchange(m_overview, nullptr)->deleteLater();
    setFocus();
  } else if (m_cover != Cover::None) {
    coverWith(m_cover);
  } else {
    close();
  }
}

void SlideShow::keyPressEvent(QKeyEvent* e) {
  if (e->text().size() == 1 && e->text()[0].isDigit()) {
    m_typed = std::min(m_typed * 10 + e->text()[0].digitValue(), 9999);
    m_forgetTyped.start();
  } else if ((e->key() == Qt::Key_Return || e->key() == Qt::Key_Enter) && m_typed > 0) {
    showSlide(std::exchange(m_typed, 0) - 1);
  } else {
    QWidget::keyPressEvent(e);
  }
}

void SlideShow::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  endMove();
  const double by = enlargement();
  if (m_overview) m_overview->setGeometry(rect());
  m_keys->setFont(Theme::font(static_cast<int>(11 * by)));
  m_keys->adjustSize();
  const QRectF at = page();
  m_keys->move(QPointF(at.center().x() - m_keys->width() / 2.0, at.bottom() - 26 * by).toPoint());
}

void SlideShow::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (m_cover != Cover::None)
    return painter.fillRect(rect(), m_cover == Cover::Black ? Qt::black : Qt::white);
  painter.fillRect(rect(), Theme::of(m_theme).color(Theme::Role::Canvas));
  if (!m_renderer) return;
  painter.save();
  painter.translate(page().topLeft());
  painter.scale(enlargement(), enlargement());
  if (m_morph)
    m_morph->paint(painter, m_motion.currentValue().toDouble());
  else
    m_renderer->paint(painter, footOf(*m_scenario, m_current, m_step));
  painter.restore();
  if (!m_hasSpotlight) return;
  QPainterPath dim;
  dim.addRect(rect());
  dim.addEllipse(mapFromGlobal(QPointF(QCursor::pos())), kSpotRadius * enlargement(),
                 kSpotRadius * enlargement());
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillPath(dim, QColor(0, 0, 0, 150));
}

void SlideShow::mouseMoveEvent(QMouseEvent* e) {
  if (!m_renderer) return;
  if (m_hasSpotlight) update();
  const auto hit = m_renderer->hit(onPage(e->position()));
  const auto item = hit ? std::optional(hit->item) : std::nullopt;
  if (item == m_renderer->hovered()) return;
  m_renderer->hover(item);
  update();
}

void SlideShow::mouseReleaseEvent(QMouseEvent* e) {
  if (!m_renderer || e->button() != Qt::LeftButton) return;
  if (m_cover != Cover::None) return coverWith(m_cover);
  const auto hit = m_renderer->hit(onPage(e->position()));
  if (!hit) return next();
  m_renderer->select(hit->item);
  update();
}

bool SlideShow::event(QEvent* e) {
  if (e->type() != QEvent::ToolTip || !m_renderer) return QWidget::event(e);
  if (m_hasSpotlight) return true;  // the audience looks at the spot, which a tip would cover
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

void SlideShow::next() {
  if (m_current >= 0 && m_step < stepsOf(m_current)) return showSlide(m_current, m_step + 1);
  if (m_current + 1 < count()) showSlide(m_current + 1);
}

void SlideShow::play() {
  Player* player = m_renderer && m_cover == Cover::None ? m_renderer->player() : nullptr;
  if (!player) return next();
  endMove();
  player->setPlaying(!player->isPlaying());
}

void SlideShow::followPlayer() {
  if (!m_renderer || !m_renderer->player()) return;
  const Selection* selection = &m_renderer->selection();
  connect(selection, &Selection::playheadChanged, this, qOverload<>(&QWidget::update));
  connect(selection, &Selection::exchangeChanged, this, qOverload<>(&QWidget::update));
}

void SlideShow::back() {
  if (m_step > 0) return showSlide(m_current, m_step - 1);
  if (m_current > 0) showSlide(m_current - 1, stepsOf(m_current - 1));
}

void SlideShow::showSlide(int wanted, int step) {
  const int i = std::clamp(wanted, 0, std::max(0, count() - 1));
  if (count() == 0 || (i == m_current && step == m_step)) return;
  // A desktop that is asked for no motion has a style without animations.
  const bool moves = m_moves && m_renderer && isVisible() && m_cover == Cover::None &&
                     std::abs(i - m_current) <= 1 &&
                     style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, this) > 0;
  endMove();
  const QPixmap was = moves ? picture() : QPixmap();
  m_current = i;
  m_step = std::clamp(step, 0, stepsOf(i));
  m_cover = Cover::None;
  const auto before = std::exchange(m_renderer, rendererOf(i, m_step));
  followPlayer();
  if (moves) moveFrom(*before, was);
  setAccessibleDescription(m_renderer->caption());
  QToolTip::hideText();
  update();
  setFocus();
  Q_EMIT slideChanged(i);
}

}  // namespace nest
