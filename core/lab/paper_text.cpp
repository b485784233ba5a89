#include <fmt/format.h>

#include <algorithm>

#include "lab/paper.h"
#include "units/text.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

constexpr BaselineKind kShown[] = {BaselineKind::RandomWalk, BaselineKind::NetworkUnaware,
                                   BaselineKind::MemoryUnaware, BaselineKind::EqualSplit};

std::string cell(const std::optional<double>& v) {
  return v ? text::number(*v) : "–";
}

std::string published(const PublishedRatios& all, const char* method) {
  const auto it = all.find(method);
  return it == all.end() ? "" : text::number(it->second);
}

/// Pads by characters, not bytes: names and dashes are not all ASCII.
std::string padded(const std::string& s, std::size_t width) {
  std::size_t shown = 0;
  for (const char c : s) shown += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return shown < width ? s + std::string(width - shown, ' ') : s;
}

}  // namespace

std::string paperTable(const std::vector<PaperRow>& rows) {
  const bool hasPublished =
      std::any_of(rows.begin(), rows.end(), [](const PaperRow& r) { return !r.published.empty(); });
  std::string out =
      "Throughput relative to Manual, whose column is its step time; all plans are costed with the same "
      "model.\n";
  if (hasPublished) out += "In brackets: the ratios that the paper's artifact publishes.\n";
  out += '\n';
  const auto line = [&](std::initializer_list<std::string> cells) {
    const std::size_t widths[] = {21, 14, 9, 14, 14, 17, 16, 13, 15, 40};
    std::size_t i = 0;
    std::string text;
    for (const std::string& c : cells) text += padded(c, widths[i++]);
    while (!text.empty() && text.back() == ' ') text.pop_back();
    out += text + "\n";
  };
  line({"cluster", "model", "devices", "Manual", "MCMC", "Network-unaware", "Memory-unaware", "Equal split",
        "NEST Explorer", "plan"});
  const auto both = [](const std::string& ours, const std::string& theirs) {
    return theirs.empty() ? ours : ours + " [" + theirs + "]";
  };
  for (const PaperRow& r : rows) {
    const BaselineResult* manual = r.baseline(BaselineKind::Manual);
    const RankedPlan* best = r.exact.best();
    line({r.cluster, r.model, text::count(r.devices),
          !manual          ? "–"
          : manual->runs() ? text::time(manual->plan->evaluation.batchTime)
                           : words::obstacleTo(*manual),
          both(cell(r.ratio(BaselineKind::RandomWalk)), published(r.published, "MCMC")),
          both(cell(r.ratio(BaselineKind::NetworkUnaware)), published(r.published, "Phaze")),
          both(cell(r.ratio(BaselineKind::MemoryUnaware)), published(r.published, "Alpa-E")),
          cell(r.ratio(BaselineKind::EqualSplit)), both(cell(r.exactRatio()), published(r.published, "NEST")),
          best ? summaryOf(best->plan) : words::of(r.exact)});
  }
  out += "\n\"–\": the plan does not fit, or Manual does not, or the search was stopped.\n";
  if (!hasPublished) return out;
  out +=
      "\nWhy they differ: the artifact hands its evaluator the baselines' stages in reverse order, so that "
      "their last layers pay recompute and the\n"
      "most activations; with the order repaired most of its speed-up goes. It adds compute in milliseconds "
      "to transfers in seconds, prices the first\n"
      "boundary at level 0 wherever it lies, charges recompute as backward, and exchanges only the first "
      "stage's gradients. Its tensor degree is\n"
      "fixed per model; here every method may choose.\n";
  return out;
}

std::string paperCsv(const std::vector<PaperRow>& rows) {
  std::string out = "cluster,model,devices,status,batch_time_s,plan,manual_batch_time_s,ratio_exact";
  for (const BaselineKind k : kShown) out += fmt::format(",ratio_{}", nameOf(k));
  out += ",published_mcmc,published_phaze,published_alpa_e,published_nest\n";
  const auto exact = [](const std::optional<double>& v) { return v ? text::exact(*v) : std::string(); };
  for (const PaperRow& r : rows) {
    const RankedPlan* best = r.exact.best();
    const BaselineResult* manual = r.baseline(BaselineKind::Manual);
    out += fmt::format(
        "{},{},{},{},{},\"{}\",{},{}", r.cluster, r.model, r.devices, nameOf(r.exact.status),
        best ? text::exact(best->evaluation.batchTime.value()) : "", best ? summaryOf(best->plan) : "",
        manual && manual->runs() ? text::exact(manual->plan->evaluation.batchTime.value()) : "",
        exact(r.exactRatio()));
    for (const BaselineKind k : kShown) out += "," + exact(r.ratio(k));
    for (const char* method : {"MCMC", "Phaze", "Alpa-E", "NEST"}) {
      const auto it = r.published.find(method);
      out += "," + (it == r.published.end() ? std::string() : text::exact(it->second));
    }
    out += "\n";
  }
  return out;
}

}  // namespace nest
