#pragma once

#include <QObject>

#include "document/plan_context.h"
#include "views/view.h"

namespace nest {

class Headline;
class Inspector;
class MessageBar;
class PlanningSession;
class ScenarioDocument;
class ViewsArea;

/// What is done with a plan that a view names: it is shown in all views in place of the best one, compared
/// with it, kept, or its degrees are pinned.
class PlanUses : public QObject {
  Q_OBJECT
public:
  struct Parts {
    ScenarioDocument& document;
    PlanningSession& session;
    ViewsArea& views;
    Inspector& inspector;
    Headline& headline;
    MessageBar& messages;
  };
  explicit PlanUses(const Parts&, QObject* parent);

  void use(View::PlanUse, const View::NamedPlan&);
  /// In every view of one plan, until the session has another; null: the best one again.
  void showInstead(const PlanContextPtr&);
  bool isShowingAnother() const { return m_shown != nullptr; }

private:
  void showEverywhere(const View::NamedPlan&);
  void compare(const View::NamedPlan&);
  void pin(const View::NamedPlan&);

  Parts m_parts;
  PlanContextPtr m_shown;  ///< null: the best plan
};

}  // namespace nest
