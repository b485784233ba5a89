#include "formats/results/plan_json.h"

#include <nlohmann/json.hpp>

#include "formats/format.h"
#include "formats/results/plan_parts.h"
#include "text/json_fields.h"
#include "text/json_layout.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kMostPlanDevices = 1 << 20;
constexpr int kMostPlanLayers = 1 << 20;
constexpr int kPlanVersion = 1;

class PlanReader {
public:
  PlanReader(const JsonText& text, Diagnostics& out) : m_text(text), m_out(out) {}

  Plan read(JsonFields& f) {
    Plan plan;
    plan.globalBatch = static_cast<int>(f.integer("global_batch", 1, 1 << 24).value_or(0));
    plan.microbatch = required(f, "microbatch", 1, 1 << 24);
    plan.dataInner = degree(f, "data_inner");
    plan.dataOuter = degree(f, "data_outer");
    plan.zero = static_cast<int>(f.integer("zero", 0, 3).value_or(0));
    plan.shardReplicas = static_cast<int>(f.integer("shard_replicas", 1, kMostPlanDevices).value_or(0));
    // Before checkSizes: the product may be beyond int.
    if (plan.shardReplicas == 1LL * plan.dataInner * plan.dataOuter) plan.shardReplicas = 0;
    f.requireKey("stages", "the list of pipeline stages");
    const nlohmann::json* stages = f.array("stages");
    for (std::size_t i = 0; stages && i < stages->size(); ++i)
      addStage((*stages)[i], jsonPointer(f.pointerTo("stages"), i), plan);
    if (stages && stages->empty())
      f.report(Severity::Error, "no-stages", "stages", "a plan has at least one stage");
    readSchedule(f, plan);
    readOrder(f, plan);
    checkSizes(f, plan);
    return plan;
  }

private:
  int required(JsonFields& f, const char* key, int least, int most) {
    f.requireKey(key, "a whole number of " + std::to_string(least) + " or more");
    return static_cast<int>(f.integer(key, least, most).value_or(least));
  }
  int degree(JsonFields& f, const char* key) {
    return static_cast<int>(f.integer(key, 1, kMostPlanDevices).value_or(1));
  }

  void addStage(const nlohmann::json& v, const std::string& pointer, Plan& plan) {
    StagePlan stage;
    if (!v.is_object()) {
      m_out.push_back(error("json-type", m_text.placeOf(pointer), "a stage is an object"));
      return;
    }
    JsonFields f(m_text, v, pointer, m_out);
    if (f.has("layers") == f.has("chunks"))
      f.report(Severity::Error, "stage-layers", "layers",
               "a stage lists its layers under \"layers\", or under \"chunks\" if it is interleaved");
    if (f.has("layers")) {
      if (const auto* list = f.array("layers")) stage.chunks.push_back(layers(*list, f.pointerTo("layers")));
    } else if (const auto* chunks = f.array("chunks")) {
      for (std::size_t q = 0; q < chunks->size(); ++q) {
        const std::string at = jsonPointer(f.pointerTo("chunks"), q);
        if ((*chunks)[q].is_array())
          stage.chunks.push_back(layers((*chunks)[q], at));
        else
          m_out.push_back(error("json-type", m_text.placeOf(at), "a chunk is a list of layer numbers"));
      }
    }
    if (const auto* object = f.object("strategy")) {
      JsonFields s(m_text, *object, f.pointerTo("strategy"), m_out);
      stage.strategy.tensor = degree(s, "tensor");
      stage.strategy.sequence = s.boolean("sequence").value_or(false);
      stage.strategy.context = degree(s, "context");
      stage.strategy.expert = degree(s, "expert");
      stage.strategy.foldedExperts = s.boolean("folded_experts").value_or(false);
      s.reportUnknown(Severity::Warning);
    }
    if (const auto policy = f.oneOf("recompute", {"none", "selective", "full"}))
      for (const Recompute r : {Recompute::None, Recompute::Selective, Recompute::Full})
        if (*policy == nameOf(r)) stage.recompute = r;
    f.reportUnknown(Severity::Warning);
    plan.stages.push_back(std::move(stage));
  }

