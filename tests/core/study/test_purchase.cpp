#include <QtTest/QTest>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "files/file_reader.h"
#include "formats/scenario/scenario_json.h"
#include "study/purchase_flips.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

using Json = nlohmann::ordered_json;

const std::string kPurchaseSample =
    std::string(NEST_SOURCE_DIR) + "/samples/three-offers-three-jobs.nest.json";

Reading<PurchaseGrid> gridOf(const Json& j) {
  return PurchaseGrid::build(j.dump(), kPurchaseSample, loaderBeside(kPurchaseSample));
}
Json purchaseSample() {
  return Json::parse(*readText(kPurchaseSample));
}

/// The first job alone, which is quick.
Json oneJob() {
  Json j = purchaseSample();
  j["purchase"]["jobs"].erase(2), j["purchase"]["jobs"].erase(1);
  return j;
}

}  // namespace

class TestPurchase : public QObject {
  Q_OBJECT
private slots:
  void everyJobIsPlannedOnEveryOffer() {
    const auto grid = gridOf(purchaseSample());
    QVERIFY(grid);
    QCOMPARE(grid->clusters(), 3);
    QCOMPARE(grid->jobs(), 3);
    std::size_t told = 0;
    const PurchaseMatrix m =
        solvePurchase(*grid, PurchaseMeasure::Money, 1, {},
                      [&](const PurchaseCell&, std::size_t done, std::size_t) { told = done; });
    QCOMPARE(told, std::size_t(9));
    QVERIFY(m.isComplete);
    for (const PurchaseCell& c : m.cells) {
      QVERIFY2(c.plan && c.days && c.money && c.energyKwh && c.mfu, c.problem.c_str());
      const double hours = *c.days * 24 * c.reservedDevices;
      QVERIFY(std::abs(*c.money / (hours * *c.pricePerDeviceHour) - 1) < 1e-9);
    }
    for (const PurchaseChoice& c : m.choices) {
      QVERIFY(c.best >= 0 && c.next);
      for (int k = 0; k < 3; ++k) QVERIFY(*m.cell(c.job, k, 3).money >= *m.cell(c.job, c.best, 3).money);
      QVERIFY(c.lead >= 0);
      // At that price the two cost the same.
      const PurchaseCell& next = m.cell(c.job, *c.next, 3);
      QVERIFY(
          std::abs(*next.money * *c.flipPrice / *next.pricePerDeviceHour / *m.cell(c.job, c.best, 3).money -
                   1) < 1e-9);
    }
    const std::string text = report::purchaseText(*grid, m), csv = report::purchaseCsv(*grid, m);
    QVERIFY(text.find("256 B200") != std::string::npos && text.find("a device-hour") != std::string::npos);
    QCOMPARE(std::count(csv.begin(), csv.end(), '\n'), 10);
    const Json j = Json::parse(report::purchaseJson(*grid, m));
    QCOMPARE(j["cells"].size(), std::size_t(9));
    QCOMPARE(j["choices"][0]["best"].get<std::string>(), grid->cluster(m.choices[0].best));
  }

  void aCellIsTheScenarioWithItsChanges() {
    const auto grid = gridOf(purchaseSample());
    const Scenario s = *grid->scenarioOf(1, 2);
    QCOMPARE(s.cluster.device.id, "b200");
    QCOMPARE(*s.run.pricePerDeviceHour, 5.5);
    QCOMPARE(*s.run.hostPower, 3000.0);
    QCOMPARE(s.name, "Llama-3 70B on 256 B200");
    QCOMPARE(s.model.architecture->layers, 80);
    // A drawn or written network takes the place of the levels.
    Json j = purchaseSample();
    j["purchase"]["clusters"][1]["cluster"] = {{"network", "host:8@450GB/s rack:4@50GB/s"}};
    QCOMPARE(buildProblem(*gridOf(j)->scenarioOf(0, 1))->cluster->deviceCount(), 32);
  }

  void aPurchaseIsKept() {
    const Scenario s =
        *readScenario(*readText(kPurchaseSample), kPurchaseSample, loaderBeside(kPurchaseSample));
    QCOMPARE(s.purchase.clusters.size(), std::size_t(3));
    const Scenario again = *readScenario(writeScenario(s), kPurchaseSample, loaderBeside(kPurchaseSample));
    QVERIFY(again.purchase == s.purchase);
  }

