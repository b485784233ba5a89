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

#include "diagnostics/diagnostic.h"

namespace nest {

/// Unsaved work of one running program, kept on disk so that a crash or kill -9 loses nothing that was
/// committed. One file per program, for its user's eyes alone; a lock beside it tells a living one from a
/// dead one.
class Journal {
public:
  struct Entry {
    QString file;  ///< of the journal itself
    QString path;  ///< scenario file that the work belongs to; empty if never saved
    QString name;  ///< of the scenario
    QDateTime when;
    QByteArray scenario;  ///< as JSON
    QByteArray base;      ///< names the content of the file that the work began from; empty: not known
  };
  /// What keeps the work from being kept; empty: it is kept (again). Called when that changes, by any thread.
  using Tell = std::function<void(const Diagnostics&)>;

  explicit Journal(const QString& folder, Tell = {});
  ~Journal();  ///< keeps the entry: only clear() says that nothing is unsaved

  /// Keeps this work from now on. Written atomically by a thread of its own, the newest only: neither the
  /// text nor the disk holds up the caller.
  void record(std::function<QByteArray()> scenario, const QString& name, const QString& path,
              const QByteArray& base);
  void clear();
  bool settle();  ///< returns when what was said before has been carried out: whether it is on the disk

  /// What programs that are gone have left in the folder, newest first.
  std::vector<Entry> orphans() const;
  static void discard(const Entry&);

private:
  struct Wanted {
    std::function<QByteArray()> scenario;  ///< unset: there is to be no entry
    QString name, path;
    QDateTime when;
    QByteArray base;
  };
  void ask(Wanted);
  void work(const std::stop_token&);
  Diagnostics carryOut(const Wanted&) const;
  Diagnostics takeFolder();  ///< makes it and locks the journal, if that has not been done
  void tell(const Diagnostics& trouble);

  QString m_folder, m_file;
  Tell m_tell;
  std::unique_ptr<QLockFile> m_lock;
  std::mutex m_mutex;
  std::condition_variable_any m_asked, m_done;
  std::optional<Wanted> m_wanted;  ///< under m_mutex
  bool m_busy = false;             ///< under m_mutex
  bool m_isKept = true;            ///< under m_mutex: the last order was carried out
  Diagnostics m_told;
  std::jthread m_writer;  ///< last: what was asked is carried out before it ends
};

}  // namespace nest
