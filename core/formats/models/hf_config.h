#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analytic/transformer.h"
#include "diagnostics/diagnostic.h"

namespace nest {

/// Reads a Hugging Face config.json of a family that configFamilies() lists. Sizes have to be there, under
/// any of the names that families use; other absent keys get the defaults of the `transformers` configuration
/// class, and a note lists those that shape the model. Keys that change the model's structure and are not
/// read are errors where the count would be wrong, else warnings. `name` is the file's _name_or_path, or the
/// family.
/// With `takesDefaults` sizes may be absent, too, as in the parts of a model of several parts.
Reading<TransformerArchitecture> readHuggingFaceConfig(std::string_view text, const std::string& file,
                                                       bool takesDefaults = false);

}  // namespace nest
