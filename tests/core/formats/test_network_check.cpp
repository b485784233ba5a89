#include <QtTest/QTest>
#include <nlohmann/json.hpp>

#include "calibration/calibration.h"
#include "cluster/devices/device_catalog.h"
#include "evaluation/evaluation.h"
#include "formats/import_files.h"
#include "formats/networks/network_check.h"
#include "formats/networks/slurm_topology.h"
#include "formats/scenario/scenario_json.h"
#include "support/test_main.h"

using namespace nest;

namespace {

/// Two hosts of two devices behind one thin link of 5 GB/s, and a model small enough to count by hand.
constexpr const char* kFabric =
    "graph f { node [kind=device]; a0 [host=h0]; a1 [host=h0]; b0 [host=h1]; s [kind=switch]; "
    "a0 -- s [gbps=450]; a1 -- s [gbps=450]; t [kind=switch]; s -- t [gbps=5]; b0 -- t [gbps=450]; }";
constexpr const char* kModel =
    R"({"model_type": "llama", "hidden_size": 512, "intermediate_size": 1024, "num_hidden_layers": 4,
        "num_attention_heads": 8, "vocab_size": 1000, "max_position_embeddings": 2048})";

Scenario imported() {
  const auto parts = importFiles({{"f.dot", kFabric}, {"config.json", kModel}}, *findDevice("h100-sxm"), {});
  if (!parts) qFatal("%s", toText(parts.diagnostics.front()).c_str());
  auto scenario = assemble(*parts, nullptr);
  scenario->job.globalBatch = 3;
  return *scenario;
}

Plan threeReplicas(const Problem& problem) {
  Plan plan;
  plan.dataInner = 3;
  StagePlan stage;
  stage.chunks.emplace_back();
  for (int i = 0; i < problem.graph->layerCount(); ++i) stage.chunks[0].push_back(LayerIndex(i));
  plan.stages = {stage};
  plan.blockStride = 3;
  return plan;
}

}  // namespace

class TestNetworkCheck : public QObject {
  Q_OBJECT
private slots:
  void thePlanIsSeenOnTheLinks() {
    const Scenario s = imported();
    const auto problem = buildProblem(s);
    QVERIFY(problem);
    const auto check = checkOnNetwork(&s.cluster, *problem, threeReplicas(*problem));
    QVERIFY(check);
    QVERIFY(check->busiest == "s → t" || check->busiest == "t → s");
    QCOMPARE(check->busiestRate.value(), 5e9);
    QVERIFY(check->busiestBytes.value() > 0);
    QCOMPARE(check->traffic.bound.value(), check->busiestBytes.value() / 5e9);
    QVERIFY(std::find(check->irregularities.begin(), check->irregularities.end(), "h1 has 1 of 2 devices") !=
            check->irregularities.end());
    const auto written = networkCheckJson(*check, Seconds(1));
    QCOMPARE(written["lower_bound_s"].get<double>(), check->traffic.bound.value());
  }
  void whatTimeDidNotSufficeForIsSaid() {
    const Scenario s = imported();
    const auto problem = buildProblem(s);
    const Until past{{}, std::chrono::steady_clock::now() - std::chrono::seconds(1)};
    const auto check = checkOnNetwork(&s.cluster, *problem, threeReplicas(*problem), past);
    QVERIFY(check && !check->traffic.complete);
    std::string all;
    for (const auto& [title, line] : networkCheckLines(*check, Seconds(1))) all += line + '\n';
    QVERIFY2(all.find("stopped before the rest") != std::string::npos, all.c_str());
    QVERIFY2(all.find("nothing is sent") == std::string::npos, all.c_str());
    QVERIFY2(all.find("largest ratio") == std::string::npos, all.c_str());  // the levels are not compared
    QVERIFY(!networkCheckJson(*check, Seconds(1)).contains("distortion"));
  }
  void levelsThatWereTypedHaveNoGraph() {
    Scenario s = imported();
    const auto problem = buildProblem(s);
    s.cluster.network = LevelsSource{};
    QVERIFY(!checkOnNetwork(&s.cluster, *problem, threeReplicas(*problem)));
  }
  void aMeasuredStepRescalesTheComputeTimes() {
    const Scenario s = imported();
    const Plan plan = threeReplicas(*buildProblem(s));
    const Seconds before = evaluate(*buildProblem(s), plan).batchTime;
    const auto c = calibrationFor(s, plan, before * 3);
    QVERIFY(c);
    QVERIFY(std::abs(c->predictedByMeasured() - 1.0 / 3) < 1e-12);
    QVERIFY(c->factor > 3);  // exchanges stay as they are, so that compute has to grow by more
    Scenario again = s;
    again.model.calibration = c->factor;
    QVERIFY(std::abs(evaluate(*buildProblem(again), plan).batchTime / (before * 3) - 1) < 1e-9);
    QVERIFY(!calibrationFor(s, plan, Seconds(1e-9)));
    QVERIFY(!calibrationFor(s, plan, Seconds(0)));
  }
  void constantsAndFiguresWithUnitsSurviveAFile() {
    const std::string text =
        R"({"format": "nest-scenario", "version": 1, "name": "x",
            "cluster": {"device": {"id": "h100-sxm", "memory_bytes": "96 GiB", "peak_flops_per_s": "1 PFLOP/s",
                                   "kernel_latency_s": "3 us"}, "network": "host:8@450GB/s,2us"},
            "model": {"config": )" +
        std::string(kModel) + R"(, "analytic": {"flash_attention": false, "backward_traffic": 2}},
            "job": {"global_batch": 8, "sequence_length": 1024}})";
    const auto s = readScenario(text, "x", {});
    QVERIFY(s);
    QCOMPARE(s->cluster.device.memory.value.value(), 96 * 1073741824.0);
    QCOMPARE(s->cluster.device.peak.value.value(), 1e15);
    QVERIFY(std::abs(s->cluster.device.kernelLatency.value.value() - 3e-6) < 1e-15);
    QVERIFY(!s->model.analytic.flashAttention);
    QCOMPARE(s->model.analytic.constants.backwardTraffic.value, 2.0);
    const auto again = readScenario(writeScenario(*s), "x", {});
    QVERIFY(again);
    QVERIFY(*again == *s);
    Scenario fused = *s;
    fused.model.analytic = {};
    QVERIFY(!(*buildProblem(fused)->profile == *buildProblem(*s)->profile));
    std::string wrong = text;
    wrong.replace(wrong.find("96 GiB"), 6, "96 GHz");
    QVERIFY(!readScenario(wrong, "x", {}));
  }
  void listsGoOnBehindTheIndentation() {
    const auto t = readSlurmTopologyConf("SwitchName=s Nodes=a[0-1],\\\n    b[0-2]\n");
    QVERIFY(t);
    QCOMPARE(t->hostCount(), std::size_t(5));
  }
};
NEST_TEST(TestNetworkCheck)
#include "test_network_check.moc"
