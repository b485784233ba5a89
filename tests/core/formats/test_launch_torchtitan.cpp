#include <QtTest/QTest>

#include "core/formats/launch_fixture.h"
#include "formats/format.h"
#include "scenario/measurement.h"

using namespace nest;
using namespace nest::test;

class TestLaunchTorchtitan : public QObject {
  Q_OBJECT
private slots:
  void expertsOfWholeReplicasAreNotForTorchTitan() {
    const Fixture f = teaching();
    Plan p = plan(2, 1);
    for (auto& s : p.stages) s.strategy = {1, false, 1, 2};
    QCOMPARE(codes(writeLaunch(LaunchTarget::TorchTitan, f.source(), p).diagnostics, Severity::Error),
             std::string("experts-unsharded ddp-mesh"));
    p.zero = 2;
    const auto r = writeLaunch(LaunchTarget::TorchTitan, f.source(), p);
    QVERIFY(r);
    QVERIFY(r->find("expert_tensor_parallel_degree = 1\n") != std::string::npos);
  }
  void torchTitanNamesItsModules() {
    const Fixture f = teaching();
    Plan p = plan(2, 1);
    p.zero = 2;
    const auto r = writeLaunch(LaunchTarget::TorchTitan, f.source(), p);
    QVERIFY(r);
    QVERIFY(r->find("[\"tok_embeddings\", \"layers.0\", \"layers.1\", \"layers.2\"]") != std::string::npos);
    QVERIFY(r->find("[\"layers.3\", \"layers.4\", \"layers.5\", \"norm\", \"output\"]") != std::string::npos);
    p.zero = 1;
    QVERIFY(!writeLaunch(LaunchTarget::TorchTitan, f.source(), p));
    for (auto& s : p.stages) s.recompute = Recompute::Selective;
    p.zero = 2;
    // Other than torchtitan's, unless the plan was priced as torchtitan does it.
    const Fixture there = teaching(
        [](Scenario& s) { s.model.analytic.selectiveRecompute = SelectiveRecompute::EverySecondProduct; });
    QVERIFY(codes(writeLaunch(LaunchTarget::TorchTitan, f.source(), p).diagnostics, Severity::Warning)
                .find("recompute") != std::string::npos);
    QVERIFY(codes(writeLaunch(LaunchTarget::TorchTitan, there.source(), p).diagnostics, Severity::Warning)
                .find("recompute") == std::string::npos);
    QVERIFY(!writeLaunch(LaunchTarget::Nanotron, f.source(), p));
  }
  void torchTitanRunsInThePlansFormat() {
    const Fixture f = teaching();
    const auto errors = [&](const Plan& p) {
      return codes(writeLaunch(LaunchTarget::TorchTitan, f.source(), p).diagnostics, Severity::Error);
    };
    Plan split = plan(1, 1);
    QVERIFY(has(writeLaunch(LaunchTarget::TorchTitan, f.source(), split), "\ndtype = \"bfloat16\"\n"));
    QCOMPARE(codes(writeLaunch(LaunchTarget::TorchTitan, f.source(), split).diagnostics, Severity::Warning),
             std::string("full-bf16"));
    QVERIFY(has(writeLaunch(LaunchTarget::TorchTitan, f.source(), split), "torchtitan v0.2.2"));
    QCOMPARE(errors(plan(2, 1)), std::string("ddp-mesh"));
    Plan alone = plan(2, 1);
    alone.stages.resize(1);
    for (int l = 4; l < 9; ++l) alone.stages[0].chunks[0].push_back(LayerIndex(l));
    QVERIFY(has(writeLaunch(LaunchTarget::TorchTitan, f.source(), alone),
                "mixed_precision_param = \"bfloat16\""));
    alone.zero = 3;
    QVERIFY(has(writeLaunch(LaunchTarget::TorchTitan, f.source(), alone),
                "mixed_precision_param = \"bfloat16\""));
  }
  /// Lists over several lines, as every pipeline has them.
  void itsConfigurationIsReadBack() {
    const Fixture f = teaching();
    Plan p = plan(2, 1);
    p.zero = 2;
    const auto text = writeLaunch(LaunchTarget::TorchTitan, f.source(), p);
    QVERIFY(text);
    const auto read = std::get<ReadMeasurement>(findFormat("torchtitan-config")->read)(*text, "t.toml");
    QVERIFY2(read, read ? "" : read.diagnostics.front().message.c_str());
    const RunSettings s = std::get<TrainingRun>(read->of).settings;
    QCOMPARE(s.pipeline.value_or(0), 2);
    QCOMPARE(s.data.value_or(0), 2);
    QCOMPARE(s.microbatch.value_or(0), 1);
    QCOMPARE(s.globalBatch.value_or(0), f.problem.job.globalBatch);
    QCOMPARE(s.sequenceLength.value_or(0), f.problem.job.sequenceLength);
  }
  void selectiveRecomputeIsOfProducts() {
    const Fixture f = teaching(
        [](Scenario& s) { s.model.analytic.selectiveRecompute = SelectiveRecompute::EverySecondProduct; });
    Plan p = plan(2, 1);
    p.zero = 2;
    for (auto& s : p.stages) s.recompute = Recompute::Selective;
    QVERIFY(has(writeLaunch(LaunchTarget::TorchTitan, f.source(), p),
                "mode = \"selective\"\nselective_ac_option = \"op\"\n"));
    for (auto& s : p.stages) s.recompute = Recompute::Full;
    QVERIFY(
        has(writeLaunch(LaunchTarget::TorchTitan, f.source(), p), "mode = \"full\"\nearly_stop = false\n"));
  }
  void aRefusalNamesWhatThePlanHas() {
    Plan p = plan(2, 1);
    p.zero = 1;
    const auto r = writeLaunch(LaunchTarget::TorchTitan, teaching().source(), p);
    QCOMPARE(codes(r.diagnostics, Severity::Error), std::string("zero-1"));
    QCOMPARE(r.diagnostics.front().remedy, std::string("offer 2 and 3 in search.zero_stages"));
  }
};
NEST_TEST(TestLaunchTorchtitan)
#include "test_launch_torchtitan.moc"
