#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "views/view.h"

namespace nest {

struct ViewEntry {
  QString id, title;
  std::function<View*(ViewServices, QWidget* parent)> make;
};

/// Every view of the program, in the order of their tabs. The one place to add a view.
const std::vector<ViewEntry>& viewRegistry();

}  // namespace nest
