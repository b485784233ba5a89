#pragma once

#include <QSlider>
#include <QStyleOptionSlider>
#include <QTest>

namespace nest::test {

/// Takes the handle of a slider and moves it, as a hand does: press, several moves, release. `moved` follows
/// each move.
template <class Moved>
void dragHandle(QSlider& slider, int pixels, Moved moved) {
  QStyleOptionSlider option;
  option.initFrom(&slider);
  option.orientation = slider.orientation();
  option.minimum = slider.minimum(), option.maximum = slider.maximum();
  option.sliderPosition = option.sliderValue = slider.sliderPosition();
  option.subControls = QStyle::SC_All;
  const QPoint handle =
      slider.style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, &slider).center();
  QTest::mousePress(&slider, Qt::LeftButton, {}, handle);
  for (int k = 1; k <= 6; ++k) {
    QTest::mouseMove(&slider, handle + QPoint(pixels * k / 6, 0));
    moved();
  }
  QTest::mouseRelease(&slider, Qt::LeftButton, {}, handle + QPoint(pixels, 0));
}

}  // namespace nest::test
