#pragma once

namespace nest {

/// Why a computation ended early. A request outranks the other causes, because nobody waits for the result
/// then.
enum class StopCause { None, Request, Deadline, WorkLimit, MemoryLimit };
const char* nameOf(StopCause);  ///< in files: "none", "request", "deadline", "work-limit", "memory-limit"

}  // namespace nest
