#pragma once

#include <algorithm>
#include <map>
#include <string>

#include "solver/outcome.h"
#include "support/random_instance.h"

namespace nest::test {

/// What random instances had in them, so that a comparison of their optima says something about each feature:
/// none passes because nothing fitted or nothing was drawn.
class Coverage {
public:
  /// One instance and its optimum, by whatever method.
  void add(const Problem& p, const RankedPlan* best) {
    ++m_instances;
    if (!best) return;
    const Plan& plan = best->plan;
    ++m_seen["a plan that fits"];
    const auto seen = [&](const char* what, bool holds) { m_seen[what] += holds; };
    const auto anyStage = [&](auto&& holds) {
      return std::any_of(plan.stages.begin(), plan.stages.end(), holds);
    };
    const auto& overlap = p.assumptions.overlap;
    seen("several stages", plan.stageCount() > 1);
    seen("several replicas", plan.dataDegree() > 1);
    seen("tensor parallelism", anyStage([](const StagePlan& s) { return s.strategy.tensor > 1; }));
    seen("expert parallelism", anyStage([](const StagePlan& s) { return s.strategy.expert > 1; }));
    seen("folded experts",
         anyStage([](const StagePlan& s) { return s.strategy.foldedExperts && s.strategy.expert > 1; }));
    seen("context parallelism", anyStage([](const StagePlan& s) { return s.strategy.context > 1; }));
    seen("recompute", anyStage([](const StagePlan& s) { return s.recompute != Recompute::None; }));
    seen("ZeRO", plan.zero > 0);
    seen("shard groups", plan.shardDegree() < plan.dataDegree());
    seen("no chain", !p.graph->isChain());
    seen("irregular devices", !p.cluster->isRegular());
    seen("devices that differ", !p.cluster->hasUniformDevices());
    seen("strategies that differ",
         anyStage([&](const StagePlan& s) { return s.strategy != plan.stages.front().strategy; }));
    seen("chunks", plan.chunksPerStage() > 1);
    seen("a schedule that splits backward", plan.pipelineSchedule().splitsBackward());
    seen("a folded pipeline", plan.pipelineSchedule().isFolded());
    seen("shared parameters", p.profile->tied.has_value());
    seen("overlap", std::any_of(overlap.begin(), overlap.end(), [](double f) { return f > 0; }));
    seen("a padded batch", p.job.globalBatch % (plan.microbatch * plan.dataDegree()) != 0);
    seen("the paper's objective", p.search.objective == Objective::Nest);
    seen("constraints", p.constraints != Constraints{});
  }

  /// Empty, or which of the features asked for hardly any optimum showed. Few instances prove nothing either
  /// way.
  std::string missing(const InstanceFeatures& f) const {
    constexpr int kEnough = 250;
    if (m_instances < kEnough) return {};
    std::string out;
    const auto wants = [&](const char* what, bool asked, double share) {
      const auto it = m_seen.find(what);
      const int times = it == m_seen.end() ? 0 : it->second;
      if (asked && times < share * m_instances)
        out += std::string(what) + ": " + std::to_string(times) + " of " + std::to_string(m_instances) + "; ";
    };
    wants("a plan that fits", true, 0.5);
    wants("several stages", true, 0.1);
    wants("several replicas", true, 0.1);
    wants("tensor parallelism", true, 0.03);
    wants("expert parallelism", f.expert, 0.01);
    wants("folded experts", f.foldedExperts, 0.02);
    wants("context parallelism", f.context, 0.01);
    wants("recompute", f.recompute, 0.03);
    wants("ZeRO", f.zero, 0.03);
    wants("shard groups", f.shardGroups, 0.03);
    wants("no chain", f.dags, 0.03);
    wants("irregular devices", f.irregular, 0.03);
    wants("devices that differ", f.deviceFactors, 0.03);
    wants("strategies that differ", f.strategyPerStage, 0.01);
    wants("chunks", f.interleave, 0.01);
    wants("a schedule that splits backward", f.schedules, 0.05);
    wants("a folded pipeline", f.schedules && f.interleave, 0.01);
    wants("shared parameters", f.tied, 0.03);
    wants("overlap", f.overlap, 0.03);
    wants("a padded batch", f.padding, 0.01);
    wants("the paper's objective", f.nestObjective, 0.03);
    wants("constraints", f.constraints, 0.03);
    return out;
  }

private:
  int m_instances = 0;
  std::map<std::string, int> m_seen;
};

}  // namespace nest::test
