#include "lab/run_points.h"

#include <algorithm>

#include "units/text.h"

namespace nest {
namespace {

template <class Count>
std::string counted(Count n, const char* one, const char* many) {
  return text::count(static_cast<long long>(n)) + ' ' + (n == 1 ? one : many);
}

std::string summaryOf(const ValidationReport& report) {
  const auto count = [&](bool fitted) {
    return std::count_if(report.rows.begin(), report.rows.end(), [&](const ValidationRow& r) {
      return isThroughput(r.run.quantity) && r.isFitted == fitted;
    });
  };
  std::string out;
  const auto unseen = count(false), fitted = count(true);
  if (unseen > 0)
    out = "Mean absolute error " + text::percent(report.meanThroughputError(false)) + " on " +
          counted(unseen, "run", "runs") + " that no constant was fitted on";
  if (fitted > 0)
    out += (out.empty() ? "Mean absolute error " : ", ") + text::percent(report.meanThroughputError(true)) +
           " on " + counted(fitted, "fitted one", "fitted ones");
  return out;
}

std::string summaryOf(const RankingReport& report) {
  return text::percent(report.pairsRight()) + " of pairs more than 10 % apart are ordered correctly; " +
         std::to_string(report.picksThatRan()) + " of " + counted(report.picks(), "pick", "picks") +
         " ran; runs slower than 2.5 times the best of their sweep are not compared";
}

}  // namespace

double RunPoints::largest() const {
  double most = 0;
  for (const RunPoint& p : points) most = std::max({most, p.measured, p.predicted});
  return most;
}

double RunPoints::least() const {
  double least = largest();
  for (const RunPoint& p : points)
    for (const double v : {p.measured, p.predicted})
      if (v > 0) least = std::min(least, v);
  return least;
}

RunPoints pointsOf(const ValidationReport& report) {
  RunPoints out;
  for (const ValidationRow& r : report.rows) {
    if (!isThroughput(r.run.quantity)) continue;
    const double step = r.evaluation.batchTime.value();
    out.points.push_back({.name = r.run.set + ' ' + r.run.label,
                          .program = toText(r.program),
                          .device = r.device,
                          .measured = step * (1 + r.throughputError()),
                          .predicted = step,
                          .fitted = r.isFitted,
                          .experts = r.run.model.experts.has_value()});
  }
  out.summary = summaryOf(report);
  return out;
}

RunPoints pointsOf(const RankingReport& report) {
  RunPoints out;
  for (const Sweep& s : report.sweeps) {
    double best = 0;
    for (const RankedRun& r : s.runs)
      if (r.ran() && (best == 0 || r.measured < best)) best = r.measured;
    for (const RankedRun& r : s.runs)
      if (r.predicted > 0)
        out.points.push_back({.name = s.name + ' ' + r.run.label,
                              .program = s.program,
                              .device = r.run.device,
                              .measured = r.measured,
                              .predicted = r.predicted,
                              .experts = r.run.model.experts.has_value(),
                              .fits = r.fits,
                              .isCompared = !r.ran() || r.measured <= RankingReport::kComparable * best});
  }
  out.summary = summaryOf(report);
  return out;
}

Reading<RunPoints> readRunPoints(std::string_view text, const std::string& file,
                                 const PublishedOptions& options) {
  if (holdsSweeps(text)) {
    auto report = replayRanking(text, file, options);
    if (!report) return {std::nullopt, std::move(report.diagnostics)};
    return {pointsOf(*report), std::move(report.diagnostics)};
  }
  auto report = runValidation(text, file, options);
  if (!report) return {std::nullopt, std::move(report.diagnostics)};
  return {pointsOf(*report), std::move(report.diagnostics)};
}

}  // namespace nest
