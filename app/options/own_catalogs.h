#pragma once

#include <string>
#include <vector>

#include "diagnostics/diagnostic.h"

namespace nest::cli {

/// Files and folders that NEST_CATALOG names, apart by colons (empty: none); without it the folder
/// nest-explorer/catalogs of the user's data ($XDG_DATA_HOME, else ~/.local/share).
std::vector<std::string> ownCatalogPaths();

/// Adds the devices, number formats and programs of those files, in a folder all *.json by name
/// (fields/own_catalogs.h). To be called once, before anything else of the core.
Diagnostics loadOwnCatalogs();

}  // namespace nest::cli
