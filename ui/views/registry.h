#pragma once

#include <QString>
#include <functional>
#include <memory>
#include <vector>

#include "figures/interactive_figure.h"
#include "views/view.h"

namespace nest {

struct ViewEntry {
  QString id, title;
  std::function<View*(ViewServices, QWidget* parent)> make;
  /// Its figure where that follows from a plan alone; else null.
  std::unique_ptr<InteractiveFigure> (*makeFigure)() = nullptr;
};

/// Every view of the program, in the order of their tabs. The one place to add a view: window, command line
/// and export follow it.
const std::vector<ViewEntry>& viewRegistry();

/// A fresh set of the figures that follow from a plan alone, with their first options, in that order.
std::vector<std::unique_ptr<InteractiveFigure>> planFigures();

}  // namespace nest