  void whatIsWrongIsSaidOnce() {
    const auto refused = [](const Json& j, const char* code) {
      const auto grid = gridOf(j);
      return !grid && std::any_of(grid.diagnostics.begin(), grid.diagnostics.end(),
                                  [&](const Diagnostic& d) { return d.code == code; });
    };
    Json j = purchaseSample();
    j.erase("purchase");
    QVERIFY(refused(j, "no-purchase"));
    j = purchaseSample();
    j["purchase"]["clusters"][1]["name"] = "512 H100";
    QVERIFY(refused(j, "variant-name"));
    j = purchaseSample();
    j["purchase"]["clusters"][1]["cluster"] = {{"device", "no such device"}};
    QVERIFY(!gridOf(j));
    j = purchaseSample();
    j["purchase"]["jobs"][1]["job"] = {{"global_batch", "many"}};
    QVERIFY(!gridOf(j));
    // What a figure needs is asked for by name, in its own cells.
    j = oneJob();
    j["purchase"]["clusters"][1]["run"]["price_per_device_hour"] = nullptr;
    const auto grid = gridOf(j);
    const PurchaseMatrix m = solvePurchase(*grid, PurchaseMeasure::Money, 1);
    QVERIFY(m.cells[1].days && !m.cells[1].money);
    QVERIFY2(m.cells[1].problem.find("run.price_per_device_hour") != std::string::npos,
             m.cells[1].problem.c_str());
    QVERIFY(m.choices[0].best != 1);
  }

  /// Runs of one program on one family of devices err together, others each for themselves.
  void closeIsWhatErrorsHide() {
    PurchaseCell a, b;
    a.program = b.program = "megatron-core-2025", a.deviceFamily = b.deviceFamily = "Hopper";
    a.error = b.error = 0.1, a.ratioError = b.ratioError = 0.03;
    QVERIFY(isTooClose(a, 100, b, 102.9) && isTooClose(b, 102.9, a, 100) && !isTooClose(a, 100, b, 103.1));
    b.deviceFamily = "Blackwell";
    QVERIFY(isTooClose(a, 100, b, 114.1) && !isTooClose(a, 100, b, 114.2));
    a = b = {};
    QVERIFY(isTooClose(a, 100, b, 100) && !isTooClose(a, 100, b, 100.1));
  }

  /// Where the price of one offer is moved to its flip, another one is the choice beyond it.
  void theChoiceFlipsWhereItIsSaidTo() {
    Json j = oneJob();
    const auto grid = gridOf(j);
    const PurchaseMatrix m = solvePurchase(*grid, PurchaseMeasure::Money, 1);
    const PurchaseChoice& c = m.choices[0];
    for (const double factor : {0.999, 1.001}) {
      j["purchase"]["clusters"][*c.next]["run"]["price_per_device_hour"] = *c.flipPrice * factor;
      const PurchaseMatrix moved = solvePurchase(*gridOf(j), PurchaseMeasure::Money, 1);
      QCOMPARE(moved.choices[0].best, factor < 1 ? *c.next : c.best);
    }
    // With one price for all, the choice by days is the choice by money of equal sizes.
    for (const PurchaseFlip& f : flipsOf(*grid, m, "job.global_batch")) QVERIFY(f.after != f.before);
  }

