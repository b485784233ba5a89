#include <nlohmann/json.hpp>

#include "formats/launch/launch_export.h"
#include "formats/results/summary_text.h"
#include "units/numbering.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;

/// Events of one thread must nest, so that each stage gets a thread for what it computes and one per kind of
/// transfer.
constexpr int kThreadsPerStage = 3;

int threadOf(const ScheduleInterval& i) {
  const int lane = i.kind == TaskKind::ActivationTransfer ? 1 : i.kind == TaskKind::GradientTransfer ? 2 : 0;
  return i.stage * kThreadsPerStage + lane;
}

struct Look {
  const char* name;
  const char* category;
};

Look lookOf(TaskKind k) {
  switch (k) {
    case TaskKind::Forward:
      return {"F", "forward"};
    case TaskKind::Backward:
      return {"B", "backward"};
    case TaskKind::WeightGradient:
      return {"W", "weight gradient"};
    case TaskKind::ActivationTransfer:
      return {"activation", "transfer"};
    case TaskKind::GradientTransfer:
      return {"gradient", "transfer"};
    case TaskKind::Sync:
      return {"sync", "sync"};
    case TaskKind::Step:
      break;
  }
  return {"step", "step"};
}

Json named(const char* what, int tid, const std::string& name) {
  return {{"ph", "M"}, {"name", what}, {"pid", 0}, {"tid", tid}, {"args", {{"name", name}}}};
}

Json complete(const std::string& name, const char* category, int tid, double beginSeconds, double seconds) {
  return {{"ph", "X"},           {"name", name},
          {"cat", category},     {"pid", 0},
          {"tid", tid},          {"ts", beginSeconds * 1e6},
          {"dur", seconds * 1e6}};
}

}  // namespace

std::string writeChromeTrace(const ReportSource& source, const Plan& plan, const Schedule& schedule) {
  Json events = Json::array();
  events.push_back(
      named("process_name", 0,
            source.scenario.empty() ? summaryOf(plan) : source.scenario + ": " + summaryOf(plan)));
  for (int i = 0; i < plan.stageCount(); ++i) {
    const std::string stage = text::stageName(StageIndex(i));
    const int first = i * kThreadsPerStage;
    events.push_back(
        named("thread_name", first, stage + " (" + text::layersName(plan.stages[i].layers()) + ")"));
    events.push_back(named("thread_name", first + 1, stage + " activations in"));
    events.push_back(named("thread_name", first + 2, stage + " gradients in"));
  }
  for (const ScheduleInterval& i : schedule.intervals) {
    const Look look = lookOf(i.kind);
    const bool once = i.kind == TaskKind::Sync || i.kind == TaskKind::Step;
    const std::string name =
        once ? std::string(look.name) : std::string(look.name) + " mb" + std::to_string(i.microbatch);
    Json e = complete(name, look.category, threadOf(i), i.begin.value(), (i.end - i.begin).value());
    if (!once) e["args"] = {{"microbatch", i.microbatch}, {"chunk", i.chunk}};
    events.push_back(std::move(e));
    if (i.kind == TaskKind::Backward && i.recompute.value() > 0)
      events.push_back(complete("recompute", "recompute", threadOf(i), i.begin.value(), i.recompute.value()));
  }
  for (const MemoryStep& m : schedule.memory)
    events.push_back({{"ph", "C"},
                      {"name", "memory of " + text::stageName(StageIndex(m.stage)) + ", GiB"},
                      {"pid", 0},
                      {"tid", m.stage * kThreadsPerStage},
                      {"ts", m.at.value() * 1e6},
                      {"args", {{"used", m.used.value() / (1024.0 * 1024 * 1024)}}}});
  // One event a line: traces are large, and line tools work on them.
  std::string out = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n";
  for (std::size_t k = 0; k < events.size(); ++k)
    out += (k ? ",\n" : "") + events[k].dump(-1, ' ', false, Json::error_handler_t::replace);
  return out + "\n]}\n";
}

}  // namespace nest
