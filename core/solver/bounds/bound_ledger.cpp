// Uses the processor time of the calling thread, so that other threads and the machine's load do not count.
#include "solver/bounds/bound_ledger.h"

#include <ctime>

namespace nest::solver {

double BoundLedger::Timer::now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace nest::solver
