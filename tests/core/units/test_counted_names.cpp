#include <QtTest/QTest>

#include "support/test_main.h"
#include "text/counted_names.h"

using namespace nest;

/// Lists of names in messages: the first ones, and how many follow.
class TestCountedNames : public QObject {
  Q_OBJECT
private slots:
  void onlyWhatIsLeftOutIsCounted() {
    const std::vector<std::string> names{"a", "b", "c"};
    QCOMPARE(firstOf({}, 2), std::string());
    QCOMPARE(firstOf({"a"}, 2), std::string("a"));
    QCOMPARE(firstOf(names, 4), std::string("a, b, c"));
    QCOMPARE(firstOf(names, 3), std::string("a, b, c"));
    QCOMPARE(firstOf(names, 2), std::string("a, b and 1 more"));
    QCOMPARE(firstOf(std::vector<std::string>(1500, "x"), 1), std::string("x and 1,499 more"));
  }
  void namesStandWithTheirCounts() {
    std::map<std::string, int> counts{{"label", 1}, {"colour", 2000}};
    QCOMPARE(countedNames(counts, "×"), std::string("\"colour\" (2,000×), \"label\" (1×)"));
    counts.clear();
    for (int i = 1; i <= 8; ++i) counts["n" + std::to_string(i)] = i;
    QVERIFY(countedNames(counts, "×").ends_with("\"n8\" (8×)"));
    counts["n9"] = 9;
    QVERIFY(countedNames(counts, "×").ends_with("\"n8\" (8×) and 1 more"));
  }
};
NEST_TEST(TestCountedNames)
#include "test_counted_names.moc"
