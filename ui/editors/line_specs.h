#pragma once

#include <functional>

#include "editors/form_section.h"
#include "scenario/scenario.h"

namespace nest {

/// Lines of the scenario panel that several sections share.

/// A whole number from 1; the arrows double it, or change it by one.
LineSpec wholeLine(const QString& id, const QString& label, int most, std::function<int&(Scenario&)> at,
                   const QString& unit, bool doubling = true);
/// "any", "8", "≤ 8", "≥ 2" or "2–8".
LineSpec boundLine(const QString& key, const QString& label, Bound Constraints::*member);
/// An amount of memory with its unit.
LineSpec memoryLine(const QString& id, const QString& label, const QString& verb,
                    std::function<Bytes(const Scenario&)> read, std::function<void(Bytes, Scenario&)> write,
                    bool zeroAllowed);

}  // namespace nest
