#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/networks/drawn_network.h"
#include "text/source_text.h"

namespace nest {

/// The attributes by which GraphML and DOT files describe networks; both use the same names.
///
/// Nodes: kind (device, host, switch; absent: switch), label or name (shown; absent: the id), host (devices:
/// id or name of their host), hbm_gib (devices: memory), speed (devices: share of the usual rate, (0, 1]) or
/// tflops (the share is that of the fastest device in the file), x, y (place in a drawing), failed (true,
/// false), state (hosts, or devices where they differ: free, busy, down, drained, reserved, spare, or what
/// sinfo prints) and state_word (what its source called the state). Links: gbps (GB/s one way, of one link;
/// needed) or bandwidth (with its unit: "400 Gb/s"), lat_us (absent: 1), count (parallel links), failed,
/// origin (typed, measured, estimated, catalog), direction (one-way, both: against the file's own default) or
/// dir (Graphviz: none, both, back). Names are read in any case; gbps and lat_us may carry a unit. A note
/// names the other attributes, but those of a drawing.
class GraphAssembly {
public:
  struct Attribute {
    std::string_view name, value;
    Place place;
  };
  using Attributes = std::vector<Attribute>;

  explicit GraphAssembly(SourceText& source) : m_source(source) {}

  /// Whether an attribute of this name, in lower case, says anything here.
  static bool reads(std::string_view name);
  /// Counts an attribute that is not read for the note that names them.
  void ignore(const std::string& name) { ++m_ignored[name]; }

  /// Number of the node with this id; made (as a switch) if it is new.
  int node(const std::string& id, const Place& place);
  bool hasNode(const std::string& id) const { return m_number.count(id) > 0; }
  void describe(int node, const Attributes&);
  void link(int from, int to, bool directed, const Attributes&, const Place&);
  /// The same by ids, of files that describe each node once, before its links; an error for a node that is
  /// described twice and for each end that is not described. linkKnown gives fits().
  void describeOnce(const std::string& id, const Attributes&, const Place&);
  bool linkKnown(const std::string& from, const std::string& to, bool directed, const Attributes&,
                 const Place&);
  /// False once the network has outgrown what is read; an error has been reported.
  bool fits();

  /// Checks the whole (a device, at least). Empty if the source has errors.
  Reading<DrawnNetwork> finish();

private:
  void checkFigures();
  void noteIgnored();
  std::vector<StateOfNode> takeStates();
  void doubtUnit(const Attribute&, double rate);

  SourceText& m_source;
  NetworkGraph m_graph;
  std::unordered_map<std::string, int> m_number;
  std::map<std::string, int> m_ignored;  ///< how often each attribute stands that is not read
  std::vector<std::pair<int, double>> m_tflops;
  struct SaidState {
    std::string state, word;
    Place place;
  };
  std::map<int, SaidState> m_states;                     ///< by node, as written
  std::vector<std::pair<std::size_t, Place>> m_unrated;  ///< links without a bandwidth, and where they stand
  bool m_tooLarge = false, m_doubtsUnit = false;
};

/// Name and text of what differs from the defaults, for writers. Reading them back gives the same node or
/// link.
std::vector<std::pair<std::string, std::string>> attributesOf(const NetworkNode&);
/// The same, with the node's state; `next` is the first of the states that may be of this node or later ones.
std::vector<std::pair<std::string, std::string>> attributesOf(const DrawnNetwork&, std::size_t node,
                                                              std::size_t& next);
std::vector<std::pair<std::string, std::string>> attributesOf(const NetworkLink&);

}  // namespace nest
