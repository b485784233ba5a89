#include <QtTest/QTest>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "evaluation/explanation_parts.h"
#include "evaluation/traffic.h"
#include "files/file_reader.h"
#include "formats/scenario/scenario_json.h"
#include "solver/exhaustive.h"
#include "solver/solve.h"
#include "support/random_instance.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;
using explanation::exchangeOf;

namespace {

/// Equal to the last bit; +0 and −0 are equal.
bool same(double a, double b) {
  return a == b || std::memcmp(&a, &b, sizeof a) == 0;
}

/// Bytes that one rank sends, as the terms of collectives state n and D.
double bytesSent(const CostTerm& t) {
  const auto input = [&](const CostTerm& of, const char* symbol) {
    for (const TermInput& i : of.inputs)
      if (i.symbol == symbol) return i.value;
    return std::nan("");
  };
  if (t.formula.starts_with("min(flat")) {
    if (t.children.empty()) return 0;
    const CostTerm& flat = t.children.front();
    const double n = input(flat, "n");
    return (n - 1) / n * input(flat, "D");
  }
  const double n = input(t, "n"), bytes = input(t, "D");
  if (t.formula.starts_with("slowest rank's")) return (n - 1) / n * bytes;
  if (t.formula.starts_with("(n − 1) · (α")) return (n - 1) * bytes;
  double sum = 0;
  for (const CostTerm& c : t.children) sum += c.factor * bytesSent(c);
  return sum;
}

/// What the three readings of one plan disagree in; empty if in nothing.
std::string disagreement(const Problem& p, const Plan& plan) {
  const Evaluation e = evaluate(p, plan);
  const CostTerm root = explain(p, plan, e);
  PerExchange<double> sent{};
  for (int i = 0; i < plan.stageCount(); ++i) {
    const StageEvaluation& s = e.stages[std::size_t(i)];
    const std::string id = "stage" + std::to_string(i + 1);
    const double ranks = double(plan.dataDegree()) * plan.stages[std::size_t(i)].strategy.width();
    const CostTerm* load = root.find(id + "/load");
    const CostTerm *sync = root.find(id + "/sync"), *memory = root.find(id + "/memory");
    if (!load || !sync || !memory) return id + " is not explained";

    double compute = 0, hidden = 0;
    PerExchange<double> exchange{};
    for (const CostTerm& t : load->children) {
      if (const auto kind = exchangeOf(t.kind)) {
        exchange[*kind] += t.value;
        sent[*kind] += e.microbatchCount * ranks * t.factor * bytesSent(t);
        if (*kind == Exchange::Data && !same(t.fromChildren(), t.value)) return t.id + ": not its messages";
      } else if (t.kind == TermKind::Hidden) {
        hidden = t.value;
      } else {
        compute += t.value;
      }
    }
    double sum = compute;
    for (int k = 0; k < kExchangeCount; ++k) {
      if (!same(exchange[Exchange(k)], s.exchange[Exchange(k)].value()))
        return id + ": " + nameOf(Exchange(k)) + " is not the sum of its terms";
      sum += exchange[Exchange(k)];
    }
    if (!same(sum - hidden, s.load.value())) return id + ": the load is not the sum of its terms";
    if (!same(sync->fromChildren(), s.sync.value())) return id + ": the sync is not the sum of its messages";
    if (!same(memory->fromChildren(), s.memory.predicted().value()) ||
        !same(memory->value, s.memory.predicted().value()))
      return id + ": memory is not the sum of its parts";
    sent[Exchange::Data] += ranks * bytesSent(*sync);
    sent[Exchange::Pipeline] += 2 * e.microbatchCount * ranks * s.gradientBytes.value();
  }
  if (const auto& tied = p.profile->tied) {
    int first = -1, second = -1;
    for (int i = 0; i < plan.stageCount(); ++i)
      for (const LayerIndex x : plan.stages[std::size_t(i)].layers()) {
        if (x == tied->first) first = i;
        if (x == tied->second) second = i;
      }
    const Strategy& s = plan.stages[std::size_t(first)].strategy;
    if (first != second)
      sent[Exchange::Data] += 2 * plan.dataDegree() * s.width() * p.job.optimizer.gradientBytes *
                              tied->trained(std::size_t(p.profile->strategyIndex(s)));
  }
  const Traffic traffic(p, plan);
  for (int k = 0; k < kExchangeCount; ++k) {
    const double drawn = traffic.total(Exchange(k)).value(), stated = sent[Exchange(k)];
    if (std::abs(drawn - stated) > 1e-9 * std::max(drawn, stated))
      return std::string(nameOf(Exchange(k))) + ": " + std::to_string(drawn) + " bytes are drawn, " +
             std::to_string(stated) + " are explained";
  }
  return {};
}

}  // namespace

