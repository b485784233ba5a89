#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diagnostics/diagnostic.h"

namespace nest {

class LaunchPlan;
struct Assumed;
struct LaunchRecipe;
struct Plan;
struct ReportSource;

/// How a program learns of one assumption that a plan is priced with.
struct Encoding {
  enum class Kind {
    Option,    ///< from options of its files; or a warning says that they cannot express it
    Always,    ///< it does so whatever its files say: another value is warned about
    Version,   ///< its releases differ in it
    Estimate,  ///< a measure of how well it does what other options say
  };
  Kind kind = Kind::Estimate;
  void (*write)(Assumed&) = nullptr;  ///< of Option

  static constexpr Encoding always() { return {Kind::Always}; }
  static constexpr Encoding version() { return {Kind::Version}; }
  static constexpr Encoding by(void (*write)(Assumed&)) { return {Kind::Option, write}; }
};

/// Where a program differs from what is usual (launchAssumptions()).
struct OwnEncoding {
  std::string_view field;  ///< key of the scenario's field
  Encoding encoding;
};

/// A training program that a file of its own starts.
struct LaunchProgram {
  std::string_view name;       ///< "Megatron-LM"
  std::string_view train;      ///< the default of TRAIN in run.sh: "pretrain_gpt.py"
  std::string_view arguments;  ///< what follows it on the command line
  /// The sed expression that takes a step's seconds or milliseconds out of its log, or tokens per second of a
  /// device.
  std::string_view stepPattern;
  double stepUnit = 1;  ///< in seconds; 0: tokens per second
  Reading<std::string> (*write)(LaunchPlan&);
  std::vector<OwnEncoding> assumes;  ///< of two for one field the first counts
  /// Its recipe of the model's family, which the file changes; nullptr: the file says all of the model.
  const char* LaunchRecipe::*recipe = nullptr;
};

/// What a plan can be written as, so that it runs somewhere. The command line, the window's dialog, the
/// folder that starts a plan and the tests follow from this object.
struct LaunchTarget {
  std::string_view id;     ///< "megatron": its name in nest-plan export --as and in resources/programs.json
  std::string_view label;  ///< "Megatron-LM"; empty: the window has no use for it as a launch file
  std::string_view about;  ///< "flags of Megatron-LM as a shell array"
  std::string_view help;   ///< the same and more, for nest-plan export --help
  std::string_view file;   ///< "megatron.sh": what the file is called
  /// Of host files and traces; a training program has its own. `coresPerHost`: 0 where it is not known.
  Reading<std::string> (*write)(const ReportSource&, const Plan&, int coresPerHost) = nullptr;
  bool takesCores = false;                 ///< a number of CPU cores per host changes the file
  const LaunchProgram* program = nullptr;  ///< nullptr: it starts none
};

/// All targets, the training programs first.
std::span<const LaunchTarget* const> launchTargets();
/// nullptr: there is none.
const LaunchTarget* findLaunchTarget(std::string_view id);

}  // namespace nest
