#include "window/scenario_session.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>

#include "catalogue/registry.h"
#include "document/file_path.h"
#include "document/item_names.h"

namespace nest {
namespace {

constexpr int kMostSessions = 300;

QDir folder() {
  return QDir(QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation) +
              QStringLiteral("/sessions"));
}

QString fileFor(const QString& scenarioPath) {
  const QByteArray key = QFileInfo(scenarioPath).absoluteFilePath().toUtf8();
  return QString::fromLatin1(QCryptographicHash::hash(key, QCryptographicHash::Sha1).toHex()) +
         QStringLiteral(".json");
}

void forgetOldest() {
  const auto all = folder().entryInfoList({QStringLiteral("*.json")}, QDir::Files, QDir::Time);
  for (qsizetype i = kMostSessions; i < all.size(); ++i) QFile::remove(all[i].filePath());
}

QJsonObject itemJson(const SelectionItem& item) {
  return {{QStringLiteral("kind"), nameOf(item.kind)},
          {QStringLiteral("index"), item.index},
          {QStringLiteral("level"), item.level},
          {QStringLiteral("other"), item.other}};
}

std::optional<SelectionItem> itemOf(const QJsonObject& o) {
  const auto kind = itemKindNamed(o.value(QStringLiteral("kind")).toString());
  if (!kind) return std::nullopt;
  return SelectionItem{*kind, o.value(QStringLiteral("index")).toInt(),
                       o.value(QStringLiteral("level")).toInt(), o.value(QStringLiteral("other")).toInt(-1)};
}

}  // namespace

QString hashOfLayout(const QByteArray& panels, const QByteArray& views) {
  return QString::fromLatin1(QCryptographicHash::hash(panels + views, QCryptographicHash::Sha1).toHex());
}

void writeSession(const QString& scenarioPath, const ScenarioSession& session) {
  QJsonObject states;
  for (const auto& [view, state] : session.viewStates) {
    QJsonObject o;
    for (const auto& [key, value] : state)
      o.insert(QString::fromStdString(key), value.name() ? QJsonValue(QString::fromStdString(*value.name()))
                                                         : QJsonValue(*value.number()));
    states.insert(view, o);
  }
  QJsonObject o{{QStringLiteral("path"), scenarioPath},
                {QStringLiteral("panels"), QString::fromLatin1(session.panels.toBase64())},
                {QStringLiteral("views"), QString::fromLatin1(session.views.toBase64())},
                {QStringLiteral("layout_hash"), hashOfLayout(session.panels, session.views)},
                {QStringLiteral("width"), session.width},
                {QStringLiteral("height"), session.height},
                {QStringLiteral("one_at_a_time"), session.oneAtATime},
                {QStringLiteral("folded"), QJsonArray::fromStringList(session.folded)},
                {QStringLiteral("current_view"), session.currentView},
                {QStringLiteral("view_states"), states}};
  if (session.selected) o.insert(QStringLiteral("selected"), itemJson(*session.selected));
  if (!folder().mkpath(QStringLiteral("."))) return;
  // Where this cannot be kept the next window opens as a new one does: nothing to trouble anybody with.
  (void)writeFile(folder().filePath(fileFor(scenarioPath)), QJsonDocument(o).toJson());
  forgetOldest();
}

std::optional<ScenarioSession> readSession(const QString& scenarioPath) {
  QFile in(folder().filePath(fileFor(scenarioPath)));
  if (!in.open(QIODevice::ReadOnly)) return std::nullopt;
  const QJsonObject o = QJsonDocument::fromJson(in.readAll()).object();
  if (o.value(QStringLiteral("path")).toString() != scenarioPath) return std::nullopt;
  ScenarioSession session;
  session.panels = QByteArray::fromBase64(o.value(QStringLiteral("panels")).toString().toLatin1());
  session.views = QByteArray::fromBase64(o.value(QStringLiteral("views")).toString().toLatin1());
  const QJsonValue hash = o.value(QStringLiteral("layout_hash"));
  if (hash.isString() && hash.toString() != hashOfLayout(session.panels, session.views))
    session.panels.clear(), session.views.clear();
  session.width = o.value(QStringLiteral("width")).toInt();
  session.height = o.value(QStringLiteral("height")).toInt();
  session.oneAtATime = o.value(QStringLiteral("one_at_a_time")).toBool();
  for (const auto& value : o.value(QStringLiteral("folded")).toArray()) session.folded += value.toString();
  session.currentView = o.value(QStringLiteral("current_view")).toString();
  const QJsonObject states = o.value(QStringLiteral("view_states")).toObject();
  for (auto it = states.begin(); it != states.end(); ++it) {
    const QJsonObject state = it->toObject();
    for (auto value = state.begin(); value != state.end(); ++value)
      session.viewStates[it.key()][value.key().toStdString()] =
          value->isString() ? OptionValue(value->toString().toStdString()) : OptionValue(value->toDouble());
  }
  for (const ViewMode& mode : viewModes()) {
    const bool current = session.currentView == mode.id;
    if (current) session.currentView = mode.view;
    View::State& view = session.viewStates[mode.view];
    view.erase(mode.key);                                   // a file opens with the plan, however it was left
    if (auto kept = session.viewStates.extract(mode.id)) {  // of a version in which it was a view
      if (current) std::swap(view, kept.mapped());
      view.merge(kept.mapped());
    }
    if (current) view[mode.key] = 1;  // else the layout knows which of the two was in front
  }
  session.selected = itemOf(o.value(QStringLiteral("selected")).toObject());
  return session;
}

}  // namespace nest
