#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "text/json_text.h"

namespace nest {

/// Reports each null, which readers of single keys take for an absent one. What stands below the keys `free`
/// belongs to others.
inline void refuseNulls(const JsonText& text, const nlohmann::json& value, const std::string& pointer,
                        std::span<const std::string_view> free, Diagnostics& out) {
  if (value.is_null())
    out.push_back(error("json-type", text.placeOf(pointer), "null is not a value", "leave the key out"));
  if (value.is_object())
    for (const auto& [key, inner] : value.items())
      if (std::find(free.begin(), free.end(), key) == free.end())
        refuseNulls(text, inner, jsonPointer(pointer, key), free, out);
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i)
      refuseNulls(text, value[i], jsonPointer(pointer, i), free, out);
}

}  // namespace nest
