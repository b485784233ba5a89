#pragma once

#include <QWidget>
#include <functional>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "document/scenario_document.h"

class QComboBox;
class QLabel;
class QPushButton;

namespace nest {

class BoundLine;
class ChipBox;
class FlowLayout;
struct ChoiceSpec;
struct LineSpec;

/// The scenario as one sentence with slots: "Train Llama-3-70B on 1,024 H100 80 GB SXM in hosts of 8, …".
/// Each slot edits the document as one types; a value that nobody has stated is marked until it is changed,
/// or accepted by Enter or by the button at the end. Every scenario can be said so; where its network was
/// drawn, the slot leads to the drawing.
class PlanSentence : public QWidget {
  Q_OBJECT
public:
  explicit PlanSentence(ScenarioDocument&, QWidget* parent = nullptr);

  QString asText() const;  ///< as it is read
  void focusFirst();
  bool isAnyAssumed() const;  ///< a slot has a value that nobody has stated

Q_SIGNALS:
  void loadModelRequested();
  void networkRequested();
  void noticed(const nest::Diagnostic&);  ///< what an edit left as it was
  void typeChanged();

protected:
  void changeEvent(QEvent*) override;

private:
  /// A slot with the words before it, which come and go with it.
  struct Slot {
    QString field;  ///< of Scenario::unstated
    QLabel* before;
    QWidget* editor;
    std::function<bool(const Scenario&)> isThere;
  };
  Slot& add(const QString& before, QWidget* editor, const QString& field);
  BoundLine* line(LineSpec);
  ChipBox* choice(const ChoiceSpec&);
  void buildCluster();
  void refresh();
  void accept(const QStringList& fields);

  ScenarioDocument& m_document;
  FlowLayout* m_flow;
  QPushButton *m_drawn, *m_accept;
  std::vector<Slot> m_slots;
};

}  // namespace nest
