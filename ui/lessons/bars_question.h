#pragma once

#include <QAbstractSlider>
#include <QColor>
#include <vector>

#include "lessons/lesson_question.h"

namespace nest {

/// One bar that is dragged: a slider in steps of the axis, with no value until it is first moved.
class DrawnBar : public QAbstractSlider {
  Q_OBJECT
public:
  static constexpr int kSteps = 400;  ///< of the axis

  struct Look {
    QString label, unit;
    double top = 1;        ///< of the axis, in the unit
    bool isGiven = false;  ///< fixed from the start
  };
  DrawnBar(const Look&, QWidget* parent = nullptr);

  bool hasValue() const { return m_hasValue; }
  double amount() const;  ///< in the unit
  void setAmount(double);
  void fix() { m_isFixed = true, setFocusPolicy(Qt::NoFocus), update(); }
  void setRight(double);  ///< shown with it
  bool isGiven() const { return m_look.isGiven; }

  QSize sizeHint() const override { return {64, 190}; }
  QSize minimumSizeHint() const override { return {34, 150}; }

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void focusInEvent(QFocusEvent*) override;
  void focusOutEvent(QFocusEvent*) override;
  void sliderChange(SliderChange) override;

private:
  QRectF room() const;  ///< where bars stand
  double yOf(double amount) const;
  void drag(const QPointF&);
  void moveTo(int value);
  void refreshName();

  Look m_look;
  double m_amount = 0;  ///< exactly, where it was not dragged
  std::optional<double> m_right;
  bool m_hasValue = false, m_isFixed = false;
};

/// Bars next to each other on one axis.
class BarsQuestion : public LessonQuestion {
  Q_OBJECT
public:
  /// `right`: of every bar, in the unit; it shows those that are given.
  BarsQuestion(const LessonStep&, const std::vector<double>& right, QWidget* parent = nullptr);
  std::optional<std::vector<double>> given(QString& whyNot) const override;
  void showAnswer(const std::vector<double>& given, const std::vector<double>& right) override;
  const std::vector<DrawnBar*>& bars() const { return m_bars; }

private:
  void keyPressEvent(QKeyEvent*) override;

  std::vector<DrawnBar*> m_bars;
};

}  // namespace nest
