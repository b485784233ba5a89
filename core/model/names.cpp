#include "model/layer_graph.h"
#include "model/profile.h"
#include "model/strategy.h"

namespace nest {

std::string toText(const Strategy& s) {
  std::string out;
  const auto add = [&out](const char* name, int degree) {
    out += (out.empty() ? "" : " ") + std::string(name) + std::to_string(degree);
  };
  if (s.tensor > 1 || (s.context == 1 && s.expert == 1)) add("TP", s.tensor);
  if (s.sequence) out += "+SP";
  if (s.context > 1) add("CP", s.context);
  if (s.expert > 1) add("EP", s.expert);
  if (s.foldedExperts) add("ETP", 1);
  return out;
}

const char* nameOf(Recompute r) {
  return r == Recompute::None ? "none" : r == Recompute::Selective ? "selective" : "full";
}

const char* nameOf(LayerKind k) {
  switch (k) {
    case LayerKind::Embedding:
      return "embedding";
    case LayerKind::Block:
      return "block";
    case LayerKind::Norm:
      return "norm";
    case LayerKind::Head:
      return "head";
    case LayerKind::Other:
      break;
  }
  return "layer";
}

const char* nameOf(CollectiveKind k) {
  switch (k) {
    case CollectiveKind::AllReduce:
      return "all-reduce";
    case CollectiveKind::AllGather:
      return "all-gather";
    case CollectiveKind::ReduceScatter:
      return "reduce-scatter";
    case CollectiveKind::AllToAll:
      return "all-to-all";
    case CollectiveKind::RingExchange:
      break;
  }
  return "ring-exchange";
}

const char* nameOf(GroupKind k) {
  return k == GroupKind::Tensor ? "tensor" : k == GroupKind::Context ? "context" : "expert";
}

const char* nameOf(Phase p) {
  switch (p) {
    case Phase::Forward:
      return "forward";
    case Phase::Backward:
      return "backward";
    case Phase::RecomputeSelective:
      return "recompute-selective";
    case Phase::RecomputeFull:
      break;
  }
  return "recompute-full";
}

}  // namespace nest
