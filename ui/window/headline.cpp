#include "window/headline.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <map>
#include <utility>

#include "accessible/screen_reader.h"
#include "actions/action_registry.h"
#include "editors/glossary.h"
#include "editors/network/network_traffic.h"
#include "figures/paint/phrases.h"
#include "measures/metrics.h"
#include "theme/elided_label.h"
#include "theme/plain_text.h"
#include "theme/qt_text.h"
#include "theme/theme.h"
#include "units/text.h"
#include "words/headline.h"
#include "words/metric_words.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

constexpr int kNarrowHeadline = 760;  ///< px: below, buttons are icons

void setRole(QWidget* w, const char* role) {
  if (w->property("role") == QLatin1String(role)) return;
  w->setProperty("role", role);
  w->style()->unpolish(w);
  w->style()->polish(w);
}

QToolButton* buttonFor(QAction* action, QWidget* parent) {
  auto* b = new QToolButton(parent);
  b->setDefaultAction(action);
  b->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  b->setFocusPolicy(Qt::TabFocus);
  b->setAccessibleName(action->text());
  return b;
}

/// The HTML of the tip behind each part of the line, by what the part is.
std::map<HeadlinePart::Kind, QString> tipsOf(const PlanMetrics& m, const Plan& plan, const Outcome& outcome) {
  using Kind = HeadlinePart::Kind;
  QString time = Headline::tr("<b>Step time</b> %1").arg(toQt(text::precise(m.batchTime)));
  if (m.simulated.value() > 0)
    time += Headline::tr("<br>%1 by simulation of the schedule").arg(toQt(text::precise(m.simulated)));
  time += QStringLiteral("<br>%1").arg(
      toQt(samplesRate(m.samplesPerSecond) + ", " + tokensRate(m.tokensPerSecond)));
  QString split = Headline::tr("<b>What the step of an average device goes to</b>");
  for (const TimeShare& s : m.shares())
    split += QStringLiteral("<br>%1 %2")
                 .arg(toQt(words::of(s.part)),
                      toQt(s.part == TimePart::Idle ? words::of(m.bubble) : text::percent(s.share)));
  const std::string proven = words::proof(outcome);
  QString left;
  for (const NotSearched& n : outcome.notSearched)
    left += (left.isEmpty() ? Headline::tr("<br><b>Not searched</b>") : QString()) +
            QStringLiteral("<br>%1: %2")
                .arg(phrase(n.what).toHtmlEscaped(),
                     phrase(n.change.empty() ? n.reason : n.change).toHtmlEscaped());
  return {
      {Kind::StepTime, time},
      {Kind::Utilisation, m.mfu ? Headline::tr("<b>MFU</b> %1<br>%2")
                                      .arg(toQt(text::percent(*m.mfu)), toQt(words::mfuConvention(m)))
                                : QString()},
      {Kind::Plan,
       Headline::tr("<b>Plan</b> %1<br>%2 of %3 devices<br>MBS: microbatch size")
           .arg(toQt(summaryOf(plan)), toQt(text::count(m.devicesUsed)), toQt(text::count(m.deviceCount)))},
      {Kind::Memory,
       Headline::tr("<b>Memory</b> of the fullest stage, %1, at its peak").arg(stageNumber(m.fullestStage))},
      {Kind::Limit, split},
      {Kind::Verdict,
       Headline::tr("%1 candidates, %2 states%3%4%5")
           .arg(toQt(text::count(outcome.statistics.candidates)),
                toQt(text::count(outcome.statistics.states)),
                outcome.gap() ? Headline::tr("<br>no plan takes less than %1")
                                    .arg(toQt(text::precise(outcome.lowerBound)))
                              : QString(),
                proven.empty() ? QString() : QStringLiteral("<br>%1").arg(toQt(proven)), left)}};
}

}  // namespace

