#include "views/figure_views.h"

#include <QComboBox>
#include <QCursor>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMouseEvent>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <utility>

#include "document/playback.h"
#include "figures/paint/phrases.h"
#include "figures/plan/communication_figure.h"
#include "figures/plan/memory_figure.h"
#include "figures/plan/stages_figure.h"
#include "figures/plan/timeline_figure.h"
#include "jobs/study_worker.h"
#include "views/exchange_view.h"
#include "views/figure_canvas.h"
#include "views/figure_pane.h"
#include "views/play_bar.h"

namespace nest {
StagesView::StagesView(ViewServices services, QWidget* parent)
    : FigureView(std::make_unique<StagesFigure>(), services, parent) {
  connect(pane(), &FigurePane::menuMade, this,
          [this](QMenu* menu) { addExchangeTo(*menu, selection(), context()); });
}

MemoryView::MemoryView(ViewServices services, QWidget* parent)
    : FigureView(std::make_unique<MemoryFigure>(), services, parent) {}

CommunicationView::CommunicationView(ViewServices services, QWidget* parent)
    : FigureView(std::make_unique<CommunicationFigure>(), services, parent) {
  connect(pane(), &FigurePane::menuMade, this,
          [this](QMenu* menu) { addExchangeTo(*menu, selection(), context()); });
}

TimelineView::TimelineView(ViewServices services, QWidget* parent)
    : FigureView(std::make_unique<TimelineFigure>(), services, parent) {
  auto* f = &figureAs<TimelineFigure>();
  m_worker = new StudyWorker(this);
  connect(m_worker, &StudyWorker::finished, this, [this] {
    if (const auto next = std::exchange(m_next, std::nullopt)) simulateLater(next->first, next->second);
  });
  f->setAsk([this](const PlanContext& c, ScheduleKind kind) { simulateLater(c, kind); });

  buildFinder();
  auto* bar = new PlayBar(selection().playback(), PlayBar::ofSchedule(), *canvas(), this);
  addBelow(bar);
  bar->drive(*addFirstButton(tr("Play"), tr("Play the step (Space)")));
  connect(pane(), &FigurePane::menuMade, bar, [bar](QMenu* menu) { bar->addToMenu(*menu); });
  connect(&selection(), &Selection::playheadChanged, this, [this] {
    const auto& head = selection().playhead();
    if (head && isInSight()) figureAs<TimelineFigure>().showTime(head->at.value(), context());
  });
  if (QComboBox* schedule = choice("schedule")) {
    connect(schedule, &QComboBox::currentIndexChanged, this, &TimelineView::followPlayback);
    // All schedules together leave no room for it.
    auto* memory = findChild<QToolButton*>(QStringLiteral("memory"));
    const auto offer = [schedule, memory] { memory->setEnabled(nameIn(*schedule) != "all"); };
    connect(schedule, &QComboBox::currentIndexChanged, memory, offer);
    offer();
  }
  canvas()->installEventFilter(this);
  canvas()->setToolTip({});
  connect(pane(), &FigurePane::menuMade, this, &TimelineView::fillMenu);
  // A task was clicked or walked to: its times are known here alone.
  connect(&selection(), &Selection::selectedChanged, this, [this, f] {
    const auto& item = selection().selected();
    const auto id = item ? taskOf(*item) : std::nullopt;
    if (!id || selection().taskTimes()) return;
    if (const auto task = f->task(*id, context())) selection().selectTask(task->id, task->times);
  });
}

void TimelineView::buildFinder() {
  m_finder = new QWidget;
  auto* row = new QHBoxLayout(m_finder);
  row->setContentsMargins(10, 2, 10, 4);
  m_words = new QLineEdit;
  m_words->setPlaceholderText(tr("forward 17   ·   backward 3 stage 2   ·   optimizer stage 1"));
  m_words->setAccessibleName(tr("Find a task"));
  m_words->setClearButtonEnabled(true);
  m_found = new QLabel;
  m_found->setProperty("role", "muted");
  auto* label = new QLabel(tr("Find"));
  label->setBuddy(m_words);
  row->addWidget(label);
  row->addWidget(m_words, 1);
  row->addWidget(m_found);
  auto* close = new QToolButton;
  close->setText(tr("Close"));
  close->setToolTip(tr("Close the search (Esc)"));
  close->setAutoRaise(true);
  row->addWidget(close);
  addBelow(m_finder);
  m_finder->hide();
  m_words->installEventFilter(this);
  connect(m_words, &QLineEdit::returnPressed, this, [this] { find(m_words->text()); });
  connect(m_words, &QLineEdit::textChanged, m_found, &QLabel::clear);
  connect(close, &QToolButton::clicked, this, [this] {
    m_finder->hide();
    canvas()->setFocus();
  });
}

void TimelineView::findTask() {
  m_finder->show();
  m_words->setFocus(Qt::ShortcutFocusReason);
  m_words->selectAll();
}

bool TimelineView::find(const QString& words) {
  const auto& f = figureAs<TimelineFigure>();
  const auto& item = selection().selected();
  const auto task = f.find(words, item ? taskOf(*item) : std::nullopt, context());
  if (!task) {
    m_found->setText(words.trimmed().isEmpty() ? QString() : tr("No such task"));
    return false;
  }
  m_found->clear();
  selection().selectTask(task->id, task->times);
  showTask(task->id);
  return true;
}

void TimelineView::showTask(const TaskId& id) {
  auto& f = figureAs<TimelineFigure>();
  if (const auto task = f.task(id, context()))
    f.showTime((task->times.begin + task->times.end) / 2, context());
  figureChanged();
}

TimelineView::~TimelineView() {
  m_worker->disconnect(this);
  m_worker->stop();
}

void TimelineView::hidePlayHead() {
  selection().playback().hide();
}

void TimelineView::movePlayHead(double seconds) {
  const auto replay = figureAs<TimelineFigure>().replay(context());
  if (!replay || replay->end() == Seconds()) return;
  selection().playback().setReplay(replay);
  selection().playback().moveTo(Seconds(seconds));
}

void TimelineView::showPlayHead() {
  const auto& f = figureAs<TimelineFigure>();
  const QRectF area = canvas()->area();
  movePlayHead(f.timeAt(f.rulerOf(area, context()).center().x(), area, context()));
}

/// What is drawn is what is played; the view follows the playhead.
void TimelineView::followPlayback() {
  auto& f = figureAs<TimelineFigure>();
  if (const auto replay = f.replay(context()); replay && replay->end() > Seconds())
    selection().playback().setReplay(replay);
  if (const auto& head = selection().playhead()) f.showTime(head->at.value(), context());
}

void TimelineView::markSpan(double from, double to) {
  if (from > to) std::swap(from, to);
  figureAs<TimelineFigure>().setSpan(to > from ? std::optional(TimelineFigure::Span{from, to})
                                               : std::nullopt);
  figureChanged();
}

void TimelineView::fillMenu(QMenu* menu) {
  menu->addSeparator();
  menu->addAction(tr("Find a task…"), this, &TimelineView::findTask);
  if (selection().playhead())
    menu->addAction(tr("Hide the playhead"), this, &TimelineView::hidePlayHead);
  else
    menu->addAction(tr("Show the playhead"), this, &TimelineView::showPlayHead);
  if (figureAs<TimelineFigure>().span())
    menu->addAction(tr("Clear the marked span"), this, [this] { markSpan(0, 0); });
}

bool TimelineView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_words) {
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
      m_finder->hide();
      canvas()->setFocus();
      return true;
    }
    return FigureView::eventFilter(watched, event);
  }
  if (watched != canvas()) return FigureView::eventFilter(watched, event);
  switch (event->type()) {
    case QEvent::MouseButtonPress:
    case QEvent::MouseButtonDblClick:
      return pressed(static_cast<QMouseEvent*>(event));
    case QEvent::MouseMove:
      return moved(static_cast<QMouseEvent*>(event));
    case QEvent::MouseButtonRelease:
      return released(static_cast<QMouseEvent*>(event));
    case QEvent::ShortcutOverride: {
      const auto* key = static_cast<QKeyEvent*>(event);
      if (key->matches(QKeySequence::Find)) event->accept();
      return false;
    }
    case QEvent::KeyPress:
      return typed(static_cast<QKeyEvent*>(event));
    default:
      return FigureView::eventFilter(watched, event);
  }
}

