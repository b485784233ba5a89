#include "window/measured_runs.h"

#include "document/planning_session.h"
#include "formats/import_files.h"
#include "panes/log_pane.h"
#include "scenario/calibration.h"
#include "units/text.h"
#include "window/message_bar.h"

namespace nest {
namespace {

QString sentencesOf(const std::vector<std::string>& told) {
  QStringList out;
  for (const std::string& line : told) out += QString::fromStdString(line);
  return out.join(QStringLiteral("; ")) + QLatin1Char('.');
}

QString tr(const char* text) {
  return MessageBar::tr(text);
}

}  // namespace

void takeMeasurement(ScenarioDocument& document, const PlanningSession& session, MessageBar& messages,
                     const Measurement& m, const QString& name, std::optional<int> level) {
  if (document.isEmpty())
    return messages.show(
        MessageBar::Tone::Warning,
        tr("%1 tells of a run. Open the scenario of that run first, then drop it again.").arg(name));
  const auto put = [&](const QString& verb, const Scenario& with, MessageBar::Tone tone,
                       const QString& text) {
    document.closeStep();
    document.edit({}, verb.arg(name), [&](Scenario& s) { s = with; });
    document.closeStep();
    logLine(text);
    messages.show(tone, text, {MessageBar::undoing(document.history())});
  };
  // Where it is the level that is not known, the levels are offered.
  const auto refuse = [&](const Diagnostics& why) {
    std::vector<MessageBar::Choice> choices;
    if (why.front().code == "link-level")
      if (const auto cluster = deriveHierarchy(document.scenario().cluster))
        for (int l = 1; l < cluster->levelCount(); ++l)
          choices.push_back(
              {QString::fromStdString(cluster->level(l).name), [&document, &session, &messages, m, name, l] {
                 takeMeasurement(document, session, messages, m, name, l);
               }});
    const QString text = tr("%1 changes nothing: %2").arg(name, inWords(why.front()));
    messages.show(MessageBar::Tone::Error, text, choices);
    logTrouble(text);
  };
  const PlanContext& shown = *session.context();
  if (const Plan* plan = shown.current ? shown.shownPlan() : nullptr) {
    const auto calibrated = calibrationFor(document.scenario(), *plan, m, level);
    if (calibrated)
      return put(tr("Calibrate with %1"), calibrated.value->scenario,
                 calibrated.value->isDoubtful ? MessageBar::Tone::Warning : MessageBar::Tone::Note,
                 tr("%1: step time of this plan predicted %2 before, %3 now: %4")
                     .arg(name, QString::fromStdString(text::time(calibrated.value->predicted)),
                          QString::fromStdString(text::time(calibrated.value->rescaled)),
                          sentencesOf(calibrated.value->told)));
    if (calibrated.diagnostics.front().code != "run-differs") return refuse(calibrated.diagnostics);
  }
  Imported parts;
  parts.measured.push_back({m, name.toStdString(), level});
  const Scenario before = document.scenario();
  const auto made = assemble(parts, &before);
  if (!made) return refuse(made.diagnostics);
  std::vector<std::string> told;
  for (const Diagnostic& d : made.diagnostics)
    if (d.code != "run-time") told.push_back(d.message);
  QString text = name + QStringLiteral(": ") + sentencesOf(told);
  if (const auto* run = std::get_if<TrainingRun>(&m.of); run && run->lines > 0)
    text += QLatin1Char(' ') +
            tr("When the run's plan is found, drop the log again to calibrate by its step time.");
  put(tr("Take settings from %1"), *made.value, MessageBar::Tone::Note, text);
}

}  // namespace nest
