#include "window/headline.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <map>
#include <utility>

#include "accessible/screen_reader.h"
#include "actions/action_registry.h"
#include "cluster/graph/graph_edit.h"
#include "editors/glossary.h"
#include "editors/network/network_traffic.h"
#include "figures/paint/phrases.h"
#include "measures/metrics.h"
#include "theme/appearance.h"
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
constexpr int kBarWidth = 60;         ///< px of the bar of the fullest device

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
      {Kind::Pace, time},
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

/// "64 hosts drawn, 1 is not joined yet"; empty: something else is wrong.
QString unfinishedDrawing(const PlanContext& c, const Diagnostics& diagnostics) {
  const auto* drawn = c.scenario ? std::get_if<GraphSource>(&c.scenario->cluster.network) : nullptr;
  const bool isUnfinished =
      drawn && std::all_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& d) {
        return d.severity != Severity::Error || d.code == "network-disconnected" ||
               (d.code == "no-devices" && d.where.pointer == "/cluster/network");
      });
  if (!isUnfinished) return {};
  long long hosts = 0, loose = 0, apart = 0;
  for (const NetworkNode& n : drawn->graph.nodes) {
    hosts += n.kind == NodeKind::Host;
    loose += n.kind == NodeKind::Device && n.host.empty();
  }
  for (const graph::Problem& p : graph::problemsOf(drawn->graph))
    apart += p.diagnostic.code == "unreachable" && p.diagnostic.severity == Severity::Error;
  QStringList what;
  if (hosts > 0) what << plural(hosts, QStringLiteral("host"));
  if (loose > 0) what << plural(loose, QStringLiteral("device"));
  if (what.isEmpty()) return Headline::tr("no host or device yet");
  const QString there = Headline::tr("%1 drawn").arg(what.join(Headline::tr(" and ")));
  return apart == 0   ? there
         : apart == 1 ? Headline::tr("%1, 1 part is not joined yet").arg(there)
                      : Headline::tr("%1, %2 parts are not joined yet").arg(there, countText(apart));
}

QString captionOf(HeadlinePart::Kind kind) {
  using Kind = HeadlinePart::Kind;
  switch (kind) {
    case Kind::Pace:
      return Headline::tr("Pace");
    case Kind::Utilisation:
      return Headline::tr("Utilization");
    case Kind::Plan:
      return Headline::tr("Plan");
    case Kind::Memory:
      return Headline::tr("Fullest device");
    case Kind::Limit:
      return Headline::tr("Of the step");
    default:
      return {};
  }
}

}  // namespace

