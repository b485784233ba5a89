#pragma once

#include <QByteArray>
#include <QDateTime>
#include <QLockFile>
#include <QString>
#include <memory>
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

  bool record(const QByteArray& scenario, const QString& name,
              const QString& path);  ///< atomic; false if it failed
  void clear();

  /// What programs that are gone have left in the folder, newest first.
  std::vector<Entry> orphans() const;
  static void discard(const Entry&);

private:
  QString m_folder, m_file;
  std::unique_ptr<QLockFile> m_lock;
};

}  // namespace nest
