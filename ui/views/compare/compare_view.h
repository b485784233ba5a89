#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "document/kept_plans.h"
#include "solver/baselines/baselines.h"
#include "views/view.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTabWidget;
class QTableWidget;
class QTextBrowser;

namespace nest {

class AdaptiveSplitter;
class BackgroundRun;
class ComparisonFigure;
class FigurePane;
class PlanPairFigure;
class TableFigure;
class WaterfallFigure;

/// The plan beside the other planning methods and beside plans that were kept, on one scale, with the
/// differences in words.
class CompareView : public View {
  Q_OBJECT
public:
  explicit CompareView(ViewServices services, QWidget* parent = nullptr);
  ~CompareView() override;

  QString id() const override { return QStringLiteral("compare"); }
  QString title() const override { return tr("Compare"); }
  const Figure* figure() const override;

  State state() const override;
  std::vector<PlanBeside> plansBeside() const override;
  std::pair<PlanContextPtr, PlanContextPtr> plansCompared() const override;
  void showBeside(std::vector<PlanBeside>) override;
  QString whyNotKept() const override;
  std::optional<SelectionItem> marked() const override;

  std::vector<const Figure*> figures() const override;
  void compute(const Control&) override;

  void runBaselines();
  void keepPlan();  ///< keeps the shown plan as it is, with its scenario, for comparison
  /// Keeps a plan from elsewhere, as it would run in the open scenario.
  void addPlan(const Plan&, const QString& name);
  /// Shows the difference from the plan of the scenario to another, which stands with the others from then
  /// on. `isBefore`: from the other to the plan of the scenario.
  void compareWith(const QString& name, const PlanContextPtr& other, bool isBefore = false);
  int rowCount() const { return static_cast<int>(m_entries.size()); }

protected:
  void refresh() override;
  void applyState(const State&) override;

private:
  struct Entry {
    QString name, note;
    RankedPlan plan;
    std::shared_ptr<const Problem> problem;
    std::shared_ptr<const Scenario> scenario;
    bool kept = false;
  };
  void showTab(const QString& name);
  static PlanContextPtr contextOf(const Entry&);
  void rebuild();
  void takeWaiting();
  void showDifference();
  void fillChoices();
  void fillTable();
  void chooseSecond(int row);
  QWidget* buildTable();
  void copyTable() const;

  std::vector<Entry> m_entries;  ///< first the present plan, then kept ones, then baselines
  KeptContexts m_keptContexts;
  std::vector<PlanBeside> m_named;                  ///< by other views, to be compared with
  QString m_wantedSecond;                           ///< name of the plan to compare with, once it is listed
  bool m_wantedIsBefore = false;                    ///< and it is the first of the two
  std::vector<std::pair<Plan, QString>> m_waiting;  ///< brought before there was a problem to cost them on
  std::vector<BaselineResult> m_baselines;
  std::shared_ptr<const Problem> m_baselineProblem;  ///< that they were run on
  std::optional<std::vector<PlanBeside>> m_given;    ///< in place of what is kept and of the baselines
  State m_wanted;                                    ///< which two are looked at, until they are there
  QWidget* m_bar;
  std::unique_ptr<ComparisonFigure> m_figure;
  std::unique_ptr<WaterfallFigure> m_waterfall;
  std::unique_ptr<PlanPairFigure> m_pair;
  std::unique_ptr<TableFigure> m_tableFigure;
  Selection m_row, m_step, m_stage;  ///< of the figures: what they show need not be the shown plan
  FigurePane *m_pane, *m_waterfallPane, *m_pairPane;
  QTableWidget* m_table;
  QLabel* m_whyEmpty;  ///< over the table without rows
  QTabWidget* m_tabs;
  QComboBox *m_first, *m_second;
  AdaptiveSplitter* m_split;  ///< the plans; which two differ in what
  QTextBrowser* m_difference;
  QPushButton* m_keep;
  BackgroundRun* m_backgroundRun;
};

}  // namespace nest
