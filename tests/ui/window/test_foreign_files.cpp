// Profiles, logs, benchmarks and traces that others wrote, and files of measured runs: their text is text
// wherever the window shows it.
#include <sqlite3.h>

#include <QDockWidget>
#include <nlohmann/json.hpp>
#include <set>

#include "foreign_text.h"
#include "formats/format.h"
#include "lab/run_points.h"
#include "support/read_format.h"
#include "test_paths.h"
#include "views/accuracy/accuracy_view.h"

using namespace nest;
using namespace nest::test;

namespace {

using Json = nlohmann::ordered_json;
using IsRead = std::function<bool(const std::string&)>;

/// The names of all members, and every text.
void collect(const Json& j, std::set<std::string>& keys, std::set<std::string>& texts) {
  if (j.is_string()) texts.insert(j.get<std::string>());
  if (!j.is_structured()) return;
  for (const auto& [key, value] : j.items()) {
    if (j.is_object()) keys.insert(key);
    collect(value, keys, texts);
  }
}

/// The foreign text before every text that is one of `texts`, or before every name that is one of `keys`.
Json marked(const Json& j, const std::set<std::string>& keys, const std::set<std::string>& texts) {
  if (j.is_string() && texts.count(j.get<std::string>())) return kForeign + j.get<std::string>();
  if (!j.is_structured()) return j;
  Json out = j.is_array() ? Json::array() : Json::object();
  for (const auto& [key, value] : j.items())
    if (j.is_array())
      out.push_back(marked(value, keys, texts));
    else
      out[keys.count(key) ? kForeign + key : key] = marked(value, keys, texts);
  return out;
}

std::string markedJson(const std::string& text, const IsRead& isRead) {
  const Json whole = Json::parse(text, nullptr, false);
  std::set<std::string> keys, texts, heldKeys, heldTexts;
  collect(whole, keys, texts);
  const auto tryAll = [&](const std::set<std::string>& all, std::set<std::string>& held) {
    for (const std::string& one : all) {
      held.insert(one);
      if (!isRead(marked(whole, heldKeys, heldTexts).dump())) held.erase(one);
    }
  };
  tryAll(texts, heldTexts);
  tryAll(keys, heldKeys);
  return marked(whole, heldKeys, heldTexts).dump();
}

/// Before the words of a text, as many as the reader bears.
std::string markedWords(std::string text, const IsRead& isRead) {
  constexpr int kMostTried = 150;
  int tried = 0;
  for (std::size_t at = 0; at < text.size() && tried < kMostTried; ++tried) {
    const auto isBlank = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == ',' || c == '='; };
    while (at < text.size() && isBlank(text[at])) ++at;
    std::string next = text;
    next.insert(std::min(at, text.size()), kForeign);
    const bool holds = isRead(next);
    if (holds) at += std::string(kForeign).size(), text = std::move(next);
    while (at < text.size() && !isBlank(text[at])) ++at;
  }
  return text;
}

std::string markedTables(const std::string& bytes, const IsRead& isRead) {
  std::string text = bytes;
  for (const char* column : {"StringIds.value", "NVTX_EVENTS.text", "TARGET_INFO_GPU.name"}) {
    const std::string all = column, table = all.substr(0, all.find('.')),
                      name = all.substr(all.find('.') + 1);
    sqlite3* file = nullptr;
    sqlite3_open(":memory:", &file);
    auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(text.size()));
    std::copy(text.begin(), text.end(), copy);
    const auto size = static_cast<sqlite3_int64>(text.size());
    sqlite3_deserialize(file, "main", copy, size, size,
                        SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
    const std::string sql = "UPDATE " + table + " SET " + name + " = \"" + kForeign + "\" || " + name;
    sqlite3_exec(file, sql.c_str(), nullptr, nullptr, nullptr);
    sqlite3_int64 length = 0;
    unsigned char* const content = sqlite3_serialize(file, "main", &length, 0);
    const std::string next(content, content + length);
    sqlite3_free(content);
    sqlite3_close(file);
    if (isRead(next)) text = next;
  }
  return text;
}

std::string markedFile(const std::string& text, const IsRead& isRead) {
  if (text.starts_with("SQLite format")) return markedTables(text, isRead);
  return Json::accept(text) ? markedJson(text, isRead) : markedWords(text, isRead);
}

