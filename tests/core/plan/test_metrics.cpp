#include <QtTest/QTest>
#include <cmath>

#include "formats/scenario/scenario_json.h"
#include "plan/metrics.h"
#include "solver/headline.h"
#include "support/test_main.h"

using namespace nest;

namespace {

Scenario teaching() {
  const std::string path = std::string(NEST_SOURCE_DIR) + "/samples/teaching-6-layers-2x2.nest.json";
  return *readScenario(nest::test::readFile(path), path, {}).value;
}

Plan twoStages(int layers) {
  Plan p;
  p.stages.resize(2);
  for (int i = 0; i < 2; ++i) {
    p.stages[std::size_t(i)].strategy = {2, true, 1, 1};
    p.stages[std::size_t(i)].chunks.resize(1);
  }
  for (int l = 0; l < layers; ++l) p.stages[l < 4 ? 0 : 1].chunks[0].push_back(LayerIndex(l));
  p.blockStride = 4;
  return p;
}

}  // namespace

class TestMetrics : public QObject {
  Q_OBJECT
private slots:
  void theSplitSumsToTheBatch() {
    const Scenario s = teaching();
    const auto problem = buildProblem(s);
    QVERIFY(problem);
    const Plan plan = twoStages(problem->graph->layerCount());
    const Evaluation e = evaluate(*problem, plan);
    QVERIFY(e.feasible());
    const PlanMetrics m = metricsOf(*problem, &*s.model.architecture, plan, e);
    Seconds sum;
    for (const Seconds x : m.shares) sum += x;
    QVERIFY(std::abs(sum.value() - e.batchTime.value()) <= 1e-12 * e.batchTime.value());
    // One pipeline of two stages: what is neither the slowest stage's work nor its end is the other stage's
    // load.
    const double bubble = m.shares[std::size_t(Binding::Bubble)].value();
    QVERIFY(std::abs(bubble - (e.sumLoad - e.maxLoad).value()) <= 1e-9);
    QCOMPARE(m.devicesUsed, 4);
    QVERIFY(std::abs(m.tokensPerSecond - 16.0 * 2048 / e.batchTime.value()) < 1e-6);
    const double flops = modelFlops(*s.model.architecture, 2048, 16).value();
    QVERIFY(std::abs(*m.mfu - flops / (100e12 * 4 * e.batchTime.value())) < 1e-12);
  }
  void trainingTakesItsTokens() {
    Scenario s = teaching();
    s.job.trainingTokens = 1e9;
    const auto problem = buildProblem(s);
    const Plan plan = twoStages(problem->graph->layerCount());
    const PlanMetrics m = metricsOf(*problem, nullptr, plan, evaluate(*problem, plan));
    QVERIFY(!m.mfu);
    QVERIFY(std::abs(m.trainingTime->value() * m.tokensPerSecond - 1e9) < 1);
    QVERIFY(std::abs(*m.deviceHours - m.trainingTime->value() / 3600 * 4) < 1e-9);
  }
  void deviceHoursCountDevicesInUse() {
    Scenario s = teaching();
    s.job.trainingTokens = 1e9;
    const auto problem = buildProblem(s);
    Plan plan = twoStages(problem->graph->layerCount());
    for (StagePlan& stage : plan.stages) stage.strategy = {1, false, 1, 1};
    plan.blockStride = 2;
    const PlanMetrics m = metricsOf(*problem, nullptr, plan, evaluate(*problem, plan));
    QCOMPARE(m.devicesUsed, 2);
    QCOMPARE(m.deviceCount, 4);
    QVERIFY(std::abs(*m.deviceHours - m.trainingTime->value() / 3600 * 2) < 1e-9);
  }
  void fp8IsMeasuredByItsOwnPeak() {
    const Scenario s = teaching();
    Problem p = *buildProblem(s).value;
    HierarchyInput in;
    in.device = p.cluster->device();
    in.fanouts = {2, 2};
    in.levels = {{"host", BytesPerSecond(450e9), Seconds(2e-6)},
                 {"rack", BytesPerSecond(50e9), Seconds(5e-6)}};
    const auto mfu = [&](NumberFormat format, std::optional<double> peakFp8) {
      in.device.peakFp8.reset();
      if (peakFp8) in.device.peakFp8 = Sourced<FlopsPerSecond>{FlopsPerSecond(*peakFp8)};
      p.cluster = std::make_shared<const Hierarchy>(*Hierarchy::build(in));
      p.job.format = format;
      const Plan plan = twoStages(p.graph->layerCount());
      return *metricsOf(p, &*s.model.architecture, plan, evaluate(p, plan)).mfu;
    };
    const double wide = mfu(NumberFormat::Bf16, 250e12);
    QVERIFY(wide > 0);
    QCOMPARE(mfu(NumberFormat::Fp8, 250e12), wide / 2.5);  // the device's bf16 peak is 100 TFLOP/s
  }
  void whatBinds_data() {
    QTest::addColumn<double>("forward");
    QTest::addColumn<double>("tensor");
    QTest::addColumn<double>("recompute");
    QTest::addColumn<int>("binds");
    QTest::newRow("compute") << 8.0 << 2.0 << 0.0 << int(Binding::Compute);
    QTest::newRow("tensor") << 5.0 << 4.0 << 1.0 << int(Binding::Tensor);
    QTest::newRow("memory") << 5.0 << 1.0 << 4.0 << int(Binding::Memory);
  }
  void whatBinds() {
    QFETCH(double, forward);
    QFETCH(double, tensor);
    QFETCH(double, recompute);
    QFETCH(int, binds);
    StageEvaluation s;
    s.forward = Seconds(forward);
    s.recompute = Seconds(recompute);
    s.exchange[std::size_t(Exchange::Tensor)] = Seconds(tensor);
    s.load = Seconds(forward + tensor + recompute);
    QCOMPARE(int(bindingOf(s)), binds);
  }
  void hiddenExchangesDoNotCount() {
    StageEvaluation s;
    s.forward = Seconds(6);
    s.exchange[std::size_t(Exchange::Tensor)] = Seconds(4);
    s.hidden = Seconds(3);
    s.load = Seconds(7);
    const auto shares = stageShares(s, Seconds(10));
    QCOMPARE(shares[std::size_t(Binding::Tensor)].value(), 1.0);
    QCOMPARE(shares[std::size_t(Binding::Bubble)].value(), 3.0);
    QCOMPARE(int(bindingOf(s)), int(Binding::Compute));
  }
  void theHeadlineSaysWhatPeopleAsk() {
    PlanMetrics m;
    m.batchTime = Seconds(8.4);
    m.mfu = 0.41;
    m.fullestStage = 0;
    m.peakMemory = Bytes(71 * 1073741824.0);
    m.capacity = Bytes(80 * 1073741824.0);
    m.binds = Binding::Bubble;
    Plan p = twoStages(9);
    Outcome o;
    o.status = OutcomeStatus::Optimal;
    o.statistics.elapsed = Seconds(0.012);
    QCOMPARE(headlineOf(m, p, o), std::string("8.4 s a batch · 41 % MFU · t2 sp · p2 · d1 · b1 · 71 of 80 "
                                              "GiB · bound by bubble · Optimal in 12 ms"));
  }
};
NEST_TEST(TestMetrics)
#include "test_metrics.moc"
