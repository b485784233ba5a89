#include "study/conflicts.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evaluation/evaluation.h"
#include "evaluation/unsearched.h"
#include "fields/field.h"
#include "log/log.h"
#include "program/program.h"
#include "scenario/scenario.h"
#include "schedule/pipeline_schedule.h"
#include "solver/even_hosts.h"
#include "solver/space/chunk_cuts.h"
#include "solver/space/search_space.h"
#include "study/quiet_solve.h"
#include "units/at.h"
#include "units/numbering.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kMostTried = 64;

struct Demanded {
  std::string pointer, words;
  std::function<void(Constraints&)> drop;
};

std::string rangeOf(const Bound& b) {
  if (b.least && b.most && *b.least == *b.most) return std::to_string(*b.least);
  std::string out = b.least ? "at least " + std::to_string(*b.least) : std::string();
  if (b.most) out += (out.empty() ? "at most " : ", at most ") + std::to_string(*b.most);
  return out;
}

std::string nameIn(const Problem& p, LayerIndex x) {
  return x.value >= 0 && x.value < p.graph->layerCount() ? p.graph->layers[x.at()].name : text::layerName(x);
}

void addBounds(const Problem& p, std::vector<Demanded>& all) {
  Setting now;
  now.constraints = p.constraints;
  for (const Field& f : fields()) {
    if (f.kind() != FieldKind::Bound) continue;
    const auto b = std::get<Bound>(f.access.get(now, 0));
    if (!b.least && !b.most) continue;
    all.push_back(
        {f.key.substr(f.key.rfind('/') + 1),
         f.one.empty() ? f.noun + ' ' + rangeOf(b) : rangeOf(b) + ' ' + (b.most == 1 ? f.one : f.noun),
         [&f](Constraints& k) {
           Setting s;
           s.constraints = std::move(k);
           f.access.set(s, 0, Bound{});
           k = std::move(s.constraints);
         }});
  }
}

template <class T, class Words>
void addList(const char* key, std::vector<T> Constraints::*list, const Constraints& c, Words words,
             std::vector<Demanded>& all) {
  for (std::size_t i = 0; i < (c.*list).size(); ++i)
    all.push_back({std::string(key) + "/" + std::to_string(i), words((c.*list)[i]),
                   [list, i](Constraints& k) { (k.*list).erase((k.*list).begin() + std::ptrdiff_t(i)); }});
}

std::vector<Demanded> demandsOf(const Problem& p) {
  const Constraints& c = p.constraints;
  std::vector<Demanded> all;
  addBounds(p, all);
  addList(
      "required_cuts", &Constraints::requiredCuts, c,
      [&](LayerIndex x) { return "a stage begins at " + nameIn(p, x); }, all);
  addList(
      "forbidden_cuts", &Constraints::forbiddenCuts, c,
      [&](LayerIndex x) { return "no stage begins at " + nameIn(p, x); }, all);
  addList(
      "layer_pins", &Constraints::layerPins, c,
      [&](const Constraints::LayerPin& pin) {
        return nameIn(p, pin.layer) + " in " + text::stageName(pin.stage);
      },
      all);
  addList(
      "stage_pins", &Constraints::stagePins, c,
      [](const Constraints::StagePin& pin) {
        std::string what = pin.recompute ? "recompute " + std::string(nameOf(*pin.recompute)) : "";
        if (pin.strategy) what += (what.empty() ? "" : " and ") + toText(*pin.strategy);
        return what + " in " + text::stageName(pin.stage);
      },
      all);
  if (c.megatronExpressible)
    all.push_back({"megatron_expressible", "expressible in Megatron-LM",
                   [](Constraints& k) { k.megatronExpressible = false; }});
  return all;
}

Diagnostic conflict(const std::string& pointer, std::string message, std::string remedy) {
  return warning("constraint-conflict", {"", 0, 0, "/constraints" + (pointer.empty() ? "" : "/" + pointer)},
                 std::move(message), std::move(remedy));
}

/// "TP2 · PP2 · DP1 · MBS1 takes 480 ms".
std::string planWords(const RankedPlan& r) {
  return summaryOf(r.plan) + " takes " + text::time(r.evaluation.batchTime);
}

/// "2", "2 or 4", "1, 2 or 4".
std::string oneOf(const std::vector<int>& all) {
  std::string out;
  for (std::size_t i = 0; i < all.size(); ++i)
    out += (i == 0 ? "" : i + 1 < all.size() ? ", " : " or ") + text::count(all[i]);
  return out;
}

