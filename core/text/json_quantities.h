#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "text/json_fields.h"
#include "units/quantity.h"
#include "units/text.h"

namespace nest {

/// Quantities in a file. A key ends in its unit and holds a number in it ("latency_s": 2e-6) or a text that
/// names its own ("latency_s": "2 us"); the key without the unit ("latency": "2 us") takes the text only.
/// Each function returns nullopt where the key is absent (no diagnostic) or wrong (one diagnostic).
std::optional<text::BandwidthText> bandwidthField(JsonFields&,
                                                  std::string_view name);  ///< name_bytes_per_s or name
std::optional<Seconds> timeField(JsonFields&, std::string_view name);      ///< name_s or name
std::optional<Bytes> memoryField(JsonFields&, std::string_view name);      ///< name_bytes or name

std::optional<Origin> originField(JsonFields&);  ///< key "origin"

/// An integer that fits an int, without further range: what is allowed is judged where its meaning is known.
std::optional<int> intField(JsonFields&, std::string_view key);

}  // namespace nest
