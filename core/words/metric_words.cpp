#include "words/metric_words.h"

#include <algorithm>

#include "measures/step_difference.h"
#include "program/prediction_interval.h"
#include "program/program.h"
#include "units/text.h"

namespace nest::words {

const char* brief(Exchange e) {
  switch (e) {
    case Exchange::Tensor:
      return "TP";
    case Exchange::Context:
      return "CP";
    case Exchange::Expert:
      return "EP";
    case Exchange::Pipeline:
      return "PP";
    case Exchange::Data:
      break;
  }
  return "DP";
}

const char* of(TimePart p) {
  switch (p) {
    case TimePart::Compute:
      return "compute";
    case TimePart::Tensor:
      return "TP communication";
    case TimePart::Context:
      return "CP communication";
    case TimePart::Expert:
      return "EP communication";
    case TimePart::Pipeline:
      return "PP communication";
    case TimePart::Data:
      return "DP communication";
    case TimePart::Recompute:
      return "recompute";
    case TimePart::Idle:
      return "idle";
    case TimePart::Step:
      break;
  }
  return "optimizer step";
}

const char* brief(TimePart p) {
  switch (p) {
    case TimePart::Tensor:
      return brief(Exchange::Tensor);
    case TimePart::Context:
      return brief(Exchange::Context);
    case TimePart::Expert:
      return brief(Exchange::Expert);
    case TimePart::Pipeline:
      return brief(Exchange::Pipeline);
    case TimePart::Data:
      return brief(Exchange::Data);
    case TimePart::Step:
      return "optimizer";
    default:
      return of(p);
  }
}

std::string of(const std::vector<TimeShare>& shares, const char* whole, std::size_t most) {
  constexpr double kLeast = 5e-4;  // smaller shares are invisible in pictures
  std::string out;
  double left = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    left += shares[i].share;
    if (i >= most || shares[i].share < kLeast) continue;
    left -= shares[i].share;
    out +=
        (out.empty() ? "" : ", ") + std::string(brief(shares[i].part)) + ' ' + text::percent(shares[i].share);
  }
  if (out.empty()) return {};
  if (left >= kLeast) out += ", other " + text::percent(left);
  return *whole ? out + ' ' + whole : out;
}

std::string of(const std::vector<PartChange>& changes) {
  std::string out;
  for (const PartChange& c : changes)
    out += (out.empty() ? "" : ", ") + std::string(of(c.part)) + ' ' + text::time(c.before) + " → " +
           text::time(c.after);
  return out;
}

std::string partsThatDiffer(const Pace& before, const Evaluation& first, const Pace& after,
                            const Evaluation& second) {
  constexpr double kAsFast = 5e-7;  // the same as in lists of plans
  const PaceMeasure measure = measureOf(before, after);
  const Seconds a = comparedTime(before, measure), b = comparedTime(after, measure);
  if (!(a > Seconds()) || (b - a < kAsFast * a && a - b < kAsFast * a)) return {};
  const std::string parts = of(partChanges(stepDifference(first, before, second, after), b < a));
  if (parts.empty()) return {};
  return std::string(b > a ? "What takes longer" : "What takes less") +
         (measure == PaceMeasure::BatchTime ? ", of the step: " : ", of a token: ") + parts + ".";
}

std::string of(const Bubble& b) {
  const std::string idle = text::percent(b.idle());
  if (!(b.idle() > 0)) return idle;
  return idle + " (fill and drain " + text::percent(b.fillAndDrain) + ", imbalance " +
         text::percent(b.imbalance) + ")";
}

