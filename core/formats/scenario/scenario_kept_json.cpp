// What a user has kept in a scenario: plans with their settings, and moments to show.
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "fields/program_setting.h"
#include "formats/results/plan_parts.h"
#include "formats/scenario/scenario_parts.h"
#include "text/json_quantities.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;
constexpr double kLargest = std::numeric_limits<double>::max();

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

void requireKept(JsonFields& f, std::string_view key, const std::string& name, const Scenario& s) {
  if (name.empty() || keptPlanNamed(s, name)) return;
  std::string names;
  for (const KeptPlan& k : s.keptPlans) names += (names.empty() ? "\"" : ", \"") + k.name + '"';
  f.report(Severity::Error, "unknown-kept-plan", key, "no kept plan is named \"" + name + '"',
           names.empty() ? "leave it out to show the best plan" : "one of " + names);
}

SavedMoment::Beside readBeside(const ScenarioReader& r, JsonFields& f, const Scenario& s) {
  SavedMoment::Beside b;
  f.requireKey("name", "what the plan is called in the picture");
  b.name = f.string("name").value_or("");
  b.note = f.string("note").value_or("");
  b.kept = f.string("kept").value_or("");
  requireKept(f, "kept", b.kept, s);
  r.section(f, "plan", [&](JsonFields& x) { b.plan = readPlanFields(r.text, x, r.out); });
  if (b.kept.empty() == !b.plan.has_value())
    f.report(Severity::Error, "beside-plan", "name", "a plan beside another is a kept one or one of its own",
             "give \"kept\" or \"plan\"");
  return b;
}

StudyRecord readStudyRecord(const ScenarioReader& r, JsonFields& f) {
  StudyRecord s;
  s.quantity = f.string("quantity").value_or("");
  s.acrossName = f.string("across_name").value_or("");
  s.upName = f.string("up_name").value_or("");
  s.heldBatch = static_cast<int>(f.integer("held_batch", 0, std::numeric_limits<int>::max()).value_or(0));
  s.cancelled = f.boolean("cancelled").value_or(false);
  s.others = r.strings(f, "others");
  const auto values = [&](const char* key) {
    std::vector<StudyRecord::Value> out;
    r.objects(f, key, [&](JsonFields& x) {
      x.requireKey("x", "a positive number");
      out.push_back({x.number("x", std::numeric_limits<double>::min(), kLargest).value_or(1),
                     x.string("text").value_or(""), x.boolean("present").value_or(false)});
    });
    return out;
  };
  s.across = values("across"), s.up = values("up");
  r.objects(f, "results", [&](JsonFields& x) {
    StudyRecord::Result one;
    one.y = x.number("y", 0, kLargest).value_or(0);
    one.yText = x.string("text").value_or("");
    one.none = x.string("none").value_or("");
    one.decided = x.boolean("decided").value_or(true);
    one.plan = x.string("plan").value_or("");
    one.change = x.string("change").value_or("");
    if (const nlohmann::json* others = x.array("others"))
      for (const auto& y : *others) one.others.push_back(y.is_number() ? std::max(0.0, y.get<double>()) : 0);
    s.results.push_back(std::move(one));
  });
  if (s.across.empty() || s.acrossName.empty() || s.up.empty() != s.upName.empty() ||
      s.results.size() > s.size())
    f.report(Severity::Error, "study-shape", "results",
             "a study names what varies, lists its values, and has no more results than values");
  return s;
}

void readMoment(const ScenarioReader& r, JsonFields& f, Scenario& s) {
  SavedMoment m;
  m.caption = f.string("caption").value_or("");
  f.requireKey("view", "the view to show: \"stages\", \"topology\", …");
  m.view = f.string("view").value_or("");
  if (const nlohmann::json* state = f.object("state")) {
    JsonFields inner = r.fields(*state, f.pointerTo("state"));
    for (const auto& [key, value] : state->items()) {
      if (value.is_string())
        m.state[key] = value.get<std::string>();
      else if (const auto number = inner.number(key, -kLargest, kLargest))
        m.state[key] = *number;
    }
  }
  r.section(f, "selected", [&](JsonFields& x) { m.selected = readItem(x); });
  m.plan = f.string("plan").value_or("");
  requireKept(f, "plan", m.plan, s);
  r.objects(f, "beside", [&](JsonFields& x) { m.beside.push_back(readBeside(r, x, s)); });
  r.section(f, "study", [&](JsonFields& x) { m.study = readStudyRecord(r, x); });
  s.moments.push_back(std::move(m));
}