  std::vector<LayerIndex> layers(const nlohmann::json& list, const std::string& pointer) {
    std::vector<LayerIndex> all;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto n = wholeNumber(list[i], jsonPointer(pointer, i), kMostPlanLayers, "a layer");
      if (n && !all.empty() && *n <= all.back().value)
        m_out.push_back(error("layer-order", m_text.placeOf(jsonPointer(pointer, i)),
                              "layers must be strictly increasing"));
      if (n) all.push_back(LayerIndex(*n));
    }
    return all;
  }

  std::optional<int> wholeNumber(const nlohmann::json& v, const std::string& pointer, int most,
                                 const char* what) {
    const double d = v.is_number() ? v.get<double>() : -1;
    if (d >= 0 && d <= most && d == static_cast<double>(static_cast<int>(d))) return static_cast<int>(d);
    m_out.push_back(error("json-type", m_text.placeOf(pointer),
                          std::string(what) + " is a whole number from 0 to " + std::to_string(most)));
    return std::nullopt;
  }

  void readOrder(JsonFields& f, Plan& plan) {
    const nlohmann::json* list = f.array("device_order");
    for (std::size_t i = 0; list && i < list->size(); ++i)
      if (const auto n = wholeNumber((*list)[i], jsonPointer(f.pointerTo("device_order"), i),
                                     kMostPlanDevices, "a device"))
        plan.deviceOrder.push_back(DeviceIndex(*n));
  }

  /// Files without the key name no other schedule than the usual one.
  void readSchedule(JsonFields& f, Plan& plan) {
    plan.schedule = usualSchedule(plan.chunksPerStage());
    if (!f.has("schedule")) return;
    std::vector<std::string_view> ids;
    for (const PipelineSchedule* s : schedules())
      if (s->isPlanned()) ids.push_back(s->id());
    if (const auto id = f.oneOf("schedule", ids)) plan.schedule = scheduleNamed(*id)->kind();
  }

  void checkSizes(JsonFields& f, Plan& plan) {
    double width = 0;
    std::size_t chunks = plan.stages.empty() ? 1 : plan.stages.front().chunks.size();
    for (const StagePlan& s : plan.stages) {
      width += 1.0 * plan.dataInner * s.strategy.tensor * s.strategy.context;
      if (s.chunks.size() != chunks)
        f.report(Severity::Error, "chunk-count", "stages", "every stage has the same number of chunks");
    }
    const double devices = width * plan.dataOuter;
    const auto stride = f.integer("block_stride", 0, kMostPlanDevices);
    if (devices > kMostPlanDevices) {
      f.report(Severity::Error, "too-many-devices", "stages",
               "the plan asks for more than 1,048,576 devices");
      return;
    }
    const int smallest = static_cast<int>(width);
    plan.blockStride = static_cast<int>(stride.value_or(smallest));
    if ((plan.dataOuter - 1.0) * plan.blockStride + width > kMostPlanDevices)
      f.report(Severity::Error, "too-many-devices", "block_stride",
               "the last block would begin beyond device 1,048,576");
    if (!plan.deviceOrder.empty() && plan.dataOuter >= 1 &&
        static_cast<double>(plan.deviceOrder.size()) < (plan.dataOuter - 1.0) * plan.blockStride + width)
      f.report(Severity::Error, "device-order-short", "device_order",
               "the order must name a device for every position that the plan uses");
  }

  const JsonText& m_text;
  Diagnostics& m_out;
};

/// Why an outcome holds no plan, as it says itself.
Diagnostic withoutPlan(const std::string& status, const std::string& stoppedBy, Place place) {
  if (status == "stopped") {
    const bool byUser = stoppedBy.empty() || stoppedBy == "request";
    const std::string what = stoppedBy == "deadline"       ? "at its deadline"
                             : stoppedBy == "work-limit"   ? "at its work limit"
                             : stoppedBy == "memory-limit" ? "at its memory limit"
                                                           : "by request";
    return error("no-plan", std::move(place),
                 "this outcome holds no plan: the search was stopped " + what + " before it found one",
                 byUser ? "let the search run on" : "raise that limit, and solve again");
  }
  if (status == "infeasible")
    return error("no-plan", std::move(place), "this outcome holds no plan: nothing fitted");
  if (status == "failed")
    return error("no-plan", std::move(place), "this outcome holds no plan: the search failed");
  return error("no-plan", std::move(place), "this outcome holds no plan");
}

}  // namespace

Plan readPlanFields(const JsonText& text, JsonFields& f, Diagnostics& out) {
  return PlanReader(text, out).read(f);
}

