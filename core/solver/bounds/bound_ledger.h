#pragma once

#include <array>

#include "solver/bound_use.h"
#include "solver/search_bound.h"

namespace nest::solver {

/// Records which bounds a search uses and what each of them achieved. Every Watch has one.
class BoundLedger {
public:
  void turnOff(const BoundSwitches& off) { m_off = off; }
  bool uses(SearchBound b) const { return !m_off[static_cast<std::size_t>(b)]; }

  /// `closed`: whether the bound alone was enough to prune.
  void count(SearchBound b, bool closed) {
    BoundUse& use = of(b);
    ++use.calls;
    use.closed += closed;
  }
  void countCalls(SearchBound b, long long calls) { of(b).calls += calls; }
  void countClosed(SearchBound b, long long closed) { of(b).closed += closed; }
  BoundUses all() const { return BoundUses(m_uses.begin(), m_uses.end()); }

  /// Counts the calls of a bound in a loop, and adds them to the ledger when the loop ends.
  class Tally {
  public:
    Tally(BoundLedger& ledger, SearchBound bound) : m_use(ledger.of(bound)) {}
    ~Tally() { m_use.calls += calls, m_use.closed += closed; }
    Tally(const Tally&) = delete;
    Tally& operator=(const Tally&) = delete;
    long long calls = 0, closed = 0;

  private:
    BoundUse& m_use;
  };

  /// Adds the processor time of this thread during a block to a bound. A Timer costs about half a
  /// microsecond, so it is meant for tables that take a multiple of that.
  class Timer {
  public:
    Timer(BoundLedger& ledger, SearchBound bound) : m_use(ledger.of(bound)), m_begin(now()) {}
    ~Timer() { m_use.seconds += now() - m_begin; }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

  private:
    static double now();
    BoundUse& m_use;
    double m_begin;
  };

private:
  BoundUse& of(SearchBound b) { return m_uses[static_cast<std::size_t>(b)]; }
  BoundSwitches m_off;
  std::array<BoundUse, kBoundCount> m_uses = {};
};

}  // namespace nest::solver
