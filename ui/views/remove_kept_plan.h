#pragma once

#include <QString>

class QWidget;

namespace nest {

class ScenarioDocument;

/// Removes it; where slides show it, which go with it, the user is asked first.
void askToRemoveKeptPlan(QWidget& asker, ScenarioDocument&, const QString& name);

}  // namespace nest
