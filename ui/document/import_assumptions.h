#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <vector>

#include "document/scenario_document.h"
#include "formats/import_files.h"

namespace nest {

/// The values of the open scenario that no imported file states, until the user sets them or undoes the
/// import.
class ImportAssumptions : public QObject {
  Q_OBJECT
public:
  explicit ImportAssumptions(ScenarioDocument&, QObject* parent = nullptr);

  /// Of the import that the document has just taken.
  void add(std::vector<AssumedValue>, ImportBase);
  /// One note for what was assumed and one for what was kept of the scenario before, each only while it is
  /// so.
  const Diagnostics& notes() const { return m_notes; }
  /// "Assumed: 128 H100 80 GB SXM, a global batch of 256"; empty: nothing that the user has not set.
  QString sentence() const;

  /// The notes of a parked document return with it.
  void setAside() { m_aside = m_imports; }
  void resume();

Q_SIGNALS:
  void changed();

private:
  struct Import {
    std::vector<AssumedValue> values;
    ImportBase base;
    std::shared_ptr<const Scenario> made;
    int step = 0;                           ///< how long the history was then
    const QUndoCommand* command = nullptr;  ///< of the import; null: no step made it
  };
  bool isDone(const Import&) const;
  void refresh();

  ScenarioDocument& m_document;
  std::vector<Import> m_imports, m_aside;
  Diagnostics m_notes;
};

}  // namespace nest
