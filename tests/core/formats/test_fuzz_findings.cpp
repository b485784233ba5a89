#include <QtTest/QTest>
#include <filesystem>

#include "fuzz/fuzz_targets.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;
namespace fs = std::filesystem;

/// Every text that a fuzzer once failed on (tests/fuzz/findings/TARGET/…), and the corpora, through the
/// fuzzers' bodies, which throw what is broken.
class TestFuzzFindings : public QObject {
  Q_OBJECT
private slots:
  void replay_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<int>("target");
    for (std::size_t i = 0; i < fuzz::targets().size(); ++i)
      for (const fs::path& folder :
           {fs::path(NEST_TEST_DATA).parent_path() / "fuzz" / "findings" / fuzz::targets()[i].name,
            fs::path(NEST_TEST_DATA) / fuzz::targets()[i].name}) {
        if (!fs::exists(folder)) continue;
        for (const auto& entry : fs::directory_iterator(folder))
          if (entry.is_regular_file() && entry.path().extension() != ".expected")
            QTest::newRow((fuzz::targets()[i].name + '/' + entry.path().filename().string()).c_str())
                << QString::fromStdString(entry.path().string()) << int(i);
      }
  }
  void replay() {
    QFETCH(QString, path);
    QFETCH(int, target);
    const std::string text = test::readFile(path.toStdString());
    try {
      fuzz::targets()[std::size_t(target)].run(text);
    } catch (const fuzz::BrokenPromise& broken) {
      QFAIL(broken.what());
    }
  }
  void aBrokenPromiseIsNoticed() {
    QVERIFY_THROWS_EXCEPTION(fuzz::BrokenPromise, fuzz::require(false, "a promise"));
    Reading<int> both;
    both.value = 1;
    both.diagnostics.push_back(error("code", {}, "an error beside a value"));
    QVERIFY_THROWS_EXCEPTION(fuzz::BrokenPromise, fuzz::requireHonest(both));
  }
};
NEST_TEST(TestFuzzFindings)
#include "test_fuzz_findings.moc"
