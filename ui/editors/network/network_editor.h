#pragma once

#include <QPointer>
#include <map>
#include <memory>

#include "editors/network/network_canvas.h"
#include "views/view.h"

class QActionGroup;
class QLabel;
class QLineEdit;
class QListWidget;
class QSpinBox;
class QStackedWidget;
class QTableView;
class QToolBar;

namespace nest {

class DendrogramPane;
class LossStrip;
class NetworkFigure;
class NodeTableModel;
class StudyWorker;

/// The view in which the cluster's network is drawn: canvas, figures of what is selected, derived levels,
/// problems, and the same network as a table.
class NetworkEditor : public View {
  Q_OBJECT
public:
  NetworkEditor(ViewServices services, QWidget* parent = nullptr);

  QString id() const override { return QStringLiteral("network"); }
  QString title() const override { return tr("Network"); }
  ~NetworkEditor() override;
  const Figure* figure() const override;
  NetworkCanvas& canvas() const { return *m_canvas; }
  QString trafficText() const { return m_trafficText; }  ///< the most loaded link, in words; may be empty

protected:
  void refresh() override;

private:
  void buildToolBar();
  void buildFigure();
  void routeTraffic();
  void showTraffic();
  void copyImage();
  void copyText();
  void exportFigure();
  void buildStrip();
  void showSelection();
  void showDerived();
  void applyEdit(const QString& verb, const QString& field, const NetworkCanvas::GraphEdit&);
  void drawLevels();  ///< turns typed levels into a drawn network
  void openGenerators();
  void setNodeFigure(const QString& verb, const std::function<void(NetworkNode&)>&);
  void setLinkFigure(const QString& verb, const std::function<void(NetworkLink&)>&);
  bool isDrawn() const;

  std::unique_ptr<NetworkFigure> m_figure;
  StudyWorker* m_router;
  LossStrip* m_loss;
  QAction* m_showTraffic = nullptr;
  PlanContextPtr m_routedFor;  ///< what m_routed belongs to
  RoutedTraffic m_routed;
  bool m_routeAgain = false;
  QString m_trafficText;
  NetworkCanvas* m_canvas;
  DendrogramPane* m_dendrogram;
  NodeTableModel* m_table;
  QTableView* m_outline;
  QListWidget* m_problems;
  QToolBar* m_bar;
  QActionGroup* m_tools = nullptr;
  QWidget* m_banner;
  QStackedWidget* m_strip;
  QLabel* m_selectionLabel;
  QLineEdit *m_name, *m_speed, *m_memory, *m_bandwidth, *m_latency;
  QSpinBox* m_count;
  std::vector<QAction*> m_editActions;
  bool m_filling = false;
};

}  // namespace nest
