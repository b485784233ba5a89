#pragma once

#include <vector>

#include "formats/models/hf_families.h"

namespace nest {

/// The entries, by what blocks are made of; configFamilies() joins them.
void addDenseFamilies(std::vector<ConfigFamily>&);   ///< RMSNorm, attention, a gated MLP
void addExpertFamilies(std::vector<ConfigFamily>&);  ///< the same with experts
void addHybridFamilies(std::vector<ConfigFamily>&);  ///< with state-space or linear attention layers
void addOlderFamilies(std::vector<ConfigFamily>&);   ///< LayerNorm, encoders, images

inline constexpr FamilyFlag kYes{true}, kAttentionBias{false, "attention_bias"}, kMlpBias{false, "mlp_bias"};
inline constexpr auto kLayer = FamilyNorm::Layer, kLayerWithoutBias = FamilyNorm::LayerWithoutBias;
inline constexpr auto kPerHead = QueryKeyNorm::PerHead, kWhole = QueryKeyNorm::Whole;
inline constexpr auto kWidth = SharedExperts::Width, kCount = SharedExperts::Count;

/// A family of the same shape under another name; `isOwn`: shown under that name, too.
inline ConfigFamily like(ConfigFamily family, const char* type, const char* className, bool isOwn = false) {
  if (!isOwn) family.like = family.shownAs();
  family.type = type;
  family.className = className;
  return family;
}
template <class Edit>
ConfigFamily with(ConfigFamily family, Edit edit) {
  edit(family);
  return family;
}

}  // namespace nest
