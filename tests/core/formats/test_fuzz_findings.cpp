#include <QtTest/QTest>
#include <filesystem>

#include "fuzz/fuzz_targets.h"
#include "support/test_main.h"

namespace fs = std::filesystem;

/// Every text that a fuzzer once failed on (tests/fuzz/findings/TARGET/…), and the corpora, through the
/// fuzzers' bodies, which end the program when a promise is broken.
class TestFuzzFindings : public QObject {
  Q_OBJECT
private slots:
  void replay_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<int>("target");
    for (std::size_t i = 0; i < nest::fuzz::targets().size(); ++i)
      for (const fs::path& folder :
           {fs::path(NEST_TEST_DATA).parent_path() / "fuzz" / "findings" / nest::fuzz::targets()[i].name,
            fs::path(NEST_TEST_DATA) / nest::fuzz::targets()[i].name}) {
        if (!fs::exists(folder)) continue;
        for (const auto& entry : fs::directory_iterator(folder))
          if (entry.is_regular_file() && entry.path().extension() != ".expected")
            QTest::newRow(
                (std::string(nest::fuzz::targets()[i].name) + '/' + entry.path().filename().string()).c_str())
                << QString::fromStdString(entry.path().string()) << int(i);
      }
  }
  void replay() {
    QFETCH(QString, path);
    QFETCH(int, target);
    const std::string text = nest::test::readFile(path.toStdString());
    nest::fuzz::targets()[std::size_t(target)].run(text);
    QVERIFY(true);  // a broken promise has ended the program before this
  }
};
NEST_TEST(TestFuzzFindings)
#include "test_fuzz_findings.moc"
