#include "inspector/selection_facts.h"

#include <algorithm>

#include "evaluation/schedule.h"
#include "evaluation/traffic.h"
#include "figures/paint/phrases.h"
#include "figures/plan/communication_figure.h"
#include "figures/plan/focus.h"
#include "figures/plan/kinds.h"
#include "measures/schedule_difference.h"
#include "theme/qt_text.h"
#include "units/amount.h"
#include "units/text.h"
#include "words/metric_words.h"
#include "words/run_words.h"

namespace nest {
namespace {

QString tr(const char* text) {
  return QObject::tr(text);
}
struct DeviceSeat {
  int stage, replica, rank;
};

std::optional<DeviceSeat> seatOf(const Plan& plan, int device) {
  const Placement placement(plan);
  for (int s = 0; s < plan.stageCount(); ++s)
    for (int r = 0; r < placement.replicas(); ++r)
      for (int k = 0; k < placement.ranks(s); ++k)
        if (placement.device(s, r, k).value == device) return DeviceSeat{s, r, k};
  return std::nullopt;
}

void addTime(Facts& f, const QString& name, Seconds t) {
  if (t.value() > 0) f.rows.emplace_back(name, phrase(text::time(t)));
}

void addStage(Facts& f, const PlanContext& c, int index) {
  const Plan& plan = *c.shownPlan();
  const StagePlan& stage = plan.stages[index];
  const StageEvaluation& e = c.shownEvaluation()->stages[index];
  const auto layers = stage.layers();
  f.rows.emplace_back(tr("Layers"), tr("%1 (%2)").arg(layerSpan(*c.problem->graph, layers),
                                                      countText(static_cast<long long>(layers.size()))));
  f.rows.emplace_back(tr("Devices"), phrase(text::count(e.devices)));
  f.rows.emplace_back(tr("Strategy"), phrase(toText(stage.strategy)));
  f.rows.emplace_back(tr("Recompute policy"), QString::fromLatin1(nameOf(stage.recompute)));
  f.rows.emplace_back(tr("Time goes to"),
                      phrase(words::of(sharesOf(e), words::kOfMicrobatch, kTimePartCount)));
  f.rows.emplace_back(tr("Time per microbatch"), phrase(text::time(e.load)));
  const auto parts = loadParts(e);
  for (int k = 0; k < kLoadPartsInLoad; ++k) addTime(f, nameOf(static_cast<LoadPart>(k)), Seconds(parts[k]));
  if (e.hidden.value() > 0) f.rows.emplace_back(tr("Hidden behind compute"), phrase(text::time(-e.hidden)));
  addTime(f, tr("Gradient reduction, once per step"), e.sync);
  addTime(f, tr("of it exposed"), e.exposed);
  addTime(f, tr("Optimizer step"), e.step);
  f.rows.emplace_back(tr("Memory"), phrase(words::memory(e.memory)));
  const Bytes left = e.memory.headroom();
  f.rows.emplace_back(left.value() >= 0 ? tr("Free") : tr("Short by"),
                      phrase(text::memory(left.value() >= 0 ? left : -left)));
  f.rows.emplace_back(tr("Microbatches in flight"), phrase(text::count(e.inFlight)));
}

QString taskName(TaskKind kind) {
  switch (kind) {
    case TaskKind::Forward:
      return tr("Forward");
    case TaskKind::Backward:
      return tr("Backward");
    case TaskKind::WeightGradient:
      return tr("Weight gradients");
    case TaskKind::ActivationTransfer:
      return tr("Activations received");
    case TaskKind::GradientTransfer:
      return tr("Gradients received");
    case TaskKind::Sync:
      return tr("Gradient reduction");
    case TaskKind::Step:
      break;
  }
  return tr("Optimizer step");
}

QString taskTitle(const TaskId& t) {
  const auto kind = static_cast<TaskKind>(t.kind);
  const QString name = taskName(kind);
  return kind == TaskKind::Sync || kind == TaskKind::Step
             ? name
             : tr("%1 of microbatch %2").arg(name).arg(t.microbatch);
}

/// What a task consists of: the terms of its stage's pass in full, and what of them overlaps.
void addTask(Facts& f, const PlanContext& c, const TaskId& t, const std::optional<TaskTimes>& times) {
  const StageEvaluation& e = c.shownEvaluation()->stages[static_cast<std::size_t>(t.stage)];
  const int chunks = c.shownPlan()->chunksPerStage();
  f.rows.emplace_back(tr("Stage"), stageNumber(t.stage));
  if (chunks > 1) f.rows.emplace_back(tr("Chunk"), QString::number(t.chunk));
  if (times) {
    f.rows.emplace_back(tr("Takes"), exactTime(Seconds(times->end - times->begin)));
    f.rows.emplace_back(tr("Begins"), exactTime(Seconds(times->begin)));
    f.rows.emplace_back(tr("Ends"), exactTime(Seconds(times->end)));
  }
  Seconds whole;
  const auto add = [&](const QString& name, Seconds part) {
    addTime(f, name, part);
    whole += part;
  };
  const auto exchanges = [&](bool forward) {
    for (const Exchange kind : {Exchange::Tensor, Exchange::Context, Exchange::Expert, Exchange::Data})
      add(tr("%1 communication").arg(QString::fromLatin1(words::brief(kind))),
          forward ? e.forwardExchange[kind] : e.exchange[kind] - e.forwardExchange[kind]);
  };
  const auto sent = [&](int level, Bytes bytes) {
    if (level >= 0) f.rows.emplace_back(tr("Over"), levelName(c, level));
    f.rows.emplace_back(tr("Sent by one rank"), memoryText(bytes));
  };
  switch (static_cast<TaskKind>(t.kind)) {
    case TaskKind::Forward:
      add(tr("Compute"), e.forward);
      exchanges(true);
      break;
    case TaskKind::Backward: {
      const bool splits = c.shownPlan()->pipelineSchedule().splitsBackward();
      add(tr("Recompute"), e.recompute);
      add(tr("Compute"), splits ? e.backward - e.weightGradient : e.backward);
      exchanges(false);
      break;
    }
    case TaskKind::WeightGradient:
      add(tr("Compute"), e.weightGradient);
      break;
    case TaskKind::ActivationTransfer:
      sent(e.activationLevel, e.activationBytes);
      break;
    case TaskKind::GradientTransfer:
      sent(e.gradientLevel, e.gradientBytes);
      break;
    case TaskKind::Sync:
      f.rows.emplace_back(tr("Gradients of one rank"), memoryText(e.dataBytes));
      addTime(f, tr("of it exposed"), e.exposed);
      break;
    case TaskKind::Step:
      break;
  }
  if (!(whole > Seconds())) return;
  if (chunks > 1) {
    f.rows.emplace_back(tr("Terms are of"), tr("all %1 chunks of the stage").arg(chunks));
  } else if (times) {
    const Seconds hidden = whole - Seconds(times->end - times->begin);
    if (hidden > 1e-6 * whole) f.rows.emplace_back(tr("Hidden behind compute"), phrase(text::time(-hidden)));
  }
}

void addDevice(Facts& f, const PlanContext& c, int position) {
  const Hierarchy& cluster = *c.problem->cluster;
  const DeviceIndex device(position);
  const DeviceIdentity identity = cluster.identity(device);
  const DeviceFactor factor = cluster.factor(device);
  f.rows.emplace_back(tr("Host"), phrase(identity.host));
  f.rows.emplace_back(tr("Slot"), QString::number(identity.slot));
  f.rows.emplace_back(tr("Kind"), phrase(cluster.device().name));
  f.rows.emplace_back(tr("Memory"), phrase(text::memory(factor.memory)));
  if (factor.speed < 1) f.rows.emplace_back(tr("Speed"), phrase(text::percent(factor.speed)));
  const Plan* plan = c.shownPlan();
  if (!plan) return;
  if (const auto seat = seatOf(*plan, position)) {
    f.rows.emplace_back(tr("Stage"), stageNumber(seat->stage));
    f.rows.emplace_back(tr("Replica"), QString::number(seat->replica));
    f.rows.emplace_back(tr("Rank in the replica"), QString::number(seat->rank));
  } else {
    f.rows.emplace_back(tr("Stage"), tr("none: the device is idle"));
  }
}

/// Bandwidth and latency of a level; only what was typed is called so.
void addReach(Facts& f, const PlanContext& c, int level) {
  const NetworkLevel& l = c.problem->cluster->level(level);
  const bool drawn = c.scenario && std::holds_alternative<GraphSource>(c.scenario->cluster.network);
  f.rows.emplace_back(tr("Bandwidth"),
                      tr("%1 (%2)").arg(phrase(text::bandwidth(l.bandwidth)),
                                        drawn                       ? tr("derived from the network")
                                        : l.origin == Origin::Typed ? tr("input")
                                                                    : phrase(std::string(nameOf(l.origin)))));
  f.rows.emplace_back(tr("Latency"), phrase(text::time(l.latency)));
}

void addLevel(Facts& f, const PlanContext& c, int level) {
  addReach(f, c, level);
  f.rows.emplace_back(tr("Groups"), phrase(text::count(c.problem->cluster->groupCount(level))));
}

/// What two devices or groups send each other in one step: kind by kind, each way.
void addPair(Facts& f, const PlanContext& c, const SelectionItem& a, const SelectionItem& b) {
  const Hierarchy& h = *c.problem->cluster;
  const auto spanOf = [&](const SelectionItem& item) {
    return item.kind == ItemKind::Device ? std::pair(item.index, item.index + 1)
                                         : h.groupSpan(item.level, item.index);
  };
  const auto nameOfEnd = [&](const SelectionItem& item) {
    return item.kind == ItemKind::Device ? deviceName(h, item.index)
                                         : phrase(h.groupName(item.level, item.index));
  };
  const auto from = spanOf(a), to = spanOf(b);
  f.title = tr("%1 and %2").arg(nameOfEnd(a), nameOfEnd(b));
  if (from == to && a.kind == ItemKind::Device)
    return f.rows.emplace_back(tr("Sends"), tr("nothing to itself")), void();
  const int level = h.levelBetween(std::min(from.first, to.first), std::max(from.second, to.second) - 1);
  f.rows.emplace_back(tr("Joined by"), phrase(h.level(level).name));
  addReach(f, c, level);
  const Plan* plan = c.shownPlan();
  if (!plan) return;
  std::vector<int> starts{0, from.first, from.second, to.first, to.second, h.deviceCount()};
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  const auto bucketOf = [&](int position) {
    return static_cast<int>(std::upper_bound(starts.begin(), starts.end(), position) - starts.begin()) - 1;
  };
  const int there = bucketOf(from.first), back = bucketOf(to.first);
  const Traffic traffic(*c.problem, *plan);
  bool any = false;
  for (int k = 0; k < kExchangeCount; ++k) {
    ExchangeMask kind{};
    kind[k] = true;
    const TrafficMatrix m = traffic.matrix(starts, kind);
    const auto say = [&](int row, int column, const QString& way) {
      const std::size_t cell = m.cell(row, column);
      if (!(m.bytes[cell].value() > 0)) return;
      any = true;
      f.rows.emplace_back(
          tr("%1 communication%2").arg(nameOfKind(static_cast<Exchange>(k)), way),
          tr("%1 per step, %2").arg(phrase(text::memory(m.bytes[cell])), phrase(text::time(m.time[cell]))));
    };
    const bool same = there == back || (m.bytes[m.cell(there, back)] == m.bytes[m.cell(back, there)] &&
                                        m.time[m.cell(there, back)] == m.time[m.cell(back, there)]);
    say(there, back, there == back ? QString() : same ? tr(", each way") : tr(" →"));
    if (!same) say(back, there, tr(" ←"));
  }
  if (!any) f.rows.emplace_back(tr("Sends"), tr("nothing to each other"));
}

/// Why simulation and formula differ, where they do and saying so takes no noticeable time.
std::string simulationRemark(const PlanContext& c, const RankedPlan& shown, Seconds simulated) {
  constexpr double kMostPasses = 1e5;
  const double passes = double(shown.plan.stageCount()) * shown.plan.chunksPerStage() *
                        std::max(1, shown.evaluation.microbatchCount);
  if (!(simulated.value() > 0) || passes > kMostPasses) return {};
  return differenceInWords(*c.problem, shown.plan, shown.evaluation, simulated);
}

void addPlan(Facts& f, const PlanContext& c) {
  const RankedPlan shown = c.plan ? *c.plan : RankedPlan{*c.shownPlan(), *c.shownEvaluation(), Seconds(0)};
  const auto& architecture = c.scenario->model.architecture;
  const PlanMetrics m = metricsOf(*c.problem, architecture ? &*architecture : nullptr, shown);
  f.rows.emplace_back(tr("Plan"), phrase(summaryOf(shown.plan)));
  f.rows.emplace_back(tr("Step time"), phrase(text::time(m.batchTime)));
  if (m.simulated.value() > 0) f.rows.emplace_back(tr("Simulated"), phrase(text::time(m.simulated)));
  if (const std::string why = simulationRemark(c, shown, m.simulated); !why.empty())
    f.rows.emplace_back(tr("Difference"), phrase(why));
  f.rows.emplace_back(tr("Throughput"),
                      phrase(samplesRate(m.samplesPerSecond) + ", " + tokensRate(m.tokensPerSecond)));
  if (m.mfu) f.rows.emplace_back(tr("MFU"), phrase(text::percent(*m.mfu)));
  if (m.trainingTime) f.rows.emplace_back(tr("Training"), phrase(text::time(*m.trainingTime)));
  if (m.deviceHours) f.rows.emplace_back(tr("Device-hours"), phrase(text::amount(*m.deviceHours)));
  if (m.run)
    for (const auto& [name, text] : words::runLines(*m.run))
      f.rows.emplace_back(capitalised(toQt(name)), phrase(text));
  f.rows.emplace_back(
      tr("Devices"),
      tr("%1 of %2").arg(phrase(text::count(m.devicesUsed)), phrase(text::count(m.deviceCount))));
  f.rows.emplace_back(tr("Microbatches"), phrase(text::count(shown.evaluation.microbatchCount)));
  f.rows.emplace_back(tr("Fullest stage"),
                      tr("%1: %2").arg(stageNumber(m.fullestStage), phrase(words::memory(m))));
  f.rows.emplace_back(tr("Time goes to"), phrase(words::of(m.shares(), words::kOfStep, kTimePartCount)));
  f.rows.emplace_back(tr("Idle"), phrase(words::of(m.bubble)));
}

}  // namespace

int stageOf(const PlanContext& c, const SelectionItem& item) {
  const Plan* plan = c.shownPlan();
  if (!plan) return -1;
  if (item.kind == ItemKind::Stage || item.kind == ItemKind::Task)
    return item.index < plan->stageCount() ? item.index : -1;
  if (item.kind == ItemKind::Layer) {
    for (int s = 0; s < plan->stageCount(); ++s) {
      const auto layers = plan->stages[s].layers();
      if (std::binary_search(layers.begin(), layers.end(), LayerIndex(item.index))) return s;
    }
  }
  if (item.kind == ItemKind::Device)
    if (const auto seat = seatOf(*plan, item.index)) return seat->stage;
  return -1;
}

Facts factsOf(const PlanContext& c, const std::optional<SelectionItem>& item,
              const std::optional<TaskTimes>& times) {
  Facts f;
  const bool hasPlan =
      c.problem && c.shownPlan() && c.shownEvaluation() && !c.shownEvaluation()->stages.empty();
  if (!item) {
    f.title = c.isNearestMiss() ? tr("Closest plan") : tr("Plan");
    if (hasPlan) addPlan(f, c);
    return f;
  }
  const int i = item->index;
  switch (item->kind) {
    case ItemKind::Stage:
      f.title = tr("Stage %1").arg(stageNumber(i));
      if (hasPlan && i < c.shownPlan()->stageCount()) addStage(f, c, i);
      break;
    case ItemKind::Task:
      if (const auto task = taskOf(*item)) {
        f.title = taskTitle(*task);
        if (hasPlan && i < c.shownPlan()->stageCount()) addTask(f, c, *task, times);
      }
      break;
    case ItemKind::Layer: {
      f.title = capitalised(c.problem && i < c.problem->graph->layerCount()
                                ? phrase(c.problem->graph->layers[i].name)
                                : tr("Layer %1").arg(layerNumber(i)));
      const int s = stageOf(c, *item);
      if (s >= 0) f.rows.emplace_back(tr("Stage"), stageNumber(s));
      if (hasPlan && s >= 0) addStage(f, c, s);
      break;
    }
    case ItemKind::Device:
      f.title = tr("Device %1").arg(i);
      if (c.problem && i < c.problem->cluster->deviceCount()) addDevice(f, c, i);
      break;
    case ItemKind::Level:
      f.title = c.problem && i < c.problem->cluster->levelCount()
                    ? tr("Level %1: %2").arg(i).arg(phrase(c.problem->cluster->level(i).name))
                    : tr("Level %1").arg(i);
      if (c.problem && i < c.problem->cluster->levelCount()) addLevel(f, c, i);
      break;
    case ItemKind::Group:
      f.title = tr("Group %1").arg(i);
      if (c.problem && item->level < c.problem->cluster->levelCount() &&
          i < c.problem->cluster->groupCount(item->level)) {
        f.title = phrase(c.problem->cluster->groupName(item->level, i));
        const auto span = c.problem->cluster->groupSpan(item->level, i);
        f.rows.emplace_back(
            tr("Devices"),
            tr("%1 – %2 (%3)").arg(span.first).arg(span.second - 1).arg(span.second - span.first));
        addLevel(f, c, item->level);
      }
      break;
    case ItemKind::Pair:
      f.title = tr("%1 and %2").arg(i).arg(item->other);
      if (item->level < -1) f.rows.emplace_back(tr("Cell"), tr("of the DP table: see there"));
      if (const auto ends = c.problem ? endsOf(*item, *c.problem->cluster) : std::nullopt)
        addPair(f, c, ends->first, ends->second);
      break;
  }
  return f;
}

}  // namespace nest
