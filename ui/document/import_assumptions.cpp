#include "document/import_assumptions.h"

#include <algorithm>
#include <utility>

#include "theme/plain_text.h"
#include "theme/qt_text.h"

namespace nest {

ImportAssumptions::ImportAssumptions(ScenarioDocument& document, QObject* parent)
    : QObject(parent), m_document(document) {
  connect(&document, &ScenarioDocument::changed, this, &ImportAssumptions::refresh);
}

void ImportAssumptions::refresh() {
  Diagnostics notes;
  for (const bool kept : {false, true})
    if (auto told = noteUnstated(m_document.scenario(), kept)) notes.push_back(std::move(*told));
  if (notes == m_notes) return;
  m_notes = std::move(notes);
  Q_EMIT changed();
}

QString ImportAssumptions::sentence() const {
  const auto assumed =
      std::find_if(m_notes.begin(), m_notes.end(), [](const Diagnostic& d) { return d.code == kAssumed; });
  if (assumed == m_notes.end()) return {};
  return capitalised(visibleText(toQt(assumed->message)));
}

}  // namespace nest
