#pragma once

#include <QByteArray>
#include <QStringList>
#include <map>
#include <optional>

#include "document/selection.h"
#include "views/view.h"

namespace nest {

/// How one scenario file was last looked at. Kept among the user's settings, never in the scenario.
struct ScenarioSession {
  QByteArray panels, views;  ///< layouts, as Qt keeps them
  int width = 0;             ///< of the window then; 0: not known
  int height = 0;            ///< 0: not known, as in files of earlier versions
  bool oneAtATime = false;   ///< one view was in sight at a time; `views` are where all stand else
  QStringList folded;        ///< sections of the panel
  QString currentView;
  std::map<QString, View::State> viewStates;
  std::optional<SelectionItem> selected;
};

/// Of layouts as Qt keeps them, which windows restore without looking: a damaged one is restored as far as it
/// goes, panels on top of each other.
QString hashOfLayout(const QByteArray& panels, const QByteArray& views);

/// The newest few hundred files are remembered.
void writeSession(const QString& scenarioPath, const ScenarioSession&);
/// nullopt: this file has not been open before, or what was kept of it cannot be read.
std::optional<ScenarioSession> readSession(const QString& scenarioPath);

}  // namespace nest
