// The names of the bounds, and what a search reports about them.
#include "solver/bound_use.h"

#include <array>

#include "solver/search_bound.h"
#include "units/text.h"

namespace nest {
namespace {
struct Name {
  const char *name, *equation;
};
constexpr std::array<Name, kBoundCount> kNames = {{{"even work", "(6.3)"},
                                                   {"layer work", "(6.4)"},
                                                   {"whole stages", "(6.4)"},
                                                   {"unit prices", "(6.5)"},
                                                   {"shared tails", "(6.5)"},
                                                   {"least sums", ""},
                                                   {"sites", "(6.10)"},
                                                   {"depth prices", "(6.11)"},
                                                   {"runs", "(6.12)"},
                                                   {"load bands", "(6.13)"},
                                                   {"dominance", "(6.14)"},
                                                   {"rows", "(6.15)"},
                                                   {"sync reach", "(6.16)"},
                                                   {"chunk prices", "(6.5)"},
                                                   {"chunk stages", ""},
                                                   {"crossings", "(6.18)"}}};
const Name& namesOf(SearchBound b) {
  return kNames[static_cast<std::size_t>(b)];
}
}  // namespace

const char* nameOf(SearchBound b) {
  return namesOf(b).name;
}

const char* equationOf(SearchBound b) {
  return namesOf(b).equation;
}

void addTo(BoundUses& all, const BoundUses& more) {
  if (all.size() < more.size()) all.resize(more.size());
  for (std::size_t k = 0; k < more.size(); ++k) {
    all[k].calls += more[k].calls;
    all[k].closed += more[k].closed;
    all[k].seconds += more[k].seconds;
  }
}

std::string textOf(const BoundUses& all) {
  std::string out;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const BoundUse& use = all[k];
    if (use.calls == 0) continue;
    const Name& n = kNames[k];
    out += (out.empty() ? "" : "\n") + std::string(n.name) + (*n.equation ? " " : "") + n.equation + ": " +
           text::count(use.calls) + (use.calls == 1 ? " call, " : " calls, ") + text::count(use.closed) +
           " closed";
    if (use.seconds > 0) out += ", " + text::time(Seconds(use.seconds));
  }
  return out;
}

}  // namespace nest
