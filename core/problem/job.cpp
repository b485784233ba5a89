#include "problem/job.h"

namespace nest {

const char* nameOf(Exchange e) {
  switch (e) {
    case Exchange::Tensor:
      return "tensor";
    case Exchange::Context:
      return "context";
    case Exchange::Expert:
      return "expert";
    case Exchange::Pipeline:
      return "pipeline";
    case Exchange::Data:
      break;
  }
  return "data";
}

}  // namespace nest
