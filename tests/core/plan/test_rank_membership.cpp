#include <QtTest/QTest>
#include <map>
#include <set>

#include "plan/rank_groups.h"
#include "plan/rank_membership.h"
#include "solver/exhaustive.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;

namespace {

/// Every rank of a stage by its device: replica and number inside it.
std::map<int, std::pair<int, int>> ranksOf(const Plan& plan, int stage) {
  const Placement at(plan);
  std::map<int, std::pair<int, int>> out;
  for (int j = 0; j < at.replicas(); ++j)
    for (int q = 0; q < at.ranks(stage); ++q) out[at.device(stage, j, q).value] = {j, q};
  return out;
}

}  // namespace

class TestRankMembership : public QObject {
  Q_OBJECT
private slots:
  /// The number of a rank's group says the same as the groups that exchanges are priced in.
  void groupsAreThoseThatExchange() {
    test::InstanceFeatures features;
    features.shardGroups = features.foldedExperts = true;
    features.constraints = false;
    int checked = 0, sharded = 0, folded = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
      const Problem p = test::randomInstance(seed, features);
      int number = 0;
      visitPlans(p, [&](const Plan& plan) {
        if (number++ % 41 != 0) return true;
        const RankGroups groups(plan);
        for (int i = 0; i < plan.stageCount(); ++i) {
          const auto ranks = ranksOf(plan, i);
          const auto agrees = [&](RankGroup kind, Together together) {
            std::set<int> seen;
            groups.visit(i, kind, [&](std::span<const int> devices) {
              std::set<int> numbers;
              for (const int d : devices) {
                const auto [replica, rank] = ranks.at(d);
                const Membership m = membershipOf(plan, together, i, replica, rank);
                numbers.insert(m.group);
                QCOMPARE(m.size, static_cast<int>(devices.size()));
                QVERIFY(m.group >= 0 && m.group < m.groups);
              }
              QCOMPARE(numbers.size(), std::size_t(1));
              QVERIFY(seen.insert(*numbers.begin()).second);
            });
          };
          agrees(RankGroup::Tensor, Together::Tensor);
          agrees(RankGroup::Context, Together::Context);
          agrees(RankGroup::Expert, Together::Expert);
          if (plan.zero > 0) agrees(RankGroup::DenseShards, Together::Shard);
          sharded += plan.shardDegree() < plan.dataDegree();
          folded += plan.stages[i].strategy.foldedExperts;
          ++checked;
        }
        return !QTest::currentTestFailed();
      });
      if (QTest::currentTestFailed()) return;
    }
    QVERIFY2(checked > 800 && sharded > 60 && folded > 60,
             qPrintable(
                 QString("%1 stages, %2 in shard groups, %3 folded").arg(checked).arg(sharded).arg(folded)));
  }
};
NEST_TEST(TestRankMembership)
#include "test_rank_membership.moc"
