#include "slides/speaker_window.h"

#include <QCoreApplication>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QTextBrowser>
#include <QTime>

#include "slides/slide_edits.h"
#include "slides/slide_renderer.h"
#include "slides/slide_show.h"
#include "theme/theme.h"

namespace nest {

SpeakerWindow::SpeakerWindow(SlideShow* show)
    : QWidget(show, Qt::Window),
      m_show(show),
      m_now(new QLabel(this)),
      m_next(new QLabel(this)),
      m_place(new QLabel(this)),
      m_clock(new QLabel(this)),
      m_elapsed(new QLabel(this)),
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
  auto* next = new QLabel(tr("Next"), this);
  next->setProperty("role", "muted");
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(16, 16, 16, 16);
  grid->setSpacing(12);
  grid->addWidget(m_place, 0, 0);
  grid->addWidget(m_clock, 0, 1);
  grid->addWidget(m_now, 1, 0, 2, 1, Qt::AlignTop | Qt::AlignLeft);
  grid->addWidget(m_elapsed, 1, 1, Qt::AlignTop);
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

QPixmap SpeakerWindow::pictureOf(int slide, int width) const {
  const double scale = std::max(1, width) / kSlide.width() * devicePixelRatioF();
  QPixmap picture((kSlide * scale).toSize());
  picture.fill(Theme::of(Theme::Kind::Light).color(Theme::Role::Canvas));
  QPainter painter(&picture);
  painter.scale(scale, scale);
  m_show->rendererOf(slide)->paint(painter, footOf(m_show->scenario(), slide));
  painter.end();
  picture.setDevicePixelRatio(devicePixelRatioF());
  return picture;
}

void SpeakerWindow::showSlide() {
  const int now = m_show->current(), count = m_show->count();
  if (now < 0) return;
  const SavedSlide& slide = m_show->scenario().slides[static_cast<std::size_t>(now)];
  m_place->setText(tr("Slide %1 of %2").arg(now + 1).arg(count));
  m_now->setPixmap(pictureOf(now, width() * 11 / 20));
  if (now + 1 < count)
    m_next->setPixmap(pictureOf(now + 1, width() * 7 / 20));
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
