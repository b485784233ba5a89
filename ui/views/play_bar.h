#pragma once

#include <QWidget>

class QComboBox;
class QKeyEvent;
class QLabel;
class QMenu;
class QSlider;
class QToolButton;

namespace nest {

class FigureCanvas;
class Playback;

/// Below a figure, while the playhead stands somewhere: play and pause, task by task, where in the step it
/// stands, how fast it runs. The keys work on the figure: Space, comma and period, brackets for the speed.
class PlayBar : public QWidget {
  Q_OBJECT
public:
  PlayBar(Playback&, FigureCanvas&, QWidget* parent);

  /// Makes a button of the view play and pause.
  void drive(QToolButton&);
  void addToMenu(QMenu&);

protected:
  bool eventFilter(QObject*, QEvent*) override;
  void resizeEvent(QResizeEvent*) override;

private:
  QToolButton* add(const QString& icon, const QString& name, const QString& tip);
  bool typed(const QKeyEvent&);
  void step(bool forward, bool far);
  void showPosition();
  void showDrive();

  Playback& m_playback;
  FigureCanvas& m_canvas;
  QToolButton* m_play;
  QToolButton* m_button = nullptr;  ///< of the view
  QSlider* m_slider;
  QLabel* m_time;
  QComboBox* m_speed;
};

}  // namespace nest
