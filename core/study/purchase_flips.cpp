#include "study/purchase_flips.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <thread>

#include "fields/field.h"
#include "fields/field_text.h"
#include "study/failure_answers.h"
#include "study/quiet_solve.h"
#include "units/at.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr double kMostFactor = 16;  ///< by which a field moves in search of a flip
constexpr int kSteps = 8;           ///< on either side
constexpr double kFlipDigits = 1e-3;

/// Which offer is best for a job when a field of all its cells stands at a value.
class FlipOfChoice {
public:
  FlipOfChoice(const PurchaseGrid& grid, PurchaseMeasure measure, int job, std::string_view field,
               const Control& control)
      : m_grid(grid), m_measure(measure), m_job(job), m_field(field), m_control(control) {}

  /// In SI units, of the first offer that has the field.
  std::optional<double> now() {
    for (int k = 0; k < m_grid.clusters(); ++k)
      if (const auto s = m_grid.scenarioOf(m_job, k))
        if (const auto f = fieldAt(*s, m_field); f && f->field->isNumeric())
          if (const auto v = numberOf(*s, *f)) {
            m_least = f->field->least, m_most = f->field->most;
            m_isWhole = f->field->access.measure == Measure::Count;
            return v;
          }
    return std::nullopt;
  }

  std::optional<PurchaseFlip> towards(double from, int before, bool up) {
    double same = from;
    for (int i = 1; i <= kSteps && !studyStopped(m_control); ++i) {
      const double factor = std::pow(kMostFactor, double(i) / kSteps);
      double there = std::clamp(up ? from * factor : from / factor, m_least, m_most);
      if (m_isWhole) there = std::round(there);
      if (there == same) continue;
      const int best = bestAt(there);
      if (best < 0) return std::nullopt;
      if (best == before) {
        same = there;
        continue;
      }
      int after = best;
      while (std::abs(there / same - 1) > kFlipDigits && !studyStopped(m_control)) {
        double middle = std::sqrt(there * same);
        if (m_isWhole) middle = std::round(middle);
        if (middle == there || middle == same) break;
        const int then = bestAt(middle);
        if (then < 0) return std::nullopt;
        if (then == before)
          same = middle;
        else
          there = middle, after = then;
      }
      return PurchaseFlip{m_job, std::string(m_field), from, there, before, after, textOf(there)};
    }
    return std::nullopt;
  }

private:
  int bestAt(double value) {
    PurchaseMatrix one;
    one.measure = m_measure;
    for (int k = 0; k < m_grid.clusters(); ++k) {
      auto s = m_grid.scenarioOf(m_job, k);
      PurchaseCell cell;
      if (s) {
        if (const auto f = fieldAt(*s, m_field)) setNumber(*s, *f, value);
        cell = solvedCell(std::move(*s), m_measure, m_control);
      }
      cell.job = 0, cell.cluster = k;
      one.cells.push_back(std::move(cell));
    }
    return choicesOf(one, 1, m_grid.clusters()).front().best;
  }

  std::string textOf(double value) {
    const auto s = m_grid.scenarioOf(m_job, 0);
    const auto f = s ? fieldAt(*s, m_field) : std::nullopt;
    return f ? numberText(*s, *f, value) : text::number(value);
  }

  const PurchaseGrid& m_grid;
  PurchaseMeasure m_measure;
  int m_job;
  std::string_view m_field;
  const Control& m_control;
  double m_least = 0, m_most = 0;
  bool m_isWhole = false;
};

}  // namespace

std::vector<PurchaseFlip> flipsOf(const PurchaseGrid& grid, const PurchaseMatrix& matrix,
                                  std::string_view field, const Control& control) {
  std::vector<PurchaseFlip> out;
  for (const PurchaseChoice& c : matrix.choices) {
    if (c.best < 0) continue;
    FlipOfChoice search(grid, matrix.measure, c.job, field, control);
    const auto from = search.now();
    if (!from || !(*from > 0)) continue;
    for (const bool up : {false, true})
      if (auto flip = search.towards(*from, c.best, up)) out.push_back(std::move(*flip));
  }
  return out;
}

