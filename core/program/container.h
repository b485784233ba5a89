#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nest {

/// A container that a text names, as in "nvcr.io/nvidia/nemo:25.04.01", and the program that it holds.
struct ContainerProgram {
  std::string container;  ///< "nemo:25.04.01"
  std::string program;    ///< id
};

/// The last container in a text that an entry of resources/programs.json holds: "containers": [{"image":
/// "nemo", "from": "24.07", "to": "25.04"}], both releases and their patches included. nullopt: there is
/// none.
std::optional<ContainerProgram> programOfContainer(std::string_view text);

}  // namespace nest