/// What the numbers of blocks, sequences and devices alone rule out.
class Divisions {
public:
  explicit Divisions(const Problem& p) : m_p(p), m_space(p) {
    const int most = std::min(p.graph->layerCount(), p.cluster->deviceCount());
    for (int s = 1; s <= most; ++s)
      if (m_space.stageCountAllowed(s)) m_stages.push_back(s);
    for (const int b : m_space.microbatches()) m_sizes.push_back(p.profile->microbatches()[at(b)]);
  }

  std::optional<Diagnostic> run() const {
    if (m_sizes.empty() || m_space.strategies().empty() || m_space.schedules().empty()) return std::nullopt;
    if (m_stages.empty()) return stages();
    if (auto found = batch()) return found;
    if (auto found = devices()) return found;
    if (auto found = schedules()) return found;
    return chunks();
  }

private:
  static Diagnostic refusal(const char* code, const char* pointer, std::string message, std::string remedy) {
    return warning(code, {"", 0, 0, pointer}, std::move(message), std::move(remedy));
  }
  const Strategy& strategy(int k) const { return m_p.profile->strategies()[at(k)]; }

  /// More of them than layers or devices.
  std::optional<Diagnostic> stages() const {
    const int least = m_p.constraints.stages.least.value_or(0), layers = m_p.graph->layerCount(),
              devices = m_p.cluster->deviceCount();
    if (least > layers)
      return refusal(
          "too-few-layers", "/constraints/stages",
          "PP " + text::count(least) + " needs as many layers, and the model has " + text::count(layers),
          "use fewer stages");
    if (least > devices)
      return refusal(
          "too-few-devices", "/constraints/stages",
          "PP " + text::count(least) + " needs as many devices, and the cluster has " + text::count(devices),
          "use fewer stages");
    return std::nullopt;
  }

  /// Ascending, what the batch and the bounds allow with microbatches of b, whatever the devices.
  std::vector<int> replicas(int b) const {
    const Bound& allowed = m_p.constraints.data;
    std::vector<int> all;
    const auto take = [&](int d) {
      if (allowed.allows(d)) all.push_back(d);
    };
    const int total = m_p.mostBatch();
    if (m_p.leastBatch() < total) {
      for (int d = 1; d <= std::min((total + b - 1) / b, m_p.cluster->deviceCount()); ++d)
        if (!m_p.batchChoices(b, d).empty()) take(d);
    } else if (m_p.search.padLastMicrobatch && !m_p.constraints.megatronExpressible) {
      for (int d = 1; d <= std::min((total + b - 1) / b, m_p.cluster->deviceCount()); ++d) take(d);
    } else if (total % b == 0) {
      for (int k = 1; static_cast<long long>(k) * k <= total / b; ++k) {
        if (total / b % k != 0) continue;
        take(k);
        if (k != total / b / k) take(total / b / k);
      }
      std::sort(all.begin(), all.end());
    }
    return all;
  }
  std::optional<Diagnostic> batch() const {
    const Bound& data = m_p.constraints.data;
    const int total = m_p.job.globalBatch;
    for (const int b : m_sizes)
      if (!replicas(b).empty()) return std::nullopt;
    const bool isFree = !data.least && !data.most;
    const std::string batch = "the global batch of " + text::count(total);
    const char* pads = m_p.constraints.megatronExpressible ? "" : ", or `search.pad_last_microbatch = true`";
    return refusal("nothing-divides", "/job/global_batch",
                   isFree ? "no microbatch size to try (" + oneOf(m_sizes) + ") divides " + batch
                          : "DP " + rangeOf(data) + " does not divide " + batch + " into microbatches of " +
                                oneOf(m_sizes),
                   std::string("change the global batch or the microbatch sizes") + pads);
  }

  /// Calls it with each microbatch size, strategy and data degree that the batch allows on s stages, until it
  /// returns true. Returns whether it did.
  template <class F>
  bool any(int stages, F&& found) const {
    for (const int k : m_space.strategies()) {
      if (!m_space.mayCombine(strategy(k), 0, stages)) continue;
      for (std::size_t i = 0; i < m_sizes.size(); ++i)
        for (const int d :
             m_space.dataDegrees(m_space.microbatches()[i], stages * strategy(k).width(), strategy(k)))
          if (found(m_sizes[i], strategy(k), d)) return true;
    }
    return false;
  }
  /// Whether some schedule to try runs s stages of v chunks.
  bool runs(const PipelineSchedule& schedule, int stages, int chunks) const {
    return any(stages, [&](int b, const Strategy&, int d) {
      const auto choices = m_p.batchChoices(b, d);
      return std::any_of(choices.begin(), choices.end(), [&](const Problem::BatchChoice& c) {
        return schedule.refusals(stages, chunks, c.microbatches).empty();
      });
    });
  }

