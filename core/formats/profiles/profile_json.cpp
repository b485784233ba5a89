#include "formats/profiles/profile_json.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "formats/format.h"
#include "text/json_fields.h"
#include "units/at.h"

namespace nest {
namespace {

using nlohmann::json;
constexpr double kMostOfProfile = 1e18;
constexpr int kMostProfileLayers = 16'384, kMostStrategies = 1024, kMostMicrobatches = 256;

template <class E, std::size_t N>
std::optional<E> named(const std::optional<std::string>& name, const std::array<E, N>& all) {
  for (const E e : all)
    if (name && *name == nameOf(e)) return e;
  return std::nullopt;
}
constexpr std::array kKinds = {LayerKind::Embedding, LayerKind::Block, LayerKind::Norm, LayerKind::Head,
                               LayerKind::Other};
constexpr std::array kCollectives = {CollectiveKind::AllReduce, CollectiveKind::AllGather,
                                     CollectiveKind::ReduceScatter, CollectiveKind::AllToAll,
                                     CollectiveKind::RingExchange};
constexpr std::array kGroups = {GroupKind::Tensor, GroupKind::Context, GroupKind::Expert};
constexpr std::array kPhases = {Phase::Forward, Phase::Backward, Phase::RecomputeSelective,
                                Phase::RecomputeFull};
constexpr std::array kOrigins = {Origin::Typed, Origin::Measured, Origin::Estimated, Origin::Catalog};
constexpr std::array kPolicies = {Recompute::None, Recompute::Selective, Recompute::Full};

Strategy strategyIn(JsonFields& f) {
  Strategy s;
  s.tensor = static_cast<int>(f.integer("tensor", 1, 1'000'000).value_or(1));
  s.sequence = f.boolean("sequence").value_or(false);
  s.context = static_cast<int>(f.integer("context", 1, 1'000'000).value_or(1));
  s.expert = static_cast<int>(f.integer("expert", 1, 1'000'000).value_or(1));
  s.foldedExperts = f.boolean("folded_experts").value_or(false);
  return s;
}

/// One row of the table.
struct Row {
  int classId = 0, microbatch = 1;
  Strategy strategy;
  LayerCost cost;
  double outputBytes = 0;
  std::string pointer;
};

class ProfileReader {
public:
  ProfileReader(const JsonText& text, Diagnostics& out)
      : m_text(text), m_out(out), m_top(text, text.root(), "", out) {}

  std::optional<ImportedProfile> run() {
    m_top.oneOf("format", {"nest-profile"});
    m_top.integer("version", 1, 1);
    m_top.requireKey("layers", "the layers in order");
    m_top.requireKey("costs", "one row for each class, strategy and microbatch size");
    readLayers();
    readRows();
    if (hasErrors(m_out)) return std::nullopt;
    readAxes();
    readEdges();
    checkClasses();
    if (hasErrors(m_out)) return std::nullopt;
    Profile profile(m_strategies, m_microbatches, m_graph.classCount,
                    static_cast<int>(m_graph.tensors.size()));
    fill(profile);
    readTied(profile);
    profile.provenance = m_top.string("provenance").value_or("Measured, from " + m_text.file());
    ImportedProfile result;
    result.name = m_top.string("name").value_or("");
    if (const auto sequence = m_top.integer("sequence_length", 1, 100'000'000)) {
      Job job;
      job.sequenceLength = static_cast<int>(*sequence);
      job.microbatches = m_microbatches;
      result.job = job;
      result.tellsSequence = true;
    }
    m_top.reportUnknown(Severity::Warning);
    result.graph = std::move(m_graph);
    result.profile = std::move(profile);
    return result;
  }

private:
  /// Classes are numbers or names; a file keeps to one of the two.
  std::optional<int> classIn(JsonFields& f, bool mayAdd) {
    const json* v = f.any("class");
    if (!v) {
      f.requireKey("class", "the name of the layer's class");
      return std::nullopt;
    }
    if (v->is_number()) {
      const auto id = f.integer("class", 0, kMostProfileLayers);
      if (id && !mayAdd && *id >= m_graph.classCount)
        f.report(Severity::Error, "profile-class", "class", "No layer has the class " + std::to_string(*id));
      else if (id && mayAdd)
        m_graph.classCount = std::max(m_graph.classCount, static_cast<int>(*id) + 1);
      return id ? std::optional(static_cast<int>(*id)) : std::nullopt;
    }
    const auto name = f.string("class");
    if (!name) return std::nullopt;
    const auto known = m_classes.find(*name);
    if (known != m_classes.end()) return known->second;
    if (!mayAdd) {
      f.report(Severity::Error, "profile-class", "class",
               "No layer has the class \"" + name->substr(0, 60) + '"');
      return std::nullopt;
    }
    m_classes[*name] = m_graph.classCount;
    return m_graph.classCount++;
  }

