#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QStringList>
#include <QTimer>
#include <vector>

#include "document/journal.h"
#include "document/scenario_document.h"
#include "formats/scenario_json.h"

namespace nest {

/// A scenario from a file or an embedded sample (":/samples/…"), with what it refers to. Diagnostics carry
/// line and column.
Reading<Scenario> readScenarioFile(const QString& path);
/// The same of a text that belongs to `path`.
Reading<Scenario> readScenarioText(const QByteArray& text, const QString& path);

/// The built-in sample scenarios, default first.
QStringList samplePaths();

/// Files around the document: opening, atomic saving, recent files, the journal of unsaved work, changes from
/// outside.
class ScenarioFiles : public QObject {
  Q_OBJECT
public:
  ScenarioFiles(ScenarioDocument&, const QString& journalFolder, QObject* parent = nullptr);

  /// Opens a scenario, or takes a Hugging Face config.json as the model of the open one. False: nothing has
  /// changed and failed() has told why.
  bool open(const QString& path);
  /// Replaces the model of the open scenario by the one in this config.json, as an undo step.
  bool loadModel(const QString& path);
  bool save(const QString& path);  ///< atomic: the old file stands until the new one is whole

  QStringList recent() const;
  void forgetRecent();

  std::vector<Journal::Entry> recoverable() const { return m_journal.orphans(); }
  /// Opens what a journal holds, as unsaved work.
  bool restore(const Journal::Entry&);
  /// What a journal's scenario changes against its file, one line each.
  static QStringList differencesOf(const Journal::Entry&);
  /// No unsaved work is to be kept: the user has said so.
  void forgetUnsaved() { m_journal.clear(); }

Q_SIGNALS:
  void failed(const QString& sentence, const nest::Diagnostics&);
  void read(const nest::Diagnostics&);  ///< warnings and notes of a file that was opened
  void saved(const QString& path);
  void changedOutside(const QString& path);  ///< and differs from what was read or saved
  void recentChanged();

private:
  void remember(const QString& path);
  void watch(const QString& path, const QByteArray& content);
  void checkOutside();
  void journal();

  ScenarioDocument& m_document;
  Journal m_journal;
  QFileSystemWatcher m_watcher;
  QTimer m_journalSoon, m_checkSoon;
  QByteArray m_known;  ///< content of the file as last read or saved
};

/// Differences of two scenarios in words: "Global batch 1024 → 2048". By JSON value.
QStringList differencesInWords(const Scenario& before, const Scenario& after);

}  // namespace nest
