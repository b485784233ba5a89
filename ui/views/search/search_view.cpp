#include "views/search/search_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSplitter>
#include <QStandardItemModel>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTextBrowser>
#include <QTextDocumentFragment>
#include <QVBoxLayout>
#include <algorithm>

#include "accessible/screen_reader.h"
#include "document/kept_plans.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/plan/waterfall_figure.h"
#include "figures/study/front_figure.h"
#include "schedule/pipeline_schedule.h"
#include "theme/plain_text.h"
#include "theme/qt_text.h"
#include "units/text.h"
#include "views/background_run.h"
#include "views/search/candidate_model.h"
#include "views/search/dp_pane.h"
#include "views/search/front_pane.h"
#include "views/search/plans_pane.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

const QString kTabSetting = QStringLiteral("views/search/tab");

}  // namespace

SearchView::SearchView(ViewServices services, QWidget* parent) : View(services, parent) {
  m_front = new FrontPane;
  // Found anew for this very context: everything that shows or exports the view has it from there.
  connect(m_front, &FrontPane::found, this, [this](const PlanContextPtr& wider) { setContext(wider); });
  m_headline = new QLabel;
  m_headline->setTextFormat(Qt::RichText);
  m_headline->setWordWrap(true);
  m_headline->setMargin(8);
  m_headline->setAccessibleName(tr("Outcome of the search"));

  m_dp = new DpPane;
  m_plans = new PlansPane;
  m_plans->setObjectName(QStringLiteral("best"));
  const auto offer = [this](QMenu* menu, const RankedPlan& plan) { addPlanActions(*menu, namedPlan(plan)); };
  connect(m_plans, &PlansPane::menuMade, this, offer);
  connect(m_front, &FrontPane::menuMade, this, offer);
  connect(m_plans, &PlansPane::keepRequested, this, [this](const PlanContext& c, const QString& name) {
    if (this->services().document) keepPlan(*this->services().document, c, name);
  });
  m_tabs = new QTabWidget;
  m_tabs->setAccessibleName(tr("Parts of the search"));
  m_tabs->setDocumentMode(true);
  m_tabs->addTab(buildQuestions(), tr("Questions"));
  m_front->setObjectName(QStringLiteral("front"));
  m_dp->setObjectName(QStringLiteral("dp"));
  m_tabs->widget(0)->setObjectName(QStringLiteral("questions"));
  m_tabs->addTab(m_front, tr("Pareto front"));
  m_tabs->addTab(m_dp, tr("DP table"));
  m_tabs->addTab(m_plans, tr("Best plans"));
  m_tabs->setCurrentIndex(setting(kTabSetting, 0).toInt());
  m_split = new QSplitter;
  m_candidates = buildCandidates();
  m_candidates->setObjectName(QStringLiteral("candidates"));
  m_split->addWidget(m_candidates);
  m_split->addWidget(m_tabs);
  m_split->setSizes({600, 400});
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_headline);
  column->addWidget(m_split, 1);

  setAccessibleName(title());
  remember("tab", m_tabs);
  connect(m_tabs, &QTabWidget::currentChanged, this, [this](int tab) {
    keepSetting(kTabSetting, tab);
    refreshTable();
  });
  // A cell of the table is a stage of the plan: it lights up everywhere.
  connect(&m_dp->cell(), &Selection::selectedChanged, this, [this] {
    if (const int stage = m_dp->chosenStage(); stage >= 0 && m_tabs->currentWidget() == m_dp)
      selection().setSelected(SelectionItem{ItemKind::Stage, stage});
  });
}

SearchView::~SearchView() = default;

/// Why a candidate lost is the last and longest column: where both parts side by side would hide it, they
/// stand one above the other, and where that is too low for two, the candidates are one more tab.
void SearchView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  constexpr int kBesideEachOther = 1500, kLow = 640;
  placeHeadline();
  const bool beside = width() >= kBesideEachOther;
  m_split->setOrientation(beside ? Qt::Horizontal : Qt::Vertical);
  foldCandidates(!m_isBare && !beside && height() < kLow);
  constexpr int kRoomForOutcome = 860;  // why and the step time say it too
  for (const int column : {CandidateModel::Result, CandidateModel::Throughput})
    m_table->setColumnHidden(column, !beside && width() < kRoomForOutcome);
}

/// Where the view is low the window's own headline says the verdict, and the rest is in the tip; but that one
/// gives the plan's time anew after an edit, and what is listed here does not.
void SearchView::placeHeadline() {
  constexpr int kLowest = 330;
  const bool outdated = context().outcome && !context().current && !context().isSearching();
  m_headline->setVisible(height() >= kLowest || outdated);
}

