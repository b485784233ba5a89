#pragma once

#include <QStackedWidget>

#include "editors/network/network_canvas.h"

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace nest {

/// The figures of what is selected on the canvas, to be typed over. Applies to everything that is selected.
class PropertiesStrip : public QStackedWidget {
  Q_OBJECT
public:
  explicit PropertiesStrip(NetworkCanvas* canvas, QWidget* parent = nullptr);

  /// `drawn`: it can be edited. `effect`: of the last edit on the plan, may be empty. `remark` stands beside
  /// the counts when nothing is selected.
  void show(bool drawn, const QString& effect, const QString& remark);

Q_SIGNALS:
  void edited(const QString& verb, const QString& field, const nest::NetworkCanvas::GraphEdit& edit);

private:
  QHBoxLayout* addRow();
  void endRow(QHBoxLayout*);
  void buildNodeRow();
  void buildLinkRow();
  void showNodes(const std::vector<int>&);
  void showLinks(const std::vector<int>&);
  QString counts() const;
  void setName();
  void setSpeed();
  void setMemory();
  void setBandwidth();
  void setLatency();
  void editDevices(const QString& verb, const std::function<void(NetworkNode&)>&);
  void editLinks(const QString& verb, const std::function<void(NetworkLink&)>&);

  NetworkCanvas* m_canvas;
  QLabel *m_what, *m_nodeWhat, *m_linkWhat;
  std::vector<QWidget*> m_deviceFields;  ///< with their labels
  std::vector<QLabel*> m_effects;        ///< at the end of each row of figures
  QLineEdit *m_name, *m_speed, *m_memory, *m_bandwidth, *m_latency;
  QSpinBox* m_count;
  bool m_filling = false;
};

}  // namespace nest