/// Evaluation, explanation and traffic read one list of exchanges and one of memory parts (core/cost).
class TestOneCostModel : public QObject {
  Q_OBJECT
private slots:
  void randomPlansAreReadTheSameWay() {
    test::InstanceFeatures features;
    features.shardGroups = features.foldedExperts = features.schedules = true;
    int plans = 0, copies = 0, folded = 0, tied = 0;
    for (std::uint64_t seed = 0; seed < 240; ++seed) {
      features.extremes = seed % 6 == 5;
      Problem p = test::randomInstance(seed, features);
      test::Dice dice(seed);
      p.assumptions.gathersGroups = dice.chance(0.3);
      p.assumptions.zeroAllReduces = dice.chance(0.3);
      p.assumptions.clippingPasses = dice.chance(0.3) ? 3 : 0;
      if (dice.chance(0.3)) p.assumptions.headroom = 0.1, p.assumptions.allocatorFactor = 1.1;
      int number = 0, taken = 0;
      visitPlans(p, [&](const Plan& plan) {
        if (number++ % 53 != 0) return true;
        const std::string wrong = disagreement(p, plan);
        if (!wrong.empty()) qFatal("seed %d, %s: %s", int(seed), summaryOf(plan).c_str(), wrong.c_str());
        ++plans;
        copies += plan.shardDegree() < plan.dataDegree();
        folded += plan.stages.front().strategy.foldedExperts;
        tied += p.profile->tied.has_value();
        return ++taken < 5;
      });
    }
    QVERIFY(plans > 400);
    QVERIFY(copies > 20);
    QVERIFY(folded > 20);
    QVERIFY(tied > 20);
  }

  /// The search has sums of its own, of the same bytes.
  void theSearchCountsClipping() {
    int slower = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      Problem p = test::randomInstance(seed);
      const Outcome plain = solve(p);
      p.assumptions.clippingPasses = 3;
      const Outcome clipped = solve(p), truth = solveExhaustively(p);
      QCOMPARE(clipped.status, truth.status);
      if (!truth.best() || !plain.best()) continue;
      const double best = truth.best()->evaluation.batchTime.value();
      QVERIFY(std::abs(clipped.best()->evaluation.batchTime.value() - best) <= 1e-9 * best);
      slower += clipped.best()->evaluation.batchTime > plain.best()->evaluation.batchTime;
    }
    QVERIFY(slower > 10);
  }

  void plansOfTheSamplesAreReadTheSameWay() {
    int read = 0;
    for (const char* folder : {"/samples", "/samples/published"})
      for (const auto& file : std::filesystem::directory_iterator(std::string(NEST_SOURCE_DIR) + folder)) {
        const std::string path = file.path().string();
        if (!path.ends_with(".nest.json")) continue;
        const auto scenario = readScenario(test::readFile(path), path, loaderBeside(path));
        QVERIFY2(scenario.value, path.c_str());
        const auto problem = buildProblem(*scenario.value);
        QVERIFY2(problem, path.c_str());
        Control control;
        control.front = FrontEffort::None;
        control.work = std::make_shared<WorkLimit>(20000);
        const Outcome outcome = solve(*problem, control);
        for (const RankedPlan& r : outcome.plans) {
          const std::string wrong = disagreement(*problem, r.plan);
          QVERIFY2(wrong.empty(), (path + ", " + summaryOf(r.plan) + ": " + wrong).c_str());
          ++read;
        }
      }
    QVERIFY(read >= 20);
  }
};
NEST_TEST(TestOneCostModel)
#include "test_one_cost_model.moc"
