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

/// Whether there are enough runs of the program to know its prediction error: three are enough, fewer may be
/// luck.
bool isKnown(const PredictionError&);
/// "16.7 s ± 8 %", or "16.7 s" if the error is unknown.
std::string withError(Seconds, const PredictionError&);
/// "ideal program", "Megatron-Core 2025, 19 runs", "…, 1 run, off by 19 %", "nanotron, changed, not
/// validated".
std::string programWith(const ProgramUse&, const PredictionError&);

/// Whether the plan's predicted time is within the prediction error of the best step time, so that it is not
/// known to be slower.
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
