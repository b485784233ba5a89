// What the search is asked besides: why a plan is not the best one, what would improve it, what a failure
// costs.
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "diagnostics/field_change.h"
#include "document/scenario_document.h"
#include "fields/field_advice.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/plan/waterfall_figure.h"
#include "study/counterfactual.h"
#include "study/improvements.h"
#include "study/quiet_solve.h"
#include "study/sensitivity.h"
#include "theme/offline_browser.h"
#include "theme/qt_text.h"
#include "units/text.h"
#include "views/adaptive_splitter.h"
#include "views/background_run.h"
#include "views/figure_pane.h"
#include "views/flow_layout.h"
#include "views/search/search_view.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

/// A change of a field is a link that makes it.
QString adviceHtml(const std::string& text) {
  QString out;
  for (const auto& part : adviceParts(text)) {
    const auto* change = std::get_if<FieldChange>(&part);
    const QString words =
        visibleText(toQt(change ? inLabels(*change) : std::get<std::string>(part))).toHtmlEscaped();
    const bool isLink = change && change->how != FieldChange::How::Name;
    out += isLink ? QStringLiteral("<a href=\"%1\">%2</a>")
                        .arg(QString::fromLatin1(QUrl::toPercentEncoding(toQt(encoded(*change)))), words)
                  : words;
  }
  return out;
}

QString changesHtml(const PlanDiff& d) {
  QString out =
      SearchView::tr("What changes (%1):").arg(toQt(d.deltas()).toHtmlEscaped()) + QStringLiteral("<ul>");
  for (const auto& c : d.changes)
    out += QStringLiteral("<li>") + toQt(c.sentence).toHtmlEscaped() + QStringLiteral("</li>");
  return out + QStringLiteral("</ul>");
}

/// All that differs, on one line.
QString changesText(const PlanDiff& d) {
  QStringList all;
  for (const auto& c : d.changes) all << toQt(c.sentence);
  return all.isEmpty() ? SearchView::tr("same plan") : all.join(QStringLiteral("; "));
}

const auto kTryScheme = QStringLiteral("try");

/// Without a field that makes it, no link.
QString linkToTry(const Setting& s, const Problem& problem, const Improvement& i) {
  const QString words = toQt(i.what).toHtmlEscaped();
  const auto field = fieldToTry(s, problem, i);
  if (!field) return words;
  QUrl link;
  link.setScheme(kTryScheme);
  link.setPath(toQt(field->pointer) + u'=' + QString::number(field->value, 'g', 17));
  return QStringLiteral("<a href=\"%1\">%2</a>").arg(QString::fromLatin1(link.toEncoded()), words);
}

/// The gain as a bar next to its number.
QString barRow(const QString& what, const Improvement& one, double most, const QString& detail,
               const Theme& theme) {
  const double change = one.change;
  constexpr int kLongest = 140;  ///< pixels
  const int length = std::max(2, static_cast<int>(std::lround(kLongest * std::abs(change) / most)));
  const QColor colour = theme.color(change < 0 ? Theme::Role::Accent : Theme::Role::Warning);
  return QStringLiteral(
             "<tr><td style='padding-right:12px'>%1</td><td align='right' style='padding-right:8px'>"
             "<b>%2</b></td><td width='%3' style='padding-right:12px'><table cellspacing='0' "
             "cellpadding='0'><tr><td width='%4' bgcolor='%5'>&nbsp;</td></tr></table></td><td>%6</td></tr>")
      .arg(what, toQt(changeText(one)))
      .arg(kLongest + 12)
      .arg(length)
      .arg(colour.name(), detail.toHtmlEscaped());
}

}  // namespace

