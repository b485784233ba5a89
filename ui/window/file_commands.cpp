#include "window/file_commands.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSysInfo>
#include <QUrl>
#include <utility>

#include "document/file_filters.h"
#include "export/save_path.h"
#include "figures/paint/phrases.h"
#include "lessons/lesson_library.h"
#include "panes/log_pane.h"
#include "theme/plain_text.h"
#include "window/message_bar.h"

namespace nest {
namespace {

const auto kOutside = QStringLiteral("the file outside");  ///< topic of the message bar

QString nameOf(const QString& path) {
  return QFileInfo(path).fileName();
}

/// Empty: the file is not on this computer, which some file managers name.
QString pathOf(const QUrl& url) {
  if (!url.isLocalFile()) return {};
  const QString host = url.host();
  const bool isHere = host.isEmpty() || host == QLatin1String("localhost") ||
                      host.compare(QSysInfo::machineHostName(), Qt::CaseInsensitive) == 0;
  return isHere ? url.path(QUrl::FullyDecoded) : QString();
}

}  // namespace

FileCommands::FileCommands(ScenarioFiles& files, ScenarioDocument& document, MessageBar& messages,
                           QWidget* window)
    : QObject(window), m_files(files), m_document(document), m_messages(messages), m_window(window) {
  connect(&m_files, &ScenarioFiles::saved, this,
          [](const QString& path) { logLine(tr("Saved %1").arg(path)); });
  connect(&m_files, &ScenarioFiles::read, this, [this](const Diagnostics& d) {
    m_ofFile = d;
    Q_EMIT diagnosed(d);
  });
  connect(&m_files, &ScenarioFiles::recognised, this, &FileCommands::tellImport);
  connect(&m_files, &ScenarioFiles::failed, this, &FileCommands::tellFailure);
  connect(&m_files, &ScenarioFiles::changedOutside, this, &FileCommands::tellChange);
  connect(&m_files, &ScenarioFiles::goneOutside, this, [this](const QString& path) {
    m_fileLost = true;
    m_messages.show(MessageBar::Tone::Warning,
                    tr("%1 was moved or deleted. Your scenario is still open; save to recreate the file.")
                        .arg(nameOf(path)),
                    {{tr("Save"), [this] { save(); }}}, kOutside);
  });
  connect(&m_files, &ScenarioFiles::outsideSettled, this, [this] {
    m_messages.withdraw(kOutside);
    if (std::exchange(m_fileLost, false)) Q_EMIT diagnosed(m_ofFile);
  });
}

void FileCommands::tellImport(const QString& sentence, bool changed, bool keepsName) {
  logLine(sentence);
  QString text = sentence;
  std::vector<MessageBar::Choice> choices;
  QUndoStack& history = m_document.history();
  if (changed && history.canUndo()) choices.push_back(MessageBar::undoing(history));
  if (keepsName) {
    const QString name = visibleText(QString::fromStdString(m_document.scenario().name));
    text +=
        m_document.path().isEmpty()
            ? tr("\nThe scenario is still named “%1”.").arg(name)
            : tr("\nThe scenario is still named “%1” and saved as %2.").arg(name, nameOf(m_document.path()));
    choices.push_back({tr("Rename"), [this] { Q_EMIT renameWanted(); }, &history});
    if (!m_document.path().isEmpty()) choices.push_back({tr("Save as…"), [this] { saveAs(); }, &history});
  }
  m_messages.show(MessageBar::Tone::Note, text, std::move(choices));
}

void FileCommands::tellFailure(const QString& sentence, const Diagnostics& d) {
  Q_EMIT diagnosed(d);
  QString text = sentence;
  if (!d.empty()) {
    text += QStringLiteral(": ");
    if (const QString of = nameOf(QString::fromStdString(d.front().where.file)); !sentence.contains(of))
      text += of + QStringLiteral(": ");
    text += inWords(d.front());
  }
  if (d.size() > 1) text += tr(" (and %1 more)").arg(countText(d.size() - 1));
  std::vector<MessageBar::Choice> choices;
  if (m_doing == Doing::Save) choices.push_back({tr("Save as…"), [this] { saveAs(); }});
  choices.push_back({tr("Show issues"), [this] { Q_EMIT issuesWanted(); }});
  m_messages.show(MessageBar::Tone::Error, text, std::move(choices),
                  m_doing == Doing::Reload ? kOutside : QString());
  logTrouble(text);
}

void FileCommands::tellChange(const QString& path) {
  if (m_document.isModified())
    return m_messages.show(
        MessageBar::Tone::Warning,
        tr("%1 was changed by another program, and you have unsaved edits.").arg(nameOf(path)),
        {{tr("Reload"), [this, path] { reload(path); }},
         {tr("Keep my edits"), [this] { m_files.ignoreExternalChange(); }}},
        kOutside);
  if (reload(path))
    m_messages.show(MessageBar::Tone::Note,
                    tr("%1 was changed by another program and has been reloaded.").arg(nameOf(path)));
}

bool FileCommands::reload(const QString& path) {
  const QScopedValueRollback<Doing> reloading(m_doing, Doing::Reload);
  if (!m_files.open(path)) {
    m_fileLost = true;
    m_document.setFileLost(true);  // what is open stands nowhere else
    return false;
  }
  Q_EMIT opened();
  logLine(tr("Reloaded %1").arg(path));
  return true;
}

std::optional<bool> FileCommands::openLessons(QStringList& paths) {
  QStringList lessons;
  for (const QString& path : std::exchange(paths, {}))
    (isLessonFile(path) || hasLessons(path) ? lessons : paths) << path;
  if (lessons.isEmpty() || !m_openLesson) return std::nullopt;
  const bool opened = m_openLesson(lessons.front());
  if (lessons.size() > 1)
    m_messages.add(MessageBar::Tone::Note, tr("One lesson is taken at a time; open the others after it."));
  return opened;
}

bool FileCommands::open(const QStringList& given) {
  QStringList paths = given;
  if (const auto lesson = openLessons(paths); lesson && paths.isEmpty()) return *lesson;
  if (!m_files.openAll(paths)) return false;
  Q_EMIT opened();
  for (const QString& path : paths)
    logLine(tr("Opened %1")
                .arg(path.startsWith(QLatin1Char(':')) ? tr("the sample %1").arg(nameOf(path)) : path));
  return true;
}

void FileCommands::openIfMayDiscard(const QStringList& paths) {
  QStringList others = paths;
  openLessons(others);
  if (!others.isEmpty() && (!m_files.replacesScenario(others) || mayDiscard())) open(others);
}

void FileCommands::drop(const QMimeData& data) {
  QStringList paths, elsewhere;
  for (const QUrl& url : data.urls())
    if (const QString path = pathOf(url); !path.isEmpty())
      paths += path;
    else
      elsewhere += visibleText(url.toDisplayString());
  if (!elsewhere.isEmpty()) m_messages.dismiss();  // what is shown after that is said of the others
  openIfMayDiscard(paths);
  if (!elsewhere.isEmpty())
    m_messages.add(MessageBar::Tone::Warning,
                   tr("%1 is not on this computer. Save a copy here and drop that.")
                       .arg(elsewhere.join(QStringLiteral(", "))));
}

void FileCommands::choose() {
  openIfMayDiscard(QFileDialog::getOpenFileNames(m_window, tr("Open scenarios, networks, models and plans"),
                                                 folderFor(m_document), openFilter()));
}

void FileCommands::chooseModel() {
  const QString path =
      QFileDialog::getOpenFileName(m_window, tr("Load model"), folderFor(m_document), modelFilter());
  if (!path.isEmpty()) m_files.loadModel(path);
}

void FileCommands::begin() {
  if (!mayDiscard() || !m_files.begin()) return;
  Q_EMIT opened();
  Q_EMIT begun();
  logLine(tr("New plan"));
}

bool FileCommands::save() {
  const QString path = m_document.path();
  if (path.isEmpty()) return saveAs();
  if (!m_files.differsOnDisk()) return saveTo(path);
  QMessageBox box(QMessageBox::Warning, tr("Changed by another program"),
                  tr("%1 has changed on disk since you opened it.").arg(nameOf(path)), QMessageBox::Cancel,
                  m_window);
  box.setInformativeText(tr("Overwriting replaces the other version with yours."));
  const auto* overwrite = box.addButton(tr("Overwrite"), QMessageBox::DestructiveRole);
  const auto* elsewhere = box.addButton(tr("Save as…"), QMessageBox::AcceptRole);
  box.setDefaultButton(QMessageBox::Cancel);
  box.exec();
  if (box.clickedButton() == elsewhere) return saveAs();
  return box.clickedButton() == overwrite && saveTo(path, ScenarioFiles::IfChanged::Overwrite);
}

bool FileCommands::saveAs() {
  QString name;
  for (const QChar c : QString::fromStdString(m_document.scenario().name).toLower())
    if (c.isLetterOrNumber())
      name += c;
    else if (!name.isEmpty() && !name.endsWith(QLatin1Char('-')))
      name += QLatin1Char('-');
  if (name.endsWith(QLatin1Char('-'))) name.chop(1);
  const QString proposal = m_document.path().isEmpty()
                               ? QStringLiteral("%1/%2.nest.json").arg(folderFor(m_document), name)
                               : m_document.path();
  const QString path =
      askPath(m_window, tr("Save as"), proposal, tr("Scenarios (*.nest.json)"), QStringLiteral("nest.json"));
  return !path.isEmpty() && saveTo(path, ScenarioFiles::IfChanged::Overwrite);
}

bool FileCommands::saveTo(const QString& path, ScenarioFiles::IfChanged ifChanged) {
  const QScopedValueRollback<Doing> saving(m_doing, Doing::Save);
  return m_files.save(path, ifChanged);
}

bool FileCommands::mayDiscard() {
  if (!mayLetGo()) return false;
  const int asked = m_document.generation();
  Q_EMIT discarding();
  return m_document.generation() == asked || mayLetGo();
}

bool FileCommands::mayLetGo() {
  if (!m_document.isModified()) return true;
  const QString name = m_document.displayName();
  QMessageBox box(QMessageBox::Warning, tr("Unsaved changes"),
                  m_fileLost ? tr("The file %1 no longer holds this scenario. Save it again?").arg(name)
                             : tr("Save changes to “%1”?").arg(name),
                  QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, m_window);
  box.setDefaultButton(QMessageBox::Save);
  box.button(QMessageBox::Discard)->setText(tr("Don't save"));
  const int answer = box.exec();
  if (answer == QMessageBox::Save) return save();
  if (answer == QMessageBox::Discard) m_files.forgetUnsaved();
  return answer == QMessageBox::Discard;
}

void FileCommands::close() {
  if (mayDiscard()) closeAtOnce();
}

void FileCommands::closeAtOnce() {
  m_document.close();
  m_files.forgetUnsaved();
}

void FileCommands::fillRecent(QMenu& menu) {
  menu.clear();
  const QStringList paths = m_files.recent();
  for (const QString& path : paths)
    menu.addAction(nameOf(path), this,
                   [this, path] {
                     if (mayDiscard()) open({path});
                   })
        ->setToolTip(plainTip(path));
  menu.setEnabled(!paths.isEmpty());
  if (!paths.isEmpty()) {
    menu.addSeparator();
    menu.addAction(tr("Clear recent files"), this, [this] { m_files.forgetRecent(); });
  }
  menu.setToolTipsVisible(true);
}

}  // namespace nest
