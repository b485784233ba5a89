#include "panes/issue_model.h"

#include <QFileInfo>
#include <QFont>
#include <QGuiApplication>
#include <QPalette>
#include <algorithm>
#include <charconv>

#include "fields/field.h"
#include "fields/field_advice.h"
#include "figures/paint/phrases.h"
#include "scenario/search_menus.h"
#include "theme/icon.h"
#include "theme/qt_text.h"
#include "units/text.h"

namespace nest {
namespace {

QString sentence(const std::string& text) {
  return capitalised(phrase(text));
}

/// A file goes by its name; the tip has the whole path.
QString placeText(const Place& p) {
  QString s = QFileInfo(QString::fromStdString(p.file)).fileName();
  if (p.line > 0) s += QStringLiteral(":%1").arg(p.line);
  if (p.line > 0 && p.column > 0) s += QStringLiteral(":%1").arg(p.column);
  if (!s.isEmpty()) return s;
  const Field* field = findField(p.pointer);  // goes by its label here
  return QString::fromStdString(field ? field->group + ": " + field->label : p.pointer);
}

QString severityName(Severity s) {
  return s == Severity::Error     ? IssueModel::tr("Error")
         : s == Severity::Warning ? IssueModel::tr("Warning")
                                  : IssueModel::tr("Note");
}

/// "/cluster/network/nodes/3/speed" → 3; −1: the pointer is about something else.
int numberAfter(const std::string& pointer, const std::string& start) {
  int number = -1;
  if (pointer.starts_with(start))
    std::from_chars(pointer.data() + start.size(), pointer.data() + pointer.size(), number);
  return number;
}

const std::string kNodesOfFile = "/cluster/network/nodes/", kLinksOfFile = "/cluster/network/links/";

QString placeOf(const graph::Problem& p, const NetworkGraph& g) {
  const auto name = [&](int node) { return QString::fromStdString(g.nodes[node].name); };
  if (p.node >= 0) return IssueModel::tr("Network: %1").arg(name(p.node));
  if (p.link < 0) return IssueModel::tr("Network");
  const NetworkLink& l = g.links[p.link];
  return IssueModel::tr("Network: %1 – %2").arg(name(l.from), name(l.to));
}

}  // namespace

void IssueModel::setFileDiagnostics(const Diagnostics& d) {
  m_file = d;
  rebuild();
}

void IssueModel::setAssumptions(const Diagnostics& d) {
  m_assumed = d;
  rebuild();
}

void IssueModel::setScenarioDiagnostics(const Diagnostics& d) {
  m_scenario = d;
  rebuild();
}

void IssueModel::setNetwork(const NetworkGraph* graph) {
  const bool had = !m_problems.empty();
  m_problems = graph ? graph::problemsOf(*graph) : std::vector<graph::Problem>();
  m_problemPlaces.clear();
  for (const graph::Problem& p : m_problems) m_problemPlaces.push_back(placeOf(p, *graph));
  if (had || !m_problems.empty()) rebuild();
}

void IssueModel::setPlan(const PlanContext& context) {
  m_plan.clear();
  m_shown = context.scenario;
  m_searchIsProposed = !context.scenario || isSearchAsProposed(*context.scenario);
  if (context.scenario)
    for (Diagnostic& d : outgrownSearch(*context.scenario)) {
      Issue issue{std::move(d)};
      issue.fix = {tr("Propose search options again"), [](Scenario& s) { proposeSearch(s); }};
      m_plan.push_back(std::move(issue));
    }
  if (const Evaluation* e = context.shownEvaluation())
    for (const Violation& v : e->violations) {
      Diagnostic d = error(nameOf(v.kind), {}, v.message);
      if (v.stage >= 0) d.where.file = tr("stage %1").arg(stageNumber(v.stage)).toStdString();
      m_plan.push_back({std::move(d), v.stage});
    }
  if (context.isNearestMiss())
    for (const std::string& remedy : context.outcome->nearestMiss->remedies)
      m_plan.push_back({note("would-fit", {}, "Fix: " + remedy), -1});
  if (context.outcome)
    for (const Diagnostic& d : context.outcome->diagnostics) m_plan.push_back({d, -1});
  if (context.outcome)
    for (const NotSearched& n : context.outcome->notSearched) m_plan.push_back({noteOn(n), -1});
  rebuild();
}

void IssueModel::rebuild() {
  beginResetModel();
  m_issues.clear();
  addScenario();
  addProblems();
  for (const Diagnostic& d : m_file) {
    if (d.code == kSearchProposed && !m_searchIsProposed) continue;  // it tries other things by now
    // What the scenario still says is said once, with its place in the file.
    const auto same = std::find_if(m_issues.begin(), m_issues.end(), [&](const Issue& i) {
      return i.what.code == d.code && i.what.message == d.message;
    });
    if (same != m_issues.end())
      same->what.where = d.where;
    else
      m_issues.push_back({d, -1});
  }
  for (const Diagnostic& d : m_assumed) m_issues.push_back({d, -1});
  m_issues.insert(m_issues.end(), m_plan.begin(), m_plan.end());
  for (Issue& issue : m_issues)
    if (!issue.fix.edit)
      issue.fix = fixBy(issue.what.remedy.empty() ? issue.what.message : issue.what.remedy);
  std::stable_sort(m_issues.begin(), m_issues.end(),
                   [](const Issue& a, const Issue& b) { return a.what.severity > b.what.severity; });
  endResetModel();
}

/// The first change of a field that the remedy names and that makes a difference.
IssueModel::Fix IssueModel::fixBy(const std::string& remedy) const {
  if (!m_shown) return {};
  for (const auto& part : adviceParts(remedy)) {
    const auto* change = std::get_if<FieldChange>(&part);
    if (change && makesDifference(*m_shown, *change))
      return {sentence(inLabels(*change)), [change = *change](Scenario& s) { make(s, change); }};
  }
  return {};
}

/// A network that falls apart is told by naming each part that does.
void IssueModel::addScenario() {
  const bool named = std::any_of(m_problems.begin(), m_problems.end(),
                                 [](const graph::Problem& p) { return p.diagnostic.code == "unreachable"; });
  for (const Diagnostic& d : m_scenario) {
    if (named && d.code == "network-disconnected") continue;
    Issue issue{d};
    issue.node = numberAfter(d.where.pointer, kNodesOfFile);
    issue.link = numberAfter(d.where.pointer, kLinksOfFile);
    m_issues.push_back(std::move(issue));
  }
}

void IssueModel::addProblems() {
  for (std::size_t k = 0; k < m_problems.size(); ++k) {
    const graph::Problem& p = m_problems[k];
    const auto same = std::find_if(m_issues.begin(), m_issues.end(), [&](const Issue& i) {
      return i.what.code == p.diagnostic.code || (p.link >= 0 && i.link == p.link);
    });
    const bool said = same != m_issues.end() && same->problem < 0;
    if (!said) m_issues.push_back({p.diagnostic});
    Issue& issue = said ? *same : m_issues.back();
    issue.node = p.node, issue.link = p.link;
    issue.place = m_problemPlaces[k];
    issue.problem = static_cast<int>(k);
  }
}

const graph::Problem* IssueModel::repairOf(const QModelIndex& index) const {
  if (!index.isValid() || index.row() >= rowCount()) return nullptr;
  const int number = m_issues[index.row()].problem;
  if (number < 0) return nullptr;
  const graph::Problem& p = m_problems[number];
  return p.repair ? &p : nullptr;
}

const IssueModel::Fix* IssueModel::fixFor(const QModelIndex& index) const {
  if (!index.isValid() || index.row() >= rowCount()) return nullptr;
  const Fix& fix = m_issues[index.row()].fix;
  return fix.edit ? &fix : nullptr;
}

QString IssueModel::verbOf(const QModelIndex& index) const {
  if (const Fix* fix = fixFor(index)) return fix->verb;
  const graph::Problem* repair = repairOf(index);
  return repair ? QString::fromStdString(repair->repairVerb) : QString();
}

bool IssueModel::offersRepair() const {
  return std::any_of(m_issues.begin(), m_issues.end(), [](const Issue& i) { return bool(i.fix.edit); }) ||
         std::any_of(m_problems.begin(), m_problems.end(),
                     [](const graph::Problem& p) { return bool(p.repair); });
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
  const Issue& issue = m_issues[index.row()];
  const Diagnostic& d = issue.what;
  if (role == kPointerRole) return QString::fromStdString(d.where.pointer);
  if (role == kStageRole) return issue.stage;
  if (role == kNodeRole) return issue.node;
  if (role == kLinkRole) return issue.link;
  const QString repair = index.column() == Repair ? verbOf(index) : QString();
  const bool leads = issue.node >= 0 || issue.link >= 0;
  if ((index.column() == Where && leads) || !repair.isEmpty())
    if (const QVariant look = lookOfLink(role); look.isValid()) return look;
  if (role == Qt::DecorationRole && index.column() == Message)
    return themedIcon(d.severity == Severity::Error     ? QStringLiteral("error")
                      : d.severity == Severity::Warning ? QStringLiteral("warning")
                                                        : QStringLiteral("note"));
  if (role == Qt::AccessibleTextRole && index.column() == Message)
    return severityName(d.severity) + QStringLiteral(": ") + sentence(d.message);
  if (role == Qt::AccessibleTextRole && !repair.isEmpty()) return tr("Repair: %1").arg(repair);
  if (role == Qt::ToolTipRole && !repair.isEmpty()) return tr("%1 (Shift+Enter; can be undone)").arg(repair);
  if (role == Qt::ToolTipRole && index.column() == Where && leads)
    return tr("Show it on the network (Enter)");
  if (role == Qt::ToolTipRole) return QString::fromStdString(toText(d));
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case Message:
      return sentence(d.message);
    case Remedy:
      return sentence(d.remedy);
    case Where:
      return issue.place.isEmpty() ? placeText(d.where) : issue.place;
    case Repair:
      return repair;
    default:
      return {};
  }
}

/// What can be clicked looks like it.
QVariant IssueModel::lookOfLink(int role) const {
  if (role == Qt::ForegroundRole) return QGuiApplication::palette().color(QPalette::Link);
  if (role != Qt::FontRole) return {};
  QFont font;
  font.setUnderline(true);
  return font;
}

QVariant IssueModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == Message  ? tr("What")
         : section == Remedy ? tr("What to do")
         : section == Where  ? tr("Where")
                             : tr("Repair");
}

}  // namespace nest
