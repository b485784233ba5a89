#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fields/setting.h"
#include "units/measure.h"

namespace nest {

enum class FieldKind {
  Whole,       ///< one whole number
  Number,      ///< one number, perhaps with a unit
  Flag,        ///< yes or no
  Choice,      ///< one of its options, by their number
  Text,        ///< free text
  Wholes,      ///< a list of whole numbers
  Flags,       ///< any of its options, by their numbers
  Bound,       ///< a whole number, fixed or bounded
  Structured,  ///< more than a value: read, written and edited by code of its own
};

/// What a field holds: monostate: nothing (an optional one); double: Whole, Number, Choice; vector: Wholes,
/// Flags.
using FieldValue = std::variant<std::monostate, double, bool, std::string, std::vector<int>, Bound>;

/// How a number moves: a slider over it, the arrow keys in its line, the values of a study.
enum class Slide {
  None,
  Log,       ///< even in the logarithm
  Doubling,  ///< by factors of two, so that batches stay divisible
  Linear,    ///< even in the number, over all that is allowed
};

enum class Better { Neither, Larger, Smaller };

/// When a file names a field.
enum class Stored { Always, Changed };

/// How a field is reached in a Setting. `i`: which of several, where there are several (levels, links, …).
struct FieldAccess {
  FieldKind kind = FieldKind::Structured;
  Measure measure = Measure::Number;
  std::function<FieldValue(const Setting&, int i)> get;
  std::function<void(Setting&, int i, const FieldValue&)> set;
  /// What if it were so large: as set, but a measured number stays measured. Unset: as set.
  std::function<void(Setting&, int i, double)> move;
  /// Of fields that know where their value comes from: value, origin and citation together.
  std::function<std::optional<Sourced<double>>(const Setting&)> figure;
  std::function<void(Setting&, const Sourced<double>&)> setFigure;
  std::function<int(const Setting&)> count;  ///< how many there are; unset: one
};

/// One field of a scenario. Everything that reads, writes, checks, shows, slides, sweeps, ranks or documents
/// it follows from this.
struct Field {
  std::string key = {};      ///< JSON pointer, * for which of several: "/cluster/levels/*/latency_s"
  std::string group = {};    ///< title of the part of the scenario it belongs to: "Job"
  std::string label = {};    ///< "Global batch"
  std::string meaning = {};  ///< what it is, to be read after a colon
  FieldAccess access = {};
  double least = 0, most = 0;  ///< inclusive, of numbers; of each number of a list or bound
  std::string noun = {};       ///< what is counted: "sequences"; of a bound, what is bounded: "tensor degree"
  std::string one = {};        ///< of bounds that count: "device" beside "devices"
  std::string aliases = {};    ///< short names in questions, apart by blanks: "t tensor"
  std::string term = {};       ///< word of the glossary; empty: the label
  std::string numberLabel = {};                ///< where a list moves as one number: "Largest microbatch"
  std::vector<std::string> options = {};       ///< of Choice and Flags, as files name them
  std::vector<std::string> optionLabels = {};  ///< as people read them; empty: the same
  bool required = false;                       ///< a file must name it
  bool isFromOne = false;                      ///< files count from 0, people from 1
  bool isInPanel = true;
  bool isOftenMoved = false;  ///< has a slider from the start
  Stored stored = Stored::Always;
  Slide slide = Slide::None;
  double reach = 16;  ///< a slider spans the value ÷ this … × this
  double usual = 0;   ///< what a value of 0 moves from
  Better better = Better::Neither;
  bool (*matters)(const Setting&) = nullptr;  ///< unset: always

  FieldKind kind() const { return access.kind; }
  bool isNumeric() const;  ///< it can be slid, swept, ranked
  int count(const Setting& s) const { return access.count ? access.count(s) : 1; }
  bool allows(double v) const { return v >= least && v <= most; }
};

/// All fields, in the order in which files name them. Immutable; O(1).
const std::vector<Field>& fields();
/// By key, with * or with a number for it; nullptr: there is none.
const Field* findField(std::string_view key);

/// A field of one setting: which of several, and what people call that one.
struct FieldAt {
  const Field* field = nullptr;
  std::vector<int> at = {0};  ///< those that change together; the first is read
  std::string group = {};     ///< "rack", "Link host0 – leaf0 and 3 like it", "Job"

  std::string pointer() const;  ///< with the number of the first
  std::string name() const;     ///< "Bandwidth of level rack"; "Global batch"
};

/// Those of a setting that are there and change its plan, in order. Of the links of a drawn network the most
/// frequent kinds, each kind as one.
std::vector<FieldAt> numericFieldsOf(const Setting&);
/// "/cluster/levels/1/bandwidth_bytes_per_s", "cluster.levels.1.bandwidth": a unit may be left out. nullopt:
/// this setting has no such field.
std::optional<FieldAt> fieldAt(const Setting&, std::string_view key);

/// The number that slides: of a list the largest, of a bound the one it is fixed to. nullopt: there is none
/// now.
std::optional<double> numberOf(const Setting&, const FieldAt&);
/// Moves a number, as a slider or a study does. A list offers what it did up to the number, doubled from
/// there; a bound is fixed to it.
void setNumber(Setting&, const FieldAt&, double);

}  // namespace nest
