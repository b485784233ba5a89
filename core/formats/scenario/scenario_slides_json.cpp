// The slides of a scenario: each with the state that its view showed.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "formats/results/plan_parts.h"
#include "formats/scenario/scenario_parts.h"
#include "text/json_quantities.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr int kMostNumber = std::numeric_limits<int>::max();
constexpr int kMostStages = 1 << 20;
constexpr std::array<std::string_view, 7> kTaskNames{
    "forward", "backward", "activation-transfer", "gradient-transfer", "sync", "step", "weight-gradient"};

constexpr double kSlowestPlay = 0.1, kFastestPlay = 10;

SavedSlide::Item readItem(JsonFields& f) {
  SavedSlide::Item item;
  f.requireKey("kind", "what is picked out: \"stage\", \"layer\", …");
  item.kind =
      f.oneOf("kind", {"stage", "layer", "device", "group", "level", "pair", "task"}).value_or("stage");
  item.index = static_cast<int>(f.integer("index", 0, std::numeric_limits<int>::max()).value_or(0));
  item.level = static_cast<int>(f.integer("level", -2, 64).value_or(0));
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

std::optional<Plan> readPlanAt(const ScenarioReader& r, JsonFields& f, const char* key) {
  std::optional<Plan> plan;
  r.section(f, key, [&](JsonFields& x) { plan = readPlanFields(r.text, x, r.out); });
  return plan;
}

/// Files of earlier versions name a kept plan here, and mean its setting and its plan as they were then.
SavedSlide::Beside readBeside(const ScenarioReader& r, JsonFields& f, const Scenario& s) {
  SavedSlide::Beside b;
  f.requireKey("name", "what the plan is called in the picture");
  b.name = f.string("name").value_or("");
  b.note = f.string("note").value_or("");
  const std::string kept = f.string("kept").value_or("");
  requireKept(f, "kept", kept, s);
  if (f.has("setting")) b.setting = std::make_shared<const Setting>(readSettingOf(r, f, s.setting()));
  auto plan = readPlanAt(r, f, "plan");
  if (kept.empty() == !plan.has_value())
    f.report(Severity::Error, "beside-plan", "name",
             "a plan shown next to another is a kept one or one of its own", "give \"kept\" or \"plan\"");
  if (plan) {
    b.plan = std::move(*plan);
  } else if (const KeptPlan* k = keptPlanNamed(s, kept)) {
    b.setting = k->setting;
    b.plan = *k->plan;
  }
  return b;
}

template <class Enum>
Enum readNamed(JsonFields& f, const char* key, std::initializer_list<Enum> all, Enum usual) {
  std::vector<std::string_view> names;
  for (const Enum e : all) names.emplace_back(nameOf(e));
  const auto name = f.oneOf(key, std::span<const std::string_view>(names));
  for (const Enum e : all)
    if (name && *name == nameOf(e)) return e;
  return usual;
}

SavedOutcome readSavedOutcome(const ScenarioReader& r, JsonFields& f) {
  SavedOutcome o;
  f.requireKey("status", "what the search had ended in: \"optimal\", \"stopped\", \"infeasible\", …");
  using enum OutcomeStatus;
  o.status = readNamed(f, "status", {Optimal, WithinGap, BestSoFar, Stopped, Infeasible, Failed}, Optimal);
  o.stopCause = readNamed(f, "stopped_by",
                          {StopCause::None, StopCause::Request, StopCause::Deadline, StopCause::WorkLimit,
                           StopCause::MemoryLimit},
                          StopCause::None);
  o.elapsed = Seconds(f.number("elapsed_s", 0, kLargest).value_or(0));
  r.section(f, "nearest_miss", [&](JsonFields& x) {
    SavedOutcome::Miss miss;
    x.requireKey("plan", "the plan that comes closest");
    if (auto plan = readPlanAt(r, x, "plan")) miss.plan = std::move(*plan);
    miss.stage = static_cast<int>(x.integer("stage", -1, kMostStages).value_or(-1));
    miss.shortfall = Bytes(x.number("shortfall_bytes", 0, kLargest).value_or(0));
    miss.remedies = r.strings(x, "remedies");
    o.nearestMiss = std::move(miss);
  });
  o.best = readPlanAt(r, f, "best");
  r.objects(f, "front", [&](JsonFields& x) { o.front.push_back(readPlanFields(r.text, x, r.out)); });
  o.frontReach = readNamed(
      f, "front_reach",
      {FrontReach::Encountered, FrontReach::Sampled, FrontReach::CompleteInOrder, FrontReach::Complete},
      FrontReach::Encountered);
  r.objects(f, "diagnostics", [&](JsonFields& x) {
    const bool isNote = x.oneOf("severity", {"note", "warning"}).value_or("warning") == "note";
    o.diagnostics.push_back({isNote ? Severity::Note : Severity::Warning,
                             x.string("code").value_or(""),
                             {},
                             x.string("message").value_or(""),
                             x.string("remedy").value_or("")});
  });
  return o;
}

SavedState readSavedState(const ScenarioReader& r, JsonFields& f, const Scenario& s) {
  SavedState state;
  if (const auto number = f.integer("setting_of", 1, kMostNumber)) {
    const auto at = static_cast<std::size_t>(*number - 1);
    if (at < s.slides.size() && s.slides[at].shown)
      state.setting = s.slides[at].shown->setting;
    else
      f.report(Severity::Error, "unknown-slide", "setting_of",
               "no earlier slide with this number has a setting", "the first slide is 1");
  }
  if (!state.setting) {
    const bool own = !f.has("setting");
    for (const SavedSlide& m : s.slides)
      if (own && !state.setting && m.shown && *m.shown->setting == s.setting())
        state.setting = m.shown->setting;  // large models and networks are held once
    if (!state.setting) state.setting = std::make_shared<const Setting>(readSettingOf(r, f, s.setting()));
  }
  state.plan = readPlanAt(r, f, "plan");
  state.byHand = f.boolean("by_hand").value_or(false);
  state.edited = f.boolean("edited").value_or(false);
  r.section(f, "outcome", [&](JsonFields& x) { state.outcome = readSavedOutcome(r, x); });
  if (state.byHand && !state.plan)
    f.report(Severity::Error, "slide-plan", "by_hand", "there is no plan that was cut by hand",
             "give \"plan\"");
  return state;
}

SavedTable readSavedTable(const ScenarioReader& r, JsonFields& f) {
  SavedTable t;
  r.objects(f, "columns", [&](JsonFields& x) {
    t.columns.push_back({x.string("name").value_or(""), x.boolean("right").value_or(false)});
  });
  if (const nlohmann::json* rows = f.array("rows"))
    for (const auto& row : *rows) {
      std::vector<std::string> cells;
      if (row.is_array())
        for (const auto& cell : row) cells.push_back(cell.is_string() ? cell.get<std::string>() : "");
      if (cells.size() != t.columns.size()) {
        f.report(Severity::Error, "table-shape", "rows", "every row of a table has a text for each column");
        break;
      }
      t.rows.push_back(std::move(cells));
    }
  t.more = static_cast<int>(f.integer("more", 0, kMostNumber).value_or(0));
  return t;
}

SavedSlide::PlayHead readPlayHead(const ScenarioReader& r, JsonFields& f) {
  SavedSlide::PlayHead head;
  f.requireKey("seconds", "the time since the step began");
  head.seconds = f.number("seconds", 0, kLargest).value_or(0);
  r.objects(f, "running", [&](JsonFields& x) {
    SavedSlide::PlayHead::Task task;
    task.stage = static_cast<int>(x.integer("stage", 0, kMostStages).value_or(0));
    const auto name = x.oneOf("task", std::span<const std::string_view>(kTaskNames));
    const auto at = std::find(kTaskNames.begin(), kTaskNames.end(), name.value_or("forward"));
    task.task = static_cast<int>(at - kTaskNames.begin());
    task.microbatch = static_cast<int>(x.integer("microbatch", -1, kMostNumber).value_or(0));
    head.running.push_back(task);
  });
  head.schedule = f.string("schedule").value_or("");
  if (!head.schedule.empty() && !scheduleNamed(head.schedule)) {
    f.report(Severity::Error, "unknown-schedule", "schedule",
             "there is no schedule \"" + head.schedule + "\"");
    head.schedule.clear();
  }
  head.speed = f.number("speed", kSlowestPlay, kFastestPlay).value_or(1);
  head.exchange = f.string("exchange").value_or("");
  return head;
}

StudyRecord readStudyRecord(const ScenarioReader& r, JsonFields& f) {
  StudyRecord s;
  s.quantity = f.string("quantity").value_or("");
  s.acrossName = f.string("across_name").value_or("");
  s.upName = f.string("up_name").value_or("");
  s.heldBatch = static_cast<int>(f.integer("held_batch", 0, std::numeric_limits<int>::max()).value_or(0));
  s.logarithmic = f.boolean("logarithmic").value_or(false);
  s.lessIsBetter = f.boolean("less_is_better").value_or(false);
  s.threshold = f.number("threshold", 0, kLargest).value_or(0);
  s.thresholdText = f.string("threshold_text").value_or("");
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

FigureOptions readViewState(const ScenarioReader& r, JsonFields& f) {
  FigureOptions out;
  const nlohmann::json* state = f.object("state");
  if (!state) return out;
  JsonFields inner = r.fields(*state, f.pointerTo("state"));
  for (const auto& [key, value] : state->items()) {
    if (value.is_string())
      out[key] = value.get<std::string>();
    else if (const auto number = inner.number(key, -kLargest, kLargest))
      out[key] = *number;
  }
  return out;
}

SavedSlide::Step readStep(const ScenarioReader& r, JsonFields& f) {
  SavedSlide::Step step;
  step.state = readViewState(r, f);
  r.section(f, "selected", [&](JsonFields& x) { step.selected = readItem(x); });
  r.section(f, "play_head", [&](JsonFields& x) { step.playHead = readPlayHead(r, x); });
  step.sentence = f.string("sentence").value_or("");
  return step;
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
  if (s.logarithmic) j["logarithmic"] = true;
  if (s.lessIsBetter) j["less_is_better"] = true;
  if (s.threshold > 0) j["threshold"] = s.threshold, j["threshold_text"] = s.thresholdText;
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

Json savedOutcomeJson(const SavedOutcome& o) {
  Json j{{"status", nameOf(o.status)}};
  if (o.stopCause != StopCause::None) j["stopped_by"] = nameOf(o.stopCause);
  if (o.elapsed.value() > 0) j["elapsed_s"] = o.elapsed.value();
  if (const auto& miss = o.nearestMiss)
    j["nearest_miss"] = {{"plan", planFieldsJson(miss->plan)},
                         {"stage", miss->stage},
                         {"shortfall_bytes", miss->shortfall.value()},
                         {"remedies", miss->remedies}};
  if (o.best) j["best"] = planFieldsJson(*o.best);
  for (const Plan& plan : o.front) j["front"].push_back(planFieldsJson(plan));
  if (!o.front.empty()) j["front_reach"] = nameOf(o.frontReach);
  for (const Diagnostic& d : o.diagnostics) {
    Json one{{"severity", d.severity == Severity::Note ? "note" : "warning"}, {"code", d.code}};
    one["message"] = d.message;
    if (!d.remedy.empty()) one["remedy"] = d.remedy;
    j["diagnostics"].push_back(std::move(one));
  }
  return j;
}

/// `at`: the number of the slide among all. A setting that an earlier slide has is not written twice.
Json savedStateJson(const SavedState& state, std::size_t at, const Scenario& s) {
  Json j = Json::object();
  Json setting = settingJson(*state.setting, s.setting());
  const auto& slides = s.slides;
  const auto shares = [&](const SavedSlide& m) {
    return m.shown && (m.shown->setting == state.setting || *m.shown->setting == *state.setting);
  };
  const auto end = slides.begin() + static_cast<std::ptrdiff_t>(at);
  const auto earlier = setting.empty() ? end : std::find_if(slides.begin(), end, shares);
  if (earlier != end)
    j["setting_of"] = earlier - slides.begin() + 1;
  else if (!setting.empty())
    j["setting"] = std::move(setting);
  if (state.plan) j["plan"] = planFieldsJson(*state.plan);
  if (state.byHand) j["by_hand"] = true;
  if (state.edited) j["edited"] = true;
  if (state.outcome) j["outcome"] = savedOutcomeJson(*state.outcome);
  return j;
}

Json savedTableJson(const SavedTable& t) {
  Json j{{"columns", Json::array()}, {"rows", t.rows}};
  for (const SavedTable::Column& c : t.columns) {
    Json one{{"name", c.name}};
    if (c.right) one["right"] = true;
    j["columns"].push_back(std::move(one));
  }
  if (t.more > 0) j["more"] = t.more;
  return j;
}

Json playHeadJson(const SavedSlide::PlayHead& head) {
  Json j{{"seconds", head.seconds}, {"running", Json::array()}};
  for (const auto& task : head.running)
    j["running"].push_back({{"stage", task.stage},
                            {"task", kTaskNames[static_cast<std::size_t>(task.task) % kTaskNames.size()]},
                            {"microbatch", task.microbatch}});
  if (!head.schedule.empty()) j["schedule"] = head.schedule;
  if (head.speed != 1) j["speed"] = head.speed;
  if (!head.exchange.empty()) j["exchange"] = head.exchange;
  return j;
}

Json itemJson(const SavedSlide::Item& item) {
  Json j{{"kind", item.kind}, {"index", item.index}};
  if (item.level != 0) j["level"] = item.level;
  if (item.other != -1) j["other"] = item.other;
  return j;
}

void putViewState(const FigureOptions& options, Json& j) {
  Json state = Json::object();
  for (const auto& [key, value] : options) {
    if (const std::string* name = value.name())
      state[key] = *name;
    else if (std::isfinite(*value.number()))
      state[key] = *value.number();
  }
  if (!state.empty()) j["state"] = std::move(state);
}

Json stepJson(const SavedSlide::Step& step) {
  Json j = Json::object();
  putViewState(step.state, j);
  if (step.selected) j["selected"] = itemJson(*step.selected);
  if (step.playHead) j["play_head"] = playHeadJson(*step.playHead);
  if (!step.sentence.empty()) j["sentence"] = step.sentence;
  return j;
}

}  // namespace

void readSlide(const ScenarioReader& r, JsonFields& f, Scenario& s) {
  SavedSlide m;
  m.caption = f.string("caption").value_or("");
  f.requireKey("view", "the view to show: \"stages\", \"topology\", …");
  m.view = f.string("view").value_or("");
  m.state = readViewState(r, f);
  r.section(f, "selected", [&](JsonFields& x) { m.selected = readItem(x); });
  m.notes = f.string("notes").value_or("");
  m.sentence = f.string("sentence").value_or("");
  // Files of earlier versions name a kept plan: the slide has been independent of it since.
  const std::string kept = f.string("plan").value_or("");
  requireKept(f, "plan", kept, s);
  if (const KeptPlan* k = keptPlanNamed(s, kept))
    m.shown = std::make_shared<const SavedState>(SavedState{k->setting, *k->plan});
  r.section(f, "shown",
            [&](JsonFields& x) { m.shown = std::make_shared<const SavedState>(readSavedState(r, x, s)); });
  r.objects(f, "beside", [&](JsonFields& x) { m.beside.push_back(readBeside(r, x, s)); });
  r.section(f, "study", [&](JsonFields& x) { m.study = readStudyRecord(r, x); });
  r.section(f, "table", [&](JsonFields& x) { m.table = readSavedTable(r, x); });
  r.section(f, "play_head", [&](JsonFields& x) { m.playHead = readPlayHead(r, x); });
  r.objects(f, "steps", [&](JsonFields& x) { m.steps.push_back(readStep(r, x)); });
  s.slides.push_back(std::move(m));
}

Json slideJson(const SavedSlide& m, std::size_t at, const Scenario& s) {
  Json j{{"caption", m.caption}, {"view", m.view}};
  putViewState(m.state, j);
  if (m.selected) j["selected"] = itemJson(*m.selected);
  if (!m.notes.empty()) j["notes"] = m.notes;
  if (!m.sentence.empty()) j["sentence"] = m.sentence;
  if (m.shown) j["shown"] = savedStateJson(*m.shown, at, s);
  for (const SavedSlide::Beside& b : m.beside) {
    Json one{{"name", b.name}};
    if (!b.note.empty()) one["note"] = b.note;
    if (b.setting) one["setting"] = settingJson(*b.setting, s.setting());
    one["plan"] = planFieldsJson(b.plan);
    j["beside"].push_back(std::move(one));
  }
  if (m.study) j["study"] = studyJson(*m.study);
  if (m.table) j["table"] = savedTableJson(*m.table);
  if (m.playHead) j["play_head"] = playHeadJson(*m.playHead);
  for (const SavedSlide::Step& step : m.steps) j["steps"].push_back(stepJson(step));
  return j;
}

}  // namespace nest
