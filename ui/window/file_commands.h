#pragma once

#include <QObject>
#include <QStringList>
#include <functional>
#include <optional>
#include <utility>

#include "diagnostics/diagnostic.h"
#include "document/scenario_files.h"

class QMenu;
class QMimeData;

namespace nest {

class MessageBar;
class ScenarioDocument;

/// What is done with files in a window, and what is said of it: opening, dropping, saving, recent files,
/// changes from outside.
class FileCommands : public QObject {
  Q_OBJECT
public:
  FileCommands(ScenarioFiles&, ScenarioDocument&, MessageBar&, QWidget* window);

  bool open(const QStringList& paths);  ///< any that the program knows
  void drop(const QMimeData&);
  void choose();
  void chooseModel();
  /// Another plan, of which nobody has stated anything yet; asks if there is unsaved work.
  void begin();
  bool save();
  bool saveAs();
  void close();  ///< asks if there is unsaved work
  void closeAtOnce();
  /// Asks if there is unsaved work; of what was set aside for a lesson, too.
  bool mayDiscard();
  bool mayLetGo();  ///< asks if what is open, and nothing else, has unsaved work
  void fillRecent(QMenu&);
  /// Who takes the lessons, and folders of them, among the files that are opened; false: it could not, and
  /// said so.
  void setLessonOpener(std::function<bool(const QString& path)> opener) { m_openLesson = std::move(opener); }
  /// Shows why something did not work: the first cause, and all of them among the issues.
  void report(const QString& sentence, const Diagnostics& why) { tellFailure(sentence, why); }

Q_SIGNALS:
  void opened();
  void begun();                              ///< by begin(), after opened()
  void discarding();                         ///< what is open may go, if the user agrees
  void diagnosed(const nest::Diagnostics&);  ///< of the files that were read last
  void issuesWanted();                       ///< the user asks to see them all
  void renameWanted();                       ///< the user asks to give the scenario another name

private:
  void openIfMayDiscard(const QStringList& paths);
  void tellImport(const QString& sentence, bool changed, bool keepsName);
  void tellFailure(const QString& sentence, const Diagnostics&);
  bool saveTo(const QString& path, ScenarioFiles::IfChanged = ScenarioFiles::IfChanged::Refuse);
  void tellChange(const QString& path);
  bool reload(const QString& path);  ///< a scenario or nothing: other files are not imported from there

  /// The lessons among these are taken out; the first one is opened. nullopt: there is none.
  std::optional<bool> openLessons(QStringList& paths);

  std::function<bool(const QString&)> m_openLesson;
  ScenarioFiles& m_files;
  ScenarioDocument& m_document;
  MessageBar& m_messages;
  QWidget* m_window;
  enum class Doing {
    Open,
    Save,
    Reload
  } m_doing = Doing::Open;  ///< what fails meanwhile is told accordingly
  Diagnostics m_ofFile;     ///< what was said of the open file when it was read
  bool m_fileLost = false;  ///< it no longer holds what is open
};

}  // namespace nest
