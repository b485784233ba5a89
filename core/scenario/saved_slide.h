#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "fields/setting.h"
#include "plan/plan.h"
#include "scenario/study_record.h"
#include "solver/outcome.h"

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

/// What a search had ended in when a slide was added: what its figures show of it, and no more.
struct SavedOutcome {
  /// The plan that comes closest where none fits.
  struct Miss {
    Plan plan;
    int stage = -1;
    Bytes shortfall;
    std::vector<std::string> remedies;
    friend bool operator==(const Miss&, const Miss&) = default;
  };

  OutcomeStatus status = OutcomeStatus::Optimal;
  StopCause stopCause = StopCause::None;
  Seconds elapsed;
  std::optional<Miss> nearestMiss = {};
  std::optional<Plan> best = {};  ///< of a plan cut by hand: the best plan, which it is compared with
  std::vector<Plan> front = {};   ///< Pareto front, where it is what the slide shows
  FrontReach frontReach = FrontReach::Encountered;
  /// Without a plan: the diagnostics that say why, without their places.
  Diagnostics diagnostics = {};

  friend bool operator==(const SavedOutcome&, const SavedOutcome&) = default;
};

/// The plan of a slide with everything it is costed and judged by. It does not change when the scenario does.
struct SavedState {
  std::shared_ptr<const Setting> setting;    ///< never null; slides with equal settings may share one
  std::optional<Plan> plan = {};             ///< empty: see `outcome`
  bool byHand = false;                       ///< the plan was cut by hand
  bool edited = false;                       ///< the plan was found before the last edit of the setting
  std::optional<SavedOutcome> outcome = {};  ///< empty: not solved, or nothing of it is shown

  friend bool operator==(const SavedState&, const SavedState&);
};

/// A table as it stood in a view: sorted and filtered, its first rows.
struct SavedTable {
  struct Column {
    std::string name;
    bool right = false;  ///< numbers
    friend bool operator==(const Column&, const Column&) = default;
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  ///< a cell for each column
  int more = 0;                                ///< rows that are not listed
  friend bool operator==(const SavedTable&, const SavedTable&) = default;
};

/// A slide: a view, the plan it shows, what is selected in it, and what is said about it.
struct SavedSlide {
  /// The one thing that is picked out; the meaning of the numbers depends on `kind`.
  struct Item {
    std::string kind;  ///< "stage", "layer", "device", "group", "level", "pair", "task"
    int index = 0;
    int level = 0;   ///< "group": of which level; below 0: an item of the figure's own
    int other = -1;  ///< "pair": the second device or group
    friend bool operator==(const Item&, const Item&) = default;
  };
  /// Another plan in the same picture.
  struct Beside {
    std::string name, note;
    std::shared_ptr<const Setting> setting;  ///< null: that of the slide
    Plan plan;
    friend bool operator==(const Beside&, const Beside&);
  };
  /// The play head: what runs at one time of the step, or of one exchange. The slide plays from there.
  struct PlayHead {
    struct Task {
      int stage = 0, task = 0, microbatch = 0;
      friend bool operator==(const Task&, const Task&) = default;
    };
    double seconds = 0;
    std::vector<Task> running;
    std::string schedule = {};  ///< id of the one that plays; empty: the plan's own
    double speed = 1;           ///< at which it plays
    std::string exchange = {};  ///< id of the exchange that plays in place of the step; empty: none
    friend bool operator==(const PlayHead&, const PlayHead&) = default;
  };

  /// Another look at the same plan in the same view, shown after the slide itself.
  struct Step {
    FigureOptions state;
    std::optional<Item> selected;
    std::optional<PlayHead> playHead = {};
    std::string sentence = {};
    friend bool operator==(const Step&, const Step&) = default;
  };

  std::string caption;
  std::string view;     ///< id of the view: "stages"
  FigureOptions state;  ///< the view's own choices and zoom, by their names
  std::optional<Item> selected;
  std::string notes = {};     ///< for the speaker alone, Markdown
  std::string sentence = {};  ///< what the figure said of itself, in lines; empty: it is asked again
  std::shared_ptr<const SavedState> shown = {};  ///< null, in files of earlier versions: the scenario's own
  std::vector<Beside> beside = {};
  std::optional<StudyRecord> study = {};
  std::optional<SavedTable> table = {};
  std::optional<PlayHead> playHead = {};
  std::vector<Step> steps = {};  ///< shown one by one, in this order

  friend bool operator==(const SavedSlide&, const SavedSlide&);
};

/// The slide as it stands after so many of its steps; 0: as it is at first.
SavedSlide atStep(const SavedSlide&, std::size_t steps);

}  // namespace nest
