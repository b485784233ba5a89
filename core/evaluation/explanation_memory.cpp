#include <algorithm>

#include "cost/memory_parts.h"
#include "evaluation/explanation_parts.h"
#include "problem/reserved_memory.h"
#include "units/at.h"
#include "units/numbering.h"
#include "units/text.h"

namespace nest::explanation {

namespace {

CostTerm partTerm(const Scene& s, int stage, MemoryPart part) {
  return term(stageId(stage) + "/memory/" + wordsOf(part).id, wordsOf(part).label,
              s.figures(stage).memory[part].value(), TermUnit::Memory, TermKind::Memory, stage);
}

/// params · bytes ÷ shards, with dense and expert parameters separate.
CostTerm opened(const Scene& s, int stage, const char* name, const BytesPerParameter& each, CostTerm t) {
  const double bytes = each.bytes;
  const bool sharded = each.sharded;
  const StageWork& p = s.work(stage);
  t.formula = sharded ? "parameters · bytes ÷ S" : "parameters · bytes";
  t.inputs = {typed("bytes", std::string("bytes per parameter, ") + name, bytes, TermUnit::Memory)};
  t.combine = Combine::Sum;
  const auto add = [&](const char* kind, double count, double shards) {
    if (!(count > 0)) return;
    CostTerm c = term(t.id + "/" + kind, std::string(kind) + " parameters of one device", count,
                      TermUnit::Parameters, TermKind::Memory, stage);
    c.factor = bytes / (sharded ? shards : 1);
    c.inputs = {counted("S", "ranks that share them", sharded ? shards : 1)};
    c.formula = "Σ over layers";
    t.children.push_back(std::move(c));
  };
  add("dense", each.ofFrozen ? p.dense : p.dense - p.frozenDense, s.denseShards(stage));
  add("expert", each.ofFrozen ? p.expert : p.expert - p.frozenExpert, s.expertShards(stage));
  if (!each.ofFrozen && p.frozenDense + p.frozenExpert > 0)
    t.inputs.push_back(counted("frozen", "parameters of a device that are not trained and do not count here",
                               p.frozenDense + p.frozenExpert));
  if (t.children.empty()) t.combine = Combine::None;
  return t;
}

const RecomputeCost& recomputeOf(const Scene& s, int stage, const LayerRun& r) {
  return r.cost->recompute[s.stage(stage).recompute];
}

CostTerm stashTerm(const Scene& s, int stage) {
  const StageEvaluation& f = s.figures(stage);
  CostTerm t = partTerm(s, stage, MemoryPart::Stash);
  t.formula = "microbatches in flight · activations of one";
  const bool whole = s.plan.pipelineSchedule().stashesWholeStages();
  const bool chunks = s.plan.chunksPerStage() > 1 && !whole;
  if (chunks) t.formula = "chunks in flight · activations of the largest chunk";
  t.inputs = {counted("in flight",
                      (chunks ? "chunks held: " : "microbatches held: ") +
                          std::string(s.plan.pipelineSchedule().stashFormula()),
                      f.inFlight)};
  t.combine = Combine::Sum;
  CostTerm one =
      term(t.id + "/one", chunks ? "Activations of the largest chunk" : "Activations of one microbatch", 0,
           TermUnit::Memory, TermKind::Memory, stage);
  one.factor = f.inFlight;
  // With several chunks, the fullest one counts.
  double largest = -1;
  for (const auto& chunk :
       whole ? std::vector<std::vector<LayerIndex>>{s.stage(stage).layers()} : s.stage(stage).chunks) {
    double sum = 0;
    std::vector<CostTerm> parts;
    for (const LayerRun& r : s.runsOf(chunk, s.stage(stage).strategy)) {
      const Bytes stash = recomputeOf(s, stage, r).stash;
      sum += r.count * stash.value();
      if (!(stash.value() > 0)) continue;
      CostTerm c = term(one.id + "/class" + std::to_string(r.classId), r.name, stash.value(),
                        TermUnit::Memory, TermKind::Memory, stage);
      c.factor = r.count;
      c.formula = std::string("activations of one layer, recompute ") + nameOf(s.stage(stage).recompute);
      c.inputs = {s.profiled("stash", "kept from forward until backward", stash.value(), TermUnit::Memory,
                             r.cost->origin)};
      parts.push_back(std::move(c));
    }
    if (sum > largest) {
      largest = sum;
      one.children = std::move(parts);
    }
  }
  one.value = std::max(0.0, largest);
  one.combine = one.children.empty() ? Combine::None : Combine::Sum;
  one.formula = "Σ over layers";
  t.children.push_back(std::move(one));
  return t;
}

CostTerm largestLayerTerm(const Scene& s, int stage, MemoryPart part, const char* formula,
                          double (*of)(const Scene&, int, const LayerRun&)) {
  const char* const name = wordsOf(part).id;
  CostTerm t = partTerm(s, stage, part);
  t.formula = formula;
  t.combine = Combine::Max;
  for (const LayerRun& r : s.runs[stage]) {
    const double v = of(s, stage, r);
    if (!(v > 0)) continue;
    CostTerm c = term(t.id + "/class" + std::to_string(r.classId), r.name, v, TermUnit::Memory,
                      TermKind::Memory, stage);
    c.formula = std::string(name) + " of one layer";
    c.inputs = {s.profiled(name, "of one layer", v, TermUnit::Memory, r.cost->origin)};
    t.children.push_back(std::move(c));
  }
  if (t.children.empty()) t.combine = Combine::None;
  return t;
}

/// The tied copy is a separate layer in ZeRO-3's gather; the profile's classes do not show it.
void addTiedGather(int stage, CostTerm& gathered) {
  double largest = 0;
  for (const CostTerm& c : gathered.children) largest = std::max(largest, c.value);
  if (gathered.value <= largest * (1 + 1e-12)) return;
  CostTerm c = term(gathered.id + "/tied", "Tied parameters", gathered.value, TermUnit::Memory,
                    TermKind::Memory, stage);
  c.formula = "parameters of the layer that holds the tied copy · w";
  gathered.children.push_back(std::move(c));
  gathered.combine = Combine::Max;
}

/// The parameters outside blocks, the largest block, and the shards next to what is whole (STATEMENT.md
/// (10.10)).
CostTerm groupsTerm(const Scene& s, int stage, const StateBytes& held) {
  const double bytes = held.gathered;
  CostTerm t = partTerm(s, stage, MemoryPart::Gathered);
  t.formula =
      s.plan.zero >= 3
          ? "what is in no block, and the largest block: once as exchanged, once as used"
          : "what is in no block, and the largest block, as exchanged; shards in addition to what is whole";
  t.combine = Combine::Sum;
  std::vector<char> isBlock(at(s.problem.graph->classCount));
  const std::vector<char> blocks = s.problem.graph->blocks();
  for (std::size_t x = 0; x < blocks.size(); ++x) isBlock[at(s.problem.graph->layers[x].classId)] = blocks[x];
  const auto part = [&](const std::string& id, const std::string& name, double parameters) {
    CostTerm c = term(t.id + "/" + id, name, parameters * bytes, TermUnit::Memory, TermKind::Memory, stage);
    c.formula = "parameters · bytes";
    c.inputs = {counted("parameters", "on one device", parameters),
                typed("bytes", "of a weight, for each buffer", bytes, TermUnit::Memory)};
    return c;
  };
  double rest = t.value;
  if (held.beside.bytes > 0) {
    t.children.push_back(
        opened(s, stage, "shards", held.beside,
               term(t.id.substr(0, t.id.rfind('/')) + "/shards", "Shards of weights and gradients", 0,
                    TermUnit::Memory, TermKind::Memory, stage)));
    CostTerm& shards = t.children.back();
    for (const CostTerm& c : shards.children) shards.value += c.value * c.factor;
    rest -= shards.value;
  }
  CostTerm largest = part("block", "Largest block", 0);
  for (const LayerRun& r : s.runs[stage]) {
    const double parameters = r.cost->denseParameters + r.cost->expertParameters;
    const std::string id = "class" + std::to_string(r.classId);
    if (isBlock[at(r.classId)]) {
      if (parameters * bytes > largest.value) largest = part(id, r.name + ", one of them", parameters);
    } else if (parameters > 0) {
      t.children.push_back(part(id, r.name, r.count * parameters));
      rest -= t.children.back().value;
    }
  }
  rest -= largest.value;
  if (rest > 1e-9 * t.value) t.children.push_back(part("tied", "Tied parameters", rest / bytes));
  if (largest.value > 0) t.children.push_back(std::move(largest));
  if (t.children.empty()) t.combine = Combine::None;
  return t;
}

}  // namespace

CostTerm memoryTerm(const Scene& s, int stage) {
  const StageEvaluation& f = s.figures(stage);
  const StateBytes held = StateBytes::of(s.problem.job.optimizer, s.problem.assumptions, s.plan.zero);
  CostTerm t = term(stageId(stage) + "/memory", "Memory of " + text::stageName(StageIndex(stage)),
                    f.memory.predicted().value(), TermUnit::Memory, TermKind::Memory, stage);
  t.formula =
      "weights + gradients + optimizer + activations + temporary buffers + all-gathered layer + reserve";
  t.inputs = {
      typed("capacity", "memory of the smallest device", f.memory.capacity.value(), TermUnit::Memory)};
  if (s.problem.cluster->hasUniformDevices()) {
    const auto& m = s.problem.cluster->device().memory;
    t.inputs.back().origin = m.origin;
    t.inputs.back().citation = m.citation;
  }
  if (const Bytes headroom = f.memory[MemoryPart::Headroom]; headroom > Bytes(0)) {
    t.formula += "; with the headroom, no more than the device has";
    t.inputs.push_back(
        typed("headroom", "left free, as predicted memory errs", headroom.value(), TermUnit::Memory));
  }
  t.combine = Combine::Sum;
  for (const auto& [part, each] :
       {std::pair(MemoryPart::Weights, held.weights), std::pair(MemoryPart::Gradients, held.gradients),
        std::pair(MemoryPart::Optimizer, held.optimizer)})
    t.children.push_back(opened(s, stage, wordsOf(part).id, each, partTerm(s, stage, part)));
  if (f.hostMemory > Bytes(0)) {
    TermInput host = typed("host", "optimizer state of a device in its host's memory", f.hostMemory.value(),
                           TermUnit::Memory);
    if (const auto& known = s.problem.cluster->device().hostMemory)
      host.words = text::memory(f.hostMemory) + " of " + text::memory(known->value);
    else
      host.words = text::memory(f.hostMemory) + "; the host's memory is not known";
    t.inputs.push_back(std::move(host));
  }
  t.children.push_back(stashTerm(s, stage));
  t.children.push_back(largestLayerTerm(
      s, stage, MemoryPart::Workspace, "largest temporary buffers of a layer",
      [](const Scene& sc, int i, const LayerRun& r) { return recomputeOf(sc, i, r).workspace.value(); }));
  if (s.problem.assumptions.gathersGroups && f.memory[MemoryPart::Gathered] > Bytes(0)) {
    t.children.push_back(groupsTerm(s, stage, held));
  } else if (s.plan.zero >= 3) {
    CostTerm gathered = largestLayerTerm(
        s, stage, MemoryPart::Gathered, "largest layer · w, all-gathered (ZeRO-3)",
        [](const Scene& sc, int, const LayerRun& r) {
          return (r.cost->denseParameters + r.cost->expertParameters) * sc.problem.job.optimizer.weightBytes;
        });
    addTiedGather(stage, gathered);
    t.children.push_back(std::move(gathered));
  }
  const ReservedMemory reserved = reservedOn(s.problem.assumptions, f.memory.capacity);
  CostTerm reserve = partTerm(s, stage, MemoryPart::Reserve);
  reserve.formula = "assumption: kept free for context, fragmentation and the communication library";
  reserve.inputs = {typed("reserve", "kept free on every device", reserve.value, TermUnit::Memory)};
  if (reserved.allocator > Bytes(0)) {
    reserve.formula += "; what the allocator keeps beyond what it hands out";
    reserve.inputs = {
        typed("reserve", "context and the communication library", reserved.base.value(), TermUnit::Memory),
        typed("allocator", "reserved by the allocator beyond what it hands out, at the most",
              reserved.allocator.value(), TermUnit::Memory)};
  }
  t.children.push_back(std::move(reserve));
  return t;
}

}  // namespace nest::explanation
