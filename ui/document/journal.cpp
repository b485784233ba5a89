#include "document/journal.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QUuid>
#include <algorithm>
#include <optional>
#include <utility>

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

Journal::~Journal() {
  settle();
}

void Journal::ask(Wanted wanted) {
  const std::lock_guard lock(m_mutex);
  m_wanted = std::move(wanted);
  if (!m_writer.joinable()) m_writer = std::jthread([this](const std::stop_token& stop) { work(stop); });
  m_asked.notify_one();
}

void Journal::record(std::function<QByteArray()> scenario, const QString& name, const QString& path) {
  ask({std::move(scenario), name, path, QDateTime::currentDateTimeUtc()});
}

void Journal::clear() {
  ask({});
}

void Journal::settle() {
  std::unique_lock lock(m_mutex);
  m_done.wait(lock, [this] { return !m_wanted && !m_busy; });
}

void Journal::work(const std::stop_token& stop) {
  std::unique_lock lock(m_mutex);
  while (m_asked.wait(lock, stop, [this] { return m_wanted.has_value(); })) {
    const Wanted wanted = *std::exchange(m_wanted, std::nullopt);
    m_busy = true;
    lock.unlock();
    carryOut(wanted);
    lock.lock();
    m_busy = false;
    m_done.notify_all();
  }
}

void Journal::carryOut(const Wanted& wanted) const {
  if (!wanted.scenario) {
    QFile::remove(m_file);
    return;
  }
  const QJsonObject o{{QStringLiteral("path"), wanted.path},
                      {QStringLiteral("name"), wanted.name},
                      {QStringLiteral("saved_utc"), wanted.when.toString(Qt::ISODateWithMs)},
                      {QStringLiteral("scenario"), QString::fromUtf8(wanted.scenario())}};
  QSaveFile out(m_file);
  if (out.open(QIODevice::WriteOnly) && out.write(QJsonDocument(o).toJson()) > 0) out.commit();
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