Headline::Headline(PlanningSession& session, ActionRegistry& actions, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_line(new QWidget(this)),
      m_status(new ElidedLabel(this)),
      m_assumed(new ElidedLabel(this)),
      m_traffic(new NetworkTraffic(this)),
      m_progress(new QProgressBar(this)) {
  setAccessibleName(tr("Headline"));
  m_line->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_line->installEventFilter(this);
  m_parts = new QHBoxLayout(m_line);
  m_parts->setContentsMargins(0, 0, 0, 0);
  m_parts->setSpacing(7);
  m_status->setFont(Theme::font(12));
  m_status->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  setRole(m_status, "muted");
  m_assumed->setFont(Theme::font(12));
  m_assumed->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_assumed->setAccessibleName(tr("Assumed by the import"));
  setRole(m_assumed, "warning");
  m_assumed->setMinimumWidth(160);
  m_assumed->hide();
  m_progress->setTextVisible(false);
  m_progress->setRange(0, 1000);
  m_progress->setFixedHeight(3);
  m_progress->setAccessibleName(tr("Search progress"));

  m_quiet = new QHBoxLayout;
  m_quiet->setSpacing(2);
  m_quiet->addWidget(m_status, 1);
  m_quiet->addWidget(m_assumed, 1);
  auto* words = new QVBoxLayout;
  words->setSpacing(1);
  words->addWidget(m_line);
  words->addLayout(m_quiet);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(14, 7, 12, 6);
  row->setSpacing(6);
  row->addLayout(words, 1);
  for (const char* id : {"plan.live", "plan.solve", "plan.cancel"})
    if (QAction* a = actions.find(QLatin1String(id))) {
      m_buttons.push_back(buttonFor(a, this));
      row->addWidget(m_buttons.back());
    }
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(0);
  all->addLayout(row);
  all->addWidget(m_progress);
  QSizePolicy keep = m_progress->sizePolicy();
  keep.setRetainSizeWhenHidden(true);
  m_progress->setSizePolicy(keep);
  m_progress->hide();

  connect(&session, &PlanningSession::contextChanged, this, [this] {
    m_instead.reset();
    follow();
  });
  connect(m_traffic, &NetworkTraffic::changed, this, &Headline::refresh);
  connect(&session, &PlanningSession::diagnosticsChanged, this, &Headline::refresh);
  connect(&session, &PlanningSession::searchChanged, this, [this] {
    const bool running = m_session.search().running;
    if (std::exchange(m_running, running) != running && !m_session.context()->shownPlan())
      refresh();  // with nothing to show, what is said is whether a plan is searched for
    else
      refreshActivity();
  });
  refresh();
}

/// Behind the scenario's name, which takes the room of its words and no more.
void Headline::showAssumed(const QString& sentence) {
  const bool any = !sentence.isEmpty();
  m_assumed->setText(any ? QStringLiteral("· ") + sentence : sentence);
  m_assumed->setVisible(any);
  m_status->setMinimumWidth(any ? 1 : 0);
  m_status->setSizePolicy(any ? QSizePolicy::Preferred : QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_quiet->setStretchFactor(m_status, any ? 0 : 1);
  setRichTip(*m_assumed,
             plainTip(any ? tr("%1. No file says so: set it under Scenario.").arg(sentence) : sentence));
}

void Headline::showInstead(PlanContextPtr other) {
  if (m_instead == other) return;
  m_instead = std::move(other);
  follow();
}

void Headline::follow() {
  m_traffic->route(shownContext(), std::nullopt);
  refresh();
}

QString Headline::statusText() const {
  return m_status->text();
}

void Headline::showParts(const QStringList& parts, const QStringList& tips, qsizetype warning) {
  // Labels are kept from plan to plan: making widgets is what a drag would feel.
  while (m_labels.size() < static_cast<std::size_t>(parts.size())) {
    QLabel* dot = nullptr;
    if (m_labels.empty()) {
      m_parts->addStretch();
    } else {
      dot = new QLabel(QStringLiteral("·"), m_line);
      setRole(dot, "muted");
      m_parts->insertWidget(m_parts->count() - 1, dot);
    }
    auto* label = new QLabel(m_line);
    label->setFont(m_labels.empty() ? Theme::font(22, true) : Theme::font(15));
    m_parts->insertWidget(m_parts->count() - 1, label);
    m_labels.push_back({dot, label});
  }
  m_words = parts;
  for (std::size_t i = 0; i < m_labels.size(); ++i) {
    QLabel* label = m_labels[i].text;
    const auto at = static_cast<qsizetype>(i);
    label->setText(parts.value(at));
    setRole(label, at == warning ? "warning" : "plain");
    setRichTip(*label, tips.value(at));
    label->setMinimumWidth(0);  // a label's hint is never below its minimum
    label->setMinimumWidth(label->sizeHint().width());
  }
  fitParts();
  m_text = parts.join(QStringLiteral(" · "));
  setAccessibleDescription(m_text);
}

/// Words that the line has no room for go on in the quiet line below, none is cut.
void Headline::fitParts() {
  m_overflow.clear();
  int used = 0;
  for (std::size_t i = 0; i < m_labels.size(); ++i) {
    const auto& [dot, text] = m_labels[i];
    const bool isUsed = i < static_cast<std::size_t>(m_words.size());
    used += text->sizeHint().width() + (dot ? dot->sizeHint().width() + 2 * m_parts->spacing() : 0);
    const bool shown =
        isUsed && m_overflow.isEmpty() && (i == 0 || used + m_parts->spacing() <= m_line->width());
    if (isUsed && !shown) m_overflow += m_words[static_cast<qsizetype>(i)];
    if (i == 0)  // the one that always stands: what it lacks of room is cut, not laid over the buttons
      text->setMinimumWidth(std::min(text->sizeHint().width(), std::max(40, m_line->width())));
    for (QLabel* l : {dot, text})
      if (l)
        l->setVisible(shown);  // said outright: a fresh label counts as hidden, and yet comes with its parent
  }
  // Within a resize the layout has done its work already: what was hidden just now would still take its room.
  m_parts->invalidate();
  m_parts->activate();
}

bool Headline::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_line && event->type() == QEvent::Resize) {
    const QStringList before = m_overflow;
    fitParts();
    if (m_overflow != before) refreshActivity();
  }
  return QWidget::eventFilter(watched, event);
}

