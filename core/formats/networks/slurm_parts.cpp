#include "formats/networks/slurm_parts.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "formats/networks/slurm_hostlist.h"
#include "units/at.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kMostSlurmHosts = 200'000, kMostSlurmGroups = 200'000;
constexpr int kMostBadLists = 20, kMostLevels = 7;

const char* nameOf(SlurmTopology::Kind k) {
  switch (k) {
    case SlurmTopology::Kind::Tree:
      return "tree";
    case SlurmTopology::Kind::Block:
      return "block";
    case SlurmTopology::Kind::Ring:
      return "ring";
    case SlurmTopology::Kind::Torus:
      return "torus";
    case SlurmTopology::Kind::Flat:
      break;
  }
  return "flat";
}

}  // namespace

void SlurmAssembly::adopt(SlurmTopology::Kind kind, const Place& place) {
  if (m_hasKind && m_out.kind != kind)
    m_source.error(place, "slurm-kinds-mixed",
                   std::string("a ") + nameOf(kind) + " record in a " + nameOf(m_out.kind) +
                       " topology; one file describes one kind");
  if (!m_hasKind) m_out.kind = kind;
  m_hasKind = true;
}

void SlurmAssembly::add(SlurmTopology::Kind kind, const std::string& name, const Place& place,
                        std::string_view members, const Place& membersPlace, bool ofHosts) {
  adopt(kind, place);
  if (m_out.groups.size() >= kMostSlurmGroups) {
    if (m_out.groups.size() == kMostSlurmGroups)
      m_source.error(place, "slurm-too-large", "at most 200,000 switches are read");
    return;
  }
  const int number = static_cast<int>(m_out.groups.size());
  if (!m_number.emplace(name, number).second)
    return m_source.error(place, "slurm-name-twice", "the name " + quoted(name) + " is used twice");
  m_out.groups.push_back({name, -1, {}});
  m_places.push_back(place);
  // A file full of broken or endless lists costs no more than these bounds.
  if (m_badLists > kMostBadLists || m_isFull) return;
  if (m_namesLeft == 0) {
    m_isFull = true;
    return m_source.error(membersPlace, "slurm-too-large", "at most 500,000 names are written out");
  }
  Hostlist list = expandHostlist(members, std::min(kMostSlurmHosts, m_namesLeft));
  m_namesLeft -= std::min(m_namesLeft, list.names.size());
  if (!list.error.empty()) {
    ++m_badLists;
    Place where = membersPlace;
    where.column += static_cast<int>(list.offset);
    return m_source.error(where, "slurm-hostlist", list.error + " in " + quoted(members));
  }
  if (m_groupOfHost.size() + list.names.size() > kMostSlurmHosts)
    return m_source.error(membersPlace, "slurm-too-large", "at most 200,000 hosts are read");
  if (!ofHosts) {
    m_wishes.push_back({number, std::move(list.names), membersPlace});
    return;
  }
  for (const std::string& host : list.names)
    if (const auto [known, fresh] = m_groupOfHost.emplace(host, number); !fresh)
      m_source.error(membersPlace, "slurm-host-twice",
                     "the host " + quoted(host) + " stands in " +
                         quoted(m_out.groups[at(known->second)].name) + " and in " + quoted(name),
                     "name each host once");
  m_out.groups.back().hosts = std::move(list.names);
}

void SlurmAssembly::addEmpty(SlurmTopology::Kind kind, const std::string& name, const Place& place) {
  adopt(kind, place);
  m_empty.insert(name);
  m_source.warning(place, "slurm-empty", quoted(name) + " has no hosts; it is left out");
}

void SlurmAssembly::setBlockSizes(std::vector<int> sizes, const Place& place) {
  adopt(SlurmTopology::Kind::Block, place);
  if (!m_out.blockSizes.empty()) m_source.error(place, "slurm-block-sizes", "BlockSizes is duplicated");
  m_out.blockSizes = std::move(sizes);
  m_sizesPlace = place;
}

void SlurmAssembly::setTorus(std::array<int, 3> sides, const Place& place) {
  adopt(SlurmTopology::Kind::Torus, place);
  m_out.sides = sides;
}

