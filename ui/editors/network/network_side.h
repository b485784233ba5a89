#pragma once

#include <QTabWidget>

#include "cluster/levels/cluster_source.h"
#include "editors/network/network_canvas.h"

class QTableView;
class QTimer;

namespace nest {

class DendrogramPane;
class IssueModel;
class IssueView;
class KindTableModel;
class NodeTableModel;

/// What stands beside the drawing: the levels it becomes, its kinds, the same network as a table, problems.
/// Each part is brought up to date when it is looked at.
class NetworkSide : public QTabWidget {
  Q_OBJECT
public:
  explicit NetworkSide(NetworkCanvas* canvas, QWidget* parent = nullptr);

  /// `source`: null while the cluster is typed as levels. Shows the canvas's graph.
  void show(const GraphSource* source, const DeviceSpec& device, const Theme&);
  void followSelection();  ///< of the canvas, in the table

Q_SIGNALS:
  void edited(const QString& verb, const QString& field, const nest::NetworkCanvas::GraphEdit& edit);
  void cutsMoved(const std::vector<double>& cuts);
  void cutsReset();

private:
  void refreshCurrent();
  void refreshLevels();
  void refreshProblems();
  QTableView* table(const QString& name);

  NetworkCanvas* m_canvas;
  DendrogramPane* m_levels;
  KindTableModel* m_kindModel;
  NodeTableModel* m_nodeModel;
  QTableView *m_kinds, *m_nodes;
  IssueModel* m_problemModel;
  IssueView* m_problems;
  QTimer* m_pause;
  std::optional<GraphSource> m_source;
  DeviceSpec m_device;
  std::vector<char> m_stale;  ///< per tab
  bool m_following = false;
};

}  // namespace nest
