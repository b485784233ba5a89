#pragma once

#include <QAbstractItemModel>
#include <memory>
#include <vector>

#include "evaluation/explanation.h"

namespace nest {

/// The tree of terms that a plan's time and memory are made of; see explain().
class TermModel : public QAbstractItemModel {
  Q_OBJECT
public:
  enum Column { Label, Value, ColumnCount };
  static constexpr int kIdRole = Qt::UserRole;

  using QAbstractItemModel::QAbstractItemModel;

  /// `stage`: only that stage's terms, −1: all from the root.
  void setTree(std::shared_ptr<const CostTerm> root, int stage = -1);
  const CostTerm* term(const QModelIndex&) const;
  QModelIndex indexOf(const QString& id) const;  ///< invalid if it is not in the tree shown

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex&) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;
  QVariant headerData(int section, Qt::Orientation, int role) const override;

private:
  struct Node {
    const CostTerm* term;
    int parent;  ///< node number; −1: a root
    int row;
    std::vector<int> children;
  };
  int add(const CostTerm&, int parent, int row);

  std::shared_ptr<const CostTerm> m_root;
  std::vector<Node> m_nodes;
  std::vector<int> m_roots;
};

/// "29.3 ms"; "12 values" of a term that only lists what others use, nothing where it lists none.
QString valueOf(const CostTerm&);

}  // namespace nest