  void readLayers() {
    m_top.objects("layers", kMostProfileLayers, Severity::Warning, [&](JsonFields& f, std::size_t) {
      const auto id = classIn(f, true);
      const auto kind = named(f.oneOf("kind", {"embedding", "block", "norm", "head", "layer"}), kKinds);
      const int repeat = static_cast<int>(f.integer("repeat", 1, kMostProfileLayers).value_or(1));
      const std::string name = f.string("name").value_or("layer");
      for (int k = 0; k < repeat && m_graph.layerCount() <= kMostProfileLayers; ++k)
        m_graph.layers.push_back({repeat > 1 ? name + ' ' + std::to_string(k + 1) : name,
                                  kind.value_or(LayerKind::Other), id.value_or(0)});
    });
    if (m_graph.layers.empty() && !hasErrors(m_out))
      m_top.report(Severity::Error, "profile-size", "layers", "A model has at least one layer");
    if (m_graph.layerCount() > kMostProfileLayers)
      m_top.report(Severity::Error, "profile-size", "layers", "A model has at most 16,384 layers");
  }

  RecomputeCost recomputeIn(JsonFields& f) {
    RecomputeCost r;
    r.available = f.boolean("available").value_or(true);
    r.stash = Bytes(f.number("stash_bytes", 0, kMostOfProfile).value_or(0));
    r.extraBackward = Seconds(f.number("extra_backward_s", 0, 1e9).value_or(0));
    r.workspace = Bytes(f.number("workspace_bytes", 0, kMostOfProfile).value_or(0));
    return r;
  }

  void readPolicies(JsonFields& f, LayerCost& c) {
    for (const Recompute r : {Recompute::Selective, Recompute::Full})
      c.recompute[std::size_t(r)] = {false, {}, {}, {}};
    c.recompute[0].stash = Bytes(f.number("stash_bytes", 0, kMostOfProfile).value_or(0));
    c.recompute[0].workspace = Bytes(f.number("workspace_bytes", 0, kMostOfProfile).value_or(0));
    const json* policies = f.object("recompute");
    if (!policies) return;
    JsonFields p(m_text, *policies, f.pointerTo("recompute"), m_out);
    for (const Recompute r : kPolicies) {
      const json* one = p.object(nameOf(r));
      if (!one) continue;
      JsonFields fields(m_text, *one, p.pointerTo(nameOf(r)), m_out);
      c.recompute[std::size_t(r)] = recomputeIn(fields);
      fields.reportUnknown(Severity::Warning);
    }
    p.reportUnknown(Severity::Warning);
  }

  void readRows() {
    m_top.objects("costs", 1'000'000, Severity::Warning, [&](JsonFields& f, std::size_t) {
      Row row;
      row.pointer = f.pointer();
      row.classId = classIn(f, false).value_or(0);
      row.strategy = strategyIn(f);
      row.microbatch = static_cast<int>(f.integer("microbatch", 1, 1'000'000).value_or(1));
      f.requireKey("forward_s", "the forward time, seconds");
      f.requireKey("backward_s", "the backward time, seconds");
      row.cost.forward = Seconds(f.number("forward_s", 0, 1e9).value_or(0));
      row.cost.backward = Seconds(f.number("backward_s", 0, 1e9).value_or(0));
      if (const auto weights = f.number("weight_gradient_s", 0, 1e9)) {
        row.cost.weightGradient = Seconds(*weights);
        if (*row.cost.weightGradient > row.cost.backward)
          f.report(Severity::Error, "profile-weight-gradient", "weight_gradient_s",
                   "Weight gradients are a part of backward_s and take no longer");
      }
      row.cost.denseParameters = f.number("parameters", 0, kMostOfProfile).value_or(0);
      row.cost.expertParameters = f.number("expert_parameters", 0, kMostOfProfile).value_or(0);
      row.cost.frozenDense = f.number("frozen_parameters", 0, row.cost.denseParameters).value_or(0);
      row.cost.frozenExpert = f.number("frozen_expert_parameters", 0, row.cost.expertParameters).value_or(0);
      row.outputBytes = f.number("output_bytes", 0, kMostOfProfile).value_or(0);
      row.cost.origin = named(f.oneOf("origin", {"typed", "measured", "estimated", "catalog"}), kOrigins)
                            .value_or(Origin::Measured);
      readPolicies(f, row.cost);
      f.objects("collectives", 1000, Severity::Warning, [&](JsonFields& x, std::size_t) {
        for (const char* k : {"kind", "group", "phase", "bytes"}) x.requireKey(k, "what is exchanged");
        Collective c;
        c.kind = named(x.oneOf("kind",
                               {"all-reduce", "all-gather", "reduce-scatter", "all-to-all", "ring-exchange"}),
                       kCollectives)
                     .value_or(CollectiveKind::AllReduce);
        c.group =
            named(x.oneOf("group", {"tensor", "context", "expert"}), kGroups).value_or(GroupKind::Tensor);
        c.phase =
            named(x.oneOf("phase", {"forward", "backward", "recompute-selective", "recompute-full"}), kPhases)
                .value_or(Phase::Forward);
        c.bytes = Bytes(x.number("bytes", 0, kMostOfProfile).value_or(0));
        c.times = x.number("times", 0, 1e9).value_or(1);
        row.cost.collectives.push_back(c);
      });
      m_rows.push_back(std::move(row));
    });
  }

