#include "slides/speaker_window.h"

#include <QCoreApplication>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QSettings>
#include <QSpinBox>
#include <QTextBrowser>
#include <QTime>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "slides/slide_edits.h"
#include "slides/slide_renderer.h"
#include "slides/slide_show.h"
#include "theme/theme.h"

namespace nest {
namespace {
const QString kMinutes = QStringLiteral("present/minutes");
}

SpeakerWindow::SpeakerWindow(SlideShow* show)
    : QWidget(show, Qt::Window),
      m_show(show),
      m_now(new QLabel(this)),
      m_next(new QLabel(this)),
      m_place(new QLabel(this)),
      m_clock(new QLabel(this)),
      m_elapsed(new QLabel(this)),
      m_pace(new QLabel(this)),
      m_minutes(new QSpinBox(this)),
      m_notes(new QTextBrowser(this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Speaker's window"));
  m_now->setAccessibleName(tr("The slide that is shown"));
  m_next->setAccessibleName(tr("The next slide"));
  m_notes->setAccessibleName(tr("Notes"));
  m_notes->setFont(Theme::font(20));
  m_notes->setFocusPolicy(Qt::NoFocus);  // keys are those of the show
  m_place->setFont(Theme::font(16));
  m_clock->setFont(Theme::font(28));
  m_elapsed->setFont(Theme::font(28, true));
  for (QLabel* label : {m_clock, m_elapsed}) label->setAlignment(Qt::AlignRight);
  m_minutes->setRange(0, 600);
  m_minutes->setSpecialValueText(tr("no length set"));
  m_minutes->setSuffix(tr(" min"));
  m_minutes->setFocusPolicy(Qt::ClickFocus);
  m_minutes->setAccessibleName(tr("Length of the talk"));
  m_minutes->setValue(QSettings().value(kMinutes, 0).toInt());
  connect(m_minutes, &QSpinBox::valueChanged, this, [this](int minutes) {
    QSettings().setValue(kMinutes, minutes);
    showTime();
  });
  connect(m_minutes, &QSpinBox::editingFinished, this, [this] { setFocus(); });
  m_pace->setAlignment(Qt::AlignRight);
  m_pace->setFont(Theme::font(16));
  auto* times = new QVBoxLayout;
  times->addWidget(m_elapsed);
  times->addWidget(m_pace);
  auto* length = new QHBoxLayout;
  length->addStretch();
  length->addWidget(new QLabel(tr("Talk of"), this));
  length->addWidget(m_minutes);
  times->addLayout(length);
  times->addStretch();
  auto* next = new QLabel(tr("Next"), this);
  next->setProperty("role", "muted");
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(16, 16, 16, 16);
  grid->setSpacing(12);
  grid->addWidget(m_place, 0, 0);
  grid->addWidget(m_clock, 0, 1);
  grid->addWidget(m_now, 1, 0, 2, 1, Qt::AlignTop | Qt::AlignLeft);
  grid->addLayout(times, 1, 1, 2, 1);
  grid->addWidget(m_notes, 3, 0, 2, 1);
  grid->addWidget(next, 3, 1);
  grid->addWidget(m_next, 4, 1, Qt::AlignTop | Qt::AlignLeft);
  grid->setColumnStretch(0, 3);
  grid->setColumnStretch(1, 2);
  grid->setRowStretch(4, 1);
  m_tick.setInterval(500);
  connect(&m_tick, &QTimer::timeout, this, &SpeakerWindow::showTime);
  m_tick.start();
  connect(show, &SlideShow::slideChanged, this, &SpeakerWindow::showSlide);
  resize(1100, 720);
  showSlide();
  showTime();
}

QPixmap SpeakerWindow::pictureOf(int slide, int step, int width) const {
  const double scale = std::max(1, width) / kSlide.width() * devicePixelRatioF();
  QPixmap picture((kSlide * scale).toSize());
  picture.fill(Theme::of(Theme::Kind::Light).color(Theme::Role::Canvas));
  QPainter painter(&picture);
  painter.scale(scale, scale);
  m_show->rendererOf(slide, step)->paint(painter, footOf(m_show->scenario(), slide, step));
  painter.end();
  picture.setDevicePixelRatio(devicePixelRatioF());
  return picture;
}

void SpeakerWindow::showSlide() {
  const int now = m_show->current(), count = m_show->count();
  if (now < 0) return;
  const SavedSlide& slide = m_show->scenario().slides[static_cast<std::size_t>(now)];
  const int step = m_show->step(), steps = static_cast<int>(slide.steps.size());
  m_place->setText(steps > 0
                       ? tr("Slide %1 of %2, step %3 of %4").arg(now + 1).arg(count).arg(step).arg(steps)
                       : tr("Slide %1 of %2").arg(now + 1).arg(count));
  m_now->setPixmap(pictureOf(now, step, width() * 11 / 20));
  if (step < steps)
    m_next->setPixmap(pictureOf(now, step + 1, width() * 7 / 20));
  else if (now + 1 < count)
    m_next->setPixmap(pictureOf(now + 1, 0, width() * 7 / 20));
  else
    m_next->setText(tr("This is the last slide."));
  if (slide.notes.empty())
    m_notes->setPlainText(tr("No notes. Add some with a right click on the slide in the pane Slides."));
  else
    m_notes->setMarkdown(QString::fromStdString(slide.notes));
}

void SpeakerWindow::showTime() {
  m_clock->setText(QLocale().toString(QTime::currentTime(), QLocale::ShortFormat));
  const qint64 seconds = m_show->secondsSinceBegin();
  m_elapsed->setText(QStringLiteral("%1:%2").arg(seconds / 60).arg(seconds % 60, 2, 10, QLatin1Char('0')));
  showPace(seconds);
}

/// Slides and steps are taken to last equally long.
void SpeakerWindow::showPace(qint64 seconds) {
  const int length = m_minutes->value() * 60;
  if (length == 0) return m_pace->clear();
  int before = 0, all = 0;
  const auto& slides = m_show->scenario().slides;
  for (int i = 0; i < static_cast<int>(slides.size()); ++i) {
    const int pages = 1 + static_cast<int>(slides[static_cast<std::size_t>(i)].steps.size());
    if (i < m_show->current()) before += pages;
    all += pages;
  }
  before += m_show->step();
  // On time as long as the page would be shown at an even pace.
  const double begins = double(length) * before / std::max(1, all),
               ends = double(length) * (before + 1) / std::max(1, all);
  const double behind = seconds > ends ? seconds - ends : seconds < begins ? seconds - begins : 0;
  const qint64 minutes = std::llround(std::abs(behind) / 60);
  m_pace->setText(minutes == 0 ? tr("on time")
                  : behind > 0 ? tr("%1 min behind").arg(minutes)
                               : tr("%1 min ahead").arg(minutes));
}

void SpeakerWindow::resizeEvent(QResizeEvent* e) {
  QWidget::resizeEvent(e);
  showSlide();
}

void SpeakerWindow::keyPressEvent(QKeyEvent* e) {
  switch (e->key()) {
    case Qt::Key_Right:
    case Qt::Key_Down:
    case Qt::Key_Space:
    case Qt::Key_PageDown:
      return m_show->next();
    case Qt::Key_Left:
    case Qt::Key_Up:
    case Qt::Key_Backspace:
    case Qt::Key_PageUp:
      return m_show->back();
    case Qt::Key_Home:
      return m_show->showSlide(0);
    case Qt::Key_End:
      return m_show->showSlide(m_show->count() - 1);
    case Qt::Key_Escape:
    case Qt::Key_P:
      close();
      return;
    default:
      QWidget::keyPressEvent(e);
  }
}

}  // namespace nest
