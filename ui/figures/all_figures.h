#pragma once

#include <memory>
#include <vector>

#include "figures/interactive_figure.h"

namespace nest {

/// A fresh set of every figure with its first options, in the order of the tabs.
std::vector<std::unique_ptr<InteractiveFigure>> allFigures();

}  // namespace nest
