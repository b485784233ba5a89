#include "window/lessons_controller.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <utility>

#include "document/file_filters.h"
#include "document/file_path.h"
#include "document/scenario_files.h"
#include "export/save_path.h"
#include "lessons/lesson_library.h"
#include "lessons/lesson_play.h"
#include "lessons/lessons_pane.h"
#include "theme/plain_text.h"
#include "theme/qt_text.h"
#include "views/figure_view.h"
#include "views/search/search_view.h"
#include "window/file_commands.h"
#include "window/lesson_stage.h"
#include "window/message_bar.h"
#include "window/views_area.h"

namespace nest {
namespace {

const auto kRemembered = QStringLiteral("views");  ///< group of the settings

/// What a view shows before anything was chosen in it; empty of views that lessons leave alone.
View::State defaultsOf(const View& view) {
  if (const auto* figure = qobject_cast<const FigureView*>(&view)) return figure->defaults();
  if (const auto* search = qobject_cast<const SearchView*>(&view)) return search->defaults();
  return {};
}

std::map<QString, View::State> choicesOf(const ViewsArea& views) {
  std::map<QString, View::State> all;
  for (const View* view : views.views()) {
    const View::State defaults = defaultsOf(*view);
    View::State state = view->state();
    std::erase_if(state, [&](const auto& entry) { return !defaults.contains(entry.first); });
    if (!defaults.empty()) all[view->id()] = std::move(state);
  }
  return all;
}

QVariantMap rememberedChoices() {
  QSettings settings;
  settings.beginGroup(kRemembered);
  QVariantMap all;
  for (const QString& key : settings.allKeys()) all[key] = settings.value(key);
  return all;
}

void remember(const QVariantMap& choices) {
  QSettings settings;
  settings.beginGroup(kRemembered);
  settings.remove(QString());
  for (auto it = choices.begin(); it != choices.end(); ++it) settings.setValue(it.key(), it.value());
}

}  // namespace

LessonsController::LessonsController(const Needs& needs, bool remembers, QWidget* window)
    : QObject(window),
      m(needs),
      m_record(remembers),
      m_pane(new LessonsPane(m_record, m.document, window)),
      m_window(window) {
  connect(m_pane, &LessonsPane::startRequested, this, &LessonsController::start, Qt::QueuedConnection);
  connect(m_pane, &LessonsPane::restartRequested, this, &LessonsController::restart, Qt::QueuedConnection);
  connect(m_pane, &LessonsPane::leaveRequested, this, &LessonsController::leave);
  connect(m_pane, &LessonsPane::openRequested, this, &LessonsController::choose);
  connect(m_pane, &LessonsPane::saveRequested, this, &LessonsController::saveAnswers);
  m.commands.setLessonOpener([this](const QString& path) { return start(path); });
  // It is the user's own that may be lost.
  connect(&m.commands, &FileCommands::discarding, this, [this] {
    if (m_before) comeBack();
  });
}

LessonsController::~LessonsController() = default;

void LessonsController::setStage(LessonStage* stage) {
  m_stage = stage;
  connect(m_pane, &LessonsPane::whereRequested, stage, &LessonStage::showWhere);
}

void LessonsController::fail(const QString& title, const Diagnostics& why) {
  m.commands.report(tr("%1 cannot be taken").arg(title), why);
}

bool LessonsController::listFolder(const QString& path) {
  m_record.setFolder(QFileInfo(path).absoluteFilePath());
  m_pane->showList();
  Q_EMIT listWanted();
  return true;
}

bool LessonsController::start(const QString& key) {
  if (hasLessons(key)) return listFolder(key);
  const LibraryLesson lesson = lessonNamed(key);
  if (!lesson.lesson) {
    m.commands.report(tr("%1 cannot be opened").arg(QFileInfo(key).fileName()), lesson.errors);
    return false;
  }
  if (m_before && !m.commands.mayLetGo()) return false;
  auto play = std::make_unique<LessonPlay>(lesson, m_record);
  auto scenario = play->scenarioOf(play->caseOf(play->shown()));
  if (!scenario) {
    fail(visibleText(lesson.title()), scenario.diagnostics);
    return false;
  }
  if (!m_before)
    m_before = Before{m.document.setAside(), m.files.known(), choicesOf(m.views), rememberedChoices()};
  m.files.setAside();
  m_pane->endLesson();
  m_stage->prepare();
  m.files.openScratch(std::move(*scenario.value));
  for (View* view : m.views.views())
    if (const View::State defaults = defaultsOf(*view); !defaults.empty()) view->setState(defaults);
  Q_EMIT started();
  m_stage->begin(play.get());
  m_play = std::move(play);
  connect(
      m_play.get(), &LessonPlay::failed, this,
      [this](const Diagnostics& why) {
        const QString title = visibleText(m_play->source().title());
        comeBack();
        fail(title, why);
      },
      Qt::QueuedConnection);
  if (m_record.isOfAnotherVersion(*lesson.lesson)) {
    m.messages.show(MessageBar::Tone::Note,
                    tr("%1 has changed since you answered. Your answers to questions that are still in it "
                       "were kept.")
                        .arg(visibleText(lesson.title())));
    m_record.keep(m_record.progressIn(*lesson.lesson));
  }
  m_pane->begin(m_play.get());
  if (lesson.asks() && !m_record.isStudentKnown()) m_pane->askStudent(lesson.key);
  return true;
}

/// Answers are gone then: that is asked.
void LessonsController::restart() {
  if (!m_play) return;
  const LibraryLesson lesson = m_play->source();
  if (!m_record.progressIn(*lesson.lesson).answers.empty()) {
    QMessageBox box(QMessageBox::Warning, tr("Restart this lesson"),
                    tr("Discard your answers to this lesson?"), QMessageBox::Cancel, m_window);
    box.setInformativeText(tr("Save them first if your lecturer needs them."));
    const auto* discard = box.addButton(tr("Discard answers"), QMessageBox::DestructiveRole);
    box.setDefaultButton(QMessageBox::Cancel);
    box.exec();
    if (box.clickedButton() != discard) return;
  }
  m_record.forget(*lesson.lesson);
  start(lesson.key);
}

void LessonsController::choose() {
  const QString path = QFileDialog::getOpenFileName(m_window, tr("Open lesson"), folderFor(m.document),
                                                    tr("Lessons (*.lesson.json *.json);;All files (*)"));
  if (!path.isEmpty()) start(path);
}

void LessonsController::saveAnswers() {
  const std::string text = m_record.answersFile();
  if (text.empty()) {
    m.messages.show(MessageBar::Tone::Note, tr("Nothing has been answered yet."));
    return;
  }
  QString name = toQt(m_record.student());
  name.replace(u' ', u'-');
  const QString path = askPath(
      m_window, tr("Save answers"),
      QStringLiteral("%1/%2.answers.json").arg(folderFor(m.document), name.isEmpty() ? tr("my") : name),
      tr("Answers (*.answers.json)"), QStringLiteral("answers.json"));
  if (path.isEmpty()) return;
  if (const Diagnostics why = writeFile(path, QByteArray::fromStdString(text)); !why.empty())
    m.commands.report(tr("%1 was not saved").arg(QFileInfo(path).fileName()), why);
  else
    m.messages.show(MessageBar::Tone::Note, tr("Saved %1.").arg(QFileInfo(path).fileName()));
}

bool LessonsController::leave() {
  if (m_before && !m.commands.mayLetGo()) return false;
  comeBack();
  return true;
}

void LessonsController::comeBack() {
  m_pane->endLesson();
  if (m_stage) m_stage->end();
  if (m_play) m_play.release()->deleteLater();  // it may be the one that said so
  const auto before = std::exchange(m_before, std::nullopt);
  if (!before) return;
  m.files.resume(before->document, before->known);
  for (View* view : m.views.views())
    if (const auto it = before->choices.find(view->id()); it != before->choices.end())
      view->setState(it->second);
  remember(before->remembered);
  Q_EMIT ended();
}

}  // namespace nest