Reading<Plan> readPlan(std::string_view text, const std::string& file) {
  Reading<Plan> result;
  auto parsed = readJsonText(text, file);
  result.diagnostics = std::move(parsed.diagnostics);
  if (!parsed) return result;
  Diagnostics& out = result.diagnostics;
  if (!parsed->root().is_object()) {
    out.push_back(error("not-a-plan", parsed->placeOf(""),
                        "a plan is a JSON object, not " + std::string(kindOf(parsed->root()))));
    return result;
  }
  const Format* other = parsed->root().contains("format") ? nullptr : recognise(text, file);
  if (other && !other->is<ReadPlan>()) {
    out.push_back(error("not-a-plan", parsed->placeOf(""),
                        "this is not a plan but a " + std::string(other->name),
                        "give what nest-plan solve -o writes"));
    return result;
  }
  JsonFields top(*parsed, parsed->root(), "", out);
  const auto format = top.string("format");
  if (format && *format != "nest-plan" && *format != "nest-outcome") {
    top.report(Severity::Error, "not-a-plan", "format", "this is a \"" + *format + "\", not a \"nest-plan\"");
    return result;
  }
  if (const auto version = top.integer("version", 1, 1'000'000); version && *version > kPlanVersion)
    top.report(Severity::Error, "version-too-new", "version",
               "the plan has version " + std::to_string(*version) + "; this program reads up to " +
                   std::to_string(kPlanVersion),
               "open it with a newer release");
  PlanReader reader(*parsed, out);
  Plan plan;
  if (top.has("plan")) {
    if (const auto* object = top.object("plan")) {
      JsonFields inner(*parsed, *object, "/plan", out);
      inner.any("format"), inner.any("version");
      plan = reader.read(inner);
      inner.reportUnknown(Severity::Warning);
    }
  } else if (format == "nest-outcome") {
    out.push_back(withoutPlan(top.string("status").value_or(""), top.string("stopped_by").value_or(""),
                              parsed->placeOf("")));
  } else {
    plan = reader.read(top);
    top.reportUnknown(Severity::Warning);
  }
  if (!hasErrors(out)) result.value = std::move(plan);
  return result;
}

Json planJson(const Plan& plan) {
  Json j{{"format", "nest-plan"}, {"version", kPlanVersion}};
  j.update(planFieldsJson(plan));
  return j;
}

Json planFieldsJson(const Plan& plan) {
  Json j = Json::object();
  if (plan.globalBatch > 0) j["global_batch"] = plan.globalBatch;
  j["microbatch"] = plan.microbatch;
  j["data_inner"] = plan.dataInner;
  j["data_outer"] = plan.dataOuter;
  j["block_stride"] = plan.blockStride;
  j["zero"] = plan.zero;
  if (plan.shardReplicas > 0) j["shard_replicas"] = plan.shardReplicas;
  if (plan.schedule != usualSchedule(plan.chunksPerStage())) j["schedule"] = plan.pipelineSchedule().id();
  Json stages = Json::array();
  for (const StagePlan& s : plan.stages) {
    Json chunks = Json::array();
    for (const auto& chunk : s.chunks) {
      Json list = Json::array();
      for (const LayerIndex l : chunk) list.push_back(l.value);
      chunks.push_back(std::move(list));
    }
    Json stage = Json::object();
    if (s.chunks.size() == 1)
      stage["layers"] = chunks.front();
    else
      stage["chunks"] = chunks;
    stage["strategy"] = {{"tensor", s.strategy.tensor},
                         {"sequence", s.strategy.sequence},
                         {"context", s.strategy.context},
                         {"expert", s.strategy.expert}};
    if (s.strategy.foldedExperts) stage["strategy"]["folded_experts"] = true;
    stage["recompute"] = nameOf(s.recompute);
    stages.push_back(std::move(stage));
  }
  j["stages"] = std::move(stages);
  if (!plan.deviceOrder.empty()) {
    Json order = Json::array();
    for (const DeviceIndex d : plan.deviceOrder) order.push_back(d.value);
    j["device_order"] = std::move(order);
  }
  return j;
}

std::string writePlan(const Plan& plan) {
  return layOut(planJson(plan));
}

const Format& planFormat() {
  static constexpr Format format = {
      .key = "plan",
      .name = "NEST plan",
      .suffixes = "json",
      .fileNames = "plan.json",
      .example = R"({"format": "nest-plan", …}              see nest-plan evaluate --help)",
      .remarks = "",
      .claims =
          [](const FileLook& f) {
            return f.names("nest-plan") || (!f.names("format") && f.names("stages") && f.names("microbatch"));
          },
      .read = &readPlan};
  return format;
}

const Format& outcomeFormat() {
  static constexpr Format format = {
      .key = "outcome",
      .name = "NEST outcome",
      .suffixes = "json",
      .fileNames = "",
      .example = R"({"format": "nest-outcome", …}           written by nest-plan solve --json)",
      .remarks = "Its best plan is taken.",
      .claims = [](const FileLook& f) { return f.names("nest-outcome"); },
      .read = &readPlan};
  return format;
}

}  // namespace nest
