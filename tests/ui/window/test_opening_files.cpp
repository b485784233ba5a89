// One scenario after the other in one window, opened in every way there is, with every view shown in between.
#include <QDropEvent>
#include <QFileDialog>
#include <QLabel>
#include <QMimeData>
#include <QSettings>
#include <QTimer>
#include <QUrl>

#include "cluster/graph/generators.h"
#include "document/scenario_document.h"
#include "formats/scenario/scenario_json.h"
#include "panes/issue_model.h"
#include "scenario/scenario_name.h"
#include "test_paths.h"
#include "window/gallery.h"
#include "window/message_bar.h"
#include "window_bench.h"

using namespace nest;
using namespace nest::test;

namespace {

/// The teaching sample on another network, in a file of its own.
QString fileWith(const QTemporaryDir& dir, const QString& name, const NetworkGraph& network) {
  QFile file(teachingSample());
  if (!file.open(QIODevice::ReadOnly)) return {};
  auto scenario = readScenario(file.readAll().toStdString(), "teaching.nest.json", {});
  if (!scenario) return {};
  if (!network.nodes.empty()) scenario->cluster.network = GraphSource{network, {}, {}};
  QFile out(dir.filePath(name));
  if (!out.open(QIODevice::WriteOnly)) return {};
  out.write(QByteArray::fromStdString(writeScenario(*scenario)));
  return out.fileName();
}

/// As the window system drops: a drop goes to the widget that accepted the drag when it entered.
void drop(MainWindow& window, const QMimeData& data) {
  QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &enter);
  // What proposes to move is told that the file was copied: it would delete its own.
  QDropEvent event(QPointF(100, 100), Qt::CopyAction | Qt::MoveAction, &data, Qt::LeftButton, Qt::NoModifier);
  event.setDropAction(Qt::MoveAction);
  QApplication::sendEvent(&window, &event);
  QCOMPARE(event.dropAction(), Qt::CopyAction);
}

void drop(MainWindow& window, const QStringList& paths) {
  QMimeData data;
  QList<QUrl> urls;
  for (const QString& path : paths) urls += QUrl::fromLocalFile(path);
  data.setUrls(urls);
  drop(window, data);
}

/// As file managers write what is dragged.
void dropList(MainWindow& window, const QByteArray& uris) {
  QMimeData data;
  data.setData(QStringLiteral("text/uri-list"), uris);
  drop(window, data);
}

QString messageIn(WindowBench& b) {
  for (const auto* bar : b.window.findChildren<MessageBar*>())
    if (bar->isVisible()) return bar->text();
  return {};
}

void choose(WindowBench& b, const QString& path) {
  QTimer::singleShot(0, &b.window, [path] {
    auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
    if (!dialog) return;
    dialog->setDirectory(QFileInfo(path).absolutePath());
    dialog->selectFile(path);
    static_cast<QDialog*>(dialog)->accept();
  });
  b.trigger("file.open");
}

void rewrite(const QString& path, const QString& from) {
  QFile source(from), target(path);
  if (!source.open(QIODevice::ReadOnly) || !target.open(QIODevice::WriteOnly | QIODevice::Truncate)) return;
  target.write(source.readAll());
}

}  // namespace