/// In a narrow window the figures matter more than the names of the buttons, whose icons and tips stay.
void Headline::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const auto style = width() < kNarrowHeadline ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon;
  for (QToolButton* b : m_buttons) b->setToolButtonStyle(style);
}

void Headline::showMessage(const QString& heading, const QString& text, bool isError) {
  showParts({heading, text}, {});
  if (isError) setRole(m_labels.front().text, "error");
}

void Headline::refresh() {
  const PlanContext& c = shown();
  const auto& diagnostics = m_session.diagnostics();
  if (hasErrors(diagnostics)) {
    const auto first = std::find_if(diagnostics.begin(), diagnostics.end(),
                                    [](const Diagnostic& d) { return d.severity == Severity::Error; });
    const auto count = std::count_if(diagnostics.begin(), diagnostics.end(),
                                     [](const Diagnostic& d) { return d.severity == Severity::Error; });
    showMessage(count == 1 ? tr("The scenario has an error") : tr("The scenario has %1 errors").arg(count),
                toQt(first->message), true);
  } else if (c.plan && c.outcome && c.problem && c.scenario) {
    const auto& architecture = c.scenario->model.architecture;
    const PlanMetrics m = metricsOf(*c.problem, architecture ? &*architecture : nullptr, *c.plan);
    const auto allTips = tipsOf(m, c.plan->plan, *c.outcome);
    QStringList parts, tips;
    qsizetype warning = -1;
    for (const HeadlinePart& part : headlineParts(m, c.plan->plan, *c.outcome)) {
      // The verdict belongs to the values it was found for.
      if (part.kind == HeadlinePart::Kind::Verdict && (!c.current || c.byHand)) continue;
      parts << toQt(part.text);
      const auto tip = allTips.find(part.kind);
      tips << (tip == allTips.end() ? QString() : richTip(tip->second));
      if (part.kind != HeadlinePart::Kind::StepTime || !m_traffic->isTooMuch()) continue;
      warning = parts.size();
      parts << tr("a link is busy for %1").arg(timeText(m_traffic->busiest()));
      tips << plainTip(m_traffic->sentence());
    }
    showParts(parts, tips, warning);
  } else if (c.isSearching() && !c.shownPlan()) {
    showMessage(tr("Searching"), tr("the best plan so far appears here"), false);
  } else if (c.outcome) {
    const words::NoPlan none = words::noPlan(*c.outcome);
    showMessage(toQt(none.title), phrase(none.detail), c.outcome->status != OutcomeStatus::Stopped);
  } else if (c.scenario) {
    showMessage(tr("Not solved yet"), tr("press Solve to find the best plan"), false);
  } else {
    showMessage(tr("No scenario is open"), tr("open a sample, or drop a file here"), false);
  }
  refreshActivity();
}

void Headline::refreshActivity() {
  const PlanContext& c = shown();
  const SearchState& search = m_session.search();
  m_progress->setVisible(search.lasting);
  m_progress->setValue(static_cast<int>(std::clamp(search.fraction, 0.0, 1.0) * 1000));
  QString text = c.scenario ? toQt(c.scenario->name) : QString();
  bool isWrong = false;
  if (c.byHand && c.plan) {
    const RankedPlan* best = c.outcome ? c.outcome->best() : nullptr;
    const QString takes = best ? toQt(text::time(best->evaluation.batchTime)) : QString();
    const auto& wrong = c.plan->evaluation.violations;
    text = wrong.empty() ? (best ? tr("Cut by hand; the best plan takes %1").arg(takes) : tr("Cut by hand"))
                         : tr("Cut by hand; it does not run: %1").arg(phrase(wrong.front().message)) +
                               (best ? tr(". The best plan takes %1").arg(takes) : QString());
    isWrong = !wrong.empty();
  }
  if (search.lasting || (search.running && c.shownPlan() && !c.current)) {
    text = searchText(search);
  } else if (c.shownPlan() && !c.current) {
    text =
        tr("The scenario has changed since this plan was found. Costs use the new values, but a better plan "
           "may exist. Press Solve.");
    isWrong = true;
  }
  for (const QString& word : m_overflow) text += (text.isEmpty() ? QString() : QStringLiteral(" · ")) + word;
  m_status->setText(text);
  setRichTip(*m_status, plainTip(text));
  setRole(m_status, isWrong ? "warning" : "muted");
}

}  // namespace nest
