#pragma once

#include <QWidget>
#include <functional>

namespace nest {

/// Makes a widget that paints itself a graphic to screen readers. `value` says what is chosen in it; null:
/// the accessible description does. Call once, from the constructor.
void makeGraphic(QWidget&, std::function<QString()> value = {});

}  // namespace nest
