#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace nest {

/// The one way this program writes JSON that people read: keys in the order given, two blanks of indent, what
/// fits into a line of 100 characters stays on one; whole numbers without a point, others as the shortest
/// text that reads back to the same double; a final newline. A number that is not finite becomes null.
std::string layOut(const nlohmann::ordered_json& value);

}  // namespace nest
