#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>

namespace nest {

/// Colour roles of everything the program draws itself. Light, dark, and print (white, no translucent fills).
/// Categories use the Okabe–Ito colours, magnitudes cividis; colour never stands alone (number and hatch go
/// with it).
class Theme {
public:
  enum class Kind { Light, Dark, Print };
  enum class Role {
    Canvas,
    Panel,
    Border,
    Grid,
    Text,
    MutedText,
    Accent,
    AccentText,
    Hover,
    Selection,
    Warning,
    Error,
    Idle
  };

  static const Theme& of(Kind);

  Kind kind() const { return m_kind; }
  QColor color(Role) const;
  QColor stage(int stage) const;    ///< differs for 32 stages; with stageHatch for 128
  int stageHatch(int stage) const;  ///< 0 none, 1 diagonal, 2 counter-diagonal, 3 cross
  /// Cividis, so that much stands out from the canvas: light in the dark theme, dark in the others.
  QColor magnitude(double zeroToOne) const;
  QColor textOn(const QColor& background) const;  ///< black or white, whichever reads better
  QPalette palette() const;                       ///< for the widgets around

  static QFont font(double pixelSize, bool bold = false);  ///< the bundled figure font

private:
  explicit Theme(Kind kind) : m_kind(kind) {}
  Kind m_kind;
};

}  // namespace nest
