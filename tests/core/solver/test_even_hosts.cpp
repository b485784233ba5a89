#include <QtTest/QTest>
#include <algorithm>

#include "solver/even_hosts.h"
#include "solver/solve.h"
#include "solver/tuning.h"
#include "support/hand_problem.h"
#include "support/instance_count.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

/// Two racks, each of a host of two devices and a host of one. Stages of two devices exchange tensors, slowly
/// between hosts, and two are asked for.
Problem oddRacks() {
  HierarchyInput in;
  in.device.memory.value = Bytes(1e6);
  in.levels = {{"host", BytesPerSecond(1000), Seconds(0)},
               {"rack", BytesPerSecond(10), Seconds(1)},
               {"pod", BytesPerSecond(10), Seconds(1)}};
  in.gaps = {0, 1, 2, 0, 1};
  Problem p = handProblem(in, 4, {{2, false, 1, 1}});
  p.constraints.stages.least = 2;
  return withProfile(p, [](Profile& profile) {
    LayerCost c = plainLayer();
    c.collectives = {{CollectiveKind::AllReduce, GroupKind::Tensor, Phase::Forward, Bytes(100), 1}};
    for (int x = 0; x < 4; ++x) profile.setCost(x, 0, 0, c);
  });
}

bool says(const Outcome& o, const std::string& code) {
  return std::any_of(o.diagnostics.begin(), o.diagnostics.end(),
                     [&](const Diagnostic& d) { return d.code == code; });
}
bool leavesOutDeviceSets(const Outcome& o) {
  return std::any_of(o.notSearched.begin(), o.notSearched.end(),
                     [](const NotSearched& n) { return n.kind == NotSearched::Kind::DeviceSet; });
}

bool isProvenOnAnyLine(const Outcome& o) {
  return o.status == OutcomeStatus::Optimal && o.range == ProofRange::EveryLine;
}
/// Other sets of devices are reported as left out, or proven to be no faster: one of the two.
bool accountsForDeviceSets(const Outcome& o) {
  return isProvenOnAnyLine(o) != leavesOutDeviceSets(o);
}
/// The search ran to its end, and the outcome is called optimal exactly if no line leaves a gap.
bool isSettled(const Outcome& o) {
  return o.best() && o.range == ProofRange::EveryLine && o.gap() &&
         (o.status == OutcomeStatus::Optimal ? *o.gap() < 1e-9
                                             : o.status == OutcomeStatus::WithinGap && *o.gap() > 1e-10);
}
bool noted(const Outcome& o) {
  return says(o, "devices-left-idle");
}

/// Groups of 4, 3 and 3 hosts of one device, or of two, and four stages of two hosts, which exchange tensors:
/// quickly inside a group.
Problem unevenGroups(bool ofTwo) {
  HierarchyInput in;
  in.device.memory.value = Bytes(1e6);
  in.levels = {{"rack", BytesPerSecond(1000), Seconds(0)}, {"fabric", BytesPerSecond(10), Seconds(1)}};
  in.gaps = {0, 0, 0, 1, 0, 0, 1, 0, 0};
  if (ofTwo) {
    in.levels.insert(in.levels.begin(), {"host", BytesPerSecond(1000), Seconds(0)});
    in.gaps = {0, 1, 0, 1, 0, 1, 0, 2, 0, 1, 0, 1, 0, 2, 0, 1, 0, 1, 0};
  }
  Problem p = handProblem(in, 4, {{ofTwo ? 4 : 2, false, 1, 1}});
  p.search.preset = SearchPreset::Free;
  p.constraints.stages.least = 4;
  return withProfile(p, [](Profile& profile) {
    LayerCost c = plainLayer();
    c.collectives = {{CollectiveKind::AllReduce, GroupKind::Tensor, Phase::Forward, Bytes(100), 1}};
    for (int x = 0; x < 4; ++x) profile.setCost(x, 0, 0, c);
  });
}

}  // namespace

