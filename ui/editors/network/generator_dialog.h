#pragma once

#include <QDialog>
#include <map>
#include <optional>

#include "cluster/graph/network_graph.h"

class QComboBox;
class QDialogButtonBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;

namespace nest {

/// Choose a network generator and its figures; says at once how large the result is or what is wrong.
class GeneratorDialog : public QDialog {
  Q_OBJECT
public:
  explicit GeneratorDialog(QWidget* parent = nullptr);

  const std::optional<NetworkGraph>& graph() const { return m_graph; }
  QString generatorName() const;

private:
  void showForm();
  void generate();

  QComboBox* m_choice;
  QLabel* m_what;
  QLabel* m_result;
  QFormLayout* m_form;
  QDialogButtonBox* m_buttons;
  std::map<std::string, QDoubleSpinBox*> m_fields;
  std::optional<NetworkGraph> m_graph;
};

}  // namespace nest