std::vector<PurchaseDeadline> deadlinesOf(const PurchaseMatrix& m, int jobs, int clusters) {
  std::vector<PurchaseDeadline> out;
  if (m.measure == PurchaseMeasure::Days) return out;
  for (int job = 0; job < jobs; ++job) {
    int now = m.choices[at(job)].best;
    while (now >= 0 && m.cell(job, now, clusters).days) {
      const PurchaseCell& slow = m.cell(job, now, clusters);
      const auto later = [&](int k) { return !(m.cell(job, k, clusters).days < slow.days); };
      int after = -1;
      for (int k = 0; k < clusters; ++k) {
        const PurchaseCell& c = m.cell(job, k, clusters);
        if (!c.days || !c.value(m.measure) || later(k)) continue;
        if (after < 0 || *c.value(m.measure) < *m.cell(job, after, clusters).value(m.measure)) after = k;
      }
      if (after >= 0) {
        const PurchaseCell& c = m.cell(job, after, clusters);
        out.push_back({job, *slow.days, now, after, isTooClose(slow, *slow.days, c, *c.days)});
      }
      now = after;
    }
  }
  return out;
}

namespace {

/// The most hosts of a cell with which its value is larger than another; 0: no number does; nullopt: stopped.
std::optional<int> mostHostsBeyond(double other, const Scenario& cell, int host, int all,
                                   PurchaseMeasure measure, const Control& control) {
  int flipped = 0, kept = all;
  while (kept - flipped > 1) {
    const int hosts = (flipped + kept) / 2;
    Scenario fewer = cell;
    std::optional<int>& most = fewer.constraints.devices.most;
    most = std::min(most.value_or(hosts * host), hosts * host);
    const auto value = solvedCell(std::move(fewer), measure, control).value(measure);
    if (studyStopped(control)) return std::nullopt;
    (value && *value <= other ? kept : flipped) = hosts;
  }
  return flipped;
}

std::optional<PurchaseShortfall> shortfallOf(const PurchaseGrid& grid, const PurchaseMatrix& m,
                                             const PurchaseChoice& choice, const Control& control) {
  if (choice.best < 0 || !choice.next) return std::nullopt;
  const double other = *m.cell(choice.job, *choice.next, grid.clusters()).value(m.measure);
  const auto scenario = grid.scenarioOf(choice.job, choice.best);
  const auto problem = scenario ? buildProblem(*scenario) : Reading<Problem>();
  if (!problem) return std::nullopt;
  PurchaseShortfall out;
  const int host = problem->cluster->largestGroupSize(0);
  out.job = choice.job, out.before = choice.best, out.after = *choice.next;
  out.ofHosts = (problem->cluster->deviceCount() + host - 1) / host;
  Scenario cell = *scenario;
  const auto found = mostHostsBeyond(other, cell, host, out.ofHosts, m.measure, control);
  if (!found || *found == 0) return std::nullopt;
  out.hosts = *found;
  if (cell.job.batchTolerance >= kOtherBatch) return out;
  cell.job.batchTolerance = kOtherBatch;
  out.otherBatchHosts = mostHostsBeyond(other, cell, host, out.ofHosts, m.measure, control);
  return out;
}

}  // namespace

std::vector<PurchaseShortfall> shortfallsOf(const PurchaseGrid& grid, const PurchaseMatrix& m, int threads,
                                            const Control& control) {
  std::vector<std::optional<PurchaseShortfall>> found(m.choices.size());
  std::atomic<std::size_t> next = 0;
  std::mutex reporting;
  std::size_t done = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < found.size() && !studyStopped(control); i = next++) {
      found[i] = shortfallOf(grid, m, m.choices[i], control);
      const std::scoped_lock lock(reporting);
      reportStudy(control, "Fewer hosts", ++done, found.size());
    }
  };
  std::vector<std::jthread> others;
  for (int k = 1; k < std::min(threads, static_cast<int>(found.size())); ++k) others.emplace_back(work);
  work();
  others.clear();
  std::vector<PurchaseShortfall> out;
  for (const auto& one : found)
    if (one) out.push_back(*one);
  return out;
}

}  // namespace nest
