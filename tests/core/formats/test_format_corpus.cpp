#include <QtTest/QTest>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/read_format.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;
namespace fs = std::filesystem;

namespace {

/// The files of a format's corpus, in order.
std::vector<fs::path> corpusOf(const Format& format) {
  std::vector<fs::path> files;
  const fs::path folder = fs::path(NEST_TEST_DATA) / format.key;
  if (!fs::is_directory(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() != ".expected") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

bool isBad(const fs::path& file) {
  return file.filename().string().starts_with("bad_");
}

/// One line per diagnostic: "error slurm-cycle 3:1".
std::string inBrief(const Diagnostics& all) {
  std::string out;
  for (const Diagnostic& d : all) {
    out += d.severity == Severity::Error ? "error " : d.severity == Severity::Warning ? "warning " : "note ";
    out += d.code + ' ' + std::to_string(d.where.line) + ':' + std::to_string(d.where.column) + '\n';
  }
  return out;
}

}  // namespace

/// tests/data/KEY/* of every format: each file beside NAME.expected, its diagnostics in brief (none: the file
/// must not exist). Files that begin with bad_ cannot be read. NEST_WRITE_EXPECTED=1 writes them anew, to be
/// read before they are committed.
class TestFormatCorpus : public QObject {
  Q_OBJECT
private slots:
  void everyFormatHasGoodAndBadFiles() {
    for (const Format* f : formats()) {
      const auto files = corpusOf(*f);
      const auto bad = std::count_if(files.begin(), files.end(), isBad);
      QVERIFY2(bad > 0 && bad < std::ssize(files), f->key.data());
    }
  }
  void corpus_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("key");
    for (const Format* f : formats())
      for (const fs::path& file : corpusOf(*f))
        QTest::newRow((std::string(f->key) + '/' + file.filename().string()).c_str())
            << QString::fromStdString(file.string()) << QString::fromUtf8(f->key);
  }
  void corpus() {
    QFETCH(QString, path);
    QFETCH(QString, key);
    const Format* format = findFormat(key.toStdString());
    const fs::path file(path.toStdString()), expectation(file.string() + ".expected");
    const std::string text = test::readFile(file.string());
    const auto [usable, diagnostics] = test::readAs(*format, text, "f");
    const std::string brief = inBrief(diagnostics);
    QCOMPARE(usable, !hasErrors(diagnostics));
    QCOMPARE(usable, !isBad(file));
    if (usable) QCOMPARE(recognise(text, file.filename().string()), format);
    for (const Diagnostic& d : diagnostics) {
      QVERIFY(!d.message.empty());
      QVERIFY2(d.message.back() != '.', d.message.c_str());
      QCOMPARE(d.where.file, std::string("f"));
    }
    if (std::getenv("NEST_WRITE_EXPECTED")) {
      if (brief.empty())
        fs::remove(expectation);
      else
        std::ofstream(expectation, std::ios::binary) << brief;
      return;
    }
    QCOMPARE(brief, fs::exists(expectation) ? test::readFile(expectation.string()) : std::string());
  }

  void everyReaderRefusesWhatIsNoneOfItsOwn_data() {
    QTest::addColumn<QString>("key");
    for (const Format* f : formats()) QTest::newRow(f->key.data()) << QString::fromUtf8(f->key);
  }
  void everyReaderRefusesWhatIsNoneOfItsOwn() {
    QFETCH(QString, key);
    const Format* format = findFormat(key.toStdString());
    for (const std::string& text : {std::string(), std::string("\0\0\0", 3), std::string("\xff\xfe\x00\x01"),
                                    std::string("hello"), std::string(100000, '['), std::string(100000, '<'),
                                    std::string(100000, '{'), std::string(70u << 20, ' ')}) {
      const auto [usable, diagnostics] = test::readAs(*format, text, "f");
      QVERIFY(!usable);
      QVERIFY(hasErrors(diagnostics));
      QVERIFY(diagnostics.size() <= 101);
    }
  }
};
NEST_TEST(TestFormatCorpus)
#include "test_format_corpus.moc"
