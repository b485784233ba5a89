#include <QtTest/QTest>
#include <algorithm>
#include <filesystem>
#include <regex>

#include "fields/field.h"
#include "fields/field_advice.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

std::vector<FieldChange> changesIn(const std::string& text) {
  std::vector<FieldChange> out;
  for (const auto& part : adviceParts(text))
    if (const auto* change = std::get_if<FieldChange>(&part)) out.push_back(*change);
  return out;
}

}  // namespace

/// What messages say of fields.
class TestFieldAdvice : public QObject {
  Q_OBJECT
private slots:
  void fieldsAreToldFromWords() {
    const auto parts = adviceParts("a `b` `search.zero_stages := 0, 1`, or raise `job.microbatches`");
    QCOMPARE(parts.size(), std::size_t(4));
    QCOMPARE(std::get<std::string>(parts[0]), std::string("a `b` "));
    QCOMPARE(std::get<FieldChange>(parts[1]),
             (FieldChange{"search.zero_stages", FieldChange::How::Only, {"0", "1"}}));
    QCOMPARE(std::get<std::string>(parts[2]), std::string(", or raise "));
    QCOMPARE(std::get<FieldChange>(parts[3]), (FieldChange{"job.microbatches"}));
    for (const char* text : {"", "`", "a `", "``", "`a.b", "`.`", "`A.b`", "`a.b = `c`"})
      QVERIFY2(changesIn(text).empty(), text);
  }
  void filesHaveKeysAndTheWindowLabels_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("keys");
    QTest::addColumn<QString>("labels");
    QTest::newRow("flag") << "`search.context_parallel = true` to search it"
                          << "set search.context_parallel to true to search it"
                          << "select \"Offer context degrees\" to search it";
    QTest::newRow("flag off") << "`search.strategy_per_stage = false`"
                              << "set search.strategy_per_stage to false"
                              << "clear \"Free strategy per stage\"";
    QTest::newRow("numbers") << "`search.zero_stages := 0, 2, 3`"
                             << "offer only 0, 2 and 3 in search.zero_stages"
                             << "offer only 0, 2 and 3 in \"ZeRO\"";
    QTest::newRow("options") << "`search.schedules += zb-h1`"
                             << "add zb-h1 to search.schedules"
                             << "add ZB-H1 to \"Schedules\"";
    QTest::newRow("share") << "`assumptions.link_efficiency = 0.75`"
                           << "set assumptions.link_efficiency to 0.75"
                           << "set \"Link efficiency\" to 75 %";
    QTest::newRow("name") << "widen `search.recompute`"
                          << "widen search.recompute"
                          << "widen \"Recompute\"";
    QTest::newRow("no part") << "choose another `program`"
                             << "choose another program"
                             << "choose another \"Program\"";
    QTest::newRow("no field") << "`search.nothing = 1`"
                              << "set search.nothing to 1"
                              << "set search.nothing to 1";
  }
  void filesHaveKeysAndTheWindowLabels() {
    QFETCH(QString, text);
    QFETCH(QString, keys);
    QFETCH(QString, labels);
    QCOMPARE(QString::fromStdString(adviceText(text.toStdString())), keys);
    QCOMPARE(QString::fromStdString(adviceInLabels(text.toStdString())), labels);
  }
  void changesAreMade() {
    const auto after = [](Setting s, const char* text) {
      const FieldChange change = changesIn(text).at(0);
      const bool differs = makesDifference(s, change);
      make(s, change);
      return differs ? std::optional(s) : std::nullopt;
    };
    Setting s;
    s.search.zeroStages = {1};
    s.search.contextParallel = false;
    QCOMPARE(after(s, "`search.zero_stages += 3`")->search.zeroStages, (std::vector<int>{1, 3}));
    QCOMPARE(after(s, "`search.zero_stages := 2, 0`")->search.zeroStages, (std::vector<int>{0, 2}));
    QVERIFY(!after(s, "`search.zero_stages += 1`"));  // as it is
    QVERIFY(!after(s, "`search.zero_stages += 9`"));  // not allowed
    QVERIFY(after(s, "`search.context_parallel = true`")->search.contextParallel);
    QVERIFY(!after(s, "`search.context_parallel = false`"));
    QVERIFY(!after(s, "`search.context_parallel = 7`"));
    QVERIFY(!after(s, "`search.context_parallel`"));
    QVERIFY(!after(s, "`search.nothing = 1`"));
    QCOMPARE(after(s, "`constraints.tensor = 1`")->constraints.tensor, (Bound{1, 1}));
    QCOMPARE(after(s, "`job.format = fp16`")->job.format, NumberFormat::Fp16);
    QCOMPARE(after(s, "`search.schedules := zb-v`")->search.schedules,
             (std::vector<ScheduleKind>{ScheduleKind::ZbV}));
  }
  /// What the core advises can be done: its fields are there, and take what it names.
  void everyAdviceNamesAField() {
    const std::regex told("`([a-z_]+\\.[a-z_.]+)(?: (=|:=) ([^`\"]+))?(?:`|[ +=]*\")");
    int count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(NEST_SOURCE_DIR "/core")) {
      if (entry.path().extension() != ".cpp" || entry.path().filename() == "field_change.cpp") continue;
      const std::string source = test::readFile(entry.path().string());
      for (std::sregex_iterator it(source.begin(), source.end(), told), end; it != end; ++it) {
        if ((*it)[1].str() == "cluster.device") continue;  // all fields of a device together
        std::string key = '/' + (*it)[1].str();
        std::replace(key.begin(), key.end(), '.', '/');
        QVERIFY2(findField(key), (entry.path().string() + ": " + it->str()).c_str());
        ++count;
        if (!(*it)[3].matched) continue;
        const auto change =
            changesIn('`' + (*it)[1].str() + ' ' + (*it)[2].str() + ' ' + (*it)[3].str() + '`');
        QCOMPARE(change.size(), std::size_t(1));
        const Field& f = *findField(key);
        if (f.kind() == FieldKind::Structured) continue;  // changed by hand
        for (const std::string& value : change[0].values) {
          const bool isOption = std::find(f.options.begin(), f.options.end(), value) != f.options.end();
          const bool isFlag = value == "true" || value == "false";
          QVERIFY2(f.kind() == FieldKind::Flag ? isFlag
                   : f.options.empty()         ? f.allows(std::stod(value))
                                               : isOption,
                   it->str().c_str());
        }
      }
    }
    QVERIFY2(count >= 40, std::to_string(count).c_str());
  }
};
NEST_TEST(TestFieldAdvice)
#include "test_field_advice.moc"
