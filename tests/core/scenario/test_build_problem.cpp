#include <QtTest/QTest>
#include <algorithm>

#include "cluster/devices/device_catalog.h"
#include "formats/networks/cluster_text.h"
#include "scenario/scenario.h"
#include "support/hand_problem.h"
#include "support/test_main.h"

using namespace nest;

namespace {

/// A measured profile of tensor degrees 1, 2, 3 and 4 on hosts of four devices.
Scenario measured(SearchPreset preset) {
  Scenario s;
  s.cluster.device = *findDevice("h100-sxm");
  s.cluster.network = *readClusterText("host:4@450GB/s,1us rack:3@50GB/s,2us").value;
  Problem p = test::handProblem(test::hosts(4, 3), 4,
                                {{1, false, 1, 1}, {2, false, 1, 1}, {3, false, 1, 1}, {4, false, 1, 1}});
  s.model.graph = p.graph;
  s.model.profile = p.profile;
  s.job.globalBatch = 12;
  s.job.microbatches = {1};
  s.search.preset = preset;
  return s;
}

std::vector<int> degrees(const Problem& p) {
  std::vector<int> all;
  for (const Strategy& s : p.profile->strategies()) all.push_back(s.tensor);
  return all;
}

}  // namespace

class TestBuildProblem : public QObject {
  Q_OBJECT
private slots:
  /// The preset "runnable" means the same tensor degrees for a measured profile as for an analytic one.
  void runnableDegreesDivideTheHost() {
    const auto runnable = buildProblem(measured(SearchPreset::Runnable));
    QVERIFY2(runnable.value,
             runnable.diagnostics.empty() ? "" : toText(runnable.diagnostics.front()).c_str());
    QCOMPARE(degrees(*runnable), (std::vector<int>{1, 2, 4}));
    QVERIFY(runnable->profile->cost(0, 2, 0));
    QVERIFY(std::any_of(runnable.diagnostics.begin(), runnable.diagnostics.end(),
                        [](const Diagnostic& d) { return d.code == "strategies-left-out"; }));
    const auto free = buildProblem(measured(SearchPreset::Free));
    QVERIFY2(free.value, free.diagnostics.empty() ? "" : toText(free.diagnostics.front()).c_str());
    QCOMPARE(degrees(*free), (std::vector<int>{1, 2, 3, 4}));
  }

  /// A switch of the search leaves the same strategies out of a measured profile as of an estimated one, and
  /// the place of the note is the switch.
  void switchesHoldForMeasuredProfiles() {
    Scenario s = measured(SearchPreset::Free);
    const Problem p = test::handProblem(
        test::hosts(4, 3), 4,
        {{1, false, 1, 1}, {2, true, 1, 1}, {2, false, 2, 1}, {2, false, 1, 2}, {2, true, 1, 2, true}});
    s.model.graph = p.graph;
    s.model.profile = p.profile;
    s.search.contextParallel = true;
    s.search.expertFolding = ExpertFolding::Both;
    const auto all = p.profile->strategies();
    QCOMPARE(buildProblem(s)->profile->strategies(), all);
    struct Switch {
      const char* option;
      void (*turn)(SearchOptions&);
      std::vector<std::size_t> kept;
    };
    for (const Switch& one :
         {Switch{"sequence_parallel", [](SearchOptions& o) { o.sequenceParallel = false; }, {0, 2, 3}},
          Switch{"context_parallel", [](SearchOptions& o) { o.contextParallel = false; }, {0, 1, 3, 4}},
          Switch{"expert_parallel", [](SearchOptions& o) { o.expertParallel = false; }, {0, 1, 2}},
          Switch{
              "folded_experts", [](SearchOptions& o) { o.expertFolding = ExpertFolding::No; }, {0, 1, 2, 3}},
          Switch{
              "folded_experts", [](SearchOptions& o) { o.expertFolding = ExpertFolding::Only; }, {0, 4}}}) {
      Scenario turned = s;
      one.turn(turned.search);
      const auto built = buildProblem(turned);
      std::vector<Strategy> expected;
      for (const std::size_t k : one.kept) expected.push_back(all[k]);
      QCOMPARE(built->profile->strategies(), expected);
      QVERIFY2(std::any_of(built.diagnostics.begin(), built.diagnostics.end(),
                           [&](const Diagnostic& d) {
                             return d.where.pointer == std::string("/search/") + one.option;
                           }),
               one.option);
    }
    // A profile that has nothing else is searched all the same, and a note says so.
    const Problem alone = test::handProblem(test::hosts(4, 3), 4, {{2, false, 2, 1}});
    s.model.graph = alone.graph;
    s.model.profile = alone.profile;
    s.search.contextParallel = false;
    const auto built = buildProblem(s);
    QCOMPARE(built->profile->strategies(), alone.profile->strategies());
    QVERIFY(std::any_of(built.diagnostics.begin(), built.diagnostics.end(),
                        [](const Diagnostic& d) { return d.code == "switch-without-effect"; }));
  }
};
NEST_TEST(TestBuildProblem)
#include "test_build_problem.moc"
