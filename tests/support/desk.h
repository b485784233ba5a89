#pragma once

#include <QPushButton>
#include <QTest>
#include <memory>
#include <string>

#include "document/plan_context.h"
#include "document/scenario_document.h"
#include "document/selection.h"
#include "formats/scenario/scenario_json.h"
#include "scenario/scenario.h"
#include "solver/solve.h"
#include "support/test_main.h"
#include "test_paths.h"
#include "views/view.h"

namespace nest::test {

/// A sample, opened in a document and solved, and the selection that views of it share: what a person has in
/// front of them. Header only, for tests of widgets.
struct Desk {
  ScenarioDocument document;
  Selection selection;
  PlanContext context;

  explicit Desk(const std::string& sample = "teaching-6-layers-2x2.nest.json") {
    const std::string dir = std::string(NEST_SOURCE_DIR) + "/samples/";
    auto scenario = readScenario(readFile(dir + sample), sample, [&](const std::string& path) {
      Reading<std::string> r;
      r.value = readFile(dir + path);
      return r;
    });
    document.reset(*scenario, {});
    solveIt();
  }

  /// The plan of the document as it is now.
  void solveIt() {
    context = {};
    context.scenario = document.snapshot();
    context.problem = std::make_shared<const Problem>(*buildProblem(document.scenario()).value);
    context.generation = document.generation();
    auto outcome = std::make_shared<const Outcome>(solve(*context.problem));
    context.outcome = outcome;
    if (outcome->best()) context.plan = std::shared_ptr<const RankedPlan>(outcome, outcome->best());
  }

  /// Tokens to train on, failures every hour or so, and all that a restart and a checkpoint need.
  static void describeRun(Scenario& s) {
    s.job.trainingTokens = 1e9;
    s.run.deviceFailures = 200;
    s.run.detection = Seconds(10), s.run.replacement = Seconds(60), s.run.start = Seconds(30);
    s.run.storeWrite = BytesPerSecond(1e9);
  }

  /// Two offers for one job: the cluster as it is, and at a higher price and with less power.
  static void describePurchase(Scenario& s) {
    describeRun(s);
    s.run.pricePerDeviceHour = 2, s.run.devicePower = 700;
    s.purchase.clusters = {{"as it is", "{}"},
                           {"dear", R"({"run": {"price_per_device_hour": 3, "device_power_w": 500}})"}};
    s.purchase.jobs = {{"the job", "{}"}, {"twice the tokens", R"({"job": {"training_tokens": 2e9}})"}};
  }

  ViewServices services() { return {&selection, &document, nullptr}; }
  PlanContextPtr snapshot() const { return std::make_shared<PlanContext>(context); }

  void show(View& view, const QSize& size = {1100, 700}) const {
    view.setContext(snapshot());
    view.resize(size);
    view.show();
    (void)QTest::qWaitForWindowExposed(&view);
  }
};

/// The button with this text, one in sight before others; null if there is none.
inline QPushButton* buttonOf(const QWidget& parent, const QString& text) {
  QPushButton* found = nullptr;
  for (auto* b : parent.findChildren<QPushButton*>())
    if (b->text() == text && (!found || b->isVisible())) found = b;
  return found;
}

}  // namespace nest::test
