#include "measures/plan_diff.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "measures/metrics.h"
#include "units/at.h"
#include "units/numbering.h"
#include "units/text.h"

namespace nest {
namespace {

using Kind = PlanChange::Kind;

class Comparison {
public:
  Comparison(const Problem& problem, const Plan& first, const Plan& second)
      : m_problem(problem), m_a(first), m_b(second) {}

  std::vector<PlanChange> run() {
    // Two plans of a job each take its batch, unless they say otherwise.
    if (m_a.globalBatch > 0 || m_b.globalBatch > 0)
      number(Kind::Batch, "Global batch", m_problem.batchOf(m_a.globalBatch),
             m_problem.batchOf(m_b.globalBatch));
    number(Kind::Microbatch, "MBS", m_a.microbatch, m_b.microbatch);
    number(Kind::Data, "DP", m_a.dataDegree(), m_b.dataDegree());
    if (m_a.dataDegree() != m_b.dataDegree() || m_a.dataInner != m_b.dataInner) arrangement();
    number(Kind::Zero, "ZeRO stage", m_a.zero, m_b.zero);
    if (m_a.shardDegree() != m_a.dataDegree() || m_b.shardDegree() != m_b.dataDegree())
      number(Kind::Shard, "replicas of a shard group", m_a.shardDegree(), m_b.shardDegree());
    number(Kind::Stages, "PP", m_a.stageCount(), m_b.stageCount());
    number(Kind::Chunks, "VPP", m_a.chunksPerStage(), m_b.chunksPerStage());
    if (m_a.schedule != m_b.schedule && (m_a.stageCount() > 1 || m_b.stageCount() > 1))
      add(Kind::Schedule, -1, "Schedule " + labelOf(m_a) + " → " + labelOf(m_b));
    strategies();
    if (m_a.stageCount() == m_b.stageCount())
      cuts();
    else
      newCuts();
    recompute();
    placement();
    return std::move(m_changes);
  }

private:
  void add(Kind kind, int stage, std::string sentence) {
    m_changes.push_back({kind, stage, std::move(sentence)});
  }
  void number(Kind kind, const char* name, int a, int b) {
    if (a != b) add(kind, -1, std::string(name) + " " + std::to_string(a) + " → " + std::to_string(b));
  }
  void arrangement() {
    if (m_a.dataInner == m_b.dataInner || (m_a.dataOuter == 1 && m_b.dataOuter == 1)) return;
    const auto blocks = [](const Plan& p) {
      return std::to_string(p.dataOuter) + (p.dataOuter == 1 ? " block of " : " blocks of ") +
             std::to_string(p.dataInner) + (p.dataInner == 1 ? " replica" : " replicas");
    };
    add(Kind::Arrangement, -1, blocks(m_b) + " instead of " + blocks(m_a));
  }

  static std::string labelOf(const Plan& p) { return std::string(p.pipelineSchedule().label()); }
  static bool uniform(const Plan& p) {
    return std::all_of(p.stages.begin(), p.stages.end(),
                       [&](const StagePlan& s) { return s.strategy == p.stages.front().strategy; });
  }
  void strategyChange(int stage, const Strategy& a, const Strategy& b) {
    const std::string of = stage < 0 ? "" : text::stageTitle(StageIndex(stage)) + ": ";
    const auto degree = [&](Kind kind, const char* name, int x, int y) {
      if (x != y) add(kind, stage, of + name + " " + std::to_string(x) + " → " + std::to_string(y));
    };
    degree(Kind::Tensor, "TP", a.tensor, b.tensor);
    degree(Kind::Context, "CP", a.context, b.context);
    degree(Kind::Expert, "EP", a.expert, b.expert);
    if (a.foldedExperts != b.foldedExperts)
      degree(Kind::ExpertTensor, "ETP", a.foldedExperts ? 1 : a.tensor, b.foldedExperts ? 1 : b.tensor);
    if (a.sequence != b.sequence) {
      std::string words = std::string("sequence parallelism ") + (b.sequence ? "on" : "off");
      if (stage < 0) words[0] = 'S';
      add(Kind::Sequence, stage, of + words);
    }
  }
  void strategies() {
    if (m_a.stages.empty() || m_b.stages.empty()) return;
    if (uniform(m_a) && uniform(m_b))
      return strategyChange(-1, m_a.stages.front().strategy, m_b.stages.front().strategy);
    for (int i = 0; i < m_b.stageCount(); ++i) {
      const Strategy& b = m_b.stages[at(i)].strategy;
      if (i < m_a.stageCount())
        strategyChange(i, m_a.stages[at(i)].strategy, b);
      else
        add(Kind::Strategy, i, text::stageTitle(StageIndex(i)) + " runs " + toText(b));
    }
  }
  void cuts() {
    for (int i = 0; i < m_b.stageCount(); ++i) {
      const auto a = m_a.stages[at(i)].layers(), b = m_b.stages[at(i)].layers();
      if (a != b)
        add(Kind::Cut, i,
            text::stageTitle(StageIndex(i)) + " takes " + text::layersName(b) + " instead of " +
                text::layerNumbers(a));
    }
  }
  void newCuts() {
    std::string text;
    for (int i = 0; i < m_b.stageCount(); ++i) {
      if (i == 8 && m_b.stageCount() > 9) {
        text += " and so on";
        break;
      }
      text += (i ? " | " : "") + text::layerNumbers(m_b.stages[at(i)].layers());
    }
    add(Kind::Cut, -1, "Stages take layers " + text);
  }
  void recompute() {
    const auto common = [](const Plan& p) -> std::optional<Recompute> {
      if (p.stages.empty()) return std::nullopt;
      for (const StagePlan& s : p.stages)
        if (s.recompute != p.stages.front().recompute) return std::nullopt;
      return p.stages.front().recompute;
    };
    const auto a = common(m_a), b = common(m_b);
    if (a && b) {
      if (*a != *b)
        add(Kind::Recompute, -1,
            std::string("Recompute ") + nameOf(*a) + " → " + nameOf(*b) + " in every stage");
      return;
    }
    for (int i = 0; i < m_b.stageCount(); ++i) {
      const Recompute now = m_b.stages[at(i)].recompute;
      const std::string name = text::stageTitle(StageIndex(i)) + ": recompute ";
      if (i >= m_a.stageCount()) {
        if (now != Recompute::None) add(Kind::Recompute, i, name + nameOf(now));
      } else if (const Recompute before = m_a.stages[at(i)].recompute; before != now) {
        add(Kind::Recompute, i, name + nameOf(before) + " → " + nameOf(now));
      }
    }
  }
  void placement() {
    if (m_a.deviceOrder != m_b.deviceOrder) {
      add(Kind::Placement, -1,
          m_b.deviceOrder.empty() ? "Devices are taken in locality order"
                                  : "Devices are taken in another order");
    }
    if (m_a.dataOuter == m_b.dataOuter && m_b.dataOuter > 1 && m_a.blockStride != m_b.blockStride &&
        m_a.pipelineWidth() == m_b.pipelineWidth())
      add(Kind::Placement, -1,
          "Blocks begin every " + std::to_string(m_b.blockStride) + " devices instead of " +
              std::to_string(m_a.blockStride) + alignedNote());
  }
  std::string alignedNote() const {
    for (int l = m_problem.cluster->levelCount() - 1; l >= 0; --l) {
      const int size = m_problem.cluster->uniformGroupSize(l);
      if (size > 1 && m_b.blockStride % size == 0 && m_a.blockStride % size != 0)
        return ", whole groups of level " + m_problem.cluster->level(l).name;
    }
    return {};
  }

