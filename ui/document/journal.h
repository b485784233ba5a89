#pragma once

#include <QByteArray>
#include <QDateTime>
#include <QLockFile>
#include <QString>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace nest {

/// Unsaved work of one running program, kept on disk so that a crash or kill -9 loses nothing that was
/// committed. One file per program; a lock beside it tells a living one from a dead one.
class Journal {
public:
  struct Entry {
    QString file;  ///< of the journal itself
    QString path;  ///< scenario file that the work belongs to; empty if never saved
    QString name;  ///< of the scenario
    QDateTime when;
    QByteArray scenario;  ///< as JSON
  };

  explicit Journal(const QString& folder);
  ~Journal();  ///< keeps the entry: only clear() says that nothing is unsaved

  /// Keeps this work from now on. Written atomically by a thread of its own, the newest only: neither the
  /// text nor the disk holds up the caller.
  void record(std::function<QByteArray()> scenario, const QString& name, const QString& path);
  void clear();
  void settle();  ///< returns when all that was said before is on the disk

  /// What programs that are gone have left in the folder, newest first.
  std::vector<Entry> orphans() const;
  static void discard(const Entry&);

private:
  struct Wanted {
    std::function<QByteArray()> scenario;  ///< unset: there is to be no entry
    QString name, path;
    QDateTime when;
  };
  void ask(Wanted);
  void work(const std::stop_token&);
  void carryOut(const Wanted&) const;

  QString m_folder, m_file;
  std::unique_ptr<QLockFile> m_lock;
  std::mutex m_mutex;
  std::condition_variable_any m_asked, m_done;
  std::optional<Wanted> m_wanted;  ///< under m_mutex
  bool m_busy = false;             ///< under m_mutex
  std::jthread m_writer;           ///< last: what was asked is carried out before it ends
};

}  // namespace nest
