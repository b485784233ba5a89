#include <QtTest/QTest>
#include <cmath>
#include <set>

#include "cluster/graph/graph_edit.h"
#include "fields/field.h"
#include "fields/field_slide.h"
#include "fields/field_text.h"
#include "formats/scenario/scenario_json.h"
#include "scenario/check.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

Scenario sample(const char* name) {
  const std::string folder = std::string(NEST_SOURCE_DIR) + "/samples/";
  return std::move(*readScenario(test::readFile(folder + name), name, [&](const std::string& path) {
                      return Reading<std::string>{test::readFile(folder + path), {}};
                    }).value);
}

/// Settings that between them have every field.
std::vector<Scenario> everyShape() {
  std::vector<Scenario> all{sample("llama3-70b-h100-1024.nest.json"),
                            sample("teaching-6-layers-2x2.nest.json"),
                            sample("teaching-6-layers-2x2.nest.json")};
  std::get<LevelsSource>(all[1].cluster.network).exceptions = {{1, {0.5, Bytes(4e10)}}};
  GraphSource drawn;
  drawn.graph = graph::fromLevels(std::get<LevelsSource>(all[2].cluster.network));
  all[2].cluster.network = drawn;
  all[2].job.format = NumberFormat::Fp8;
  all[2].cluster.device.peakFp8 = Sourced<FlopsPerSecond>(FlopsPerSecond(1e15));
  all[2].cluster.device.matrixEfficiencyFp8 = Sourced<double>(0.5);
  return all;
}

bool isOutOfRange(const Scenario& s, const std::string& pointer) {
  for (const Diagnostic& d : checkSetting(s))
    if (d.code == "out-of-range" && d.where.pointer.starts_with(pointer)) return true;
  return false;
}

/// The value as the field holds it: whole numbers of lists and bounds stand for themselves.
FieldValue valueOf(const Field& f, double v) {
  if (f.kind() == FieldKind::Wholes) return std::vector<int>{static_cast<int>(v)};
  if (f.kind() == FieldKind::Bound) return Bound{static_cast<int>(v), static_cast<int>(v)};
  return v;
}

bool isNumberLike(const Field& f) {
  return f.kind() == FieldKind::Whole || f.kind() == FieldKind::Number || f.kind() == FieldKind::Wholes ||
         f.kind() == FieldKind::Bound;
}

}  // namespace

/// One entry says everything about a field; whoever uses it can rely on that.
class TestFields : public QObject {
  Q_OBJECT
private slots:
  /// A number set away and back is the catalog's again, and the device with it.
  void aDeviceComesBackWithItsNumbers() {
    Scenario s = sample("llama2-7b-h100-128.nest.json");
    const DeviceSpec before = s.cluster.device;
    for (const char* key : {"/cluster/device/memory_bytes", "/cluster/device/peak_flops_per_s"}) {
      const FieldAt at = fieldAt(s, key).value();
      const double number = *numberOf(s, at);
      setNumber(s, at, number / 8);
      QVERIFY(!(s.cluster.device == before));
      setNumber(s, at, number);
      QVERIFY2(s.cluster.device == before, key);
    }
  }
  void everyFieldIsDescribed() {
    QStringList keys;
    for (const Field& f : fields()) {
      QVERIFY(f.key.starts_with('/'));
      QVERIFY2(!f.label.empty() && !f.meaning.empty() && !f.group.empty(), f.key.c_str());
      keys += QString::fromStdString(f.key);
      if (f.kind() == FieldKind::Structured) continue;
      QVERIFY2(f.access.get && f.access.set, f.key.c_str());
      QCOMPARE(isNumberLike(f), f.least < f.most);
      if (f.kind() == FieldKind::Choice || f.kind() == FieldKind::Flags) QVERIFY(f.options.size() > 1);
      QVERIFY(f.optionLabels.empty() || f.optionLabels.size() == f.options.size());
      QCOMPARE(findField(f.key), &f);
    }
    QCOMPARE(keys.removeDuplicates(), 0);
    QVERIFY(keys.size() > 70);
  }

