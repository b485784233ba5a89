#pragma once

#include <QStandardItemModel>
#include <memory>

#include "figures/paint/table_figure.h"
#include "jobs/background_task.h"
#include "views/view.h"

class QLabel;
class QLineEdit;
class QModelIndex;
class QSplitter;
class QTableView;
class QTabWidget;
class QTextBrowser;
class QToolButton;
class QUrl;

namespace nest {

class AdaptiveSplitter;
class BackgroundRun;
class CandidateFilter;
class CandidateModel;
class DpPane;
class FigurePane;
class FrontPane;
class PlansPane;
struct Improvement;
class WaterfallFigure;

/// What was searched and why each candidate lost; the Pareto front; and questions: why not this, what would
/// help most.
class SearchView : public View {
  Q_OBJECT
public:
  explicit SearchView(ViewServices services, QWidget* parent = nullptr);
  ~SearchView() override;

  QString id() const override { return QStringLiteral("search"); }
  QString title() const override { return tr("Search"); }
  const Figure* figure() const override;

  std::vector<const Figure*> figures() const override;
  void compute(const Control&) override;
  State defaults() const;  ///< of its tabs, whatever was in front last
  QString whyNotKept() const override;
  std::optional<SelectionItem> marked() const override;
  std::optional<SavedTable> table() const override;
  void showTable(const SavedTable&) override;
  bool showsFront() const override;
  QStringList slideText(const QString& sentence) const override;
  void showBare() override;

  void ask(const QString& question);  ///< "t=4", "layer 17 in stage 2"
  void rankImprovements();
  void rankFailures();
  void findBreakEvens();
  QString answer() const;
  bool isAnswered() const { return !answer().isEmpty() && m_newest.askedOf == context().plan; }

Q_SIGNALS:
  /// A number of the scenario is to be tried in What-if.
  void tryRequested(const QString& pointer, double value);

protected:
  void applyState(const State&) override;
  void refresh() override;
  void searchChanged() override;
  void resizeEvent(QResizeEvent*) override;

private:
  void fillMenu(const QPoint&);
  static QString questionOf(const Candidate&);
  void addCandidateActions(QMenu&, const Candidate&);
  NamedPlan namedPlanOf(const Candidate&) const;  ///< without a context: no plan of it is known
  NamedPlan namedPlan(const RankedPlan&) const;   ///< of the open scenario
  void showAnswered(NamedPlan);  ///< its difference from the plan, and what can be done with it
  void hideAnswered();
  const Candidate& candidateAt(const QModelIndex& shown) const;
  void askAbout(const Candidate&);
  void placeHeadline();
  void foldCandidates(bool);
  QWidget* buildCandidates();
  QWidget* buildQuestions();
  void askInBackground(const QString& doing, BackgroundTask::Work);
  void refreshTable();
  QString verdictHtml() const;
  QString plainVerdict() const;
  void say(const QString& html);
  void beginAnswer();
  void showAnswers();
  void followLink(const QUrl&);
  QString improvementsHtml(const std::vector<Improvement>&) const;
  bool ready(const QString& what);

  CandidateModel* m_model;
  CandidateFilter* m_sorted;
  QWidget* m_candidates;  ///< the table with its filter: a part of its own, or the last tab
  QTableView* m_table;
  QLabel* m_headline;
  QLineEdit *m_filter, *m_question;
  QTextBrowser* m_answer;
  FrontPane* m_front;
  PlansPane* m_plans;
  DpPane* m_dp;
  std::unique_ptr<TableFigure> m_candidateFigure;
  QTabWidget* m_tabs;
  QSplitter* m_split;
  std::unique_ptr<QStandardItemModel> m_keptRows;  ///< of a slide: the table as it stood
  std::unique_ptr<TableFigure> m_keptTable;
  bool m_dpStale = true;
  bool m_isBare = false;
  bool m_candidatesInFront = false;  ///< says the state that was taken up
  BackgroundRun* m_backgroundRun;
  struct Answer {
    QString html;
    std::shared_ptr<const RankedPlan> askedOf;  ///< the plan that it is about
  };
  Answer m_newest;
  std::vector<Answer> m_earlier;  ///< newest first
  QString m_shownAnswers;
  std::unique_ptr<WaterfallFigure> m_waterfall;  ///< from the plan to that of the answer
  Selection m_step;
  FigurePane* m_waterfallPane;
  QToolButton* m_usePlan;
  AdaptiveSplitter* m_answeredSplit;     ///< the words, and the figure of a plan that was found
  NamedPlan m_answered;                  ///< the plan of the answer; without a context: there is none
  std::optional<PlanUse> m_useOfAnswer;  ///< asked for before it was solved
};

}  // namespace nest
