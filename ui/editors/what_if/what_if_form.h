#pragma once

#include <QStringList>
#include <QWidget>
#include <memory>
#include <vector>

#include "fields/field_slide.h"
#include "scenario/scenario.h"

class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QSlider;

namespace nest {

class ScenarioDocument;

/// A slider and a number to type for the fields that are often moved, and for any other that is added from a
/// list. A drag previews and ends in one undo step; beside each number stands how far it is from that of a
/// reference. Where they would leave a slider less than kLeastSlider pixels it stands below them.
class WhatIfForm : public QWidget {
  Q_OBJECT
public:
  explicit WhatIfForm(ScenarioDocument* document, QWidget* parent = nullptr);

  void rebuild();  ///< the rows, where the scenario offers others than before
  void forget() { m_shape.clear(), m_reference.reset(); }
  void setReference(std::shared_ptr<const Scenario>);
  void showValues();
  bool isDragging() const { return m_dragging; }
  QSlider* sliderOf(const QString& pointer) const;  ///< by the field's JSON pointer; null: there is none
  void add(const QString& pointer);                 ///< a slider for one of the other fields; remembered

  /// One undo step; the field gets a slider if it has none.
  void tryValue(const QString& pointer, double value);

  static constexpr int kSteps = 240;        ///< of a slider
  static constexpr int kLeastSlider = 160;  ///< pixels

protected:
  bool eventFilter(QObject*, QEvent*) override;
  void resizeEvent(QResizeEvent*) override;

private:
  struct Row {
    FieldAt field;
    SlideRange range;
    int line = 0;  ///< of the grid, the first of three
    QLabel* name = nullptr;
    QSlider* slider = nullptr;
    QLineEdit* figure = nullptr;
    QLabel* change = nullptr;
    QLabel* problem = nullptr;  ///< below them: what can be typed, while what was typed is none of it
  };
  void addRow(FieldAt, int line);
  void place(const Row&);
  void arrange();            ///< as the width asks for
  bool isTooNarrow() const;  ///< for slider, name and number side by side
  void offerOthers(const std::vector<FieldAt>&, int line);
  void dragged(std::size_t row, int step);
  void released(std::size_t row);
  void typed(std::size_t row);
  void tellProblem(Row&, const QString& problem);
  void edit(const FieldAt&, double v, bool merges);

  ScenarioDocument* m_document;
  QGridLayout* m_grid;
  QComboBox* m_others = nullptr;
  QStringList m_added;  ///< pointers
  std::vector<Row> m_rows;
  QString m_shape;  ///< which fields the rows were built for
  std::shared_ptr<const Scenario> m_reference;
  bool m_dragging = false, m_filling = false, m_isNarrow = false;
};

}  // namespace nest
