#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <map>
#include <set>

#include "cluster/levels/scale_up.h"
#include "evaluation/unsearched.h"
#include "fields/field.h"
#include "fields/field_text.h"
#include "program/program.h"
#include "schedule/pipeline_schedule.h"
#include "study/counterfactual.h"
#include "units/letters.h"
#include "units/numbering.h"
#include "units/text.h"

namespace nest {
namespace {

/// The schedule whose id or label a text begins with: "zb-h1", "1F1B", "DualPipeV"; and how much of it that
/// is.
std::pair<const PipelineSchedule*, std::size_t> scheduleAt(std::string_view text) {
  for (const PipelineSchedule* s : schedules())
    for (const std::string_view name : {s->id(), s->label()})
      if (text::lower(text.substr(0, name.size())) == text::lower(name)) return {s, name.size()};
  return {nullptr, 0};
}

/// Words, numbers, comparison signs and schedules.
std::vector<std::string> tokensOf(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    std::size_t j = i + 1;
    if (std::isspace(c) || c == '?') {
      i = j;
      continue;
    }
    if (const auto [schedule, length] = scheduleAt(text.substr(i)); schedule) {
      out.emplace_back(schedule->id());
      i += length;
      continue;
    }
    if (c == '<' || c == '>') {
      if (j < text.size() && text[j] == '=') ++j;
    } else if (std::isdigit(c)) {
      while (j < text.size() && std::isdigit(static_cast<unsigned char>(text[j]))) ++j;
    } else if (c != '=' && c != ',') {
      const auto inWord = [](unsigned char x) { return std::isalpha(x) || x == '_' || x >= 0x80; };
      while (j < text.size() && inWord(static_cast<unsigned char>(text[j]))) ++j;
    }
    out.push_back(text::lower(text.substr(i, j - i)));
    i = j;
  }
  return out;
}

/// The bound that a word asks for: "t", "tensor", "stages"; nullptr: it names none.
const Field* degreeCalled(std::string_view word) {
  for (const Field& f : fields()) {
    if (f.kind() != FieldKind::Bound || word.empty()) continue;
    const std::string names = ' ' + f.aliases + ' ';
    if (names.find(' ' + std::string(word) + ' ') != std::string::npos) return &f;
  }
  return nullptr;
}

/// "TP 4", "TP at most 4", but "4 devices", "at least 2 devices".
std::string phrase(const Field& degree, const std::string& sign, int value) {
  const bool counts = !degree.one.empty();
  const std::string bound = sign == "<="   ? "at most "
                            : sign == "<"  ? (counts ? "fewer than " : "less than ")
                            : sign == ">=" ? "at least "
                            : sign == ">"  ? "more than "
                                           : "";
  const std::string figure = bound + (counts ? text::count(value) : std::to_string(value));
  if (!counts) return degree.noun + ' ' + figure;
  return figure + ' ' + (value == 1 ? degree.one : degree.noun);
}

Bound boundOf(const Field& degree, const Constraints& c) {
  Setting s;
  s.constraints = c;
  return std::get<Bound>(degree.access.get(s, 0));
}

void setBound(const Field& degree, Constraints& c, const Bound& bound) {
  Setting s;
  s.constraints = std::move(c);
  degree.access.set(s, 0, bound);
  c = std::move(s.constraints);
}

class DemandReader {
public:
  DemandReader(const Problem& problem, const Plan& present, std::string_view text)
      : m_present(present), m_text(text), m_tokens(tokensOf(text)) {
    m_demand.problem = problem;
  }