class TestOpeningFiles : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void initTestCase() { QApplication::setAttribute(Qt::AA_DontUseNativeDialogs); }
  void init() { QSettings().clear(); }
  void cleanup() { QSettings().clear(); }

  /// A number on a cluster and a batch that no file names is not read without that being said.
  void whatAnImportAssumedStandsBesideTheHeadline() {
    WindowBench b(QString{});
    b.window.openPaths({QStringLiteral(NEST_SOURCE_DIR "/samples/models/llama-3-8b.json")});
    QTRY_VERIFY_WITH_TIMEOUT(b.solved(), 10000);
    const auto label = [&] {
      for (auto* l : b.window.findChildren<QLabel*>())
        if (l->accessibleName() == QStringLiteral("Assumed by the import")) return l;
      return static_cast<QLabel*>(nullptr);
    }();
    QVERIFY(label && label->isVisible());
    QVERIFY2(label->text().contains(QStringLiteral("Assumed: 128 H100")), qPrintable(label->text()));
    QCOMPARE(label->property("role").toString(), QStringLiteral("warning"));
    const auto issue = [&] {
      const auto* model = b.window.findChild<IssueModel*>();
      for (int row = 0; row < model->rowCount(); ++row)
        if (const QString text = model->index(row, IssueModel::Message).data().toString();
            text.startsWith(QStringLiteral("Assumed: ")))
          return text + u'\n' + model->index(row, IssueModel::Remedy).data().toString();
      return QString();
    };
    QVERIFY2(
        issue().contains(QStringLiteral("a global batch of ")) && !issue().contains(QStringLiteral("--")),
        qPrintable(issue()));
    b.window.document().edit({}, QStringLiteral("Batch"), [](Scenario& s) { s.job.globalBatch *= 2; });
    QVERIFY2(!issue().contains(QStringLiteral("global batch")), qPrintable(issue()));
    QVERIFY2(!label->text().contains(QStringLiteral("global batch")), qPrintable(label->text()));
    b.window.openPath(teachingSample());
    QVERIFY(!label->isVisible() && issue().isEmpty());
  }

  void everyViewShowsWhatIsOpen_data() {
    QTest::addColumn<QString>("way");
    QTest::addColumn<QString>("front");
    const auto row = [](const char* way, const char* front) {
      QTest::addRow("%s, %s in front", way, front) << QString::fromLatin1(way) << QString::fromLatin1(front);
    };
    for (const char* way : {"call", "dialog", "gallery", "close and open", "drop", "outside change"})
      row(way, "network");
    // What is in front is refreshed as the file changes, whoever opens it; an empty window lies between once.
    for (const char* way : {"call", "close and open"})
      for (const char* front : {"topology", "search"}) row(way, front);
  }
  void everyViewShowsWhatIsOpen() {
    QFETCH(QString, way);
    QFETCH(QString, front);
    QTemporaryDir dir;
    const QString mine = ownCopy(dir);
    const QString typed = fileWith(dir, QStringLiteral("typed.nest.json"), {});
    const QString small = fileWith(dir, QStringLiteral("small.nest.json"),
                                   *generateNetwork("spine-leaf", {{"leaves", 1}, {"hosts_per_leaf", 2}}));
    const QString large = fileWith(dir, QStringLiteral("large.nest.json"),
                                   *generateNetwork("spine-leaf", {{"leaves", 4}, {"hosts_per_leaf", 4}}));
    QVERIFY(!typed.isEmpty() && !small.isEmpty() && !large.isEmpty());
    WindowBench b(way == QLatin1String("outside change") ? mine : teachingSample());
    QTRY_VERIFY(b.solved());
    b.window.views().reveal(front);
    QApplication::processEvents();
    const auto open = [&](const QString& path) {
      if (way == QLatin1String("call")) return void(b.window.openPath(path));
      if (way == QLatin1String("dialog")) return choose(b, path);
      if (way == QLatin1String("drop")) return drop(b.window, {path});
      if (way == QLatin1String("outside change")) return rewrite(mine, path);
      b.trigger(way == QLatin1String("gallery") ? "file.samples" : "file.close");
      QApplication::processEvents();
      if (way == QLatin1String("gallery"))
        Q_EMIT b.window.findChild<Gallery*>()->chosen(path);
      else
        choose(b, path);
    };
    bool first = true;
    for (const QString& path : {large, small, typed, large}) {
      const std::string before = writeScenario(b.scenario());
      open(path);
      QTRY_VERIFY_WITH_TIMEOUT(!b.window.document().isEmpty() && writeScenario(b.scenario()) != before,
                               10000);
      // Each view as the first one that is seen of this file, the last time all of them.
      b.window.resize(first ? QSize(1500, 950) : QSize(1400, 900));
      for (View* view : b.window.views().views()) {
        b.window.views().reveal(view->id());
        QApplication::processEvents();
        QVERIFY2(!view->grab().isNull(), qPrintable(view->id()));
      }
      QTRY_VERIFY_WITH_TIMEOUT(b.solved(), 30000);
      b.window.views().reveal(front);
      QApplication::processEvents();
      first = false;
    }
  }

  void dropsOfFileManagersOpen_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("host");
    QTest::newRow("spaces and percent signs") << "my plan 100%25.nest.json" << QByteArray();
    QTest::newRow("letters of all kinds") << QStringLiteral("Größe 网络 ñ.nest.json") << QByteArray();
    QTest::newRow("this computer by name") << "plan.nest.json" << QSysInfo::machineHostName().toUtf8();
    QTest::newRow("localhost") << "plan.nest.json" << QByteArray("localhost");
  }
  void dropsOfFileManagersOpen() {
    QFETCH(QString, name);
    QFETCH(QByteArray, host);
    QTemporaryDir dir;
    const QString path = ownCopy(dir, name);
    WindowBench b{QString()};
    dropList(b.window,
             "# from a file manager\r\nfile://" + host + path.toUtf8().toPercentEncoding("/") + "\r\n");
    QTRY_VERIFY2(b.solved(), qPrintable(messageIn(b)));
    QCOMPARE(b.window.document().path(), path);
  }
  /// What cannot be opened is named, wherever it stands in the list, and the rest is opened.
  void whatIsElsewhereIsTold() {
    QTemporaryDir dir;
    const QByteArray mine = "file://" + ownCopy(dir).toUtf8() + "\r\n",
                     other = "sftp://cluster/home/me/topology.conf\r\n";
    for (const QByteArray& list : {mine + other, other + mine}) {
      WindowBench b{QString()};
      dropList(b.window, list);
      QTRY_VERIFY2(b.solved(), list.constData());
      QVERIFY2(messageIn(b).contains(QStringLiteral("topology.conf")), qPrintable(messageIn(b)));
    }
    WindowBench b;
    QTRY_VERIFY(b.solved());
    dropList(b.window, "file://another-host/home/me/plan.nest.json\r\n");
    QVERIFY2(messageIn(b).contains(QStringLiteral("another-host")), qPrintable(messageIn(b)));
  }
  /// What is said of it stands below what was done with the rest, which can still be undone.
  void whatIsElsewhereLeavesTheUndo() {
    QTemporaryDir dir;
    WindowBench b(ownCopy(dir));
    QTRY_VERIFY(b.solved());
    const Scenario before = b.scenario();
    dropList(b.window, "file://" NEST_SOURCE_DIR
                       "/samples/models/llama-3-8b.json\r\nsftp://cluster/home/me/topology.conf\r\n");
    QVERIFY(b.scenario() != before);
    QVERIFY2(messageIn(b).contains(QStringLiteral("llama-3-8b.json")) &&
                 messageIn(b).contains(QStringLiteral("topology.conf")),
             qPrintable(messageIn(b)));
    QPushButton* undo = b.button(QStringLiteral("Undo"));
    QVERIFY(undo);
    QTest::mouseClick(undo, Qt::LeftButton);
    QVERIFY(b.scenario() == before);
    QVERIFY2(messageIn(b).isEmpty(), qPrintable(messageIn(b)));
    // Nor does an older message gain a line that is none of its own.
    drop(b.window, {QStringLiteral(NEST_SOURCE_DIR "/samples/models/llama-3-8b.json")});
    dropList(b.window, "sftp://cluster/home/me/topology.conf\r\n");
    QVERIFY2(!messageIn(b).contains(QStringLiteral("llama")), qPrintable(messageIn(b)));
  }
  void aDroppedFolderIsTold() {
    QTemporaryDir dir;
    WindowBench b;
    QTRY_VERIFY(b.solved());
    drop(b.window, {dir.path()});
    QVERIFY2(messageIn(b).contains(QStringLiteral("folder")), qPrintable(messageIn(b)));
  }

  /// A message offers to undo the edit that it tells of, not whatever was done last.
  void aMessageOffersItsOwnUndo() {
    QTemporaryDir dir;
    WindowBench b(ownCopy(dir));
    QTRY_VERIFY(b.solved());
    const QString model = QStringLiteral(NEST_SOURCE_DIR "/samples/models/llama-3-8b.json");
    drop(b.window, {model});
    QPushButton* undo = b.button(QStringLiteral("Undo"));
    QVERIFY(undo);
    b.trigger("edit.undo");
    QVERIFY(!undo->isVisible());
    drop(b.window, {model});
    QTRY_VERIFY(undo = b.button(QStringLiteral("Undo")));
    b.window.document().edit({}, QStringLiteral("Double the batch"),
                             [](Scenario& s) { s.job.globalBatch *= 2; });
    QVERIFY(!undo->isVisible());
    b.trigger("edit.undo");
    QVERIFY(!undo->isVisible());
    drop(b.window, {QStringLiteral(NEST_SOURCE_DIR "/samples/models/llama-3-70b.json")});
    QTRY_VERIFY(undo = b.button(QStringLiteral("Undo")));
    QTest::mouseClick(undo, Qt::LeftButton);
    QCOMPARE(b.window.document().history().undoText(), QStringLiteral("Import model from llama-3-8b.json"));
  }

  /// Of files that come together the one that cannot be read is named, and nothing of the others is taken.
  void ofSeveralFilesTheBadOneIsNamed() {
    QTemporaryDir dir;
    WindowBench b(ownCopy(dir));
    QTRY_VERIFY(b.solved());
    QFile noise(dir.filePath(QStringLiteral("noise.bin")));
    QVERIFY(noise.open(QIODevice::WriteOnly) && noise.write(QByteArray(3000, '\x93')) == 3000);
    noise.close();
    QVERIFY(QDir(dir.path()).mkdir(QStringLiteral("pods")));
    const QString model = QStringLiteral(NEST_SOURCE_DIR "/samples/models/llama-3-8b.json");
    const Scenario before = b.scenario();
    for (const char* bad : {"noise.bin", "pods", "absent.json"})
      for (const bool last : {false, true}) {
        const QString path = dir.filePath(QLatin1String(bad));
        drop(b.window, last ? QStringList{model, path} : QStringList{path, model});
        QVERIFY2(b.window.messages().text().count(QLatin1String(bad)) == 1,
                 qPrintable(b.window.messages().text()));
        QVERIFY(b.scenario() == before);
      }
    drop(b.window, {noise.fileName()});
    QVERIFY2(b.window.messages().text().count(QStringLiteral("noise.bin")) == 1,
             qPrintable(b.window.messages().text()));
  }

  /// With another model on another network the scenario's name tells of neither.
  void aNameThatNoLongerFitsIsTold() {
    QTemporaryDir dir;
    const QString path = ownCopy(dir);
    WindowBench b(path);
    QTRY_VERIFY(b.solved());
    const QString samples = QStringLiteral(NEST_SOURCE_DIR "/samples/");
    const QStringList both{samples + QStringLiteral("models/llama-3-8b.json"),
                           samples + QStringLiteral("topologies/pod.cluster.txt")};
    const std::string name = b.scenario().name;
    const auto text = [&] {
      QString all;
      for (const auto* bar : b.window.findChildren<MessageBar*>()) all += bar->text();
      return all;
    };
    drop(b.window, both);
    QCOMPARE(b.scenario().name, name);
    QVERIFY2(
        text().contains(QString::fromStdString(name)) && text().contains(QStringLiteral("mine.nest.json")),
        qPrintable(text()));
    QTRY_VERIFY(b.button(QStringLiteral("Save as…")));
    QPushButton* rename = b.button(QStringLiteral("Rename"));
    QVERIFY(rename);
    QTest::mouseClick(rename, Qt::LeftButton);
    QTRY_VERIFY(b.window.focusWidget() && b.window.focusWidget()->objectName() == QStringLiteral("/name"));
    // A name that an import made follows.
    b.window.document().edit({}, QStringLiteral("Rename"), [](Scenario& s) { s.name = nameByContent(s); });
    drop(b.window, {samples + QStringLiteral("models/mixtral-8x7b.json")});
    QCOMPARE(b.scenario().name, nameByContent(b.scenario()));
    QVERIFY(b.scenario().name.starts_with("Mixtral"));
    QVERIFY(!b.button(QStringLiteral("Rename")));
  }
};
NEST_TEST(TestOpeningFiles)
#include "test_opening_files.moc"
