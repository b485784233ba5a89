#include "document/scenario_document.h"

#include <QFileInfo>
#include <QUndoCommand>
#include <utility>

#include "scenario/scenario_name.h"

namespace nest {

ScenarioParts differingParts(const Scenario& a, const Scenario& b) {
  ScenarioParts parts;
  parts.setFlag(ScenarioPart::Name, a.name != b.name || a.description != b.description);
  parts.setFlag(ScenarioPart::Cluster, !(a.cluster == b.cluster));
  parts.setFlag(ScenarioPart::Model, !(a.model == b.model));
  parts.setFlag(ScenarioPart::Job, !(a.job == b.job));
  parts.setFlag(ScenarioPart::Search, !(a.search == b.search));
  parts.setFlag(ScenarioPart::Constraints, !(a.constraints == b.constraints));
  parts.setFlag(ScenarioPart::Assumptions, a.program != b.program || !(a.assumptions == b.assumptions));
  parts.setFlag(ScenarioPart::KeptPlans, a.keptPlans != b.keptPlans);
  parts.setFlag(ScenarioPart::Slides, a.slides != b.slides);
  parts.setFlag(ScenarioPart::Run, !(a.run == b.run));
  parts.setFlag(ScenarioPart::Unstated, a.unstated != b.unstated);
  return parts;
}

/// Keeps both whole values (shared, never copied again): undoing restores exactly what was.
class ScenarioDocument::Step : public QUndoCommand {
public:
  Step(ScenarioDocument& document, const QString& field, const QString& verb,
       std::shared_ptr<const Scenario> before, std::shared_ptr<const Scenario> after)
      : QUndoCommand(verb),
        m_document(document),
        m_field(field),
        m_session(document.m_session),
        m_before(std::move(before)),
        m_after(std::move(after)) {}

  Step(ScenarioDocument& document, const ParkedDocument::Change& c)
      : Step(document, c.field, c.verb, c.before, c.after) {
    m_session = c.session;
  }
  ParkedDocument::Change change() const { return {m_field, text(), m_session, m_before, m_after}; }

  int id() const override { return m_field.isEmpty() ? -1 : 1; }
  void undo() override { m_document.apply(m_before); }
  void redo() override { m_document.apply(m_after); }
  bool mergeWith(const QUndoCommand* other) override {
    const auto* next = static_cast<const Step*>(other);
    if (next->m_field != m_field || next->m_session != m_session) return false;
    m_after = next->m_after;
    setObsolete(*m_after == *m_before);
    return true;
  }

private:
  ScenarioDocument& m_document;
  QString m_field;
  int m_session;
  std::shared_ptr<const Scenario> m_before, m_after;
};

ScenarioDocument::ScenarioDocument(QObject* parent)
    : QObject(parent), m_shown(std::make_shared<Scenario>()) {}

bool ScenarioDocument::isModified() const {
  if (isEmpty() || m_scratch || (m_committed == m_saved && !m_fileLost)) return false;
  return !m_saved || m_fileLost || !(*m_committed == *m_saved);
}

void ScenarioDocument::beScratch() {
  m_scratch = true;
  Q_EMIT fileChanged();
}

void ScenarioDocument::setFileLost(bool lost) {
  if (std::exchange(m_fileLost, lost) != lost) Q_EMIT fileChanged();
}

std::shared_ptr<const Scenario> ScenarioDocument::edited(const Edit& change) const {
  auto after = std::make_shared<Scenario>(*m_committed);
  change(*after);
  carryHostStates(m_committed->cluster, after->cluster);
  dropStated(*after, *m_committed);
  followContent(*after, *m_committed);
  return after;
}

void ScenarioDocument::push(const QString& field, const QString& verb,
                            std::shared_ptr<const Scenario> after) {
  if (*after == *m_committed)
    cancelPreview();
  else
    m_history.push(new Step(*this, field, verb, m_committed, std::move(after)));
}

void ScenarioDocument::edit(const QString& field, const QString& verb, const Edit& change) {
  if (!isEmpty()) push(field, verb, edited(change));
}

void ScenarioDocument::replace(const QString& verb, Scenario scenario) {
  if (!isEmpty()) push({}, verb, std::make_shared<const Scenario>(std::move(scenario)));
}

void ScenarioDocument::preview(const Edit& change) {
  if (isEmpty()) return;
  auto after = edited(change);
  if (*after == *m_shown) return;
  show(std::move(after), true);
}

void ScenarioDocument::cancelPreview() {
  if (isPreviewing()) show(m_committed, false);
}

void ScenarioDocument::closeStep() {
  ++m_session;
}

void ScenarioDocument::apply(std::shared_ptr<const Scenario> committed) {
  if (m_resuming) return;
  const bool modified = isModified();
  m_committed = committed;
  show(std::move(committed), false);
  if (isModified() != modified) Q_EMIT fileChanged();
}

void ScenarioDocument::show(std::shared_ptr<const Scenario> next, bool preview) {
  const auto before = std::exchange(m_shown, std::move(next));
  ++m_generation;
  Q_EMIT changed(differingParts(*before, *m_shown), preview);
}

QString ScenarioDocument::displayName() const {
  if (!m_path.isEmpty()) return QFileInfo(m_path).fileName();
  if (isEmpty()) return {};
  return m_committed->name.empty() ? tr("Untitled") : QString::fromStdString(m_committed->name);
}

void ScenarioDocument::place(std::shared_ptr<const Scenario> committed, std::shared_ptr<const Scenario> saved,
                             const QString& path) {
  m_committed = std::move(committed);
  m_shown = m_committed ? m_committed : std::make_shared<const Scenario>();
  m_saved = std::move(saved);
  m_path = path;
  m_scratch = m_fileLost = false;
  m_history.clear();
}

void ScenarioDocument::tellOpened() {
  ++m_generation;
  Q_EMIT opened();
  Q_EMIT changed(kAllParts, false);
  Q_EMIT fileChanged();
}

void ScenarioDocument::reset(Scenario scenario, const QString& path, bool modified) {
  const auto read = std::make_shared<const Scenario>(std::move(scenario));
  place(read, modified ? nullptr : read, path);
  tellOpened();
}

void ScenarioDocument::close() {
  place(nullptr, nullptr, {});
  tellOpened();
}

ScenarioDocument::ParkedDocument ScenarioDocument::setAside() const {
  ParkedDocument aside{m_committed, m_saved, m_path, {}, 0};
  for (int i = 0; i < m_history.count(); ++i) {
    const auto* step = dynamic_cast<const Step*>(m_history.command(i));
    if (!step) continue;  // of a view's own, which does not outlive its scenario
    aside.changes.push_back(step->change());
    if (i < m_history.index()) ++aside.done;
  }
  return aside;
}

void ScenarioDocument::resume(const ParkedDocument& aside) {
  place(aside.committed, aside.saved, aside.path);
  m_resuming = true;  // the steps have been taken
  for (const ParkedDocument::Change& c : aside.changes) m_history.push(new Step(*this, c));
  m_history.setIndex(aside.done);
  m_resuming = false;
  tellOpened();
}

void ScenarioDocument::markSaved(const QString& path) {
  m_path = path;
  closeStep();
  m_saved = m_committed;
  m_scratch = m_fileLost = false;
  Q_EMIT fileChanged();
}

}  // namespace nest
