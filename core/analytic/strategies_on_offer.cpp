#include <algorithm>

#include "analytic/transformer.h"
#include "cluster/levels/scale_up.h"

namespace nest {
namespace {

std::vector<int> divisors(int n, int most) {
  std::vector<int> out;
  for (int d = 1; d <= std::min(n, most); ++d)
    if (n % d == 0) out.push_back(d);
  return out;
}

bool dividesEitherWay(int a, int b) {
  return a % b == 0 || b % a == 0;
}

/// Above 16 ranks only divisors of the heads: an uneven division that wide leaves most of a rank idle.
std::vector<int> freeTensorDegrees(const TransformerArchitecture& a, int devices) {
  std::vector<int> out;
  for (int t = 1; t <= std::min(a.heads, devices); ++t)
    if (t <= 16 || a.heads % t == 0) out.push_back(t);
  return out;
}

/// Whether every kind of block divides over the ranks by whole heads.
bool dividesBlocks(const TransformerArchitecture& a, int tensor) {
  const auto divides = [&](const BlockVariant& v) {
    if (v.mixer == Mixer::StateSpace) return a.stateSpace->heads % tensor == 0;
    if (v.mixer == Mixer::ShortConvolution) return a.hidden % tensor == 0;
    if (v.mixer == Mixer::DeltaNet)
      return a.deltaNet->valueHeads % tensor == 0 && dividesEitherWay(a.deltaNet->keyHeads, tensor);
    return (v.heads == 0 || v.heads % tensor == 0) &&
           (v.keyValueHeads == 0 || dividesEitherWay(v.keyValueHeads, tensor));
  };
  return std::all_of(a.variants.begin(), a.variants.end(), divides);
}

std::vector<int> runnableTensorDegrees(const TransformerArchitecture& a, int hostSize, int devices) {
  std::vector<int> out;
  for (const int t : divisors(a.heads, std::min(hostSize, devices)))
    if (holdsTensorGroups(hostSize, t) && (a.latent || dividesEitherWay(a.keyValueHeads, t)) &&
        dividesBlocks(a, t))
      out.push_back(t);
  return out;
}

std::vector<int> contextDegrees(const SearchOptions& search, int sequence, int devices) {
  if (!search.contextParallel) return {1};
  constexpr int kMost = 64;
  std::vector<int> out;
  for (const int c : divisors(sequence, std::min(kMost, devices)))
    if (search.preset == SearchPreset::Free || (c & (c - 1)) == 0) out.push_back(c);
  return out;
}

std::vector<int> expertDegrees(const TransformerArchitecture& a, const SearchOptions& search, int devices) {
  if (!a.experts || !search.expertParallel) return {1};
  return divisors(a.experts->experts, devices);
}

}  // namespace

std::vector<Strategy> strategiesOnOffer(const TransformerArchitecture& a, const SearchOptions& search,
                                        const Constraints& constraints, const Job& job, int hostSize,
                                        int deviceCount) {
  const auto tensors = search.preset == SearchPreset::Runnable
                           ? runnableTensorDegrees(a, hostSize, deviceCount)
                           : freeTensorDegrees(a, deviceCount);
  std::vector<Strategy> out;
  for (const int t : tensors) {
    if (!constraints.tensor.allows(t)) continue;
    for (const int c : contextDegrees(search, job.sequenceLength, deviceCount / t)) {
      if (!constraints.context.allows(c)) continue;
      const bool spreads = t > 1 && search.sequenceParallel && job.sequenceLength % (c * t) == 0;
      for (const int e : expertDegrees(a, search, deviceCount)) {
        if (!constraints.expert.allows(e)) continue;
        // Folding differs where ranks share an expert's matrices or tokens; it needs these spread over them.
        const bool folds = a.experts && (t > 1 || (c > 1 && e > 1));
        if (e <= deviceCount / (t * c) && (search.expertFolding != ExpertFolding::Only || !folds)) {
          out.push_back({t, false, c, e});
          if (spreads) out.push_back({t, true, c, e});
        }
        if (search.expertFolding != ExpertFolding::No && folds && (spreads || t == 1))
          out.push_back({t, t > 1, c, e, true});
      }
    }
  }
  return out;
}

}  // namespace nest
