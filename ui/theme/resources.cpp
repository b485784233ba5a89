#include "theme/resources.h"

#include <QtGlobal>

// The macro declares a function, which must not end up inside a namespace.
static void initialise() {
  Q_INIT_RESOURCE(nest);
  Q_INIT_RESOURCE(samples);
}

namespace nest {

void loadResources() {
  initialise();
}

}  // namespace nest
