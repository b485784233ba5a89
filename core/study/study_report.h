#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "evaluation/explanation.h"
#include "solver/baselines/baselines.h"
#include "study/counterfactual.h"
#include "study/improvements.h"
#include "study/scaling.h"
#include "study/sensitivity.h"

/// What studies found, as text for people and as JSON for programs (keys end in their units, figures exact).
namespace nest::report {

/// Status, best plan, lower bound and what stopped the solve.
nlohmann::ordered_json summaryJson(const Outcome&);
/// Times, devices and summary of a plan, and the plan itself.
void addPlan(nlohmann::ordered_json&, const RankedPlan&);
/// "found" where a method that proves nothing ran to its end, "not-searched" where the scenario searches none
/// of its plans; otherwise as nameOf(OutcomeStatus).
const char* statusOf(const BaselineResult&);

/// A table of methods: batch time, throughput relative to the exact search's, devices, plan, remark.
std::string comparisonText(const Problem&, const Outcome& exact, const std::vector<BaselineResult>&);
nlohmann::ordered_json comparisonJson(const Problem&, const Outcome& exact,
                                      const std::vector<BaselineResult>&);

std::string improvementsText(const std::vector<Improvement>&);
nlohmann::ordered_json improvementsJson(const std::vector<Improvement>&);
/// `cutShort`: as of breakEvens().
std::string breakEvensText(const std::vector<BreakEven>&, bool cutShort = false);
nlohmann::ordered_json breakEvensJson(const std::vector<BreakEven>&);
/// A row for each failure, with the change of tokens/s under each answer.
std::string failuresText(const std::vector<Failure>&);
nlohmann::ordered_json failuresJson(const Problem&, const std::vector<Failure>&);
/// One failure: a row for each answer.
std::string answersText(const Problem&, const std::vector<FailureResponse>&);
nlohmann::ordered_json answersJson(const Problem&, const std::vector<FailureResponse>&);
std::string sparesText(const SpareAdvice&);
nlohmann::ordered_json sparesJson(const SpareAdvice&);
/// Empty where sparesText() asks for what is missing.
std::string spareBenefitText(const SpareBenefit&);
nlohmann::ordered_json spareBenefitJson(const SpareBenefit&);
std::string failureStudyText(const Problem&, const RankedPlan& present, const FailureStudy&);
nlohmann::ordered_json failureStudyJson(const Problem&, const RankedPlan& present, const FailureStudy&);

nlohmann::ordered_json counterfactualJson(const Counterfactual&);
nlohmann::ordered_json explanationJson(const CostTerm&, int depth);

std::string scalingText(const std::vector<ScalingPoint>&);
nlohmann::ordered_json scalingJson(const std::vector<ScalingPoint>&);
nlohmann::ordered_json fewestDevicesJson(const FewestDevices&);
std::string devicesText(const std::vector<DeviceAnswer>&, bool target);
nlohmann::ordered_json devicesJson(const std::vector<DeviceAnswer>&);

nlohmann::ordered_json diffJson(const PlanDiff&);

}  // namespace nest::report
