#include "views/play_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "document/playback.h"
#include "figures/paint/phrases.h"
#include "figures/plan/focus.h"
#include "theme/icon.h"
#include "views/chip_box.h"
#include "views/figure_canvas.h"

namespace nest {
namespace {

constexpr int kPlaces = 10000;        ///< of the slider
constexpr double kFarStep = 0.01;     ///< of what is simulated
constexpr int kLeastForSlider = 380;  ///< pixels of the bar
constexpr int kLeastForTime = 520;

}  // namespace

PlayBar::PlayBar(Playback& playback, FigureCanvas& canvas, QWidget* parent)
    : QWidget(parent),
      m_playback(playback),
      m_canvas(canvas),
      m_slider(new QSlider(Qt::Horizontal)),
      m_time(new QLabel),
      m_speed(new ChipBox(tr("Speed"))) {
  setObjectName(QStringLiteral("play_bar"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(10, 1, 6, 1);
  row->setSpacing(4);
  m_play = add(QStringLiteral("play"), tr("Play"), tr("Play or pause (Space)"));
  auto* back = add(QStringLiteral("step-back"), tr("Previous task"),
                   tr("Back to where a task began, of the selected stage if one is (comma)"));
  auto* next = add(QStringLiteral("step-forward"), tr("Next task"),
                   tr("To where a task begins, of the selected stage if one is (period)"));
  m_slider->setRange(0, kPlaces);
  m_slider->setPageStep(kPlaces / 50);
  m_slider->setAccessibleName(tr("Time in the step"));
  row->addWidget(m_slider, 1);
  m_time->setProperty("role", "muted");
  row->addWidget(m_time);
  for (const char* speed : {"0.1", "0.2", "0.5", "1", "2", "5", "10"})
    m_speed->addItem(QString::fromLatin1(speed) + QStringLiteral(" ×"),
                     QString::fromLatin1(speed).toDouble());
  m_speed->setObjectName(QStringLiteral("play_speed"));
  m_speed->setAccessibleName(tr("Speed"));
  row->addWidget(m_speed);
  auto* close = add(QStringLiteral("close"), tr("Hide the playhead"), tr("Hide the playhead (Esc)"));
  connect(m_play, &QToolButton::clicked, this, [this] { m_playback.setPlaying(!m_playback.isPlaying()); });
  connect(back, &QToolButton::clicked, this, [this] { step(false, false); });
  connect(next, &QToolButton::clicked, this, [this] { step(true, false); });
  connect(close, &QToolButton::clicked, this, [this] {
    m_playback.hide();
    m_canvas.setFocus();
  });
  connect(m_slider, &QSlider::valueChanged, this, [this](int place) {
    if (const ScheduleReplay* r = m_playback.replay()) m_playback.moveTo(r->end() * (1.0 * place / kPlaces));
  });
  connect(m_speed, &QComboBox::currentIndexChanged, this,
          [this] { m_playback.setSpeed(m_speed->currentData().toDouble()); });
  connect(&m_playback, &Playback::changed, this, &PlayBar::showDrive);
  connect(&canvas.selection(), &Selection::playheadChanged, this, &PlayBar::showPosition);
  canvas.installEventFilter(this);
  showDrive();
  showPosition();
}

QToolButton* PlayBar::add(const QString& icon, const QString& name, const QString& tip) {
  auto* b = new QToolButton;
  b->setIcon(themedIcon(icon));
  b->setIconSize({14, 14});
  b->setAutoRaise(true);
  b->setAccessibleName(name);
  b->setToolTip(tip);
  layout()->addWidget(b);
  return b;
}

void PlayBar::drive(QToolButton& button) {
  m_button = &button;
  connect(&button, &QToolButton::clicked, this, [this] {
    m_playback.setPlaying(!m_playback.isPlaying());
    m_canvas.setFocus();
  });
  showDrive();
}

void PlayBar::addToMenu(QMenu& menu) {
  menu.addAction(m_playback.isPlaying() ? tr("Pause") : tr("Play"), this,
                 [this] { m_playback.setPlaying(!m_playback.isPlaying()); });
}

void PlayBar::showDrive() {
  const bool plays = m_playback.isPlaying();
  m_play->setIcon(themedIcon(plays ? QStringLiteral("pause") : QStringLiteral("play")));
  m_play->setAccessibleName(plays ? tr("Pause") : tr("Play"));
  if (m_button) m_button->setText(plays ? tr("Pause") : tr("Play"));
  const QSignalBlocker quiet(m_speed);
  for (int i = 0; i < m_speed->count(); ++i)
    if (std::abs(m_speed->itemData(i).toDouble() - m_playback.speed()) < 1e-9) m_speed->setCurrentIndex(i);
  m_speed->setToolTip(
      tr("Speed ([ and ])\nAt 1 × the slowest stage takes %1 s for a microbatch").arg(Playback::kPace));
}

void PlayBar::showPosition() {
  const auto& head = m_canvas.selection().playhead();
  setVisible(head.has_value());
  const ScheduleReplay* r = head ? m_playback.replay() : nullptr;
  if (!r) return;
  const QSignalBlocker quiet(m_slider);
  m_slider->setValue(static_cast<int>(std::lround(kPlaces * (head->at / r->end()))));
  m_time->setText(tr("%1 of %2").arg(timeText(head->at), timeText(r->end())));
  m_time->setMinimumWidth(std::max(m_time->minimumWidth(), m_time->sizeHint().width()));  // the slider rests
}

void PlayBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_slider->setVisible(width() >= kLeastForSlider);
  m_time->setVisible(width() >= kLeastForTime);
}

void PlayBar::step(bool forward, bool far) {
  const Selection& selection = m_canvas.selection();
  const ScheduleReplay* r = m_playback.replay();
  if (far && r && selection.playhead()) {
    m_playback.setPlaying(false);
    return m_playback.moveTo(selection.playhead()->at + r->end() * (forward ? kFarStep : -kFarStep));
  }
  const auto& item = selection.selected();
  auto stage = item ? stageOf(*item, m_canvas.context()) : std::nullopt;
  if (stage && r && *stage >= r->stageCount()) stage.reset();
  m_playback.step(forward, stage);
}

bool PlayBar::typed(const QKeyEvent& e) {
  const auto modifiers = e.modifiers() & ~Qt::KeypadModifier;
  const bool far = modifiers == Qt::ShiftModifier;
  if ((modifiers != Qt::NoModifier && !far) || !m_playback.canPlay()) return false;
  switch (e.key()) {
    case Qt::Key_Space:
      if (!e.isAutoRepeat()) m_playback.setPlaying(!m_playback.isPlaying());
      return true;
    case Qt::Key_Comma:
    case Qt::Key_Less:
      step(false, far);
      return true;
    case Qt::Key_Period:
    case Qt::Key_Greater:
      step(true, far);
      return true;
    case Qt::Key_BracketLeft:
    case Qt::Key_BracketRight:
      m_playback.changeSpeed(e.key() == Qt::Key_BracketRight);
      return true;
    case Qt::Key_Escape:
      if (!m_canvas.selection().playhead() || m_canvas.selection().selected()) return false;
      m_playback.hide();
      return true;
    default:
      return false;
  }
}

bool PlayBar::eventFilter(QObject* watched, QEvent* event) {
  if (watched == &m_canvas && event->type() == QEvent::KeyPress && typed(*static_cast<QKeyEvent*>(event)))
    return true;
  return QWidget::eventFilter(watched, event);
}

}  // namespace nest