Headline::Headline(PlanningSession& session, ActionRegistry& actions, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_line(new QWidget(this)),
      m_status(new ElidedLabel(this)),
      m_assumed(new ElidedLabel(this)),
      m_wider(new QPushButton(this)),
      m_traffic(new NetworkTraffic(this)),
      m_progress(new QProgressBar(this)) {
  setAccessibleName(tr("Headline"));
  m_line->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_line->installEventFilter(this);
  m_columns = new QHBoxLayout(m_line);
  m_columns->setContentsMargins(0, 0, 0, 0);
  m_columns->setSpacing(22);
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
  m_wider->setProperty("link", true);
  m_wider->setFont(Theme::font(12));
  m_wider->hide();
  connect(m_wider, &QPushButton::clicked, this, &Headline::widerRequested);
  m_quiet->addWidget(m_wider);
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

/// What the options leave out and a change of them adds: a hint, and no reason to look at the issues.
void Headline::refreshWider() {
  const PlanContext& c = shown();
  QStringList what, changes;
  if (c.outcome && c.plan && !c.byHand)
    for (const NotSearched& n : c.outcome->notSearched)
      if (!n.change.empty()) what << phrase(n.what), changes << phrase(n.change);
  constexpr qsizetype kShort = 40;  ///< letters
  const QString all = what.join(tr(", "));
  m_wider->setText(all.size() <= kShort ? tr("Search wider: %1").arg(all)
                                        : tr("Search wider (%1 options)").arg(what.size()));
  setRichTip(*m_wider, plainTip(tr("The search leaves out %1. A click adds it: %2. Undo takes it back.")
                                    .arg(all, changes.join(tr("; ")))));
  m_wider->setVisible(m_offersWider && !what.isEmpty() && width() >= atWindowScale(kNarrowHeadline));
}

void Headline::showInstead(PlanContextPtr other) {
  if (m_instead == other) return;
  m_instead = std::move(other);
  follow();
}

void Headline::setDrawing(bool drawing) {
  if (std::exchange(m_drawing, drawing) != drawing) refresh();
}

void Headline::follow() {
  m_traffic->route(shownContext(), std::nullopt);
  refresh();
}

QString Headline::statusText() const {
  return m_status->text();
}

/// "76 of 80 GiB" as a picture.
class Headline::ShareBar : public QWidget {
public:
  using QWidget::QWidget;
  void show(double share) {
    m_share = share;
    setVisible(share >= 0);
    update();
  }
  QSize sizeHint() const override { return {kBarWidth, 8}; }

protected:
  void paintEvent(QPaintEvent*) override {
    const Theme& theme = Theme::of(dressedAs());
    QPainter painter(this);
    const QRect all(0, (height() - 6) / 2, width(), 6);
    painter.fillRect(all, theme.color(Theme::Role::Idle));
    painter.fillRect(QRect(all.topLeft(), QSize(static_cast<int>(all.width() * std::min(1.0, m_share)), 6)),
                     theme.color(m_share > 1 ? Theme::Role::Error : Theme::Role::Accent));
  }

private:
  double m_share = -1;
};

Headline::Part Headline::makePart(bool isFirst) {
  Part part{new QWidget(m_line), new QLabel, new QLabel, nullptr, nullptr};
  auto* column = new QVBoxLayout(part.box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* row = new QHBoxLayout;
  row->setSpacing(7);
  if (isFirst) {
    part.text->setFont(Theme::font(26, true));
    part.unit = new QLabel;
    part.unit->setFont(Theme::font(15));
    setRole(part.unit, "muted");
    part.unit->setContentsMargins(0, 0, 0, 4);  // on one base line
    row->addWidget(part.text, 0, Qt::AlignBottom);
    row->addWidget(part.unit, 0, Qt::AlignBottom);
    part.caption->hide();
  } else {
    part.caption->setFont(Theme::font(11));
    setRole(part.caption, "muted");
    part.text->setFont(Theme::font(14));
    part.bar = new ShareBar;
    part.bar->setFixedWidth(kBarWidth);
    row->addWidget(part.text);
    row->addWidget(part.bar);
    column->addWidget(part.caption);
  }
  column->addLayout(row);
  return part;
}

void Headline::showParts(const std::vector<Shown>& parts) {
  // Labels are kept from plan to plan: making widgets is what a drag would feel.
  if (m_labels.empty()) m_columns->addStretch();
  while (m_labels.size() < parts.size()) {
    m_labels.push_back(makePart(m_labels.empty()));
    m_columns->insertWidget(m_columns->count() - 1, m_labels.back().box);
  }
  m_parts = parts;
  QStringList words;
  for (std::size_t i = 0; i < m_labels.size(); ++i) {
    const Part& label = m_labels[i];
    const Shown shown = i < parts.size() ? parts[i] : Shown{};
    if (i < parts.size()) words << shown.text;
    QString text = shown.text;
    if (label.unit) {  // "8.04 s ± 8 % per step": the number is what is read from afar
      const qsizetype unit = text.indexOf(QRegularExpression(QStringLiteral(" (±|per )")));
      label.unit->setText(unit > 0 ? text.mid(unit + 1) : QString());
      label.unit->setVisible(unit > 0);
      if (unit > 0) text.truncate(unit);
    }
    label.text->setMinimumWidth(0);  // a label's hint is never below its minimum
    label.text->setText(text);
    label.caption->setText(shown.caption);
    label.caption->setVisible(!shown.caption.isEmpty());
    if (label.bar) label.bar->show(shown.share);
    setRole(label.text, shown.isWarning ? "warning" : "plain");
    setRichTip(*label.text, shown.tip);
  }
  fitParts();
  m_text = words.join(QStringLiteral(" · "));
  setAccessibleDescription(m_text);
}

/// Words that the line has no room for go on in the quiet line below, none is cut.
void Headline::fitParts() {
  QStringList overflow;  // what is shown may be laid out at once, and bring this here again
  int used = 0;
  bool full = false;
  for (std::size_t i = 0; i < m_labels.size(); ++i) {
    const Part& label = m_labels[i];
    const bool isUsed = i < m_parts.size();
    const bool isQuiet = isUsed && m_parts[i].isQuiet;
    if (isUsed && !isQuiet) {
      used += label.box->sizeHint().width() + (i > 0 ? m_columns->spacing() : 0);
      full = full || (i > 0 && used > m_line->width());
    }
    const bool shown = isUsed && !isQuiet && !full;
    if (isUsed && !shown) overflow += m_parts[i].text;
    if (i == 0)  // the one that always stands: what it lacks of room is cut, not laid over the buttons
      label.text->setMinimumWidth(std::min(label.text->sizeHint().width(), std::max(40, m_line->width())));
    label.box->setVisible(
        shown);  // said outright: a fresh one counts as hidden, and yet comes with its parent
  }
  m_overflow = overflow;
  // Within a resize the layout has done its work already: what was hidden just now would still take its room.
  m_columns->invalidate();
  m_columns->activate();
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
  const auto style =
      width() < atWindowScale(kNarrowHeadline) ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon;
  for (QToolButton* b : m_buttons) b->setToolButtonStyle(style);
  refreshWider();
}

void Headline::showMessage(const QString& heading, const QString& text, bool isError) {
  showParts({{heading, {}, {}}, {text, {}, {}}});
  if (isError) setRole(m_labels.front().text, "error");
}

void Headline::setOffersWider(bool offers) {
  if (std::exchange(m_offersWider, offers) != offers) refreshWider();
}

void Headline::setVeil(const QString& veil) {
  if (std::exchange(m_veil, veil) != veil) refresh();
}

void Headline::refresh() {
  const PlanContext& c = shown();
  const auto& diagnostics = m_session.diagnostics();
  if (!m_veil.isEmpty()) {
    showMessage(m_veil, tr("the plan's values are shown with the answer"), false);
  } else if (hasErrors(diagnostics)) {
    const auto first = std::find_if(diagnostics.begin(), diagnostics.end(),
                                    [](const Diagnostic& d) { return d.severity == Severity::Error; });
    const auto count = std::count_if(diagnostics.begin(), diagnostics.end(),
                                     [](const Diagnostic& d) { return d.severity == Severity::Error; });
    const QString drawn = m_drawing ? unfinishedDrawing(*m_session.context(), diagnostics) : QString();
    if (!drawn.isEmpty())
      showMessage(tr("Draw on"), drawn, false);
    else
      showMessage(count == 1 ? tr("The scenario has an error") : tr("The scenario has %1 errors").arg(count),
                  toQt(first->message), true);
  } else if (c.plan && c.outcome && c.problem && c.scenario) {
    const auto& architecture = c.scenario->model.architecture;
    const PlanMetrics m = metricsOf(*c.problem, architecture ? &*architecture : nullptr, *c.plan);
    const auto allTips = tipsOf(m, c.plan->plan, *c.outcome);
    std::vector<Shown> parts;
    for (const HeadlinePart& part : headlineParts(m, c.plan->plan, *c.outcome)) {
      using Kind = HeadlinePart::Kind;
      // The verdict belongs to the values it was found for.
      if (part.kind == Kind::Verdict && (!c.current || c.byHand || !c.shownAs.empty())) continue;
      const auto tip = allTips.find(part.kind);
      Shown shown{toQt(part.text), captionOf(part.kind),
                  tip == allTips.end() ? QString() : richTip(tip->second)};
      shown.isQuiet = part.kind == Kind::Verdict || part.kind == Kind::Program ||
                      part.kind == Kind::Training || part.kind == Kind::DeviceHours;
      if (part.kind == Kind::Memory && m.capacity.value() > 0)
        shown.share = m.peakMemory.value() / m.capacity.value();
      parts.push_back(std::move(shown));
      if (part.kind != Kind::StepTime || !m_traffic->isTooMuch()) continue;
      parts.push_back({tr("a link is busy for %1").arg(timeText(m_traffic->busiest())), tr("The network"),
                       plainTip(m_traffic->sentence()), true});
    }
    showParts(parts);
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
  refreshWider();
  refreshActivity();
}

void Headline::refreshActivity() {
  const PlanContext& c = shown();
  const SearchState& search = m_session.search();
  m_progress->setVisible(search.lasting);
  m_progress->setValue(static_cast<int>(std::clamp(search.fraction, 0.0, 1.0) * 1000));
  QString text = c.scenario ? toQt(c.scenario->name) : QString();
  bool isWrong = false;
  if (!c.shownAs.empty() && c.plan) {
    const RankedPlan* best = c.outcome ? c.outcome->best() : nullptr;
    text = phrase(c.shownAs);
    if (best) text += tr("; the best plan takes %1").arg(toQt(text::time(best->evaluation.batchTime)));
  }
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
