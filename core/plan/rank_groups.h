#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "cost/stage_messages.h"
#include "plan/plan.h"

namespace nest {

/// The ranks of stages, as positions in locality order. The plan must be placeable (see PlanCheck).
class RankGroups {
public:
  explicit RankGroups(const Plan& plan) : m_plan(plan), m_placement(plan) {}

  const Placement& placement() const { return m_placement; }

  /// Calls visit(std::span<const int>) with the ascending positions of every group of one kind. The span is
  /// valid during the call only.
  template <class Visit>
  void visit(int stage, RankGroup kind, const Visit& visit) const {
    const Strategy& s = m_plan.stages[stage].strategy;
    const int t = s.tensor, c = s.context, e = s.expert, d = m_plan.dataDegree(), h = m_plan.shardDegree();
    std::vector<int> group;
    const auto add = [&](int replica, int context, int tensor) {
      group.push_back(m_placement.device(stage, replica, context * t + tensor).value);
    };
    const auto close = [&] {
      if (!std::is_sorted(group.begin(), group.end())) std::sort(group.begin(), group.end());
      visit(std::span<const int>(group));
      group.clear();
    };
    switch (kind) {
      case RankGroup::Tensor:
        for (int j = 0; j < d; ++j)
          for (int k = 0; k < c; ++k) {
            for (int q = 0; q < t; ++q) add(j, k, q);
            close();
          }
        return;
      case RankGroup::Context:
        for (int j = 0; j < d; ++j)
          for (int q = 0; q < t; ++q) {
            for (int k = 0; k < c; ++k) add(j, k, q);
            close();
          }
        return;
      case RankGroup::Expert:
        if (s.foldedExperts) {
          neighbours(stage, 0, d * t * c, e, 1, group, visit);
          return;
        }
        for (int first = 0; first < d; first += e)
          for (int k = 0; k < c; ++k)
            for (int q = 0; q < t; ++q) {
              for (int j = first; j < std::min(d, first + e); ++j) add(j, k, q);
              close();
            }
        return;
      case RankGroup::DenseShards:
        for (int first = 0; first < d; first += h)
          for (int q = 0; q < t; ++q) {
            for (int j = first; j < std::min(d, first + h); ++j)
              for (int k = 0; k < c; ++k) add(j, k, q);
            close();
          }
        return;
      case RankGroup::ExpertShards:
        for (int first = 0; first < d; first += h) {
          if (s.foldedExperts) {
            const int begin = first * t * c, end = std::min(d, first + h) * t * c;
            for (int x = begin; x < std::min(end, begin + e); ++x)
              neighbours(stage, x, end, end - x, e, group, visit);
            continue;
          }
          for (int q = 0; q < t; ++q)
            for (int x = 0; x < std::min({e, h, d - first}); ++x) {
              for (int j = first + x; j < std::min(d, first + h); j += e)
                for (int k = 0; k < c; ++k) add(j, k, q);
              close();
            }
        }
        return;
      case RankGroup::Copies:
        for (int x = 0; x < std::min(d, h); ++x)
          for (int k = 0; k < c; ++k)
            for (int q = 0; q < t; ++q) {
              for (int j = x; j < d; j += h) add(j, k, q);
              close();
            }
        return;
    }
  }

  /// Calls visit(from, to) with the positions of every pair of ranks between which stage `from` sends to
  /// stage `to`. Stops when visit returns false.
  template <class Visit>
  void visitPairs(int from, int to, const Visit& visit) const {
    const int a = m_placement.ranks(from), b = m_placement.ranks(to), width = std::max(a, b);
    for (int j = 0; j < m_placement.replicas(); ++j)
      for (int q = 0; q < width; ++q) {
        const int sender = static_cast<int>(static_cast<long long>(q) * a / width);
        const int receiver = static_cast<int>(static_cast<long long>(q) * b / width);
        if (!visit(m_placement.device(from, j, sender).value, m_placement.device(to, j, receiver).value))
          return;
      }
  }

private:
  /// Visits the ranks begin, begin + step, … below `end` of a stage, replica by replica, in groups of `span`.
  template <class Visit>
  void neighbours(int stage, int begin, int end, int span, int step, std::vector<int>& group,
                  const Visit& visit) const {
    const int ranks = m_placement.ranks(stage);
    for (int first = begin; first < end; first += span) {
      for (int n = first; n < std::min(end, first + span); n += step)
        group.push_back(m_placement.device(stage, n / ranks, n % ranks).value);
      if (!std::is_sorted(group.begin(), group.end())) std::sort(group.begin(), group.end());
      visit(std::span<const int>(group));
      group.clear();
    }
  }

  const Plan& m_plan;
  Placement m_placement;
};

}  // namespace nest
