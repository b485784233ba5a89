#include <QtTest/QTest>
#include <cmath>

#include "formats/scenario/scenario_json.h"
#include "measures/metrics.h"
#include "support/hand_problem.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

Scenario teaching() {
  const std::string path = std::string(NEST_SOURCE_DIR) + "/samples/teaching-6-layers-2x2.nest.json";
  return *readScenario(nest::test::readFile(path), path, {}).value;
}

bool isClose(Seconds a, Seconds b) {
  return std::abs((a - b).value()) <= 1e-12 * std::max(1.0, std::abs(b.value()));
}

Plan pipelineOf(int layers) {
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
    const Plan plan = pipelineOf(problem->graph->layerCount());
    const Evaluation e = evaluate(*problem, plan);
    QVERIFY(e.feasible());
    const PlanMetrics m = metricsOf(*problem, &*s.model.architecture, plan, e);
    Seconds sum;
    for (const Seconds x : m.split) sum += x;
    QVERIFY(isClose(sum, e.batchTime));
    QVERIFY(isClose(m.split[std::size_t(TimePart::Idle)], m.bubble.idle() * e.batchTime));
    QCOMPARE(m.devicesUsed, 4);
    QVERIFY(std::abs(m.tokensPerSecond - 16.0 * 2048 / e.batchTime.value()) < 1e-6);
    const double flops = modelFlops(*s.model.architecture, 2048, 16).value();
    QVERIFY(std::abs(*m.mfu - flops / (100e12 * 4 * e.batchTime.value())) < 1e-12);
  }
  void trainingTakesItsTokens() {
    Scenario s = teaching();
    s.job.trainingTokens = 1e9;
    const auto problem = buildProblem(s);
    const Plan plan = pipelineOf(problem->graph->layerCount());
    const PlanMetrics m = metricsOf(*problem, nullptr, plan, evaluate(*problem, plan));
    QVERIFY(!m.mfu);
    QVERIFY(std::abs(m.trainingTime->value() * m.tokensPerSecond - 1e9) < 1);
    QVERIFY(std::abs(*m.deviceHours - m.trainingTime->value() / 3600 * 4) < 1e-9);
  }
  void deviceHoursAndUtilisationCountDevicesInUse() {
    Scenario s = teaching();
    s.job.trainingTokens = 1e9;
    const auto problem = buildProblem(s);
    Plan plan = pipelineOf(problem->graph->layerCount());
    for (StagePlan& stage : plan.stages) stage.strategy = {1, false, 1, 1};
    plan.blockStride = 2;
    const PlanMetrics m = metricsOf(*problem, &*s.model.architecture, plan, evaluate(*problem, plan));
    QCOMPARE(m.devicesUsed, 2);
    QCOMPARE(m.deviceCount, 4);
    const double flops = modelFlops(*s.model.architecture, 2048, 16).value();
    QCOMPARE(*m.mfu, flops / (m.peak.rate.value() * 2 * m.batchTime.value()));
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
      const Plan plan = pipelineOf(p.graph->layerCount());
      return *metricsOf(p, &*s.model.architecture, plan, evaluate(p, plan)).mfu;
    };
    const double wide = mfu(NumberFormat::Bf16, 250e12);
    QVERIFY(wide > 0);
    QCOMPARE(mfu(NumberFormat::Fp8, 250e12), wide / 2.5);  // the device's bf16 peak is 100 TFLOP/s
  }
  void equalStagesHaveTheTextbooksBubble_data() {
    QTest::addColumn<int>("chunks");
    QTest::newRow("1F1B") << 1;
    QTest::newRow("interleaved") << 2;
  }
  void equalStagesHaveTheTextbooksBubble() {
    QFETCH(int, chunks);
    constexpr int kStages = 4;
    // Transfers would load the ends less than the middle.
    const Problem p =
        test::withProfile(test::handProblem(test::hosts(8, 1), kStages * chunks), [&](Profile& profile) {
          for (int t = 0; t + 1 < kStages * chunks; ++t) profile.setTensorBytes(t, 0, 0, Bytes(0));
        });
    std::vector<std::vector<int>> parts;
    for (int x = 0; x < kStages * chunks; ++x) parts.push_back({x});
    const Plan plan = test::chainPlan(parts, kStages);
    const Evaluation e = evaluate(p, plan);
    const double m = e.microbatchCount, waits = kStages - 1.0;
    QVERIFY(m > 1);
    const Bubble b = bubbleOf(e);
    QVERIFY(std::abs(b.fillAndDrain - waits / (chunks * m + waits)) < 1e-12);
    QVERIFY(std::abs(b.imbalance) < 1e-12);
    // The event simulation finds the same, and the same again when all forwards come first.
    for (const ScheduleKind kind : {ScheduleKind::OneForwardOneBackward, ScheduleKind::GPipe}) {
      if (chunks > 1 && kind == ScheduleKind::GPipe) continue;
      const Bubble run = bubbleOf(e, simulate(p, plan, e, kind));
      QVERIFY(std::abs(run.fillAndDrain - b.fillAndDrain) < 1e-12);
      QVERIFY(std::abs(run.imbalance) < 1e-12);
    }
  }
  void imbalanceIsWhatTheOthersWaitForTheBusiest() {
    Problem p = test::withProfile(test::handProblem(test::hosts(8, 1), 3), [](Profile& profile) {
      for (int t = 0; t < 2; ++t) profile.setTensorBytes(t, 0, 0, Bytes(0));
    });
    // Loads 6 and 3 s, 8 microbatches: 9 + 7 · 6 = 51 s, of which the stages work 48 and 24.
    const Evaluation e = evaluate(p, test::chainPlan({{0, 1}, {2}}, 2));
    const Bubble b = bubbleOf(e);
    QVERIFY(isClose(e.batchTime, Seconds(51)));
    QVERIFY(std::abs(b.fillAndDrain - 3.0 / 51) < 1e-12);
    QVERIFY(std::abs(b.imbalance - 12.0 / 51) < 1e-12);
    QCOMPARE(bubbleOf(Evaluation{}).idle(), 0.0);
  }
  /// Each kind of communication counts what its own overlap leaves of it.
  void overlapsOfTheirOwn() {
    Problem p = test::handProblem(test::hosts(4, 2), 2);
    const Plan plan = test::chainPlan({{0}, {1}}, 2);
    const auto shares = [&](double pipeline, double data) {
      p.assumptions.overlap = {0, 0, 0, pipeline, data};
      Plan sharded = plan;
      sharded.dataInner = 2, sharded.zero = 2, sharded.blockStride = sharded.pipelineWidth();
      const Evaluation e = evaluate(p, sharded);
      return metricsOf(p, nullptr, sharded, e).split;
    };
    const auto at = [](TimePart part) { return std::size_t(part); };
    const TimeSplit none = shares(0, 0), mixed = shares(1, 0);
    QVERIFY(none[at(TimePart::Pipeline)] > Seconds() && none[at(TimePart::Data)] > Seconds());
    QVERIFY(isClose(mixed[at(TimePart::Pipeline)], Seconds()));
    QVERIFY(isClose(mixed[at(TimePart::Data)], none[at(TimePart::Data)]));
  }
  void stagesSplitTheirLoad() {
    Problem p = test::handProblem(test::hosts(4, 2), 2);
    p.assumptions.overlap = {0, 0, 0, 1, 0.25};
    Plan plan = test::chainPlan({{0}, {1}}, 2, {}, 2);
    plan.zero = 3;
    const Evaluation e = evaluate(p, plan);
    for (const StageEvaluation& s : e.stages) {
      Seconds sum;
      for (const Seconds part : splitOf(s)) sum += part;
      QVERIFY(isClose(sum, s.load));
      QVERIFY(s.hiddenExchange[std::size_t(Exchange::Pipeline)] > Seconds());
      QVERIFY(s.hiddenExchange[std::size_t(Exchange::Data)] > Seconds());
    }
  }
  void sharesComeInOrderOfSize() {
    const auto named = [](double compute, double tensor, double recompute) {
      StageEvaluation s;
      s.forward = Seconds(compute), s.recompute = Seconds(recompute);
      s.exchange[Exchange::Tensor] = Seconds(tensor);
      s.load = Seconds(compute + tensor + recompute);
      QString out;
      double sum = 0;
      const auto shares = sharesOf(s);
      for (const TimeShare& one : shares) out += QString(nameOf(one.part)) + u' ', sum += one.share;
      if (!shares.empty() && std::abs(sum - 1) > 1e-12) out += QStringLiteral("not all");
      const TimeShare* overhead = largestOverhead(shares);
      return out + QStringLiteral("> ") + (overhead ? nameOf(overhead->part) : "none");
    };
    QCOMPARE(named(8, 2, 0), QStringLiteral("compute tensor exchange > tensor exchange"));
    QCOMPARE(named(8, 0, 0), QStringLiteral("compute > none"));
    QCOMPARE(named(4, 5, 1), QStringLiteral("tensor exchange compute recompute > tensor exchange"));
    QCOMPARE(named(5, 1, 4), QStringLiteral("compute recompute tensor exchange > recompute"));
    QVERIFY(sharesOf(StageEvaluation{}).empty());
  }
  void utilisationIsOfThePeakItNames_data() {
    QTest::addColumn<int>("format");
    QTest::addColumn<bool>("offersFp8");
    QTest::addColumn<double>("peak");
    QTest::newRow("bf16") << int(NumberFormat::Bf16) << true << 100e12;
    QTest::newRow("fp32") << int(NumberFormat::Fp32) << true << 100e12;
    QTest::newRow("fp8") << int(NumberFormat::Fp8) << true << 200e12;
    QTest::newRow("fp8 on a device without") << int(NumberFormat::Fp8) << false << 100e12;
  }
  void utilisationIsOfThePeakItNames() {
    QFETCH(int, format);
    QFETCH(bool, offersFp8);
    QFETCH(double, peak);
    Scenario s = teaching();
    s.job.format = NumberFormat(format);
    if (offersFp8) s.cluster.device.peakFp8 = Sourced<FlopsPerSecond>{FlopsPerSecond(200e12)};
    const auto problem = buildProblem(s);
    QVERIFY(problem);
    const Plan plan = pipelineOf(problem->graph->layerCount());
    const Evaluation e = evaluate(*problem, plan);
    const PlanMetrics m = metricsOf(*problem, &*s.model.architecture, plan, e);
    QCOMPARE(m.peak.rate.value(), peak);
    QCOMPARE(m.peak.of == NumberFormat::Fp8, peak > 100e12);
    const double flops = modelFlops(*s.model.architecture, 2048, 16).value();
    QVERIFY(std::abs(*m.mfu - flops / (peak * 4 * e.batchTime.value())) < 1e-12);
  }
  /// The predicted peak of 100 bytes may be 10 % more: a warning above 90.9 % of the memory, on either side
  /// of which the plan fits.
  void aPlanMayNotFitWithinTheErrorOfItsMemory() {
    Problem p = test::handProblem(test::hosts(4, 2), 2);
    const Plan plan = test::chainPlan({{0}, {1}}, 2);
    const Bytes peak = predictedPeak(evaluate(p, plan));
    QVERIFY(peak > Bytes(0));
    const auto mayNotFit = [&](double capacity, double error) {
      HierarchyInput in = test::hosts(4, 2);
      in.device.memory.value = peak * capacity;
      p.cluster = std::make_shared<const Hierarchy>(*Hierarchy::build(in));
      p.memoryError = error;
      const Evaluation e = evaluate(p, plan);
      [&] { QVERIFY(e.feasible()); }();
      return metricsOf(p, nullptr, plan, e).mayNotFit;
    };
    QVERIFY(mayNotFit(1.05, 0.1));
    QVERIFY(!mayNotFit(1.15, 0.1));
    QVERIFY(!mayNotFit(1.05, 0.04));
    QVERIFY(!mayNotFit(1.05, 0));
  }
  void thePeakOfUtilisationIsNamedByItsFormat_data() {
    QTest::addColumn<int>("format");
    QTest::addColumn<bool>("hasBf16");
    QTest::addColumn<int>("of");
    const int half = int(NumberFormat::Fp16), brain = int(NumberFormat::Bf16);
    QTest::newRow("bf16") << brain << true << brain;
    QTest::newRow("fp16") << half << true << half;
    QTest::newRow("fp32") << int(NumberFormat::Fp32) << true << brain;
    QTest::newRow("bf16 on a device without") << brain << false << half;
    QTest::newRow("fp32 on a device without bf16") << int(NumberFormat::Fp32) << false << half;
  }
  void thePeakOfUtilisationIsNamedByItsFormat() {
    QFETCH(int, format);
    QFETCH(bool, hasBf16);
    QFETCH(int, of);
    const Scenario s = teaching();
    Problem p = *buildProblem(s).value;
    HierarchyInput in = test::hosts(2, 2);
    in.device = p.cluster->device();
    in.device.hasBf16 = hasBf16;
    p.cluster = std::make_shared<const Hierarchy>(*Hierarchy::build(in));
    p.job.format = NumberFormat(format);
    const Plan plan = pipelineOf(p.graph->layerCount());
    const UtilisationPeak peak = metricsOf(p, &*s.model.architecture, plan, evaluate(p, plan)).peak;
    QCOMPARE(int(peak.of), of);
    QCOMPARE(int(peak.format), format);
    QCOMPARE(peak.rate.value(), in.device.peak.value.value());
  }
  /// Stages of two devices and of one, and everything that a stage does once a step.
  void theSplitIsAveragedOverDevices() {
    const Strategy wide{2, false, 1, 1};
    HierarchyInput in = test::hosts(4, 2);
    in.device.memoryBandwidth.value = BytesPerSecond(100);
    Problem p = test::handProblem(in, 3, {Strategy{}, wide});
    p.search.preset = SearchPreset::Free;
    Plan plan = test::chainPlan({{0, 1}, {2}}, 2, {}, 2);
    plan.stages[1].strategy = wide;
    plan.blockStride = plan.pipelineWidth();
    plan.zero = 1;
    const Evaluation e = evaluate(p, plan);
    QVERIFY(e.feasible());
    const TimeSplit split = metricsOf(p, nullptr, plan, e).split;
    TimeSplit sum{};
    for (const StageEvaluation& s : e.stages) {
      const TimeSplit load = splitOf(s);
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += s.devices * e.microbatchCount * load[k];
      sum[std::size_t(TimePart::Data)] += s.devices * s.exposed;
      sum[std::size_t(TimePart::Step)] += s.devices * s.step;
    }
    QCOMPARE(e.stages[0].devices + e.stages[1].devices, 6);
    for (const TimePart part : {TimePart::Compute, TimePart::Pipeline, TimePart::Data}) {
      QVERIFY(sum[std::size_t(part)] > Seconds());
      QVERIFY(isClose(split[std::size_t(part)], sum[std::size_t(part)] * (1.0 / 6)));
    }
    QVERIFY(isClose(split[std::size_t(TimePart::Step)], sum[std::size_t(TimePart::Step)] * (1.0 / 6)));
  }
};
NEST_TEST(TestMetrics)
#include "test_metrics.moc"
