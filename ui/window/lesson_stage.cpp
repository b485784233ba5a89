#include "window/lesson_stage.h"

#include <QAction>
#include <QDockWidget>
#include <QMainWindow>
#include <algorithm>
#include <utility>

#include "actions/action_registry.h"
#include "document/item_names.h"
#include "document/planning_session.h"
#include "document/scenario_files.h"
#include "fields/field.h"
#include "lessons/lesson_limits.h"
#include "lessons/lesson_play.h"
#include "lessons/pointer_ring.h"
#include "theme/qt_text.h"
#include "views/figure_canvas.h"
#include "window/file_commands.h"
#include "window/headline.h"
#include "window/message_bar.h"
#include "window/views_area.h"
#include "window/window_layout.h"

namespace nest {
namespace {

constexpr int kLookMs = 200;    ///< what a view shows has no signal of its own
constexpr int kWhereMs = 4000;  ///< that "Show me where" rings a view
const auto kRefusedTopic = QStringLiteral("refused by a lesson");
constexpr const char* kPanelActions[] = {"view.panel", "view.inspector", "view.below"};

}  // namespace

/// How the window stood before the lesson.
struct LessonStage::Before {
  WindowLayout::Arrangement arrangement;
};

LessonStage::LessonStage(const Parts& parts)
    : QObject(&parts.window), m(parts), m_ring(new PointerRing(&parts.window)) {
  m_look.setInterval(kLookMs);
  connect(&m_look, &QTimer::timeout, this, &LessonStage::check);
  connect(&m.document, &ScenarioDocument::changed, this,
          [this](ScenarioParts, bool preview) { judgeEdit(preview); });
}

void LessonStage::prepare() {
  m_opening = true;
}

void LessonStage::begin(LessonPlay* play) {
  m_opening = false;
  if (!m_before) m_before = std::make_shared<Before>(Before{m.layout.arrangement()});
  m_play = play;
  m_start.reset();
  m_case = play->caseOf(play->shown());
  m_given = m.document.scenario();
  connect(play, &LessonPlay::stepShown, this, &LessonStage::follow);
  connect(play, &LessonPlay::ready, this, [this] { follow(true); });
  play->lesson().arrange == "teach" ? m.layout.teach() : m.layout.explore();
  // In a small window a figure has its lines of text only where it stands alone.
  if (WindowLayout::isSmallWindow(m.window.size())) m.views.setOneAtATime(true);
  limit();
  if (play->source().asks() && !play->isReady()) coverAll();  // until it is known what gives an answer away
  m_look.start();
}

void LessonStage::end() {
  if (!m_play) return;
  m_play->disconnect(this);
  m_play = nullptr;
  m_look.stop();
  m_ring->release();
  m.messages.withdraw(kRefusedTopic);
  m.headline.setVeil({});
  m.views.cover({}, {});
  limit();
  if (const auto before = std::exchange(m_before, nullptr)) m.layout.bringBack(before->arrangement);
  Q_EMIT limitsChanged();
}

LessonScene LessonStage::scene() const {
  return {&m.document, &m.selection, m.session.context(), m_start,
          [this](const QString& id) { return m.views.view(id); }};
}

void LessonStage::check() {
  if (!m_play) return;
  const PlanContextPtr c = m.session.context();
  if (!m_start && c->current && c->outcome) m_start = c;
  m_play->check(scene());
}

void LessonStage::follow(bool onwards) {
  if (!m_play || !m_play->isReady()) return;
  openCase(onwards);
  limit();
  cover();
  if (const LessonStep* step = m_play->step(); step && !step->view.empty()) m.views.reveal(toQt(step->view));
  point();
}

void LessonStage::openCase(bool onwards) {
  const LessonStep* step = m_play->step();
  if (!step || (onwards ? step->setsCase.empty() : m_play->lesson().cases.empty())) return;
  const std::string wanted = m_play->caseOf(m_play->shown());
  const bool changed = !(m.document.scenario().setting() == m_given.setting());
  if (wanted == m_case && !changed) return;
  if (!m.document.isScratch() && !m.commands.mayLetGo())
    return;  // it was saved to a file of the student's own
  auto scenario = m_play->scenarioOf(wanted);
  if (!scenario) return;  // all cases were read before the lesson began
  m_opening = true;
  m.files.openScratch(std::move(*scenario.value));
  m_opening = false;
  m_case = wanted;
  m_given = m.document.scenario();
  m_start.reset();
}

/// The views that the step has, and the panels that it leaves.
void LessonStage::limit() {
  std::optional<QStringList> ids;
  if (m_play && m_play->screen().views) {
    ids.emplace();
    for (const std::string& id : *m_play->screen().views) *ids << toQt(id);
  }
  m.views.offer(ids);
  for (const View* view : m.views.views())
    m.actions.find(QStringLiteral("view.show.") + view->id())->setEnabled(m.views.isOffered(view->id()));
  const bool reduced = ids.has_value();
  for (const char* id : kPanelActions) {
    const bool isFields = qstrcmp(id, "view.panel") == 0;
    m.actions.find(QLatin1String(id))->setEnabled(!(reduced && (!isFields || hidesFields())));
  }
  if (reduced) {
    m.inspector->hide();
    m.below->hide();
  }
  if (hidesFields()) m.panel->hide();
  m.headline.setOffersWider(!(m_play && m_play->screen().fields));
  Q_EMIT limitsChanged();
}

bool LessonStage::hidesFields() const {
  return m_play && m_play->screen().fields && m_play->screen().fields->empty();
}

/// What shows the answer is covered until it has been given; where the plan that it is about is open already,
/// all that shows the plan.
void LessonStage::cover() {
  const LessonStep* reveal = m_play->revealAhead();
  QStringList ids;
  if (reveal && !reveal->view.empty()) ids << m.views.view(toQt(reveal->view))->id();
  if (reveal && reveal->setsCase == m_case)
    for (const View* view : m.views.views()) ids << view->id();
  m.views.cover(ids, tr("Answer first: this is shown with what is right."));
  m.headline.setVeil(m_play->isAsking() || reveal ? tr("Answer first") : QString());
}

void LessonStage::coverAll() {
  QStringList ids;
  for (const View* view : m.views.views()) ids << view->id();
  m.views.cover(ids, tr("Answer first: this is shown with what is right."));
  m.headline.setVeil(tr("Answer first"));
}

void LessonStage::point() {
  const LessonStep* step = m_play->step();
  if (!step || step->point.empty()) return m_ring->release();
  m_ring->pointTo([this, at = step->point, view = toQt(step->view)] { return placeOf(at, view); });
}

void LessonStage::showWhere() {
  const LessonStep* step = m_play ? m_play->step() : nullptr;
  if (!step || step->view.empty()) return;
  m.views.reveal(toQt(step->view));
  if (!step->point.empty()) return point();
  m_ring->pointTo([this, view = toQt(step->view)] { return placeOf({}, view); }, kWhereMs);
}

QRect LessonStage::placeOf(const std::string& point, const QString& viewId) const {
  const auto inWindow = [this](const QWidget* w, const QRect& at) {
    return w && w->isVisible() && !w->visibleRegion().isEmpty()
               ? QRect(w->mapTo(&m.window, at.topLeft()), at.size())
               : QRect();
  };
  const View* view = m.views.view(viewId);
  if (point.empty()) return view ? inWindow(view, view->rect().adjusted(8, 8, -8, -8)) : QRect();
  // A field by its key, which stands in the lesson itself, or a control by its name.
  QString name = toQt(point);
  if (const auto field = fieldAt(m.document.scenario(), point)) name = toQt(field->pointer());
  for (const QWidget* control : m.window.findChildren<QWidget*>(name))
    if (const QRect at = inWindow(control, control->rect()); !at.isEmpty()) return at;
  const auto kind = itemKindNamed(name.section(u' ', 0, 0));
  const int number = name.section(u' ', 1).toInt();
  if (!kind || number < 1 || !view) return {};
  SelectionItem item{*kind, number - 1};
  if (*kind == ItemKind::Level) item = {ItemKind::Level, 0, number - 1};
  for (const auto* canvas : view->findChildren<FigureCanvas*>())
    if (const QRectF at = canvas->placeOf(item); !at.isEmpty()) return inWindow(canvas, at.toAlignedRect());
  return {};
}

void LessonStage::judgeEdit(bool preview) {
  if (!m_play || preview || m_opening || m.document.isEmpty() || !m_play->screen().fields || m_refused)
    return;
  m_refused = refusalOf(m_given, m.document.scenario(), *m_play->screen().fields);
  // Not within the step that the history is just making.
  if (m_refused)
    QMetaObject::invokeMethod(
        this, [this] { refuse(std::exchange(m_refused, std::nullopt).value_or(QString())); },
        Qt::QueuedConnection);
}

void LessonStage::refuse(const QString& why) {
  if (!m_play || why.isEmpty()) return;
  m.document.closeStep();
  if (m.document.history().canUndo()) m.document.history().undo();
  m.messages.show(MessageBar::Tone::Note, why, {}, kRefusedTopic);
}

}  // namespace nest