  /// Strategies and microbatch sizes on offer: as listed, or as they come in the table.
  void readAxes() {
    m_top.objects("strategies", kMostStrategies, Severity::Warning,
                  [&](JsonFields& f, std::size_t) { m_strategies.push_back(strategyIn(f)); });
    if (const json* list = m_top.array("microbatches")) {
      for (const auto& v : *list) {
        if (v.is_number_integer() && v.get<double>() >= 1 && v.get<double>() <= 1e6)
          m_microbatches.push_back(v.get<int>());
        else
          m_top.report(Severity::Error, "json-range", "microbatches",
                       "\"microbatches\" lists whole numbers from 1");
      }
    }
    for (const Row& r : m_rows) {
      if (std::find(m_strategies.begin(), m_strategies.end(), r.strategy) == m_strategies.end())
        m_strategies.push_back(r.strategy);
      m_microbatches.push_back(r.microbatch);
    }
    std::sort(m_microbatches.begin(), m_microbatches.end());
    m_microbatches.erase(std::unique(m_microbatches.begin(), m_microbatches.end()), m_microbatches.end());
    const std::size_t pairs = m_strategies.size() * m_microbatches.size();
    if (m_rows.empty())
      m_top.report(Severity::Error, "profile-size", "costs", "The table has no rows");
    else if (m_strategies.size() > kMostStrategies || m_microbatches.size() > kMostMicrobatches ||
             pairs * m_graph.layers.size() > 20'000'000)
      m_top.report(Severity::Error, "profile-size", "costs",
                   "Too many strategies, microbatch sizes and layers together");
  }

  void readEdges() {
    if (!m_top.has("edges")) {
      const int classes = m_graph.classCount;
      m_graph = LayerGraph::chain(std::move(m_graph.layers));
      m_graph.classCount = classes;
      m_bytes.resize(m_graph.tensors.size());
      return;
    }
    const long long last = m_graph.layerCount() - 1;
    m_top.objects("edges", 1'000'000, Severity::Warning, [&](JsonFields& f, std::size_t) {
      f.requireKey("from", "a layer's number");
      f.requireKey("to", "the numbers of the layers that read it");
      Tensor t;
      t.producer = LayerIndex(static_cast<int>(f.integer("from", 0, last).value_or(0)));
      if (const json* list = f.array("to")) {
        for (const auto& v : *list) {
          if (v.is_number_integer() && v.get<double>() > t.producer.value && v.get<double>() <= double(last))
            t.consumers.emplace_back(v.get<int>());
          else
            f.report(Severity::Error, "profile-edge", "to",
                     "An edge leads to layers with higher numbers, up to " + std::to_string(last));
        }
      }
      std::sort(t.consumers.begin(), t.consumers.end());
      t.consumers.erase(std::unique(t.consumers.begin(), t.consumers.end()), t.consumers.end());
      m_graph.tensors.push_back(std::move(t));
      m_bytes.push_back(bytesIn(f));
    });
  }

  std::vector<Bytes> bytesIn(JsonFields& f) {
    std::vector<Bytes> out;
    const json* table = f.array("bytes");
    if (!table) return out;
    for (const auto& row : *table)
      for (const auto& v : row.is_array() ? row : json::array({nullptr}))
        out.emplace_back(v.is_number() ? v.get<double>() : -1);
    const bool isRight = table->size() == m_strategies.size() &&
                         out.size() == m_strategies.size() * m_microbatches.size() &&
                         std::all_of(out.begin(), out.end(),
                                     [](Bytes b) { return b.value() >= 0 && b.value() <= kMostOfProfile; });
    if (isRight) return out;
    f.report(Severity::Error, "profile-edge-bytes", "bytes",
             "\"bytes\" lists, for each strategy, one size for each microbatch size");
    return {};
  }

  void checkClasses() {
    std::vector<char> priced(m_graph.classCount, 0);
    for (const Row& r : m_rows) priced[at(r.classId)] = 1;
    for (std::size_t i = 0; i < m_graph.layers.size(); ++i)
      if (auto& p = priced[at(m_graph.layers[i].classId)]; !p) {
        p = 1;
        m_top.report(Severity::Error, "profile-class-without-cost", "costs",
                     "The class of layer " + std::to_string(i) + " (" + m_graph.layers[i].name.substr(0, 60) +
                         ") has no row");
      }
  }

