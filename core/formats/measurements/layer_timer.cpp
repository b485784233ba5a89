#include "formats/measurements/layer_timer.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "text/counted_names.h"
#include "units/text.h"

namespace nest {
namespace {

using Event = TraceEvent;
using Kind = TraceEventKind;

/// Intervals of one thread, sorted by begin; of those that hold a moment the innermost.
class Spans {
public:
  void add(double begin, double end, int what) { m_all.push_back({begin, end, what}); }
  void sort() {
    std::sort(m_all.begin(), m_all.end(), [](const Span& a, const Span& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    // The nearest one before that ends later holds each.
    std::vector<int> open;
    for (std::size_t i = 0; i < m_all.size(); ++i) {
      while (!open.empty() && m_all[open.back()].end < m_all[i].end) open.pop_back();
      m_all[i].outer = open.empty() ? -1 : open.back();
      open.push_back(static_cast<int>(i));
    }
  }
  /// −1: none.
  int at(double moment) const {
    const auto after = std::upper_bound(m_all.begin(), m_all.end(), moment,
                                        [](double m, const Span& s) { return m < s.begin; });
    int i = static_cast<int>(after - m_all.begin()) - 1;
    while (i >= 0 && m_all[i].end < moment) i = m_all[i].outer;
    return i < 0 ? -1 : m_all[i].what;
  }

private:
  struct Span {
    double begin, end;
    int what;
    int outer = -1;
  };
  std::vector<Span> m_all;
};

/// Kernel → launch → annotation in the forward pass; kernel → launch → task of the autograd engine → forward
/// operator → annotation in the backward pass, or → annotation of that pass. What is computed again inside a
/// task counts for neither.
class LayerTimer {
public:
  explicit LayerTimer(const TraceEvents& trace) : m_trace(trace) {}

  LayerTimes run() {
    chooseAnnotation();
    LayerTimes out;
    out.annotation = m_base;
    if (m_base.empty()) return out;
    placeSpans();
    placeOperators();
    std::unordered_map<long long, double> kernels;
    for (const Event& e : m_trace.events)
      if (e.kind == Kind::Kernel) {
        m_total += e.end - e.begin;
        if (e.correlation >= 0) kernels[e.correlation] += e.end - e.begin;
      }
    std::map<int, std::array<double, 2>> sums;
    for (const Event& e : m_trace.events) {
      if (e.kind != Kind::Launch) continue;
      const auto kernel = kernels.find(e.correlation);
      if (kernel == kernels.end()) continue;
      const int layer = in(m_layers, e), task = in(m_tasks, e), named = in(m_backward, e);
      if (task < 0 && named < 0 && layer >= 0) {
        sums[layer][0] += kernel->second;
        m_used += kernel->second;
      } else if (layer < 0 && in(m_again, e) < 0) {
        if (const int known = task >= 0 ? layerOfTask(task) : -1, of = known >= 0 ? known : named; of >= 0) {
          sums[of][1] += kernel->second;
          m_used += kernel->second;
        }
      }
      kernels.erase(kernel);
    }
    for (const auto& [number, us] : sums)
      if (const auto it = m_passes.find(number); it != m_passes.end() && us[0] > 0)
        out.layers.push_back({m_base == m_trace.unnumbered ? -1 : number, Seconds(us[0] * 1e-6 / it->second),
                              Seconds(us[1] * 1e-6 / it->second), it->second});
    return out;
  }

  /// What else the trace holds, in words; empty: nothing.
  std::string unused() const {
    std::string out;
    if (m_total - m_used > 0.005 * m_total)
      out = text::percent((m_total - m_used) / m_total) +
            " of the kernels' time, which is of no layer or computed again";
    if (!m_others.empty())
      out += (out.empty() ? "" : ", and ") + std::string("the annotations ") + countedNames(m_others);
    return out;
  }

private:
  /// Of the annotations with numbers the one with the most numbers; of equals the longest, which holds the
  /// others.
  void chooseAnnotation() {
    struct Seen {
      std::map<int, int> numbers;
      double time = 0;
    };
    std::map<std::string, Seen> seen;
    for (const Event& e : m_trace.events) {
      if (e.kind != Kind::Annotation) continue;
      const auto name = layerNameIn(e.name);
      Seen& s = seen[name->base];
      ++s.numbers[name->number];
      s.time += e.end - e.begin;
    }
    const Seen* best = nullptr;
    for (const auto& [base, s] : seen)
      if (!best || std::pair(s.numbers.size(), s.time) > std::pair(best->numbers.size(), best->time)) {
        best = &s;
        m_base = base;
      }
    for (const auto& [base, s] : seen)
      if (base != m_base)
        for (const auto& [number, count] : s.numbers) m_others[base] += count;
  }

  using ByThread = std::map<int, Spans>;
  /// What holds the begin of an event on its own thread; −1: nothing.
  static int in(const ByThread& all, const Event& e) {
    const auto it = all.find(e.thread);
    return it == all.end() ? -1 : it->second.at(e.begin);
  }
  static void sort(ByThread& all) {
    for (auto& [thread, spans] : all) spans.sort();
  }
  static bool isForward(const Event& e) {
    return e.kind == Kind::Operator && !e.isTask && e.forwardThread == 0;
  }

  void placeSpans() {
    for (std::size_t i = 0; i < m_trace.events.size(); ++i) {
      const Event& e = m_trace.events[i];
      if (!e.isTask) continue;
      m_tasks[e.thread].add(e.begin, e.end, static_cast<int>(i));
      m_firstThread = std::min(m_firstThread, e.forwardThread);
      m_lastThread = std::max(m_lastThread, e.forwardThread);
    }
    sort(m_tasks);
    for (const Event& e : m_trace.events) {
      if (e.kind == Kind::Annotation) {
        const auto name = layerNameIn(e.name);
        if (name->base != m_base) continue;
        (name->isBackward ? m_backward : m_layers)[e.thread].add(e.begin, e.end, name->number);
        if (!name->isBackward && in(m_tasks, e) < 0) ++m_passes[name->number];
      } else if (isForward(e) && in(m_tasks, e) >= 0) {
        m_again[e.thread].add(e.begin, e.end, 0);
      }
    }
    sort(m_layers);
    sort(m_backward);
    sort(m_again);
  }

  /// Each thread counts its own operators: those of the forward pass, and those that are computed again on
  /// the thread of the backward pass, where that is another.
  using Key = std::tuple<int, bool, long long>;
  Key keyOfTask(const Event& task) const {
    return {task.process, task.forwardThread != m_firstThread, task.sequence};
  }
  int layerOfTask(int task) const {
    const auto it = m_layerOf.find(keyOfTask(m_trace.events[task]));
    return it == m_layerOf.end() ? -1 : it->second;
  }
  void placeOperators() {
    for (const bool isAgain : {false, true})
      for (const Event& e : m_trace.events) {
        if (!isForward(e)) continue;
        const int task = in(m_tasks, e);
        if ((task >= 0) != isAgain) continue;
        int layer = in(m_layers, e);
        if (layer < 0 && isAgain) layer = layerOfTask(task);
        if (layer < 0) continue;
        // Without tasks of a second thread what is computed again leaves none behind (checkpoints that are
        // not reentrant), and its numbers may be those of the forward pass.
        const bool isApart = m_lastThread > m_firstThread;
        const auto [it, isNew] = m_layerOf.emplace(Key{e.process, isAgain && isApart, e.sequence}, layer);
        if (!isNew && (!isAgain || isApart)) it->second = layer;
      }
  }

  const TraceEvents& m_trace;
  std::string m_base;
  std::map<std::string, int> m_others;  ///< annotations of other names
  double m_total = 0, m_used = 0;       ///< of kernels, µs
  std::map<int, int> m_passes;          ///< forward, by number
  ByThread m_layers, m_backward, m_tasks, m_again;
  std::map<Key, int> m_layerOf;
  long long m_firstThread = 1LL << 60, m_lastThread = -1;
};

}  // namespace

std::optional<Measurement> layerTimesOf(const TraceEvents& trace, SourceText& source,
                                        const ProfilingAdvice& advice) {
  const auto fail = [&](const char* code, std::string message, std::string_view remedy) {
    source.error(source.whole(), code, std::move(message), std::string(remedy));
    return std::nullopt;
  };
  const auto has = [&](Kind k) {
    return std::any_of(trace.events.begin(), trace.events.end(), [k](const Event& e) { return e.kind == k; });
  };
  if (!has(Kind::Kernel))
    return fail("trace-no-kernels", "the trace holds no kernels of a GPU", advice.kernels);
  if (!has(Kind::Annotation))
    return fail("trace-no-layers", "no annotation of the trace names layers", advice.layers);
  LayerTimer timer(trace);
  LayerTimes times = timer.run();
  times.device = trace.device;
  if (times.layers.empty())
    return fail("trace-no-launches", "no kernel was launched inside an annotation of " + times.annotation,
                advice.launches);
  if (std::all_of(times.layers.begin(), times.layers.end(),
                  [](const auto& l) { return !(l.backward > Seconds(0)); }))
    return fail("trace-no-backward", "no kernel of the backward pass belongs to an annotated layer",
                advice.backward);
  if (const std::string unused = timer.unused(); !unused.empty())
    source.note(source.whole(), "trace-unused", "not used: " + unused);
  return Measurement{std::move(times)};
}

}  // namespace nest
