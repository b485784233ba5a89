#pragma once

#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <QSet>
#include <QWidget>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cluster/graph/graph_edit.h"
#include "cluster/graph/graph_fold.h"
#include "cluster/graph/implied_hosts.h"
#include "cluster/graph/routing.h"
#include "document/plan_context.h"
#include "editors/network/alignment_guides.h"
#include "figures/rank_colours.h"
#include "theme/theme.h"

class QLineEdit;
class QMenu;

namespace nest {

/// The canvas on which a network is drawn and changed. It holds no truth: it shows the graph it was given and
/// emits edits, each a pure function with a verb, for the document to apply.
class NetworkCanvas : public QWidget {
  Q_OBJECT
public:
  using GraphEdit = std::function<void(NetworkGraph&)>;
  enum class Tool { Select, Connect, AddDevice, AddHost, AddSwitch };
  enum class FoldWhen { Huge, Always, Never };
  /// What the play head stands on, by stage: a task (see TaskKind) or kWaits.
  static constexpr int kWaits = -1;

  static constexpr double kLegendRow = 22;                 ///< pixels
  static constexpr double kLegendHeight = 2 * kLegendRow;  ///< at the lower edge: links above, stages below
  static constexpr double kGrid = 10;                      ///< scene units that moved and new nodes snap to
  static double snapped(double v) { return std::round(v / kGrid) * kGrid; }

  explicit NetworkCanvas(QWidget* parent = nullptr);

  /// Keeps selection and view where the nodes still exist (by id). `seats`: by node, what is placed there in
  /// the plan `of`; null: nothing but stages is known. An edit leaves the view where it is as long as it
  /// shows everything.
  void setGraph(const NetworkGraph&, std::vector<Seat> seats, bool editable, PlanContextPtr of = nullptr);
  void setColouredBy(Together);  ///< what the ranks of one colour have in common
  Together colouredBy() const { return m_colouredBy; }
  const NetworkGraph& graph() const { return m_graph; }
  void forget();  ///< what was drawn: the next graph is another one, and is shown whole
  void setTheme(const Theme&);
  void setTool(Tool);
  Tool tool() const { return m_tool; }
  void setFoldWhen(FoldWhen);
  void toggleFolding();  ///< the other way than now; by size again where that is the other way
  FoldWhen foldWhen() const { return m_foldWhen; }
  /// Siblings that are alike are drawn once. Then places are the canvas's own, and selecting what is drawn
  /// selects all that it stands for.
  bool isFolded() const { return m_isFolded; }
  int alike(int node) const { return m_folding.alike[static_cast<std::size_t>(node)]; }
  bool isShown(int node) const { return !m_folding.hides(node); }
  /// Draws siblings one by one that were drawn as `node`, or as one again.
  void unfold(int node);
  void foldAgain(int node);
  const std::set<std::string>& unfolded() const { return m_unfolded; }
  void setUnfolded(std::set<std::string> ids);
  void setLinkDefaults(BytesPerSecond bandwidth, Seconds latency) {
    m_newBandwidth = bandwidth, m_newLatency = latency;
  }

  const graph::ImpliedHosts& impliedHosts() const { return m_impliedHosts; }

  bool hasSelection() const { return !m_nodes.isEmpty() || !m_links.isEmpty(); }
  std::vector<int> selectedNodes() const;  ///< ascending
  std::vector<int> selectedLinks() const;
  void select(std::vector<int> nodes, std::vector<int> links);
  /// Selects and scrolls to a node or link (−1: none).
  void jumpTo(int node, int link);

  void fit();  ///< everything
  void fitSelection();
  void zoomBy(double factor, const QPointF& at);
  double scale() const { return m_scale; }
  QPointF toScene(const QPointF& p) const { return (p - m_offset) / m_scale; }
  QPointF toWidget(const QPointF& p) const { return p * m_scale + m_offset; }

  // Edits of what is selected; each emits `edited`.
  void removeSelected();
  void duplicateSelected(int copies);
  void copySelected() const;
  void paste();
  void groupSelected();
  void alignSelected(graph::Alignment);
  void toggleFailed();
  void layOut();
  /// What the boxes that are being moved are in line with; empty while none are.
  const std::vector<QLineF>& guides() const { return m_guides; }

