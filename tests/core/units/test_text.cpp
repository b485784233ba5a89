#include <QtTest/QTest>

#include "support/test_main.h"
#include "units/amount.h"
#include "units/text.h"

using namespace nest;

class TestText : public QObject {
  Q_OBJECT
private slots:
  void amountsAreGroupedOrScaled() {
    QCOMPARE(text::amount(0.571), std::string("0.571"));
    QCOMPARE(text::amount(999), std::string("999"));
    QCOMPARE(text::amount(4680), std::string("4,680"));
    QCOMPARE(text::amount(9'990), std::string("9,990"));
    QCOMPARE(text::amount(12'340), std::string("12.3 k"));
    QCOMPARE(text::amount(68'230), std::string("68.2 k"));
  }
  void printsThreeSignificantDigits() {
    QCOMPARE(text::number(12.345), std::string("12.3"));
    QCOMPARE(text::number(9.999), std::string("10.0"));
    QCOMPARE(text::number(10), std::string("10"));
    QCOMPARE(text::number(1.2004e9), std::string("1.20e+09"));
    QCOMPARE(text::number(1234.5), std::string("1,230"));
    QCOMPARE(text::number(-1234567, 7), std::string("−1,234,567"));
    QCOMPARE(text::number(999.96, 5), std::string("999.96"));
    QCOMPARE(text::number(1800.25, 6), std::string("1,800.25"));
    QCOMPARE(text::number(0.0041234), std::string("0.00412"));
    QCOMPARE(text::number(-0.5), std::string("−0.5"));
    QCOMPARE(text::number(1.2e9), std::string("1.2e+09"));
    QCOMPARE(text::count(16384), std::string("16,384"));
    QCOMPARE(text::count(999), std::string("999"));
  }
  void choosesTheUnitBySize() {
    QCOMPARE(text::time(Seconds(8.4)), std::string("8.4 s"));
    QCOMPARE(text::time(Seconds(0.0123)), std::string("12.3 ms"));
    QCOMPARE(text::time(Seconds(2e-6)), std::string("2 µs"));
    QCOMPARE(text::time(Seconds(0.9999)), std::string("1.00 s"));
    QCOMPARE(text::time(Seconds(13.9967)), std::string("14.0 s"));
    QCOMPARE(text::time(Seconds(14)), std::string("14 s"));
    QCOMPARE(text::precise(Seconds(0.04166212807676728)), std::string("41.662 ms"));
    QCOMPARE(text::memory(Bytes(71.2 * 1073741824.0)), std::string("71.2 GiB"));
    QCOMPARE(text::memory(Bytes(1020 * 1073741824.0)), std::string("1,020 GiB"));
    QCOMPARE(text::bandwidth(BytesPerSecond(1800e9)), std::string("1,800 GB/s"));
    QCOMPARE(text::bandwidth(BytesPerSecond(50e9)), std::string("50 GB/s"));
    QCOMPARE(text::bandwidth(BytesPerSecond(50e9), text::BandwidthUnit::GigabitsPerSecond),
             std::string("400 Gb/s"));
  }
  void groupsThousandsOfRates() {
    QCOMPARE(text::rate(87412.3), std::string("87,400"));
    QCOMPARE(text::rate(4679), std::string("4,680"));
    QCOMPARE(text::rate(12.34), std::string("12.3"));
    QCOMPARE(text::percent(767.0), std::string("76,700 %"));
  }
  void saysOfATinyShareOnlyThatItIsTiny() {
    QCOMPARE(text::percent(-4.13e-7), std::string("< 0.01 %"));
    QCOMPARE(text::signedPercent(1.89e-7), std::string("< 0.01 %"));
    QCOMPARE(text::signedPercent(-0.061), std::string("−6.1 %"));
    QCOMPARE(text::signedPercent(0.0612345), std::string("+6.12 %"));
    QCOMPARE(text::percent(0), std::string("0 %"));
    // A part is not the whole, but a change may be as large.
    QCOMPARE(text::percent(0.9997), std::string("> 99.9 %"));
    QCOMPARE(text::percent(0.9994), std::string("99.9 %"));
    QCOMPARE(text::percent(1 - 1e-12), std::string("100 %"));
    QCOMPARE(text::percent(1.0003), std::string("100 %"));
    QCOMPARE(text::signedPercent(0.9997), std::string("+100 %"));
  }
  void readsWhatItPrints() {
    QCOMPARE(text::readBandwidth("400 Gb/s")->value.value(), 50e9);
    QCOMPARE(text::readBandwidth("450GB/s")->value.value(), 450e9);
    QCOMPARE(text::readTime("2us")->value(), 2e-6);
    QVERIFY(text::readTime("5us")->value() == 5e-6);  // to the last digit: files are written from it
    QVERIFY(text::readTime("7")->value() == 7e-6);
    QVERIFY(text::readTime("3 ns")->value() == 3e-9);
    QCOMPARE(text::readMemory("80 GiB")->value(), 80 * 1073741824.0);
    QCOMPARE(text::readMemory("80")->value(), 80 * 1073741824.0);
    QCOMPARE(text::readMemory("1,020 GiB")->value(), 1020 * 1073741824.0);
    QCOMPARE(text::readBandwidth("1,800.5GB/s")->value.value(), 1800.5e9);
    QVERIFY(!text::readBandwidth("1,8 GB/s"));
    QVERIFY(!text::readBandwidth("1,8000 GB/s"));
    QVERIFY(!text::readBandwidth("-1 GB/s"));
    QVERIFY(!text::readBandwidth("12 parsecs"));
    QVERIFY(!text::readTime("nan"));
    QVERIFY(!text::readTime("1e999 s"));
  }
};
NEST_TEST(TestText)
#include "test_text.moc"
