#pragma once

#include <QPointF>
#include <QRectF>
#include <QSet>
#include <QWidget>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "cluster/graph_edit.h"
#include "cluster/routing.h"
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

  static constexpr double kGrid = 10;  ///< scene units that moved and new nodes snap to
  static double snapped(double v) { return std::round(v / kGrid) * kGrid; }

  explicit NetworkCanvas(QWidget* parent = nullptr);

  /// Keeps selection and view where the nodes still exist (by id). `stageOfNode`: −1 or the stage painted on
  /// a device.
  void setGraph(const NetworkGraph&, std::vector<int> stageOfNode, bool editable);
  const NetworkGraph& graph() const { return m_graph; }
  void setTheme(const Theme&);
  void setTool(Tool);
  Tool tool() const { return m_tool; }
  void setLinkDefaults(BytesPerSecond bandwidth, Seconds latency) {
    m_newBandwidth = bandwidth, m_newLatency = latency;
  }

  std::vector<int> selectedNodes() const { return {m_nodes.begin(), m_nodes.end()}; }
  std::vector<int> selectedLinks() const { return {m_links.begin(), m_links.end()}; }
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

  const std::vector<graph::Problem>& problems() const { return m_problems; }

  /// What each pair of joined nodes carries a batch, painted on the links; empty: nothing. `busiest`: which
  /// of them is named, −1 none.
  void setLoads(std::vector<LinkLoad> loads, int busiest);
  void paintScene(QPainter&, const QRectF& visible, double scale) const;
  /// As on paper: nothing selected or hovered, in any theme.
  void paintFigure(QPainter&, const QRectF& visible, double scale, const Theme&);
  QRectF sceneBounds() const;

Q_SIGNALS:
  /// `field` non-empty: consecutive edits of it are one step.
  void edited(const QString& verb, const QString& field, const nest::NetworkCanvas::GraphEdit& edit);
  void previewed(const nest::NetworkCanvas::GraphEdit& edit);
  void previewEnded();
  void selectionChanged();
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

private:
  enum class Gesture { None, Pan, Move, RubberBand, Connect, Minimap };

  QRectF box(int node) const { return m_boxes[static_cast<std::size_t>(node)]; }
  QPointF centre(int node) const { return box(node).center(); }
  int nodeAt(const QPointF& scene) const;  ///< −1: none; devices win over the host around them
  int linkAt(const QPointF& scene) const;
  bool isDrawnLink(const NetworkLink&) const;  ///< links between a device and the host around it are implied
  void paintLink(QPainter&, int link, double scale, bool label) const;
  void paintNode(QPainter&, int node, double scale) const;
  void paintBadges(QPainter&) const;
  void paintMinimap(QPainter&) const;
  QRectF minimapArea() const;
  void editInPlace(int node, int link);
  void walk(int dx, int dy);
  void nudge(int dx, int dy);
  void addAt(const QPointF& scene);
  void rebuild();
  void matchLoads();
  QString tipOf(int node, int link) const;
  std::vector<int> movable() const;

  NetworkGraph m_graph;
  std::vector<std::vector<int>> m_contents;
  std::vector<QRectF> m_boxes;
  std::vector<int> m_stage;
  std::vector<graph::Problem> m_problems;
  std::vector<LinkLoad> m_loads;
  std::vector<int> m_loadOf;  ///< per link: into m_loads, −1 none
  int m_busiest = -1;
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
  int m_connectFrom = -1;
  QLineEdit* m_lineEdit = nullptr;
};

}  // namespace nest
