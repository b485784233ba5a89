// What a user has kept in a scenario: plans with their settings, and moments to show.
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "formats/results/plan_parts.h"
#include "formats/scenario/scenario_parts.h"
#include "text/json_quantities.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;

void readKeptPlan(const ScenarioReader& r, JsonFields& f, Scenario& s) {
  KeptPlan kept;
  f.requireKey("name", "what the kept plan is called");
  kept.name = f.string("name").value_or("");
  if (f.has("name") && kept.name.empty())
    f.report(Severity::Error, "kept-name", "name", "a kept plan has a name that is not empty");
  if (keptPlanNamed(s, kept.name))
    f.report(Severity::Error, "kept-name", "name", "there is another kept plan named \"" + kept.name + '"',
             "give each a name of its own");
  f.requireKey("plan", "the plan that was kept");
  auto plan = std::make_shared<Plan>();
  r.section(f, "plan", [&](JsonFields& x) { *plan = readPlanFields(r.text, x, r.out); });
  auto setting = std::make_shared<Setting>(s.setting());
  r.section(f, "setting", [&](JsonFields& x) { *setting = readSetting(r, x, s.setting()); });
  kept.plan = std::move(plan);
  kept.setting = std::move(setting);
  s.keptPlans.push_back(std::move(kept));
}

SavedMoment::Item readItem(JsonFields& f) {
  SavedMoment::Item item;
  f.requireKey("kind", "what is picked out: \"stage\", \"layer\", …");
  item.kind = f.oneOf("kind", {"stage", "layer", "device", "group", "level", "pair"}).value_or("stage");
  item.index = static_cast<int>(f.integer("index", 0, std::numeric_limits<int>::max()).value_or(0));
  item.level = static_cast<int>(f.integer("level", 0, 64).value_or(0));
  item.other = static_cast<int>(f.integer("other", -1, std::numeric_limits<int>::max()).value_or(-1));
  return item;
}

void readMoment(const ScenarioReader& r, JsonFields& f, Scenario& s) {
  SavedMoment m;
  m.caption = f.string("caption").value_or("");
  f.requireKey("view", "the view to show: \"stages\", \"topology\", …");
  m.view = f.string("view").value_or("");
  if (const nlohmann::json* state = f.object("state")) {
    JsonFields inner = r.fields(*state, f.pointerTo("state"));
    constexpr double kLargest = std::numeric_limits<double>::max();
    for (const auto& [key, value] : state->items())
      if (const auto number = inner.number(key, -kLargest, kLargest)) m.state[key] = *number;
  }
  r.section(f, "selected", [&](JsonFields& x) { m.selected = readItem(x); });
  m.plan = f.string("plan").value_or("");
  if (!m.plan.empty() && !keptPlanNamed(s, m.plan)) {
    std::string names;
    for (const KeptPlan& k : s.keptPlans) names += (names.empty() ? "\"" : ", \"") + k.name + '"';
    f.report(Severity::Error, "unknown-kept-plan", "plan", "no kept plan is named \"" + m.plan + '"',
             names.empty() ? "leave it out to show the best plan" : "one of " + names);
  }
  s.moments.push_back(std::move(m));
}

/// Only what differs from the scenario's own: a large model or network is not written twice.
Json settingJson(const Setting& kept, const Setting& own) {
  Json j = Json::object();
  if (!(kept.cluster == own.cluster)) j["cluster"] = clusterJson(kept.cluster);
  if (!(kept.model == own.model)) j["model"] = modelJson(kept.model);
  if (!(kept.job == own.job)) j["job"] = jobJson(kept.job);
  if (!(kept.search == own.search)) j["search"] = searchJson(kept.search);
  if (!(kept.constraints == own.constraints)) j["constraints"] = constraintsJson(kept.constraints);
  if (!(kept.assumptions == own.assumptions)) j["assumptions"] = assumptionsJson(kept.assumptions);
  return j;
}

Json momentJson(const SavedMoment& m) {
  Json j{{"caption", m.caption}, {"view", m.view}};
  Json state = Json::object();
  for (const auto& [key, value] : m.state)
    if (std::isfinite(value)) state[key] = value;
  if (!state.empty()) j["state"] = std::move(state);
  if (m.selected) {
    Json item{{"kind", m.selected->kind}, {"index", m.selected->index}};
    if (m.selected->level != 0) item["level"] = m.selected->level;
    if (m.selected->other != -1) item["other"] = m.selected->other;
    j["selected"] = std::move(item);
  }
  if (!m.plan.empty()) j["plan"] = m.plan;
  return j;
}

}  // namespace

Setting readSetting(const ScenarioReader& r, JsonFields& f, const Setting& base) {
  Setting s = base;
  r.section(f, "cluster", [&](JsonFields& x) { s.cluster = readCluster(r, x); });
  r.section(f, "model", [&](JsonFields& x) { s.model = readModel(r, x); });
  r.section(f, "job", [&](JsonFields& x) { s.job = readJob(r, x); });
  r.section(f, "search", [&](JsonFields& x) { s.search = readSearch(r, x); });
  r.section(f, "constraints", [&](JsonFields& x) { s.constraints = readConstraints(r, x); });
  r.section(f, "assumptions", [&](JsonFields& x) { s.assumptions = readAssumptions(r, x); });
  return s;
}

void readKept(const ScenarioReader& r, JsonFields& f, Scenario& s) {
  r.objects(f, "kept_plans", [&](JsonFields& x) { readKeptPlan(r, x, s); });
  r.objects(f, "moments", [&](JsonFields& x) { readMoment(r, x, s); });
}

void addKeptJson(const Scenario& s, Json& j) {
  for (const KeptPlan& kept : s.keptPlans) {
    Json k{{"name", kept.name}, {"plan", planFieldsJson(*kept.plan)}};
    if (Json setting = settingJson(*kept.setting, s.setting()); !setting.empty())
      k["setting"] = std::move(setting);
    j["kept_plans"].push_back(std::move(k));
  }
  for (const SavedMoment& m : s.moments) j["moments"].push_back(momentJson(m));
}

}  // namespace nest
