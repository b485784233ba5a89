#include <QtTest/QTest>

#include "program/prediction_interval.h"
#include "program/program.h"
#include "support/test_main.h"
#include "words/difference_words.h"
#include "words/headline.h"
#include "words/metric_words.h"

using namespace nest;

class TestMetricWords : public QObject {
  Q_OBJECT
private slots:
  /// Always the shares, from the largest: no threshold turns one story into another.
  void saysWhatTimeGoesTo() {
    using enum TimePart;
    const auto shares = [](double compute, double idle) {
      return std::vector<TimeShare>{{Compute, compute}, {Idle, idle}, {Pipeline, 0.066}, {Tensor, 0.044}};
    };
    QCOMPARE(words::of(shares(0.76, 0.13), words::kOfStep),
             std::string("compute 76 %, idle 13 %, PP 6.6 %, TP 4.4 % of the step"));
    QCOMPARE(words::of(shares(0.74, 0.15), words::kOfStep),
             std::string("compute 74 %, idle 15 %, PP 6.6 %, TP 4.4 % of the step"));
    QCOMPARE(words::of(shares(0.76, 0.13), words::kOfMicrobatch, 2),
             std::string("compute 76 %, idle 13 %, other 11 % of its microbatch"));
    QCOMPARE(words::of({{Compute, 0.9998}, {Step, 0.0002}}, ""), std::string("compute > 99.9 %"));
    QCOMPARE(words::of(std::vector<TimeShare>(), words::kOfStep), std::string());
  }
  /// The part that grew, whatever is the largest.
  void namesThePartThatGrew() {
    Evaluation first, second;
    for (Evaluation* e : {&first, &second}) {
      e->microbatchCount = 1;
      e->stages.resize(1);
      e->stages[0].devices = 1;
      e->stages[0].forward = Seconds(6);
    }
    const auto finish = [](Evaluation& e, double sent, double idle) {
      StageEvaluation& s = e.stages[0];
      s.exchange[Exchange::Pipeline] = Seconds(sent);
      s.load = s.forward + s.exchange[Exchange::Pipeline];
      e.batchTime = s.load + Seconds(idle);
    };
    finish(first, 1, 2), finish(second, 4, 1.8);
    const auto pace = [](const Evaluation& e, int batch) { return Pace{e.batchTime, batch, 1000}; };
    QCOMPARE(words::partsThatDiffer(pace(first, 8), first, pace(second, 8), second),
             std::string("What takes longer, of the step: PP communication 1 s → 4 s."));
    QCOMPARE(words::partsThatDiffer(pace(second, 8), second, pace(first, 8), first),
             std::string("What takes less, of the step: PP communication 4 s → 1 s."));
    QCOMPARE(words::partsThatDiffer(pace(first, 8), first, pace(first, 8), first), std::string());
    // Twice the samples in 11.8 instead of 9 s: a token takes less, of everything but PP.
    QCOMPARE(words::partsThatDiffer(pace(first, 8), first, pace(second, 16), second),
             std::string("What takes less, of a token: compute 750 µs → 375 µs, idle 250 µs → 113 µs."));
  }
  /// The title of a difference: by how much, what grew, which degree did it, and why it had to be.
  void namesTheCauseOfADifference() {
    using enum TimePart;
    StepDifference d;
    d.before = Seconds(16), d.after = Seconds(17.6);
    const auto term = [](TimePart part, double before, double after) {
      return PartChange{part, Seconds(before), Seconds(after)};
    };
    d.terms = {term(Compute, 13, 12.5), term(Tensor, 1, 2.5), term(Pipeline, 1, 1.6), term(Idle, 1, 1)};
    const std::vector<PlanFact> facts{{PlanFact::Kind::Microbatches, "32", "64"},
                                      {PlanFact::Kind::Tensor, "4", "8"}};
    QCOMPARE(words::cause(d, facts), std::string("10 % slower: TP communication +1.5 s (TP 4 → 8), PP "
                                                 "communication +600 ms (microbatches 32 → 64)"));
    QCOMPARE(words::of(PlanObstacle{true, Bytes(3.0 * 1024 * 1024 * 1024)}, true),
             std::string("the first plan is short by 3 GiB now"));
    QCOMPARE(words::of(PlanObstacle{true, {}}, false), std::string("the second plan cannot run before"));
    QCOMPARE(words::of(PlanObstacle{}, true), std::string());
    QCOMPARE(words::of(d), std::string("16 s → 17.6 s per step: compute −500 ms, TP communication +1.5 s, PP "
                                       "communication +600 ms"));
    QCOMPARE(words::of(facts), std::string("microbatches 32 → 64, TP 4 → 8"));
    std::swap(d.before, d.after);
    for (PartChange& t : d.terms) std::swap(t.before, t.after);
    QCOMPARE(words::cause(d, {}),
             std::string("9.09 % less time: TP communication −1.5 s, PP communication −600 ms"));
    d.measure = PaceMeasure::Throughput;
    QVERIFY(words::cause(d, {}).starts_with("9.09 % less time per token: "));
    d.after = d.before, d.terms = {term(Compute, 16, 16)};
    QCOMPARE(words::cause(d, {}), std::string("As fast per token"));
    QCOMPARE(words::cause({}, {}), std::string());
  }
  void opensTheBubble() {
    QCOMPARE(words::of(Bubble{0.0439, 0.1241}),
             std::string("16.8 % (fill and drain 4.39 %, imbalance 12.4 %)"));
    QCOMPARE(words::of(Bubble{}), std::string("0 %"));
  }
  void dropsNoUnitThatDiffers() {
    const double gib = 1073741824.0;
    QCOMPARE(words::portion(Bytes(39.5 * gib), Bytes(80 * gib)), std::string("39.5 of 80 GiB"));
    QCOMPARE(words::portion(Bytes(6.16 * gib), Bytes(2048 * gib)), std::string("6.16 GiB of 2 TiB"));
    QCOMPARE(words::portion(Bytes(954 * 1048576.0), Bytes(1000 * 1048576.0)),
             std::string("954 of 1,000 MiB"));
  }
  void namesThePeakThatUtilisationDividesBy_data() {
    QTest::addColumn<int>("format");
    QTest::addColumn<int>("of");
    QTest::addColumn<QString>("says");
    QTest::newRow("bf16") << int(NumberFormat::Bf16) << int(NumberFormat::Bf16)
                          << "bf16 peak of the devices in use, 989 TFLOP/s each";
    QTest::newRow("fp32") << int(NumberFormat::Fp32) << int(NumberFormat::Bf16)
                          << "bf16 peak of the devices in use, 989 TFLOP/s each; the job computes in fp32";
    QTest::newRow("fp8") << int(NumberFormat::Fp8) << int(NumberFormat::Fp8) << "fp8 peak";
    QTest::newRow("no fp8")
        << int(NumberFormat::Fp8) << int(NumberFormat::Bf16)
        << "bf16 peak of the devices in use, 989 TFLOP/s each; the device has no fp8 rate";
    QTest::newRow("no bf16") << int(NumberFormat::Bf16) << int(NumberFormat::Fp16)
                             << "fp16 peak of the devices in use, 989 TFLOP/s each; the device has no bf16";
  }
  void namesThePeakThatUtilisationDividesBy() {
    QFETCH(int, format);
    QFETCH(int, of);
    QFETCH(QString, says);
    PlanMetrics m;
    QVERIFY(words::mfuConvention(m).empty());
    m.mfu = 0.4;
    m.peak = {FlopsPerSecond(989e12), NumberFormat(of), NumberFormat(format)};
    QVERIFY2(words::mfuConvention(m).find(says.toStdString()) != std::string::npos,
             words::mfuConvention(m).c_str());
  }
  /// An interval names what it is, and whose runs it comes from.
  void intervalsSayWhatTheyHold() {
    const ProgramUse nemo{findProgram("nemo-2024")}, megatron{findProgram("megatron-core-2025")};
    const PredictionError own = predictionErrorOf("nemo-2024", "h100-sxm", false),
                          related = predictionErrorOf("megatron-core-2025", "h100-sxm", false);
    QCOMPARE(words::withError(Seconds(2.2), {}), std::string("2.2 s"));
    QCOMPARE(words::withError(Seconds(2.2), {0.019, 12}), std::string("2.2 s ± 1.9 %"));
    QCOMPARE(words::programWith(nemo, own),
             "NeMo 2024, ± holds 80 % of " + std::to_string(own.runs) + " runs");
    QCOMPARE(words::programWith({megatron.program, true}, related),
             "Megatron-Core 2025, changed, ± holds 80 % of " + std::to_string(related.runs) +
                 " runs of related programs");
    QCOMPARE(words::programWith({megatron.program, true}, {}),
             std::string("Megatron-Core 2025, changed, not validated"));
    QVERIFY(words::intervalMeaning(nemo, own).starts_with("the interval holds 80 % of "));
    QVERIFY(words::intervalMeaning(nemo, own).find("of this program on such devices") != std::string::npos);
    QVERIFY(words::intervalMeaning(nemo, {}).empty());
    // Two plans of one model err together: their ratio is known better than either time.
    const double ratio = words::ratioError(nemo, own);
    QVERIFY(ratio > 0 && ratio != own.time);
    PlanMetrics m;
    m.program = nemo;
    m.error = own;
    m.batchTime = Seconds(2.2 * (1 + 0.99 * ratio));
    QCOMPARE(words::remarkOn(m, Seconds(2.2)), std::string("within the error"));
    m.batchTime = Seconds(2.2 * (1 + 1.01 * ratio));
    QCOMPARE(words::remarkOn(m, Seconds(2.2)), std::string());
    m.error = {};
    m.batchTime = Seconds(2.2);
    QCOMPARE(words::remarkOn(m, Seconds(2.2)), std::string());
  }
  /// Headroom is no memory that anything uses: it stands beside what is predicted.
  void memoryAndHeadroomAreToldApart() {
    const auto gib = [](double n) { return Bytes(n * 1073741824.0); };
    QCOMPARE(words::memory(gib(27.7), gib(8), gib(80)), std::string("27.7 of 80 GiB (+ 8 GiB headroom)"));
    QCOMPARE(words::memory(gib(27.7), Bytes(0), gib(80)), std::string("27.7 of 80 GiB"));
    QCOMPARE(words::withHeadroom(gib(27.7), gib(8)), std::string("27.7 GiB (+ 8 GiB headroom)"));
    PlanMetrics m;
    m.fullestStage = 0;
    m.peakMemory = gib(27.7), m.headroom = gib(8), m.capacity = gib(80);
    for (const HeadlinePart& part : headlineParts(m, Plan(), Outcome()))
      if (part.kind == HeadlinePart::Kind::Memory) QCOMPARE(part.text, words::memory(m));
  }
  void theHeadlineSaysWhatPeopleAsk() {
    PlanMetrics m;
    m.batchTime = Seconds(8.4);
    m.tokensPerSecond = 499e3;
    m.mfu = 0.41;
    m.fullestStage = 0;
    m.peakMemory = Bytes(71 * 1073741824.0);
    m.capacity = Bytes(80 * 1073741824.0);
    m.split[TimePart::Compute] = m.batchTime * 0.832, m.split[TimePart::Idle] = m.batchTime * 0.168;
    Plan p;
    p.stages.resize(1);
    p.stages[0].chunks.resize(1);
    Outcome o;
    o.status = OutcomeStatus::Optimal;
    o.statistics.elapsed = Seconds(0.012);
    QCOMPARE(
        headlineOf(m, p, o),
        std::string("8.4 s per step · 499 k tokens/s · 41 % MFU · ") + summaryOf(p) +
            " · 71 of 80 GiB · compute 83.2 %, idle 16.8 % of the step · Optimal in 12 ms · ideal program");
    const auto parts = headlineParts(m, p, o);
    QCOMPARE(int(parts[6].kind), int(HeadlinePart::Kind::Verdict));
    m.tokensPerSecond = 0;  // without a batch of tokens there is no pace
    QVERIFY(headlineOf(m, p, o).starts_with("8.4 s per step · 41 % MFU"));
  }
};
NEST_TEST(TestMetricWords)
#include "test_metric_words.moc"
