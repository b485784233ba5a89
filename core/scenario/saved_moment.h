#pragma once

#include <map>
#include <optional>
#include <string>

namespace nest {

/// A sight worth showing again: a view of a plan, what is picked out in it, and what is said about it.
struct SavedMoment {
  /// The one thing that is picked out; the meaning of the numbers depends on `kind`.
  struct Item {
    std::string kind;  ///< "stage", "layer", "device", "group", "level", "pair"
    int index = 0;
    int level = 0;   ///< "group": of which level
    int other = -1;  ///< "pair": the second device or group
    friend bool operator==(const Item&, const Item&) = default;
  };

  std::string caption;
  std::string view;                     ///< id of the view: "stages"
  std::map<std::string, double> state;  ///< the view's own choices and zoom, by their names
  std::optional<Item> selected;
  std::string plan;  ///< name of a kept plan; empty: the best plan of the scenario

  friend bool operator==(const SavedMoment&, const SavedMoment&) = default;
};

}  // namespace nest
