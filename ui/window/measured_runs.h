#pragma once

#include <QObject>
#include <optional>
#include <vector>

#include "calibration/calibration.h"
#include "document/planning_session.h"

namespace nest {

class MessageBar;

/// Lays the logs, benchmarks and traces of runs over the open scenario: with the plan shown, if it is of that
/// run, else as far as it goes without. What says nothing without a plan waits until there is one.
class MeasuredRuns : public QObject {
  Q_OBJECT
public:
  MeasuredRuns(ScenarioDocument&, const PlanningSession&, MessageBar&, QObject* parent);

  /// `level`: whose exchanges it timed, where the user was asked.
  void take(const Measurement&, const QString& name, std::optional<int> level = {});

private:
  struct Waiting {
    Measurement measurement;
    QString name;
    /// The edit that took its settings, by its place in the history; the time of a step is still to be taken.
    std::optional<int> settingsTaken;
  };
  const Plan* plan() const;  ///< null: none of the scenario as it is now
  void takeSettings(const Measurement&, const QString& name, std::optional<int> level);
  void takeStep(const Waiting&, const Plan&);
  void put(const QString& verb, const Reading<Calibration>&, const QString& name);
  void put(const QString& verb, const Scenario& with, bool isDoubtful, const QString& text);
  void refuse(const Diagnostic& why, const Measurement&, const QString& name);
  void takeWaiting();

  ScenarioDocument& m_document;
  const PlanningSession& m_session;
  MessageBar& m_messages;
  std::vector<Waiting> m_waiting;
};

}  // namespace nest
