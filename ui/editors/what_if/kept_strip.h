#pragma once

#include <QListWidget>

#include "document/kept_plans.h"
#include "measures/pace.h"
#include "theme/theme.h"

namespace nest {

/// What-ifs that the scenario keeps, as thumbnails with their batch times, or their throughput where the
/// batches differ. A click returns to one; its name is typed over where it stands.
class KeptStrip : public QListWidget {
  Q_OBJECT
public:
  explicit KeptStrip(ScenarioDocument* document, QWidget* parent = nullptr);
  ~KeptStrip() override;

  /// Pictures are painted once. Hidden while nothing is kept.
  void refresh(const Theme&);
  /// Small pictures, where the view has little height.
  void setLow(bool);

Q_SIGNALS:
  /// Changes are to be told against this one.
  void comparisonRequested(const QString& name, const nest::PlanContextPtr&);
  void outdated();  ///< a name that was refused gives way to the one that stands

private:
  void addItem(const KeptPlan&, const PlanContextPtr&, const Theme&);
  PlanContextPtr contextOf(const QListWidgetItem*);
  void returnTo(QListWidgetItem*);
  void renamed(QListWidgetItem*);
  void openMenu(const QPoint&);
  void removeCurrent();

  ScenarioDocument* m_document;
  KeptContexts m_contexts;
  QStringList m_shape;                             ///< of what is shown
  PaceMeasure m_measure = PaceMeasure::BatchTime;  ///< of all that are kept and what is open
};

}  // namespace nest