void SearchView::foldCandidates(bool fold) {
  const bool folded = m_tabs->indexOf(m_candidates) >= 0;
  if (fold == folded) return;
  const QSignalBlocker quiet(m_tabs);  // not a choice of the user
  if (fold) {
    m_tabs->addTab(m_candidates, tr("Candidates"));
    if (!setting(kTabSetting).isValid()) m_tabs->setCurrentWidget(m_candidates);
  } else {
    if (m_tabs->currentWidget() == m_candidates) m_tabs->setCurrentIndex(0);
    m_tabs->removeTab(m_tabs->indexOf(m_candidates));
    m_split->insertWidget(0, m_candidates);
    m_split->setSizes({600, 400});
    m_candidates->show();
  }
  refreshTable();
}

void SearchView::applyState(const State& state) {
  View::applyState(state);
  const auto tab = state.find("tab");
  const std::string* name = tab == state.end() ? nullptr : tab->second.name();
  m_candidatesInFront = name && *name == "candidates";  // a tab only where the view is low
}

/// What can be printed of what is seen: questions have no picture, and stand beside the candidates.
const Figure* SearchView::figure() const {
  if (m_keptTable) return m_keptTable.get();
  const QWidget* front = m_isBare && m_candidatesInFront ? m_candidates : m_tabs->currentWidget();
  if (front == m_dp) return &m_dp->figure();
  if (front == m_front) return &m_front->figure();
  if (front == m_plans) return &m_plans->figure();
  return m_candidateFigure.get();
}

std::vector<const Figure*> SearchView::figures() const {
  return {&m_front->figure(), &m_dp->figure()};
}

View::State SearchView::defaults() const {
  return {{"tab", m_tabs->indexOf(m_candidates) >= 0 ? "candidates" : "questions"}};
}

QString SearchView::whyNotKept() const {
  constexpr std::size_t kMostPlans = 500;
  if (showsFront() && context().outcome && context().outcome->front.size() > kMostPlans)
    return tr("This front has too many plans for a slide. Export the figure instead.");
  if (m_tabs->currentWidget()->objectName() != QLatin1String("questions") || answer().isEmpty()) return {};
  return tr("Slides cannot include answers yet. Copy the text, or select another Search tab.");
}

std::optional<SelectionItem> SearchView::marked() const {
  return showsFront()                  ? m_front->chosen().selected()
         : figure() == &m_dp->figure() ? m_dp->cell().selected()
                                       : std::nullopt;
}

std::optional<SavedTable> SearchView::table() const {
  const auto* table = dynamic_cast<const TableFigure*>(figure());
  return table ? std::optional(savedTable(table->model())) : std::nullopt;
}

void SearchView::showTable(const SavedTable& rows) {
  m_keptTable.reset();
  const Figure& like = *figure();
  m_keptRows = std::make_unique<QStandardItemModel>();
  fillModel(*m_keptRows, rows);
  m_keptTable = std::make_unique<TableFigure>(like.id(), like.title(), *m_keptRows);
  m_keptTable->setMore(rows.more);
}

bool SearchView::showsFront() const {
  return figure() == &m_front->figure();
}

QStringList SearchView::slideText(const QString& sentence) const {
  const auto* table = dynamic_cast<const TableFigure*>(figure());
  return {table ? table->sentence(context()) : sentence, plainVerdict()};
}

/// The part that was in front: the tab, or the candidates where nothing had been asked.
void SearchView::showBare() {
  m_isBare = true;
  foldCandidates(false);
  m_candidatesInFront =
      m_candidatesInFront || m_tabs->currentWidget()->objectName() == QLatin1String("questions");
}

void SearchView::compute(const Control&) {
  const QSignalBlocker quiet(&m_dp->cell());
  m_dpStale = false;
  m_dp->setContext(contextPtr(), theme());
}

void SearchView::refreshTable() {
  if (m_tabs->currentWidget() != m_dp || !std::exchange(m_dpStale, false)) return;
  const QSignalBlocker quiet(&m_dp->cell());
  m_dp->setContext(contextPtr(), theme());
}

const Candidate& SearchView::candidateAt(const QModelIndex& shown) const {
  return context().outcome->log.candidates[m_sorted->mapToSource(shown).row()];
}

