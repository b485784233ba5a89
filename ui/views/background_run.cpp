#include "views/background_run.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <algorithm>
#include <utility>

#include "accessible/screen_reader.h"
#include "document/plan_context.h"
#include "jobs/study_worker.h"

namespace nest {
namespace {
constexpr double kLittleWork = 3;  ///< seconds
}

bool isLittleWork(const PlanContext& c, int solves) {
  if (!c.outcome || !c.current || c.soFar || c.isSearching()) return false;
  return c.outcome->statistics.elapsed.value() * solves <= kLittleWork;
}

BackgroundRun::BackgroundRun(const QString& cancelTip, QWidget* parent)
    : QWidget(parent),
      m_worker(new StudyWorker(this)),
      m_state(new QLabel),
      m_progress(new QProgressBar),
      m_cancel(new QPushButton(tr("Cancel"))) {
  m_state->setAccessibleName(tr("State of the question"));
  m_state->setTextFormat(Qt::PlainText);
  m_state->setWordWrap(true);
  m_progress->setAccessibleName(tr("Progress"));
  m_progress->setMaximumWidth(120);
  m_cancel->setToolTip(cancelTip);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(m_state, 1);
  row->addWidget(m_progress);
  row->addWidget(m_cancel);
  connect(m_cancel, &QPushButton::clicked, this, &BackgroundRun::cancel);
  connect(m_worker, &StudyWorker::progressed, this, &BackgroundRun::refresh);
  connect(m_worker, &StudyWorker::finished, this, [this] {
    if (std::exchange(m_isOver, true)) return;  // cancelled or dropped
    if (const QString why = m_worker->failure(); !why.isEmpty()) m_remark = tr("It ended early: %1").arg(why);
    refresh();
    Q_EMIT ended();
  });
  refresh();
}

BackgroundRun::~BackgroundRun() {
  m_worker->disconnect(this);  // what asks may be gone by now
  m_worker->stop();
}

void BackgroundRun::addTrigger(QAbstractButton* asker) {
  m_askers.push_back(asker);
  refresh();
}

void BackgroundRun::setReady(bool ready, const QString& whyNot) {
  m_isReady = ready, m_whyNot = whyNot;
  refresh();
}

void BackgroundRun::start(const QString& doing, BackgroundTask::Work work) {
  drop();
  // The keyboard stays with the question: what asks goes off.
  const auto asker =
      std::find_if(m_askers.begin(), m_askers.end(), [](QAbstractButton* b) { return b->hasFocus(); });
  m_askedBy = asker == m_askers.end() ? nullptr : *asker;
  m_doing = doing, m_isOver = false;
  m_worker->start(std::move(work));
  if (m_askedBy) m_cancel->setFocus();
}

void BackgroundRun::drop() {
  m_isOver = true;
  m_worker->stop();
  say({});
}

void BackgroundRun::cancel() {
  drop();
  say(tr("Cancelled."));
  Q_EMIT ended();
}

void BackgroundRun::say(const QString& text) {
  m_remark = text;
  refresh();
}

QString BackgroundRun::text() const {
  return m_state->text();
}

bool BackgroundRun::isBusy() const {
  return !m_isOver;  // found is not yet told
}

void BackgroundRun::refresh() {
  const bool busy = isBusy();
  const int percent = static_cast<int>(100 * m_worker->fraction());
  setNamedText(*m_state, busy ? m_doing : m_isReady ? m_remark : m_whyNot);
  m_state->setVisible(!m_state->text().isEmpty());
  // Nothing told yet, or all of what is counted is done and the rest is not: no end is known.
  m_progress->setRange(0, percent > 0 && percent < 100 ? 100 : 0);
  m_progress->setValue(percent);
  m_progress->setVisible(busy);
  if (busy) m_cancel->show();
  for (QAbstractButton* asker : m_askers) asker->setEnabled(m_isReady && !busy);
  if (busy) return;
  if (m_cancel->hasFocus() && m_askedBy) m_askedBy->setFocus();
  m_cancel->hide();
}

}  // namespace nest
