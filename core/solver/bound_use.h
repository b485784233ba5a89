#pragma once

#include <string>
#include <vector>

namespace nest {

/// What a bound was asked during a search. `closed`: how often its answer alone was enough to leave out what
/// it was asked about (a candidate, a label, a relaxed stage, a row). `seconds`: processor time that its
/// tables took to build; 0 where they are built with those of another bound, or where it has none.
struct BoundUse {
  long long calls = 0, closed = 0;
  double seconds = 0;
};
/// By SearchBound (search_bound.h); empty: nothing was asked.
using BoundUses = std::vector<BoundUse>;
void addTo(BoundUses& all, const BoundUses& more);

/// A line for each bound that was asked: "unit prices (6.5): 12 calls, 3 closed, 0.013 s".
std::string textOf(const BoundUses&);

}  // namespace nest