  /// One link of a kind by its ends, and how many others are like it.
  void linksAreNamedByAnExample() {
    Scenario s = sample("llama2-7b-h100-128.nest.json");
    GraphSource drawn;
    const auto device = [&](const char* id) {
      NetworkNode n;
      n.id = n.name = id, n.kind = NodeKind::Device;
      drawn.graph.nodes.push_back(n);
    };
    for (const char* id : {"a", "b", "c", "d"}) device(id);
    const auto named = [&] {
      s.cluster.network = drawn;
      std::set<std::string> out;
      for (const FieldAt& at : numericFieldsOf(s))
        if (at.field->key.starts_with("/cluster/graph/links/")) out.insert(at.group);
      return out;
    };
    using Names = std::set<std::string>;
    const auto link = [&](int from, int to, double bandwidth) {
      NetworkLink l;
      l.from = from, l.to = to, l.bandwidth = BytesPerSecond(bandwidth), l.latency = Seconds(1e-6);
      drawn.graph.links.push_back(l);
    };
    link(0, 1, 1e9);
    QCOMPARE(named(), (Names{"Link a – b"}));
    link(1, 2, 1e9);
    QCOMPARE(named(), (Names{"Link a – b and 1 like it"}));
    link(2, 3, 1e9);
    QCOMPARE(named(), (Names{"Link a – b and 2 like it"}));
    link(3, 0, 2e9);
    QCOMPARE(named(), (Names{"Link a – b and 2 like it", "Link d – a"}));
  }

  /// Smallest, largest and default value of every field: kept by the file, allowed by the check; one beyond:
  /// refused by the check, by what is typed, and by the same limits.
  void limitsAreTheSameEverywhere() {
    int walked = 0;
    std::set<std::string> seen;
    for (const Scenario& base : everyShape())
      for (const Field& f : fields()) {
        if (!isNumberLike(f) || f.count(base) == 0) continue;
        const FieldAt at{&f, {f.count(base) - 1}, {}};
        // "/job/optimizer" is written whole; a device that is in the catalog, too.
        const bool isShape = f.key.find("fanout") != std::string::npos;
        for (const double v : {f.least, f.most}) {
          Scenario s = base;
          f.access.set(s, at.at.front(), valueOf(f, v));
          QVERIFY2(!isOutOfRange(s, at.pointer()), at.pointer().c_str());
          const std::string text = writeScenario(s);
          const auto back =
              readScenario(text, "back", [](const std::string&) { return Reading<std::string>{}; });
          if (s.model.reference.empty() && !isShape) {
            QVERIFY2(back, back.diagnostics.empty() ? "" : toText(back.diagnostics.front()).c_str());
            QVERIFY2(f.access.get(*back, at.at.front()) == valueOf(f, v), at.pointer().c_str());
            QCOMPARE(writeScenario(*back), text);
          }
        }
        const bool whole = f.access.measure == Measure::Count;
        const double step = whole ? 1 : 1e-3;
        for (const double v :
             {f.least - std::max(step, f.least * 0.01), f.most + std::max(step, f.most * 0.01)}) {
          if (std::abs(v) > 2e9 && whole) continue;                    // no int holds it
          if (v < 0 && f.access.measure != Measure::Number) continue;  // "-1 GiB" is no amount at all
          Scenario s = base;
          f.access.set(s, at.at.front(), valueOf(f, v));
          QVERIFY2(isOutOfRange(s, at.pointer()), (at.pointer() + " takes " + std::to_string(v)).c_str());
          if (f.kind() == FieldKind::Whole || f.kind() == FieldKind::Number)
            QVERIFY2(!readNumberText(base, at, numberText(base, at, v)), at.pointer().c_str());
        }
        walked += seen.insert(f.key).second ? 1 : 0;
      }
    int wanted = 0;
    for (const Field& f : fields()) wanted += isNumberLike(f) ? 1 : 0;
    QCOMPARE(walked, wanted);
  }

