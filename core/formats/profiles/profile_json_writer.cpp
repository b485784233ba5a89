#include <array>
#include <nlohmann/json.hpp>

#include "formats/profiles/profile_json.h"
#include "text/json_layout.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::array kWrittenPolicies = {Recompute::None, Recompute::Selective, Recompute::Full};

void writeStrategy(Json& j, const Strategy& s) {
  j["tensor"] = s.tensor;
  if (s.sequence) j["sequence"] = true;
  if (s.context > 1) j["context"] = s.context;
  if (s.expert > 1) j["expert"] = s.expert;
  if (s.foldedExperts) j["folded_experts"] = true;
}

Json costJson(const LayerCost& c) {
  Json j = {{"forward_s", c.forward.value()},
            {"backward_s", c.backward.value()},
            {"parameters", c.denseParameters}};
  if (c.weightGradient) j["weight_gradient_s"] = c.weightGradient->value();
  if (c.expertParameters > 0) j["expert_parameters"] = c.expertParameters;
  if (c.frozenDense > 0) j["frozen_parameters"] = c.frozenDense;
  if (c.frozenExpert > 0) j["frozen_expert_parameters"] = c.frozenExpert;
  for (const Recompute r : kWrittenPolicies) {
    const RecomputeCost& x = c.recompute[std::size_t(r)];
    if (x == RecomputeCost{false, {}, {}, {}} && r != Recompute::None) continue;
    Json p = {{"stash_bytes", x.stash.value()},
              {"extra_backward_s", x.extraBackward.value()},
              {"workspace_bytes", x.workspace.value()}};
    if (!x.available) p["available"] = false;
    j["recompute"][nameOf(r)] = std::move(p);
  }
  for (const Collective& x : c.collectives)
    j["collectives"].push_back({{"kind", nameOf(x.kind)},
                                {"group", nameOf(x.group)},
                                {"phase", nameOf(x.phase)},
                                {"bytes", x.bytes.value()},
                                {"times", x.times}});
  j["origin"] = std::string(nameOf(c.origin));
  return j;
}

}  // namespace

std::string writeProfileJson(const ImportedProfile& p) {
  Json j = {
      {"format", "nest-profile"}, {"version", 1}, {"name", p.name}, {"provenance", p.profile.provenance}};
  if (p.job) j["sequence_length"] = p.job->sequenceLength;
  for (const Strategy& s : p.profile.strategies()) {
    Json one = Json::object();
    writeStrategy(one, s);
    j["strategies"].push_back(std::move(one));
  }
  j["microbatches"] = p.profile.microbatches();
  for (const Layer& l : p.graph.layers)
    j["layers"].push_back({{"name", l.name}, {"kind", nameOf(l.kind)}, {"class", l.classId}});
  const int strategies = static_cast<int>(p.profile.strategies().size());
  const int microbatches = static_cast<int>(p.profile.microbatches().size());
  for (std::size_t t = 0; t < p.graph.tensors.size(); ++t) {
    Json to = Json::array(), bytes = Json::array();
    for (const LayerIndex c : p.graph.tensors[t].consumers) to.push_back(c.value);
    for (int s = 0; s < strategies; ++s) {
      Json row = Json::array();
      for (int b = 0; b < microbatches; ++b)
        row.push_back(p.profile.tensorBytes(static_cast<int>(t), s, b).value());
      bytes.push_back(std::move(row));
    }
    j["edges"].push_back(
        {{"from", p.graph.tensors[t].producer.value}, {"to", std::move(to)}, {"bytes", std::move(bytes)}});
  }
  if (p.graph.tensors.empty()) j["edges"] = Json::array();
  for (int c = 0; c < p.graph.classCount; ++c)
    for (int s = 0; s < strategies; ++s)
      for (int b = 0; b < microbatches; ++b) {
        const LayerCost* cost = p.profile.cost(c, s, b);
        if (!cost) continue;
        Json row = {{"class", c}};
        writeStrategy(row, p.profile.strategies()[s]);
        row["microbatch"] = p.profile.microbatches()[b];
        row.update(costJson(*cost));
        j["costs"].push_back(std::move(row));
      }
  if (p.profile.tied) {
    j["tied"] = {{"first", p.profile.tied->first.value},
                 {"second", p.profile.tied->second.value},
                 {"parameters", p.profile.tied->parameters}};
    if (p.profile.tied->frozen > 0) j["tied"]["frozen_share"] = p.profile.tied->frozen;
  }
  return layOut(j);
}

}  // namespace nest