void SlurmAssembly::setFlat(const Place& place) {
  adopt(SlurmTopology::Kind::Flat, place);
}

int SlurmAssembly::standIn(int group) const {
  while (m_standIn[at(group)] != group) group = m_standIn[at(group)];
  return group;
}

void SlurmAssembly::mergeParallel() {
  m_standIn.resize(m_out.groups.size());
  std::iota(m_standIn.begin(), m_standIn.end(), 0);
  std::map<int, std::vector<int>> merged;
  // Switches above merged ones may come to join the same switches in turn; deeper trees are refused anyway.
  bool isNew = true;
  for (int level = 0; isNew && level < kMostLevels; ++level) {
    isNew = false;
    std::map<std::vector<int>, int> firstOf;
    for (const Wish& w : m_wishes) {
      if (m_standIn[at(w.parent)] != w.parent) continue;
      std::vector<int> children;
      for (const std::string& child : w.children)
        if (const auto known = m_number.find(child); known != m_number.end())
          children.push_back(standIn(known->second));
      std::sort(children.begin(), children.end());
      children.erase(std::unique(children.begin(), children.end()), children.end());
      const auto [first, fresh] = firstOf.emplace(std::move(children), w.parent);
      if (fresh || first->first.empty()) continue;
      m_standIn[at(w.parent)] = first->second;
      merged[first->second].push_back(w.parent);
      isNew = true;
    }
  }
  for (const auto& [first, others] : merged)
    m_source.note(
        m_places[at(others.front())], "slurm-parallel-switches",
        quoted(m_out.groups[at(others.front())].name) +
            (others.size() > 1 ? " and " + std::to_string(others.size() - 1) + " more join" : " joins") +
            " the same switches as " + quoted(m_out.groups[at(first)].name) + "; together they count as one");
}

void SlurmAssembly::dropMerged() {
  std::vector<int> number(m_out.groups.size(), -1);
  std::vector<SlurmTopology::Group> left;
  std::vector<Place> places;
  for (std::size_t g = 0; g < number.size(); ++g) {
    if (m_standIn[g] != static_cast<int>(g)) continue;
    number[g] = static_cast<int>(left.size());
    left.push_back(std::move(m_out.groups[g]));
    places.push_back(std::move(m_places[g]));
  }
  for (SlurmTopology::Group& g : left)
    if (g.parent >= 0) g.parent = number[at(g.parent)];
  m_out.groups = std::move(left);
  m_places = std::move(places);
}

void SlurmAssembly::joinSwitches() {
  std::size_t named = 0;
  mergeParallel();
  for (const Wish& w : m_wishes) {
    if (m_standIn[at(w.parent)] != w.parent) continue;
    named += w.children.size();
    if (named > 2 * kMostSlurmGroups)
      return m_source.error(w.place, "slurm-too-large", "at most 200,000 switches are read");
    for (const std::string& child : w.children) {
      const auto known = m_number.find(child);
      if (known == m_number.end() && m_empty.count(child)) continue;
      if (known == m_number.end()) {
        m_source.error(w.place, "slurm-unknown-switch", "the switch " + quoted(child) + " is not described",
                       "add a record SwitchName=" + child);
        continue;
      }
      int& parent = m_out.groups[at(standIn(known->second))].parent;
      if (parent >= 0 && parent != w.parent)
        m_source.error(w.place, "slurm-two-parents",
                       "the switch " + quoted(child) + " hangs under " +
                           quoted(m_out.groups[at(parent)].name) + " and under " +
                           quoted(m_out.groups[at(w.parent)].name));
      else
        parent = w.parent;
    }
  }
  // Every switch must lead to a top; who is still on the way when met again stands in a ring.
  std::vector<char> state(m_out.groups.size(), 0);
  for (std::size_t g = 0; g < m_out.groups.size(); ++g) {
    std::vector<int> way;
    int x = static_cast<int>(g);
    while (x >= 0 && state[at(x)] == 0) {
      state[at(x)] = 1;
      way.push_back(x);
      x = m_out.groups[at(x)].parent;
    }
    if (x >= 0 && state[at(x)] == 1) {
      m_source.error(m_places[at(x)], "slurm-cycle",
                     "the switch " + quoted(m_out.groups[at(x)].name) + " is above itself");
      m_out.groups[at(x)].parent = -1;
    }
    for (int w : way) state[at(w)] = 2;
  }
  dropMerged();
}