class TestEvenHosts : public QObject {
  Q_OBJECT
private slots:
  /// Plans on part of the devices compete for the first place; so those listed behind it are not the next
  /// best.
  void plansBehindTheFirstAreNotProven() {
    for (const Problem& p : {oddRacks(), unevenGroups(false), unevenGroups(true)}) {
      const Outcome all = solve(p), even = solveOnEvenHosts(p);
      QVERIFY(all.provenPlans > 1 || all.plans.size() < 2);
      QVERIFY(isSettled(even));
      QCOMPARE(even.provenPlans, even.status == OutcomeStatus::Optimal ? 1 : 0);
      QVERIFY(!even.allPlansProven() || even.plans.size() < 2);
    }
    const Problem alike = handProblem(hosts(2, 2), 4);
    QVERIFY(solveOnEvenHosts(alike).allPlansProven());
  }

  /// In their order devices 3 and 4 would form a stage across racks; device 3 stays idle instead.
  void incompleteHostsStayIdle() {
    const Problem p = oddRacks();
    const Outcome all = solve(p), even = solveOnEvenHosts(p);
    QVERIFY(all.best() && even.best());
    QVERIFY(isSettled(even));
    const RankedPlan& best = *even.best();
    QVERIFY(best.evaluation.batchTime < all.best()->evaluation.batchTime);
    QVERIFY(noted(even) && !noted(all));
    for (const DeviceIndex d : best.plan.deviceOrder) {
      const int host = p.cluster->groupOf(0, d.value);
      QCOMPARE(p.cluster->groupSpan(0, host).second - p.cluster->groupSpan(0, host).first, 2);
    }
    const Evaluation again = evaluate(p, best.plan);
    QVERIFY(again.feasible());
    QCOMPARE(again.batchTime.value(), best.evaluation.batchTime.value());
    QVERIFY(even.lowerBound <= best.evaluation.batchTime);
  }
  void whatIsTriedBesidesIsTold() {
    const auto told = evenHostsNote(*oddRacks().cluster);
    QVERIFY(told);
    QCOMPARE(
        told->message,
        std::string(
            "hosts have 1 to 2 devices: in addition to all 6, solve plans on even hosts and takes what is "
            "faster: the 2 complete hosts (4 devices, 2 idle); 1 device of each of 4 hosts (4 "
            "devices, 2 idle)"));
  }
  /// Experts on all devices of a rack of three straddle racks; on two of each they do not. Nothing is slower
  /// for the third.
  void oddHostsLeaveDevicesIdle() {
    for (const bool inHosts : {false, true}) {
      HierarchyInput in;
      in.device.memory.value = Bytes(1e6);
      in.levels = {{"rack", BytesPerSecond(1000), Seconds(0)}, {"fabric", BytesPerSecond(10), Seconds(1)}};
      in.gaps = {0, 0, 1, 0, 0};
      if (inHosts) {
        in.levels.insert(in.levels.begin(), {"host", BytesPerSecond(1000), Seconds(0)});
        in.gaps = {0, 1, 0, 1, 0, 2, 0, 1, 0, 1, 0};
      }
      const int width = inHosts ? 4 : 2;
      Problem p = handProblem(in, 4, {{width, false, 1, 1}});
      p.search.preset = SearchPreset::Free;
      p.constraints.stages.least = 2;
      p = withProfile(p, [](Profile& profile) {
        LayerCost c = plainLayer();
        c.collectives = {{CollectiveKind::AllReduce, GroupKind::Tensor, Phase::Forward, Bytes(100), 1}};
        for (int x = 0; x < 4; ++x) profile.setCost(x, 0, 0, c);
      });
      const Outcome all = solve(p), even = solveOnEvenHosts(p);
      QVERIFY(all.best() && even.best());
      QVERIFY(isSettled(even));
      QVERIFY(even.best()->evaluation.batchTime < all.best()->evaluation.batchTime);
      QVERIFY(noted(even));
      const std::vector<DeviceIndex>& order = even.best()->plan.deviceOrder;
      QCOMPARE(static_cast<int>(order.size()), 2 * width);
      for (const DeviceIndex d : order) QVERIFY(d.value % (inHosts ? 6 : 3) < width);
      const auto told = evenHostsNote(*p.cluster);
      QVERIFY(told && told->message.find(inHosts ? "2 of 3 host groups of each rack (8 devices, 4 idle)"
                                                 : "2 of 3 devices of each rack (4 devices, 2 idle)") !=
                          std::string::npos);
    }
  }
  /// Hosts of three devices in racks of five: a power of two of both, and of each alone.
  void oddLevelsAreTriedAloneAndTogether() {
    HierarchyInput in = hosts(3, 5);
    in.levels.push_back({"pod", BytesPerSecond(10), Seconds(2)});
    in.fanouts.push_back(2);
    const auto told = evenHostsNote(*Hierarchy::build(in));
    QVERIFY(told);
    for (const char* part :
         {"4 of 5 host groups of each rack, 2 of 3 devices of each host (16 devices, 14 idle)",
          "4 of 5 host groups of each rack (24 devices, 6 idle)",
          "2 of 3 devices of each host (20 devices, 10 idle)"})
      QVERIFY2(told->message.find(part) != std::string::npos, told->message.c_str());
  }
  /// Of three hosts in a group two are taken beside the four of another: groups of two straddle none.
  void unevenGroupsKeepMultiples() {
    for (const bool ofTwo : {false, true}) {
      const Problem p = unevenGroups(ofTwo);
      const Outcome all = solve(p), even = solveOnEvenHosts(p);
      QVERIFY(all.best() && even.best());
      QVERIFY(isSettled(even));
      QVERIFY(even.best()->evaluation.batchTime < all.best()->evaluation.batchTime);
      QCOMPARE(static_cast<int>(even.best()->plan.deviceOrder.size()), ofTwo ? 16 : 8);
      QVERIFY(noted(even) && accountsForDeviceSets(even));
      const auto told = evenHostsNote(*p.cluster);
      QVERIFY(told);
      const std::string name = ofTwo ? "a multiple of 2 hosts of each of 3 rack groups (16 devices, 4 idle)"
                                     : "a multiple of 2 devices of each of 3 hosts (8 devices, 2 idle)";
      QVERIFY2(told->message.find(name) != std::string::npos, told->message.c_str());
    }
  }
  /// Two hosts of four with a slow device each: six stages are faster on the others, and the outcome says so.
  void slowDevicesStayIdle() {
    HierarchyInput in;
    in.device.memory.value = Bytes(1e6);
    in.levels = {{"host", BytesPerSecond(1000), Seconds(0)}, {"rack", BytesPerSecond(1000), Seconds(0)}};
    in.gaps = {0, 0, 0, 1, 0, 0, 0};
    in.factors.assign(8, {1, Bytes(0)});
    in.factors[1].speed = in.factors[6].speed = 0.1;
    Problem p = handProblem(in, 6);
    p.constraints.stages.least = 6;
    const Outcome all = solve(p), without = solveOnEvenHosts(p);
    QVERIFY(all.best() && without.best());
    QVERIFY(without.best()->evaluation.batchTime < all.best()->evaluation.batchTime);
    QVERIFY(!without.best()->plan.deviceOrder.empty());
    for (const DeviceIndex d : without.best()->plan.deviceOrder) QCOMPARE(p.cluster->factor(d).speed, 1.0);
    QVERIFY(noted(without) && accountsForDeviceSets(without));
    const auto told = evenHostsNote(*p.cluster);
    QVERIFY(told && told->code == "devices-differ");
    QVERIFY2(told->message.find("the 6 devices of full speed and memory") != std::string::npos,
             told->message.c_str());
  }
  /// On any cluster it is never slower, and what it returns can run.
  void neverSlower() {
    InstanceFeatures f;
    f.strategyPerStage = false;
    int faster = 0, uneven = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      Problem p = randomInstance(seed, f);
      p.search.preset = SearchPreset::Free;  // strategies at random
      uneven += p.cluster->levelCount() > 1 && p.cluster->uniformGroupSize(0) == 0;
      const Outcome all = solve(p), even = solveOnEvenHosts(p);
      QVERIFY(!all.best() || even.best());
      if (!even.best()) continue;
      QVERIFY(even.best()->evaluation.feasible());
      const bool better = !all.best() || even.best()->evaluation.batchTime < all.best()->evaluation.batchTime;
      QVERIFY(better || even.best()->plan == all.best()->plan);
      QCOMPARE(noted(even), better);
      faster += better;
    }
    QVERIFY2(uneven > 50 && faster > 2, qPrintable(QString("%1 of %2 uneven").arg(faster).arg(uneven)));
  }
  /// A wide front holds what even hosts have to offer; of a usual one the plan that leads.
  void theFrontHoldsPlansOnEvenHosts() {
    InstanceFeatures f;
    f.strategyPerStage = false;
    int onEven = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      Problem p = randomInstance(seed, f);
      p.search.preset = SearchPreset::Free;
      p.search.topPlans = 3;
      if (!evenHostsNote(*p.cluster)) continue;
      for (const FrontEffort effort : {FrontEffort::Usual, FrontEffort::Wider}) {
        Control control;
        control.front = effort;
        const Outcome o = solveOnEvenHosts(p, control), all = solve(p, control);
        if (!o.best()) continue;
        const auto beats = [](const RankedPlan& a, const RankedPlan& b) {
          const auto memory = [](const RankedPlan& r) {
            Bytes most;
            for (const StageEvaluation& s : r.evaluation.stages) most = std::max(most, s.memory.total());
            return most;
          };
          return a.evaluation.batchTime.value() <= b.evaluation.batchTime.value() * (1 + 1e-9) &&
                 a.plan.devicesUsed() <= b.plan.devicesUsed() &&
                 memory(a).value() <= memory(b).value() * (1 + 1e-9);
        };
        const auto covered = [&](const RankedPlan& r) {
          return std::any_of(o.front.begin(), o.front.end(), [&](const auto& g) { return beats(g, r); });
        };
        QVERIFY(covered(*o.best()));
        for (const RankedPlan& r : all.front) QVERIFY(covered(r));
        for (const RankedPlan& r : o.front) QVERIFY(evaluate(p, r.plan).feasible());
        if (effort == FrontEffort::Usual) continue;
        QVERIFY(o.frontReach >= FrontReach::CompleteInOrder);
        onEven += std::any_of(o.front.begin(), o.front.end(), [&](const RankedPlan& r) {
          return !r.plan.deviceOrder.empty() && r.plan != o.best()->plan;
        });
      }
    }
    QVERIFY2(onEven > 0, qPrintable(QString::number(onEven)));
  }
  /// Where a plan may stand on other lines, a front is complete in the network's order alone: also on a
  /// regular cluster of several levels, unless all its devices are used.
  void frontsOfOtherLinesAreNotPromised() {
    InstanceFeatures f;
    f.strategyPerStage = false;
    Control control;
    control.front = FrontEffort::Wider;
    int inOrder = 0, whole = 0, flat = 0;
    for (std::uint64_t seed = 1; seed <= 300 && (inOrder < 3 || whole < 3 || flat < 1); ++seed) {
      Problem p = randomInstance(seed, f);
      const Hierarchy& cluster = *p.cluster;
      if (!cluster.isRegular() || !cluster.hasUniformDevices()) continue;
      p.search.preset = SearchPreset::Free;
      p.search.topPlans = 3;
      p.constraints.devices = {};
      const Outcome o = solveOnEvenHosts(p, control);
      if (!o.best() || o.front.empty()) continue;
      const QByteArray what = "seed " + QByteArray::number(static_cast<int>(seed));
      const bool isFlat = cluster.levelCount() < 2;
      QVERIFY2(o.frontReach == (isFlat ? FrontReach::Complete : FrontReach::CompleteInOrder), what);
      (isFlat ? flat : inOrder) += 1;
      if (isFlat) continue;
      p.constraints.devices = {cluster.deviceCount(), cluster.deviceCount()};
      const Outcome all = solveOnEvenHosts(p, control);
      if (!all.best()) continue;
      QVERIFY2(all.frontReach == FrontReach::Complete, what);
      ++whole;
    }
    QVERIFY2(inOrder >= 3 && whole >= 3, qPrintable(QString("%1 %2 %3").arg(inOrder).arg(whole).arg(flat)));
  }
  /// A plan that leaves devices idle is one to begin from, also where there is no time for another.
  void startsFromPlansThatLeaveDevicesIdle() {
    InstanceFeatures f;
    f.strategyPerStage = false;
    std::stop_source stop;
    stop.request_stop();
    Control stopped;
    stopped.stop = stop.get_token();
    int started = 0, whole = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      Problem p = randomInstance(seed, f);
      p.search.preset = SearchPreset::Free;
      if (!evenHostsNote(*p.cluster)) continue;
      const Outcome truth = solveOnEvenHosts(p);
      if (!truth.best()) continue;
      const Plan& start = truth.best()->plan;
      const QByteArray what = "seed " + QByteArray::number(static_cast<int>(seed));
      const Outcome early = solveOnEvenHosts(p, stopped, &start);
      QVERIFY2(early.best() && early.best()->plan == start, what);
      QVERIFY2(early.lowerBound.value() <= truth.best()->evaluation.batchTime.value() * (1 + 1e-12), what);
      const Outcome again = solveOnEvenHosts(p, {}, &start);
      QVERIFY2(again.status == truth.status && again.best() && again.best()->plan == start, what);
      (start.deviceOrder.empty() ? whole : started) += 1;
    }
    qInfo("%d began with idle devices, %d on all", started, whole);
    QVERIFY(started > 5 && whole > 5);
  }
  /// Nothing is claimed of even hosts that were not searched to the end, and they leave work for the whole.
  void workIsSharedOut() {
    InstanceFeatures f;
    f.strategyPerStage = false;
    int early = 0, bounded = 0, whole = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      Problem p = randomInstance(seed, f);
      p.search.preset = SearchPreset::Free;
      if (!evenHostsNote(*p.cluster)) continue;
      const Outcome truth = solveOnEvenHosts(p);
      for (const int units : {1, 4, 8, 16}) {
        Control control;
        control.work = std::make_shared<WorkLimit>(units);
        const Outcome o = solveOnEvenHosts(p, control);
        QVERIFY(control.work->left() < units);
        if (o.status == OutcomeStatus::Infeasible) QVERIFY(!truth.best());
        if (truth.best()) {
          const double best = truth.best()->evaluation.batchTime.value() * (1 + 1e-12);
          QVERIFY(o.lowerBound.value() <= best);
          if (o.status == OutcomeStatus::Optimal) QVERIFY(o.best()->evaluation.batchTime.value() <= best);
        }
        if (!o.cutShort()) continue;
        QCOMPARE(o.stopCause, StopCause::WorkLimit);
        ++early;
        // What was not begun with is bounded all the same, and where nothing can be faster it is said.
        if (o.best()) QVERIFY(o.lowerBound > Seconds(0) && o.lowerBound < o.best()->evaluation.batchTime);
        bounded += o.best() && o.lowerBound < o.best()->evaluation.batchTime && o.lowerBound > Seconds(0);
        whole += o.best() && o.best()->plan.deviceOrder.empty();
      }
    }
    qInfo("cut short %d times, with a bound %d, with a plan on all hosts %d", early, bounded, whole);
    QVERIFY(early > 20 && bounded > 5 && whole > 5);
  }
  /// Nor of those that took more labels than may be held.
  void whatTakesTooManyLabelsIsAdmitted() {
    InstanceFeatures f;
    f.freeStrategies = 1;
    Tuning tuning;
    tuning.labels = {.few = 2, .most = 2, .narrow = 0.05};
    int admitted = 0;
    const auto last = static_cast<std::uint64_t>(instancesFrom(1000));
    for (std::uint64_t seed = 1; seed <= last; ++seed) {
      const Problem p = randomInstance(seed, f);
      if (!evenHostsNote(*p.cluster)) continue;
      const Outcome truth = solveOnEvenHosts(p), few = solveOnEvenHosts(p, {}, nullptr, tuning);
      if (!truth.best()) continue;
      const double best = truth.best()->evaluation.batchTime.value() * (1 + 1e-9);
      if (!few.cutShort()) {
        // It may know less about other lines, and says so.
        if (few.best() && few.best()->evaluation.batchTime.value() > best)
          QVERIFY(!truth.best()->plan.deviceOrder.empty() && !isProvenOnAnyLine(few));
        continue;
      }
      QVERIFY(few.lowerBound.value() <= best);
      QCOMPARE(few.stopCause, StopCause::MemoryLimit);
      ++admitted;
    }
    qInfo("%d admitted", admitted);
    QVERIFY2(admitted > 5, qPrintable(QString::number(admitted)));
  }
};
NEST_TEST(TestEvenHosts)
#include "test_even_hosts.moc"
