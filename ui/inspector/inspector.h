#pragma once

#include <QTimer>
#include <QWidget>
#include <memory>

#include "document/plan_context.h"
#include "document/selection.h"

class QFormLayout;
class QLabel;
class QTreeView;

namespace nest {

struct CostTerm;
class TermModel;

/// What is selected: its figures in words, and the tree of terms with each formula and where its inputs come
/// from.
class Inspector : public QWidget {
  Q_OBJECT
public:
  explicit Inspector(Selection&, QWidget* parent = nullptr);

  void setContext(PlanContextPtr);
  void followSearch();     ///< it has come further, or has ended
  QString asText() const;  ///< title and figures, one per line

protected:
  void showEvent(QShowEvent*) override;
  void changeEvent(QEvent*) override;

private:
  void refresh();
  QString whyNothing() const;
  void showTerm();
  void follow(const QString& target);  ///< a link: "term:ID", "play:ID", "level:N", an address
  int stageInQuestion() const;

  Selection& m_selection;
  PlanContextPtr m_context;
  std::shared_ptr<const CostTerm> m_tree;  ///< of m_context; made when first shown
  TermModel* m_model;
  QLabel *m_title, *m_facts, *m_detail;
  QTreeView* m_view;
  QTimer m_soon;
  bool m_dirty = true;
};

}  // namespace nest
