#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "formats/networks/slurm_topology.h"
#include "text/source_text.h"

namespace nest {

/// Puts the records of either Slurm format together and checks the whole: one kind, every host once, a tree.
class SlurmAssembly {
public:
  explicit SlurmAssembly(SourceText& source) : m_source(source) {}

  void setName(std::string name) { m_out.name = std::move(name); }
  /// A switch, block or ring with its hosts (`ofHosts`) or its switches, as a host list.
  void add(SlurmTopology::Kind kind, const std::string& name, const Place&, std::string_view members,
           const Place& membersPlace, bool ofHosts);
  /// A switch or block that has no hosts yet, as clusters that grow on demand have them: left out, and said
  /// so.
  void addEmpty(SlurmTopology::Kind kind, const std::string& name, const Place&);
  void setBlockSizes(std::vector<int>, const Place&);
  void setTorus(std::array<int, 3> sides, const Place&);
  void setFlat(const Place&);

  Reading<SlurmTopology> finish();

private:
  void adopt(SlurmTopology::Kind, const Place&);
  /// Switches that join the very same switches are the parallel ones of a fat tree: the first stands for all.
  void mergeParallel();
  int standIn(int group) const;
  void joinSwitches();
  void dropMerged();
  void checkBlocks();
  void tellTops();

  struct Wish {
    int parent;
    std::vector<std::string> children;
    Place place;
  };
  SourceText& m_source;
  SlurmTopology m_out;
  bool m_hasKind = false;
  std::vector<Place> m_places;  ///< of each group
  std::unordered_map<std::string, int> m_number;
  std::unordered_map<std::string, int> m_groupOfHost;
  std::unordered_set<std::string> m_empty;
  std::vector<Wish> m_wishes;
  std::vector<int> m_standIn;  ///< of each group: the one that it is merged into, or itself
  Place m_sizesPlace;
  std::size_t m_namesLeft = 500'000;  ///< that host lists may still be written out to
  bool m_isFull = false;
  int m_badLists = 0;
};

}  // namespace nest
