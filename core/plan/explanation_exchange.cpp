#include <algorithm>
#include <bit>
#include <cmath>

#include "cost/collective.h"
#include "cost/gradient_messages.h"
#include "cost/group_shape.h"
#include "cost/stage_cost.h"
#include "plan/explanation_parts.h"
#include "plan/rank_groups.h"
#include "plan/stage_work.h"
#include "units/at.h"

namespace nest::explanation {
namespace {

bool happens(Phase phase, Recompute r) {
  if (phase == Phase::RecomputeSelective) return r == Recompute::Selective;
  if (phase == Phase::RecomputeFull) return r == Recompute::Full;
  return true;
}

double rounds(int n) {
  return static_cast<double>(std::bit_width(static_cast<unsigned>(n - 1)));
}

/// What the terms of one exchange have in common.
struct Subject {
  const Scene& scene;
  int stage;
  TermKind kind;

  CostTerm seconds(std::string id, std::string label, double value, std::string formula) const {
    CostTerm t = term(std::move(id), std::move(label), value, TermUnit::Time, kind, stage);
    t.formula = std::move(formula);
    return t;
  }
};

/// One level's part of a gather: rounds · α + (n − 1)/n · D/B.
CostTerm levelTerm(const Subject& s, const std::string& id, int level, int n, int ranks, double bytes,
                   const char* symbol) {
  const NetworkLevel& l = s.scene.problem.cluster->level(level);
  CostTerm t = s.seconds(id + "/level" + std::to_string(level), "Level " + l.name,
                         rounds(n) * l.latency.value() + (n - 1.0) / n * bytes / l.sustained(ranks).value(),
                         "⌈log₂ n⌉·α + (n − 1)/n · D/B");
  t.level = level;
  t.inputs = {counted("n", "parties at this level", n),
              s.scene.profiled("D", symbol, bytes, TermUnit::Memory, Origin::Estimated),
              s.scene.bandwidth(level, ranks), s.scene.latency(level)};
  return t;
}

/// Reduce-scatter or all-gather of `bytes`: the cheaper of flat and level by level.
CostTerm gatherTerm(const Subject& s, const std::string& id, std::string label, const GroupShape& shape,
                    Bytes bytes) {
  const Hierarchy& h = *s.scene.problem.cluster;
  CostTerm t =
      s.seconds(id, std::move(label), gatherTime(h, shape, bytes).value(), "min(flat, level by level)");
  t.level = shape.outermost;
  if (!(bytes.value() > 0) || shape.ranks <= 1) return t;  // nothing to send takes no time
  CostTerm flat = levelTerm(s, id + "/flat", shape.outermost, shape.ranks, shape.ranks, bytes.value(),
                            "the whole tensor");
  flat.id = id + "/flat";
  flat.label = "Flat, by recursive halving";
  CostTerm tiers = s.seconds(id + "/levels", "Level by level",
                             hierarchicalGatherTime(h, shape, bytes).value(), "Σ over levels");
  double part = bytes.value();
  for (int l = 0; l <= shape.outermost; ++l) {
    tiers.children.push_back(levelTerm(s, tiers.id, l, shape.occupied[at(l)], shape.ranks, part,
                                       "what a group of the level below holds"));
    part = bytes.value() / shape.fewest[at(l)];
  }
  tiers.combine = Combine::Sum;
  t.combine = Combine::Min;
  t.children = {std::move(flat), std::move(tiers)};
  return t;
}

/// The same group for every collective: the one in which the stage's sum is largest.
struct SlowestGroup {
  GroupShape shape;
  PeerCounts peers;
  double seconds = -1;
};

SlowestGroup slowestGroup(const Scene& s, int stage, GroupKind group) {
  const RankGroup kind = group == GroupKind::Tensor    ? RankGroup::Tensor
                         : group == GroupKind::Context ? RankGroup::Context
                                                       : RankGroup::Expert;
  const Hierarchy& h = *s.problem.cluster;
  SlowestGroup slowest, last;
  RankGroups(s.plan).visit(stage, kind, [&](std::span<const int> ranks) {
    SlowestGroup here{shapeOf(h, ranks), peersOf(h, ranks), 0};
    if (here.shape == last.shape && here.peers == last.peers) return;
    last = here;
    for (const LayerRun& r : s.runs[at(stage)])
      for (const Collective& c : r.cost->collectives)
        if (c.group == group && happens(c.phase, s.stage(stage).recompute))
          here.seconds += r.count * collectiveTime(h, c, here.shape, here.peers).value();
    if (here.seconds > slowest.seconds) slowest = here;
  });
  return slowest;
}

/// One collective, once.
CostTerm collectiveTerm(const Subject& s, const std::string& id, std::string label, const Collective& c,
                        const SlowestGroup& g) {
  Collective once = c;
  once.times = 1;
  const Hierarchy& h = *s.scene.problem.cluster;
  const double value = collectiveTime(h, once, g.shape, g.peers).value();
  const auto sized = [&](const char* meaning) {
    return s.scene.profiled("D", meaning, c.bytes.value(), TermUnit::Memory, Origin::Estimated);
  };
  switch (c.kind) {
    case CollectiveKind::AllReduce: {
      CostTerm t = s.seconds(id, std::move(label), value, "2 · gather");
      CostTerm gather =
          gatherTerm(s, id + "/gather", "Reduce-scatter, then all-gather, each", g.shape, c.bytes);
      gather.factor = 2;
      t.level = gather.level;
      t.combine = Combine::Sum;
      t.children.push_back(std::move(gather));
      return t;
    }
    case CollectiveKind::AllGather:
    case CollectiveKind::ReduceScatter:
      return gatherTerm(s, id, std::move(label), g.shape, c.bytes);
    case CollectiveKind::AllToAll: {
      CostTerm t =
          s.seconds(id, std::move(label), value, "slowest rank's Σ over levels of peers · (α + D/(n·B))");
      t.inputs = {sized("sent by one rank, its own share included"), counted("n", "ranks", g.peers.ranks)};
      t.level = g.shape.outermost;
      for (int l = 0; l <= g.shape.outermost; ++l) {
        t.inputs.push_back(s.scene.bandwidth(l));
        t.inputs.push_back(s.scene.latency(l));
      }
      return t;
    }
    case CollectiveKind::RingExchange:
      break;
  }
  CostTerm t = s.seconds(id, std::move(label), value, "(n − 1) · (α + D/B)");
  t.inputs = {counted("n", "ranks", g.shape.ranks), sized("bytes per hop"),
              s.scene.bandwidth(g.shape.outermost), s.scene.latency(g.shape.outermost)};
  t.level = g.shape.outermost;
  return t;
}

CostTerm groupTerm(const Scene& scene, int stage, GroupKind group, Exchange kind, TermKind termKind) {
  const Subject s{scene, stage, termKind};
  const std::string id = stageId(stage) + "/" + nameOf(group);
  const char* const parallelism = group == GroupKind::Tensor    ? "TP"
                                  : group == GroupKind::Context ? "CP"
                                                                : "EP";
  CostTerm t = s.seconds(id, std::string(parallelism) + " communication",
                         scene.figures(stage).exchange[at(kind)].value(),
                         "slowest group's Σ over layers of times · collective");
  const SlowestGroup g = slowestGroup(scene, stage, group);
  t.level = g.shape.outermost;
  for (const LayerRun& r : scene.runs[at(stage)]) {
    int k = 0;
    for (const Collective& c : r.cost->collectives) {
      ++k;
      if (c.group != group || !happens(c.phase, scene.stage(stage).recompute)) continue;
      CostTerm one = collectiveTerm(s, id + "/class" + std::to_string(r.classId) + "/" + std::to_string(k),
                                    r.name + ": " + nameOf(c.kind) + ", " + nameOf(c.phase), c, g);
      one.factor = c.times * r.count;
      t.children.push_back(std::move(one));
    }
  }
  t.combine = t.children.empty() ? Combine::None : Combine::Sum;
  return t;
}

/// `count`: boundaries with something to carry; one unless the schedule is interleaved.
CostTerm transferTerm(const Scene& scene, int stage, const char* name, const char* label, Seconds value,
                      Bytes bytes, int level, int count) {
  const Subject s{scene, stage, TermKind::Pipeline};
  CostTerm t = s.seconds(stageId(stage) + "/" + name, label, value.value(),
                         count > 1 ? "Σ over boundaries of α + D/B" : "α + D/B");
  if (level < 0) return t;
  t.inputs = {scene.profiled("D", "bytes that one rank sends across", bytes.value(), TermUnit::Memory,
                             Origin::Estimated),
              scene.bandwidth(level), scene.latency(level)};
  const NetworkLevel& l = scene.problem.cluster->level(level);
  CostTerm latency = s.seconds(t.id + "/latency", "Latency", l.latency.value(), "α");
  latency.factor = count;
  CostTerm wire = s.seconds(t.id + "/bytes", "Bytes on the wire", (bytes / l.sustained()).value(), "D/B");
  latency.inputs = {t.inputs[2]};
  wire.inputs = {t.inputs[0], t.inputs[1]};
  t.level = latency.level = wire.level = level;
  // A folded stage may receive from either side, at two levels: the outer one stands for both then.
  const double atLevel = count * latency.value + wire.value;
  if (scene.plan.pipelineSchedule().isFolded() && std::abs(atLevel - t.value) > 1e-9 * t.value) return t;
  t.combine = Combine::Sum;
  t.children = {std::move(latency), std::move(wire)};
  return t;
}

/// Boundaries into a stage (out of it, for gradients) that carry something.
int boundariesOf(const Scene& s, int stage, bool activation) {
  const int b = s.problem.profile->microbatchIndex(s.plan.microbatch), count = s.plan.stageCount();
  if (b < 0) return 0;
  const auto bytes = boundaryBytes(s.problem, s.plan, stageWorks(s.problem, s.plan, b), b);
  const PipelineSchedule& schedule = s.plan.pipelineSchedule();
  int n = 0;
  for (int p = 0; p < static_cast<int>(bytes.size()); ++p) {
    const int from = schedule.stageOf(p, count), to = schedule.stageOf(p + 1, count);
    if (bytes[at(p)] > 0 && from != to && (activation ? to : from) == stage) ++n;
  }
  return n;
}

GradientMessages::Count countOf(const Scene& s, bool load) {
  const auto messages = GradientMessages::of(s.plan.zero, s.problem.assumptions.zeroAllReduces);
  return load ? messages.perMicrobatch : messages.perStep;
}

/// "RS(G) + AR(G/S) + AG(W)". `copied`: shards do not span all replicas.
std::string formulaOf(const GradientMessages::Count& count, bool copied) {
  std::string formula;
  const auto add = [&](int times, const char* symbol) {
    if (times == 0) return;
    if (!formula.empty()) formula += " + ";
    if (times > 1) formula += std::to_string(times) + "·";
    formula += symbol;
  };
  add(count.gradients, "RS(G)");
  add(copied, "AR(G/S)");
  add(count.weights, "AG(W)");
  return formula.empty() ? "0" : formula;
}

/// The group of one kind that takes longest.
struct SlowestShape {
  GroupShape shape;
  double seconds = 0;
};
template <class TimeOf>
SlowestShape slowestShape(const Subject& s, RankGroup kind, const TimeOf& timeOf) {
  const Hierarchy& h = *s.scene.problem.cluster;
  SlowestShape slowest{{}, -1};
  GroupShape last;
  RankGroups(s.scene.plan).visit(s.stage, kind, [&](std::span<const int> ranks) {
    const GroupShape shape = shapeOf(h, ranks);
    if (shape == last) return;
    last = shape;
    if (const Seconds t = timeOf(shape); t.value() > slowest.seconds) slowest = {shape, t.value()};
  });
  slowest.seconds = std::max(0.0, slowest.seconds);
  return slowest;
}

/// 2·RS(G/S) between the ranks that hold the same shard.
CostTerm copiesTerm(const Subject& s, const std::string& id, double parameters, double shards) {
  const OptimizerRegime& o = s.scene.problem.job.optimizer;
  const SlowestShape slowest = slowestShape(s, RankGroup::Copies, [&](const GroupShape& g) {
    return copiesTime(*s.scene.problem.cluster, g, parameters, shards, o);
  });
  CostTerm t = s.seconds(id, "AR(G/S): all-reduce of a shard's gradients between its copies", slowest.seconds,
                         "2·RS(G/S)");
  const Bytes shard(parameters * o.gradientBytes / shards);
  t.level = slowest.shape.ranks > 1 ? slowest.shape.outermost : -1;
  t.inputs = {counted("n", "copies of each shard: d/h", slowest.shape.ranks), counted("S", "shards", shards),
              s.scene.profiled("G/S", "gradient bytes of one shard", shard.value(), TermUnit::Memory,
                               Origin::Estimated)};
  if (slowest.shape.ranks <= 1) return t;
  t.children.push_back(
      gatherTerm(s, id + "/gather", "Reduce-scatter, then all-gather, each", slowest.shape, shard));
  t.children.back().factor = 2;
  t.combine = Combine::Sum;
  return t;
}

CostTerm messageTerm(const Subject& s, const std::string& id, bool expert, double parameters, bool load) {
  const OptimizerRegime& o = s.scene.problem.job.optimizer;
  const Plan& plan = s.scene.plan;
  const auto [slowest, most] =
      slowestShape(s, expert ? RankGroup::ExpertShards : RankGroup::DenseShards, [&](const GroupShape& g) {
        const GradientTime t = gradientTime(*s.scene.problem.cluster, g, parameters, o, plan.zero,
                                            s.scene.problem.assumptions.zeroAllReduces);
        return load ? t.load : t.sync;
      });
  const bool copied = !load && plan.shardDegree() < plan.dataDegree();
  const GradientMessages::Count count = countOf(s.scene, load);
  const Bytes g(parameters * o.gradientBytes), w(parameters * o.weightBytes);
  CostTerm t =
      s.seconds(id, expert ? "Expert parameters" : "Dense parameters", most, formulaOf(count, copied));
  t.level = slowest.ranks > 1 ? slowest.outermost : -1;
  t.inputs = {
      counted("n", plan.zero > 0 ? "ranks of the slowest shard group" : "ranks of the slowest gradient group",
              slowest.ranks),
      s.scene.profiled("G", "gradient bytes of one rank", g.value(), TermUnit::Memory, Origin::Estimated),
      s.scene.profiled("W", "weight bytes of one rank", w.value(), TermUnit::Memory, Origin::Estimated)};
  if (copied) {
    const double shards = expert ? s.scene.expertShards(s.stage) : s.scene.denseShards(s.stage);
    t.children.push_back(copiesTerm(s, id + "/copies", parameters, shards));
    t.value += t.children.back().value;
    t.level = std::max(t.level, t.children.back().level);
  }
  if (slowest.ranks <= 1) {
    t.combine = t.children.empty() ? Combine::None : Combine::Sum;
    return t;
  }
  const auto add = [&](const char* name, const char* label, int times, Bytes bytes) {
    if (times == 0) return;
    CostTerm c = gatherTerm(s, id + "/" + name, label, slowest, bytes);
    c.factor = times;
    t.children.push_back(std::move(c));
  };
  add("scatter", "RS(G): reduce-scatter of gradients", count.gradients, g);
  add("gather", "AG(W): all-gather of weights", count.weights, w);
  t.combine = t.children.empty() ? Combine::None : Combine::Sum;
  return t;
}

/// The gradient exchange of a stage, per microbatch (`load`) or once per batch.
CostTerm gradientTerm(const Scene& scene, int stage, const char* name, const char* label, Seconds value,
                      bool load) {
  const Subject s{scene, stage, TermKind::Data};
  const bool copied = scene.plan.shardDegree() < scene.plan.dataDegree();
  CostTerm t = s.seconds(stageId(stage) + "/" + name, label, value.value(),
                         formulaOf(countOf(scene, load), copied && !load));
  t.level = scene.figures(stage).dataLevel;
  if (!(value.value() > 0)) return t;
  const auto parameters = parametersOf(scene, stage);
  t.combine = Combine::Sum;
  double named = 0;
  for (const bool expert : {false, true}) {
    const double count = expert ? parameters.expert : parameters.dense;
    if (!(count > 0)) continue;
    t.children.push_back(messageTerm(s, t.id + (expert ? "/expert" : "/dense"), expert, count, load));
    named += t.children.back().value;
  }
  if (!load && scene.problem.profile->tied && value.value() > named * (1 + 1e-12))
    t.children.push_back(s.seconds(t.id + "/tied", "Tied parameters, between two stages",
                                   value.value() - named, "2·RS(G), two ranks"));
  if (t.children.empty()) t.combine = Combine::None;
  return t;
}

}  // namespace

std::vector<CostTerm> exchangeTerms(const Scene& s, int stage) {
  const StageEvaluation& f = s.figures(stage);
  const auto of = [&](Exchange k) { return f.exchange[at(k)].value(); };
  std::vector<CostTerm> out;
  if (of(Exchange::Tensor) > 0)
    out.push_back(groupTerm(s, stage, GroupKind::Tensor, Exchange::Tensor, TermKind::Tensor));
  if (of(Exchange::Context) > 0)
    out.push_back(groupTerm(s, stage, GroupKind::Context, Exchange::Context, TermKind::Context));
  if (of(Exchange::Expert) > 0)
    out.push_back(groupTerm(s, stage, GroupKind::Expert, Exchange::Expert, TermKind::Expert));
  if (f.activationIn.value() > 0)
    out.push_back(transferTerm(s, stage, "activation", "PP send/recv, forward", f.activationIn,
                               f.activationBytes, f.activationLevel, boundariesOf(s, stage, true)));
  if (f.gradientIn.value() > 0)
    out.push_back(transferTerm(s, stage, "gradient", "PP send/recv, backward", f.gradientIn, f.gradientBytes,
                               f.gradientLevel, boundariesOf(s, stage, false)));
  if (of(Exchange::Data) > 0)
    out.push_back(gradientTerm(s, stage, "data", "DP communication, every microbatch",
                               f.exchange[at(Exchange::Data)], true));
  return out;
}

CostTerm syncTerm(const Scene& s, int stage) {
  return gradientTerm(s, stage, "sync", "Gradient reduction", s.figures(stage).sync, false);
}

}  // namespace nest::explanation