  void whatIsShownIsReadBack() {
    for (const Scenario& s : everyShape())
      for (const FieldAt& f : numericFieldsOf(s))
        if (const auto v = numberOf(s, f)) {
          const auto again = readNumberText(s, f, numberText(s, f, *v));
          QVERIFY2(again && std::abs(*again - *v) <= 0.006 * std::abs(*v), f.pointer().c_str());
        }
  }

  /// Whatever somebody types: a value that the field allows, or none; nothing only where nothing is allowed.
  void anythingCanBeTyped() {
    for (const Scenario& s : everyShape())
      for (const Field& f : fields())
        for (int i = 0; i < (f.kind() == FieldKind::Structured ? 0 : f.count(s)); ++i)
          for (const char* typed : {"", " ", "none", "-1", "1e400", "nan", "8@", "\xff"}) {
            const FieldAt at{&f, {i}, {}};
            const auto v = readValueText(s, at, typed);
            if (!v || std::holds_alternative<std::monostate>(*v)) continue;
            Scenario changed = s;
            f.access.set(changed, i, *v);
            if (const double* number = std::get_if<double>(&*v))
              QVERIFY2(f.kind() == FieldKind::Choice || f.allows(*number), (f.key + typed).c_str());
          }
    const Scenario levels = sample("teaching-6-layers-2x2.nest.json");
    const auto divided = fieldAt(levels, "cluster.levels.1.oversubscription");
    QVERIFY(divided && !readValueText(levels, *divided, "") && readValueText(levels, *divided, "2"));
  }

  void peopleCountLayersFromOne() {
    const FieldAt cuts{findField("/constraints/required_cuts"), {0}, {}};
    Scenario s = sample("teaching-6-layers-2x2.nest.json");
    const auto typed = readValueText(s, cuts, "2 5");
    QVERIFY(typed);
    QCOMPARE(std::get<std::vector<int>>(*typed), (std::vector<int>{1, 4}));
    cuts.field->access.set(s, 0, *typed);
    QCOMPARE(valueText(s, cuts), std::string("2, 5"));
    QVERIFY(!readValueText(s, cuts, "0"));
  }

  void aNumberSetIsTheNumberThere() {
    for (const Scenario& base : everyShape()) {
      const auto all = numericFieldsOf(base);
      QVERIFY(all.size() > 20);
      for (const FieldAt& f : all) {
        const bool whole = f.field->access.measure == Measure::Count;
        const double v = whole
                             ? std::clamp(16.0, f.field->least, f.field->most)
                             : std::clamp(numberOf(base, f).value_or(1) * 1.5, f.field->least, f.field->most);
        Scenario s = base;
        setNumber(s, f, v);
        QVERIFY2(numberOf(s, f) == v, f.pointer().c_str());
        // Nothing else moves.
        for (const FieldAt& other : all)
          if (other.field != f.field || other.at != f.at)
            QVERIFY2(numberOf(s, other) == numberOf(base, other),
                     (f.pointer() + " moves " + other.pointer()).c_str());
      }
    }
  }

  void keysMayLeaveOutTheirUnit() {
    const Scenario s = sample("llama3-70b-h100-1024.nest.json");
    QCOMPARE(fieldAt(s, "cluster.levels.1.bandwidth")->pointer(),
             std::string("/cluster/levels/1/bandwidth_bytes_per_s"));
    QCOMPARE(fieldAt(s, "/assumptions/reserve")->field->label, std::string("Reserve"));
    QVERIFY(!fieldAt(s, "cluster.levels.9.latency"));
    QVERIFY(!fieldAt(s, "job.nothing"));
  }