QWidget* SearchView::buildQuestions() {
  auto* box = new QWidget;
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(4, 4, 8, 8);
  m_backgroundRun = new BackgroundRun(tr("Stop; results so far are kept"));
  auto* run = new QHBoxLayout;
  m_question = new QLineEdit;
  m_question->setPlaceholderText(
      tr("Why not …  tp 4   ·   layer 17 in stage 2   ·   pp 8 and zero 1   ·   zb-h1"));
  m_question->setAccessibleName(tr("Why not"));
  m_question->setObjectName(QStringLiteral("question"));
  auto* askButton = new QPushButton(tr("Ask"));
  askButton->setToolTip(tr("Re-solve with this requirement and show the cost and the differences"));
  run->addWidget(m_question, 1);
  run->addWidget(askButton);
  column->addLayout(run);
  auto* buttons = new FlowLayout(6);
  buttons->setContentsMargins(0, 0, 0, 0);
  const auto button = [&](const QString& name, const QString& tip, void (SearchView::*f)()) {
    auto* b = new QPushButton(name);
    b->setToolTip(tip);
    connect(b, &QPushButton::clicked, this, f);
    buttons->addWidget(b);
    m_backgroundRun->addTrigger(b);
  };
  button(tr("Rank improvements"), tr("Re-solve with each parameter improved by 25 %, one at a time"),
         &SearchView::rankImprovements);
  button(tr("Find break-even points"), tr("Where the best plan changes"), &SearchView::findBreakEvens);
  button(tr("Rank failures"), tr("What swap, shrink and re-plan cost after a device, host or rack fails"),
         &SearchView::rankFailures);
  column->addLayout(buttons);
  column->addWidget(m_backgroundRun);
  m_answer = new OfflineBrowser;
  m_answer->setAccessibleName(tr("Answer"));
  m_answer->setPlaceholderText(tr("Results appear here."));
  m_answer->setOpenLinks(false);
  connect(m_answer, &QTextBrowser::anchorClicked, this, &SearchView::followLink);
  if (const ScenarioDocument* document = services().document)
    connect(document, &ScenarioDocument::opened, this, [this] {
      m_newest = {};
      m_earlier.clear();
      showAnswers();
    });
  m_waterfall = std::make_unique<WaterfallFigure>(QStringLiteral("why-not"));
  m_waterfallPane = new FigurePane(*m_waterfall, m_step);
  m_waterfallPane->setLeastHeight(180);
  m_usePlan = new QToolButton;
  m_usePlan->setText(tr("Use this plan"));
  m_usePlan->setToolTip(tr("Show, compare, keep or pin the plan of this answer"));
  m_usePlan->setPopupMode(QToolButton::InstantPopup);
  m_usePlan->setMenu(new QMenu(m_usePlan));
  connect(m_usePlan->menu(), &QMenu::aboutToShow, this, [this] {
    m_usePlan->menu()->clear();
    addPlanActions(*m_usePlan->menu(), m_answered);
  });
  auto* figure = new QWidget;
  auto* figureColumn = new QVBoxLayout(figure);
  figureColumn->setContentsMargins(0, 0, 0, 0);
  auto* tools = new QHBoxLayout;
  tools->addWidget(m_usePlan);
  tools->addStretch(1);
  m_waterfallPane->addButtons(tools);
  figureColumn->addLayout(tools);
  figureColumn->addWidget(m_waterfallPane, 1);
  auto* answered = new AdaptiveSplitter(300, {180, 260});
  answered->addWidget(m_answer);
  answered->addWidget(figure);
  m_answeredSplit = answered;
  answered->showSecond(false);
  column->addWidget(answered, 1);
  m_backgroundRun->addTrigger(askButton);
  const auto askIt = [this] {
    m_useOfAnswer.reset();  // of a question that was never answered
    ask(m_question->text());
  };
  connect(askButton, &QPushButton::clicked, this, askIt);
  connect(m_question, &QLineEdit::returnPressed, this, askIt);
  return box;
}

void SearchView::hideAnswered() {
  m_answered = {};
  m_answeredSplit->showSecond(false);
}

void SearchView::showAnswered(NamedPlan plan) {
  m_answered = std::move(plan);
  const PlanContext& now = context();
  if (!m_answered.context || !now.plan || !now.problem) return hideAnswered();
  m_waterfall->setSides({tr("This plan"), now.plan, now.problem},
                        {m_answered.name, m_answered.context->plan, m_answered.context->problem});
  m_waterfallPane->show(now, theme());
  m_answeredSplit->showSecond(true);
  if (const auto use = std::exchange(m_useOfAnswer, std::nullopt)) Q_EMIT planRequested(*use, m_answered);
}

void SearchView::say(const QString& html) {
  hideAnswered();
  m_newest = {html, context().plan};
  showAnswers();
}

/// What was said before goes below.
void SearchView::beginAnswer() {
  constexpr std::size_t kMostAnswers = 8;
  if (!m_newest.html.isEmpty()) m_earlier.insert(m_earlier.begin(), std::exchange(m_newest, {}));
  if (m_earlier.size() > kMostAnswers) m_earlier.pop_back();
  showAnswers();
}

