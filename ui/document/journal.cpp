#include "document/journal.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QUuid>
#include <algorithm>
#include <optional>

namespace nest {
namespace {

QString lockOf(const QString& journal) {
  return journal + QStringLiteral(".lock");
}

std::optional<Journal::Entry> readEntry(const QString& file) {
  QFile in(file);
  if (!in.open(QIODevice::ReadOnly)) return std::nullopt;
  const QJsonObject o = QJsonDocument::fromJson(in.readAll()).object();
  const QByteArray scenario = o.value(QStringLiteral("scenario")).toString().toUtf8();
  if (scenario.isEmpty()) return std::nullopt;
  return Journal::Entry{
      file, o.value(QStringLiteral("path")).toString(), o.value(QStringLiteral("name")).toString(),
      QDateTime::fromString(o.value(QStringLiteral("saved_utc")).toString(), Qt::ISODateWithMs), scenario};
}

}  // namespace

Journal::Journal(const QString& folder)
    : m_folder(folder),
      m_file(QDir(folder).filePath(QUuid::createUuid().toString(QUuid::WithoutBraces) +
                                   QStringLiteral(".journal"))) {
  QDir().mkpath(folder);
  m_lock = std::make_unique<QLockFile>(lockOf(m_file));
  m_lock->setStaleLockTime(0);  // only a dead owner makes a lock stale, never its age
  m_lock->tryLock(0);
}

Journal::~Journal() = default;

bool Journal::record(const QByteArray& scenario, const QString& name, const QString& path) {
  const QJsonObject o{
      {QStringLiteral("path"), path},
      {QStringLiteral("name"), name},
      {QStringLiteral("saved_utc"), QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs)},
      {QStringLiteral("scenario"), QString::fromUtf8(scenario)}};
  QSaveFile out(m_file);
  return out.open(QIODevice::WriteOnly) && out.write(QJsonDocument(o).toJson()) > 0 && out.commit();
}

void Journal::clear() {
  QFile::remove(m_file);
}

std::vector<Journal::Entry> Journal::orphans() const {
  std::vector<Entry> all;
  for (const QString& name : QDir(m_folder).entryList({QStringLiteral("*.journal")}, QDir::Files)) {
    const QString file = QDir(m_folder).filePath(name);
    if (file == m_file) continue;
    QLockFile lock(lockOf(file));
    lock.setStaleLockTime(0);
    if (!lock.tryLock(0)) continue;  // its program lives
    if (auto entry = readEntry(file)) all.push_back(std::move(*entry));
  }
  // Locks of programs that were ended with nothing unsaved: taking a dead one and letting it go removes it.
  for (const QString& name : QDir(m_folder).entryList({QStringLiteral("*.journal.lock")}, QDir::Files)) {
    const QString lockFile = QDir(m_folder).filePath(name);
    if (lockFile == lockOf(m_file) || QFile::exists(lockFile.chopped(5))) continue;
    QLockFile lock(lockFile);
    lock.setStaleLockTime(0);
    lock.tryLock(0);
  }
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.when > b.when; });
  return all;
}

void Journal::discard(const Entry& entry) {
  QFile::remove(entry.file);
  QFile::remove(lockOf(entry.file));
}

}  // namespace nest
