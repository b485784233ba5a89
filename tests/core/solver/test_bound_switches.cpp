#include <QtTest/QTest>

#include "exactness.h"
#include "solver/exhaustive.h"
#include "solver/search_bound.h"
#include "solver/solve.h"
#include "solver/tuning.h"
#include "support/instance_count.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

/// Small searches use every bound so, as long ones do.
Tuning tuningOfLongSearches() {
  Tuning tuning;
  tuning.longChain = 0;
  tuning.guesses = {.far = 1, .states = 3, .width = 4, .layers = 1};
  tuning.statesWithoutSites = -1;
  return tuning;
}

Tuning tuningWithout(BoundSwitches off) {
  Tuning tuning = tuningOfLongSearches();
  tuning.withoutBounds = off;
  return tuning;
}

}  // namespace

/// A search without one of its bounds, or without all, finds the optimum of the enumeration.
class TestBoundSwitches : public QObject {
  Q_OBJECT
private slots:
  void theOptimumIsTheSameWithoutAnyBound() {
    InstanceFeatures mixed, uniform = uniformStrategyChain();
    mixed.freeStrategies = 0.8;
    mixed.schedules = mixed.interleave = true;
    BoundUses usual;
    const int count = instancesFrom(40);
    for (int k = 0; k < count; ++k) {
      const std::uint64_t seed = firstSeed() + static_cast<std::uint64_t>(k);
      const Problem p = randomInstance(seed, k % 4 == 3 ? uniform : mixed);
      const Outcome truth = solveExhaustively(p), with = solve(p, {}, nullptr, tuningOfLongSearches());
      QCOMPARE(mistake(p, with, truth), std::string());
      addTo(usual, with.statistics.bounds);
      for (std::size_t b = 0; b < kBoundCount; ++b) {
        const Outcome o = solve(p, {}, nullptr, tuningWithout(BoundSwitches().set(b)));
        QVERIFY2(mistake(p, o, truth).empty(), (std::string(nameOf(static_cast<SearchBound>(b))) + ": " +
                                                mistake(p, o, truth) + ", " + describe(p))
                                                   .c_str());
        QCOMPARE(o.statistics.bounds[b].calls, 0LL);
      }
      QCOMPARE(mistake(p, solve(p, {}, nullptr, tuningWithout(BoundSwitches().set())), truth), std::string());
    }
    qInfo("%s", textOf(usual).c_str());
    for (std::size_t b = 0; b < kBoundCount; ++b) {
      const auto bound = static_cast<SearchBound>(b);
      if (bound == SearchBound::Runs) continue;       // small hosts hold every run
      if (bound == SearchBound::Crossings) continue;  // of solveOnEvenHosts() alone
      QVERIFY2(usual[b].calls > 0, nameOf(bound));
    }
  }

  void aSearchSaysWhatItsBoundsDid() {
    const Problem p = randomInstance(1, uniformStrategyChain());
    const BoundUses uses = solve(p).statistics.bounds;
    const BoundUse& even = uses[static_cast<std::size_t>(SearchBound::EvenWork)];
    QVERIFY(even.calls > 0 && even.closed <= even.calls && even.seconds > 0);
    QVERIFY(textOf(uses).starts_with("even work (6.3): "));
    QCOMPARE(textOf(BoundUses{}), std::string());
  }
};

NEST_TEST(TestBoundSwitches)
#include "test_bound_switches.moc"
