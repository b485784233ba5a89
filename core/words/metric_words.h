#pragma once

#include <string>
#include <vector>

#include "measures/metrics.h"
#include "measures/pace.h"

/// The names of core's enums and parts, in one place for all programs.
namespace nest::words {

const char* brief(Exchange);  ///< "TP", "CP", "EP", "PP", "DP"
const char* of(TimePart);     ///< "compute", "TP communication", …, "recompute", "idle", "optimizer step"

const char* brief(TimePart);  ///< "compute", "TP", …, "recompute", "idle", "optimizer"

/// How time is spent: "compute 72 %, idle 16.2 %, PP 6.6 %, other 5.2 % of the step". The largest `most`
/// parts are named, and the rest is one more. `whole`: the whole that shares refer to; empty if the context
/// names it.
std::string of(const std::vector<TimeShare>&, const char* whole, std::size_t most = 4);
inline constexpr const char* kOfStep = "of the step";
inline constexpr const char* kOfMicrobatch = "of its microbatch";

/// The names of the parts and their times: "TP communication 996 ms → 2.34 s, idle 1.1 s → 1.4 s".
std::string of(const std::vector<PartChange>&);
/// The parts that explain why two plans differ in time: "What takes longer, of the step: PP communication 1.2
/// s → 2.34 s.", "What takes less, of a token: …". Empty if they are equally fast.
std::string partsThatDiffer(const Pace& before, const Evaluation& first, const Pace& after,
                            const Evaluation& second);

std::string of(const Bubble&);  ///< "16.8 % (fill and drain 4.4 %, imbalance 12.4 %)", to follow "idle"

/// What MFU counts, and the exact rate it divides by; empty without MFU.
std::string mfuConvention(const PlanMetrics&);

/// Whether held-out runs state an interval around predictions.
bool isKnown(const PredictionError&);
/// "16.7 s ± 8 %", or "16.7 s" if there is no interval.
std::string withError(Seconds, const PredictionError&);
/// "ideal program", "Megatron-Core 2025, ± holds 80 % of 19 runs", "…, ± holds 80 % of 46 runs of related
/// programs", "nanotron, changed, not validated".
std::string programWith(const ProgramUse&, const PredictionError&);
/// What the intervals are, in one sentence without its full stop; empty where there are none: "the interval
/// holds 80 % of 19 held-out runs of this program on such devices; that of the ratio of two plans is ± 3 %".
std::string intervalMeaning(const ProgramUse&, const PredictionError&);
/// By how much the ratio of two plans' predicted times may err, either way; 0: it is not known.
double ratioError(const ProgramUse&, const PredictionError&);

/// Whether the plan's predicted time is so near the best step time that the error of predicted ratios covers
/// the difference, so that it is not known to be slower.
bool isWithinError(const PlanMetrics&, Seconds best);
/// Whether a plan that is predicted to be slower is within the error of the best one, and whether it may not
/// fit: "within the error, may not fit". Empty if it is known to be slower and fits.
std::string remarkOn(const PlanMetrics&, Seconds best);

/// "39.5 of 80 GiB", "6.16 GiB of 2 TiB": both units are shown if they differ.
std::string portion(Bytes used, Bytes whole);

/// A device's memory as shown everywhere: the predicted bytes, and separately the headroom that a plan leaves
/// free because predictions err. "27.7 of 80 GiB (+ 8 GiB headroom)"; without headroom "27.7 of 80 GiB".
std::string memory(Bytes predicted, Bytes headroom, Bytes capacity);
std::string memory(const PlanMetrics&);                     ///< of the fullest device
std::string memory(const MemoryUse&);                       ///< of one stage's device
std::string withHeadroom(Bytes predicted, Bytes headroom);  ///< "27.7 GiB (+ 8 GiB headroom)"

}  // namespace nest::words
