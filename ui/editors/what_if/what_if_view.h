#pragma once

#include <memory>
#include <vector>

#include "document/kept_plans.h"
#include "editors/what_if/what_if_field.h"
#include "views/view.h"

class QGridLayout;
class QLabel;
class QLineEdit;
class QListWidget;
class QListWidgetItem;
class QPushButton;
class QSlider;
class QTextBrowser;

namespace nest {

class FigurePane;
class PlanPairFigure;

/// Sliders over the figures of the scenario: while one is dragged the plan follows, and what it changes is
/// told in words. What-ifs that are kept stay as thumbnails to return to.
class WhatIfView : public View {
  Q_OBJECT
public:
  explicit WhatIfView(ViewServices services, QWidget* parent = nullptr);
  ~WhatIfView() override;

  QString id() const override { return QStringLiteral("whatif"); }
  QString title() const override { return tr("What-if"); }

  const Figure* figure() const override;

  QSlider* sliderOf(const QString& fieldId) const;
  QString story() const;  ///< what the shown plan changes, as text
  void keep();
  int keptCount() const;

protected:
  void refresh() override;

private:
  struct Row {
    WhatIfField field;
    QSlider* slider = nullptr;
    QLineEdit* figure = nullptr;
    QLabel* change = nullptr;
  };
  struct Reference {
    std::shared_ptr<const Scenario> scenario;
    std::shared_ptr<const RankedPlan> plan;
    std::shared_ptr<const Problem> problem;
  };
  void buildRows();
  void showValues();
  void showStory();
  void showPair();
  void dragged(std::size_t row, int step);
  void released(std::size_t row);
  void typed(std::size_t row);
  void takeReference();
  void showStrip();
  void returnTo(QListWidgetItem*);
  void renamed(QListWidgetItem*);
  void openStripMenu(const QPoint&);
  void removeCurrent();

  QWidget* m_form;
  QGridLayout* m_grid;
  std::vector<Row> m_rows;
  QString m_shape;                         ///< which fields the rows were built for
  std::unique_ptr<PlanPairFigure> m_pair;  ///< before and now, stage by stage
  Selection m_stage;                       ///< of that figure
  FigurePane* m_pane;
  QTextBrowser* m_story;
  QListWidget* m_strip;
  QPushButton *m_keep, *m_reset;
  KeptContexts m_keptContexts;
  QStringList m_stripShape;  ///< of what the strip shows
  Reference m_reference;     ///< what changes are told against
  bool m_dragging = false, m_filling = false;
};

}  // namespace nest