  std::optional<Diagnostic> chunks() const {
    std::vector<int> counts;
    for (const solver::ScheduleChoice& c : m_space.schedules()) {
      if (c.chunks == 1) return std::nullopt;
      if (counts.empty() || counts.back() != c.chunks) counts.push_back(c.chunks);
    }
    for (const int s : m_stages)
      for (const int v : counts)
        if (s > 1 && !solver::interleavedCuts(m_p, s, v).empty()) return std::nullopt;
    const auto blocks = std::count_if(m_p.graph->layers.begin(), m_p.graph->layers.end(),
                                      [](const Layer& l) { return l.kind == LayerKind::Block; });
    const std::string all = blocks > 0 ? text::count(static_cast<int>(blocks)) + " blocks"
                                       : text::count(m_p.graph->layerCount()) + " layers";
    if (m_stages.size() > 1 || counts.size() > 1)
      return refusal("chunks-refuse", "/search/chunks_per_stage",
                     "VPP " + oneOf(counts) + " needs a " + (blocks > 0 ? "block" : "layer") +
                         " count that PP × " + oneOf(counts) + " divides, or one or two less; " + all +
                         " are not",
                     "`search.chunks_per_stage += 1`");
    const int s = m_stages.front(), v = counts.front();
    return refusal("chunks-refuse", "/search/chunks_per_stage",
                   all + " do not divide into " + std::to_string(s) + " × " + std::to_string(v) + " = " +
                       text::count(s * v) +
                       " equal chunks, of which the first and the last may hold one less",
                   nearest(s, v));
  }
  /// "use PP 8 with VPP 2, or PP 16 with VPP 5": what changes one of the two, and the least.
  std::string nearest(int s, int v) const {
    constexpr int kMostChunks = 16;
    const auto works = [&](int stages, int chunks) {
      return stages > 1 && chunks > 1 && !solver::interleavedCuts(m_p, stages, chunks).empty() &&
             std::any_of(m_space.schedules().begin(), m_space.schedules().end(),
                         [&](const solver::ScheduleChoice& c) {
                           return c.schedule->takesChunks(chunks) && runs(*c.schedule, stages, chunks);
                         });
    };
    const auto closest = [](int to, int most, const auto& fits) {
      for (int off = 1; off <= most; ++off)
        for (const int one : {to - off, to + off})
          if (one >= 1 && one <= most && fits(one)) return one;
      return 0;
    };
    const int stages = closest(s, m_p.graph->layerCount(), [&](int one) { return works(one, v); });
    const int chunks = closest(v, kMostChunks, [&](int one) { return works(s, one); });
    const auto words = [](int pp, int vpp) {
      return "PP " + std::to_string(pp) + " with VPP " + std::to_string(vpp);
    };
    if (stages == 0 && chunks == 0) return "`search.chunks_per_stage += 1`";
    return "use " + (stages > 0 ? words(stages, v) : "") + (stages > 0 && chunks > 0 ? ", or " : "") +
           (chunks > 0 ? words(s, chunks) : "");
  }

  std::optional<Diagnostic> devices() const {
    const Bound& allowed = m_p.constraints.devices;
    const int limit = std::min(m_p.cluster->deviceCount(), allowed.most.value_or(m_p.cluster->deviceCount()));
    for (const int s : m_stages)
      if (any(s, [&](int, const Strategy& one, int d) {
            return m_space.devicesAllowed(1LL * s * one.width() * d);
          }))
        return std::nullopt;
    // What the degrees take at least, if there were as many devices.
    long long least = std::numeric_limits<long long>::max();
    bool combines = false;  // or it is the program that does not run such degrees together
    for (const int k : m_space.strategies()) {
      if (!m_space.mayCombine(strategy(k), 0, m_stages.front())) continue;
      combines = true;
      for (const int b : m_sizes)
        for (const int d : replicas(b))
          if (strategy(k).fitsExperts(d))
            least = std::min(least, 1LL * m_stages.front() * strategy(k).width() * d);
    }
    if (!combines) return std::nullopt;
    if (least == std::numeric_limits<long long>::max())
      return refusal("degrees-refuse", "/constraints/expert",
                     "no DP that divides the global batch of " + text::count(m_p.job.globalBatch) +
                         " holds whole expert groups",
                     "use a smaller EP, or change the global batch");
    if (least > limit)
      return refusal(
          "too-few-devices", allowed.most && limit == *allowed.most ? "/constraints/devices" : "/cluster",
          "the degrees take at least " + text::count(least) + " devices, and " +
              (allowed.most && limit == *allowed.most ? "the constraints allow " : "the cluster has ") +
              text::count(limit),
          "use smaller degrees");
    if (!allowed.least && !allowed.most) return std::nullopt;
    return refusal("degrees-refuse", "/constraints/devices",
                   "no degrees to try multiply to " + rangeOf(allowed) + " devices",
                   "allow other numbers of devices");
  }