void SlurmAssembly::checkBlocks() {
  auto& sizes = m_out.blockSizes;
  if (m_out.kind != SlurmTopology::Kind::Block) return;
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    const int times = sizes[i] / sizes[0];
    if (sizes[i] <= sizes[i - 1] || sizes[i] % sizes[0] != 0 || (times & (times - 1)) != 0)
      m_source.error(m_sizesPlace, "slurm-block-sizes",
                     "each block size is the first times a power of two, ascending; " +
                         std::to_string(sizes[i]) + " is not");
  }
  if (sizes.size() > 6)
    m_source.error(m_sizesPlace, "slurm-block-sizes", "at most 6 block sizes are supported");
  if (!sizes.empty())
    for (std::size_t g = 0; g < m_out.groups.size(); ++g)
      if (!m_out.groups[g].hosts.empty() && static_cast<int>(m_out.groups[g].hosts.size()) < sizes[0])
        m_source.warning(m_places[g], "slurm-block-small",
                         "block " + quoted(m_out.groups[g].name) + " has " +
                             std::to_string(m_out.groups[g].hosts.size()) +
                             " hosts, fewer than the base block size " + std::to_string(sizes[0]));
}

/// Slurm starts no job across two trees; what is planned here may lie in both.
void SlurmAssembly::tellTops() {
  if (m_source.failed() || m_out.kind != SlurmTopology::Kind::Tree) return;
  std::vector<int> tops;  // of hosts, each once
  std::vector<char> isKnown(m_out.groups.size(), 0);
  for (std::size_t g = 0; g < m_out.groups.size(); ++g) {
    if (m_out.groups[g].hosts.empty()) continue;
    int top = static_cast<int>(g);
    for (; top >= 0 && !isKnown[at(top)]; top = m_out.groups[at(top)].parent) {
      isKnown[at(top)] = 1;
      if (m_out.groups[at(top)].parent < 0) tops.push_back(top);
    }
  }
  if (tops.size() < 2) return;
  const auto name = [this, &tops](std::size_t i) { return quoted(m_out.groups[at(tops[i])].name); };
  m_source.warning(m_places[at(tops[1])], "slurm-many-tops",
                   "no switch joins " + name(0) + " and " + name(1) +
                       (tops.size() > 2 ? " (of " + std::to_string(tops.size()) + " trees)" : "") +
                       "; a switch above them is assumed",
                   "describe it, or give one tree alone");
}

Reading<SlurmTopology> SlurmAssembly::finish() {
  joinSwitches();
  checkBlocks();
  if (m_out.kind == SlurmTopology::Kind::Torus && !m_out.groups.empty()) {
    const double cells = static_cast<double>(m_out.sides[0]) * m_out.sides[1] * m_out.sides[2];
    if (cells != static_cast<double>(m_groupOfHost.size()))
      m_source.error(m_places.front(), "slurm-torus-size",
                     "the torus has " + text::number(cells, 7) + " places and " +
                         std::to_string(m_groupOfHost.size()) + " hosts");
  }
  if (!m_source.failed() && m_out.kind != SlurmTopology::Kind::Flat && m_groupOfHost.empty())
    m_source.error(m_source.whole(), "slurm-no-hosts", "the file names no hosts",
                   "name the hosts of each switch or block");
  tellTops();
  Reading<SlurmTopology> result;
  if (!m_source.failed()) {
    if (m_out.levelCount() > kMostLevels)
      m_source.error(
          m_source.whole(), "slurm-too-deep",
          "switches stand " + std::to_string(m_out.levelCount()) + " deep; at most 7 are supported");
    else
      result.value = std::move(m_out);
  }
  result.diagnostics = m_source.take();
  return result;
}

}  // namespace nest
