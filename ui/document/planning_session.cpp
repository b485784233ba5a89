#include "document/planning_session.h"

#include <QMetaObject>
#include <algorithm>
#include <utility>

#include "units/text.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

/// A plan that only breaks these rules can still be drawn and costed on the new problem.
bool stillDrawable(const Evaluation& e) {
  return std::all_of(e.violations.begin(), e.violations.end(), [](const Violation& v) {
    return v.kind == Violation::Kind::Memory || v.kind == Violation::Kind::HostMemory ||
           v.kind == Violation::Kind::Constraint;
  });
}

bool isOnlyTooLarge(const Evaluation& e) {
  return !e.violations.empty() &&
         std::all_of(e.violations.begin(), e.violations.end(),
                     [](const Violation& v) { return v.kind == Violation::Kind::Memory; });
}

constexpr int kTickMs = 150;
constexpr int kPatienceMs = 300;  ///< before that nothing is said of a search

/// A line of the log.
QString sentenceFor(const Outcome& outcome) {
  return PlanningSession::tr("%1: %2 states, %3 candidates")
      .arg(QString::fromStdString(words::verdict(outcome)),
           QString::fromStdString(text::count(outcome.statistics.states)),
           QString::fromStdString(text::count(outcome.statistics.candidates)));
}

}  // namespace

PlanningSession::PlanningSession(ScenarioDocument& document, JobRunner::Solve solve, QObject* parent)
    : QObject(parent),
      m_document(document),
      m_context(std::make_shared<PlanContext>()),
      m_search(std::make_shared<SearchState>()) {
  // An argument-less queued call is all that crosses the threads: see JobRunner for the rest.
  m_runner = std::make_unique<JobRunner>(
      [this] { QMetaObject::invokeMethod(this, &PlanningSession::drain, Qt::QueuedConnection); },
      std::move(solve));
  m_tick.setInterval(kTickMs);
  connect(&m_tick, &QTimer::timeout, this, &PlanningSession::tick);
  connect(&document, &ScenarioDocument::opened, this, [this] { m_forgetPlan = true; });
  connect(&document, &ScenarioDocument::changed, this, [this](ScenarioParts parts, bool preview) {
    if (parts & kSettingParts)
      scenarioChanged(preview);
    else if (parts & ScenarioPart::Name)
      nameChanged();
  });
}

PlanningSession::~PlanningSession() = default;

void PlanningSession::followSearch() {
  const bool running = m_runner->isBusy();
  if (!running) *m_search = {};
  m_search->running = running;
  if (!running)
    m_tick.stop();
  else if (!m_tick.isActive())
    m_tick.start();
}

void PlanningSession::tick() {
  m_search->elapsed = Seconds(static_cast<double>(m_clock.nsecsElapsed()) * 1e-9);
  m_search->lasting = m_clock.elapsed() >= kPatienceMs;
  if (!m_search->lasting) return;
  showHeldBack();
  Q_EMIT searchChanged();
}

void PlanningSession::showHeldBack() {
  if (!std::exchange(m_heldBack, false)) return;
  if (auto next = recosted(m_context->plan.get())) publish(std::move(*next));
}

/// No plan is touched by a name. What is kept, and slides, are not of the context at all.
void PlanningSession::nameChanged() {
  if (!m_context->scenario || m_context->scenario->setting() != m_document.scenario().setting()) return;
  PlanContext next = *m_context;
  next.scenario = m_document.snapshot();
  publish(std::move(next));
}

void PlanningSession::scenarioChanged(bool preview) {
  m_generation = m_document.generation();
  if (std::exchange(m_forgetPlan, false)) {
    m_runner->cancel();
    m_context = std::make_shared<PlanContext>();
  }
  m_problem = nullptr;
  m_diagnostics.clear();
  if (!m_document.isEmpty()) {
    Reading<Problem> reading = buildProblem(m_document.scenario());
    m_diagnostics = std::move(reading.diagnostics);
    if (reading.value) m_problem = std::make_shared<const Problem>(std::move(*reading.value));
  }
  Q_EMIT diagnosticsChanged();
  if (!m_problem) m_runner->cancel();
  followSearch();
  m_search->running = m_search->running || (m_problem && m_live);  // what is published next may say so

  auto next = recosted(m_context->plan.get());
  // A plan that no longer fits is not shown for the moment until the search has another.
  m_heldBack =
      next && m_live && isOnlyTooLarge(next->plan->evaluation) && m_context->plan->evaluation.feasible();
  if (next && !m_heldBack) {
    publish(std::move(*next));
  } else if (m_problem && m_context->shownPlan()) {
    PlanContext stale = *m_context;  // the last whole picture, marked as what it is
    stale.current = stale.soFar = false;
    publish(std::move(stale));
  } else {
    PlanContext bare;
    if (!m_document.isEmpty()) bare.scenario = m_document.snapshot();
    bare.problem = m_problem;
    bare.diagnostics = m_diagnostics;
    publish(std::move(bare));
  }
  if (m_problem && m_live) submit(preview);
  Q_EMIT searchChanged();
}

