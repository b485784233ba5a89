#include "theme/desktop_theme.h"

#if NEST_HAS_DBUS
#include "theme/desktop_portal.h"
#endif

namespace nest {

DesktopTheme* desktopTheme(QObject* parent) {
#if NEST_HAS_DBUS
  return new DesktopPortal(parent);
#else
  return new DesktopTheme(parent);
#endif
}

}  // namespace nest