void SearchView::showAnswers() {
  QString html = m_newest.html;
  for (const Answer& earlier : m_earlier) {
    if (!html.isEmpty()) html += QStringLiteral("<hr>");
    if (earlier.askedOf != context().plan) html += tr("<p><i>About an earlier plan:</i></p>");
    html += earlier.html;
  }
  if (html == m_shownAnswers) return;
  m_shownAnswers = html;
  m_answer->setHtml(html);
}

/// A value to try, or a change of the scenario: one undo step, which the search follows.
void SearchView::followLink(const QUrl& link) {
  if (link.scheme() == kTryScheme) {
    const QString what = link.path(QUrl::FullyDecoded);
    const qsizetype equals = what.lastIndexOf(u'=');
    return Q_EMIT tryRequested(what.left(equals), what.mid(equals + 1).toDouble());
  }
  ScenarioDocument* document = services().document;
  if (!document || document->isEmpty()) return;
  for (const auto& part : adviceParts(QUrl::fromPercentEncoding(link.toEncoded()).toStdString())) {
    const auto* change = std::get_if<FieldChange>(&part);
    if (!change || !makesDifference(document->scenario(), *change)) continue;
    const QString verb = capitalised(toQt(inLabels(*change)));
    document->closeStep();
    document->edit({}, verb, [change = *change](Scenario& s) { make(s, change); });
    document->closeStep();
  }
}

void SearchView::askInBackground(const QString& doing, BackgroundTask::Work work) {
  beginAnswer();
  hideAnswered();
  m_backgroundRun->start(doing, std::move(work));
}

bool SearchView::ready(const QString& what) {
  if (context().problem && context().plan) return true;
  const auto none = stateOf(context(), what);
  m_backgroundRun->drop();
  beginAnswer();
  m_useOfAnswer.reset();
  say(tr("<p>%1 needs a plan. <b>%2</b></p>").arg(what, none ? none->heading : bannerOf(context())));
  return false;
}

void SearchView::ask(const QString& question) {
  if (question.trimmed().isEmpty()) return m_question->setFocus();
  if (!ready(tr("A question"))) return;
  const auto problem = context().problem;
  const auto plan = context().plan;
  auto demand = readDemand(*problem, plan->plan, question.toStdString());
  if (!demand) {
    QString html;
    for (const auto& d : demand.diagnostics)
      html += QStringLiteral("<p>%1</p>")
                  .arg(adviceHtml(d.remedy.empty() ? d.message : d.message + "; " + d.remedy));
    m_backgroundRun->drop();
    beginAnswer();
    m_useOfAnswer.reset();
    return say(html);
  }
  askInBackground(
      tr("Solving with %1 …").arg(toQt(demand->words)),
      [this, problem, plan, d = *demand](const Control& control, const BackgroundTask::Deliver& deliver) {
        auto found = whyNot(*problem, *plan, d, control);
        deliver([this, found = std::move(found)] {
          QString html =
              QStringLiteral("<h4>%1</h4><p>%2</p>")
                  .arg(tr("Why not %1?").arg(toQt(found.demand).toHtmlEscaped()), adviceHtml(found.summary));
          if (found.difference) html += changesHtml(*found.difference);
          say(html);
          if (const RankedPlan* best = found.outcome.best()) {
            NamedPlan answered = namedPlan(*best);
            answered.name = toQt(found.demand);
            showAnswered(std::move(answered));
          }
          m_useOfAnswer.reset();
        });
      });
}

/// What helps, as bars; what does not, and what could not be tried, in one line each.
QString SearchView::improvementsHtml(const std::vector<Improvement>& all) const {
  constexpr double kNothing = 5e-5;  ///< shown as 0 %
  const auto hasPlan = [](const Improvement& i) { return i.batchTime.value() > 0; };
  double most = 0;
  for (const Improvement& i : all)
    if (hasPlan(i)) most = std::max(most, std::abs(i.change));
  QString rows;
  QStringList none, failed;
  for (const Improvement& i : all) {
    if (!hasPlan(i))
      failed << tr("%1: %2").arg(toQt(i.what), toQt(i.obstacle));
    else if (std::abs(i.change) < kNothing)
      none << toQt(i.what);
    else
      rows += barRow(linkToTry(*context().scenario, *context().problem, i), i, most, changesText(i.plan),
                     theme());
  }
  QString html = tr("<h4>Effect of improving one parameter by 25 % (re-planned)</h4><p>%1</p>")
                     .arg(toQt(measuredBy(all)).toHtmlEscaped());
  if (!rows.isEmpty())
    html += QStringLiteral("<table>") + rows + QStringLiteral("</table>") +
            tr("<p>A click tries it in What-if.</p>");
  const auto line = [&html](const QString& what, const QStringList& which) {
    if (!which.isEmpty())
      html +=
          QStringLiteral("<p><b>%1</b> %2.</p>").arg(what, which.join(QStringLiteral("; ")).toHtmlEscaped());
  };
  line(tr("No effect:"), none);
  line(tr("No plan:"), failed);
  return html;
}

