#pragma once

#include <string>

#include "figures/paint/figure_option.h"

namespace nest {

/// Whether siblings that are alike are drawn once, with a count; Automatic: where there would be too many.
enum class Folding { Automatic, Everything, Nothing };

/// "Collapse identical", with what is chosen.
FigureOption foldingOption(Folding chosen);
Folding foldingNamed(const std::string&);  ///< Automatic for any other name
const char* nameOf(Folding);

}  // namespace nest
