#include "document/import_assumptions.h"

#include <algorithm>
#include <utility>

#include "fields/field.h"
#include "theme/plain_text.h"
#include "theme/qt_text.h"

namespace nest {

ImportAssumptions::ImportAssumptions(ScenarioDocument& document, QObject* parent)
    : QObject(parent), m_document(document) {
  connect(&document, &ScenarioDocument::opened, this, [this] {
    m_imports.clear();
    refresh();
  });
  connect(&document, &ScenarioDocument::changed, this, &ImportAssumptions::refresh);
  // A step that is undone is still in the history when the document emits changed().
  connect(&document.history(), &QUndoStack::indexChanged, this, &ImportAssumptions::refresh);
}

void ImportAssumptions::add(std::vector<AssumedValue> values, ImportBase base) {
  Import import{std::move(values), base, m_document.snapshot()};
  if (base == ImportBase::Open) {
    const QUndoStack& history = m_document.history();
    import.step = history.index();
    import.command = import.step > 0 ? history.command(import.step - 1) : nullptr;
    // What an earlier import kept, this one keeps too.
    std::erase_if(m_imports, [](const Import& one) { return one.base == ImportBase::Open; });
  }
  m_imports.push_back(std::move(import));
  refresh();
}

void ImportAssumptions::resume() {
  m_imports = std::exchange(m_aside, {});
  for (Import& one : m_imports) one.command = nullptr;  // its history was made again
  refresh();
}

bool ImportAssumptions::isDone(const Import& one) const {
  const QUndoStack& history = m_document.history();
  return !one.command || (history.index() >= one.step && history.command(one.step - 1) == one.command);
}

void ImportAssumptions::refresh() {
  Diagnostics notes;
  const Scenario& now = m_document.scenario();
  for (const Import& one : m_imports) {
    if (!isDone(one)) continue;
    auto left = stillAssumed(one.values, *one.made, now);
    for (AssumedValue& value : left) value.option.clear();  // the command line's
    auto told = noteAssumed(left, one.base);
    if (!told) continue;
    // Enter on the note leads to the first value that can be set.
    const auto known = std::find_if(left.begin(), left.end(),
                                    [](const AssumedValue& v) { return findField(v.field) != nullptr; });
    if (known != left.end()) told->where.pointer = known->field;
    notes.push_back(std::move(*told));
  }
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
