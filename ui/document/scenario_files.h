#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QStringList>
#include <QTimer>
#include <memory>
#include <optional>
#include <vector>

#include "calibration/measurement.h"
#include "document/import_assumptions.h"
#include "document/journal.h"
#include "document/scenario_document.h"
#include "formats/scenario/scenario_json.h"
#include "plan/plan.h"

namespace nest {

/// A scenario from a file or an embedded sample (":/samples/…"), with what it refers to. Diagnostics carry
/// line and column. `content` gets the text that it was read from.
Reading<Scenario> readScenarioFile(const QString& path, QByteArray* content = nullptr);
/// The same of a text that belongs to `path`.
Reading<Scenario> readScenarioText(const QByteArray& text, const QString& path);

/// The text of a regular file or an embedded sample, or why it cannot be had.
Reading<std::string> readTextOf(const QString& path);
/// What recognise() looks at of it.
Reading<std::string> readBeginOf(const QString& path);
/// Loads what the scenario at `path` names; see loaderBeside.
ReferenceLoader loaderOf(const QString& path);

/// The built-in sample scenarios, default first.
QStringList samplePaths();

/// Files around the document: opening, atomic saving, recent files, the journal of unsaved work, changes from
/// outside.
class ScenarioFiles : public QObject {
  Q_OBJECT
public:
  ScenarioFiles(ScenarioDocument&, const QString& journalFolder, QObject* parent = nullptr);

  /// Opens a scenario. False: nothing has changed and failed() has told why.
  bool open(const QString& path);
  /// A scenario that nobody has stated anything of: the setting of the first sample, all of it unstated.
  bool begin();
  /// A scenario of a lesson, as a scratch document without a file.
  void openScratch(Scenario);
  /// Opens any files that the program knows. A scenario takes the place of the open one; networks, models and
  /// profiles are put into it as one undo step (into the first sample where none is open); plans are handed
  /// out by planRead(), measurements by measurementRead(). recognised() tells what they were. False: nothing
  /// has changed, failed() has told why.
  bool openAll(const QStringList& paths);
  /// Whether opening these would take the place of the open scenario instead of changing it.
  bool replacesScenario(const QStringList& paths) const;
  /// Replaces the model of the open scenario by the one in this config.json, as an undo step.
  bool loadModel(const QString& path);
  /// Whether the open scenario's file holds something else than was last read or saved.
  bool differsOnDisk() const;
  enum class IfChanged { Refuse, Overwrite };
  /// Atomic: the old file stands until the new one is whole. A model's file beside the scenario is named from
  /// the new place; where it does not stand in or below that folder, it goes into the scenario. IfChanged:
  /// the open file differs on the disk.
  bool save(const QString& path, IfChanged = IfChanged::Refuse);
  /// The user knows of the change that changedOutside() has told and wants his own version.
  void ignoreExternalChange();

  /// Another scenario is about to take the place of the open one, which comes back by resume(): its unsaved
  /// work stays protected meanwhile, whatever happens to the other.
  void setAside();
  /// Comes back to what was set aside; `known`: what its file was known to hold then.
  void resume(const ScenarioDocument::ParkedDocument&, const QByteArray& known);
  ImportAssumptions& assumptions() { return *m_assumptions; }
  const QByteArray& known() const { return m_known; }  ///< what the open file held when last read or saved

  QStringList recent() const;
  void forgetRecent();

  std::vector<Journal::Entry> recoverable() const { return m_journal->orphans(); }
  /// Opens what a journal holds, as unsaved work.
  bool restore(const Journal::Entry&);
  /// What a journal's scenario changes against its file, one line each; nothing where one cannot be read.
  static std::optional<QStringList> differencesOf(const Journal::Entry&);
  /// No unsaved work is to be kept: the user has said so.
  void forgetUnsaved() { m_journal->clear(); }

Q_SIGNALS:
  void failed(const QString& sentence, const nest::Diagnostics&);
  void read(const nest::Diagnostics&);  ///< warnings and notes of a file that was opened
  /// What imported files held. `changed`: undoable. `keepsName`: model and network are others, and the
  /// scenario goes by the name of those before.
  void recognised(const QString& sentence, bool changed, bool keepsName);
  void figureRead(const QString& figure);  ///< the scenario was inside a picture of it: "stages"
  void planRead(const nest::Plan& plan, const QString& name);
  void measurementRead(const nest::Measurement&, const QString& name);
  void saved(const QString& path);
  void changedOutside(const QString& path);  ///< and differs from what was read or saved
  void goneOutside(const QString& path);     ///< and has not come back; told once
  void outsideSettled();                     ///< what these two have told is no longer so
  void protectionChanged(
      const nest::Diagnostics& trouble);  ///< why a crash would lose edits; empty: it would not
  void recentChanged();

private:
  bool import(const QStringList& paths);
  void remember(const QString& path);
  void watch(const QString& path, const QByteArray& content);
  /// How a scenario at this path names its model's file; empty: the model stands in the scenario.
  std::string referenceFrom(const QString& path) const;
  void checkOutside();
  void journal();

  std::unique_ptr<Journal> makeJournal();

  ScenarioDocument& m_document;
  ImportAssumptions* m_assumptions;
  QString m_journalFolder;
  std::unique_ptr<Journal> m_journal;       ///< never null
  std::unique_ptr<Journal> m_asideJournal;  ///< of what was set aside
  QFileSystemWatcher m_watcher;
  QTimer m_journalSoon, m_checkSoon;
  QByteArray m_known;                ///< content of the file as last read or saved
  std::optional<QByteArray> m_told;  ///< content of the file that changedOutside() has told of
  bool m_missing = false, m_toldMissing = false;
};

/// Differences of two scenarios in words: "Global batch 1024 → 2048". By JSON value.
QStringList differencesInWords(const Scenario& before, const Scenario& after);

}  // namespace nest
