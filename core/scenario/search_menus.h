#pragma once

#include "diagnostics/diagnostic.h"
#include "fields/setting.h"

namespace nest {

/// Sequences of so many tokens and more are worth splitting (context parallelism).
inline constexpr int kLongSequence = 8192;
inline constexpr const char* kSearchProposed = "search-proposed";  ///< the code of proposeSearch()
inline constexpr const char* kSearchOutgrown = "search-outgrown";  ///< of outgrownSearch()

/// Whether ranks can share the sequences of such a model: a decoder with attention in every block.
bool splitsContext(const TransformerArchitecture&);

/// What a new scenario's search tries, as suits its model, sequence length and program: microbatch sizes of
/// up to 32,768 tokens, at least 1, 2 and 4; VPP up to 8, and CP for sequences of kLongSequence on, where the
/// program runs them. Of a measured profile nothing changes. A note tells what was chosen and why not more.
/// Call it once job, model and program are set.
Diagnostics proposeSearch(Setting&);

/// The search tries what proposeSearch() would have it try.
bool isSearchAsProposed(const Setting&);

/// A note where the search tries what was proposed for sequences of another length, with what would be
/// proposed for these. A search that somebody made up himself stays as it is, and nothing is said.
Diagnostics outgrownSearch(const Setting&);

}  // namespace nest
