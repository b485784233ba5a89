#include "lessons/lessons_pane.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "theme/icon.h"
#include "theme/theme.h"

namespace nest {
namespace {

constexpr int kLookMs = 200;  ///< what a view shows has no signal of its own
const auto kFinishedKey = QStringLiteral("lessons/finished");

QLabel* wrapped(const QString& text, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setTextFormat(Qt::RichText);
  label->setWordWrap(true);
  label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Minimum);  // Fixed would hold it to its hint's height
  policy.setHeightForWidth(true);
  label->setSizePolicy(policy);
  return label;
}

QPushButton* link(const QString& text, QWidget* parent) {
  auto* b = new QPushButton(text, parent);
  b->setProperty("link", true);
  b->setCursor(Qt::PointingHandCursor);
  return b;
}

}  // namespace

LessonsPane::LessonsPane(std::function<TourScene()> scene, bool remembers, QWidget* parent)
    : QScrollArea(parent), m_scene(std::move(scene)), m_remembers(remembers) {
  setAccessibleName(tr("Lessons"));
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  if (remembers) m_finished = QSettings().value(kFinishedKey).toStringList();
  m_look.setInterval(kLookMs);
  connect(&m_look, &QTimer::timeout, this, &LessonsPane::check);
  showList();
}

bool LessonsPane::isFinished(const QString& lessonId) const {
  return m_finished.contains(lessonId);
}

QVBoxLayout* LessonsPane::newPage() {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(14, 10, 14, 14);
  column->setSpacing(8);
  setWidget(page);
  return column;
}

void LessonsPane::showList() {
  m_lesson = nullptr;
  m_look.stop();
  auto* column = newPage();
  column->addWidget(wrapped(tr("Each lesson opens a sample and guides you through it. Your scenario comes "
                               "back when you leave the lesson."),
                            widget()));
  if (m_isTaken) {
    auto* row = new QHBoxLayout;
    row->addWidget(leaveLink());
    row->addStretch();
    column->addLayout(row);
  }
  for (const Tour& lesson : tours()) {
    auto* row = new QHBoxLayout;
    auto* start = link(lesson.title, widget());
    start->setToolTip(lesson.about);
    if (isFinished(lesson.id)) {
      start->setIcon(themedIcon(QStringLiteral("check")));
      start->setAccessibleName(tr("%1, done").arg(lesson.title));
    }
    connect(start, &QPushButton::clicked, this, [this, id = lesson.id] { Q_EMIT startRequested(id); });
    row->addWidget(start);
    row->addStretch();
    column->addLayout(row);
    auto* about = wrapped(lesson.about, widget());
    about->setProperty("role", "muted");
    about->setContentsMargins(4, 0, 0, 6);
    column->addWidget(about);
  }
  column->addStretch();
}

QPushButton* LessonsPane::leaveLink() {
  auto* leave = link(tr("Leave lesson"), widget());
  leave->setToolTip(tr("Return to the scenario that was open before"));
  connect(leave, &QPushButton::clicked, this, &LessonsPane::leaveRequested, Qt::QueuedConnection);
  return leave;
}

void LessonsPane::endLesson() {
  m_isTaken = false;
  showList();
}

void LessonsPane::begin(const QString& lessonId) {
  const auto it =
      std::find_if(tours().begin(), tours().end(), [&](const Tour& l) { return l.id == lessonId; });
  if (it == tours().end()) return;
  m_lesson = &*it;
  m_isTaken = true;
  m_step = 0;
  m_start.reset();
  if (isVisible()) m_look.start();
  showLesson();
  Q_EMIT viewRequested(m_lesson->steps.front().view);
}

void LessonsPane::showLesson() {
  auto* column = newPage();
  auto* title = wrapped(m_lesson->title, widget());
  title->setFont(Theme::font(16, true));
  column->addWidget(title);
  const int count = static_cast<int>(m_lesson->steps.size());
  for (int i = 0; i < count; ++i) {
    const TourStep& step = m_lesson->steps[i];
    auto* row = new QHBoxLayout;
    auto* mark = new QLabel(widget());
    mark->setFixedWidth(18);
    mark->setAlignment(Qt::AlignTop | Qt::AlignHCenter);
    if (i < m_step)
      mark->setPixmap(themedIcon(QStringLiteral("check")).pixmap(14, 14));
    else
      mark->setText(QString::number(i + 1));
    auto* text = wrapped(step.text, widget());
    text->setAccessibleName(tr("Step %1 of %2, %3")
                                .arg(i + 1)
                                .arg(count)
                                .arg(i < m_step    ? tr("done")
                                     : i == m_step ? tr("to do now")
                                                   : tr("later")));
    if (i != m_step) text->setProperty("role", "muted");
    row->addWidget(mark);
    row->addWidget(text, 1);
    column->addLayout(row);
    if (i == m_step) {
      auto* show = link(tr("Show me where"), widget());
      connect(show, &QPushButton::clicked, this, [this, view = step.view] { Q_EMIT viewRequested(view); });
      auto* under = new QHBoxLayout;
      under->setContentsMargins(22, 0, 0, 0);
      under->addWidget(show);
      under->addStretch();
      column->addLayout(under);
    }
    if (i > m_step) break;  // one step ahead is enough to see where it goes
  }
  if (m_step >= count) {
    auto* praise = wrapped(tr("Done. Your changes are not saved; the sample is untouched."), widget());
    column->addWidget(praise);
    const auto next =
        std::find_if(tours().begin(), tours().end(), [this](const Tour& l) { return !isFinished(l.id); });
    if (next != tours().end()) {
      auto* go = new QPushButton(tr("Next: %1").arg(next->title), widget());
      go->setProperty("primary", true);
      connect(go, &QPushButton::clicked, this, [this, id = next->id] { Q_EMIT startRequested(id); });
      column->addWidget(go);
    }
  }
  auto* again = link(tr("Restart this lesson"), widget());
  connect(again, &QPushButton::clicked, this, [this, id = m_lesson->id] { Q_EMIT startRequested(id); });
  auto* list = link(tr("All lessons"), widget());
  connect(list, &QPushButton::clicked, this, &LessonsPane::showList, Qt::QueuedConnection);
  auto* foot = new QHBoxLayout;
  foot->addWidget(again);
  foot->addWidget(list);
  foot->addWidget(leaveLink());
  foot->addStretch();
  column->addSpacing(6);
  column->addLayout(foot);
  column->addStretch();
}

void LessonsPane::check() {
  if (!m_lesson || m_step >= static_cast<int>(m_lesson->steps.size())) return;
  TourScene scene = m_scene();
  if (!m_start && scene.context->current && scene.context->outcome) m_start = scene.context;
  if (!m_start) return;  // not solved yet
  scene.start = m_start;
  if (!isDone(m_lesson->steps[m_step], scene)) return;
  ++m_step;
  const bool over = m_step >= static_cast<int>(m_lesson->steps.size());
  if (over && !isFinished(m_lesson->id)) {
    m_finished += m_lesson->id;
    if (m_remembers) QSettings().setValue(kFinishedKey, m_finished);
  }
  showLesson();
  QAccessibleEvent told(this, QAccessible::NameChanged);
  QAccessible::updateAccessibility(&told);
  if (!over) Q_EMIT viewRequested(m_lesson->steps[m_step].view);
}

void LessonsPane::showEvent(QShowEvent* event) {
  QScrollArea::showEvent(event);
  if (m_lesson) m_look.start();
}

void LessonsPane::hideEvent(QHideEvent* event) {
  QScrollArea::hideEvent(event);
  m_look.stop();
}

}  // namespace nest