/// A candidate's degrees as a person would ask for them.
QString SearchView::questionOf(const Candidate& c) {
  QString question = tr("b=%1, t=%2").arg(c.microbatch).arg(c.strategy.tensor);
  if (c.strategy.context > 1) question += tr(", c=%1").arg(c.strategy.context);
  if (c.strategy.expert > 1) question += tr(", e=%1").arg(c.strategy.expert);
  question += tr(", d=%1").arg(c.dataDegree);
  if (c.stageCount > 0) question += tr(", p=%1").arg(c.stageCount);
  if (c.schedule != usualSchedule(c.chunks))
    question += QStringLiteral(", ") + toQt(std::string(scheduleOf(c.schedule).id()));
  else if (c.chunks > 1)
    question += tr(", v=%1").arg(c.chunks);
  return question;
}

void SearchView::askAbout(const Candidate& c) {
  m_question->setText(questionOf(c));
  m_tabs->setCurrentIndex(0);
  ask(m_question->text());
}

/// A candidate whose plan is not listed is solved first, as a question is.
void SearchView::addCandidateActions(QMenu& menu, const Candidate& candidate) {
  if (const NamedPlan known = namedPlanOf(candidate); known.context) return addPlanActions(menu, known);
  for (const auto& [use, text] :
       {std::pair(PlanUse::Show, tr("Solve it and show it in all views")),
        std::pair(PlanUse::Compare, tr("Solve it and compare it with the best plan")),
        std::pair(PlanUse::Keep, tr("Solve it and keep its plan"))})
    menu.addAction(text, this, [this, candidate, use = use] {
      m_useOfAnswer = use;
      askAbout(candidate);
    });
}

/// The best plan that was found of a candidate's degrees: the search lists plans, not one for each candidate.
View::NamedPlan SearchView::namedPlanOf(const Candidate& c) const {
  NamedPlan out{toQt(toText(c.strategy)) + tr(" · DP%1 · MBS%2").arg(c.dataDegree).arg(c.microbatch), {}, {}};
  const auto isOf = [&c](const RankedPlan& r) {
    return r.plan.microbatch == c.microbatch && r.plan.dataDegree() == c.dataDegree &&
           (c.stageCount <= 0 || r.plan.stageCount() == c.stageCount) && !r.plan.stages.empty() &&
           r.plan.stages.front().strategy == c.strategy;
  };
  const auto& o = *context().outcome;
  for (const auto* list : {&o.plans, &o.front})
    if (const auto it = std::find_if(list->begin(), list->end(), isOf); it != list->end() && !out.context)
      out = namedPlan(*it);
  return out;
}

View::NamedPlan SearchView::namedPlan(const RankedPlan& plan) const {
  auto c = std::make_shared<PlanContext>(context());
  c->plan = std::make_shared<const RankedPlan>(plan);
  return {toQt(summaryOf(plan.plan)), std::move(c), {}};
}

void SearchView::fillMenu(const QPoint& at) {
  QMenu menu(this);
  const QModelIndex here = m_table->indexAt(at);
  if (here.isValid() && context().plan) {
    // Another search may have ended when it is chosen.
    const Candidate& candidate = candidateAt(here);
    menu.addAction(tr("Why not this one?"), this, [this, candidate] { askAbout(candidate); });
    menu.addSeparator();
    addCandidateActions(menu, candidate);
    menu.addSeparator();
  }
  menu.addAction(tr("Copy selected rows"), this, [this] {
    QString out;
    QModelIndexList rows = m_table->selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end());
    for (const QModelIndex& r : rows) {
      for (int c = 0; c < CandidateModel::ColumnCount; ++c)
        out += (c > 0 ? QStringLiteral("\t") : QString()) + r.siblingAtColumn(c).data().toString();
      out += QLatin1Char('\n');
    }
    QGuiApplication::clipboard()->setText(out);
  });
  menu.addAction(tr("Select all"), m_table, &QTableView::selectAll);
  menu.exec(m_table->viewport()->mapToGlobal(at));
}
QString SearchView::answer() const {
  return QTextDocumentFragment::fromHtml(m_newest.html).toPlainText();
}

