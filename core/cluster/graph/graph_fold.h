#pragma once

#include <set>
#include <string>
#include <vector>

#include "cluster/graph/network_graph.h"

namespace nest::graph {

/// A network with siblings that are alike drawn once.
///
/// Siblings hang below the same node (see Forest). They are alike if they cannot be told apart by figures,
/// failures, what stands below them and what they are joined to, at any distance. Siblings that are linked
/// with siblings stay apart: a ring drawn once would be no ring.
struct Folding {
  std::vector<int> shownAs;  ///< the drawn node that stands for each; itself if it is drawn
  std::vector<int> alike;    ///< drawn nodes: how many siblings they stand for, themselves included; else 0
  std::vector<int> sibling;  ///< the first of the siblings that are alike, itself for that one; −1: no other
  std::vector<int> linkShownAs;  ///< the drawn link that stands for each

  bool hides(int node) const { return shownAs[node] != node; }
  bool hidesAny() const;
};

/// `unfolded`: ids of nodes (see `sibling`) whose siblings are drawn one by one all the same. `kinds`: a
/// number per node, of what is placed there for example; nodes with different numbers are never alike. Empty:
/// the network alone decides. O(links · log links) a step of refinement.
Folding foldAlike(const NetworkGraph&, const std::set<std::string>& unfolded = {},
                  const std::vector<int>& kinds = {});

/// Nobody folded.
Folding noFolding(const NetworkGraph&);

/// Adds to `unfolded` what it takes for a node to be drawn itself. `kinds` as in foldAlike().
void unfoldFor(const NetworkGraph&, int node, std::set<std::string>& unfolded,
               const std::vector<int>& kinds = {});

/// The drawn nodes alone, placed anew, and the number that each had.
struct FoldedDrawing {
  NetworkGraph graph;
  std::vector<int> nodes;
};
FoldedDrawing drawFolded(const NetworkGraph&, const Folding&);

}  // namespace nest::graph
