#include <QtTest/QTest>
#include <algorithm>

#include "cluster/devices/device_catalog.h"
#include "core/plan/hand_problem.h"
#include "formats/networks/cluster_text.h"
#include "scenario/scenario.h"
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
};
NEST_TEST(TestBuildProblem)
#include "test_build_problem.moc"
