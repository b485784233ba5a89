#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest/QTest>

#include "ran.h"
#include "test_paths.h"

using namespace nest::test;

namespace {

Ran runTool(const QString& tool, const QStringList& words) {
  QProcess p;
  p.start(tool, words);
  p.closeWriteChannel();
  return finish(p);
}

bool has(const char* tool) {
  return !QStandardPaths::findExecutable(QLatin1String(tool)).isEmpty();
}

}  // namespace

/// The real shells and groff read what --write-manual writes.
class TestShells : public QObject {
  Q_OBJECT
  QTemporaryDir m_dir;
  int m_programs = 0;

private slots:
  void initTestCase() {
    for (const char* name : {"/nest-plan", "/nest-explorer"}) {
      if (!QFile::exists(QStringLiteral(NEST_BINARY_DIR) + name)) continue;
      QCOMPARE(runProgram(QString(name).mid(1), {"--write-manual", m_dir.path()}).code, 0);
      ++m_programs;
    }
    QVERIFY(m_programs > 0);
  }

  void shellsReadTheirFiles_data() {
    QTest::addColumn<QString>("folder");
    QTest::newRow("bash") << "share/bash-completion/completions";
    QTest::newRow("zsh") << "share/zsh/vendor-completions";
    QTest::newRow("fish") << "share/fish/vendor_completions.d";
  }
  void shellsReadTheirFiles() {
    QFETCH(QString, folder);
    const char* shell = QTest::currentDataTag();
    if (!has(shell)) QSKIP("this shell is not installed");
    QDirIterator files(m_dir.filePath(folder), QDir::Files);
    int count = 0;
    for (; files.hasNext(); ++count) {
      const Ran r = runTool(shell, {"-n", files.next()});
      QVERIFY2(r.code == 0 && r.err.isEmpty(), qPrintable(r.err));
    }
    QCOMPARE(count, m_programs);
  }

  void fishOffersWhatFits() {
    if (!has("fish")) QSKIP("fish is not installed");
    const QString script =
        "source '" + m_dir.filePath("share/fish/vendor_completions.d/nest-plan.fish") + "'; complete -C '%1'";
    const auto ask = [&](const char* line) {
      return runTool("fish", {"--no-config", "-c", script.arg(line)}).out;
    };
    QVERIFY(ask("nest-plan export --as meg").startsWith("megatron"));
    QVERIFY(ask("nest-plan study sc").startsWith("scaling\t"));
    QVERIFY(ask("nest-plan study scaling --fr").startsWith("--from\t"));
  }

  void groffTakesEveryPage() {
    if (!has("man")) QSKIP("man is not installed");
    QDirIterator pages(m_dir.filePath("share/man/man1"), QDir::Files);
    while (pages.hasNext()) {
      const Ran r = runTool("man", {"--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", pages.next()});
      QVERIFY2(r.code == 0 && r.err.isEmpty(), qPrintable(pages.fileName() + r.err));
    }
  }
};

NEST_TEST(TestShells)
#include "test_shells.moc"