std::string mfuConvention(const PlanMetrics& m) {
  if (!m.mfu) return {};
  std::string out =
      "model FLOPs (forward and backward matrix work, attention counted in full, nothing recomputed) ÷ the "
      "dense " +
      std::string(nameOf(m.peak.of)) + " peak of the devices in use, " + text::flops(m.peak.rate) + " each";
  if (m.peak.format == NumberFormat::Fp32) out += "; the job computes in fp32, whose peak is lower";
  if (m.peak.format == NumberFormat::Bf16 && m.peak.of == NumberFormat::Fp16)
    out += "; the device has no bf16, so that the job needs fp16";
  if (const NumberFormatSpec& f = specOf(m.peak.format); f.isNarrow() && m.peak.of != m.peak.format)
    out +=
        std::string("; the device has no ") + nameOf(f.rate) + " rate, so that the job computes in 16 bits";
  return out;
}

bool isKnown(const PredictionError& e) {
  return e.runs > 0;
}

std::string withError(Seconds t, const PredictionError& e) {
  return text::time(t) + (isKnown(e) ? " ± " + text::percent(e.time) : std::string());
}

namespace {

/// Whose runs they are; empty: of the program itself.
const char* ofWhom(RunsBehind behind) {
  switch (behind) {
    case RunsBehind::SameProgram:
      return "";
    case RunsBehind::RelatedPrograms:
      return " of related programs";
    case RunsBehind::RelatedElsewhere:
      return " of related programs on any devices";
    case RunsBehind::SameDevices:
      return " of any program on such devices";
    case RunsBehind::AnyProgram:
      break;
  }
  return " of any program";
}

std::string heldRuns(const PredictionError& e) {
  return text::percent(kIntervalShare) + " of " + text::count(e.runs);
}

const PredictionCell* cellOf(const ProgramUse& use, const PredictionError& e) {
  return use.program && isKnown(e) ? cellBehind(e, use.program->id) : nullptr;
}

}  // namespace

std::string programWith(const ProgramUse& use, const PredictionError& e) {
  const std::string changed = use.isChanged ? ", changed" : "";
  if (!use.program || use.program->id == kIdealProgram) return "ideal program" + changed;
  const std::string program = use.program->name + changed;
  if (!isKnown(e)) return program + ", not validated";
  const PredictionCell* cell = cellOf(use, e);
  return program + ", ± holds " + heldRuns(e) + " runs" + (cell ? ofWhom(cell->behind) : "");
}

std::string intervalMeaning(const ProgramUse& use, const PredictionError& e) {
  const PredictionCell* cell = cellOf(use, e);
  if (!cell) return {};
  return "the interval holds " + heldRuns(e) + " held-out runs" +
         (cell->behind == RunsBehind::SameProgram ? " of this program on such devices"
                                                  : ofWhom(cell->behind)) +
         "; that of the ratio of two plans of one model is ± " + text::percent(cell->difference);
}

double ratioError(const ProgramUse& use, const PredictionError& e) {
  const PredictionCell* cell = cellOf(use, e);
  return cell ? cell->difference : 0;
}

bool isWithinError(const PlanMetrics& m, Seconds best) {
  const double error = ratioError(m.program, m.error);
  return error > 0 && m.batchTime <= best * (1 + error);
}

std::string remarkOn(const PlanMetrics& m, Seconds best) {
  std::string out = isWithinError(m, best) ? "within the error" : "";
  if (m.mayNotFit) out += out.empty() ? "may not fit" : ", may not fit";
  return out;
}

std::string portion(Bytes used, Bytes whole) {
  const std::string a = text::memory(used), b = text::memory(whole);
  const auto unit = [](const std::string& s) { return s.substr(s.rfind(' ') + 1); };
  const bool same = unit(a) == unit(b);
  return (same ? a.substr(0, a.rfind(' ')) : a) + " of " + b;
}

std::string memory(Bytes predicted, Bytes headroom, Bytes capacity) {
  return portion(predicted, capacity) + besideHeadroom(headroom);
}

std::string memory(const PlanMetrics& m) {
  return memory(m.peakMemory, m.headroom, m.capacity);
}

std::string memory(const MemoryUse& use) {
  return memory(use.predicted(), use[MemoryPart::Headroom], use.capacity);
}

std::string withHeadroom(Bytes predicted, Bytes headroom) {
  return text::memory(predicted) + besideHeadroom(headroom);
}

}  // namespace nest::words
