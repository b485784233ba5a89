#include <QtTest/QTest>

#include "document/file_filters.h"
#include "formats/format.h"
#include "support/test_main.h"

using namespace nest;

class TestFileFilters : public QObject {
  Q_OBJECT
private slots:
  void everySuffixIsOffered() {
    const QStringList filters = openFilter().split(QStringLiteral(";;"));
    QCOMPARE(filters.size(), 7);
    for (const Format* f : formats())
      for (const QString& suffix : QString::fromUtf8(f->suffixes).split(QLatin1Char(' '))) {
        const QString pattern = QStringLiteral("*.") + suffix;
        const auto offers = [&](int i) {
          const QString& filter = filters[i];
          const auto begin = filter.indexOf(QLatin1Char('(')) + 1;
          return filter.mid(begin, filter.size() - begin - 1).split(QLatin1Char(' ')).count(pattern) == 1;
        };
        QVERIFY2(offers(0), f->key.data());
        QVERIFY2(offers(f->is<ReadScenario>()      ? 1
                        : f->is<ReadPlan>()        ? 2
                        : f->isNetwork()           ? 4
                        : f->is<ReadMeasurement>() ? 5
                                                   : 3),
                 f->key.data());
      }
    QVERIFY(filters[4].contains(QStringLiteral("*.graphml")) &&
            !filters[3].contains(QStringLiteral("*.graphml")));
    QVERIFY(filters.back().contains(QStringLiteral("(*)")));
    QVERIFY(modelFilter().contains(QStringLiteral("*.json")));
  }
};
NEST_TEST(TestFileFilters)
#include "test_file_filters.moc"
