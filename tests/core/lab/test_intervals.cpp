// The intervals next to step times: that they are up to date, and hold what they claim.
#include <QtTest/QTest>
#include <algorithm>
#include <cmath>
#include <set>

#include "lab/validation.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

/// The held-out runs of all published tables, which are predicted once.
const std::vector<HeldOutRun>& publishedRuns() {
  static const std::vector<HeldOutRun> all = [] {
    ValidationReport report;
    for (const char* file : {"dgx_cloud_runs.json", "training_runs.json", "unseen_runs.json"}) {
      const auto read =
          runValidation(test::readFile(std::string(NEST_SOURCE_DIR "/samples/published/") + file), file);
      if (read) report.rows.insert(report.rows.end(), read->rows.begin(), read->rows.end());
    }
    return heldOutRuns(report);
  }();
  return all;
}

}  // namespace

class TestIntervals : public QObject {
  Q_OBJECT
private slots:
  /// The intervals that headlines show.
  void errorsAreUpToDate() {
    QVERIFY2(cellsOf(publishedRuns()) == predictionCells(),
             "write it again: nest-plan study validation --errors samples/published/*_runs.json > "
             "resources/prediction_errors.json");
    const auto cell = [](const char* program, const char* device, bool experts) {
      return cellOf(predictionCells(), program, device, experts);
    };
    QVERIFY(cell("nemo-2024", "h100-sxm", false)->runs.error.runs >= 10);
    QCOMPARE(cell("nemo-2024", "h100-sxm", false)->behind, RunsBehind::SameProgram);
    // No runs of its own, or too few, end in a wider cell and not in silence.
    QCOMPARE(cell("megatron-core-2025", "h100-sxm", false)->behind, RunsBehind::RelatedPrograms);
    QCOMPARE(cell("nemo-2024", "mi300x", false)->behind, RunsBehind::RelatedElsewhere);
    QCOMPARE(cell("deepspeed-2025", "h100-sxm", false)->behind, RunsBehind::SameDevices);
    QCOMPARE(cell("deepspeed-2025", "mi300x", true)->behind, RunsBehind::AnyProgram);
    QVERIFY(!cell("ideal", "h100-sxm", false));
    QCOMPARE(predictionErrorOf("ideal", "h100-sxm", false).runs, 0);
    for (const ProgramName& p : programNames())
      for (const bool experts : {false, true})
        QCOMPARE(cell(p.id.c_str(), "h100-sxm", experts) != nullptr, p.id != kIdealProgram);
    for (const PredictionCell& c : predictionCells())
      QVERIFY(c.runs.error.time > 0 && c.difference > 0 && c.runs.error.time < 1);
  }
  /// The interval of each run from all other sets: it holds four fifths of what it has not seen.
  void intervalsHoldFourFifths() {
    const auto all = publishedRuns();
    std::set<std::string> sets;
    for (const HeldOutRun& r : all) sets.insert(r.set);
    int held = 0;
    for (const std::string& set : sets) {
      std::vector<HeldOutRun> others;
      for (const HeldOutRun& r : all)
        if (r.set != set) others.push_back(r);
      const auto cells = cellsOf(others);
      for (const HeldOutRun& r : all)
        if (r.set == set)
          held += std::abs(r.ratio - 1) <= cellOf(cells, r.program, r.device, r.experts)->runs.error.time;
    }
    const double share = held / double(all.size());
    QVERIFY2(share >= 0.75 && share <= 0.85, std::to_string(share).c_str());
  }
  /// By hand: ten runs of five sets, of which the fifth is the farthest off.
  void anIntervalHoldsFourFifthsOfItsRuns() {
    std::vector<HeldOutRun> runs;
    for (int k = 0; k < 10; ++k)
      runs.push_back({.set = std::to_string(k / 2),
                      .program = "nemo-2024",
                      .device = "h100-sxm",
                      .model = "one",
                      .step = 1.0 + k,
                      .ratio = 1 + 0.01 * (k + 1)});
    const auto cells = cellsOf(runs);
    const PredictionCell* cell = cellOf(cells, "nemo-2024", "h200", false);
    QVERIFY(cell);
    // 0.8 · (1 + 1/5) of five sets are 4.8 of them: the tenth run. Of four sets, with the nearest runs
    // weighing as much as any, all.
    QCOMPARE(cell->runs.error, (PredictionError{0.1, 10}));
    QCOMPARE(cell->sets, 5);
    // In a set the slower run is off by one percent more: 1.02 ÷ 1.01 at most.
    QCOMPARE(cell->difference, 0.01);
    QVERIFY(!cellOf(cells, "nemo-2024", "h100-sxm", true));
    runs.resize(9);  // fewer than ten: those of any program
    QCOMPARE(cellOf(cellsOf(runs), "nemo-2024", "h100-sxm", false)->behind, RunsBehind::AnyProgram);
  }
};
NEST_TEST(TestIntervals)
#include "test_intervals.moc"
