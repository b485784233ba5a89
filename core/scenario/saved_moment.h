#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "plan/plan.h"
#include "scenario/study_record.h"

namespace nest {

/// What a user has set in a view: a choice by its name, a switch (0, 1), a place or a zoom by number. Files
/// of earlier versions hold a choice by its place among the others instead.
struct OptionValue : std::variant<double, std::string> {
  OptionValue(double number = 0) : variant(number) {}
  OptionValue(std::string name) : variant(std::move(name)) {}
  OptionValue(const char* name) : variant(std::string(name)) {}

  friend bool operator==(const OptionValue& a, const OptionValue& b) {
    return static_cast<const variant&>(a) == static_cast<const variant&>(b);
  }
  const double* number() const { return std::get_if<double>(this); }
  const std::string* name() const { return std::get_if<std::string>(this); }
};
using FigureOptions = std::map<std::string, OptionValue>;

/// The number that stands under a key; `otherwise` where there is none.
inline double numberIn(const FigureOptions& options, const std::string& key, double otherwise) {
  const auto it = options.find(key);
  const double* number = it == options.end() ? nullptr : it->second.number();
  return number ? *number : otherwise;
}

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
  /// Another plan in the same picture.
  struct Beside {
    std::string name, note;
    std::string kept;          ///< name of a kept plan; empty: `plan`
    std::optional<Plan> plan;  ///< judged under the setting of the moment's own plan
    friend bool operator==(const Beside&, const Beside&) = default;
  };

  std::string caption;
  std::string view;     ///< id of the view: "stages"
  FigureOptions state;  ///< the view's own choices and zoom, by their names
  std::optional<Item> selected;
  std::string plan;  ///< name of a kept plan; empty: the best plan of the scenario
  std::vector<Beside> beside = {};
  std::optional<StudyRecord> study = {};

  friend bool operator==(const SavedMoment&, const SavedMoment&) = default;
};

}  // namespace nest
