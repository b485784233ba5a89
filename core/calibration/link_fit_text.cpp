// What is said of a fitted link.
#include <cmath>
#include <utility>

#include "calibration/link_fit.h"
#include "units/text.h"

namespace nest {

std::string toText(const LinkFit& fit) {
  std::string out = "level " + fit.name + ": ";
  if (fit.bandwidth) out += text::bandwidth(*fit.bandwidth) + (fit.latency ? ", " : "");
  return out + (fit.latency ? text::time(*fit.latency) : std::string());
}

std::vector<std::string> toldOf(const LinkFit& fit, const NetworkLevel& before, const Assumptions& a) {
  const std::string largest = text::memory(fit.largest), smallest = text::memory(fit.smallest);
  if (!fit.bandwidth && !fit.latency) return {};
  if (fit.isRefused)
    return {toText(fit) + " in place of " + text::time(before.latency) + ", the latency of " + smallest};
  if (!fit.bandwidth)
    return {toText(fit) + " in place of " + text::time(before.latency) + ", the latency of " + smallest,
            "the largest message is " + largest + ": a bandwidth takes " + text::memory(LinkFit::kLarge) +
                " or more, so the level keeps " + text::bandwidth(before.bandwidth)};
  std::string changed = toText(fit) + " in place of " + text::bandwidth(before.bandwidth);
  if (a.linkEfficiency != 1 && before.origin != Origin::Measured)
    changed += " × " + text::percent(a.linkEfficiency) + " link efficiency";
  if (fit.latency) changed += ", " + text::time(before.latency);
  std::vector<std::string> out = {std::move(changed)};
  out.push_back("the bandwidth is that of " + largest +
                (fit.latency ? ", the latency that of " + smallest
                             : "; no size is small enough to measure the latency, which stays"));
  if (std::abs(fit.worst) >= 0.005)
    out.push_back("between them the model is farthest off at " + text::memory(fit.worstAt) + ", by " +
                  text::signedPercent(fit.worst));
  return out;
}

}  // namespace nest
