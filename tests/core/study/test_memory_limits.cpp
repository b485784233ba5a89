#include <QtTest/QTest>

#include "cluster/devices/device_catalog.h"
#include "fields/program_setting.h"
#include "formats/import_files.h"
#include "measures/metrics.h"
#include "solver/solve.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

/// A run reported in public: what fitted on so many H100, and what ran out of memory.
struct Run {
  const char* model;  ///< in samples/models or tests/data/hf-config
  int hosts;
  const char* program;
  int batch, length;
  std::vector<int> microbatches, zero;
  std::vector<Recompute> recompute;
  std::vector<int> chunks;
  std::optional<int> tensor, stages;
  bool searchesMore = false;  ///< context parallelism and experts over tensor ranks
};

Scenario scenarioOf(const Run& run) {
  std::string path = std::string(NEST_SOURCE_DIR) + "/samples/models/" + run.model + ".json";
  if (!QFile::exists(QString::fromStdString(path)))
    path = std::string(NEST_TEST_DATA) + "/hf-config/" + run.model + ".json";
  const auto parts = importFiles(
      {{"config.json", test::readFile(path)},
       {"net", run.hosts > 1 ? "host:8@450GB/s,2us rack:" + std::to_string(run.hosts) + "@50GB/s,5us"
                             : std::string("host:8@450GB/s,2us")}},
      *findDevice("h100-sxm"), {});
  if (!parts) return {};
  Scenario s = *assemble(*parts.value, nullptr, findProgram(run.program)).value;
  s.assumptions.linkEfficiency = 1;
  s.job.globalBatch = run.batch;
  s.job.sequenceLength = run.length;
  s.job.microbatches = run.microbatches;
  s.search.zeroStages = run.zero;
  s.search.recompute = {};
  for (const Recompute r : run.recompute) s.search.recompute[r] = true;
  s.search.chunksPerStage = run.chunks;
  s.search.contextParallel = run.searchesMore;
  if (run.searchesMore) setValue(s, {"/search/folded_experts", std::string("also"), Origin::Typed, {}});
  if (run.tensor) s.constraints.tensor = {*run.tensor, *run.tensor};
  if (run.stages) s.constraints.stages = {*run.stages, *run.stages};
  return s;
}

struct Answer {
  Outcome outcome;
  double neededGiB = 0;  ///< by the fullest device of the best plan, or of the closest one
  double teraflops = 0;  ///< of each device
};

Answer answerOf(const Run& run) {
  const Scenario s = scenarioOf(run);
  const auto problem = buildProblem(s);
  if (!problem) return {};
  Answer a{solve(*problem.value)};
  if (const RankedPlan* best = a.outcome.best()) {
    const PlanMetrics m = metricsOf(*problem.value, &*s.model.architecture, *best);
    a.neededGiB = m.peakMemory.value() / kGiB;
    a.teraflops = m.mfu.value_or(0) * m.peak.rate.value() / 1e12;
  } else if (a.outcome.nearestMiss) {
    a.neededGiB = (s.cluster.device.memory.value + a.outcome.nearestMiss->shortfall).value() / kGiB;
  }
  return a;
}

const std::vector<Recompute> kLittle = {Recompute::None, Recompute::Selective};
const std::vector<Recompute> kAll = {Recompute::None, Recompute::Selective, Recompute::Full};

Run llama70b(int stages, int zero, const std::vector<Recompute>& recompute) {
  return {"llama-3-70b", 16, "megatron-core-2024", 1024, 4096, {1, 2}, {zero}, recompute, {1}, 8, stages};
}
Run qwen235b(int hosts) {
  return {"qwen3-235b-a22b",
          hosts,
          "megatron-core-2025",
          128,
          8192,
          {1},
          {0, 1},
          kAll,
          {1, 2, 4, 8},
          {},
          {},
          true};
}
Run qwen30b(const std::vector<Recompute>& recompute) {
  return {"qwen3-30b-a3b", 1, "megatron-core-2025", 256, 4096, {1}, {1}, recompute, {1, 2, 4, 8}, {}, {}};
}

}  // namespace

class TestMemoryLimits : public QObject {
  Q_OBJECT
private slots:
  // NVIDIA/Megatron-LM 1031: Llama 70B on 128 H100.
  void llama70bNeedsTheDistributedOptimizer() {
    const Answer without = answerOf(llama70b(2, 0, kLittle));
    QCOMPARE(without.outcome.status, OutcomeStatus::Infeasible);
    QVERIFY2(without.neededGiB > 80 && without.neededGiB < 90,
             qPrintable(QString::number(without.neededGiB)));
    QVERIFY(answerOf(llama70b(2, 1, kLittle)).outcome.best());
  }
  // The same thread: 296.5 TFLOP/s with PP 8 and full recompute.
  void llama70bWithFullRecomputeIsAsFast() {
    const Answer a = answerOf(llama70b(8, 1, {Recompute::Full}));
    QVERIFY(a.outcome.best());
    QVERIFY2(a.teraflops > 0.9 * 296.5 && a.teraflops < 1.2 * 296.5,
             qPrintable(QString::number(a.teraflops)));
  }
  // THUDM/slime 280: full training of Qwen3 235B takes 132 GiB a device on 32 H100, and runs on 64.
  void qwen235bFitsOn64() {
    const Answer few = answerOf(qwen235b(4));
    QCOMPARE(few.outcome.status, OutcomeStatus::Infeasible);
    QVERIFY2(few.neededGiB > 0.95 * 132 && few.neededGiB < 1.05 * 132,
             qPrintable(QString::number(few.neededGiB)));
    QVERIFY(answerOf(qwen235b(8)).outcome.best());
  }
  // NVIDIA/Megatron-LM 2762: Qwen3 30B on one host is out of memory without recompute.
  void qwen30bOnOneHostNeedsRecompute() {
    const Answer without = answerOf(qwen30b({Recompute::None}));
    QCOMPARE(without.outcome.status, OutcomeStatus::Infeasible);
    QVERIFY(without.neededGiB < 90);
    QVERIFY(answerOf(qwen30b({Recompute::Full})).outcome.best());
  }
};
NEST_TEST(TestMemoryLimits)
#include "test_memory_limits.moc"
