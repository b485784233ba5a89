#include "units/quantity.h"

namespace nest {

std::string_view nameOf(Origin o) {
  switch (o) {
    case Origin::Typed:
      return "typed";
    case Origin::Measured:
      return "measured";
    case Origin::Estimated:
      return "estimated";
    case Origin::Catalog:
      break;
  }
  return "catalog";
}

}  // namespace nest
