#include "window/measured_runs.h"

#include <algorithm>

#include "formats/import_files.h"
#include "panes/log_pane.h"
#include "units/text.h"
#include "window/message_bar.h"

namespace nest {
namespace {

QString sentencesOf(const std::vector<std::string>& told) {
  QStringList out;
  for (const std::string& line : told) out += QString::fromStdString(line);
  return out.join(QStringLiteral("; ")) + QLatin1Char('.');
}

/// Warnings may stand before it.
const Diagnostic& firstError(const Diagnostics& all) {
  const auto error =
      std::find_if(all.begin(), all.end(), [](const Diagnostic& d) { return d.severity == Severity::Error; });
  return error == all.end() ? all.front() : *error;
}

/// Layers and blocks are timed as the stages of a plan run them.
bool needsPlan(const Measurement& m) {
  return std::holds_alternative<LayerTimes>(m.of) || std::holds_alternative<BlockTable>(m.of);
}

/// A log, which calibrates by its step time; a run's configuration has none.
bool tellsStep(const Measurement& m) {
  const auto* run = std::get_if<TrainingRun>(&m.of);
  return run && run->lines > 0;
}

}  // namespace

MeasuredRuns::MeasuredRuns(ScenarioDocument& document, const PlanningSession& session, MessageBar& messages,
                           QObject* parent)
    : QObject(parent), m_document(document), m_session(session), m_messages(messages) {
  connect(&document, &ScenarioDocument::opened, this, [this] { m_waiting.clear(); });
  // Queued: whoever else is told of a plan hears of it before it changes.
  connect(&session, &PlanningSession::contextChanged, this, &MeasuredRuns::takeWaiting, Qt::QueuedConnection);
}

const Plan* MeasuredRuns::plan() const {
  const PlanContext& shown = *m_session.context();
  return shown.current && !m_document.isPreviewing() ? shown.shownPlan() : nullptr;
}

void MeasuredRuns::take(const Measurement& m, const QString& name, std::optional<int> level) {
  if (m_document.isEmpty())
    return m_messages.show(
        MessageBar::Tone::Warning,
        tr("%1 describes a run. Open the scenario of that run first, then drop it again.").arg(name));
  const Plan* shown = plan();
  if (!shown && (needsPlan(m) || (tellsStep(m) && m_session.search().running))) {
    m_waiting.push_back({m, name, {}});
    return m_messages.show(MessageBar::Tone::Note, tr("%1 is laid over the costs of one plan. It is taken as "
                                                      "soon as the plan of this scenario is found.")
                                                       .arg(name));
  }
  if (!shown) return takeSettings(m, name, level);
  const auto calibrated = calibrationFor(m_document.scenario(), *shown, m, level);
  if (calibrated) return put(tr("Calibrate with %1").arg(name), calibrated, name);
  const Diagnostic& why = firstError(calibrated.diagnostics);
  why.code == "run-differs" ? takeSettings(m, name, level) : refuse(why, m, name);
}

/// How it was set up; what is timed of it waits for the plan that follows.
void MeasuredRuns::takeSettings(const Measurement& m, const QString& name, std::optional<int> level) {
  Imported parts;
  parts.measured.push_back({m, name.toStdString(), level});
  const Scenario before = m_document.scenario();
  const auto made = assemble(parts, &before);
  if (!made) return refuse(firstError(made.diagnostics), m, name);
  std::vector<std::string> told;
  for (const Diagnostic& d : made.diagnostics)
    if (d.code != "run-time") told.push_back(d.message);
  QString text = name + QStringLiteral(": ") + sentencesOf(told);
  if (tellsStep(m))
    text += QLatin1Char(' ') + tr("Its step time calibrates as soon as the plan of the run is found.");
  put(tr("Take settings from %1").arg(name), *made.value, false, text);
  if (tellsStep(m)) m_waiting.push_back({m, name, m_document.history().index()});
}

/// With the plan that the settings of the run have led to.
void MeasuredRuns::takeStep(const Waiting& w, const Plan& found) {
  if (m_document.history().index() < *w.settingsTaken) return;  // undone
  const auto calibrated = calibrationFor(m_document.scenario(), found, w.measurement);
  if (calibrated) return put(tr("Calibrate with %1").arg(w.name), calibrated, w.name);
  const QString text = tr("The step time of %1 is not used: %2")
                           .arg(w.name, QString::fromStdString(firstError(calibrated.diagnostics).message));
  m_messages.show(MessageBar::Tone::Warning, text, {MessageBar::undoing(m_document.history())});
  logLine(text);
}

void MeasuredRuns::put(const QString& verb, const Reading<Calibration>& calibrated, const QString& name) {
  const Calibration& c = *calibrated;
  std::vector<std::string> told;
  for (const Diagnostic& d : calibrated.diagnostics)
    if (d.severity == Severity::Warning) told.push_back(d.message);
  const bool isDoubtful = c.isDoubtful || !told.empty();
  told.insert(told.end(), c.notes.begin(), c.notes.end());
  put(verb, c.scenario, isDoubtful,
      tr("%1: step time of this plan predicted %2 before, %3 now: %4")
          .arg(name, QString::fromStdString(text::time(c.predicted)),
               QString::fromStdString(text::time(c.rescaled)), sentencesOf(told)));
}

void MeasuredRuns::put(const QString& verb, const Scenario& with, bool isDoubtful, const QString& text) {
  m_document.closeStep();
  m_document.edit({}, verb, [&](Scenario& s) { s = with; });
  m_document.closeStep();
  logLine(text);
  m_messages.show(isDoubtful ? MessageBar::Tone::Warning : MessageBar::Tone::Note, text,
                  {MessageBar::undoing(m_document.history())});
}

/// Where it is the level that is not known, the levels are offered.
void MeasuredRuns::refuse(const Diagnostic& why, const Measurement& m, const QString& name) {
  std::vector<MessageBar::Choice> choices;
  if (why.code == "link-level")
    if (const auto cluster = deriveHierarchy(m_document.scenario().cluster))
      for (int l = 1; l < cluster->levelCount(); ++l)
        choices.push_back(
            {QString::fromStdString(cluster->level(l).name), [this, m, name, l] { take(m, name, l); }});
  const QString text = tr("%1 changes nothing: %2").arg(name, inWords(why));
  m_messages.show(MessageBar::Tone::Error, text, choices);
  logTrouble(text);
}

/// One after another: each changes the scenario, and with it the plan.
void MeasuredRuns::takeWaiting() {
  const auto isDue = [this](const Waiting& w) {
    return plan() || (!needsPlan(w.measurement) && !w.settingsTaken && !m_session.search().running &&
                      !m_document.isPreviewing());
  };
  for (;;) {
    const auto next = std::find_if(m_waiting.begin(), m_waiting.end(), isDue);
    if (next == m_waiting.end()) return;
    const Waiting w = std::move(*next);
    m_waiting.erase(next);
    w.settingsTaken ? takeStep(w, *plan()) : take(w.measurement, w.name);
  }
}

}  // namespace nest
