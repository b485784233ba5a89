#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "solver/progress_estimate.h"
#include "solver/watch.h"

namespace nest::solver {

/// The one search driver: takes items by rising lower bound until the least bound passes the limit. An item
/// stands for a part of the search space. Taking it solves it, or replaces it by finer parts with sharper
/// bounds, so that parts are listed only where they may matter.
///
/// A Task has an Item with `bound` and operator>, and
///   limit()              items above it are dropped; may fall
///   open(item)           whether the item may still contain a plan that counts
///   take(item, put)      solves it, or puts back parts with bounds no less than its own
///   report(bound, done)  reports progress; `done` is the share of items taken
///   drop(item)           notes that an item was pruned
/// Returns true if nothing is left. At any moment `bound` is a lower bound on what is left.
template <class Task>
bool searchBestFirst(Task& task, std::vector<typename Task::Item> items, Watch& watch, double& bound) {
  using Item = typename Task::Item;
  std::make_heap(items.begin(), items.end(), std::greater<>{});
  const auto put = [&items](Item item) {
    if (!(item.bound < std::numeric_limits<double>::infinity())) return;
    items.push_back(std::move(item));
    std::push_heap(items.begin(), items.end(), std::greater<>{});
  };
  const double begin = items.empty() ? 0 : items.front().bound, since = watch.seconds();
  ProgressEstimate headway;
  double left = 0, countedAt = -std::numeric_limits<double>::infinity();
  for (double taken = 0; !items.empty(); ++taken) {
    bound = std::max(bound, items.front().bound);
    if (watch.shouldStop()) return false;
    const double limit = task.limit();
    if (!(items.front().bound <= limit)) break;
    if (watch.reportDue()) {
      // The count is refreshed only once in a while: there can be millions of items, and reports are
      // frequent.
      if (taken - countedAt > static_cast<double>(items.size()) / 8) {
        left = static_cast<double>(
            std::count_if(items.begin(), items.end(), [&](const Item& i) { return i.bound <= limit; }));
        countedAt = taken;
      }
      // Items are split into more, so the count alone is optimistic; the gap between bound and limit shows
      // what is left.
      const double counted = taken / (taken + std::max(1.0, left - (taken - countedAt)));
      const double way = limit - begin;
      const bool told = way > 0 && way < std::numeric_limits<double>::infinity();
      task.report(bound, told ? std::min(counted, headway.at((limit - bound) / way, watch.seconds() - since))
                              : counted);
    }
    std::pop_heap(items.begin(), items.end(), std::greater<>{});
    const Item item = std::move(items.back());
    items.pop_back();
    if (!task.open(item))
      task.drop(item);
    else if (!task.take(item, put) || watch.poll())
      return false;
  }
  bound = items.empty() ? std::numeric_limits<double>::infinity() : std::max(bound, items.front().bound);
  for (const Item& item : items) task.drop(item);
  return true;
}

/// Whether a configuration whose best pipeline was as fast as the incumbent when it was found still is, and
/// has the number of devices and stages and the ZeRO stage of the incumbent.
template <class Found, class Lead>
bool isAmongTheFastest(const Found& f, const Lead& lead, double equal) {
  return f.time <= lead.time * (1 + equal) && f.devices == lead.devices && f.stages() == lead.stages &&
         f.zero == lead.zero;
}

}  // namespace nest::solver
