#include "solver/space/line_automaton.h"

#include <algorithm>
#include <functional>
#include <map>

#include "units/at.h"

namespace nest::solver {
namespace {

/// Numbers the nodes that can be reached, by what is known of them.
class Builder {
public:
  using Key = std::vector<int>;

  int add(const Key& key) {
    const auto [it, isNew] = m_numbers.try_emplace(key, static_cast<int>(m_keys.size()));
    if (isNew) m_keys.push_back(key);
    return it->second;
  }
  /// `expand(key, node)` adds the nodes in front.
  template <class Expand>
  std::vector<LineAutomaton::Node> run(Expand expand) {
    std::vector<LineAutomaton::Node> nodes;
    while (nodes.size() < m_keys.size()) {
      const Key key = m_keys[nodes.size()];
      nodes.emplace_back();
      LineAutomaton::Node node;
      expand(key, node);
      nodes.back() = std::move(node);
    }
    return nodes;
  }

private:
  std::map<Key, int> m_numbers;
  std::vector<Key> m_keys;
};

constexpr double kMostUses = 300;    ///< of groups, as sets
constexpr double kMostNodes = 3000;  ///< of these, with what the current group still holds

double usesOf(const std::vector<std::pair<int, int>>& capacities) {
  double uses = 1;
  for (const auto& [stages, groups] : capacities) uses *= groups + 1.0;
  return uses;
}

}  // namespace

LineAutomaton LineAutomaton::counting(int crossing, int dear) {
  Builder builder;
  LineAutomaton a;
  const auto add = [&](int crossed, int before, bool crosses, bool isDear) {
    return builder.add({crossed + crosses, before + isDear, crosses, isDear});
  };
  a.begins.push_back(add(0, 0, false, false));
  if (dear > 0) a.begins.push_back(add(0, 0, false, true));
  a.nodes = builder.run([&](const Builder::Key& k, Node& node) {
    node.crosses = k[2] > 0, node.isDear = k[3] > 0;
    node.lacks = std::max(crossing - k[0], dear - k[1]);
    for (const bool crosses : {false, true})
      for (const bool isDear : {false, true})
        if ((!crosses || k[0] < crossing) && (!isDear || k[1] < dear))
          node.next.push_back(add(k[0], k[1], crosses, isDear));
  });
  return a;
}

LineAutomaton LineAutomaton::grouped(std::vector<std::pair<int, int>> capacities, int stages) {
  std::sort(capacities.begin(), capacities.end(), std::greater<>());
  int groups = 0;  // a pipeline stands in no more than it has stages, and then in the largest
  for (auto& [held, count] : capacities) {
    held = std::min(held, stages);
    count = std::min(count, stages - groups);
    groups += count;
  }
  std::erase_if(capacities, [](const auto& c) { return c.first < 1 || c.second < 1; });
  const auto merge = [&](std::size_t k) {
    capacities[k].second += capacities[k + 1].second;
    capacities.erase(capacities.begin() + static_cast<std::ptrdiff_t>(k) + 1);
  };
  for (std::size_t k = 0; k + 1 < capacities.size();)
    if (capacities[k].first == capacities[k + 1].first)
      merge(k);
    else
      ++k;
  while (usesOf(capacities) > kMostUses && capacities.size() > 1) {
    std::size_t least = 0;
    const auto raised = [&](std::size_t k) {
      return (capacities[k].first - capacities[k + 1].first) * capacities[k + 1].second;
    };
    for (std::size_t k = 1; k + 1 < capacities.size(); ++k)
      if (raised(k) < raised(least)) least = k;
    merge(least);
  }
  // A key: groups left of each size, stages that the group of this one still holds, 1 it crosses, 2
  // straddles.
  const std::size_t kinds = capacities.size();
  if (kinds > 0 && usesOf(capacities) * capacities.front().first > kMostNodes) return {};
  Builder builder;
  LineAutomaton a;
  const auto fronts = [&](const Builder::Key& left, std::vector<int>& found) {
    for (std::size_t k = 0; k < kinds; ++k) {
      if (left[k] == 0) continue;
      Builder::Key key = left;
      --key[k], key[kinds] = capacities[k].first - 1, key[kinds + 1] = 1;
      found.push_back(builder.add(key));
    }
    Builder::Key key = left;
    key[kinds] = 0, key[kinds + 1] = 2;
    found.push_back(builder.add(key));
  };
  Builder::Key all;
  for (const auto& [held, count] : capacities) all.push_back(count);
  all.resize(kinds + 2, 0);
  fronts(all, a.begins);
  a.nodes = builder.run([&](const Builder::Key& k, Node& node) {
    node.crosses = k[kinds + 1] > 0, node.isDear = k[kinds + 1] == 2;
    if (k[kinds] > 0) {
      Builder::Key key = k;
      --key[kinds], key[kinds + 1] = 0;
      node.next.push_back(builder.add(key));
    }
    fronts(k, node.next);
  });
  return a;
}

}  // namespace nest::solver