  const Problem& m_problem;
  const Plan &m_a, &m_b;
  std::vector<PlanChange> m_changes;
};

Bytes fullest(const Evaluation& e) {
  const int i = e.fullestStage();
  return i < 0 ? Bytes(0) : e.stages[at(i)].memory.predicted();
}

}  // namespace

const char* nameOf(PlanChange::Kind kind) {
  constexpr std::array kNames = {"microbatch", "data",          "arrangement", "zero",     "shard",
                                 "stages",     "chunks",        "schedule",    "tensor",   "context",
                                 "expert",     "expert-tensor", "sequence",    "strategy", "cut",
                                 "recompute",  "placement",     "batch"};
  static_assert(kNames.size() == static_cast<std::size_t>(Kind::Batch) + 1);
  return kNames[static_cast<std::size_t>(kind)];
}

PlanDiff diff(const Problem& problem, const Plan& first, const Evaluation& firstEvaluation,
              const Plan& second, const Evaluation& secondEvaluation, const Problem* before) {
  PlanDiff d;
  d.changes = Comparison(problem, first, second).run();
  d.before = paceOf(before ? *before : problem, first, firstEvaluation);
  d.after = paceOf(problem, second, secondEvaluation);
  d.time = stepDifference(firstEvaluation, d.before, secondEvaluation, d.after);
  d.facts = changedFacts(first, firstEvaluation, second, secondEvaluation);
  d.timeDelta = secondEvaluation.batchTime - firstEvaluation.batchTime;
  if (firstEvaluation.batchTime.value() > 0)
    d.timeRatio = secondEvaluation.batchTime / firstEvaluation.batchTime;
  d.memoryDelta = fullest(secondEvaluation) - fullest(firstEvaluation);
  d.devicesDelta = second.devicesUsed() - first.devicesUsed();
  return d;
}

std::string PlanDiff::sentence() const {
  constexpr std::size_t kMostTold = 5;
  std::string out;
  for (std::size_t i = 0; i < changes.size() && i < kMostTold; ++i)
    out += (out.empty() ? "" : "; ") + changes[i].sentence;
  if (const std::size_t rest = changes.size(); rest > kMostTold)
    out += "; and " + std::to_string(rest - kMostTold) +
           (rest == kMostTold + 1 ? " more change" : " more changes");
  if (out.empty()) out = "The same plan";
  return out + " (" + deltas() + ")";
}

std::string PlanDiff::deltas() const {
  const auto sign = [](double v) { return v < 0 ? "−" : "+"; };
  const PaceMeasure measure = measureOf(before, after);
  std::string out = text::signedPercent(paceChange(before, after, measure)) + paceUnit(measure);
  if (memoryDelta.value() != 0)
    out += std::string(", ") + sign(memoryDelta.value()) +
           text::memory(Bytes(std::abs(memoryDelta.value()))) + " on the fullest device";
  if (devicesDelta != 0)
    out += std::string(", ") + sign(devicesDelta) + text::count(std::abs(devicesDelta)) + " devices";
  return out;
}

}  // namespace nest
