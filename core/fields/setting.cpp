#include "fields/setting.h"

namespace nest {
namespace {
template <class T>
bool sameTarget(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
  return a == b || (a && b && *a == *b);
}
}  // namespace

bool operator==(const ModelSource& a, const ModelSource& b) {
  return a.reference == b.reference && a.architecture == b.architecture && a.calibration == b.calibration &&
         a.analytic == b.analytic && sameTarget(a.graph, b.graph) && sameTarget(a.profile, b.profile);
}

}  // namespace nest
