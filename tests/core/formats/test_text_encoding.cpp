#include <QtTest/QTest>

#include "support/test_main.h"
#include "text/text_encoding.h"

using nest::asUtf8;

class TestTextEncoding : public QObject {
  Q_OBJECT
private slots:
  void marksAreTakenOff() {
    QCOMPARE(asUtf8("\xEF\xBB\xBFhost"), std::string("host"));
    QCOMPARE(asUtf8("host"), std::string("host"));
    QCOMPARE(asUtf8(""), std::string());
  }
  void utf16BecomesUtf8() {
    const QString text = QStringLiteral("GPU0\tµ €\n") + QString::fromUcs4(U"\U0001F600", 1);
    std::string little("\xFF\xFE"), big("\xFE\xFF");
    for (const QChar c : text) {
      little += {char(c.unicode() & 0xFF), char(c.unicode() >> 8)};
      big += {char(c.unicode() >> 8), char(c.unicode() & 0xFF)};
    }
    QCOMPARE(asUtf8(little), text.toStdString());
    QCOMPARE(asUtf8(big), text.toStdString());
  }
  void brokenUtf16GetsReplacementCharacters() {
    QCOMPARE(asUtf8(std::string("\xFF\xFE\x00\xD8"
                                "a\x00",
                                6)),
             std::string("\xEF\xBF\xBD"
                         "a"));
    QCOMPARE(asUtf8(std::string("\xFF\xFE"
                                "a\x00"
                                "b",
                                5)),
             std::string("a"));
    QCOMPARE(asUtf8("\xFF\xFE"), std::string());
  }
};
NEST_TEST(TestTextEncoding)
#include "test_text_encoding.moc"