void SearchView::rankImprovements() {
  if (!ready(tr("Ranking"))) return;
  askInBackground(tr("Solving for each parameter …"),
                  [this, problem = context().problem, plan = context().plan, scenario = context().scenario](
                      const Control& control, const BackgroundTask::Deliver& deliver) {
                    auto all = nest::rankImprovements(*scenario, *problem, *plan, 0.25, control);
                    deliver([this, all = std::move(all)] { say(improvementsHtml(all)); });
                  });
}

namespace {

/// One failure with the change of tokens/s under each answer.
QString answersRow(const Failure& f) {
  QString cells;
  for (int k = 0; k < kFailureAnswerCount; ++k) {
    const auto answer = std::find_if(f.answers.begin(), f.answers.end(), [k](const FailureResponse& r) {
      return r.answer == static_cast<FailureAnswer>(k);
    });
    const bool isReplan = static_cast<FailureAnswer>(k) == FailureAnswer::Replan;
    const QString cell = answer == f.answers.end() ? (isReplan ? toQt(f.obstacle) : QStringLiteral("–"))
                         : !answer->plan           ? toQt(adviceText(answer->obstacle))
                                                   : toQt(text::signedPercent(answer->change));
    cells += QStringLiteral("<td align=\"right\">&nbsp;%1</td>").arg(cell.toHtmlEscaped());
  }
  const QString idle = f.devicesIdle > 0
                           ? SearchView::tr("%1 idle").arg(plural(f.devicesIdle, SearchView::tr("device")))
                           : QString();
  return QStringLiteral("<tr><td>%1</td>%2<td>&nbsp;%3</td></tr>")
      .arg(toQt(f.what).toHtmlEscaped(), cells, idle.toHtmlEscaped());
}

}  // namespace

void SearchView::rankFailures() {
  if (!ready(tr("Ranking"))) return;
  askInBackground(tr("Solving for each kind of failure …"), [this, problem = context().problem,
                                                             plan = context().plan,
                                                             scenario = context().scenario](
                                                                const Control& control,
                                                                const BackgroundTask::Deliver& deliver) {
    auto all = nest::rankFailures(*scenario, *problem, *plan, control);
    deliver([this, all = std::move(all)] {
      QString html =
          tr("<h4>Effect of losing one component on tokens/s</h4><p>Swap: a spare takes the place. Shrink: "
             "fewer replicas of the same plan. Ranked by re-plan.</p><table>") +
          QStringLiteral("<tr><th></th><th>%1</th><th>%2</th><th>%3</th><th></th></tr>")
              .arg(tr("Swap"), tr("Shrink"), tr("Re-plan"));
      for (const auto& f : all) html += answersRow(f);
      say(html + QStringLiteral("</table>"));
    });
  });
}

void SearchView::findBreakEvens() {
  if (!ready(tr("Break-even points"))) return;
  askInBackground(
      tr("Varying each parameter until the best plan changes …"),
      [this, problem = context().problem, plan = context().plan, scenario = context().scenario](
          const Control& control, const BackgroundTask::Deliver& deliver) {
        QString rows;
        const auto parameters = usualParametersOf(*scenario);
        for (std::size_t i = 0; i < parameters.size() && !control.stopRequested(); ++i) {
          Control quiet;
          quiet.stop = control.stop;
          for (const auto& b : breakEvens(*scenario, *problem, *plan, parameters[i], {}, quiet))
            rows += QStringLiteral("<li>") + toQt(b.sentence).toHtmlEscaped() + QStringLiteral("</li>");
          deliver([this,
                   html = tr("<h4>Where the best plan changes</h4><ul>") + rows + QStringLiteral("</ul>"),
                   none = i + 1 == parameters.size() && rows.isEmpty()] {
            say(none
                    ? html +
                          tr("<p>Between 1/16× and 16× its current value, no parameter changes the plan.</p>")
                    : html);
          });
          reportStudy(control, "break-even points", i + 1, parameters.size());
        }
      });
}

}  // namespace nest
