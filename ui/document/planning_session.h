#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <optional>

#include "document/plan_context.h"
#include "document/scenario_document.h"
#include "jobs/job_runner.h"

namespace nest {

/// Keeps a plan beside the document: derives the problem after each edit, re-costs the plan at hand, runs
/// solves in the background and hands out a new PlanContext whenever what is to be shown changes.
class PlanningSession : public QObject {
  Q_OBJECT
public:
  PlanningSession(ScenarioDocument& document, JobRunner::Solve solve, QObject* parent = nullptr);
  ~PlanningSession() override;

  PlanContextPtr context() const { return m_context; }  ///< never null
  const SearchState& search() const { return *m_search; }
  /// Of the scenario as it is now, even while the context still shows an older plan.
  const Diagnostics& diagnostics() const { return m_diagnostics; }
  bool isLive() const { return m_live; }

public Q_SLOTS:
  void setLive(bool);
  void solve();
  void cancel();

Q_SIGNALS:
  void contextChanged();
  void searchChanged();  ///< it began, ended, or has come further; a few times a second
  void diagnosticsChanged();
  void liveChanged(bool);
  void logged(const QString& line);

private:
  void scenarioChanged(bool preview);
  void nameChanged();
  void submit(bool live);
  void followSearch();
  void tick();
  void drain();
  void take(const JobRunner::Message&);
  void showSoFar(const JobRunner::Message&);
  void showHeldBack();
  void publish(PlanContext);
  std::optional<PlanContext> recosted(const RankedPlan* held) const;

  ScenarioDocument& m_document;
  PlanContextPtr m_context;
  std::shared_ptr<const Problem> m_problem;  ///< of the scenario as it is now; null: it has errors
  Diagnostics m_diagnostics;
  std::shared_ptr<SearchState> m_search;
  QElapsedTimer m_clock;  ///< since the newest request
  QTimer m_tick;
  int m_generation = 0;  ///< of the document when what plans follow from last changed
  bool m_live = true;
  bool m_forgetPlan = false;
  bool m_heldBack = false;  ///< the shown plan no longer fits; the search may soon have one that does
  std::unique_ptr<JobRunner> m_runner;  ///< last: joins before the rest goes
};

}  // namespace nest
