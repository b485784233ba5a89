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

PlayWords PlayBar::ofSchedule() {
  return {tr("task"),
          tr("To where a task begins, of the selected stage if one is (period)"),
          tr("Back to where a task began, of the selected stage if one is (comma)"),
          tr("Time in the step"),
          tr("At 1 × the slowest stage takes %1 s for a microbatch").arg(Playback::kPace),
          tr("Hide the playhead")};
}

PlayWords PlayBar::ofExchange() {
  return {tr("step"),
          tr("To where the next step begins (period)"),
          tr("Back to where a step began (comma)"),
          tr("Time in the exchange"),
          tr("At 1 × the exchange takes %1 s").arg(ExchangePlayer::kWhole),
          tr("Stop showing the exchange")};
}

PlayBar::PlayBar(Player& player, const PlayWords& words, FigureCanvas& canvas, QWidget* parent)
    : QWidget(parent),
      m_player(player),
      m_pace(words.pace),
      m_canvas(canvas),
      m_slider(new QSlider(Qt::Horizontal)),
      m_time(new QLabel),
      m_speed(new ChipBox(tr("Speed"))) {
  setObjectName(QStringLiteral("play_bar"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(10, 1, 6, 1);
  row->setSpacing(4);
  m_play = add(QStringLiteral("play"), tr("Play"), tr("Play or pause (Space)"));
  auto* back = add(QStringLiteral("step-back"), tr("Previous %1").arg(words.event), words.backTip);
  auto* next = add(QStringLiteral("step-forward"), tr("Next %1").arg(words.event), words.eventTip);
  m_slider->setRange(0, kPlaces);
  m_slider->setPageStep(kPlaces / 50);
  m_slider->setAccessibleName(words.slider);
  row->addWidget(m_slider, 1);
  m_time->setProperty("role", "muted");
  row->addWidget(m_time);
  for (const char* speed : {"0.1", "0.2", "0.5", "1", "2", "5", "10"})
    m_speed->addItem(QString::fromLatin1(speed) + QStringLiteral(" ×"),
                     QString::fromLatin1(speed).toDouble());
  m_speed->setObjectName(QStringLiteral("play_speed"));
  m_speed->setAccessibleName(tr("Speed"));
  row->addWidget(m_speed);
  auto* close = add(QStringLiteral("close"), words.hide, tr("%1 (Esc)").arg(words.hide));
  connect(m_play, &QToolButton::clicked, this, [this] { m_player.setPlaying(!m_player.isPlaying()); });
  connect(back, &QToolButton::clicked, this, [this] { step(false, false); });
  connect(next, &QToolButton::clicked, this, [this] { step(true, false); });
  connect(close, &QToolButton::clicked, this, [this] {
    m_player.hide();
    m_canvas.setFocus();
  });
  connect(m_slider, &QSlider::valueChanged, this,
          [this](int place) { m_player.moveTo(m_player.end() * (1.0 * place / kPlaces)); });
  connect(m_speed, &QComboBox::currentIndexChanged, this,
          [this] { m_player.setSpeed(m_speed->currentData().toDouble()); });
  connect(&m_player, &Player::changed, this, &PlayBar::showDrive);
  connect(&m_player, &Player::changed, this, &PlayBar::showPosition);
  connect(&canvas.selection(), &Selection::playheadChanged, this, &PlayBar::showPosition);
  connect(&canvas.selection(), &Selection::exchangeChanged, this, &PlayBar::showPosition);
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
    m_player.setPlaying(!m_player.isPlaying());
    m_canvas.setFocus();
  });
  showDrive();
}

void PlayBar::addToMenu(QMenu& menu) {
  menu.addAction(m_player.isPlaying() ? tr("Pause") : tr("Play"), this,
                 [this] { m_player.setPlaying(!m_player.isPlaying()); });
}

void PlayBar::showDrive() {
  const bool plays = m_player.isPlaying();
  m_play->setIcon(themedIcon(plays ? QStringLiteral("pause") : QStringLiteral("play")));
  m_play->setAccessibleName(plays ? tr("Pause") : tr("Play"));
  if (m_button) m_button->setText(plays ? tr("Pause") : tr("Play"));
  const QSignalBlocker quiet(m_speed);
  for (int i = 0; i < m_speed->count(); ++i)
    if (std::abs(m_speed->itemData(i).toDouble() - m_player.speed()) < 1e-9) m_speed->setCurrentIndex(i);
  m_speed->setToolTip(tr("Speed ([ and ])") + u'\n' + m_pace);
}

void PlayBar::showPosition() {
  const auto at = m_player.position();
  setVisible(at.has_value() || m_player.isAwaited());
  if (m_player.isAwaited()) m_time->setText(tr("Simulating the schedule …"));
  if (!at || !m_player.canPlay()) return;
  const QSignalBlocker quiet(m_slider);
  m_slider->setValue(static_cast<int>(std::lround(kPlaces * (*at / m_player.end()))));
  m_time->setText(tr("%1 of %2").arg(timeText(*at), timeText(m_player.end())));
  m_time->setMinimumWidth(std::max(m_time->minimumWidth(), m_time->sizeHint().width()));  // the slider rests
}

void PlayBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_slider->setVisible(width() >= kLeastForSlider);
  m_time->setVisible(width() >= kLeastForTime);
}

void PlayBar::step(bool forward, bool far) {
  const Selection& selection = m_canvas.selection();
  if (const auto at = m_player.position(); far && at && m_player.canPlay()) {
    m_player.setPlaying(false);
    return m_player.moveTo(*at + m_player.end() * (forward ? kFarStep : -kFarStep));
  }
  const auto& item = selection.selected();
  m_player.step(forward, item ? stageOf(*item, m_canvas.context()) : std::nullopt);
}

bool PlayBar::typed(const QKeyEvent& e) {
  const auto modifiers = e.modifiers() & ~Qt::KeypadModifier;
  const bool far = modifiers == Qt::ShiftModifier;
  if ((modifiers != Qt::NoModifier && !far) || (m_yields && !m_player.position()) ||
      (!m_player.canPlay() && !m_player.isPreparing()))
    return false;
  switch (e.key()) {
    case Qt::Key_Space:
      if (!e.isAutoRepeat()) m_player.setPlaying(!m_player.isPlaying());
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
      m_player.changeSpeed(e.key() == Qt::Key_BracketRight);
      return true;
    case Qt::Key_Escape:
      if (!m_player.position() || m_canvas.selection().selected()) return false;
      m_player.hide();
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
