#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "scenario/scenario.h"
#include "solver/baselines/baselines.h"
#include "solver/control.h"

namespace nest {

/// Ratios that the paper's artifact publishes for one row, by method: "MCMC", "Phaze", "Alpa-E", "NEST";
/// relative to Manual of the same row.
using PublishedRatios = std::map<std::string, double>;
/// Of all rows, by the model's key in the tables, whether they are of the H100 spine-leaf, and devices.
using PublishedTables = std::map<std::tuple<std::string, bool, int>, PublishedRatios>;

/// Of the reference's readme_tables.json; an error where it holds no row of the comparison.
Reading<PublishedTables> readPublishedTables(std::string_view text, const std::string& file);

/// One cluster, size and model of the paper's comparison (NEST, arXiv 2603.06798).
struct PaperRow {
  std::string cluster;  ///< "H100 spine-leaf", "TPUv4-like fat tree"
  std::string model;    ///< "Llama-2 7B"
  int devices = 0;
  Diagnostics diagnostics;  ///< why the row could not be built
  Outcome exact;            ///< this planner's
  std::vector<BaselineResult> baselines;
  PublishedRatios published;  ///< empty if no tables were given, or they have no such row

  const BaselineResult* baseline(BaselineKind) const;
  /// Throughput relative to Manual; empty where either cannot run. The exact search: `exactRatio`.
  std::optional<double> ratio(BaselineKind) const;
  std::optional<double> exactRatio() const;
};

struct PaperOptions {
  std::vector<int> treeDevices = {64, 128, 256, 512, 1024};  ///< TPUv4-like fat tree
  std::vector<int> leafDevices = {128, 1024};                ///< H100 spine-leaf
  std::vector<std::string> models;                           ///< of paperModels(); empty: all
  BaselineOptions baselines;
  PublishedTables published;
};

/// Names of the five models.
std::vector<std::string> paperModels();
/// The scenario of one row: the paper's levels with one-way bandwidths, microbatch 1, a global batch of 4,096
/// sequences. `leaf`: H100 spine-leaf, else the TPUv4-like fat tree. nullopt: unknown model.
std::optional<Scenario> paperScenario(const std::string& model, bool leaf, int devices);

/// How many rows the options ask for, and one of them.
std::size_t paperRowCount(const PaperOptions&);
PaperRow paperRow(const PaperOptions&, std::size_t index, const Control& = {});

/// Every row, each method judged by the same evaluator. Stopped early: the rows done so far. `done` (may be
/// null) is called after each row, on this thread.
std::vector<PaperRow> paperStudy(const PaperOptions& = {}, const Control& = {},
                                 const std::function<void(const PaperRow&)>& done = {});

/// The table as text: throughput relative to Manual, the artifact's published ratios beside it, and why the
/// two differ.
std::string paperTable(const std::vector<PaperRow>&);
/// One row per line, comma separated, with a head; empty cells where a method cannot run.
std::string paperCsv(const std::vector<PaperRow>&);

}  // namespace nest
