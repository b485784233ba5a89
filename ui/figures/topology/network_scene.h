#pragma once

#include <QCoreApplication>
#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/graph/graph_edit.h"
#include "cluster/graph/graph_fold.h"
#include "cluster/graph/implied_hosts.h"
#include "cluster/graph/routing.h"
#include "document/plan_context.h"
#include "figures/topology/folding.h"
#include "figures/topology/rank_colours.h"

namespace nest {

/// What of a drawn network is shown and where, in units of the drawing: boxes, paths of links, folding, hit
/// test; what is placed on its devices and what its links carry. Knows no widget and paints nothing.
class NetworkScene {
  Q_DECLARE_TR_FUNCTIONS(NetworkScene)
public:
  /// `seats`: by node, what is placed there in the plan `of`; null: nothing but stages is known. True: only
  /// places have changed, and each drawn node stands for the same nodes as before.
  bool setGraph(const NetworkGraph&, std::vector<Seat> seats, PlanContextPtr of);
  const NetworkGraph& graph() const { return m_graph; }
  bool isEmpty() const { return m_graph.nodes.empty(); }
  const NetworkNode& node(int n) const { return m_graph.nodes[at(n)]; }
  const NetworkLink& link(int l) const { return m_graph.links[at(l)]; }
  QString nameOf(int node) const;
  const std::vector<int>& contentsOf(int host) const { return m_contents[at(host)]; }
  const graph::ImpliedHosts& impliedHosts() const { return m_impliedHosts; }
  const std::vector<graph::Problem>& problems() const { return m_problems; }

  // Folding: siblings that are alike, in the network and in the stages placed on them, are drawn once. Then
  // places are the scene's own.
  void setFolding(Folding);
  Folding folding() const { return m_folding; }
  Folding otherFolding() const;  ///< than now; by size again where that is the other way
  bool isFolded() const { return m_isFolded; }
  void setUnfolded(std::set<std::string> ids);
  const std::set<std::string>& unfolded() const { return m_unfolded; }
  int shownAs(int node) const { return m_folded.shownAs[at(node)]; }
  int linkShownAs(int link) const { return m_folded.linkShownAs[at(link)]; }
  bool isShown(int node) const { return !m_folded.hides(node); }
  int alike(int node) const { return m_folded.alike[at(node)]; }
  /// Whose id stands for this node and its like among those unfolded; −1: it has no like.
  int siblingOf(int node) const { return m_folded.sibling.empty() ? -1 : m_folded.sibling[at(node)]; }
  /// Adds to `ids` (see setUnfolded) what it takes for a node to be drawn itself.
  void unfoldFor(int node, std::set<std::string>& ids) const;
  std::vector<int> behind(int node) const;  ///< all that a drawn node stands for
  std::vector<int> linksBehind(int link) const;

  // Geometry.
  const std::vector<int>& shown() const { return m_shown; }            ///< drawn nodes, hosts first
  const std::vector<int>& shownLinks() const { return m_shownLinks; }  ///< drawn links
  QRectF box(int node) const { return m_boxes[at(node)]; }             ///< empty: not drawn
  QPointF centre(int node) const { return box(node).center(); }
  const QPolygonF& path(int link) const { return m_paths[at(link)]; }  ///< empty: not drawn
  std::vector<int> nodesIn(const QRectF& area) const;                  ///< of shown(), in its order
  std::vector<int> linksIn(const QRectF& area) const;                  ///< of shownLinks(), likewise
  QPointF middleOf(int link) const;                                    ///< of its path
  QRectF bounds() const { return m_bounds; }
  QRectF impliedHostFrame(std::size_t host) const;  ///< null: nothing of it is drawn
  int nodeAt(const QPointF&) const;                 ///< −1: none; devices win over the host around them
  int linkAt(const QPointF&, double reach) const;
  double distanceTo(int link, const QPointF&) const;  ///< of a drawn one
  /// For as long as a hand moves nodes: only the picture changes.
  void moveTo(const std::vector<int>& nodes, const std::vector<QPointF>& places);

