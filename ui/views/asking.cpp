#include "views/asking.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <algorithm>
#include <utility>

#include "accessible/screen_reader.h"
#include "jobs/study_worker.h"

namespace nest {

Asking::Asking(const QString& cancelTip, QWidget* parent)
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
  connect(m_cancel, &QPushButton::clicked, this, &Asking::cancel);
  connect(m_worker, &StudyWorker::progressed, this, &Asking::refresh);
  connect(m_worker, &StudyWorker::finished, this, [this] {
    if (std::exchange(m_isOver, true)) return;  // cancelled or dropped
    if (const QString why = m_worker->failure(); !why.isEmpty()) m_remark = tr("It ended early: %1").arg(why);
    refresh();
    Q_EMIT ended();
  });
  refresh();
}

Asking::~Asking() {
  m_worker->disconnect(this);  // what asks may be gone by now
  m_worker->stop();
}

void Asking::addAsker(QAbstractButton* asker) {
  m_askers.push_back(asker);
  refresh();
}

void Asking::setReady(bool ready, const QString& whyNot) {
  m_isReady = ready, m_whyNot = whyNot;
  refresh();
}

void Asking::start(const QString& doing, BackgroundTask::Work work) {
  drop();
  // The keyboard stays with the question: what asks goes off.
  const auto asker =
      std::find_if(m_askers.begin(), m_askers.end(), [](QAbstractButton* b) { return b->hasFocus(); });
  m_askedBy = asker == m_askers.end() ? nullptr : *asker;
  m_doing = doing, m_isOver = false;
  m_worker->start(std::move(work));
  if (m_askedBy) m_cancel->setFocus();
}

void Asking::drop() {
  m_isOver = true;
  m_worker->stop();
  say({});
}

void Asking::cancel() {
  drop();
  say(tr("Cancelled."));
  Q_EMIT ended();
}

void Asking::say(const QString& text) {
  m_remark = text;
  refresh();
}

QString Asking::text() const {
  return m_state->text();
}

bool Asking::isBusy() const {
  return !m_isOver;  // found is not yet told
}

void Asking::refresh() {
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
