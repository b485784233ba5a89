#include <QtTest/QTest>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "files/file_reader.h"
#include "formats/scenario/scenario_json.h"
#include "study/purchase.h"
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
