#include <QtTest/QTest>
#include <cmath>
#include <set>

#include "evaluation/explanation.h"
#include "solver/exhaustive.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;

namespace {

struct Walked {
  int terms = 0;
  std::string wrong;  ///< first term whose value does not follow from its children
  std::set<std::string> ids, references;
  std::set<TermKind> kinds;
};

void walk(const CostTerm& t, Walked& out) {
  ++out.terms;
  out.kinds.insert(t.kind);
  // The last stage of its name is the term's own; without one it is of the whole plan.
  const auto named = t.id.rfind("stage");
  const int stage = named == std::string::npos ? -1 : std::atoi(t.id.c_str() + named + 5) - 1;
  if (t.stage != stage && out.wrong.empty()) out.wrong = t.id + " is of stage " + std::to_string(t.stage);
  if (t.reference) {
    out.references.insert(t.id);
  } else if (!out.ids.insert(t.id).second && out.wrong.empty()) {
    out.wrong = "twice: " + t.id;
  }
  const double again = t.fromChildren();
  // A difference of two equal sums is compared on the scale of its parts.
  double parts = std::abs(t.value);
  for (const CostTerm& c : t.children) parts = std::max(parts, std::abs(c.factor * c.value));
  if (!(std::abs(again - t.value) <= 1e-9 * parts) && out.wrong.empty())
    out.wrong = t.id + ": " + std::to_string(t.value) + " but its children give " + std::to_string(again) +
                "\n" + toText(t, 3);
  for (const CostTerm& c : t.children) walk(c, out);
}

}  // namespace

class TestExplanation : public QObject {
  Q_OBJECT
private slots:
  void everyFigureFollowsFromItsParts() {
    int plans = 0, wrong = 0;
    std::string dangling;
    std::set<TermKind> seen;
    test::InstanceFeatures features;
    features.shardGroups = features.foldedExperts = features.schedules = true;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
      const Problem p = test::randomInstance(seed, features);
      int taken = 0, number = 0;
      visitPlans(p, [&](const Plan& plan) {
        if (number++ % 37 != 0) return true;
        const Evaluation e = evaluate(p, plan);
        const CostTerm root = explain(p, plan, e);
        Walked w;
        walk(root, w);
        if (!w.wrong.empty())
          qWarning("seed %d, %s: %s", static_cast<int>(seed), summaryOf(plan).c_str(), w.wrong.c_str());
        ++plans;
        seen.insert(w.kinds.begin(), w.kinds.end());
        wrong += w.wrong.empty() ? 0 : 1;
        for (const auto& id : w.references)
          if (w.ids.count(id) == 0) dangling = id;
        if (root.value != e.batchTime.value()) ++wrong;
        return ++taken < 8;
      });
    }
    QCOMPARE(wrong, 0);
    QVERIFY2(dangling.empty(), dangling.c_str());
    QVERIFY(plans > 300);
    for (const TermKind k :
         {TermKind::Compute, TermKind::Tensor, TermKind::Context, TermKind::Expert, TermKind::Pipeline,
          TermKind::Data, TermKind::Hidden, TermKind::Tail, TermKind::Memory})
      QVERIFY2(seen.count(k), nameOf(k));
  }

  /// Hand-made plans may be anything; what can be computed of them is explained.
  void brokenPlansAreExplained() {
    int explained = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const Problem p = test::randomInstance(seed);
      test::Dice dice(seed);
      int number = 0;
      visitPlans(p, [&](const Plan& whole) {
        Plan plan = whole;
        StagePlan& stage = plan.stages[dice.between(0, plan.stageCount() - 1)];
        switch (dice.between(0, 8)) {
          case 0:
            stage.chunks.clear();
            break;
          case 1:
            stage.chunks.front().push_back(LayerIndex(4711));
            break;
          case 2:
            stage.strategy.tensor = 64;
            break;
          case 3:
            stage.strategy.context = 0;
            break;
          case 4:
            plan.microbatch = 77;
            break;
          case 5:
            plan.dataOuter = 1000000;
            break;
          case 6:
            plan.deviceOrder = {DeviceIndex(-1), DeviceIndex(99)};
            break;
          case 7:
            plan.zero = 9;
            break;
          default:
            stage.strategy.expert = 0;
            break;
        }
        const Evaluation e = evaluate(p, plan);
        Walked w;
        walk(explain(p, plan, e), w);
        ++explained;
        return ++number < 20;
      });
    }
    QVERIFY(explained > 500);
  }

  /// What the planner chose is no input of the user's.
  void decisionsAreNoInputs() {
    const Problem p = test::randomInstance(3);
    bool found = false;
    visitPlans(p, [&](const Plan& plan) {
      const Evaluation e = evaluate(p, plan);
      if (!e.feasible()) return true;
      found = true;
      const CostTerm root = explain(p, plan, e);
      for (const TermInput& in : root.inputs) {
        const std::string_view expected = in.symbol == "B" ? "input" : "plan";
        if (in.source() != expected)
          qFatal("%s is said to be %s", in.symbol.c_str(), std::string(in.source()).c_str());
      }
      return false;
    });
    QVERIFY(found);
  }

  void termsNameTheirSources() {
    const Problem p = test::randomInstance(3);
    std::optional<Plan> plan;
    visitPlans(p, [&](const Plan& one) {
      if (one.stageCount() < 2) return true;
      plan = one;
      return false;
    });
    QVERIFY2(plan, "the instance has no plan of two stages");
    const CostTerm root = explain(p, *plan, evaluate(p, *plan));
    const CostTerm* load = root.find("stage2/load");
    QVERIFY(load && !load->children.empty());
    const CostTerm* forward = root.find("stage1/forward");
    QVERIFY(forward && !forward->children.empty());
    QCOMPARE(forward->children.front().inputs.front().symbol, std::string("seconds"));
    QVERIFY(toText(root, 1).find("max load") != std::string::npos);
    QVERIFY(!root.find("stage9/load"));
  }

  /// What an optimizer step moves, each part as often as it is moved.
  void theStepNamesWhatItMoves() {
    Problem p = test::randomInstance(3);
    for (const auto& [passes, clipped] :
         {std::pair{0.0, ""}, {1.0, " + c"}, {2.0, " + 2·c"}, {1.5, " + 1.5·c"}}) {
      p.assumptions.clippingPasses = passes;
      std::string formula;
      visitPlans(p, [&](const Plan& plan) {
        if (plan.zero > 0) return true;
        const CostTerm root = explain(p, plan, evaluate(p, plan));
        if (const CostTerm* step = root.find("stage1/step")) formula = step->formula;
        return formula.empty();
      });
      QCOMPARE(formula, std::string("parameters · (g + w + 2·o") + clipped + ") ÷ memory bandwidth");
    }
  }

  /// How many layers are identical stands in front of the term, and nowhere else.
  void layersThatAreAlikeAreCountedOnce() {
    int several = 0;
    for (unsigned seed = 1; seed <= 40; ++seed) {
      const Problem p = test::randomInstance(seed);
      visitPlans(p, [&](const Plan& plan) {
        const std::string all = toText(explain(p, plan, evaluate(p, plan)), 9);
        for (int n = 2; n < 20; ++n) {
          const std::string each = std::to_string(n) + " × ";
          if (all.find(each + "as ") != std::string::npos) ++several;
          if (all.find(each + each) != std::string::npos) qFatal("counted twice: %s", all.c_str());
        }
        return false;
      });
    }
    QVERIFY(several > 0);
  }
};
NEST_TEST(TestExplanation)
#include "test_explanation.moc"
