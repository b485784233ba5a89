#include "words/run_words.h"

#include <algorithm>
#include <cmath>

#include "diagnostics/field_change.h"
#include "units/amount.h"
#include "units/text.h"

namespace nest::words {
namespace {

constexpr double kSecondsInDay = 86400;
constexpr double kFewFailures = 10;  ///< of which a fraction counts

using Lines = std::vector<std::pair<std::string, std::string>>;

/// "/run/start_s" as `run.start_s`, in backquotes.
std::string nameOf(const std::string& key) {
  std::string name = key.substr(1);
  std::replace(name.begin(), name.end(), '/', '.');
  return encoded({name});
}

/// "2.35 TB": the unit in which storage is sold.
std::string storage(Bytes b) {
  return text::amount(b.value()) + "B";
}

std::string checkpoints(const RunForecast& f) {
  const std::string size = storage(f.checkpoint.all) + ", each parameter once";
  if (!f.times) return size;
  const RunTimes& t = *f.times;
  const std::string cost = t.written > Seconds()
                               ? "steps wait " + text::time(t.blocked) +
                                     " for the copy, which is written in " + text::time(t.written)
                               : "steps wait " + text::time(t.blocked) + " until it is written";
  // What cannot be as it was asked for is answered with what follows.
  const bool isLate = t.interval && t.written > *t.interval;
  const std::string follows =
      isLate ? ", not " + text::time(*t.interval) + ": the next one begins when the last one is written"
      : t.blocked > f.prediction->interval ? ": steps wait longer than they run"
      : t.interval                         ? ""
                                           : ", the best interval";
  return size + "; " + cost + "; one after every " + text::time(f.prediction->interval) + " of work" +
         follows;
}

std::string failures(const RunForecast& f) {
  const RunTimes& t = *f.times;
  const bool isHopeless = t.restart > t.mtbf;
  return "one every " + text::time(t.mtbf) + "; a restart takes " + text::time(t.restart) +
         (isHopeless ? ", so that the next failure mostly comes first" : "") +
         (f.work && f.prediction->finishes ? "; about " +
                                                 (f.prediction->failures < kFewFailures
                                                      ? text::number(f.prediction->failures)
                                                      : text::count(std::llround(f.prediction->failures))) +
                                                 " failures in the run"
                                           : "");
}

std::string energy(const RunForecast& f) {
  return text::number(*f.energy / 1000) + " MWh" +
         (f.carbon ? ", " + text::number(*f.carbon / 1000) + " t CO₂" : "");
}

}  // namespace

const char* labelOf(RunUnit u) {
  switch (u) {
    case RunUnit::Days:
      return "Days";
    case RunUnit::DeviceHours:
      return "Device-hours";
    case RunUnit::Money:
      return "Money";
    case RunUnit::Energy:
      return "MWh";
    case RunUnit::Share:
      break;
  }
  return "%";
}

std::string amountIn(RunUnit u, double amount) {
  switch (u) {
    case RunUnit::Days:
      return text::time(Seconds(amount * kSecondsInDay));
    case RunUnit::DeviceHours:
      return text::amount(amount) + " device-hours";
    case RunUnit::Money:
      return text::amount(amount);
    case RunUnit::Energy:
      return text::number(amount) + " MWh";
    case RunUnit::Share:
      break;
  }
  return text::percent(amount);
}

const char* of(RunPart p) {
  switch (p) {
    case RunPart::Checkpoints:
      return "checkpoints";
    case RunPart::LostWork:
      return "repeated work";
    case RunPart::Restarts:
      return "restarts";
    case RunPart::Useful:
      break;
  }
  return "useful time";
}

std::string usefulTime(const RunPrediction& p, Seconds work) {
  const auto share = [&](Seconds s) { return text::percent(s / p.total); };
  return text::percent(p.goodput(work)) + "; " + of(RunPart::Checkpoints) + " take " + share(p.checkpoints) +
         ", " + of(RunPart::Restarts) + " " + share(p.restarts) + ", " + of(RunPart::LostWork) + " " +
         share(p.lostWork);
}

std::string listOfFields(const std::vector<std::string>& keys) {
  std::string out;
  for (std::size_t i = 0; i < keys.size(); ++i)
    out += (i == 0 ? "" : i + 1 == keys.size() ? " and " : ", ") + nameOf(keys[i]);
  return out;
}

std::string training(const PlanMetrics& m) {
  const auto* p = m.run && m.run->prediction && m.run->work ? &*m.run->prediction : nullptr;
  if (p && !p->finishes) return "training does not get through its failures";
  if (!m.trainingTime) return {};
  return text::time(*m.trainingTime) + " to train" +
         (p ? ", of which failures take " + text::time(*m.trainingTime - *m.run->work) : "");
}

std::string runSentence(const RunForecast& f) {
  if (f.prediction && !f.prediction->finishes) return "the run does not get through its failures";
  const std::string length = f.total ? text::time(*f.total) + " to train" : "";
  if (!f.prediction) return length + " without failures";
  return (length.empty() ? "" : length + "; ") + of(RunPart::Useful) + " " +
         usefulTime(*f.prediction, f.times->work);
}

std::vector<std::pair<std::string, std::string>> runLines(const RunForecast& f) {
  Lines out;
  out.emplace_back("checkpoint", checkpoints(f));
  if (f.prediction) {
    out.emplace_back("failures", failures(f));
    out.emplace_back("useful time", f.prediction->finishes
                                        ? usefulTime(*f.prediction, f.times->work)
                                        : "less than a tenth: the run does not get through its failures");
  }
  if (f.money) out.emplace_back("price", text::amount(*f.money));
  if (f.energy) out.emplace_back("energy", energy(f));
  if (!f.missing.empty()) out.emplace_back("not counted", "give " + listOfFields(f.missing));
  return out;
}

}  // namespace nest::words
