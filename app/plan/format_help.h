#pragma once

#include <string>

namespace nest::cli {

/// The formats that are read, with an example each.
std::string formatsText();
/// What export --as writes of a plan so that it runs.
std::string launchTargetsText();
/// A line for each format in which export writes a cluster.
std::string writtenNetworks();

}  // namespace nest::cli
