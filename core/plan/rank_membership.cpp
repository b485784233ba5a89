#include "plan/rank_membership.h"

namespace nest {

const char* nameOf(Together t) {
  constexpr std::array kNames = {"stage", "tp", "dp", "shard", "cp", "ep"};
  return kNames[static_cast<std::size_t>(t)];
}

const char* labelOf(Together t) {
  constexpr std::array kLabels = {"Stage", "TP group", "DP group", "Shard group", "CP group", "EP group"};
  return kLabels[static_cast<std::size_t>(t)];
}

Membership membershipOf(const Plan& plan, Together kind, int stage, int replica, int rank) {
  const Strategy& s = plan.stages[stage].strategy;
  const int t = s.tensor, a = s.width(), d = plan.dataDegree();
  const auto of = [&](int group, int size) { return Membership{group, size, d * a / size}; };
  switch (kind) {
    case Together::Stage:
      break;
    case Together::Tensor:
      return of(replica * s.context + rank / t, t);
    case Together::Data:
      return of(rank, d);
    case Together::Shard: {
      if (plan.zero == 0) return of(replica * a + rank, 1);  // nothing is sharded
      const int h = plan.shardDegree();
      return of(replica / h * t + rank % t, h * s.context);
    }
    case Together::Context:
      return of(replica * t + rank % t, s.context);
    case Together::Expert:
      return s.foldedExperts ? of((replica * a + rank) / s.expert, s.expert)
                             : of(replica / s.expert * a + rank, s.expert);
  }
  return {0, d * a, 1};
}

}  // namespace nest
