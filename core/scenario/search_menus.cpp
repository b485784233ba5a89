#include "scenario/search_menus.h"

#include <algorithm>
#include <array>

#include "fields/field_text.h"
#include "fields/program_setting.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr int kMostVirtualStages = 8;
constexpr long long kMostTokens = 32'768;  ///< of a microbatch
constexpr int kMostInMenu = 256;

std::vector<int> doubledTo(long long most) {
  std::vector<int> out;
  for (int v = 1; v <= most; v *= 2) out.push_back(v);
  return out;
}

/// Under the preset "free" a search is not kept to what the program runs.
bool isKeptFrom(const Setting& s, PlanFeature feature) {
  return s.search.preset == SearchPreset::Runnable && !programOf(s).runs(feature);
}

/// What keeps context parallelism out; empty: nothing.
std::string againstContext(const TransformerArchitecture& a, const Setting& s) {
  if (!splitsContext(a)) return "the model is more than a decoder with attention";
  if (isKeptFrom(s, PlanFeature::Context)) return programOf(s).name + " does not run it";
  return {};
}

/// The same of virtual pipeline stages.
std::string againstInterleaving(const TransformerArchitecture& a, const Setting& s) {
  if (a.encoder) return "only a chain of blocks is interleaved";
  if (a.layers < 4) return "the model has " + text::count(a.layers) + " blocks";
  if (isKeptFrom(s, PlanFeature::Interleaving) || isKeptFrom(s, PlanFeature::Pipeline))
    return programOf(s).name + " does not run it";
  return {};
}

/// What is tried of each.
struct Menus {
  std::vector<int> microbatches, chunks;
  bool context = false;
  friend bool operator==(const Menus&, const Menus&) = default;
};

Menus menusOf(const Setting& s) {
  return {s.job.microbatches, s.search.chunksPerStage, s.search.contextParallel};
}

/// With sequences of so many tokens.
Menus menusFor(const Setting& s, int sequenceLength) {
  const TransformerArchitecture& a = *s.model.architecture;
  const long long sequences =
      std::clamp<long long>(kMostTokens / std::max(1, sequenceLength), 4, kMostInMenu);
  return {doubledTo(std::min<long long>(sequences, s.job.globalBatch)),
          againstInterleaving(a, s).empty() ? doubledTo(std::min(kMostVirtualStages, a.layers / 2))
                                            : std::vector<int>{1},
          againstContext(a, s).empty() && sequenceLength >= kLongSequence};
}

/// "MBS 1, 2, 4, VPP 1, 2, 4, 8 and CP".
std::string inWords(const Menus& m) {
  std::string out = "MBS " + wholesText(m.microbatches);
  if (m.chunks != std::vector<int>{1}) out += ", VPP " + wholesText(m.chunks);
  return m.context ? out + " and CP" : out;
}

}  // namespace

bool splitsContext(const TransformerArchitecture& a) {
  const auto attends = [](const auto& part) { return part.mixer == Mixer::Attention; };
  return !a.encoder && a.patchInputs <= 0 && attends(a) &&
         std::all_of(a.variants.begin(), a.variants.end(), attends);
}

Diagnostics proposeSearch(Setting& s) {
  if (!s.model.architecture || s.model.profile) return {};
  const TransformerArchitecture& a = *s.model.architecture;
  const Menus menus = menusFor(s, s.job.sequenceLength);
  s.job.microbatches = menus.microbatches;
  s.search.chunksPerStage = menus.chunks;
  s.search.contextParallel = menus.context;
  std::string left;
  if (const std::string why = againstInterleaving(a, s); !why.empty()) left += "; no VPP: " + why;
  if (const std::string why = againstContext(a, s); !why.empty())
    left += "; no CP: " + why;
  else if (!menus.context)
    left += "; no CP: sequences are shorter than " + text::count(kLongSequence) + " tokens";
  return {note(kSearchProposed, {"", 0, 0, "/search"}, "the search tries " + inWords(menus) + left,
               "change it in `job.microbatches`, `search.chunks_per_stage` and `search.context_parallel`")};
}

bool isSearchAsProposed(const Setting& s) {
  return s.model.architecture && !s.model.profile && menusOf(s) == menusFor(s, s.job.sequenceLength);
}

Diagnostics outgrownSearch(const Setting& s) {
  if (!s.model.architecture || s.model.profile || isSearchAsProposed(s)) return {};
  const Menus now = menusOf(s);
  if (now.chunks == std::vector<int>{1}) return {};  // as every scenario has it from which nobody took it
  // One length of each kind: proposals differ by powers of two, and by whether CP pays.
  constexpr std::array kLengths = {128, 256, 512, 1024, 2048, 4096, 6144, kLongSequence};
  if (std::none_of(kLengths.begin(), kLengths.end(), [&](int n) { return menusFor(s, n) == now; })) return {};
  const Menus wanted = menusFor(s, s.job.sequenceLength);
  return {note(kSearchOutgrown, {"", 0, 0, "/search"},
               "the search tries what was proposed for sequences of another length: " + inWords(now),
               "for " + text::count(s.job.sequenceLength) + " tokens try " + inWords(wanted) +
                   (now.context && !wanted.context ? " without CP" : ""))};
}

}  // namespace nest
