#pragma once

namespace nest {

/// What ended a computation before its end. A request outranks the others: nothing more is wanted then.
enum class StopCause { None, Request, Deadline, WorkLimit, MemoryLimit };
const char* nameOf(StopCause);  ///< in files: "none", "request", "deadline", "work-limit", "memory-limit"

}  // namespace nest
