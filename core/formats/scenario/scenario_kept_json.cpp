// What belongs to a scenario beside its setting: values that nobody stated, plans that were kept with their
// settings, and variants of a purchase.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "fields/program_setting.h"
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
  kept.plan = std::move(plan);
  kept.setting = std::make_shared<const Setting>(readSettingOf(r, f, s.setting()));
  s.keptPlans.push_back(std::move(kept));
}

void readUnstated(const ScenarioReader& r, JsonFields& f, std::string_view key, bool kept, Scenario& s) {
  const auto fields = r.strings(f, key);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const bool known = canBeUnstated(fields[i]);
    const bool twice = std::any_of(s.unstated.begin(), s.unstated.end(),
                                   [&](const UnstatedValue& v) { return v.field == fields[i]; });
    if (known && !twice)
      s.unstated.push_back({fields[i], kept});
    else
      r.out.push_back(warning("unstated-field", r.text.placeOf(jsonPointer(f.pointerTo(key), i)),
                              '"' + fields[i] + '"' +
                                  (known ? " stands here twice" : " names nothing in a scenario") +
                                  "; it is left out",
                              known ? "remove one of them" : "nest-plan fields lists them"));
  }
}

/// A variant is read in full where it is solved; here it must have the shape of one.
void readVariants(const ScenarioReader& r, JsonFields& f, std::string_view key,
                  std::initializer_list<const char*> sections, std::vector<PurchaseVariant>& all) {
  r.objects(f, key, [&](JsonFields& x) {
    x.requireKey("name", "what people call it");
    PurchaseVariant v{x.string("name").value_or(""), {}};
    Json changes = Json::object();
    for (const char* section : sections)
      if (std::string_view(section) == "program") {
        if (const auto id = x.string(section)) changes[section] = *id;
      } else if (const nlohmann::json* object = x.object(section)) {
        changes[section] = *object;
      }
    v.changes = changes.dump();
    const bool isTwice = std::any_of(all.begin(), all.end(),
                                     [&](const PurchaseVariant& other) { return other.name == v.name; });
    if (isTwice || (v.name.empty() && x.has("name")))
      x.report(Severity::Error, "variant-name", "name",
               isTwice ? '"' + v.name + "\" is the name of two of them" : "a name is not empty");
    all.push_back(std::move(v));
  });
}

Json variantsJson(const std::vector<PurchaseVariant>& all) {
  Json out = Json::array();
  for (const PurchaseVariant& v : all) {
    Json one{{"name", v.name}};
    one.update(Json::parse(v.changes));
    out.push_back(std::move(one));
  }
  return out;
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
               "one of " + programIds() + "; a program of your own comes from a catalog (samples/catalogs)");
  }
  const Setting& usual = usualSetting(s.program);
  r.section(f, "cluster", [&](JsonFields& x) { s.cluster = readCluster(r, x); });
  r.section(f, "model", [&](JsonFields& x) { s.model = readModel(r, x, usual); });
  r.section(f, "job", [&](JsonFields& x) { s.job = readJob(r, x, usual); });
  r.section(f, "search", [&](JsonFields& x) { s.search = readSearch(r, x, usual); });
  r.section(f, "constraints", [&](JsonFields& x) { s.constraints = readConstraints(r, x, usual); });
  r.section(f, "assumptions", [&](JsonFields& x) { s.assumptions = readAssumptions(r, x, usual); });
  r.section(f, "run", [&](JsonFields& x) { s.run = readRun(r, x, usual); });
  return s;
}

Setting readSettingOf(const ScenarioReader& r, JsonFields& f, const Setting& own) {
  Setting setting = own;
  r.section(f, "setting", [&](JsonFields& x) { setting = readSetting(r, x, own); });
  return setting;
}

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
  if (!(kept.run == own.run)) j["run"] = runJson(kept);
  return j;
}

void readKept(const ScenarioReader& r, JsonFields& f, Scenario& s) {
  r.section(f, "unstated", [&](JsonFields& x) {
    readUnstated(r, x, "assumed", false, s);
    readUnstated(r, x, "kept", true, s);
  });
  r.objects(f, "kept_plans", [&](JsonFields& x) { readKeptPlan(r, x, s); });
  r.objects(f, "moments", [&](JsonFields& x) { readSlide(r, x, s); });
  r.section(f, "purchase", [&](JsonFields& x) {
    readVariants(r, x, "clusters", {"program", "cluster", "assumptions", "run"}, s.purchase.clusters);
    readVariants(r, x, "jobs", {"program", "model", "job", "search", "constraints", "assumptions", "run"},
                 s.purchase.jobs);
  });
}

void addKeptJson(const Scenario& s, Json& j) {
  for (const UnstatedValue& v : s.unstated) j["unstated"][v.kept ? "kept" : "assumed"].push_back(v.field);
  for (const KeptPlan& kept : s.keptPlans) {
    Json k{{"name", kept.name}, {"plan", planFieldsJson(*kept.plan)}};
    if (Json setting = settingJson(*kept.setting, s.setting()); !setting.empty())
      k["setting"] = std::move(setting);
    j["kept_plans"].push_back(std::move(k));
  }
  for (std::size_t i = 0; i < s.slides.size(); ++i) j["moments"].push_back(slideJson(s.slides[i], i, s));
  if (!s.purchase.clusters.empty()) j["purchase"]["clusters"] = variantsJson(s.purchase.clusters);
  if (!s.purchase.jobs.empty()) j["purchase"]["jobs"] = variantsJson(s.purchase.jobs);
}

}  // namespace nest
