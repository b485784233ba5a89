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
class Player;

/// What the buttons and the slider of a bar are called, and what 1 × means.
struct PlayWords {
  QString event;  ///< "task"
  QString eventTip, backTip;
  QString slider;
  QString pace;
  QString hide;
};

/// Below a figure, while what is played stands somewhere: play and pause, event by event, where it stands,
/// how fast it runs. The keys work on the figure: Space, comma and period, brackets for the speed.
class PlayBar : public QWidget {
  Q_OBJECT
public:
  PlayBar(Player&, const PlayWords&, FigureCanvas&, QWidget* parent);
  static PlayWords ofSchedule();
  static PlayWords ofExchange();

  /// The keys are its own only while what it plays stands somewhere: another bar has them otherwise.
  void yieldKeys() { m_yields = true; }
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

  Player& m_player;
  bool m_yields = false;
  QString m_pace;
  FigureCanvas& m_canvas;
  QToolButton* m_play;
  QToolButton* m_button = nullptr;  ///< of the view
  QSlider* m_slider;
  QLabel* m_time;
  QComboBox* m_speed;
};

}  // namespace nest
