#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diagnostics/diagnostic.h"
#include "measures/metrics.h"
#include "measures/plan_diff.h"
#include "problem/problem.h"
#include "solver/control.h"
#include "solver/outcome.h"

namespace nest {

/// A demand that the best plan does not meet, as constraints on a problem.
struct Demand {
  std::string words;  ///< "tensor degree 4", "layer 17 in stage 2"
  Problem problem;    ///< the problem with the demand added
};

/// Reads what a person asks for. Several demands may stand in one text, separated by commas or "and":
///   tp=4  cp=2  ep=4  dp=16  d_in=8  pp=8  mbs=2  vpp=2  zero=1  fsdp  devices=512   (also <= and >=; a
///   blank may stand for "="; the plan's own letters t, c, e, d, p, b, v, z too) layer 17 in stage 2 · cut at
///   layer 17 · no cut at layer 17 · recompute full · recompute full in stage 3
/// Layers and stages count from 1, as they do everywhere on screen; a layer may be named ("layer block 16").
/// A layer in a stage keeps the number of stages of `present` (or asks for as many as it names), unless p is
/// demanded as well. Errors say what is not understood, or why a value is not searched and what is.
Reading<Demand> readDemand(const Problem& problem, const Plan& present, std::string_view text);

/// What would be if the demand were met.
struct Counterfactual {
  std::string demand;
  bool alreadyMet = false;  ///< the present plan does so; nothing was solved
  Outcome outcome;          ///< of the problem with the demand
  std::optional<PlanDiff>
      difference;  ///< from the present plan to the best one that meets it; empty if none fits
  std::vector<PartChange> causes;        ///< what grows, the most first; together they explain what is lost
  std::vector<NotSearched> notSearched;  ///< of the plan that meets it, what the search leaves out
  std::string summary;  ///< a few sentences without what changes; fields as adviceText() reads them
  std::string answer;   ///< the same with what changes
};

/// Why not? Solves with the demand added and tells the difference. `present`: the problem's best plan.
Counterfactual whyNot(const Problem& problem, const RankedPlan& present, const Demand& demand,
                      const Control& control = {});

}  // namespace nest
