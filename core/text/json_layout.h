#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace nest {

/// The one way this program writes JSON that people read: keys in the order given, two blanks of indent, what
/// fits into a line of 100 characters stays on one; whole numbers without a point, others as the shortest
/// text that reads back to the same double; a final newline. A number that is not finite becomes null.
std::string layOut(const nlohmann::ordered_json& value);
/// The same as an item of a list whose items stand `indent` blanks in, without the newline.
std::string layOutItem(const nlohmann::ordered_json& value, std::size_t indent);

}  // namespace nest
