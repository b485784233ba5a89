#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "cluster/levels/lost_parts.h"
#include "document/plan_context.h"

class QLabel;
class QMenu;
class QPushButton;

namespace nest {

class ScenarioDocument;

/// What of the scenario's cluster has failed, and what that has cut off.
LostParts lostPartsOf(const Scenario&);
/// The scenario with everything whole again.
Scenario withoutFailures(Scenario);
/// Takes devices (input numbers) out of every plan, as one undo step: in a drawn network they fail there.
void failDevices(ScenarioDocument&, const std::vector<int>& inputs, const QString& what);

/// "Set state of gpu07 ›" with all states, and what if the hosts were free, or taken. Each is one undo step.
void addHostStates(QMenu&, ScenarioDocument&, const std::vector<std::string>& hosts);
/// "Hosts not planned on ›": for each state, and each host of it, what if they were free.
void addUnplannedHosts(QMenu&, ScenarioDocument&);

/// The hosts that nodes of a drawing are, or stand in; each once, in order.
std::vector<std::string> hostsOfNodes(const NetworkGraph&, const std::vector<int>& nodes);

/// Says what failures cost: the best plan with everything whole against the one found without what failed.
/// Hidden while nothing has failed.
class FailureStrip : public QWidget {
  Q_OBJECT
public:
  explicit FailureStrip(ScenarioDocument* document, QWidget* parent = nullptr);

  void setContext(const PlanContextPtr&);
  QString text() const;

Q_SIGNALS:
  void differenceRequested(const nest::PlanContextPtr& whole);  ///< from the plan without failures

private:
  bool isComparable(const PlanContext&) const;

  QString sentence(const PlanContext&, const LostParts&) const;

  ScenarioDocument* m_document;
  PlanContextPtr m_whole;  ///< the last plan with nothing failed
  QLabel* m_label;
  QPushButton* m_difference;
};

}  // namespace nest