  /// Fewer days cost more money, down to the fastest offer; what cannot be told apart says so.
  void deadlinesFollowTheFront() {
    PurchaseMatrix m;
    m.measure = PurchaseMeasure::Money;
    const std::array<std::array<double, 2>, 4> offers{{{20, 100}, {21, 300}, {15, 200}, {14.9, 150}}};
    for (int k = 0; k < 4; ++k) {
      PurchaseCell c;
      c.cluster = k, c.days = offers[std::size_t(k)][0], c.money = offers[std::size_t(k)][1];
      c.error = 0.02;
      m.cells.push_back(c);
    }
    m.choices = choicesOf(m, 1, 4);
    auto found = deadlinesOf(m, 1, 4);
    QCOMPARE(found.size(), std::size_t(1));
    QVERIFY(found[0].days == 20 && found[0].before == 0 && found[0].after == 3 && !found[0].isTooClose);
    m.cells[3].days = 15.1;
    found = deadlinesOf(m, 1, 4);
    QCOMPARE(found.size(), std::size_t(2));
    QVERIFY(found[1].days == 15.1 && found[1].before == 3 && found[1].after == 2);
    m.cells[0].ratioError = m.cells[3].ratioError = 0.5;
    QVERIFY(deadlinesOf(m, 1, 4)[0].isTooClose);
    m.measure = PurchaseMeasure::Days;
    m.choices = choicesOf(m, 1, 4);
    QVERIFY(deadlinesOf(m, 1, 4).empty());
  }

  /// With so many hosts the choice is another one, with one host more it is not.
  void aChoiceFallsBehindWithoutHosts() {
    Json j = oneJob();
    const auto grid = gridOf(j);
    const PurchaseMatrix m = solvePurchase(*grid, PurchaseMeasure::Money, 1);
    const auto found = shortfallsOf(*grid, m, 2);
    QCOMPARE(found.size(), std::size_t(1));
    QVERIFY(found[0].before == m.choices[0].best && found[0].after == *m.choices[0].next);
    QVERIFY(found[0].hosts > 32 && found[0].hosts < found[0].ofHosts);
    QCOMPARE(found[0].ofHosts, 64);
    for (const int more : {0, 1}) {
      Json changed = j;
      changed["constraints"]["devices"] = {{"most", 8 * (found[0].hosts + more)}};
      changed["purchase"]["clusters"] = Json::array({j["purchase"]["clusters"][found[0].before]});
      const PurchaseMatrix fewer = solvePurchase(*gridOf(changed), PurchaseMeasure::Money, 1);
      QCOMPARE(*fewer.cells[0].money <= *m.cells[std::size_t(found[0].after)].money, more == 1);
    }
    // A batch that need not be divided by 63 × 8 keeps the choice for longer.
    QVERIFY(found[0].otherBatchHosts && *found[0].otherBatchHosts < found[0].hosts);
    Json tolerant = j;
    tolerant["job"]["batch_tolerance"] = 0.02;
    tolerant["constraints"]["devices"] = {{"most", 8 * (*found[0].otherBatchHosts + 1)}};
    tolerant["purchase"]["clusters"] = Json::array({j["purchase"]["clusters"][found[0].before]});
    QVERIFY(*solvePurchase(*gridOf(tolerant), PurchaseMeasure::Money, 1).cells[0].money <=
            *m.cells[std::size_t(found[0].after)].money);
    const std::string text = report::purchaseText(*grid, m, {{}, found});
    QVERIFY2(text.find("of its 64 hosts or fewer") != std::string::npos, text.c_str());
    QVERIFY2(text.find("By days 512 H200 is ahead; by energy 256 B200 is ahead\n") != std::string::npos,
             text.c_str());
    const Json told = Json::parse(report::purchaseJson(*grid, m, {{}, found}));
    QCOMPARE(told["fewer_hosts"][0]["hosts"].get<int>(), found[0].hosts);
    QVERIFY(!told["deadlines"].empty());
    std::stop_source stop;
    stop.request_stop();
    Control stopped;
    stopped.stop = stop.get_token();
    QVERIFY(shortfallsOf(*grid, m, 1, stopped).empty());
  }

  void aStopLeavesCellsOpen() {
    std::stop_source stop;
    Control control;
    control.stop = stop.get_token();
    const auto grid = gridOf(purchaseSample());
    const PurchaseMatrix m =
        solvePurchase(*grid, PurchaseMeasure::Days, 1, control,
                      [&](const PurchaseCell&, std::size_t, std::size_t) { stop.request_stop(); });
    QVERIFY(!m.isComplete);
    QCOMPARE(std::count_if(m.cells.begin(), m.cells.end(),
                           [](const PurchaseCell& c) { return c.status == "stopped"; }),
             8);
  }
};

NEST_TEST(TestPurchase)
#include "test_purchase.moc"
