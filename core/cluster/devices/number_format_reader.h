#pragma once

#include <string>
#include <string_view>

#include "cluster/devices/number_format.h"
#include "diagnostics/diagnostic.h"

namespace nest {

/// Reads one entry of the catalog "number_formats": {"id", "rate", "element_bytes", "operand_bytes",
/// "further_cast_bytes", "source"}. The operand has the bytes of an element where it says nothing.
Reading<NumberFormatSpec> readNumberFormat(std::string_view text, const std::string& file);

}  // namespace nest