/// Only what differs from the scenario's own: a large model or network is not written twice.
Json settingJson(const Setting& kept, const Setting& own) {
  Json j = Json::object();
  if (!(kept.cluster == own.cluster)) j["cluster"] = clusterJson(kept.cluster);
  // Under another program every part says what it does not share with that program.
  const bool other = kept.program != own.program;
  if (other) j["program"] = kept.program;
  if (other || !(kept.model == own.model)) j["model"] = modelJson(kept);
  if (other || !(kept.job == own.job)) j["job"] = jobJson(kept);
  if (other || !(kept.search == own.search)) j["search"] = searchJson(kept);
  if (other || !(kept.constraints == own.constraints)) j["constraints"] = constraintsJson(kept);
  if (other || !(kept.assumptions == own.assumptions)) j["assumptions"] = assumptionsJson(kept);
  return j;
}

Json studyJson(const StudyRecord& s) {
  const auto values = [](const std::vector<StudyRecord::Value>& all) {
    Json out = Json::array();
    for (const auto& v : all) {
      Json one{{"x", v.x}, {"text", v.text}};
      if (v.present) one["present"] = true;
      out.push_back(std::move(one));
    }
    return out;
  };
  Json j{{"quantity", s.quantity}, {"across_name", s.acrossName}, {"across", values(s.across)}};
  if (!s.upName.empty()) j["up_name"] = s.upName, j["up"] = values(s.up);
  if (!s.others.empty()) j["others"] = s.others;
  if (s.heldBatch > 0) j["held_batch"] = s.heldBatch;
  if (s.cancelled) j["cancelled"] = true;
  j["results"] = Json::array();
  for (const auto& r : s.results) {
    Json one{{"y", r.y}};
    if (!r.yText.empty()) one["text"] = r.yText;
    if (!r.none.empty()) one["none"] = r.none;
    if (!r.decided) one["decided"] = false;
    if (!r.plan.empty()) one["plan"] = r.plan;
    if (!r.change.empty()) one["change"] = r.change;
    if (!r.others.empty()) one["others"] = r.others;
    j["results"].push_back(std::move(one));
  }
  return j;
}

Json momentJson(const SavedMoment& m) {
  Json j{{"caption", m.caption}, {"view", m.view}};
  Json state = Json::object();
  for (const auto& [key, value] : m.state) {
    if (const std::string* name = value.name())
      state[key] = *name;
    else if (std::isfinite(*value.number()))
      state[key] = *value.number();
  }
  if (!state.empty()) j["state"] = std::move(state);
  if (m.selected) {
    Json item{{"kind", m.selected->kind}, {"index", m.selected->index}};
    if (m.selected->level != 0) item["level"] = m.selected->level;
    if (m.selected->other != -1) item["other"] = m.selected->other;
    j["selected"] = std::move(item);
  }
  if (!m.plan.empty()) j["plan"] = m.plan;
  for (const SavedMoment::Beside& b : m.beside) {
    Json one{{"name", b.name}};
    if (!b.note.empty()) one["note"] = b.note;
    if (!b.kept.empty()) one["kept"] = b.kept;
    if (b.plan) one["plan"] = planFieldsJson(*b.plan);
    j["beside"].push_back(std::move(one));
  }
  if (m.study) j["study"] = studyJson(*m.study);
  return j;
}

}  // namespace

Setting readSetting(const ScenarioReader& r, JsonFields& f, const Setting& base) {
  Setting s = base;
  if (const auto id = f.string("program")) {
    const Program* program = findProgram(*id);
    if (program)
      setProgram(s, *program);
    else
      f.report(Severity::Error, "program-unknown", "program", "no program is called \"" + *id + '"',
               "one of " + programIds());
  }
  const Setting& usual = usualSetting(s.program);
  r.section(f, "cluster", [&](JsonFields& x) { s.cluster = readCluster(r, x); });
  r.section(f, "model", [&](JsonFields& x) { s.model = readModel(r, x, usual); });
  r.section(f, "job", [&](JsonFields& x) { s.job = readJob(r, x, usual); });
  r.section(f, "search", [&](JsonFields& x) { s.search = readSearch(r, x, usual); });
  r.section(f, "constraints", [&](JsonFields& x) { s.constraints = readConstraints(r, x, usual); });
  r.section(f, "assumptions", [&](JsonFields& x) { s.assumptions = readAssumptions(r, x, usual); });
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