  Reading<Demand> run() {
    if (take("why")) take("not");
    if (m_at == m_tokens.size()) fail("the question is empty");
    while (m_at < m_tokens.size() && m_diagnostics.empty()) {
      if (m_tokens[m_at] == "," || m_tokens[m_at] == "and") {
        ++m_at;
        continue;
      }
      one();
    }
    Constraints& c = m_demand.problem.constraints;
    if (m_namedStage > 0 && !c.stages.least && !c.stages.most) {
      // The stage is meant as it is now; one beyond the present plan's asks for more stages.
      if (m_namedStage <= m_present.stageCount()) {
        c.stages = {m_present.stageCount(), m_present.stageCount()};
        add("still " + std::to_string(m_present.stageCount()) +
            (m_present.stageCount() == 1 ? " stage" : " stages"));
      } else {
        c.stages.least = m_namedStage;
      }
    }
    if (!m_diagnostics.empty()) return {std::nullopt, std::move(m_diagnostics)};
    return {std::move(m_demand), {}};
  }

private:
  const std::string& peek() const {
    static const std::string none;
    return m_at < m_tokens.size() ? m_tokens[m_at] : none;
  }
  bool take(const char* word) {
    if (peek() != word) return false;
    ++m_at;
    return true;
  }
  std::optional<int> number() {
    int v = 0;
    const std::string& t = peek();
    const auto [end, ec] = std::from_chars(t.data(), t.data() + t.size(), v);
    if (t.empty() || ec == std::errc::invalid_argument || end != t.data() + t.size()) return std::nullopt;
    ++m_at;
    return ec == std::errc() ? v : std::numeric_limits<int>::max();  // more than there is of anything
  }
  void fail(std::string message, std::string remedy = {}) {
    if (remedy.empty())
      remedy =
          "ask for degrees (tp=4, pp<=8, dp 16, zero 3), \"fsdp\", \"layer 17 in stage 2\", \"cut at layer "
          "17\", "
          "\"recompute full in stage 3\" or a schedule (zb-h1)";
    m_diagnostics.push_back(
        error("demand", {std::string(m_text), 0, 0, {}}, std::move(message), std::move(remedy)));
  }
  void namedStage(int stage) { m_namedStage = std::max(m_namedStage, stage); }
  void add(std::string words) { m_demand.words += (m_demand.words.empty() ? "" : ", ") + std::move(words); }

  void one() {
    if (take("layer")) return layerInStage();
    if (take("recompute")) return recompute();
    if (take("no")) return take("cut") ? cut(false) : fail("only a cut can be refused");
    if (take("cut")) return cut(true);
    if (take("fsdp")) return asked(*degreeCalled("zero"), "=", 3);
    if (const PipelineSchedule* named = scheduleNamed(peek())) return scheduled(*named);
    const Field* known = degreeCalled(peek());
    if (!known) return fail("\"" + peek() + "\" is not understood");
    ++m_at;
    degree(*known);
  }

  void scheduled(const PipelineSchedule& schedule) {
    ++m_at;
    if (!schedule.isPlanned())
      return fail(std::string(schedule.label()) + " serves for comparison alone: plans do not run it");
    SearchOptions& search = m_demand.problem.search;
    search.schedules = {schedule.kind()};
    const auto takes = [&](int chunks) { return schedule.takesChunks(chunks); };
    if (schedule.fixedChunks() == 0 &&
        std::none_of(search.chunksPerStage.begin(), search.chunksPerStage.end(), takes))
      search.chunksPerStage = {schedule.takesChunks(1) ? 1 : 2};
    add("schedule " + std::string(schedule.label()));
  }

