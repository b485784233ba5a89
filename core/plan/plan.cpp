#include "plan/plan.h"

#include <algorithm>

#include "units/text.h"

namespace nest {

std::vector<LayerIndex> StagePlan::layers() const {
  std::vector<LayerIndex> all;
  for (const auto& c : chunks) all.insert(all.end(), c.begin(), c.end());
  std::sort(all.begin(), all.end());
  return all;
}

int Plan::pipelineWidth() const {
  int sum = 0;
  for (int i = 0; i < stageCount(); ++i) sum += stageWidth(i);
  return sum;
}

Plan underSchedule(Plan p, ScheduleKind kind) {
  const Plan before = p;
  const int stages = p.stageCount();
  p.schedule = kind;
  for (int part = 0; part < stages * p.chunksPerStage(); ++part) {
    const auto chunk = static_cast<std::size_t>(part / stages);
    const auto stageIn = [&](const Plan& q) {
      return static_cast<std::size_t>(q.pipelineSchedule().stageOf(part, stages));
    };
    p.stages[stageIn(p)].chunks[chunk] = before.stages[stageIn(before)].chunks[chunk];
  }
  return p;
}

std::string summaryOf(const Plan& p) {
  if (p.stages.empty()) return "no stages";
  const bool uniform = std::all_of(p.stages.begin(), p.stages.end(), [&](const StagePlan& s) {
    return s.strategy == p.stages.front().strategy;
  });
  std::string out = uniform ? toText(p.stages.front().strategy) : "mixed";
  out += " · PP" + std::to_string(p.stageCount());
  if (p.schedule != usualSchedule(p.chunksPerStage()))
    out += ' ' + std::string(p.pipelineSchedule().label());
  else if (p.chunksPerStage() > 1)
    out += " VPP" + std::to_string(p.chunksPerStage());
  out += " · DP" + std::to_string(p.dataDegree());
  if (p.dataInner > 1 && p.dataOuter > 1)
    out += " (" + std::to_string(p.dataInner) + "×" + std::to_string(p.dataOuter) + ")";
  out += " · MBS" + std::to_string(p.microbatch);
  if (p.zero > 0) out += " · ZeRO-" + std::to_string(p.zero);
  if (p.shardDegree() != p.dataDegree()) out += "/" + std::to_string(p.shardDegree());
  if (p.globalBatch > 0) out += " · batch " + text::count(p.globalBatch);
  return out;
}

Placement::Placement(const Plan& plan)
    : m_inner(plan.dataInner),
      m_outer(plan.dataOuter),
      m_stride(plan.blockStride),
      m_order(plan.deviceOrder) {
  int begin = 0;
  for (int i = 0; i < plan.stageCount(); ++i) {
    m_begin.push_back(begin);
    m_width.push_back(plan.stages[i].strategy.width());
    begin += plan.stageWidth(i);
  }
}

}  // namespace nest