/// The plan at hand under the new figures, where it still makes sense.
std::optional<PlanContext> PlanningSession::recosted(const RankedPlan* held) const {
  if (!m_problem || !held) return std::nullopt;
  auto plan = std::make_shared<RankedPlan>(*held);
  plan->evaluation = evaluate(*m_problem, plan->plan);
  if (!stillDrawable(plan->evaluation)) return std::nullopt;
  plan->simulated = Seconds(0);
  PlanContext next = *m_context;
  next.scenario = m_document.snapshot();
  next.problem = m_problem;
  next.diagnostics = m_diagnostics;
  next.plan = std::move(plan);
  next.current = next.soFar = false;
  return next;
}

void PlanningSession::submit(bool live) {
  JobRunner::Request request;
  request.problem = m_problem;
  request.generation = m_generation;
  request.live = live;
  if (m_context->plan) request.start = std::make_shared<const Plan>(m_context->plan->plan);
  m_clock.start();
  m_runner->submit(std::move(request));
  *m_search = {};
  followSearch();
}

void PlanningSession::solve() {
  if (!m_problem) return;
  submit(false);
  Q_EMIT searchChanged();
}

void PlanningSession::cancel() {
  m_runner->cancel();
  showHeldBack();
  followSearch();
  Q_EMIT searchChanged();
}

void PlanningSession::setLive(bool live) {
  if (m_live == live) return;
  m_live = live;
  Q_EMIT liveChanged(live);
  if (live && m_problem && !m_context->current) solve();
}

void PlanningSession::drain() {
  const auto messages = m_runner->drain();
  for (const auto& message : messages) {
    if (message.finished) continue;
    m_search->step = message.progress.phase;
    m_search->fraction = message.progress.fraction;
    m_search->best = message.progress.best;
    m_search->settled = message.progress.settled;
    if (message.plan && message.generation == m_generation && !message.live) showSoFar(message);
  }
  if (std::none_of(messages.begin(), messages.end(), [](const auto& m) { return m.finished; })) return;
  followSearch();
  for (const auto& message : messages)
    if (message.finished) take(message);
  if (!m_runner->isBusy()) showHeldBack();
  Q_EMIT searchChanged();
}

void PlanningSession::take(const JobRunner::Message& message) {
  const bool newest = message.generation == m_generation;
  const Outcome& outcome = *message.outcome;
  if (!message.live) Q_EMIT logged(sentenceFor(outcome));
  const bool answers = outcome.best() || outcome.status == OutcomeStatus::Infeasible;
  if (newest && (answers || !m_context->shownPlan() || m_context->soFar)) {
    PlanContext next;
    next.scenario = m_document.snapshot();
    next.problem = message.problem;
    next.outcome = message.outcome;
    if (const RankedPlan* best = outcome.best())
      next.plan = std::shared_ptr<const RankedPlan>(message.outcome, best);
    next.diagnostics = m_diagnostics;
    next.diagnostics.insert(next.diagnostics.end(), outcome.diagnostics.begin(), outcome.diagnostics.end());
    publish(std::move(next));
  } else if (!newest && message.live) {
    auto next = recosted(outcome.best());
    if (next && (next->plan->evaluation.feasible() || !m_context->plan)) publish(std::move(*next));
  }
  // What a drag gets in 100 ms may be short of the optimum: confirm it now that the hand rests.
  if (newest && message.live && m_problem && outcome.status != OutcomeStatus::Optimal &&
      outcome.status != OutcomeStatus::WithinGap)
    submit(false);
}

void PlanningSession::showSoFar(const JobRunner::Message& message) {
  auto outcome = std::make_shared<Outcome>();
  outcome->status = OutcomeStatus::BestSoFar;
  outcome->lowerBound = Seconds(message.progress.lowerBound);
  outcome->plans = {*message.plan};
  PlanContext next;
  next.scenario = m_document.snapshot();
  next.problem = message.problem;
  next.outcome = std::move(outcome);
  next.plan = message.plan;
  next.diagnostics = m_diagnostics;
  next.current = false;
  next.soFar = true;
  publish(std::move(next));
}

void PlanningSession::publish(PlanContext context) {
  m_heldBack = m_heldBack && m_context->plan == context.plan;  // until anything newer is shown
  context.generation = m_document.generation();
  context.search = m_search;
  m_context = std::make_shared<const PlanContext>(std::move(context));
  Q_EMIT contextChanged();
}

}  // namespace nest
