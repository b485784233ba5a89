#pragma once

#include <QAbstractTableModel>
#include <functional>

#include "cluster/graph/graph_edit.h"
#include "document/plan_context.h"

namespace nest {

/// Everything that is wrong or worth knowing, worst first: of reading the file, of the scenario, of the drawn
/// network, of the plan.
class IssueModel : public QAbstractTableModel {
  Q_OBJECT
public:
  enum Column { Message, Remedy, Where, Repair, ColumnCount };
  static constexpr int kPointerRole = Qt::UserRole;    ///< JSON pointer to jump to; may be empty
  static constexpr int kStageRole = Qt::UserRole + 1;  ///< stage to jump to; −1: none
  static constexpr int kNodeRole = Qt::UserRole + 2;   ///< node of the drawn network to jump to; −1: none
  static constexpr int kLinkRole = Qt::UserRole + 3;   ///< link of the drawn network to jump to; −1: none

  using QAbstractTableModel::QAbstractTableModel;

  void setFileDiagnostics(const Diagnostics&);  ///< of the last file that was read
  /// What imports assumed and the user has not set.
  void setAssumptions(const Diagnostics&);
  void setScenarioDiagnostics(const Diagnostics&);
  /// Of the drawn network, or nullptr: what the scenario says of the same thing is said once, with its
  /// repair.
  void setNetwork(const NetworkGraph*);
  void setPlan(const PlanContext&);
  /// How to repair a row of the drawn network; nullptr where nobody knows, or another thing is to be
  /// repaired.
  const graph::Problem* repairOf(const QModelIndex&) const;
  /// An edit of the scenario that settles a row.
  struct Fix {
    QString verb;  ///< "Propose search options again"
    std::function<void(Scenario&)> edit;
  };
  const Fix* fixFor(const QModelIndex&) const;  ///< nullptr: there is none
  bool offersRepair() const;
  int errorCount() const;
  int warningCount() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;
  QVariant headerData(int section, Qt::Orientation, int role) const override;

private:
  struct Issue {
    Diagnostic what;
    int stage = -1;
    int node = -1, link = -1;
    QString place = {};  ///< name of the node or link; empty: what the diagnostic says
    int problem = -1;    ///< into m_problems
    Fix fix = {};        ///< no edit: none
  };
  void rebuild();
  Fix fixBy(const std::string& remedy) const;
  void addScenario();
  void addProblems();
  QString verbOf(const QModelIndex&) const;  ///< of its repair; empty: there is none
  QVariant lookOfLink(int role) const;

  std::shared_ptr<const Scenario> m_shown;
  Diagnostics m_file, m_assumed, m_scenario;
  std::vector<Issue> m_plan, m_issues;
  std::vector<graph::Problem> m_problems;
  std::vector<QString> m_problemPlaces;  ///< as m_problems
  bool m_searchIsProposed = true;
};

}  // namespace nest
