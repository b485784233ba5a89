#include <algorithm>
#include <cmath>
#include <tuple>

#include "cost/collective.h"
#include "cost/gradient_messages.h"
#include "evaluation/explanation_parts.h"
#include "evaluation/plan_exchange.h"
#include "plan/rank_groups.h"
#include "units/at.h"

namespace nest::explanation {
namespace {

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

/// What is played of a term that is the time of one run in a group.
std::shared_ptr<const ExchangeRun> runOf(const Subject& s, CollectiveKind kind, Bytes bytes, RankGroup group,
                                         const SlowestGroup& g) {
  return std::make_shared<ExchangeRun>(
      ExchangeRun{collectiveRun(*s.scene.problem.cluster, kind, bytes, g.shape, g.peers), group, g.shape});
}

/// One level's part of a gather: rounds · α + (n − 1)/n · D/B.
CostTerm stepTerm(const Subject& s, const std::string& id, const GatherStep& step, int ranks, Bytes bytes,
                  const char* meaning) {
  const NetworkLevel& l = s.scene.problem.cluster->level(step.level);
  CostTerm t = s.seconds(id + "/level" + std::to_string(step.level), "Level " + l.name,
                         step.time(bytes).value(), "⌈log₂ n⌉·α + (n − 1)/n · D/B");
  t.level = step.level;
  t.inputs = {counted("n", "parties at this level", step.parties),
              s.scene.profiled("D", meaning, bytes.value(), TermUnit::Memory, Origin::Estimated),
              s.scene.bandwidth(step.level, ranks), s.scene.latency(step.level)};
  return t;
}

/// Reduce-scatter or all-gather of `bytes`: the cheaper of flat and level by level.
CostTerm gatherTerm(const Subject& s, const std::string& id, std::string label, const GroupShape& shape,
                    Bytes bytes) {
  const Hierarchy& h = *s.scene.problem.cluster;
  CostTerm t =
      s.seconds(id, std::move(label), gatherTime(h, shape, bytes).value(), "min(flat, level by level)");
  t.level = shape.outermost;
  if (!(bytes.value() > 0) || shape.ranks <= 1) return t;  // sending nothing takes no time
  const int outermost = shape.outermost;
  CostTerm flat = stepTerm(s, id, gatherStep(h.level(outermost), outermost, shape.ranks, shape.ranks),
                           shape.ranks, bytes, "the whole tensor");
  flat.id = id + "/flat";
  flat.label = "Flat, by recursive halving";
  CostTerm tiers = s.seconds(id + "/levels", "Level by level",
                             hierarchicalGatherTime(h, shape, bytes).value(), "Σ over levels");
  visitGatherSteps(h, shape, bytes, [&](const GatherStep& step, Bytes held) {
    tiers.children.push_back(
        stepTerm(s, tiers.id, step, shape.ranks, held, "what a group of the level below holds"));
  });
  tiers.combine = Combine::Sum;
  t.combine = Combine::Min;
  t.children = {std::move(flat), std::move(tiers)};
  return t;
}

/// To the peers of the slowest rank at each level; the levels sum to the all-to-all.
void addPeerTerms(const Subject& s, CostTerm& t) {
  for (const CollectiveStep& step : t.run->steps) {
    const NetworkLevel& l = s.scene.problem.cluster->level(step.level);
    CostTerm one = s.seconds(t.id + "/level" + std::to_string(step.level), "Level " + l.name,
                             step.time().value(), "peers · (α + D/(n·B))");
    one.level = step.level;
    one.inputs = {counted("peers", "of a rank at this level", step.rounds), s.scene.bandwidth(step.level),
                  s.scene.latency(step.level)};
    t.children.push_back(std::move(one));
  }
  t.combine = t.children.empty() ? Combine::None : Combine::Sum;
}

/// A single run of a collective.
CostTerm runTerm(const Subject& s, const std::string& id, std::string label, const Collective& c,
                 const SlowestGroup& g) {
  const double value = collectiveTime(*s.scene.problem.cluster, c.kind, c.bytes, g.shape, g.peers).value();
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

CostTerm collectiveTerm(const Subject& s, const std::string& id, std::string label, const Collective& c,
                        const SlowestGroup& g) {
  CostTerm t = runTerm(s, id, std::move(label), c, g);
  t.run = runOf(s, c.kind, c.bytes, rankGroupOf(c.group), g);
  if (c.kind == CollectiveKind::AllToAll) addPeerTerms(s, t);
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
  const SlowestGroup& g = scene.placed.stages[at(stage)].slowest[at(group)].perMicrobatch;
  t.level = g.shape.outermost;
  for (const LayerRun& r : scene.runs[at(stage)]) {
    int k = 0;
    for (const Collective& c : r.cost->collectives) {
      ++k;
      if (c.group != group || !runsUnder(scene.stage(stage).recompute, c.phase)) continue;
      CostTerm one = collectiveTerm(s, id + "/class" + std::to_string(r.classId) + "/" + std::to_string(k),
                                    r.name + ": " + nameOf(c.kind) + ", " + nameOf(c.phase), c, g);
      one.factor = c.times * r.count;
      t.children.push_back(std::move(one));
    }
  }
  t.combine = t.children.empty() ? Combine::None : Combine::Sum;
  return t;
}

/// The outermost level that ranks of two stages exchange over.
int levelBetween(const Scene& s, int from, int to) {
  int level = 0;
  RankGroups(s.plan).visitPairs(from, to, [&](int a, int b) {
    level = std::max(level, s.problem.cluster->levelBetween(a, b));
    return true;
  });
  return level;
}

/// Of the messages that a stage receives with activations, or with gradients: sender and receiver of one that
/// crosses the level; −1 without one.
std::pair<int, int> stagesOf(const Scene& s, int stage, bool activation, int level) {
  for (const PairMessages& p : s.placed.pairs) {
    if (p.exchange != Exchange::Pipeline || (activation ? p.to : p.from) != stage) continue;
    const int other = activation ? p.from : p.to;
    if (levelBetween(s, p.from, p.to) == level) return {other, stage};
  }
  return {-1, -1};
}

/// `count`: number of boundaries that carry something; one unless the schedule is interleaved.
CostTerm transferTerm(const Scene& scene, int stage, bool receives, const char* name, const char* label,
                      Seconds value, Bytes bytes, int level, int count) {
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
  // A folded stage may receive from both sides, at two levels; then the outer level is shown for both.
  const double atLevel = count * latency.value + wire.value;
  if (scene.plan.pipelineSchedule().isFolded() && std::abs(atLevel - t.value) > 1e-9 * t.value) return t;
  t.combine = Combine::Sum;
  t.children = {std::move(latency), std::move(wire)};
  if (const auto [from, to] = stagesOf(scene, stage, receives, level); from >= 0)
    t.run = std::make_shared<ExchangeRun>(
        ExchangeRun{transferRun(*scene.problem.cluster, level, bytes, count), std::nullopt, {}, from, to});
  return t;
}

/// The number of boundaries into a stage (out of it, for gradients) that carry something.
int boundariesOf(const Scene& s, int stage, bool activation) {
  return static_cast<int>(
      std::count_if(s.placed.pairs.begin(), s.placed.pairs.end(), [&](const PairMessages& p) {
        return p.exchange == Exchange::Pipeline && (activation ? p.to : p.from) == stage;
      }));
}

GradientMessages::Count countOf(const Scene& s, bool load) {
  const auto messages = GradientMessages::of(s.plan.zero, s.problem.assumptions.zeroAllReduces);
  return load ? messages.perMicrobatch : messages.perStep;
}

/// "RS(G) + AR(G/S) + AG(W)". `copied`: whether shards do not span all replicas.
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

/// The messages of one list that are sent with each microbatch (`load`) or at the end of the step.
struct Sent {
  const GroupMessages& list;
  const SlowestGroup& group;
  bool load;

  double times(Payload payload) const {
    double sum = 0;
    for (const Message& m : list.messages)
      if (m.payload == payload && load == (m.phase != MessagePhase::StepEnd)) sum += m.times;
    return sum;
  }
  Bytes bytes(Payload payload) const {
    for (const Message& m : list.messages)
      if (m.payload == payload) return m.bytes;
    return {};
  }
};

/// 2·RS(G/S) between the ranks with the same shard.
CostTerm copiesTerm(const Subject& s, const std::string& id, const Sent& sent, double shards) {
  const GroupShape& shape = sent.group.shape;
  const Bytes shard = sent.bytes(Payload::GradientShards);
  CostTerm t = s.seconds(id, "AR(G/S): all-reduce of a shard's gradients between its copies",
                         allReduceTime(*s.scene.problem.cluster, shape, shard).value(), "2·RS(G/S)");
  t.level = shape.ranks > 1 ? shape.outermost : -1;
  t.inputs = {counted("n", "copies of each shard: d/h", shape.ranks), counted("S", "shards", shards),
              s.scene.profiled("G/S", "gradient bytes of one shard", shard.value(), TermUnit::Memory,
                               Origin::Estimated)};
  if (shape.ranks <= 1) return t;
  t.run = runOf(s, CollectiveKind::AllReduce, shard, RankGroup::Copies, sent.group);
  t.children.push_back(gatherTerm(s, id + "/gather", "Reduce-scatter, then all-gather, each", shape, shard));
  t.children.back().factor = 2;
  t.combine = Combine::Sum;
  return t;
}

/// The messages of dense parameters, or of those of experts.
CostTerm messageTerm(const Subject& s, const std::string& id, bool expert, bool load) {
  const Scene& scene = s.scene;
  const OptimizerRegime& o = scene.problem.job.optimizer;
  const Plan& plan = scene.plan;
  const StageWork& work = scene.placed.works[at(s.stage)];
  const double parameters = expert ? work.expert : work.dense,
               trained = parameters - (expert ? work.frozenExpert : work.frozenDense);
  const bool copied = !load && plan.shardDegree() < plan.dataDegree();
  CostTerm t = s.seconds(id, expert ? "Expert parameters" : "Dense parameters", 0,
                         formulaOf(countOf(scene, load), copied));
  t.inputs = {{},
              s.scene.profiled("G", "gradient bytes of one rank", trained * o.gradientBytes, TermUnit::Memory,
                               Origin::Estimated),
              s.scene.profiled("W", "weight bytes of one rank", (load ? parameters : trained) * o.weightBytes,
                               TermUnit::Memory, Origin::Estimated)};
  for (std::size_t g = 0; g < work.groups.size(); ++g) {
    const GroupMessages& list = work.groups[g];
    if (list.exchange != Exchange::Data || list.experts != expert) continue;
    const SlowestGroups& slowest = scene.placed.stages[at(s.stage)].slowest[g];
    const Sent sent{list, load ? slowest.perMicrobatch : slowest.stepEnd, load};
    const GroupShape& shape = sent.group.shape;
    const auto add = [&](CostTerm child, double times) {
      child.factor = times;
      t.level = std::max(t.level, child.level);
      t.children.push_back(std::move(child));
    };
    if (list.group == RankGroup::Copies) {
      if (load) continue;
      add(copiesTerm(s, id + "/copies", sent,
                     expert ? scene.expertShards(s.stage) : scene.denseShards(s.stage)),
          1);
      continue;
    }
    t.inputs.front() = counted(
        "n", plan.zero > 0 ? "ranks of the slowest shard group" : "ranks of the slowest gradient group",
        shape.ranks);
    if (shape.ranks <= 1) continue;
    t.level = std::max(t.level, static_cast<int>(shape.outermost));
    for (const auto& [payload, kind, name, label] :
         {std::tuple(Payload::Gradients, CollectiveKind::ReduceScatter, "scatter",
                     "reduce-scatter of gradients"),
          std::tuple(Payload::Weights, CollectiveKind::AllGather, "gather", "all-gather of weights")})
      if (const double times = sent.times(payload); times > 0) {
        CostTerm one = gatherTerm(s, id + "/" + name, std::string(symbolOf(payload)) + ": " + label, shape,
                                  sent.bytes(payload));
        one.run = runOf(s, kind, sent.bytes(payload), list.group, sent.group);
        add(std::move(one), times);
      }
  }
  t.combine = t.children.empty() ? Combine::None : Combine::Sum;
  t.value = t.fromChildren();
  return t;
}

/// The all-reduce of tied parameters between two ranks; null if the stage has none.
std::shared_ptr<const ExchangeRun> tiedRun(const Scene& s, int stage) {
  std::shared_ptr<const ExchangeRun> out;
  for (const PairMessages& p : s.placed.pairs) {
    if (p.exchange != Exchange::Data || (p.from != stage && p.to != stage)) continue;
    const Bytes bytes = std::max(p.bytes, p.back);
    // Two ranks send half there, and half back.
    CollectiveRun run = transferRun(*s.problem.cluster, levelBetween(s, p.from, p.to), bytes, 2);
    out = std::make_shared<ExchangeRun>(ExchangeRun{std::move(run), std::nullopt, {}, p.from, p.to});
  }
  return out;
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
  t.combine = Combine::Sum;
  const StageWork& work = scene.placed.works[at(stage)];
  if (work.dense > 0) t.children.push_back(messageTerm(s, t.id + "/dense", false, load));
  if (work.expert > 0) t.children.push_back(messageTerm(s, t.id + "/expert", true, load));
  if (const Seconds tied = scene.placed.stages[at(stage)].tied; !load && tied > Seconds()) {
    t.children.push_back(
        s.seconds(t.id + "/tied", "Tied parameters, between two stages", tied.value(), "2·RS(G), two ranks"));
    t.children.back().run = tiedRun(scene, stage);
  }
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
    out.push_back(transferTerm(s, stage, true, "activation", "PP send/recv, forward", f.activationIn,
                               f.activationBytes, f.activationLevel, boundariesOf(s, stage, true)));
  if (f.gradientIn.value() > 0)
    out.push_back(transferTerm(s, stage, false, "gradient", "PP send/recv, backward", f.gradientIn,
                               f.gradientBytes, f.gradientLevel, boundariesOf(s, stage, false)));
  if (of(Exchange::Data) > 0)
    out.push_back(gradientTerm(s, stage, "data", "DP communication, every microbatch",
                               f.exchange[at(Exchange::Data)], true));
  return out;
}

CostTerm syncTerm(const Scene& s, int stage) {
  return gradientTerm(s, stage, "sync", "Gradient reduction", s.figures(stage).sync, false);
}

}  // namespace nest::explanation
