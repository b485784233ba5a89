#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/scenario/scenario_json.h"
#include "measures/metrics.h"
#include "solver/control.h"
#include "study/journal.h"

namespace nest {

/// One field of the scenario file and the values it takes, each a JSON text ("512", "\"50 GB/s\"", "[1, 2]").
struct SweepField {
  std::string pointer;  ///< "/job/global_batch"
  std::vector<std::string> values;

  friend bool operator==(const SweepField&, const SweepField&) = default;
};

/// Reads FIELD=VALUES as people type it. FIELD: a path with dots or a JSON pointer ("job.global_batch",
/// "cluster.levels.1.bandwidth"). VALUES: separated by commas, each JSON or bare text ("50 GB/s"); `8..64x2`
/// is 8, 16, 32, 64 and `1..4+1` is 1, 2, 3, 4; "25 GB/s..100 GB/sx2" is 25, 50 and 100 GB/s. `10..40/4` is
/// four values at even steps, 10, 20, 30, 40; `1..1000/4log` four at even factors, 1, 10, 100, 1000.
Reading<SweepField> readSweepField(std::string_view text);

/// The grid of all combinations, the last field fastest.
class SweepGrid {
public:
  /// `scenario`: text of a scenario file; it must be good as it stands. Errors: a field twice or without
  /// values, more than a million combinations, a field that scenarios do not have. Values with a unit become
  /// numbers, single values of a list field lists of one.
  static Reading<SweepGrid> build(std::string_view scenario, const std::string& file,
                                  std::vector<SweepField> fields, const ReferenceLoader& load);

  std::size_t size() const;
  const std::vector<SweepField>& fields() const { return m_fields; }
  std::vector<std::string> valuesAt(std::size_t index) const;  ///< one per field
  Reading<Scenario> scenarioAt(std::size_t index) const;
  /// Equal for equal scenarios and fields: rows of one key belong together, if their files are equal too.
  const std::string& key() const { return m_key; }
  /// The files that the scenarios name, with a hash of their contents. Each is read once, by build(): all
  /// rows see the same contents.
  const std::map<std::string, std::string>& files() const { return m_files; }

private:
  struct Loaded;
  void readFiles();
  std::string startAt(const std::vector<std::string>& values) const;

  std::string m_scenario;  ///< normalised
  std::string m_file, m_key;
  std::map<std::string, std::string> m_files;
  std::vector<SweepField> m_fields;
  std::shared_ptr<Loaded> m_loaded;
  ReferenceLoader m_load;
};

/// What one combination gave.
struct SweepRow {
  std::size_t index = 0;
  std::vector<std::string> values;
  std::string status;   ///< of the outcome, or "invalid"
  std::string problem;  ///< invalid, infeasible: why
  std::string plan;     ///< summary of the best plan; the figures below are its own, 0 without one
  double batchSeconds = 0, simulatedSeconds = 0, samplesPerSecond = 0, tokensPerSecond = 0;
  std::optional<double> mfu;
  int devicesUsed = 0;
  double peakMemoryBytes = 0;
  double deviceHours = 0;                ///< of the whole run; 0: its training tokens are not known
  std::string boundBy, largestOverhead;  ///< the largest part of the step; the largest that is not compute
  double lowerBoundSeconds = 0;          ///< 0: none
  std::optional<double> gap;
  int globalBatch = 0;  ///< that the plan takes
  /// Of the whole run: absent where the scenario does not say enough, or the run does not end.
  std::optional<double> trainingSeconds, money, energyKwh;
  double states = 0, elapsedSeconds = 0;

  friend bool operator==(const SweepRow&, const SweepRow&) = default;
};

SweepRow solveSweepRow(const SweepGrid&, std::size_t index, const Control& = {});

struct SweepOptions {
  int threads = 1;
  Shard shard;
  std::vector<SweepRow> done;  ///< rows from before an interruption; not solved again
};

/// Solves what is not done, on several threads. `onRow` is called with each new row, one call at a time, on a
/// worker. Returns the rows of the shard in the order of the grid, those done before included; stopped: those
/// finished.
std::vector<SweepRow> runSweep(
    const SweepGrid&, SweepOptions,
    const std::function<void(const SweepRow&, std::size_t done, std::size_t all)>& onRow,
    const Control& = {});

/// A journal: a head line with the grid's key, files and fields, then a row per line, appended as they come.
struct SweepJournal {
  std::string file;  ///< its own
  std::string key;
  std::map<std::string, std::string> files;
  std::vector<SweepField> fields;
  std::size_t size = 0;  ///< of the whole grid
  std::vector<SweepRow> rows;
  std::uint64_t bytes =
      0;  ///< of the head and the whole rows; behind them an interruption left a part of one
};
std::string journalHead(const SweepGrid&);
std::string journalLine(const SweepRow&);
/// A journal of any length. A last line that an interruption cut off is left out with a note.
Reading<SweepJournal> readJournal(const std::string& path);
/// Errors where the journal's rows are of another sweep, or were solved with other contents of its files.
Diagnostics belongsTo(const SweepJournal&, const SweepGrid&);
/// Joins journals of shards of one sweep. Errors: different sweeps. Warnings: rows missing.
Reading<SweepJournal> mergeJournals(std::vector<SweepJournal>);

/// A table with a column per field (by its pointer without the leading slash) and per figure; keys and heads
/// end in units. Equal for equal grids, whoever solved the rows and how long it took. Handed out in pieces.
using TextSink = std::function<void(std::string_view)>;
void writeSweepCsv(const std::vector<SweepField>&, const std::vector<SweepRow>&, const TextSink&);
void writeSweepJson(const std::vector<SweepField>&, const std::vector<SweepRow>&, const TextSink&);

}  // namespace nest
