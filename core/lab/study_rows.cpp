#include "lab/study_rows.h"

#include <nlohmann/json.hpp>

#include "formats/results/plan_json.h"
#include "formats/scenario/scenario_json.h"
#include "lab/lab_report.h"
#include "problem/device_count.h"
#include "study/study_report.h"
#include "text/json_fields.h"
#include "text/json_layout.h"
#include "text/text_hash.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;

/// Not laid out: a line of a journal.
std::string lineOf(const Json& j) {
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string listed(const char* format, const char* what, const std::vector<std::string>& rows) {
  Json all = Json::array();
  for (const std::string& row : rows)
    if (Json j = Json::parse(row, nullptr, false); j.is_object() && !j.empty()) all.push_back(std::move(j));
  return layOut({{"format", format}, {"version", 1}, {what, std::move(all)}});
}

class RowsOfPaper : public StudyRows {
public:
  RowsOfPaper(PaperOptions options, std::string published)
      : m_published(std::move(published)), m_options(std::move(options)) {}
  std::string name() const override { return "paper"; }
  std::size_t size() const override { return paperRowCount(m_options); }
  std::string key() const override {
    std::string all = m_published + '\n' + std::to_string(m_options.baselines.seed);
    for (const auto* counts : {&m_options.treeDevices, &m_options.leafDevices}) {
      all += '\n';
      for (const int n : *counts) all += std::to_string(n) + ' ';
    }
    for (const std::string& m : m_options.models) all += '\n' + m;
    return hashOf(all);
  }
  std::string solve(std::size_t index, const Control& control) const override {
    return lineOf(report::paperJson({paperRow(m_options, index, control)}).front());
  }
  std::string whole(const std::vector<std::string>& rows) const override {
    return listed("nest-paper-study", "rows", rows);
  }

private:
  std::string m_published;  ///< text of the tables
  PaperOptions m_options;
};

class RowsOfScaling : public StudyRows {
public:
  RowsOfScaling(Scenario scenario, Problem problem, std::vector<int> counts)
      : m_problem(std::move(problem)), m_counts(std::move(counts)) {
    scenario.model.reference.clear();  // what the model's file holds counts, not its name
    m_scenario = writeScenario(scenario);
  }
  std::string name() const override { return "scaling"; }
  std::size_t size() const override { return m_counts.size(); }
  std::string key() const override {
    std::string all = m_scenario;
    for (const int n : m_counts) all += ' ' + std::to_string(n);
    return hashOf(all);
  }
  std::string solve(std::size_t index, const Control& control) const override {
    const ScalingPoint p = scalingPoint(m_problem, m_counts[index], control);
    Json j{{"point", report::scalingJson({p}).front()}};
    if (const RankedPlan* best = p.outcome.best()) j["plan"] = Json::parse(writePlan(best->plan));
    return lineOf(j);
  }
  /// Efficiency and changes are relative to other points: they come last, from plans costed again.
  std::string whole(const std::vector<std::string>& rows) const override {
    std::vector<ScalingPoint> curve;
    std::vector<Json> points;
    for (const std::string& row : rows) {
      const Json j = Json::parse(row, nullptr, false);
      ScalingPoint p;
      p.devices = m_counts[curve.size()];
      if (j.contains("plan"))
        if (auto plan = readPlan(j["plan"].dump(), "journal")) {
          const Problem sized = withDeviceCount(m_problem, p.devices);
          const Evaluation e = evaluate(sized, *plan);
          p.samplesPerSecond = e.globalBatch / e.batchTime.value();
          p.outcome.plans.push_back({std::move(*plan), e, {}});
        }
      curve.push_back(std::move(p));
      points.push_back(j.contains("point") ? j["point"] : Json::object());
    }
    compareScalingPoints(m_problem, curve);
    std::vector<std::string> out;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (curve[i].outcome.best()) points[i]["efficiency"] = curve[i].efficiency;
      if (curve[i].change) points[i]["difference"] = report::diffJson(*curve[i].change);
      out.push_back(lineOf(points[i]));
    }
    return listed("nest-scaling", "points", out);
  }

private:
  Problem m_problem;
  std::vector<int> m_counts;
  std::string m_scenario;
};

class RowsOfPeers : public StudyRows {
public:
  RowsOfPeers(PeerSetting setting, std::vector<PeerOptimum> optima, PeerStudyOptions options,
              const std::string& texts)
      : m_setting(std::move(setting)),
        m_optima(std::move(optima)),
        m_options(options),
        m_key(hashOf(texts + (options.strategyPerStage ? '1' : '0') +
                     std::to_string(options.secondsPerVariant))) {}
  std::string name() const override { return "piper"; }
  std::size_t size() const override { return m_optima.size(); }
  std::string key() const override { return m_key; }
  std::string solve(std::size_t index, const Control& control) const override {
    const auto row = peerRow(m_setting, m_optima[index], m_options, control);
    return row ? lineOf(report::peerJson({*row}).front()) : "{}";
  }
  std::string whole(const std::vector<std::string>& rows) const override {
    return listed("nest-piper-study", "rows", rows);
  }

private:
  PeerSetting m_setting;
  std::vector<PeerOptimum> m_optima;
  PeerStudyOptions m_options;
  std::string m_key;
};

}  // namespace

std::unique_ptr<StudyRows> rowsOfPaper(PaperOptions options, std::string published) {
  return std::make_unique<RowsOfPaper>(std::move(options), std::move(published));
}
std::unique_ptr<StudyRows> rowsOfScaling(const Scenario& scenario, Problem problem, std::vector<int> counts) {
  return std::make_unique<RowsOfScaling>(scenario, std::move(problem), std::move(counts));
}
std::unique_ptr<StudyRows> rowsOfPeers(PeerSetting setting, std::vector<PeerOptimum> optima,
                                       PeerStudyOptions options, const std::string& texts) {
  return std::make_unique<RowsOfPeers>(std::move(setting), std::move(optima), options, texts);
}

std::string journalHead(const StudyRows& study) {
  return lineOf({{"format", "nest-study"},
                 {"version", 1},
                 {"study", study.name()},
                 {"key", study.key()},
                 {"size", study.size()}}) +
         '\n';
}

std::string journalLine(std::size_t index, const std::string& row) {
  // As a text: the order of its keys is that in which they are printed.
  return lineOf({{"index", index}, {"row", row}}) + '\n';
}

Reading<StudyJournal> readStudyJournal(const StudyRows& study, const std::string& path) {
  StudyJournal out;
  bool isOther = false;
  auto read = readJournalLines(
      path, "study",
      [&](JsonFields& f) {
        if (f.string("format").value_or("") != "nest-study") return false;
        isOther =
            f.string("study").value_or("") != study.name() || f.string("key").value_or("") != study.key();
        return true;
      },
      [&](JsonFields& f) {
        const auto index = f.integer("index", 0, 1'000'000);
        auto row = f.string("row");
        const bool isOne = index && row;
        if (isOne && static_cast<std::size_t>(*index) < study.size()) out.rows[*index] = std::move(*row);
        return isOne;
      });
  if (!read) return {std::nullopt, std::move(read.diagnostics)};
  if (isOther)
    return {std::nullopt,
            {error("study-different", {path, 1, 0, ""}, "this journal is of another study",
                   "give another -o, or --restart to start over")}};
  out.bytes = *read;
  return {std::move(out), std::move(read.diagnostics)};
}

}  // namespace nest