  // What is placed on it.
  void setColouredBy(Together);  ///< what the ranks of one colour have in common
  Together colouredBy() const { return m_colouredBy; }
  Together shownBy() const { return m_shownBy; }  ///< colouredBy, where the plan tells such groups apart
  /// What is placed on a drawn device; nullopt: nothing. All that it stands for hold the same stage, but each
  /// may belong to groups of its own.
  const std::optional<RankKind>& placedOn(int node) const { return m_placed[at(node)]; }
  bool isCutOff(int node) const;
  /// The state that keeps plans from a host, or from a device of one; null: they may use it.
  const StateOfHost* unplanned(int node) const {
    return m_unplanned.empty() ? nullptr : m_unplanned[at(node)];
  }
  int unplannedHosts(HostState s) const {
    return m_unplannedHosts[s];
  }  ///< with none of their devices in use
  const PlanContext* context() const { return m_plan.get(); }
  const Plan* plan() const { return m_plan ? m_plan->shownPlan() : nullptr; }
  int stageCount() const { return m_stageCount; }
  int idleDevices() const { return m_idle; }

  // What its links carry.
  /// What each pair of joined nodes carries per step; empty: nothing is known. `busiest`: which of them is
  /// named, −1 none. `byLevel`: the same in words, for the key.
  void setLoads(std::vector<LinkLoad> loads, int busiest, const QString& byLevel);
  bool hasLoads() const { return !m_loads.empty(); }
  const LinkLoad* loadOf(int link) const;  ///< null: none
  bool isBusiest(int link) const;
  Seconds mostBusy() const { return m_most; }  ///< time of the busiest link that is drawn
  const QString& byLevel() const { return m_byLevel; }

  /// Bandwidths that were typed in bits are shown so.
  void setTyped(std::set<double> inBits) { m_inBits = std::move(inBits); }
  const std::set<double>& typedInBits() const { return m_inBits; }
  QString bandwidthText(BytesPerSecond) const;
  QString figuresOf(int link) const;  ///< "8 × 400 Gb/s"

  bool isTrunk(const NetworkLink&) const;  ///< between switches
  bool isInDrawnHost(int node) const;

  QString tipOf(int node, int link) const;  ///< −1: neither
  QString sentenceOf(int node) const;       ///< the same of a node, for screen readers

private:
  static std::size_t at(int number) { return static_cast<std::size_t>(number); }
  bool isDrawnLink(const NetworkLink&) const;  ///< links between a device and the host around it are implied
  void fold();
  void refold();
  bool folds() const;
  std::vector<int> placedKinds() const;
  QString stateSentence(int node) const;
  void place();
  void placeBox(int node);
  void findPlaced();
  void findStates();
  void routeLinks();
  QPolygonF routeOf(const NetworkLink&) const;
  void setPath(int link, QPolygonF);
  void growBounds();  ///< to hold all links
  std::vector<double> gapsBeside(const QRectF& lower, const QRectF& upper) const;
  QPolygonF besideOf(const NetworkLink&, const QRectF& a, const QRectF& b) const;
  bool isBlocked(const QPolygonF& path, const NetworkLink&) const;
  void matchLoads();
  QString nodeTip(int node) const;
  QString linkTip(int link) const;

  NetworkGraph m_graph;
  std::vector<std::vector<int>> m_contents;
  std::vector<QRectF> m_boxes;
  std::vector<int> m_shown, m_shownLinks;
  struct Obstacle {
    QRectF box;
    int node = -1, impliedHost = -1;  ///< one of them
  };
  std::vector<Obstacle> m_obstacles;  ///< to links
  std::vector<QPolygonF> m_paths;
  std::vector<QRectF> m_pathBoxes;  ///< around each with a margin: a straight one has no height
  QRectF m_bounds;
  graph::ImpliedHosts m_impliedHosts;
  graph::Folding m_folded;
  std::vector<int> m_standsFor;  ///< per link: how many
  Folding m_folding = Folding::Automatic;
  bool m_isFolded = false;
  std::set<std::string> m_unfolded;
  std::vector<Seat> m_seats;                    ///< per node
  PlanContextPtr m_plan;                        ///< that they are of; may be null
  std::vector<const StateOfHost*> m_unplanned;  ///< per node, of the scenario of m_plan; empty: all are free
  EnumArray<HostState, int, kHostStateCount> m_unplannedHosts = {};
  Together m_colouredBy = Together::Stage, m_shownBy = Together::Stage;
  std::vector<std::optional<RankKind>> m_placed;  ///< per node, of drawn devices
  int m_stageCount = 0, m_idle = 0;               ///< of all devices
  std::vector<graph::Problem> m_problems;
  std::vector<LinkLoad> m_loads;
  std::vector<int> m_loadOf;  ///< per link: into m_loads, −1 none
  int m_busiest = -1;
  Seconds m_most;
  std::set<double> m_inBits;
  QString m_byLevel;
};

}  // namespace nest
