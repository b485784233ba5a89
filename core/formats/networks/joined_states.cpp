#include "formats/networks/joined_states.h"

#include <unordered_set>
#include <vector>

#include "cluster/levels/host_state.h"
#include "formats/networks/state_words.h"
#include "units/text.h"

namespace nest {
namespace {

std::string wordOf(const StateOfHost& s) {
  return s.word.empty() || s.word == nameOf(s.state) ? std::string() : " (" + s.word + ')';
}

bool isMixed(const StateOfHost& s) {
  const auto word = slurmState(s.word);
  return word && word->isMixed;
}

Place placeIn(const SlurmTopology& file, const std::string& path, const std::string& host) {
  const auto known = file.places.find(host);
  return known == file.places.end() ? Place{path, 0, 0, ""} : known->second;
}

/// Of hosts without a state, where others have one.
Diagnostic noteOpen(const std::vector<std::string>& open, const std::string& path) {
  const std::string hosts = open.size() == 1 ? "the host \"" + open.front() + "\" is free; it counts as free"
                                             : text::count(static_cast<long long>(open.size())) +
                                                   " hosts are free, the first of them \"" + open.front() +
                                                   "\"; they count as free";
  return warning("host-state-open", {path, 0, 0, ""}, "this list does not state whether " + hosts,
                 "list the states of all hosts, or set them");
}

}  // namespace

void JoinedStates::join(const SlurmTopology& list, const std::string& listPath, SlurmTopology& tree,
                        const std::string& treePath, Diagnostics& out) {
  if (list.states.empty()) return;
  std::unordered_map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < tree.states.size(); ++i) known.emplace(tree.states[i].host, i);
  std::unordered_set<std::string> stated, ofTree;
  for (const StateOfHost& s : list.states) stated.insert(s.host);
  std::vector<std::string> open;
  for (const auto& group : tree.groups)
    for (const std::string& host : group.hosts) {
      ofTree.insert(host);
      if (!stated.contains(host) && !known.contains(host)) open.push_back(host);
    }
  for (const StateOfHost& s : list.states) {
    if (!ofTree.contains(s.host)) continue;
    const auto own = known.find(s.host);
    if (own == known.end()) {
      tree.states.push_back(s);
      m_from[s.host] = listPath;
      continue;
    }
    StateOfHost& other = tree.states[own->second];
    if (other.state != s.state && !(isMixed(other) && isMixed(s))) {
      const auto from = m_from.find(s.host);
      out.push_back(error("host-state-twice", placeIn(list, listPath, s.host),
                          "the host \"" + s.host + "\" is " + std::string(nameOf(s.state)) + wordOf(s) +
                              " here and " + std::string(nameOf(other.state)) + wordOf(other) + " in " +
                              (from == m_from.end() ? treePath : from->second),
                          "give the file that holds now"));
    } else if (other.devices.empty() && !s.devices.empty()) {
      other = s;
    }
  }
  if (!open.empty() && open.size() < ofTree.size()) out.push_back(noteOpen(open, listPath));
}

void putStates(const SlurmTopology& tree, const std::string& treePath, ClusterSource& cluster,
               Diagnostics& out) {
  if (tree.states.empty()) return;
  const std::vector<std::string> names = hostNames(cluster);
  const std::unordered_set<std::string> known(names.begin(), names.end());
  std::vector<std::string> unknown;
  for (const StateOfHost& s : tree.states)
    if (known.contains(s.host))
      cluster.states.push_back(s);
    else
      unknown.push_back(s.host);
  if (unknown.empty()) return;
  const std::string hosts = unknown.size() == 1
                                ? "the host \"" + unknown.front() + "\" is given, which is not in the network"
                                : text::count(static_cast<long long>(unknown.size())) +
                                      " hosts is given that are not in the network, the first of them \"" +
                                      unknown.front() + '"';
  out.push_back(error("host-state-unknown", placeIn(tree, treePath, unknown.front()), "the state of " + hosts,
                      "use the same host names in all files, or leave these hosts out"));
}

}  // namespace nest