bool TimelineView::pressed(QMouseEvent* e) {
  if (e->button() != Qt::LeftButton) return false;
  const auto& f = figureAs<TimelineFigure>();
  const QRectF area = canvas()->area();
  const QPointF at = canvas()->at(e->position());
  const QRectF ruler = f.rulerOf(area, context());
  if (ruler.isEmpty() || !ruler.adjusted(-4, 0, 4, 0).contains(at)) return false;
  constexpr double kNearHead = 7;
  const auto& head = selection().playhead();
  const bool onHead = head && std::abs(f.xOf(head->at.value(), area, context()) - at.x()) <= kNearHead;
  m_grip = onHead ? Grip::Head : Grip::Ruler;
  m_pressedAt = at;
  m_pressedTime = f.timeAt(at.x(), area, context());
  canvas()->setFocus(Qt::MouseFocusReason);
  return true;
}

bool TimelineView::moved(QMouseEvent* e) {
  const auto& f = figureAs<TimelineFigure>();
  const QRectF area = canvas()->area();
  const QPointF at = canvas()->at(e->position());
  if (m_grip == Grip::None) {
    const QRectF ruler = f.rulerOf(area, context());
    if (e->buttons() == Qt::NoButton)
      canvas()->setCursor(ruler.contains(at) ? Qt::SplitHCursor : Qt::ArrowCursor);
    return false;
  }
  const double t = f.timeAt(at.x(), area, context());
  if (m_grip == Grip::Head)
    movePlayHead(t);
  else if (std::abs(at.x() - m_pressedAt.x()) > 3)
    markSpan(m_pressedTime, t);
  return true;
}