  const std::vector<graph::Problem>& problems() const { return m_problems; }
  QString tipOf(int node, int link) const;  ///< −1: neither

  /// What each pair of joined nodes carries a batch, painted on the links; empty: nothing. `busiest`: which
  /// of them is named, −1 none.
  /// `byLevel` goes into the legend.
  void setLoads(std::vector<LinkLoad> loads, int busiest, const QString& byLevel);
  /// What the colours of links mean and which stage has which, as far as there are any.
  void paintLegend(QPainter&, const QRectF& area, const Theme&) const;
  /// Devices that belong to what is pointed at or chosen in other views: these stand out, and while
  /// `hovered` is not empty all others step back.
  void setLit(std::vector<int> hovered, std::vector<int> chosen);
  /// Task of each stage at the play head; empty: it stands nowhere.
  void setRunning(std::vector<int> taskOfStage);
  void paintScene(QPainter&, const QRectF& visible, double scale) const;
  /// As on paper: nothing selected or hovered, in any theme.
  void paintFigure(QPainter&, const QRectF& visible, double scale, const Theme&);
  QRectF sceneBounds() const;
  /// Where everything goes when it is fitted: free of the legend's line, which is kept for it at all times.
  QRectF fittedArea() const;

Q_SIGNALS:
  /// `field` non-empty: consecutive edits of it are one step.
  void edited(const QString& verb, const QString& field, const nest::NetworkCanvas::GraphEdit& edit);
  void selectionChanged();
  void selectedByHand();   ///< a click, a band or a key, not select()
  void hovered(int node);  ///< −1: nothing
  void foldingChanged();   ///< what is folded, or when
  void toolChanged();
  void menuMade(QMenu*);  ///< the context menu is about to show

protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void wheelEvent(QWheelEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void contextMenuEvent(QContextMenuEvent*) override;
  bool event(QEvent*) override;

  void leaveEvent(QEvent*) override;

private:
  enum class Gesture { None, Pan, Move, RubberBand, Connect, Minimap };

  static std::size_t at(int number) { return static_cast<std::size_t>(number); }
  QRectF box(int node) const { return m_boxes[at(node)]; }
  QPointF centre(int node) const { return box(node).center(); }
  QPointF middleOf(int link) const;        ///< of its path
  int nodeAt(const QPointF& scene) const;  ///< −1: none; devices win over the host around them
  int linkAt(const QPointF& scene) const;
  bool isDrawnLink(const NetworkLink&) const;  ///< links between a device and the host around it are implied
  std::vector<int> behind(int node) const;     ///< all that a drawn node stands for
  std::vector<int> linksBehind(int link) const;
  QString nameOf(int node) const;
  void show(const QRectF& scene, double mostScale);
  QMarginsF roomForNames(const QRectF& scene, double scale) const;
  QString selectedName() const;

  // What is drawn where; see network_places.cpp.
  void rebuild(bool onlyMoved);
  void fold();
  void place();
  void placeBox(int node);
  void findKinds();
  void routeLinks();
  QPolygonF routeOf(const NetworkLink&) const;
  std::vector<double> gapsBeside(const QRectF& lower, const QRectF& upper) const;
  bool isBlocked(const QPolygonF& path, const NetworkLink&) const;
  void matchLoads();
  void endGesture();  ///< what the hand was doing with nodes that may be others now
  void drag(const QPointF& by);

  /// Those between switches lie over hosts, all others below.
  void paintLinks(QPainter&, const QRectF& visible, double scale, bool trunks) const;
  void paintLink(QPainter&, int link, const QRectF& visible, double scale) const;
  QColor colourOf(int link, double scale, double& width) const;
  void paintLinkLabels(QPainter&, const QRectF& visible, double scale) const;
  QString labelOf(int link) const;
  void paintNode(QPainter&, int node, double scale) const;
  void paintSmallNodes(QPainter&, const std::vector<int>& nodes, double scale) const;
  void paintDeviceText(QPainter&, int node, const QColor& fill) const;
  void paintStack(QPainter&, int node, double scale) const;
  void paintImpliedHosts(QPainter&, const QRectF& visible, double scale) const;
  void paintFarLabels(QPainter&, const QRectF& visible, double scale) const;
  QColor fillOf(int node) const;
  bool stepsBack(int node) const;
  bool isCutOff(int node) const;
  void paintHatch(QPainter&, const QRectF& box, const RankKind&, const QColor& fill, double scale) const;
  void paintCross(QPainter&, const QRectF& box, double scale) const;
  void paintRunNumbers(QPainter&, const std::vector<int>& nodes, double scale) const;
  const Plan* plan() const { return m_plan ? m_plan->shownPlan() : nullptr; }
  void paintStageLegend(QPainter&, const QRectF& row, const Theme&) const;
  bool isTrunk(int link) const;  ///< between switches
  void paintBadges(QPainter&) const;
  void paintMinimap(QPainter&) const;
  void paintEmpty(QPainter&) const;
  QRectF minimapArea() const;

  void addRepairs(QMenu&, int node, int link);
  void addEdits(QMenu&);
  bool isSelectionFailed() const;  ///< of what toggleFailed would restore
  void editInPlace(int node, int link);
  void walk(int dx, int dy);
  void nudge(int dx, int dy);
  void addAt(const QPointF& scene);
  /// An edit that appends nodes, which are selected then, those in hosts with their hosts.
  void editAndSelect(const QString& verb, const GraphEdit&);
  void beginMove();
  QPointF movedBy(const QPointF& scene);  ///< in line with others where that is near, else on the grid
  void finishMove(const QPointF& scene);
  void finishBand(const QPointF& scene);
  void finishConnect(const QPointF& scene);
  void pick(int node, int link, bool adding);
  void hover(int node, int link);
  QString nodeTip(int node) const;
  QString linkTip(int link) const;

  NetworkGraph m_graph;
  std::vector<std::vector<int>> m_contents;
  std::vector<QRectF> m_boxes;     ///< empty: not drawn
  std::vector<int> m_shown;        ///< drawn nodes, hosts first
  std::vector<int> m_shownLinks;   ///< drawn links
  std::vector<QPolygonF> m_paths;  ///< per link; empty: not drawn
  QRectF m_bounds;
  graph::ImpliedHosts m_impliedHosts;
  graph::Folding m_folding;
  std::vector<int> m_standsFor;  ///< per link: how many
  FoldWhen m_foldWhen = FoldWhen::Huge;
  bool m_isFolded = false;
  std::set<std::string> m_unfolded;
  std::vector<Seat> m_seats;  ///< per node
  PlanContextPtr m_plan;      ///< that they are of; may be null
  Together m_colouredBy = Together::Stage, m_shownBy = Together::Stage;
  std::vector<std::vector<RankKind>> m_kinds;  ///< per drawn device: of all it stands for
  int m_stageCount = 0, m_idle = 0;            ///< of all devices
  std::vector<int> m_running;
  std::vector<char> m_litHovered, m_litChosen;  ///< per node; empty: nobody
  std::vector<graph::Problem> m_problems;
  std::vector<LinkLoad> m_loads;
  std::vector<int> m_loadOf;  ///< per link: into m_loads, −1 none
  int m_busiest = -1;
  Seconds m_most;  ///< time of the busiest link that is drawn
  QString m_byLevel;
  bool m_editable = false;
  const Theme* m_theme;
  Tool m_tool = Tool::Select;
  BytesPerSecond m_newBandwidth{50e9};
  Seconds m_newLatency{2e-6};

  QSet<int> m_nodes, m_links;
  int m_hoverNode = -1, m_hoverLink = -1;
  double m_scale = 1;
  QPointF m_offset;
  bool m_userMoved = false;  ///< until then a resize fits again

  Gesture m_gesture = Gesture::None;
  QPointF m_pressWidget, m_pressScene, m_lastWidget, m_currentScene;
  std::vector<int> m_dragged;          ///< nodes that the hand moves, contents included
  std::vector<QPointF> m_draggedFrom;  ///< where they stood
  QRectF m_draggedBox;                 ///< around them, there
  AlignmentGuides m_others;
  std::vector<QLineF> m_guides;
  int m_connectFrom = -1;
  QLineEdit* m_lineEdit = nullptr;
};

}  // namespace nest
