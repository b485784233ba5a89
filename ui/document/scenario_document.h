#pragma once

#include <QFlags>
#include <QObject>
#include <QString>
#include <QUndoStack>
#include <functional>
#include <memory>
#include <vector>

#include "scenario/scenario.h"

namespace nest {

/// The parts of a scenario that an edit may touch.
enum class ScenarioPart {
  Name = 1,
  Cluster = 2,
  Model = 4,
  Job = 8,
  Search = 16,
  Constraints = 32,
  Assumptions = 64,
  KeptPlans = 128,
  Slides = 256,
  Unstated = 512,
  Run = 1024,
};
Q_DECLARE_FLAGS(ScenarioParts, ScenarioPart)
Q_DECLARE_OPERATORS_FOR_FLAGS(ScenarioParts)

inline constexpr ScenarioParts kAllParts = ScenarioParts(0x7ff);
/// What a plan follows from: the rest changes no cost.
inline constexpr ScenarioParts kSettingParts = ScenarioParts(0x47e);

/// Which parts differ.
ScenarioParts differingParts(const Scenario&, const Scenario&);

/// The only truth: the scenario being edited, its history and the file it came from. Everything that is shown
/// derives from it; everything that a user changes goes through edit() or preview() and can be undone.
class ScenarioDocument : public QObject {
  Q_OBJECT
public:
  using Edit = std::function<void(Scenario&)>;

  explicit ScenarioDocument(QObject* parent = nullptr);

  bool isEmpty() const { return !m_committed; }  ///< no scenario is open
  /// What is shown: the committed scenario, or a preview on top of it. Empty Scenario if none is open.
  const Scenario& scenario() const { return *m_shown; }
  std::shared_ptr<const Scenario> snapshot() const { return m_shown; }
  bool isPreviewing() const { return m_shown != m_committed; }
  int generation() const { return m_generation; }  ///< grows with every change of what is shown

  /// One undo step named by `verb` ("Widen rack 2"). Steps that follow each other with the same non-empty
  /// `field` are one step, until closeStep(). An edit that changes nothing makes no step. Ends a preview.
  /// A value that the edit changes is no longer one that nobody has stated.
  void edit(const QString& field, const QString& verb, const Edit&);
  /// One undo step to another scenario, which is taken as it is.
  void replace(const QString& verb, Scenario);
  /// Shows an edit of the committed scenario without making a step: while a drag is on. Replaces an earlier
  /// preview.
  void preview(const Edit&);
  void cancelPreview();
  /// The next edit begins a step of its own: the editor has been left.
  void closeStep();

  QUndoStack& history() { return m_history; }
  /// It differs from what the file holds. Steps of the history that change no scenario (cuts drawn by hand)
  /// do not count, and neither does anything in a scratch document.
  bool isModified() const;
  /// A document to try things out in: nothing of it is worth keeping. Ends with the next reset() or
  /// close().
  bool isScratch() const { return m_scratch; }
  void beScratch();
  /// The file no longer holds what is open, and nothing else that could be opened: letting go is a loss.
  void setFileLost(bool);
  const QString& path() const { return m_path; }  ///< absolute; empty: never saved
  QString displayName() const;                    ///< scenario name or file name, for titles

  /// The scenario with its file and the steps of its history that changed it, to come back to.
  struct ParkedDocument;
  ParkedDocument setAside() const;
  void resume(const ParkedDocument&);

  /// Takes a freshly read scenario; history begins anew. `modified`: it differs from what the file holds
  /// (recovered).
  void reset(Scenario, const QString& path, bool modified = false);
  void close();
  /// The scenario now stands in this file.
  void markSaved(const QString& path);

Q_SIGNALS:
  void changed(nest::ScenarioParts parts, bool preview);
  void opened();       ///< another scenario, or none; `changed` with all parts follows
  void fileChanged();  ///< path or modified state

private:
  class Step;
  std::shared_ptr<const Scenario> edited(const Edit&) const;
  void push(const QString& field, const QString& verb, std::shared_ptr<const Scenario> after);
  void place(std::shared_ptr<const Scenario>, std::shared_ptr<const Scenario> saved, const QString& path);
  void tellOpened();
  void apply(std::shared_ptr<const Scenario> committed);
  void show(std::shared_ptr<const Scenario>, bool preview);

  std::shared_ptr<const Scenario> m_committed;  ///< null: none is open
  std::shared_ptr<const Scenario> m_shown;      ///< never null
  std::shared_ptr<const Scenario> m_saved;      ///< what the file holds; null: something else
  bool m_scratch = false, m_fileLost = false, m_resuming = false;
  QUndoStack m_history;
  QString m_path;
  int m_generation = 0;
  int m_session = 0;  ///< steps of different sessions do not merge
};

struct ScenarioDocument::ParkedDocument {
  struct Change {
    QString field, verb;
    int session = 0;
    std::shared_ptr<const Scenario> before, after;
  };
  std::shared_ptr<const Scenario> committed, saved;
  QString path;
  std::vector<Change> changes;
  int done = 0;  ///< of them; the rest can be redone
};

}  // namespace nest
