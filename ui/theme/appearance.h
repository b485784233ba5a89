#pragma once

#include "theme/theme.h"

namespace nest {

/// Dresses the whole application: widget style, palette, font, sheet. Call again to change it.
void dress(Theme::Kind);
Theme::Kind dressedAs();

/// What the desktop asks for at start: the palette it handed us, dark if its window is darker than its text.
Theme::Kind desktopPreference();

/// How large the type of windows is, and what goes with it: 1 is usual. Figures on paper know nothing of it.
constexpr double kSmallestScale = 0.8, kLargestScale = 2;
double windowScale();
int atWindowScale(int pixels);  ///< pixels of a window with type of the usual size, in this one
/// Within these bounds; windows that are open follow.
void setWindowScale(double);

}  // namespace nest
