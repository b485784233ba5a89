#pragma once

#include <QString>
#include <functional>
#include <memory>
#include <vector>

#include "figures/paint/interactive_figure.h"
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

/// A mode of a view that is named as if it were a view, as it was in earlier versions: by slides, sessions,
/// lessons and the command line.
struct ViewMode {
  QString id, view;
  std::string key;  ///< of the view's state: 1 in this mode, 0 out of it
};
const std::vector<ViewMode>& viewModes();

/// Where what is called `id` is found today, and the state in which it shows that.
struct ViewPlace {
  QString view;
  View::State state;
};
ViewPlace placeOf(const QString& id, View::State state = {});

/// A fresh set of the figures that follow from a plan alone, with their first options, in that order.
std::vector<std::unique_ptr<InteractiveFigure>> planFigures();

}  // namespace nest
