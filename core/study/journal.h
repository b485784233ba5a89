#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "solver/control.h"

namespace nest {

class JsonFields;

/// Of all rows every n-th, beginning with the i-th (1 ≤ i ≤ n).
struct Shard {
  int number = 1, of = 1;
  bool holds(std::size_t index) const {
    return index % static_cast<std::size_t>(of) == static_cast<std::size_t>(number - 1);
  }
  /// How many of `all` rows.
  std::size_t sizeOf(std::size_t all) const {
    const auto n = static_cast<std::size_t>(number), step = static_cast<std::size_t>(of);
    return all < n ? 0 : (all - n) / step + 1;
  }
};

/// Reads a journal of any length: a head line, then a row per line, appended as they were solved. `head` and
/// `row` get an object each and return whether it is one. Returns the bytes of the head and the whole rows;
/// behind them an interruption may have left a part of one, which a note says. `what`: "sweep".
Reading<std::uint64_t> readJournalLines(const std::string& path, const std::string& what,
                                        const std::function<bool(JsonFields&)>& head,
                                        const std::function<bool(JsonFields&)>& row);

/// Solves the rows of a shard that are not done, on several threads. `onRow` is called with each new row, one
/// call at a time, on a worker. Returns what is done, by index; stopped: what was finished until then.
template <class Row>
std::map<std::size_t, Row> runRows(
    std::size_t size, const Shard& shard, std::map<std::size_t, Row> rows, int threads,
    const std::function<Row(std::size_t)>& solve,
    const std::function<void(const Row&, std::size_t done, std::size_t all)>& onRow, const Control& control) {
  std::erase_if(rows, [&](const auto& r) { return r.first >= size || !shard.holds(r.first); });
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < size; ++i)
    if (shard.holds(i) && !rows.contains(i)) open.push_back(i);
  const std::size_t all = rows.size() + open.size();
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  const auto work = [&] {
    while (!control.shouldStop()) {
      const std::size_t k = next++;
      if (k >= open.size()) return;
      Row row = solve(open[k]);
      // A solve that was cut short is not what the row stands for; it is done again on resuming.
      if (control.shouldStop()) return;
      const std::lock_guard lock(mutex);
      const auto [at, isNew] = rows.emplace(open[k], std::move(row));
      if (onRow && isNew) onRow(at->second, rows.size(), all);
    }
  };
  std::vector<std::jthread> workers;
  const int most = static_cast<int>(std::clamp<std::size_t>(open.size(), 1, 1024));
  for (int t = 1; t < std::clamp(threads, 1, most); ++t) workers.emplace_back(work);
  work();
  workers.clear();
  return rows;
}

}  // namespace nest
