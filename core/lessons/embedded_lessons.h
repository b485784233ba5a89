#pragma once

#include <span>
#include <string_view>
#include <utility>

namespace nest {

using EmbeddedText = std::pair<std::string_view, std::string_view>;  ///< name, text

/// resources/lessons/*.json by the name of the file, in their order.
std::span<const EmbeddedText> embeddedLessons();
/// Samples and models that lessons use, by their path below samples/.
std::span<const EmbeddedText> embeddedSamples();

}  // namespace nest
