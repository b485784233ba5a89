#pragma once

#include "theme/theme.h"

namespace nest {

/// Dresses the whole application: widget style, palette, font, sheet. Call again to change it.
void dress(Theme::Kind);
Theme::Kind dressedAs();

/// What the desktop asks for at start: the palette it handed us, dark if its window is darker than its text.
Theme::Kind desktopPreference();

}  // namespace nest