/// The files of a format's corpus, small enough to be read some hundred times.
std::vector<QString> corpusOf(const Format& format, bool bad) {
  std::vector<QString> out;
  const QDir folder(QStringLiteral(NEST_TEST_DATA "/") + QString::fromUtf8(format.key));
  for (const QFileInfo& f : folder.entryInfoList(QDir::Files, QDir::Name))
    if (f.suffix() != QLatin1String("expected") && f.fileName().startsWith(QLatin1String("bad_")) == bad &&
        f.size() < 64 << 10)
      out.push_back(f.filePath());
  return out;
}

QString write(const QTemporaryDir& dir, const QString& name, const std::string& text) {
  QFile file(dir.filePath(name));
  if (!file.open(QIODevice::WriteOnly)) return {};
  file.write(text.data(), static_cast<qint64>(text.size()));
  return file.fileName();
}

/// All docks, each in front once.
void visitAll(Visitor& visitor, MainWindow& window) {
  for (QDockWidget* dock : window.findChildren<QDockWidget*>()) {
    if (dock->parentWidget() != &window) continue;
    dock->show();
    dock->raise();
    QApplication::processEvents();
    visitor.visit(*dock);
  }
  visitor.visit(window);
}

}  // namespace

class TestForeignFiles : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void initTestCase() { listenToLoads(); }
  void init() { forgetWindows(); }
  void cleanupTestCase() {
    stopListening();
    forgetWindows();
  }

  void filesOfProfilesAndRunsAreText_data() {
    QTest::addColumn<QString>("key");
    for (const Format* f : formats())
      if (f->is<ReadProfile>() || f->is<ReadMeasurement>())
        QTest::newRow(f->key.data()) << QString::fromUtf8(f->key);
  }
  void filesOfProfilesAndRunsAreText() {
    QFETCH(QString, key);
    const Format& format = *findFormat(key.toStdString());
    QTemporaryDir dir;
    WindowBench b;
    QTRY_VERIFY_WITH_TIMEOUT(b.solved(), 30000);
    Visitor visitor;
    for (const bool bad : {true, false}) {
      const auto files = corpusOf(format, bad);
      QVERIFY(!files.empty());
      const QString& file = files[files.size() / 2];
      const QString name = QStringLiteral("<qt><img src='nowhere.png'>%1 mark .") + QFileInfo(file).suffix();
      const std::string text = markedFile(readFile(file.toStdString()), [&](const std::string& t) {
        return recognise(t, name.toStdString()) == &format && test::readAs(format, t, "f").first != bad;
      });
      QVERIFY2(bad || text.find(kForeign) != std::string::npos, qPrintable(file));
      b.window.openPath(write(dir, name, text));
      QTest::qWait(50);
      visitAll(visitor, b.window);
    }
    QVERIFY2(visitor.faults.isEmpty(), qPrintable(visitor.faults.mid(0, 10).join(u'\n')));
    QVERIFY(visitor.foreignTexts > 0);
  }

  void measuredRunsAreText() {
    QFile published(QStringLiteral(":/samples/published/training_runs.json"));
    QVERIFY(published.open(QIODevice::ReadOnly));
    Json runs = Json::parse(published.readAll().toStdString());
    runs["sets"].erase(runs["sets"].begin() + 2, runs["sets"].end());
    const std::string text = markedJson(runs.dump(), [](const std::string& t) {
      const auto reading = readRunPoints(t, "f", {});
      return reading && !reading->points.empty() && !hasErrors(reading.diagnostics);
    });
    QVERIFY(text.find(kForeign) != std::string::npos);
    QTemporaryDir dir;
    WindowBench b;
    QTRY_VERIFY_WITH_TIMEOUT(b.solved(), 30000);
    b.window.views().reveal(QStringLiteral("accuracy"));
    auto* view = b.window.findChild<AccuracyView*>();
    QVERIFY(view);
    Visitor visitor;
    for (const std::string& content : {text, "{\"sets\": [{\"id\": \"" + std::string(kForeign) + "\"}]}"}) {
      view->openFile(write(dir, QStringLiteral("<qt><img src='nowhere.png'>%1 mark .json"), content));
      QTRY_VERIFY_WITH_TIMEOUT(!view->isBusy(), 30000);
      QApplication::processEvents();
      visitor.visit(*b.window.views().dockOf(QStringLiteral("accuracy")));
    }
    QVERIFY2(visitor.faults.isEmpty(), qPrintable(visitor.faults.mid(0, 10).join(u'\n')));
    QVERIFY(visitor.foreignTexts > 0);
  }
};
NEST_TEST(TestForeignFiles)
#include "test_foreign_files.moc"
