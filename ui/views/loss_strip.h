#pragma once

#include <QStringList>
#include <QWidget>

#include "document/plan_context.h"

class QLabel;
class QPushButton;

namespace nest {

class ScenarioDocument;

/// Devices, nodes and links of a scenario that count as failed, by name; what stands in a failed host is part
/// of it.
QStringList failedParts(const Scenario&);
/// The scenario with everything whole again.
Scenario withoutFailures(Scenario);
/// Takes devices (input numbers) out of every plan, as one undo step.
void failDevices(ScenarioDocument&, const std::vector<int>& inputs, const QString& what);

/// Says what failures cost: the best plan with everything whole against the one found without what failed.
/// Hidden while nothing has failed.
class LossStrip : public QWidget {
  Q_OBJECT
public:
  explicit LossStrip(ScenarioDocument* document, QWidget* parent = nullptr);

  void setContext(const PlanContextPtr&);
  QString text() const;

private:
  QString sentence(const PlanContext&, const QStringList& failed) const;

  ScenarioDocument* m_document;
  PlanContextPtr m_whole;  ///< the last plan with nothing failed
  QLabel* m_label;
};

}  // namespace nest