  /// No schedule runs as many microbatches as there can be.
  std::optional<Diagnostic> schedules() const {
    std::string reasons;
    for (const solver::ScheduleChoice& c : m_space.schedules()) {
      for (const int s : m_stages) {
        const bool takes = s > 1 || c.schedule->kind() == ScheduleKind::OneForwardOneBackward;
        if (takes && runs(*c.schedule, s, c.chunks)) return std::nullopt;
      }
      const int stages = m_stages.front() == 1 && m_stages.size() > 1 ? m_stages[1] : m_stages.front();
      const auto why = c.schedule->refusals(
          stages, c.chunks, m_p.microbatchCount(*std::min_element(m_sizes.begin(), m_sizes.end()), 1));
      if (why.empty()) return std::nullopt;
      if (reasons.find(why.front()) == std::string::npos)
        reasons += (reasons.empty() ? "" : "; ") + why.front();
    }
    return refusal(
        "schedule-refuses", "/search/schedules", reasons,
        "train larger batches, offer smaller microbatches or other schedules, or allow fewer stages");
  }

  const Problem& m_p;
  solver::SearchSpace m_space;
  std::vector<int> m_stages, m_sizes;
};

/// One warning for each of the constraints without which there is a plan.
Diagnostics blamed(const Problem& problem, const std::vector<Demanded>& demands, const Control& control) {
  Diagnostics out;
  for (std::size_t i = 0; i < demands.size() && i < kMostTried && !studyStopped(control); ++i) {
    Problem less = problem;
    demands[i].drop(less.constraints);
    if (const Outcome o = quietSolve(std::move(less), control); o.best())
      out.push_back(
          conflict(demands[i].pointer,
                   "\"" + demands[i].words + "\" leaves no plan; without it " + planWords(*o.best()),
                   "loosen or remove it"));
  }
  return out;
}

}  // namespace

std::optional<Diagnostic> divisionObstacle(const Problem& problem) {
  return Divisions(problem).run();
}

std::optional<Diagnostic> profileObstacle(const Problem& p) {
  const solver::SearchSpace space(p);
  const auto isUsable = [&](const LayerCost* cost) {
    for (int r = 0; cost && r < kRecomputeCount; ++r)
      if (p.search.recompute[at(r)] && cost->recompute[at(r)].available) return true;
    return false;
  };
  std::string first;
  int lacking = 0;
  for (const int b : space.microbatches())
    for (const int k : space.strategies()) {
      const auto& layers = p.graph->layers;
      const auto missing = std::find_if(layers.begin(), layers.end(), [&](const Layer& l) {
        return !isUsable(p.profile->cost(l.classId, k, b));
      });
      if (missing == layers.end()) return std::nullopt;
      if (lacking++ > 0) continue;
      const bool hasCost = p.profile->cost(missing->classId, k, b) != nullptr;
      first = missing->name + " under strategy " + toText(p.profile->strategies()[at(k)]) +
              " at microbatch size " + std::to_string(p.profile->microbatches()[at(b)]) +
              (hasCost ? " with a recompute policy to try" : "");
    }
  if (lacking == 0) return std::nullopt;
  return warning("profile-incomplete", {"", 0, 0, "/model"},
                 "the profile has no costs of " + first +
                     (lacking == 1 ? ""
                                   : ", and none of the " + text::count(lacking) +
                                         " strategies and microbatch sizes to try is complete"),
                 "measure what is missing, or allow what the profile holds");
}

