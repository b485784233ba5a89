#include <QtTest/QTest>
#include <nlohmann/json.hpp>

#include "support/test_main.h"
#include "text/json_fields.h"
#include "text/json_text.h"

using namespace nest;

class TestJsonText : public QObject {
  Q_OBJECT
private slots:
  void everyValueHasItsPlace() {
    const auto t =
        readJsonText("{\n  \"a\": [1, 22,\n\t{\"b/c\": \"é\", \"d\": -3.5}],\n \"e\":true}", "f.json");
    QVERIFY(t);
    const auto check = [&](const char* pointer, int line, int column) {
      const Place p = t->placeOf(pointer);
      QCOMPARE(p.line, line);
      QCOMPARE(p.column, column);
      QCOMPARE(p.file, std::string("f.json"));
      QCOMPARE(p.pointer, std::string(pointer));
    };
    check("", 1, 1);
    check("/a", 2, 8);
    check("/a/0", 2, 9);
    check("/a/1", 2, 12);
    check("/a/2", 3, 2);
    check("/a/2/b~1c", 3, 10);
    check("/a/2/d", 3, 20);  // é counts as one column
    check("/e", 4, 6);
    check("/a/2/missing", 3, 2);
    QCOMPARE(t->root()["a"][2]["d"].get<double>(), -3.5);
    QCOMPARE(jsonPointer("/a/2", "b/c"), std::string("/a/2/b~1c"));
  }
  /// Of a file that was cut off that is said, wherever it ends.
  void cutOffTextsAreToldAsSuch() {
    const std::string whole = "{\"name\": \"a \\\"b\\\"\", \"levels\": [1, \"x\"]}";
    for (std::size_t n = 1; n < whole.size(); ++n) {
      const auto t = readJsonText(whole.substr(0, n), {});
      QVERIFY(!t);
      QVERIFY2(t.diagnostics.front().message.find("the text ends inside") == 0, whole.substr(0, n).c_str());
      QVERIFY(!t.diagnostics.front().remedy.empty());
    }
    const auto stray = readJsonText("[\"a\nb\"]", {});
    QVERIFY(stray.diagnostics.front().message.find("the text ends") != 0);
  }
  /// Elsewhere what stands there is shown.
  void whatIsNotJsonIsShown() {
    const auto t = readJsonText("{\"a\": [1, tru1]}", {});
    QVERIFY(!t);
    QVERIFY2(t.diagnostics.front().message.ends_with("near \"1, tru1\""),
             t.diagnostics.front().message.c_str());
  }
  void badTexts_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("code");
    QTest::addColumn<int>("line");
    QTest::addColumn<int>("column");
    QTest::newRow("empty") << ""
                           << "json-syntax" << 1 << 1;
    QTest::newRow("blank") << " \n "
                           << "json-syntax" << 2 << 2;
    QTest::newRow("cut off") << "{\"a\": [1,"
                             << "json-syntax" << 1 << 10;
    QTest::newRow("comma") << "{\"a\": 1,\n}"
                           << "json-syntax" << 2 << 1;
    QTest::newRow("word") << "[1,\n hello]"
                          << "json-syntax" << 2 << 2;
    QTest::newRow("nan") << "[1, NaN]"
                         << "json-syntax" << 1 << 5;
    QTest::newRow("infinite") << "{\"x\":\n 1e999}"
                              << "json-number-range" << 2 << 2;
    QTest::newRow("duplicate") << "{\"a\":1,\n \"a\":2}"
                               << "json-duplicate-key" << 2 << 2;
    QTest::newRow("trailing") << "{} x"
                              << "json-syntax" << 1 << 4;
    QTest::newRow("bad utf-8") << "deep"
                               << "json-too-deep" << 1 << 65;
  }
  void badTexts() {
    QFETCH(QString, text);
    QFETCH(QString, code);
    QFETCH(int, line);
    QFETCH(int, column);
    std::string s = text.toStdString();
    if (s == "deep") s = std::string(100000, '[');
    const auto t = readJsonText(s, "f");
    QVERIFY(!t);
    QCOMPARE(t.diagnostics.size(), std::size_t(1));
    QCOMPARE(QString::fromStdString(t.diagnostics[0].code), code);
    QCOMPARE(t.diagnostics[0].where.line, line);
    QCOMPARE(t.diagnostics[0].where.column, column);
  }
  void limitsHold() {
    QCOMPARE(readJsonText("[1,2,3]", "f", {100, 4, 3}).diagnostics.at(0).code,
             std::string("json-too-many-values"));
    QCOMPARE(readJsonText("[1,2,3]", "f", {3, 4, 30}).diagnostics.at(0).code, std::string("json-too-large"));
    QVERIFY(readJsonText("[[[[1]]]]", "f", {100, 4, 30}));
    QVERIFY(!readJsonText("[[[[[1]]]]]", "f", {100, 4, 30}));
    QVERIFY(!readJsonText("\"\xff\xfe\"", "f"));
    const auto bom = readJsonText("\xEF\xBB\xBF{\"a\":1}", "f");
    QVERIFY(bom);
    QCOMPARE(bom->root()["a"].get<int>(), 1);
  }
  void allDuplicatesAreReported() {
    const auto t = readJsonText("{\"a\":1,\"a\":2,\"b\":{\"c\":1,\"c\":2}}", "f");
    QCOMPARE(t.diagnostics.size(), std::size_t(2));
    QCOMPARE(t.diagnostics[1].where.pointer, std::string("/b/c"));
  }
  void fieldsAreChecked() {
    const auto t =
        readJsonText(R"({"n": 3, "f": 2.5, "s": "x", "big": 1e30, "nul": null, "hiden_size": 4})", "f");
    QVERIFY(t);
    Diagnostics out;
    JsonFields f(*t, t->root(), "", out);
    QCOMPARE(f.integer("n", 1, 10).value(), 3LL);
    QVERIFY(!f.integer("absent", 1, 10));
    QVERIFY(!f.has("nul"));
    QVERIFY(out.empty());
    QVERIFY(!f.integer("f", 1, 10));
    QVERIFY(!f.integer("s", 1, 10));
    QVERIFY(!f.integer("big", 1, 10));
    QVERIFY(!f.number("n", 5, 6));
    QVERIFY(!f.oneOf("s", {"y", "z"}));
    QVERIFY(!f.object("n"));
    f.requireKey("hidden_size", "a width");
    QCOMPARE(out.size(), std::size_t(7));
    f.reportUnknown(Severity::Warning);
    QCOMPARE(out.size(), std::size_t(8));
    QCOMPARE(out.back().code, std::string("json-unknown-key"));
    QVERIFY(out.back().remedy.find("hidden_size") != std::string::npos);
    // Where every number is allowed there is no range to name.
    QVERIFY(!f.number("s", -1e300, 1e300));
    QCOMPARE(out.back().message, std::string("\"s\" must be a number, not a string"));
  }
};
NEST_TEST(TestJsonText)
#include "test_json_text.moc"
