#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "formats/measurements/log_lines.h"
#include "formats/unused_parts.h"

namespace nest {

/// The labels of what a program prints in the line of a step; empty: it does not print that.
struct StepLabels {
  std::string_view mark = {};  ///< that lines of steps have and no others
  std::string_view step = {};  ///< its number
  std::string_view time = {};
  double timeUnit = 1;                                    ///< in seconds
  std::string_view rate = {};                             ///< TFLOP/s of each device
  std::string_view batch = {};                            ///< sequences of a global batch
  std::string_view consumed = {};                         ///< sequences so far
  std::string_view tokens = {};                           ///< tokens of a global batch
  std::string_view tokenRate = {}, deviceTokenRate = {};  ///< tokens a second of all devices, of each
  std::string_view allocated = {};                        ///< bytes
  std::string_view reserved = {};                         ///< bytes
  int warmUp = 1;  ///< first steps of a run that compile, or whose time is not that of the whole step
};

/// A log with one line for each step, which states its time. What other lines say of the run is read by those
/// that derive from it.
class StepLog {
public:
  StepLog(SourceText& source, const StepLabels& labels)
      : m_source(source), m_labels(labels), m_openLine(openLineOf(source.text())) {}
  virtual ~StepLog() = default;

  std::optional<Measurement> run();

protected:
  /// A line that is none of a step.
  virtual void readSetup(std::string_view line) = 0;
  /// What follows from all lines; `month` is that of the first that has a date.
  virtual void finish(std::optional<int> month) = 0;

  /// Takes the whole number of at least 1 behind `key`, if the line holds one (settingIn()).
  void set(std::optional<int>& to, std::string_view key) const;

  SourceText& m_source;
  TrainingRun m_run;
  UnusedParts m_unused;                   ///< reported after finish()
  std::optional<double> m_devicesByRate;  ///< of all devices ÷ of each; to as many digits as they are printed

private:
  struct Step {
    double seconds = 0;
    std::optional<double> rate, batch, consumed, tokens;
  };
  using Steps = std::map<long long, Step>;

  void take(std::string_view line, int number);
  void measure();
  void setBatch();

  const StepLabels& m_labels;
  Steps m_steps;
  std::string_view m_line;  ///< which readSetup() reads
  std::optional<int> m_month;
  long long m_last = 0;  ///< number of the last step read
  int m_restarts = 0, m_cut = 0, m_openLine = 0;
};

/// The whole number of at least 1 behind `key`, where the key stands as a word of its own: "tp=8", "tp: 8".
std::optional<int> settingIn(std::string_view line, std::string_view key);
/// The word behind it, without quotes.
std::string_view wordIn(std::string_view line, std::string_view key);

}  // namespace nest
