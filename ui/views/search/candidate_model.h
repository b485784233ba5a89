#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QStringList>
#include <memory>
#include <vector>

#include "document/plan_context.h"
#include "theme/theme.h"

namespace nest {

/// What the search looked at, a row for each candidate: degrees, what became of it, and why.
class CandidateModel : public QAbstractTableModel {
  Q_OBJECT
public:
  enum Column { Microbatch, Strategy, Data, Stages, Result, Time, Throughput, Why, ColumnCount };
  /// Number or text to sort by. Times: plans that were found, then what was pruned, by its bound, then what
  /// does not fit, by what it lacks, then the rest.
  static constexpr int kSortRole = Qt::UserRole;

  using QAbstractTableModel::QAbstractTableModel;

  /// `problem`: of which the outcome is; without it slower plans are not taken apart.
  void setOutcome(std::shared_ptr<const Outcome>, std::shared_ptr<const Problem> problem = nullptr);
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;
  QVariant headerData(int section, Qt::Orientation, int role) const override;

  /// One sentence: why this candidate is not the plan. Of a slower one, with the terms that grew; `problem`
  /// may be null.
  static QString reason(const Candidate&, const Outcome&, const Problem* problem);

private:
  const QString& reasonOf(int row) const;
  double tokensPerSecond(const Candidate&) const;  ///< 0: it was not solved, or trains a batch of its own

  std::shared_ptr<const Outcome> m_outcome;
  std::shared_ptr<const Problem> m_problem;
  mutable std::vector<QString> m_reasons;  ///< by row; null: not asked for yet
};

/// Those candidates whose rows have every word: "tp2 zb-v", "does not fit stage 3".
class CandidateFilter : public QSortFilterProxyModel {
  Q_OBJECT
public:
  explicit CandidateFilter(QObject* parent = nullptr);
  void setWords(const QString&);

protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
  QStringList m_words;
};

}  // namespace nest
