#pragma once

#include <string>
#include <vector>

#include "diagnostics/diagnostic.h"

namespace nest {

/// A file of a user's own devices, number formats and programs: {"devices": […], "number_formats": […],
/// "programs": […]}, each with entries as in resources/devices.json, number_formats.json and programs.json.
/// samples/catalogs/README.md describes them.
struct OwnCatalog {
  std::string file;  ///< for diagnostics
  std::string text;
};

/// Makes the entries of these files known, as if they stood behind those of the program itself; an entry may
/// be "like" one of the program or one further up. A file with an error adds nothing. Ids and names that are
/// taken, values that a reader refuses and fields that a program cannot set are errors, each with its place.
/// To be called once, before anything has asked for a device, a number format or a program.
Diagnostics addOwnCatalogs(const std::vector<OwnCatalog>&);

}  // namespace nest
