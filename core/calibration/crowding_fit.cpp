#include "calibration/crowding_fit.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "calibration/link_fit.h"
#include "calibration/rank_placement.h"
#include "cluster/levels/cluster_source.h"
#include "cost/collective.h"
#include "units/text.h"

namespace nest {
namespace {

/// Growth of less is within what repeated measurements differ by: the same exchange on the same hosts.
constexpr double kNotable = 0.1;
/// At which the slope of the model's times is taken; they are linear in it but for the choice of an
/// algorithm.
constexpr double kTrial = 1e-12;

/// One exchange: the model's time without crowding, what each s per byte and rank adds, and the measured
/// time.
struct Point {
  int ranks = 0;
  Bytes size;
  double alone = 0, slope = 0, measured = 0;
};

Seconds timeUnder(const Hierarchy& bare, Assumptions a, double crowding, const GroupShape& shape,
                  Bytes size) {
  a.crowding = crowding;
  return gatherTime(asMeasured(bare, a), shape, size);
}

std::vector<Point> pointsOf(const Scenario& s, const std::vector<CollectiveTimes>& all,
                            std::optional<int> level) {
  std::vector<Point> out;
  const auto cluster = deriveHierarchy(s.cluster, s.constraints.excludedDevices);
  if (!cluster) return out;
  for (const CollectiveTimes& times : all) {
    const bool isGather =
        times.kind == CollectiveTimes::Kind::AllGather || times.kind == CollectiveTimes::Kind::ReduceScatter;
    const CollectiveTimes::Row& row = times.rows.back();
    if (!isGather || times.hosts() < 2 || row.size < LinkFit::kLarge) continue;
    const auto ranks = placeRanks(*cluster, times, level);
    if (!ranks) continue;
    const GroupShape shape = shapeOf(*cluster, *ranks.value);
    Point p{times.ranks(), row.size, timeUnder(*cluster, s.assumptions, 0, shape, row.size).value(), 0,
            row.time.value()};
    p.slope = (timeUnder(*cluster, s.assumptions, kTrial, shape, row.size).value() - p.alone) / kTrial;
    out.push_back(p);
  }
  return out;
}

}  // namespace

std::optional<CrowdingFit> fitCrowding(const Scenario& s, const std::vector<CollectiveTimes>& all,
                                       std::optional<int> level) {
  const std::vector<Point> points = pointsOf(s, all, level);
  if (points.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(
      points.begin(), points.end(), [](const Point& a, const Point& b) { return a.ranks < b.ranks; });
  if (least->ranks == most->ranks) return std::nullopt;
  // measured ≈ alone·factor + slope·κ: what all groups share, fast or slow links, is no crowding. Least
  // squares of relative errors in the two unknowns.
  double aa = 0, as = 0, ss = 0, a1 = 0, s1 = 0;
  for (const Point& p : points) {
    const double a = p.alone / p.measured, b = p.slope / p.measured;
    aa += a * a, as += a * b, ss += b * b, a1 += a, s1 += b;
  }
  const double determinant = aa * ss - as * as;
  if (!(determinant > 1e-9 * aa * ss)) return std::nullopt;
  const double factor = (a1 * ss - s1 * as) / determinant, crowding = (s1 * aa - a1 * as) / determinant;
  if (!(factor > 0) || !(crowding * most->slope > kNotable * most->measured)) return std::nullopt;
  CrowdingFit fit{crowding, least->ranks, most->ranks, most->size, 0};
  for (const Point& p : points) {
    const double off = (p.alone * factor + p.slope * crowding) / p.measured - 1;
    if (std::abs(off) > std::abs(fit.worst)) fit.worst = off;
  }
  return fit;
}

void setCrowding(Scenario& s, const std::vector<CollectiveTimes>& all, std::optional<int> level,
                 std::vector<std::string>& notes) {
  const auto fit = fitCrowding(s, all, level);
  if (!fit) return;
  notes.push_back("all-gathers and reduce-scatters between hosts take " +
                  text::number(fit->crowding * 1e12, 3) + " ps more for each byte and rank, in place of " +
                  text::number(s.assumptions.crowding * 1e12, 3) + ": measured with " +
                  text::memory(fit->size) + " on " + text::count(fit->least) + " to " +
                  text::count(fit->most) + " ranks, off by " + text::signedPercent(fit->worst) + " at most");
  s.assumptions.crowding = std::stod(text::number(fit->crowding, 3));
}

}  // namespace nest
