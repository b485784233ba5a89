#pragma once

#include <QAbstractTableModel>

#include "document/plan_context.h"

namespace nest {

/// Everything that is wrong or worth knowing, worst first: of reading the file, of the scenario, of the plan.
class IssueModel : public QAbstractTableModel {
  Q_OBJECT
public:
  enum Column { Message, Remedy, Where, ColumnCount };
  static constexpr int kPointerRole = Qt::UserRole;    ///< JSON pointer to jump to; may be empty
  static constexpr int kStageRole = Qt::UserRole + 1;  ///< stage to jump to; −1: none

  using QAbstractTableModel::QAbstractTableModel;

  void setFileDiagnostics(const Diagnostics&);  ///< of the last file that was read
  void setScenarioDiagnostics(const Diagnostics&);
  void setPlan(const PlanContext&);
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
  };
  void rebuild();

  Diagnostics m_file, m_scenario;
  std::vector<Issue> m_plan, m_issues;
};

}  // namespace nest
