#pragma once

#include <QTimer>
#include <QWidget>

class QLabel;
class QSpinBox;
class QTextBrowser;

namespace nest {

class SlideShow;

/// What the speaker sees on a screen of their own: the slide that is shown, the next one, its notes, the time
/// of day, the time since the show began, and how far the talk is before or behind its length. The keys of
/// the show work here, too.
class SpeakerWindow : public QWidget {
  Q_OBJECT
public:
  /// Ends with the show.
  explicit SpeakerWindow(SlideShow*);

protected:
  void resizeEvent(QResizeEvent*) override;
  void keyPressEvent(QKeyEvent*) override;

private:
  void showSlide();
  void showTime();
  void showPace(qint64 seconds);
  QPixmap pictureOf(int slide, int step, int width) const;

  SlideShow* m_show;
  QLabel *m_now, *m_next, *m_place, *m_clock, *m_elapsed, *m_pace;
  QSpinBox* m_minutes;  ///< that the talk is to last; 0: it is not known
  QTextBrowser* m_notes;
  QTimer m_tick;
};

}  // namespace nest
