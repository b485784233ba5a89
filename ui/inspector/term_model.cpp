#include "inspector/term_model.h"

#include <QStringList>
#include <algorithm>
#include <utility>

#include "figures/paint/phrases.h"
#include "theme/plain_text.h"
#include "units/text.h"

namespace nest {
namespace {

/// The outermost terms of one stage; what stands elsewhere in full is left out.
void collect(const CostTerm& term, int stage, std::vector<const CostTerm*>& out) {
  if (term.stage == stage && !term.reference) {
    out.push_back(&term);
    return;
  }
  for (const CostTerm& child : term.children) collect(child, stage, out);
}

/// It adds nothing up: it says what other terms use.
bool lists(const CostTerm& term) {
  return term.unit == TermUnit::Count && term.factor == 0;
}

QString tipFor(const CostTerm& term) {
  QString tip = QStringLiteral("<b>%1</b>").arg(QString::fromStdString(term.label).toHtmlEscaped());
  if (!term.formula.empty())
    tip += QStringLiteral("<br>") + QString::fromStdString(term.formula).toHtmlEscaped();
  if (!lists(term)) tip += QStringLiteral("<br>= %1").arg(QString::fromStdString(text::exact(term.value)));
  return richTip(tip);
}

}  // namespace

void TermModel::setTree(std::shared_ptr<const CostTerm> root, int stage) {
  beginResetModel();
  m_root = std::move(root);
  m_nodes.clear();
  m_roots.clear();
  if (m_root) {
    std::vector<const CostTerm*> tops;
    if (stage >= 0)
      collect(*m_root, stage, tops);
    else
      tops.push_back(m_root.get());
    for (const CostTerm* top : tops) m_roots.push_back(add(*top, -1, static_cast<int>(m_roots.size())));
  }
  endResetModel();
}

int TermModel::add(const CostTerm& term, int parent, int row) {
  const int self = static_cast<int>(m_nodes.size());
  m_nodes.push_back({&term, parent, row, {}});
  std::vector<int> children;
  for (const CostTerm& child : term.children)
    children.push_back(add(child, self, static_cast<int>(children.size())));
  m_nodes[self].children = std::move(children);
  return self;
}

const CostTerm* TermModel::term(const QModelIndex& index) const {
  return index.isValid() ? m_nodes[index.internalId()].term : nullptr;
}

QModelIndex TermModel::indexOf(const QString& id) const {
  const std::string wanted = id.toStdString();
  for (std::size_t i = 0; i < m_nodes.size(); ++i)
    if (m_nodes[i].term->id == wanted && !m_nodes[i].term->reference)
      return createIndex(m_nodes[i].row, 0, i);
  return {};
}

QModelIndex TermModel::index(int row, int column, const QModelIndex& parent) const {
  if (column < 0 || column >= ColumnCount || row < 0) return {};
  const auto& siblings = parent.isValid() ? m_nodes[parent.internalId()].children : m_roots;
  if (row >= static_cast<int>(siblings.size())) return {};
  return createIndex(row, column, static_cast<quintptr>(siblings[row]));
}

QModelIndex TermModel::parent(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  const int up = m_nodes[index.internalId()].parent;
  return up < 0 ? QModelIndex() : createIndex(m_nodes[up].row, 0, static_cast<quintptr>(up));
}

int TermModel::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return static_cast<int>(m_roots.size());
  return parent.column() > 0 ? 0 : static_cast<int>(m_nodes[parent.internalId()].children.size());
}

int TermModel::columnCount(const QModelIndex&) const {
  return ColumnCount;
}

QVariant TermModel::data(const QModelIndex& index, int role) const {
  const CostTerm* t = term(index);
  if (!t) return {};
  switch (role) {
    case kIdRole:
      return QString::fromStdString(t->id);
    case Qt::ToolTipRole:
      return tipFor(*t);
    case Qt::TextAlignmentRole:
      return index.column() == Value ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::DisplayRole:
      if (index.column() == Label) return QString::fromStdString(t->label);
      return valueOf(*t);
    default:
      return {};
  }
}

QVariant TermModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == Label ? tr("Term") : tr("Value");
}

QString valueOf(const CostTerm& term) {
  if (!lists(term)) return QString::fromStdString(toText(term.value, term.unit));
  return term.inputs.empty() ? QString()
                             : plural(static_cast<long long>(term.inputs.size()), TermModel::tr("value"));
}

}  // namespace nest
