#pragma once

#include <string>
#include <vector>

#include "measures/metrics.h"
#include "measures/pace.h"

/// What core's enums and parts are called, for every program; one place for the words.
namespace nest::words {

const char* brief(Exchange);  ///< "TP", "CP", "EP", "PP", "DP"
const char* of(TimePart);     ///< "compute", "TP communication", …, "recompute", "idle", "optimizer step"

const char* brief(TimePart);  ///< "compute", "TP", …, "recompute", "idle", "optimizer"

/// What time goes to: "compute 72 %, idle 16.2 %, PP 6.6 %, other 5.2 % of the step". The largest `most` are
/// named, and what is left of them is one more. `whole`: what the shares are of; empty where that is said
/// elsewhere.
std::string of(const std::vector<TimeShare>&, const char* whole, std::size_t most = 4);
inline constexpr const char* kOfStep = "of the step";
inline constexpr const char* kOfMicrobatch = "of its microbatch";

/// Names of the parts and their times: "TP communication 996 ms → 2.34 s, idle 1.1 s → 1.4 s".
std::string of(const std::vector<PartChange>&);
/// Where two plans differ in time, the parts that explain it: "What takes longer, of the step: PP
/// communication 1.2 s → 2.34 s.", "What takes less, of a token: …". Empty: they are as fast.
std::string partsThatDiffer(const Pace& before, const Evaluation& first, const Pace& after,
                            const Evaluation& second);

std::string of(const Bubble&);  ///< "16.8 % (fill and drain 4.4 %, imbalance 12.4 %)": follows "idle"

/// What MFU counts and the very rate it divides by; empty without MFU.
std::string mfuConvention(const PlanMetrics&);

/// Whether runs of the program tell by how much its predictions err: three do, fewer may be luck.
bool isKnown(const PredictionError&);
/// "16.7 s ± 8 %", or where the error is not known, "16.7 s".
std::string withError(Seconds, const PredictionError&);
/// "ideal program", "Megatron-Core 2025, 19 runs", "…, 1 run, off by 19 %", "nanotron, changed, not
/// validated".
std::string programWith(const ProgramUse&, const PredictionError&);

/// Whether a plan is not known to be slower than the best one, of this step time: its prediction may err by
/// more.
bool isWithinError(const PlanMetrics&, Seconds best);
/// Whether a plan that is predicted to be slower than the best one is known to be so, and whether it has
/// room: "within the error, may not fit"; empty: it is slower and fits.
std::string remarkOn(const PlanMetrics&, Seconds best);

/// "39.5 of 80 GiB", "6.16 GiB of 2 TiB": no unit is left out that differs.
std::string portion(Bytes used, Bytes whole);

/// What is said of a device's memory, wherever it stands: what is predicted, and apart from it the headroom
/// that a plan leaves free as predictions err. "27.7 of 80 GiB (+ 8 GiB headroom)"; without headroom "27.7 of
/// 80 GiB".
std::string memory(Bytes predicted, Bytes headroom, Bytes capacity);
std::string memory(const PlanMetrics&);                     ///< of the fullest device
std::string memory(const MemoryUse&);                       ///< of one stage's
std::string withHeadroom(Bytes predicted, Bytes headroom);  ///< "27.7 GiB (+ 8 GiB headroom)"

}  // namespace nest::words
