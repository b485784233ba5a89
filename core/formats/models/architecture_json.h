#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analytic/transformer.h"
#include "text/json_fields.h"

namespace nest {

/// A transformer's shape, every field under this program's own names; lossless both ways, where a config.json
/// is what the model's owner wrote. A key that is absent on reading takes the default of the type.
TransformerArchitecture readArchitecture(JsonFields&, const JsonText&, Diagnostics& out);
nlohmann::ordered_json architectureJson(const TransformerArchitecture&);

}  // namespace nest
