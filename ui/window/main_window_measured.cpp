// Logs, benchmarks and traces that are dropped on the window or opened.
#include "formats/import_files.h"
#include "scenario/calibration.h"
#include "units/text.h"
#include "window/main_window.h"
#include "window/message_bar.h"

namespace nest {
namespace {

QString sentencesOf(const std::vector<std::string>& told) {
  QStringList out;
  for (const std::string& line : told) out += QString::fromStdString(line);
  return out.join(QStringLiteral("; ")) + QLatin1Char('.');
}

bool isAmbiguous(const Diagnostics& all) {
  return !all.empty() && all.front().code == "link-level";
}

}  // namespace

void MainWindow::takeMeasurement(const Measurement& m, const QString& name, std::optional<int> level) {
  if (m_document.isEmpty())
    return m_messages->show(
        MessageBar::Tone::Warning,
        tr("%1 tells of a run. Open the scenario of that run first, then drop it again.").arg(name));
  const MessageBar::Choice undo{tr("Undo"), [this] { m_document.history().undo(); }};
  const auto put = [&](const QString& verb, const Scenario& with) {
    m_document.closeStep();
    m_document.edit({}, verb.arg(name), [&](Scenario& s) { s = with; });
    m_document.closeStep();
  };
  const auto refuse = [&](const Diagnostics& why) {
    std::vector<MessageBar::Choice> choices;
    if (isAmbiguous(why))
      if (const auto cluster = deriveHierarchy(m_document.scenario().cluster))
        for (int l = 1; l < cluster->levelCount(); ++l)
          choices.push_back({QString::fromStdString(cluster->level(l).name),
                             [this, m, name, l] { takeMeasurement(m, name, l); }});
    QString text = tr("%1 changes nothing: %2").arg(name, QString::fromStdString(why.front().message));
    if (!why.front().remedy.empty())
      text += QStringLiteral("; ") + QString::fromStdString(why.front().remedy);
    m_messages->show(MessageBar::Tone::Error, text, choices);
    logTrouble(text);
  };

  const PlanContext& shown = *m_session->context();
  const Plan* plan = shown.current ? shown.shownPlan() : nullptr;
  if (plan) {
    const auto calibrated = calibrationFor(m_document.scenario(), *plan, m, level);
    if (calibrated) {
      put(tr("Calibrate with %1"), calibrated.value->scenario);
      const QString text = tr("%1: step time of this plan predicted %2 before, %3 now. %4")
                               .arg(name, QString::fromStdString(text::time(calibrated.value->predicted)),
                                    QString::fromStdString(text::time(calibrated.value->rescaled)),
                                    sentencesOf(calibrated.value->told));
      log(text);
      return m_messages->show(MessageBar::Tone::Note, text, {undo});
    }
    if (calibrated.diagnostics.front().code != "run-differs") return refuse(calibrated.diagnostics);
  }
  Imported parts;
  parts.measured.push_back({m, name.toStdString(), level});
  const Scenario before = m_document.scenario();
  const auto made = assemble(parts, &before);
  if (!made) return refuse(made.diagnostics);
  put(tr("Take settings from %1"), *made.value);
  std::vector<std::string> told;
  for (const Diagnostic& d : made.diagnostics)
    if (d.code != "run-time") told.push_back(d.message);
  QString text = name + QStringLiteral(": ") + sentencesOf(told);
  if (const auto* run = std::get_if<TrainingRun>(&m.of); run && run->lines > 0)
    text += QLatin1Char(' ') +
            tr("When the run's plan is found, drop the log again to calibrate by its step time.");
  log(text);
  m_messages->show(MessageBar::Tone::Note, text, {undo});
}

}  // namespace nest