  void theLargestMicrobatchSetsWhatIsOffered() {
    Scenario s;
    s.job.microbatches = {1, 2, 4};
    const FieldAt f = *fieldAt(s, "job.microbatches");
    const auto offered = [&](double most) {
      Scenario now = s;
      setNumber(now, f, most);
      return now.job.microbatches;
    };
    QCOMPARE(offered(16), (std::vector<int>{1, 2, 4, 8, 16}));
    QCOMPARE(offered(2), (std::vector<int>{1, 2}));
    QCOMPARE(offered(6), (std::vector<int>{1, 2, 4, 6}));
    s.job.microbatches = {3};
    QCOMPARE(offered(12), (std::vector<int>{3, 6, 12}));
    QCOMPARE(offered(2), std::vector<int>{2});
  }

  void boundsAndListsAreTyped_data() {
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("shown");
    for (const auto& [typed, shown] :
         std::initializer_list<std::pair<const char*, const char*>>{{"", "any"},
                                                                    {"any", "any"},
                                                                    {"8", "8"},
                                                                    {"<= 8", "≤ 8"},
                                                                    {"≥2", "≥ 2"},
                                                                    {"2-8", "2–8"},
                                                                    {"2 to 8", "2–8"},
                                                                    {"2..8", "2–8"},
                                                                    {" 2 – 8 ", "2–8"},
                                                                    {"8-2", ""},
                                                                    {"eight", ""},
                                                                    {"-1", ""},
                                                                    {"1e3", ""},
                                                                    {"9999999999", ""}})
      QTest::newRow(typed) << QString::fromUtf8(typed) << QString::fromUtf8(shown);
  }
  void boundsAndListsAreTyped() {
    QFETCH(QString, typed);
    QFETCH(QString, shown);
    const auto b = readBoundText(typed.toStdString());
    QCOMPARE(b.has_value(), !shown.isEmpty());
    if (b) QCOMPARE(QString::fromStdString(boundText(*b)), shown);
  }

  void numbersAreTyped() {
    using text::readMeasured;
    QCOMPARE(*readMeasured(Measure::Tokens, "2 T"), 2e12);
    QCOMPARE(*readMeasured(Measure::Tokens, "300 billion tokens"), 3e11);
    QCOMPARE(*readMeasured(Measure::Tokens, "1.5e12"), 1.5e12);
    QVERIFY(!readMeasured(Measure::Tokens, "lots"));
    for (const double v : {2e12, 1.5e11, 7e6, 1234.0})
      QCOMPARE(*readMeasured(Measure::Tokens, text::measured(Measure::Tokens, v)), v);
    QCOMPARE(*readMeasured(Measure::Count, " 1,024 "), 1024.0);
    QVERIFY(!readMeasured(Measure::Count, "1e3"));
    QVERIFY(!readMeasured(Measure::Count, "1.5"));
    QCOMPARE(*readMeasured(Measure::Share, "35 %"), 0.35);
    QCOMPARE(*readMeasured(Measure::Share, "0.35"), 0.35);
    QCOMPARE(*readMeasured(Measure::Rate, "989 TFLOP/s"), 989e12);
    QCOMPARE(*readMeasured(Measure::Rate, "1.2 PFLOP/s"), 1.2e15);
    QCOMPARE(*readMeasured(Measure::Rate, "312 Tf"), 312e12);
    QCOMPARE(*readWholesText("4 1,2;2", 1, 64), (std::vector<int>{1, 2, 4}));
    QVERIFY(!readWholesText(" , ", 1, 64));
  }

  /// A curve over a bandwidth reaches four doublings to either side in half steps, a grid three in whole
  /// ones.
  void studiesReachAsFarAsTheySay() {
    const Scenario s = sample("teaching-6-layers-2x2.nest.json");
    const FieldAt at = *fieldAt(s, "/cluster/levels/1/bandwidth_bytes_per_s");
    const double now = *numberOf(s, at);
    const auto fine = studyValues(s, at, true);
    QCOMPARE(fine.size(), std::size_t(17));
    QCOMPARE(fine.front(), now / 16);
    QCOMPARE(fine.back(), now * 16);
    QCOMPARE(studyValues(s, at, false),
             (std::vector<double>{now / 8, now / 4, now / 2, now, now * 2, now * 4, now * 8}));
  }
};
NEST_TEST(TestFields)
#include "test_fields.moc"
