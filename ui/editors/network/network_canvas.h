#pragma once

#include <QPixmap>
#include <QPointF>
#include <QRectF>
#include <QTimer>
#include <QWidget>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/graph/graph_edit.h"
#include "document/plan_context.h"
#include "editors/network/alignment_guides.h"
#include "figures/topology/network_painter.h"
#include "figures/topology/network_scene.h"
#include "theme/theme.h"
#include "units/text.h"

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

  static constexpr double kKeyHeight = 2 * kNetworkKeyRow;  ///< room at the lower edge, also without a key
  static constexpr double kGrid = 10;                       ///< scene units that moved and new nodes snap to
  static double snapped(double v) { return std::round(v / kGrid) * kGrid; }

  explicit NetworkCanvas(QWidget* parent = nullptr);

  /// Keeps selection and view where the nodes still exist (by id). `seats`: by node, what is placed there in
  /// the plan `of`; null: nothing but stages is known. An edit leaves the view where it is as long as it
  /// shows everything.
  void setGraph(const NetworkGraph&, std::vector<Seat> seats, bool editable, PlanContextPtr of = nullptr);
  void setColouredBy(Together);  ///< what the ranks of one colour have in common
  const NetworkScene& scene() const { return m_scene; }
  const NetworkGraph& graph() const { return m_scene.graph(); }
  void forget();  ///< what was drawn: the next graph is another one, and is shown whole
  void setTheme(const Theme&);
  void setTool(Tool);
  Tool tool() const { return m_tool; }
  void setFolding(Folding);
  /// Draws siblings one by one that were drawn as `node`, or as one again.
  void unfold(int node);
  void foldAgain(int node);
  void setUnfolded(std::set<std::string> ids);
  void setLinkDefaults(BytesPerSecond bandwidth, Seconds latency) {
    m_newBandwidth = bandwidth, m_newLatency = latency;
  }

  bool hasSelection() const { return !m_marks.nodes.isEmpty() || !m_marks.links.isEmpty(); }
  std::vector<int> selectedNodes() const;  ///< ascending
  std::vector<int> selectedLinks() const;
  QString selectedText() const;  ///< what a screen reader says of it; empty: nothing is selected
  void select(std::vector<int> nodes, std::vector<int> links);
  /// Selects and scrolls to a node or link (−1: none).
  void jumpTo(int node, int link);

  void fit();  ///< everything
  void fitSelection();
  void zoomBy(double factor, const QPointF& at);
  void panBy(const QPointF& pixels);
  /// Where it has been zoomed and panned to, by name; empty: everything is fitted.
  std::map<std::string, double> viewport() const;
  void setViewport(const std::map<std::string, double>&);  ///< does nothing where a name is missing
  double scale() const { return m_scale; }
  QPointF toScene(const QPointF& p) const { return (p - m_offset) / m_scale; }
  QRectF seen() const { return {toScene({0, 0}), toScene(QPointF(width(), height()))}; }
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

  /// See NetworkScene.
  void setLoads(std::vector<LinkLoad> loads, int busiest, const QString& byLevel);
  /// Devices that belong to what is pointed at or chosen in other views: these stand out, and while
  /// `hovered` is not empty all others step back.
  void setLit(std::vector<int> hovered, std::vector<int> chosen);
  /// Task of each stage at the play head, or NetworkMarks::kWaits; empty: it stands nowhere.
  void setRunning(std::vector<int> taskOfStage);
  /// The uplink that a node lacks, drawn as a dashed line with a button at its middle, pixels; null: it lacks
  /// none, or there is no room for buttons.
  QRectF uplinkButton(int node) const;
  /// How many nodes the next click of a drawing tool places: what has been typed, or 1.
  int stamped() const { return std::max(1, m_stamped); }
  /// What was selected, to be selected again in another state of the same drawing.
  struct Chosen {
    std::vector<std::string> nodes;                          ///< ids
    std::vector<std::pair<std::string, std::string>> links;  ///< ids of their ends
  };
  Chosen chosen() const;
  void select(const Chosen&);                     ///< what of it exists
  void setTyped(std::set<double> inBits);         ///< bandwidths that were typed in bits, see NetworkScene
  void rememberUnit(const text::BandwidthText&);  ///< in which a bandwidth has been typed
  /// How often all of a drawing of thousands was painted: not when the mouse moves over it.
  int wholePaints() const { return m_wholePaints; }
  /// Where everything goes when it is fitted: free of the key, for which room is kept at all times.
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
  int linkAt(const QPointF& scene) const;
  void show(const QRectF& scene, double mostScale);
  QMarginsF roomForNames(const QRectF& scene, double scale) const;
  QString selectedName() const;

  void forgetPartOfFolded();
  void refolded();
  void endGesture();  ///< what the hand was doing with nodes that may be others now
  void drag(const QPointF& by);

  void refresh();  ///< paints all anew
  void paintNetwork(QPainter&);
  void paintLayers(QPainter&);
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
  QSizeF sizeOf(Tool) const;
  QPointF freePlace(const QPointF& wanted, const QSizeF&) const;  ///< near it, next to what stands there
  /// Numbers of problems that an uplink would settle, with their buttons; pixels.
  std::vector<std::pair<std::size_t, QRectF>> uplinkButtons() const;
  void paintUplinks(QPainter&) const;
  void paintStencil(QPainter&) const;
  bool typeStamp(const QKeyEvent&);
  /// An edit that appends nodes, which are selected then, those in hosts with their hosts.
  void editAndSelect(const QString& verb, const GraphEdit&);
  void beginMove();
  QPointF movedBy(const QPointF& scene);  ///< in line with others where that is near, else on the grid
  void finishMove(const QPointF& scene);
  void finishBand(const QPointF& scene);
  void finishConnect(const QPointF& scene);
  void pick(int node, int link, bool adding);
  void hover(int node, int link);

  NetworkScene m_scene;
  NetworkMarks m_marks;
  bool m_editable = false;
  const Theme* m_theme;
  Tool m_tool = Tool::Select;
  BytesPerSecond m_newBandwidth{50e9};
  Seconds m_newLatency{2e-6};

  double m_scale = 1;
  QPointF m_offset;
  QSize m_placedFor;         ///< the size in which these stand: hidden, it changes unseen
  bool m_userMoved = false;  ///< until then a resize fits again

  Gesture m_gesture = Gesture::None;
  QPointF m_pressWidget, m_pressScene, m_lastWidget, m_currentScene;
  std::vector<int> m_dragged;          ///< nodes that the hand moves, contents included
  std::vector<QPointF> m_draggedFrom;  ///< where they stood
  QRectF m_draggedBox;                 ///< around them, there
  AlignmentGuides m_others;
  std::vector<QLineF> m_guides;
  int m_connectFrom = -1;
  int m_stamped = 0;  ///< typed with a drawing tool; 0: nothing
  /// The view before what was made had to be brought into sight, until the hand moves it.
  struct ViewBefore {
    double scale = 1;
    QPointF offset;
    bool userMoved = false;
    std::string made;  ///< id of what made it change: undone, the view comes back
  };
  std::optional<ViewBefore> m_viewBefore;
  QLineEdit* m_lineEdit = nullptr;

  static constexpr std::size_t kThousands = 2000;  ///< boxes
  /// A drawing of thousands without what the mouse is on, below and above the devices that this lights; null:
  /// to be painted.
  struct Layers {
    QPixmap ground, top;
    NetworkPainter::Detail detail;
    double scale = 0;
    QPointF offset;  ///< with these they were painted
  };
  void settleLater();
  bool shift(Layers&);
  std::array<Layers, 2> m_layers;  ///< with all devices in front, and stepping back
  int m_wholePaints = 0;
  QTimer m_settle;  ///< from a pan or a zoom until names are placed again
};

}  // namespace nest
