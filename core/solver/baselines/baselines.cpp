#include "solver/baselines/baselines.h"

#include <chrono>

#include "evaluation/schedule.h"
#include "solver/baselines/equal_split.h"
#include "solver/baselines/methods.h"
#include "solver/even_hosts.h"
#include "units/numbering.h"
#include "units/text.h"

namespace nest {
namespace {

BaselineResult run(BaselineKind kind, const Problem& p, const Control& control, const BaselineOptions& o) {
  const bool equal = kind == BaselineKind::EqualSplit;
  if ((equal || kind == BaselineKind::Manual || kind == BaselineKind::RandomWalk) &&
      !isOnOffer(p, ScheduleKind::OneForwardOneBackward) &&
      !(equal && isOnOffer(p, ScheduleKind::Interleaved))) {
    BaselineResult r;
    r.searched = false;
    r.note = equal ? "its plans run under 1F1B, interleaved or not, which is not searched"
                   : "its plans run under 1F1B, which is not searched";
    return r;
  }
  switch (kind) {
    case BaselineKind::Manual:
      return baselines::manual(p, control, o.manual);
    case BaselineKind::RandomWalk:
      return baselines::randomWalk(p, control, o);
    case BaselineKind::NetworkUnaware:
      return baselines::networkUnaware(p, control);
    case BaselineKind::MemoryUnaware:
      return baselines::memoryUnaware(p, control);
    case BaselineKind::EqualSplit:
      break;
  }
  return baselines::equalSplit(p, control);
}

/// A control with its own progress and deadline, within those of the whole run.
Control partOf(const Control& whole, const char* phase, double begin, double share) {
  Control part = whole;
  if (whole.progress)
    part.progress = [&whole, phase, begin, share](const Progress& p) {
      Progress q = p;
      q.phase = phase;
      q.fraction = begin + share * p.fraction;
      whole.progress(q);
    };
  return part;
}

void describeViolations(BaselineResult& r) {
  if (!r.plan || r.plan->evaluation.feasible()) return;
  const Violation& v = r.plan->evaluation.violations.front();
  r.note += r.note.empty() ? "" : "; ";
  r.note += v.kind == Violation::Kind::Memory ? "does not fit: " + text::stageName(StageIndex(v.stage)) +
                                                    " is short by " + text::memory(v.shortfall)
                                              : "cannot run: " + v.message;
}

}  // namespace

const char* nameOf(BaselineKind k) {
  switch (k) {
    case BaselineKind::Manual:
      return "Manual";
    case BaselineKind::RandomWalk:
      return "MCMC";
    case BaselineKind::NetworkUnaware:
      return "Network-unaware";
    case BaselineKind::MemoryUnaware:
      return "Memory-unaware";
    case BaselineKind::EqualSplit:
      break;
  }
  return "Equal split";
}

std::vector<BaselineResult> runBaselines(const Problem& whole, const Control& control,
                                         const BaselineOptions& options) {
  const Problem problem = insideHosts(whole);
  std::vector<BaselineResult> out;
  const double share = options.kinds.empty() ? 1 : 1.0 / static_cast<double>(options.kinds.size());
  for (std::size_t i = 0; i < options.kinds.size(); ++i) {
    const BaselineKind kind = options.kinds[i];
    if (baselines::stopped(control)) {
      BaselineResult r;
      r.kind = kind;
      r.complete = false;
      r.note = "stopped before it began";
      out.push_back(std::move(r));
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    BaselineResult r =
        run(kind, problem, partOf(control, nameOf(kind), share * static_cast<double>(i), share), options);
    r.kind = kind;
    if (r.plan) r.plan->simulated = simulate(problem, r.plan->plan, r.plan->evaluation, false).total;
    describeViolations(r);
    if (!r.complete)
      r.note = r.plan ? "stopped early: " + r.note : std::string("stopped before a plan was found");
    r.elapsed = Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    out.push_back(std::move(r));
  }
  return out;
}

}  // namespace nest