  void degree(const Field& degree) {
    std::string sign = "=";
    if (peek() == "=" || peek() == "<=" || peek() == ">=" || peek() == "<" || peek() == ">")
      sign = m_tokens[m_at++];
    const auto value = number();
    if (!value || *value > 1'000'000'000)
      return fail(degree.one.empty() ? degree.noun + " needs a whole number"
                                     : "give the number of " + degree.noun);
    asked(degree, sign, *value);
  }

  void asked(const Field& degree, const std::string& sign, int value) {
    Bound& range = m_asked[degree.key];
    if (sign[0] != '>') {
      const int most = value - (sign == "<" ? 1 : 0);
      range.most = std::min(range.most.value_or(most), most);
    }
    if (sign[0] != '<') {
      const int least = value + (sign == ">" ? 1 : 0);
      range.least = std::max(range.least.value_or(least), least);
    }
    if (range.least && range.most && *range.least > *range.most)
      return fail(phrase(degree, sign, value) + " conflicts with an earlier requirement",
                  "ask for one after the other");
    if (range.least.value_or(0) > degree.most || double(range.most.value_or(1 << 30)) < degree.least)
      return fail(phrase(degree, sign, value) + ": " + degree.noun + " must be " + rangeText(degree));
    if (const int all = m_demand.problem.cluster->deviceCount();
        degree.key == "/constraints/devices" && range.least.value_or(0) > all)
      return fail(phrase(degree, sign, value) + " are asked for, and the cluster has " + text::count(all),
                  "add devices to the cluster first");
    Bound bound = boundOf(degree, m_demand.problem.constraints);
    if (range.least) bound.least = range.least;
    if (range.most) bound.most = range.most;
    setBound(degree, m_demand.problem.constraints, bound);
    if (degree.key == "/constraints/shard") {
      // Any size may be asked about; without ZeRO nothing is sharded.
      m_demand.problem.search.shardGroups = ShardGroups::Every;
      Bound& zero = m_demand.problem.constraints.zero;
      zero.least = std::max(1, zero.least.value_or(1));
    }
    add(phrase(degree, sign, value));
    widen(degree, bound);
    searched(degree, bound, phrase(degree, sign, value));
  }

  /// The program that does not run such plans; empty: it does, or there is none.
  std::string refusing(const Field& degree, const Bound& bound) const {
    const Problem& p = m_demand.problem;
    for (const auto& [key, feature] : {std::pair("/constraints/context", PlanFeature::Context),
                                       {"/constraints/tensor", PlanFeature::Tensor},
                                       {"/constraints/chunks", PlanFeature::Interleaving},
                                       {"/constraints/stages", PlanFeature::Pipeline}})
      if (degree.key == key && bound.least.value_or(1) > 1 && !p.runs(feature))
        return p.program.program->name;
    if (degree.key == "/constraints/expert" && bound.least.value_or(1) > 1) return refusesExperts(p);
    if (degree.key != "/constraints/zero") return {};
    std::string name;
    for (int z = bound.least.value_or(0); z <= bound.most.value_or(3); ++z) {
      name = refusesZero(p, z);
      if (name.empty()) break;
    }
    return name;
  }

  /// Why a value is not searched, and where to allow it.
  std::pair<std::string, std::string> reasonFor(const Field& degree, const Bound& bound) const {
    const Problem& p = m_demand.problem;
    const SearchOptions& search = p.search;
    const bool runnable = search.preset == SearchPreset::Runnable;
    if (const std::string program = refusing(degree, bound); !program.empty())
      return {program + " does not run it",
              degree.key == "/constraints/zero" || degree.key == "/constraints/expert"
                  ? "choose another `program`"
                  : "`search.preset = free` to search it all the same"};
    const bool isWidth = degree.key == "/constraints/tensor" || degree.key == "/constraints/context" ||
                         degree.key == "/constraints/expert";
    if (const int all = p.cluster->deviceCount(); isWidth && bound.least.value_or(1) > all)
      return {"the cluster has " + text::count(all) + " devices", "ask for no more"};
    const int host = scaleUpSize(*p.cluster);
    if (degree.key == "/constraints/tensor" && runnable && bound.least.value_or(1) > host)
      return {
          "a " + scaleUpName(*p.cluster) + " has " + text::count(host) + (host == 1 ? " device" : " devices"),
          "`search.preset = free` to search TP across hosts"};
    if (p.isMeasured && (isWidth || degree.key == "/constraints/microbatch"))
      return {"the measured profile holds none", "ask for what it holds, or measure more"};
    if (degree.key == "/constraints/tensor")
      return {
          runnable ? "TP must divide a host and the attention heads" : "TP must divide the attention heads",
          runnable ? "`search.preset = free` to search other degrees" : "ask for one of these"};
    if (degree.key == "/constraints/context" && !p.couldSplitContext)
      return {"the model is more than a decoder with attention", "leave CP out"};
    if (degree.key == "/constraints/context")
      return {search.contextParallel ? "CP must divide the sequence" : "context parallelism is off",
              search.contextParallel ? "change `job.sequence_length`"
                                     : "`search.context_parallel = true` to search it"};
    if (degree.key == "/constraints/expert" && !hasExperts())
      return {"the model has no experts", "leave EP out"};
    if (degree.key == "/constraints/expert")
      return {search.expertParallel ? "EP must divide the model's experts" : "expert parallelism is off",
              search.expertParallel ? "choose a divisor" : "`search.expert_parallel = true` to search it"};
    if (degree.key == "/constraints/microbatch" && bound.least)
      return {"", "`job.microbatches += " + std::to_string(*bound.least) + "` to search it"};
    return {"", "ask for one of these"};
  }

  /// Numbers of chunks and ZeRO stages can be asked about whether or not they are searched.
  void widen(const Field& degree, const Bound& bound) {
    std::vector<int>* offered = degree.key == "/constraints/chunks" ? &m_demand.problem.search.chunksPerStage
                                : degree.key == "/constraints/zero" ? &m_demand.problem.search.zeroStages
                                                                    : nullptr;
    if (!offered || !refusing(degree, bound).empty() ||
        std::any_of(offered->begin(), offered->end(), [&](int v) { return bound.allows(v); }))
      return;
    offered->push_back(bound.least ? *bound.least : *bound.most);
    std::sort(offered->begin(), offered->end());
    auto& schedules = m_demand.problem.search.schedules;
    const bool isTaken = std::any_of(schedules.begin(), schedules.end(), [&](ScheduleKind k) {
      return scheduleOf(k).takesChunks(offered->back());
    });
    if (degree.key == "/constraints/chunks" && !isTaken)
      schedules.push_back(usualSchedule(bound.least ? *bound.least : *bound.most));
  }

  bool hasExperts() const {
    if (m_demand.problem.couldSplitExperts) return true;
    const Profile& profile = *m_demand.problem.profile;
    const auto& layers = m_demand.problem.graph->layers;
    return std::any_of(layers.begin(), layers.end(), [&](const Layer& l) {
      const LayerCost* cost = profile.cost(l.classId, 0, 0);
      return cost && cost->expertParameters > 0;
    });
  }

  /// What no strategy and no microbatch size has cannot be solved for; the answer is what is, and why.
  void searched(const Field& degree, const Bound& bound, const std::string& what) {
    std::set<int> values;
    const Profile& profile = *m_demand.problem.profile;
    for (const Strategy& s : profile.strategies()) {
      if (degree.key == "/constraints/tensor") values.insert(s.tensor);
      if (degree.key == "/constraints/context") values.insert(s.context);
      if (degree.key == "/constraints/expert") values.insert(s.expert);
    }
    if (degree.key == "/constraints/microbatch")
      values.insert(profile.microbatches().begin(), profile.microbatches().end());
    if (degree.key == "/constraints/chunks" && !m_demand.problem.runs(PlanFeature::Interleaving))
      values.insert(1);
    else if (degree.key == "/constraints/chunks")
      values.insert(m_demand.problem.search.chunksPerStage.begin(),
                    m_demand.problem.search.chunksPerStage.end());
    if (degree.key == "/constraints/zero")
      values.insert(m_demand.problem.search.zeroStages.begin(), m_demand.problem.search.zeroStages.end());
    if (degree.key == "/constraints/stages" && !m_demand.problem.runs(PlanFeature::Pipeline))
      values.insert(1);
    if (values.empty() || std::any_of(values.begin(), values.end(), [&](int v) { return bound.allows(v); }))
      return;
    std::string list;
    for (const int v : values) list += (list.empty() ? "" : ", ") + std::to_string(v);
    const auto [reason, remedy] = reasonFor(degree, bound);
    fail(what + " is not searched: " + (reason.empty() ? "" : reason + "; ") + degree.noun +
             (values.size() == 1 ? " is " : " can be ") + list,
         remedy);
  }

  std::optional<LayerIndex> layer() {
    const auto& layers = m_demand.problem.graph->layers;
    const std::size_t begin = m_at;
    if (const auto n = number()) {
      if (*n >= 1 && *n <= static_cast<int>(layers.size())) return LayerIndex(*n - 1);
      fail("layer " + std::to_string(*n) + " does not exist; layers are 1 to " +
           std::to_string(layers.size()));
      return std::nullopt;
    }
    // A name may have several words; the longest that fits is meant.
    std::string joined;
    std::optional<LayerIndex> found;
    for (std::size_t i = begin; i < m_tokens.size() && i < begin + 6; ++i) {
      joined += m_tokens[i];
      for (std::size_t x = 0; x < layers.size(); ++x) {
        std::string name = text::lower(layers[x].name);
        name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
        if (name != joined) continue;
        found = LayerIndex(static_cast<int>(x));
        m_at = i + 1;
      }
    }
    if (!found) fail("no layer is called \"" + peek() + "\"");
    return found;
  }

  void layerInStage() {
    const auto x = layer();
    if (!x) return;
    if (!take("in") || !take("stage"))
      return fail("a layer can be asked for in a stage: \"layer 17 in stage 2\"");
    const auto stage = number();
    if (!isStage(stage, "stages count from 1")) return;
    m_demand.problem.constraints.layerPins.push_back({*x, StageIndex(*stage - 1)});
    namedStage(*stage);
    add(text::layerName(*x) + " in " + text::stageName(StageIndex(*stage - 1)));
  }

  bool isStage(const std::optional<int>& stage, const char* otherwise) {
    const int layers = m_demand.problem.graph->layerCount();
    if (!stage || *stage < 1)
      fail(otherwise);
    else if (*stage > layers)
      fail("there can be no such stage: " + text::count(layers) +
           (layers == 1 ? " layer makes at most one stage" : " layers make at most as many stages"));
    else
      return true;
    return false;
  }

  void cut(bool required) {
    take("at");
    take("layer");
    const auto x = layer();
    if (!x) return;
    if (!required && x->value == 0 && m_demand.problem.graph->isChain())
      return fail(text::layerName(*x) + " begins stage 1 in every plan: a cut there cannot be refused");
    Constraints& c = m_demand.problem.constraints;
    (required ? c.requiredCuts : c.forbiddenCuts).push_back(*x);
    add(std::string(required ? "a cut" : "no cut") + " at " + text::layerName(*x));
  }

  void recompute() {
    take("=");
    std::optional<Recompute> policy;
    for (const Recompute r : {Recompute::None, Recompute::Selective, Recompute::Full})
      if (take(nameOf(r))) policy = r;
    if (!policy) return fail("recompute is none, selective or full");
    if (take("in")) {
      const auto stage = take("stage") ? number() : std::nullopt;
      if (!isStage(stage, "stages count from 1: \"recompute full in stage 3\"")) return;
      m_demand.problem.constraints.stagePins.push_back({StageIndex(*stage - 1), policy, std::nullopt});
      namedStage(*stage);
      return add(std::string("recompute ") + nameOf(*policy) + " in " +
                 text::stageName(StageIndex(*stage - 1)));
    }
    m_demand.problem.search.recompute.fill(false);
    m_demand.problem.search.recompute[*policy] = true;
    add(std::string("recompute ") + nameOf(*policy) + " in every stage");
  }

  const Plan& m_present;
  std::string_view m_text;
  std::vector<std::string> m_tokens;
  std::size_t m_at = 0;
  int m_namedStage = 0;                  ///< largest stage number that the text names
  std::map<std::string, Bound> m_asked;  ///< of each degree, by this text alone
  Demand m_demand;
  Diagnostics m_diagnostics;
};

}  // namespace

Reading<Demand> readDemand(const Problem& problem, const Plan& present, std::string_view text) {
  return DemandReader(problem, present, text).run();
}

}  // namespace nest