bool TimelineView::released(QMouseEvent* e) {
  if (e->button() != Qt::LeftButton || m_grip == Grip::None) return false;
  const QPointF at = canvas()->at(e->position());
  if (std::exchange(m_grip, Grip::None) == Grip::Ruler && std::abs(at.x() - m_pressedAt.x()) <= 3) {
    // A click: the playhead; a span that was marked has been read.
    markSpan(0, 0);
    movePlayHead(m_pressedTime);
  }
  return true;
}

bool TimelineView::typed(QKeyEvent* e) {
  if (e->matches(QKeySequence::Find) || (e->key() == Qt::Key_Slash && e->modifiers() == Qt::NoModifier)) {
    findTask();
    return true;
  }
  const auto modifiers = e->modifiers() & ~Qt::KeypadModifier;
  if (modifiers != Qt::NoModifier && modifiers != Qt::ShiftModifier) return false;
  auto& f = figureAs<TimelineFigure>();
  const QRectF area = canvas()->area();
  const bool far = modifiers == Qt::ShiftModifier;
  constexpr double kPan = 80;  // pixels
  switch (e->key()) {
    case Qt::Key_W:
    case Qt::Key_S: {
      QPointF about = canvas()->at(canvas()->mapFromGlobal(QCursor::pos()));
      if (!area.contains(about)) about = area.center();
      if (const auto& item = selection().selected(); item && item->kind == ItemKind::Task)
        if (const auto hit = f.locate(*item, area, context()); hit && area.contains(hit->area.center()))
          about = hit->area.center();
      const double by = far ? 2 : 1.25;
      f.zoomAt(about, e->key() == Qt::Key_W ? by : 1 / by, area, context());
      break;
    }
    case Qt::Key_A:
    case Qt::Key_D:
      f.panBy({(e->key() == Qt::Key_A ? 1 : -1) * kPan * (far ? 5 : 1), 0}, area, context());
      break;
    case Qt::Key_Escape:
      if (f.span()) return markSpan(0, 0), true;
      if (selection().playhead() && !selection().selected()) return hidePlayHead(), true;
      return false;
    default:
      return false;
  }
  figureChanged();
  return true;
}

/// The newest waits until the one before is through.
void TimelineView::simulateLater(const PlanContext& c, ScheduleKind kind) {
  if (m_worker->isBusy()) {
    m_next = std::pair(c, kind);
    return;
  }
  m_worker->start([this, c, kind](const Control& control, const BackgroundTask::Deliver& deliver) {
    auto schedule = std::make_shared<Schedule>(
        simulate(*c.problem, *c.shownPlan(), *c.shownEvaluation(), kind, true, control.stop));
    deliver([this, c, kind, schedule] {
      figureAs<TimelineFigure>().take(c, kind, std::move(*schedule));
      figureChanged();
      followPlayback();
    });
  });
}

void TimelineView::refresh() {
  // Another plan: what ran at that time, and the span that was measured, are not its own.
  selection().playback().setPlan(context());
  if (std::exchange(m_ofPlan, context().plan) != context().plan) {
    if (!isRestoring() && m_wasShown) figureAs<TimelineFigure>().setSpan(std::nullopt);
    m_wasShown = context().plan != nullptr;
    if (const auto& item = selection().selected(); item && item->kind == ItemKind::Task)
      if (const auto task = figureAs<TimelineFigure>().task(*taskOf(*item), context()); !task)
        selection().setSelected(SelectionItem{ItemKind::Stage, item->index});
  }
  FigureView::refresh();
  if (isInSight()) followPlayback();
}

}  // namespace nest
