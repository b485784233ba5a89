#pragma once

#include <memory>

#include "measures/plan_diff.h"
#include "views/view.h"

class QPushButton;
class QSlider;
class QTabWidget;
class QTextBrowser;

namespace nest {

class FigurePane;
class KeptStrip;
class PlanPairFigure;
class WaterfallFigure;
class WhatIfForm;

/// Sliders over the figures of the scenario: while one is dragged the plan follows, and what it changes is
/// told in words. What-ifs that are kept stay as thumbnails to return to and to compare with.
class WhatIfView : public View {
  Q_OBJECT
public:
  explicit WhatIfView(ViewServices services, QWidget* parent = nullptr);
  ~WhatIfView() override;

  QString id() const override { return QStringLiteral("whatif"); }
  QString title() const override { return tr("What-if"); }

  const Figure* figure() const override;
  std::vector<const Figure*> figures() const override;
  std::vector<PlanBeside> plansBeside() const override;
  std::pair<PlanContextPtr, PlanContextPtr> plansCompared() const override;
  void showBeside(std::vector<PlanBeside>) override;
  QString whyNotKept() const override;
  std::optional<SelectionItem> marked() const override { return m_stage.selected(); }
  QStringList slideText(const QString& sentence) const override;

  QSlider* sliderOf(const QString& fieldId) const;
  QString story() const;  ///< what the shown plan changes, as text
  void keep();
  void tryValue(const QString& pointer, double value);  ///< of a field of the scenario; one undo step
  int keptCount() const;

protected:
  void refresh() override;
  void searchChanged() override;
  void resizeEvent(QResizeEvent*) override;

private:
  struct Reference {
    QString name;
    std::shared_ptr<const Scenario> scenario;
    std::shared_ptr<const RankedPlan> plan;  ///< null: nothing fitted
    std::shared_ptr<const Problem> problem;
    QString obstacle;   ///< why there was no plan: "does not fit"
    QString shortfall;  ///< why nothing fitted: "stage 2 needs 37.6 GiB more"
  };
  QWidget* buildAnswer();
  void arrange();
  void tellAgainst(const QString& name, const PlanContext&);
  void showAnswer();
  bool isReferenceShown() const;
  QString storyHtml() const;
  QString searchHtml() const;
  QString changesHtml() const;
  QString differences() const;
  QString differencesHtml() const;
  PlanDiff planChanges() const;
  QString paceHtml(const PlanDiff&) const;
  QString partsThatDiffer(const PlanDiff&) const;  ///< there are two plans, of one model
  QStringList notes() const;                       ///< the story in lines, for the figure

  WhatIfForm* m_form;
  std::unique_ptr<WaterfallFigure> m_waterfall;  ///< from before to now, by what the time goes to
  std::unique_ptr<PlanPairFigure> m_pair;        ///< before and now, stage by stage
  Selection m_step, m_stage;                     ///< of those figures
  QTabWidget* m_tabs;
  FigurePane *m_waterfallPane, *m_pane;
  QWidget *m_waterfallTools, *m_pairTools;
  QTextBrowser* m_story;
  QString m_told;  ///< the html in it
  KeptStrip* m_strip;
  QPushButton *m_keep, *m_reset;
  Reference m_reference;  ///< what changes are told against
};

}  // namespace nest
