#include "panes/issue_model.h"

#include <algorithm>

#include "figures/phrases.h"
#include "theme/icon.h"
#include "units/text.h"

namespace nest {
namespace {

QString sentence(const std::string& text) {
  QString s = QString::fromStdString(text);
  if (!s.isEmpty()) s[0] = s[0].toUpper();
  return s;
}

QString placeText(const Place& p) {
  QString s = QString::fromStdString(p.file);
  if (p.line > 0) s += QStringLiteral(":%1").arg(p.line);
  if (p.line > 0 && p.column > 0) s += QStringLiteral(":%1").arg(p.column);
  return s.isEmpty() ? QString::fromStdString(p.pointer) : s;
}

QString severityName(Severity s) {
  return s == Severity::Error     ? IssueModel::tr("Error")
         : s == Severity::Warning ? IssueModel::tr("Warning")
                                  : IssueModel::tr("Note");
}

}  // namespace

void IssueModel::setFileDiagnostics(const Diagnostics& d) {
  m_file = d;
  rebuild();
}

void IssueModel::setScenarioDiagnostics(const Diagnostics& d) {
  m_scenario = d;
  rebuild();
}

void IssueModel::setPlan(const PlanContext& context) {
  m_plan.clear();
  if (const Evaluation* e = context.shownEvaluation())
    for (const Violation& v : e->violations) {
      Diagnostic d = error(v.code, {}, v.message);
      if (v.stage >= 0) d.where.file = tr("stage %1").arg(stageNumber(v.stage)).toStdString();
      m_plan.push_back({std::move(d), v.stage});
    }
  if (context.isNearestMiss())
    for (const std::string& remedy : context.outcome->nearestMiss->remedies)
      m_plan.push_back({note("would-fit", {}, "This would make it fit: " + remedy), -1});
  if (context.outcome)
    for (const Diagnostic& d : context.outcome->diagnostics) m_plan.push_back({d, -1});
  rebuild();
}

void IssueModel::rebuild() {
  beginResetModel();
  m_issues.clear();
  for (const Diagnostic& d : m_scenario) m_issues.push_back({d, -1});
  for (const Diagnostic& d : m_file) {
    // What the scenario still says is said once, with its place in the file.
    const auto same = std::find_if(m_issues.begin(), m_issues.end(), [&](const Issue& i) {
      return i.what.code == d.code && i.what.message == d.message;
    });
    if (same != m_issues.end())
      same->what.where = d.where;
    else
      m_issues.push_back({d, -1});
  }
  m_issues.insert(m_issues.end(), m_plan.begin(), m_plan.end());
  std::stable_sort(m_issues.begin(), m_issues.end(),
                   [](const Issue& a, const Issue& b) { return a.what.severity > b.what.severity; });
  endResetModel();
}

int IssueModel::errorCount() const {
  return static_cast<int>(std::count_if(m_issues.begin(), m_issues.end(),
                                        [](const Issue& i) { return i.what.severity == Severity::Error; }));
}

int IssueModel::warningCount() const {
  return static_cast<int>(std::count_if(m_issues.begin(), m_issues.end(),
                                        [](const Issue& i) { return i.what.severity == Severity::Warning; }));
}

int IssueModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_issues.size());
}

int IssueModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

QVariant IssueModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const Issue& issue = m_issues[static_cast<std::size_t>(index.row())];
  const Diagnostic& d = issue.what;
  if (role == kPointerRole) return QString::fromStdString(d.where.pointer);
  if (role == kStageRole) return issue.stage;
  if (role == Qt::DecorationRole && index.column() == Message)
    return themedIcon(d.severity == Severity::Error     ? QStringLiteral("error")
                      : d.severity == Severity::Warning ? QStringLiteral("warning")
                                                        : QStringLiteral("note"));
  if (role == Qt::AccessibleTextRole && index.column() == Message)
    return severityName(d.severity) + QStringLiteral(": ") + sentence(d.message);
  if (role == Qt::ToolTipRole) return QString::fromStdString(toText(d));
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case Message:
      return sentence(d.message);
    case Remedy:
      return sentence(d.remedy);
    case Where:
      return placeText(d.where);
    default:
      return {};
  }
}

QVariant IssueModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == Message ? tr("What") : section == Remedy ? tr("What to do") : tr("Where");
}

}  // namespace nest
