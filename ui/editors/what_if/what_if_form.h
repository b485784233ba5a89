#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "editors/what_if/what_if_field.h"

class QGridLayout;
class QLabel;
class QLineEdit;
class QSlider;

namespace nest {

class ScenarioDocument;

/// A slider and a figure to type for each field that the open scenario offers. A drag previews and ends in
/// one undo step; beside each figure stands how far it is from that of a reference.
class WhatIfForm : public QWidget {
  Q_OBJECT
public:
  explicit WhatIfForm(ScenarioDocument* document, QWidget* parent = nullptr);

  void rebuild();  ///< the rows, where the scenario offers others than before
  void forget() { m_shape.clear(), m_reference.reset(); }
  void setReference(std::shared_ptr<const Scenario>);
  void showValues();
  bool isDragging() const { return m_dragging; }
  QSlider* sliderOf(const QString& fieldId) const;  ///< null: there is none

private:
  struct Row {
    WhatIfField field;
    QSlider* slider = nullptr;
    QLineEdit* figure = nullptr;
    QLabel* change = nullptr;
  };
  void addRow(const WhatIfField&, int line);
  void dragged(std::size_t row, int step);
  void released(std::size_t row);
  void typed(std::size_t row);
  void edit(const WhatIfField&, double v, bool merges);

  ScenarioDocument* m_document;
  QGridLayout* m_grid;
  std::vector<Row> m_rows;
  QString m_shape;  ///< which fields the rows were built for
  std::shared_ptr<const Scenario> m_reference;
  bool m_dragging = false, m_filling = false;
};

}  // namespace nest