QWidget* SearchView::buildCandidates() {
  auto* box = new QWidget;
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(8, 0, 4, 8);
  m_filter = new QLineEdit;
  m_filter->setPlaceholderText(tr("Filter candidates by words, for example: TP8 does not fit"));
  m_filter->setClearButtonEnabled(true);
  m_filter->setAccessibleName(tr("Filter candidates"));
  m_model = new CandidateModel(this);
  m_sorted = new CandidateFilter(this);
  m_sorted->setSourceModel(m_model);
  m_candidateFigure = std::make_unique<TableFigure>(QStringLiteral("candidates"), tr("Candidates"), *m_sorted,
                                                    [this](const PlanContext&) { return plainVerdict(); });
  m_table = new QTableView;
  m_table->setModel(m_sorted);
  m_table->setSortingEnabled(true);
  m_table->sortByColumn(CandidateModel::Time, Qt::AscendingOrder);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->verticalHeader()->hide();
  m_table->verticalHeader()->setDefaultSectionSize(m_table->fontMetrics().height() + 8);
  m_table->horizontalHeader()->setStretchLastSection(true);
  m_table->setWordWrap(false);
  m_table->setMinimumHeight(48);
  m_table->setAlternatingRowColors(true);
  m_table->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(m_table, &QTableView::customContextMenuRequested, this, &SearchView::fillMenu);
  connect(m_table, &QTableView::activated, this, [this](const QModelIndex& i) {
    if (context().plan) askAbout(candidateAt(i));
  });
  m_table->setAccessibleName(tr("Candidates of the search"));
  auto* none = new QLabel(tr("No candidate has all these words."));
  none->setProperty("role", "muted");
  none->hide();
  const auto sayIfNone = [this, none] {
    none->setVisible(m_model->rowCount() > 0 && m_sorted->rowCount() == 0);
  };
  connect(m_filter, &QLineEdit::textChanged, m_sorted, &CandidateFilter::setWords);
  connect(m_filter, &QLineEdit::textChanged, none, sayIfNone);
  connect(m_sorted, &QAbstractItemModel::modelReset, none, sayIfNone);
  column->addWidget(m_filter);
  column->addWidget(none);
  column->addWidget(m_table, 1);
  return box;
}

void SearchView::refresh() {
  m_backgroundRun->drop();
  m_useOfAnswer.reset();
  showAnswers();
  if (m_newest.askedOf != context().plan) hideAnswered();
  if (!answer().isEmpty() && m_newest.askedOf != context().plan)
    m_backgroundRun->say(tr("The plan has changed since this was answered."));
  m_model->setOutcome(context().outcome, context().problem);
  m_table->resizeColumnsToContents();
  m_front->setContext(contextPtr(), theme());
  m_plans->setContext(contextPtr());
  m_dpStale = true;
  refreshTable();
  searchChanged();
}

void SearchView::searchChanged() {
  View::searchChanged();
  if (const QString now = verdictHtml(); now != m_headline->text()) {
    setNamedText(*m_headline, now);
    m_tabs->tabBar()->setToolTip(richTip(now));
  }
  placeHeadline();
}

QString SearchView::plainVerdict() const {
  return QTextDocumentFragment::fromHtml(verdictHtml()).toPlainText();
}

QString SearchView::verdictHtml() const {
  const auto state = stateOf(context(), tr("what was searched"));
  const Outcome* o = context().outcome.get();
  if (state && (!o || context().isSearching()))
    return tr("<b>%1</b> %2").arg(state->heading.toHtmlEscaped(), state->text.toHtmlEscaped());
  if (!o) return {};
  const auto count = [](long long n) { return toQt(text::count(n)); };
  QString verdict;
  switch (o->status) {
    case OutcomeStatus::Optimal:
      verdict = tr("<b>Optimal:</b> no plan in the search space takes less than %1.")
                    .arg(toQt(text::time(o->lowerBound) + words::leftOut(*o)));
      break;
    case OutcomeStatus::WithinGap:
    case OutcomeStatus::BestSoFar:
      verdict = tr("<b>%1.</b>").arg(toQt(words::verdict(*o)));
      if (o->gap()) verdict += tr(" No plan takes less than %1.").arg(toQt(text::time(o->lowerBound)));
      break;
    default: {
      const words::NoPlan none = words::noPlan(*o);
      verdict = tr("<b>%1.</b>").arg(toQt(none.title));
      if (!none.detail.empty()) verdict += tr(" %1.").arg(phrase(none.detail).toHtmlEscaped());
    }
  }
  if (const std::string proven = words::proof(*o); !proven.empty())
    verdict += tr(" %1.").arg(capitalised(toQt(proven)));
  if (const auto listed = static_cast<long long>(o->log.candidates.size()); listed < o->statistics.candidates)
    verdict += tr(" The table lists %1 candidates: those solved, then those that could be as fast.")
                   .arg(count(listed));
  if (!context().current) verdict = tr("<b>%1</b> ").arg(bannerOf(context()).toHtmlEscaped()) + verdict;
  return verdict + QLatin1Char(' ') +
         tr("%1, %2, %3 in %4.")
             .arg(plural(o->statistics.candidates, tr("candidate")),
                  plural(o->statistics.tuples, tr("configuration")),
                  plural(o->statistics.states, tr("state")), toQt(text::time(o->statistics.elapsed)));
}

}  // namespace nest
