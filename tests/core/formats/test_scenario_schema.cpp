#include <QDir>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest/QTest>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "cluster/graph/graph_edit.h"
#include "fields/field.h"
#include "formats/models/hf_config.h"
#include "formats/scenario/scenario_json.h"
#include "formats/scenario/scenario_schema.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

const std::string kSource = NEST_SOURCE_DIR;

Reading<std::string> loadSample(const std::string& path) {
  return {test::readFile(kSource + "/samples/" + path), {}};
}

Scenario teaching() {
  return std::move(
      *readScenario(test::readFile(kSource + "/samples/teaching-6-layers-2x2.nest.json"), "teaching", {})
           .value);
}

Scenario drawn() {
  Scenario s = teaching();
  GraphSource g;
  g.graph = graph::fromLevels(std::get<LevelsSource>(s.cluster.network));
  s.cluster.network = g;
  return s;
}

/// Reads documents, one a line, and tells the number of each that the schema refuses and why.
const char* kValidator = R"(
import json, sys
from jsonschema import Draft202012Validator
schema = json.load(open(sys.argv[1]))
Draft202012Validator.check_schema(schema)
v = Draft202012Validator(schema)
for i, line in enumerate(open(sys.argv[2])):
    wrong = sorted(v.iter_errors(json.loads(line)), key=lambda e: e.json_path)
    print(i, 'refused' if wrong else 'fine', wrong[0].json_path + ': ' + wrong[0].message[:200] if wrong else '')
)";

std::string oneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

/// The schema is what fields() says; files that the program writes or reads satisfy it, others do not.
class TestScenarioSchema : public QObject {
  Q_OBJECT
private slots:
  void theFileIsWhatFieldsSay() {
    QVERIFY2(scenarioSchema() == test::readFile(kSource + "/resources/schemas/scenario.schema.json"),
             "write it anew: nest-plan fields --schema > resources/schemas/scenario.schema.json");
  }

