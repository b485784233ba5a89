#pragma once

#include <QObject>
#include <QString>

#include "document/scenario_document.h"

namespace nest {

/// The values of the open scenario that no imported file states (Scenario::unstated), in words.
class ImportAssumptions : public QObject {
  Q_OBJECT
public:
  explicit ImportAssumptions(ScenarioDocument&, QObject* parent = nullptr);

  /// One note for what was assumed and one for what was kept of the scenario before, each only while it is
  /// so.
  const Diagnostics& notes() const { return m_notes; }
  /// "Assumed: 128 H100 80 GB SXM, a global batch of 256"; empty: nothing that the user has not set.
  QString sentence() const;

Q_SIGNALS:
  void changed();

private:
  void refresh();

  ScenarioDocument& m_document;
  Diagnostics m_notes;
};

}  // namespace nest
