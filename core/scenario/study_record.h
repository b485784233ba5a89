#pragma once

#include <string>
#include <vector>

namespace nest {

/// A study as it stands: all that its figure and its table show, so that it can be shown again without
/// solving. Along one field it is a curve, along two a grid.
struct StudyRecord {
  struct Value {
    double x = 0;          ///< positive; its place on a logarithmic axis
    std::string text;      ///< "512", "62.5 GB/s"
    bool present = false;  ///< what the scenario has
    friend bool operator==(const Value&, const Value&) = default;
  };
  struct Result {
    double y = 0;       ///< in the unit of StudyRecord::quantity; 0: there is no plan
    std::string yText;  ///< with its unit
    std::string plan;   ///< one line
    std::string
        change;  ///< what differs from the plan of the value before, in words; empty: nothing that counts
    std::vector<double> others;  ///< by the other methods, beside StudyRecord::others; 0: nothing that runs
    std::string none = {};       ///< without a plan: what the search ended in, "does not fit"
    bool decided = true;         ///< false: it was stopped, whether a plan fits is not known
    friend bool operator==(const Result&, const Result&) = default;
  };

  std::string quantity;       ///< "Throughput, tokens/s", "Step time, s", …
  std::string acrossName;     ///< "devices"; empty: no study
  std::vector<Value> across;  ///< every value that is to be tried, ascending
  std::string upName;         ///< second field; empty: a curve
  std::vector<Value> up;
  std::vector<std::string> others;  ///< names of the other methods
  /// Solved so far: for every value of `up` in turn (a curve: once) every value of `across`.
  std::vector<Result> results;
  int heldBatch = 0;  ///< global batch that stays while the devices grow (strong scaling); 0: no such study
  bool logarithmic = false;        ///< the axis of the quantity
  bool lessIsBetter = false;       ///< of the quantity: times, memory
  double threshold = 0;            ///< a value of the quantity that is to be reached; 0: none
  std::string thresholdText = {};  ///< with its unit
  bool cancelled = false;          ///< nothing is solved any more, though `results` is not whole

  std::size_t size() const { return across.size() * (upName.empty() ? 1 : up.size()); }
  /// Whether a result with a plan is at least as good as the threshold.
  bool reaches(const Result& r) const {
    return r.y > 0 && (lessIsBetter ? r.y <= threshold * (1 + 1e-12) : r.y >= threshold * (1 - 1e-12));
  }
  bool isWhole() const { return results.size() == size(); }
  friend bool operator==(const StudyRecord&, const StudyRecord&) = default;
};

}  // namespace nest