  void filesAreJudgedAsTheReaderJudgesThem() {
    QProcess probe;
    probe.start(QStringLiteral("python3"), {QStringLiteral("-c"), QStringLiteral("import jsonschema")});
    if (!probe.waitForFinished(120000) || probe.exitCode() != 0) QSKIP("python3-jsonschema is not installed");
    struct Document {
      std::string what, text;
      bool fine;
    };
    std::vector<Document> all;
    const QDir samples(QString::fromStdString(kSource + "/samples"));
    for (const QString& name : samples.entryList({QStringLiteral("*.nest.json")}, QDir::Files)) {
      const std::string text = test::readFile(samples.filePath(name).toStdString());
      all.push_back({name.toStdString(), text, true});
      all.push_back(
          {name.toStdString() + " again", writeScenario(*readScenario(text, "x", loadSample)), true});
    }
    // Every model of the corpus, written out in a scenario.
    const QDir models(QString::fromStdString(kSource + "/tests/data/hf-config"));
    int taken = 0;
    for (const QString& name : models.entryList({QStringLiteral("*.json")}, QDir::Files)) {
      const auto model = readHuggingFaceConfig(test::readFile(models.filePath(name).toStdString()), "m");
      if (!model) continue;
      Scenario s = teaching();
      s.model.reference.clear();
      s.model.architecture = *model;
      all.push_back({name.toStdString(), writeScenario(s), true});
      ++taken;
    }
    QVERIFY(taken > 30);
    // Each number at its limits, and beyond.
    for (Scenario base : {teaching(), drawn()}) {
      if (auto* levels = std::get_if<LevelsSource>(&base.cluster.network))
        levels->exceptions = {{1, {0.5, Bytes(4e10)}}};
      base.cluster.device.id = "custom";
      for (const Field& f : fields()) {
        if (!(f.least < f.most) || f.count(base) == 0) continue;
        const double step = f.access.measure == Measure::Count ? 1 : std::max(1e-3, std::abs(f.most) * 1e-3);
        for (const double v : {f.least, f.most, f.least - step, f.most + step}) {
          if (f.access.measure == Measure::Count && std::abs(v) > 2e9) continue;
          Scenario s = base;
          FieldValue value = v;
          if (f.kind() == FieldKind::Wholes) value = std::vector<int>{static_cast<int>(v)};
          if (f.kind() == FieldKind::Bound) value = Bound{static_cast<int>(v), static_cast<int>(v)};
          f.access.set(s, 0, value);
          // What says 0 for its usual is not written.
          if (f.stored == Stored::Changed && v < f.least && f.key.ends_with("memory_bytes")) continue;
          if (v <= 0 && (f.key.ends_with("link_bandwidth_bytes_per_s"))) continue;
          all.push_back({f.key + " = " + std::to_string(v), writeScenario(s), f.allows(v)});
        }
      }
    }
    for (const char* bad :
         {R"("job": {"sequence_length": 1})",
          R"("job": {"global_batch": 8, "sequence_length": 1, "batch": 2})",
          R"("job": {"global_batch": "8", "sequence_length": 1})",
          R"("job": {"global_batch": 8, "sequence_length": 1}, "search": {"preset": "fast"})"})
      all.push_back(
          {bad,
           std::string(
               R"({"version": 1, "cluster": {"device": "h100-sxm", "network": "host:8@450GB/s"}, "model": {"path": "m"}, )") +
               bad + "}",
           false});
    // null is as if the key were left out: both are judged alike, by the reader and by the schema.
    std::vector<std::size_t> pairs;
    for (Scenario base : {teaching(), drawn()}) {
      base.cluster.device.id = "custom";
      base.description = "d";
      base.constraints.tensor = {1, 2};
      base.search.deadlineSeconds = 1;
      base.slides.push_back({"caption", "stages", {}, {}, {}});
      using Json = nlohmann::ordered_json;
      const Json whole = Json::parse(writeScenario(base));
      std::set<std::string> pointers;
      const Json flat = whole.flatten();
      for (const auto& [pointer, leaf] : flat.items())
        for (std::string p = pointer; !p.empty(); p.erase(p.rfind('/'))) pointers.insert(p);
      for (const std::string& p : pointers) {
        const Json::json_pointer place(p);
        Json null = whole, without = whole;
        if (!null[place.parent_pointer()].is_object()) continue;
        null[place] = nullptr;
        without[place.parent_pointer()].erase(place.back());
        const auto reads = [](const Json& j) {
          const auto reading = readScenario(j.dump(), "s.nest.json", loadSample);
          return reading && buildProblem(*reading);
        };
        QVERIFY2(reads(null) == reads(without), p.c_str());
        pairs.push_back(all.size());
        all.push_back({p + " = null", null.dump(), true});
        all.push_back({p + " left out", without.dump(), true});
      }
    }
    QTemporaryDir folder;
    const std::string documents = folder.filePath(QStringLiteral("all")).toStdString();
    {
      std::ofstream out(documents);
      for (const Document& d : all) out << oneLine(d.text) << '\n';
    }
    QProcess python;
    python.start(QStringLiteral("python3"),
                 {QStringLiteral("-c"), QString::fromLatin1(kValidator),
                  QString::fromStdString(kSource + "/resources/schemas/scenario.schema.json"),
                  QString::fromStdString(documents)});
    QVERIFY2(python.waitForFinished(120000) && python.exitCode() == 0,
             python.readAllStandardError().constData());
    const auto lines =
        QString::fromUtf8(python.readAllStandardOutput()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), qsizetype(all.size()));
    const auto isFine = [&](std::size_t i) { return lines[qsizetype(i)].contains(QStringLiteral(" fine")); };
    QVERIFY(pairs.size() > 100);
    for (const std::size_t i : pairs) {
      QVERIFY2(isFine(i) == isFine(i + 1), all[i].what.c_str());
      all[i].fine = all[i + 1].fine = isFine(i);
    }
    QStringList wrong;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (isFine(i) != all[i].fine)
        wrong += QString::fromStdString(all[i].what) + QStringLiteral(": ") + lines[qsizetype(i)];
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
  }
};
NEST_TEST(TestScenarioSchema)
#include "test_scenario_schema.moc"
