#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "formats/profiles/imported_profile.h"
#include "formats/recognise.h"

namespace nest {

bool isProfile(FileKind);  ///< importProfile reads it

/// A model's measured or published costs, from any of the formats that hold them. `kind` as recognise() tells
/// it; errors are the reader's. `devices`: which of a file's cluster sizes is taken, where it has several.
Reading<ImportedProfile> importProfile(FileKind kind, std::string_view text, const std::string& file,
                                       std::optional<int> devices = {});

}  // namespace nest