std::string programObstacle(const Problem& problem, const Control& control) {
  const Program* program = problem.program.program;
  const bool isMegatron = program && megatronName(problem) == program->name;
  if (!program || problem.search.preset != SearchPreset::Runnable) return {};
  Problem free = problem;
  free.program = {};
  if (isMegatron) free.constraints.megatronExpressible = false;
  const Outcome o = quietSolve(std::move(free), control);
  if (!o.best()) return {};
  for (const Violation& v : evaluate(problem, o.best()->plan).violations) {
    if (v.kind == Violation::Kind::Program) return v.message;
    constexpr std::string_view kMegatron = "Megatron-LM";
    if (isMegatron && v.kind == Violation::Kind::Constraint && v.message.starts_with(kMegatron))
      return program->name + v.message.substr(kMegatron.size());
  }
  return {};
}

Diagnostics constraintsAgainst(const Problem& asked, const Problem& present, const Control& control) {
  // A demand takes the place of a bound on the same degree.
  const auto own = demandsOf(present);
  auto kept = demandsOf(asked);
  std::erase_if(kept, [&](const Demanded& one) {
    return std::none_of(own.begin(), own.end(),
                        [&](const Demanded& o) { return o.pointer == one.pointer && o.words == one.words; });
  });
  return blamed(asked, kept, control);
}

Diagnostics conflictsOf(const Problem& problem, const Control& control) {
  const auto demands = demandsOf(problem);
  Problem free = problem;
  free.constraints = {};
  const Outcome without = quietSolve(free, control);
  if (studyStopped(control)) return {};
  if (hasErrors(without.diagnostics)) return {};  // which say why
  std::optional<Diagnostic> known = profileObstacle(problem);
  if (!known) known = divisionObstacle(problem);
  if (!without.best()) {
    if (known) return {*known};
    if (without.nearestMiss) return {};
    if (const std::string refusal = programObstacle(problem, control); !refusal.empty())
      return {warning("program-refuses", {"", 0, 0, "/program"}, refusal,
                      "choose another `program`, or `search.preset = free` to plan it all the same")};
    return {warning("nothing-divides", {"", 0, 0, "/job/global_batch"},
                    "no combination of degrees divides the global batch and the devices",
                    "change the global batch, offer smaller microbatches, or let the last one be padded")};
  }
  Diagnostics out = blamed(problem, demands, control);
  if (out.empty() && !studyStopped(control))
    out.push_back(
        conflict({},
                 "no single constraint is to blame, they contradict each other; without all of them " +
                     planWords(*without.best()),
                 "loosen or remove several"));
  if (known && !out.empty()) {  // the reason, with the first constraint that it comes from
    Diagnostic& first = out.front();
    first.code = known->code;
    first.message = known->message + ": " + first.message;
    first.remedy = known->remedy + ", or " + first.remedy;
  }
  return out;
}

void lookBeyond(const Setting& setting, Outcome& o, const Control& control) {
  if (o.best() || !o.nearestMiss) return;
  struct Switch {
    const char *option, *what;
    bool SearchOptions::*on;
  };
  constexpr Switch kSwitches[] = {
      {"context_parallel", "context parallelism", &SearchOptions::contextParallel},
      {"expert_parallel", "expert parallelism", &SearchOptions::expertParallel}};
  for (const Switch& s : kSwitches) {
    const auto isLeftOut = [&](const NotSearched& n) {
      return n.field == std::string("/search/") + s.option && !n.change.empty();
    };
    if (studyStopped(control) || std::none_of(o.notSearched.begin(), o.notSearched.end(), isLeftOut))
      continue;
    Setting wider = setting;
    wider.search.*s.on = true;
    auto problem = buildProblem(wider);
    const Outcome found = problem ? quietSolve(std::move(*problem), control) : Outcome{};
    if (!found.best()) continue;
    o.nearestMiss->remedies.insert(
        o.nearestMiss->remedies.begin(),
        std::string(s.what) + " (`search." + s.option + " = true`): " + planWords(*found.best()));
  }
}

Outcome solveAndExplain(const Problem& problem, const Control& control, const Plan* start) {
  Outcome o = solveOnEvenHosts(problem, control, start);
  logLine(LogLevel::Debug, fmt::format("solve: {}, {} candidates, {} configurations, {} states, {:.1f} ms",
                                       nameOf(o.status), o.statistics.candidates, o.statistics.tuples,
                                       o.statistics.states, o.statistics.elapsed.value() * 1e3));
  std::istringstream bounds(textOf(o.statistics.bounds));
  for (std::string line; std::getline(bounds, line);) logLine(LogLevel::Debug, "bound " + line);
  if (o.status == OutcomeStatus::Infeasible && !o.nearestMiss)
    for (Diagnostic& d : conflictsOf(problem, control)) o.diagnostics.push_back(std::move(d));
  return o;
}

}  // namespace nest
