#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest/QTest>

#include "ran.h"
#include "test_paths.h"

using namespace nest::test;

namespace {

QString pageIn(const QString& path) {
  QFile f(path);
  return f.open(QIODevice::ReadOnly) ? QString::fromUtf8(f.readAll()) : QString();
}

/// The options that a help tells, each once: "--json".
QStringList longOptionsIn(const QString& help) {
  static const QRegularExpression form(QStringLiteral("^  (?:-\\w, )?(--[a-z-]+)"),
                                       QRegularExpression::MultilineOption);
  QStringList all;
  for (auto m = form.globalMatch(help); m.hasNext();) all << m.next().captured(1);
  all.removeDuplicates();
  return all;
}

Ran runShell(const QStringList& words) {
  QProcess p;
  p.start(QStringLiteral("bash"), words);
  p.closeWriteChannel();
  return finish(p);
}

/// What bash offers for the last of the words.
QStringList offered(const QString& completions, const QString& program, const QStringList& words) {
  const QString script =
      QStringLiteral(
          ". '%1/%2'; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _%3; printf '%s\\n' \"${COMPREPLY[@]}\"")
          .arg(completions, program, QString(program).replace('-', '_'));
  return runShell(QStringList{"-c", script, "bash", program} + words).out.split('\n', Qt::SkipEmptyParts);
}

}  // namespace

/// Manual pages and completion are made from the tables that the parser and --help use.
class TestManual : public QObject {
  Q_OBJECT
  QTemporaryDir m_dir;
  QStringList m_programs;

  QString man(const QString& page) const { return m_dir.filePath("share/man/man1/" + page + ".1"); }
  QString completions() const { return m_dir.filePath("share/bash-completion/completions"); }

private slots:
  void initTestCase() {
    for (const char* name : {"nest-plan", "nest-explorer"})
      if (QFile::exists(QStringLiteral(NEST_BINARY_DIR "/") + name)) m_programs << name;
    QVERIFY(m_programs.contains(QStringLiteral("nest-plan")));
    for (const QString& p : m_programs) {
      const Ran r = runProgram(p, {"--write-manual", m_dir.path()});
      QVERIFY2(r.code == 0, qPrintable(r.err));
    }
  }

  void everyOptionHasItsPlace() {
    int seen = 0;
    for (const QString& program : m_programs) {
      const QString help = runProgram(program, {"--help"}).out;
      static const QRegularExpression row(QStringLiteral("^  ([a-z]+)  +[a-z]"),
                                          QRegularExpression::MultilineOption);
      QStringList commands{QString()};
      for (auto m = row.globalMatch(help.section("Commands:", 1)); m.hasNext();)
        commands << m.next().captured(1);
      for (const QString& c : commands) {
        const QString told = c.isEmpty() ? help : runProgram(program, {c, "--help"}).out;
        const QString page = pageIn(man(c.isEmpty() ? program : program + '-' + c));
        QVERIFY2(page.startsWith(".TH "), qPrintable(c));
        for (const QString& line : told.split('\n'))
          QVERIFY2(line.size() <= 120 || c == "formats", qPrintable(line));
        for (const QString& o : longOptionsIn(told)) {
          ++seen;
          QVERIFY2(page.contains(QString("\\fB") + QString(o).replace('-', "\\-") + "\\fR"),
                   qPrintable(c + ' ' + o));
          QVERIFY2(pageIn(completions() + '/' + program).contains(o), qPrintable(c + ' ' + o));
          QVERIFY2(pageIn(m_dir.filePath("share/zsh/vendor-completions/_" + program)).contains(o),
                   qPrintable(o));
          QVERIFY2(pageIn(m_dir.filePath("share/fish/vendor_completions.d/" + program + ".fish"))
                       .contains(" -l " + o.mid(2)),
                   qPrintable(o));
        }
      }
    }
    QVERIFY(seen > 50);
  }

  void bashOffersWhatFits() {
    const auto plan = [&](const QStringList& words) { return offered(completions(), "nest-plan", words); };
    QCOMPARE(plan({"so"}), QStringList{"solve"});
    QCOMPARE(plan({"export", "--as", "nano"}), QStringList{"nanotron"});
    QCOMPARE(plan({"export", "--as", "=", "grap"}), QStringList{"graphml"});
    QCOMPARE(plan({"compare", "--only", "Eq"}), QStringList{"Equal split"});
    QCOMPARE(plan({"study", "sc"}), QStringList{"scaling"});
    QCOMPARE(plan({"study", "scaling", "--fr"}), QStringList{"--from"});
    QCOMPARE(plan({"solve", "--deadline", ""}), QStringList());
    QFile file(m_dir.filePath("a b.nest.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QVERIFY(plan({"solve", m_dir.filePath("a")}).contains(file.fileName()));
    if (m_programs.size() > 1)
      QCOMPARE(offered(completions(), "nest-explorer", {"--theme", "d"}), QStringList{"dark"});
  }

  void onlyWhereFilesCanBe() {
    QFile file(m_dir.filePath("no folder"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    const Ran r = run({"--write-manual", file.fileName()});
    QCOMPARE(r.code, 2);
    QVERIFY2(r.err.contains("no folder") && r.err.contains("Not a directory"), qPrintable(r.err));
  }

  void fileManagersGetAPicture() {
    if (m_programs.size() < 2) return;
    const QString picture = m_dir.filePath("small.png");
    const Ran r = runProgram(
        "nest-explorer", {"--thumbnail", picture, "--pixels", "128", "--", sample("teaching-6-layers-2x2")});
    QVERIFY2(r.code == 0, qPrintable(r.all()));
    const Ran kind = runShell({"-c", "head -c 24 \"$1\" | od -An -tu1", "bash", picture});
    const QStringList bytes = kind.out.split(QRegularExpression("\\s+"), Qt::SkipEmptyParts);
    QCOMPARE(bytes.mid(1, 3), QStringList({"80", "78", "71"}));
    QCOMPARE(bytes.value(19), QString("128"));
    QCOMPARE(runProgram("nest-explorer", {"--thumbnail", picture, "/none.nest.json"}).code, 2);
    QCOMPARE(runProgram("nest-explorer",
                        {"--thumbnail", picture, "--pixels", "0", sample("teaching-6-layers-2x2")})
                 .code,
             2);
  }

  void versionIsTheProjects() {
    static const QRegularExpression line(QStringLiteral("project\\(nest-explorer VERSION ([0-9.]+)"));
    const auto version = line.match(pageIn(QStringLiteral(NEST_SOURCE_DIR "/CMakeLists.txt")));
    QVERIFY(version.hasMatch());
    for (const QString& p : m_programs)
      QCOMPARE(runProgram(p, {"--version"}).out, p + ' ' + version.captured(1) + '\n');
  }
};

NEST_TEST(TestManual)
#include "test_manual.moc"