  void fill(Profile& profile) {
    std::map<std::tuple<int, int, int>, double> outputs;
    for (Row& r : m_rows) {
      const int s = profile.strategyIndex(r.strategy), b = profile.microbatchIndex(r.microbatch);
      if (profile.cost(r.classId, s, b))
        m_out.push_back(error("profile-row-twice", m_text.placeOf(r.pointer),
                              "this class, strategy and microbatch size is duplicated"));
      outputs[{r.classId, s, b}] = r.outputBytes;
      profile.setCost(r.classId, s, b, std::move(r.cost));
    }
    for (int t = 0; t < static_cast<int>(m_graph.tensors.size()); ++t) {
      const auto& own = m_bytes[at(t)];
      const int producer = m_graph.layers[m_graph.tensors[at(t)].producer.at()].classId;
      for (int s = 0; s < static_cast<int>(m_strategies.size()); ++s)
        for (int b = 0; b < static_cast<int>(m_microbatches.size()); ++b) {
          const auto slot = static_cast<std::size_t>(s) * m_microbatches.size() + static_cast<std::size_t>(b);
          const auto output = outputs.find({producer, s, b});
          if (!own.empty())
            profile.setTensorBytes(t, s, b, own[slot]);
          else if (output != outputs.end())
            profile.setTensorBytes(t, s, b, Bytes(output->second));
        }
    }
  }

  void readTied(Profile& profile) {
    const json* value = m_top.object("tied");
    if (!value) return;
    JsonFields f(m_text, *value, m_top.pointerTo("tied"), m_out);
    const long long last = m_graph.layerCount() - 1;
    const auto first = f.integer("first", 0, last), second = f.integer("second", 0, last);
    TiedParameters tied{LayerIndex(int(first.value_or(0))), LayerIndex(int(second.value_or(0))), {}};
    tied.frozen = f.number("frozen_share", 0, 1).value_or(0);
    if (const json* list = f.array("parameters"))
      for (const auto& v : *list) tied.parameters.push_back(v.is_number() ? v.get<double>() : -1);
    const bool isRight = first && second && tied.parameters.size() == m_strategies.size() &&
                         std::all_of(tied.parameters.begin(), tied.parameters.end(),
                                     [](double p) { return p >= 0 && p <= kMostOfProfile; });
    if (!isRight)
      m_top.report(Severity::Error, "profile-tied", "tied",
                   "\"tied\" needs first, second and one number of parameters for each strategy");
    profile.tied = std::move(tied);
  }

  const JsonText& m_text;
  Diagnostics& m_out;
  JsonFields m_top;
  LayerGraph m_graph;
  std::map<std::string, int> m_classes;
  std::vector<Row> m_rows;
  std::vector<Strategy> m_strategies;
  std::vector<int> m_microbatches;
  std::vector<std::vector<Bytes>> m_bytes;  ///< by tensor; empty: the producer's output
};

}  // namespace

Reading<ImportedProfile> readProfileJson(std::string_view text, const std::string& file) {
  const auto jsonText = readJsonText(text, file, {16u << 20, 16, 2'000'000});
  Diagnostics out = jsonText.diagnostics;
  if (!jsonText) return {std::nullopt, out};
  if (!jsonText->root().is_object()) {
    out.push_back(
        error("profile-not-object", jsonText->placeOf(""), "a profile is an object with layers and costs"));
    return {std::nullopt, out};
  }
  auto result = ProfileReader(*jsonText, out).run();
  if (hasErrors(out)) result.reset();
  return {std::move(result), std::move(out)};
}

const Format& profileFormat() {
  static constexpr Format format = {
      .key = "profile",
      .name = "measured profile",
      .suffixes = "json",
      .fileNames = "",
      .example = R"({"format": "nest-profile", "version": 1,
 "layers": [{"name": "block", "kind": "block", "class": "b", "repeat": 32}],
 "costs": [{"class": "b", "tensor": 2, "microbatch": 1, "forward_s": 0.01, "backward_s": 0.02,
            "weight_gradient_s": 0.009, "parameters": 1e8, "stash_bytes": 5e8, "output_bytes": 3e7,
            "recompute": {"full": {"stash_bytes": 3e7, "extra_backward_s": 0.01}},
            "collectives": [{"kind": "all-reduce", "group": "tensor", "phase": "forward",
                             "bytes": 3e7, "times": 2}]}]})",
      .remarks = "samples/profiling/measure_layers.py writes it.",
      .claims = [](const FileLook& f) { return f.names("nest-profile"); },
      .read = ReadProfile([](std::string_view text, const std::string& file, std::optional<int>) {
        return readProfileJson(text, file);
      })};
  return format;
}

}  // namespace nest
