#include "editors/field_text.h"

#include <QObject>

#include "support/test_main.h"

using namespace nest;

class TestFieldText : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void bounds_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("good");
    QTest::addColumn<QString>("shown");
    QTest::newRow("any") << "any" << true << "any";
    QTest::newRow("empty") << "  " << true << "any";
    QTest::newRow("one") << "8" << true << "8";
    QTest::newRow("most") << "<= 8" << true << QStringLiteral("≤ 8");
    QTest::newRow("least") << QStringLiteral("≥2") << true << QStringLiteral("≥ 2");
    QTest::newRow("span") << "2-8" << true << QStringLiteral("2–8");
    QTest::newRow("dots") << "2..8" << true << QStringLiteral("2–8");
    QTest::newRow("backwards") << "8-2" << false << "";
    QTest::newRow("word") << "many" << false << "";
    QTest::newRow("negative") << "-1" << false << "";
  }
  void bounds() {
    QFETCH(QString, text);
    QFETCH(bool, good);
    QFETCH(QString, shown);
    const auto b = field::readBound(text);
    QCOMPARE(b.has_value(), good);
    if (b) QCOMPARE(field::boundText(*b), shown);
    if (b) QCOMPARE(*field::readBound(shown), *b);
  }
  void tokens() {
    QCOMPARE(**field::readTokens(QStringLiteral("2 T")), 2e12);
    QCOMPARE(**field::readTokens(QStringLiteral("300 billion tokens")), 3e11);
    QCOMPARE(**field::readTokens(QStringLiteral("1.5e12")), 1.5e12);
    QVERIFY(field::readTokens(QString()) && !*field::readTokens(QString()));
    QVERIFY(!field::readTokens(QStringLiteral("lots")));
    QVERIFY(!field::readTokens(QStringLiteral("0")));
    for (const double v : {2e12, 3e11, 1.234e9, 512.0})
      QCOMPARE(**field::readTokens(field::tokensText(v)), v);
  }
  void numbers() {
    QCOMPARE(field::readWhole(QStringLiteral(" 1,024 "), 1, 9999), std::optional<int>(1024));
    QVERIFY(!field::readWhole(QStringLiteral("0"), 1, 9));
    QVERIFY(!field::readWhole(QStringLiteral("1e3"), 1, 9999));
    QCOMPARE(*field::readWholeList(QStringLiteral("4 1,2;2"), 1, 64), (std::vector<int>{1, 2, 4}));
    QVERIFY(!field::readWholeList(QStringLiteral(" , "), 1, 64));
    QCOMPARE(*field::readShare(QStringLiteral("35 %")), 0.35);
    QCOMPARE(*field::readShare(QStringLiteral("0.35")), 0.35);
    QVERIFY(!field::readShare(QStringLiteral("140 %")));
    QCOMPARE(field::doubled(1000, 1), 1024);
    QCOMPARE(field::doubled(1024, 2), 4096);
    QCOMPARE(field::doubled(1000, -1), 512);
    QCOMPARE(field::doubled(1, -3), 1);
  }
};

NEST_TEST(TestFieldText)
#include "test_field_text.moc"
