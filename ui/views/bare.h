#pragma once

class QWidget;

namespace nest {

/// Hides the buttons, fields and choices of a view that stands on a slide; tabs and tables stay.
void hideControls(QWidget& view);

}  // namespace nest
