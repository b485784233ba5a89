#include <QDir>
#include <QtTest/QTest>
#include <cmath>

#include "formats/profiles/nest_artifact.h"
#include "formats/profiles/piper.h"
#include "lab/validation.h"
#include "support/test_main.h"

using namespace nest;

namespace {
std::string input(const char* path) {
  return test::referencePath(std::string("nest/inputs/") + path);
}
bool hasCode(const Diagnostics& all, const std::string& code) {
  return std::any_of(all.begin(), all.end(), [&](const Diagnostic& d) { return d.code == code; });
}
/// The published table with what its sentences say as fields: the program takes nothing from a sentence.
std::string withWhatSentencesSay(std::string text) {
  const std::pair<std::string, std::string> fields[] = {
      {"megatron-a100", R"("year": 2021, "format": "fp16", "interleaved": true)"},
      {"ptd-vs-zero3", R"("year": 2021, "format": "fp16")"},
      {"korthikanti-time", R"("year": 2022)"},
      {"mt-nlg", R"("year": 2021, "t": 8, "p": 35, "global_batch": 1920)"}};
  for (const auto& [set, said] : fields) {
    const std::string id = "\"id\": \"" + set + "\",";
    const auto found = text.find(id);
    if (found != std::string::npos) text.insert(found + id.size(), said + ",");
  }
  return text;
}
}  // namespace

/// Files as others published them.
class TestReferenceFiles : public QObject {
  Q_OBJECT
private slots:
  void artifactInputsOpen() {
    const std::string root = test::referencePath("nest/inputs");
    if (root.empty()) QSKIP("the reference data is absent");
    int files = 0;
    const QDir dir(QString::fromStdString(root));
    for (const auto& folder : dir.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
      for (const auto& file : QDir(dir.filePath(folder)).entryList({"*.json"})) {
        const auto p = readNestArtifact(test::readFile(dir.filePath(folder + "/" + file).toStdString()),
                                        file.toStdString(), 1024);
        QVERIFY2(p, qPrintable(file));
        QVERIFY(p->graph.layerCount() > 20);
        ++files;
      }
    QCOMPARE(files, 22);
  }
  void artifactOdditiesAreReported() {
    if (input("h100_spineLeaf/bertlarge_mbs1.json").empty()) QSKIP("the reference data is absent");
    const auto bert = readNestArtifact(test::readFile(input("h100_spineLeaf/bertlarge_mbs1.json")), "b");
    QVERIFY(bert);
    QVERIFY(hasCode(bert.diagnostics, "artifact-caution"));
    QVERIFY(hasCode(bert.diagnostics, "artifact-bandwidth"));
    const auto flat = readNestArtifact(test::readFile(input("tpuv4_fatTree/megatronbert_mbs1.json")), "m");
    QVERIFY(flat);
    QVERIFY(hasCode(flat.diagnostics, "artifact-flat-widths"));
    QVERIFY(hasCode(flat.diagnostics, "artifact-ilp"));
    QCOMPARE(flat->cluster->device.name, std::string("TPU v4 of the artifact"));
  }
  void piperProfileOpens() {
    const std::string path = test::referencePath("piper/bert32a100.json");
    if (path.empty()) QSKIP("the reference data is absent");
    const auto p = readPiper(test::readFile(path), "bert32a100.json");
    QVERIFY(p);
    QCOMPARE(p->graph.layerCount(), 37);
    QCOMPARE(p->profile.strategies().size(), std::size_t(4));
    QVERIFY(!p->graph.isChain());  // two inputs stand side by side
    QCOMPARE(p->job->globalBatch, 1920);
    double seconds = 0;
    std::size_t readers = 0;
    for (const Layer& l : p->graph.layers) {
      const LayerCost& c = *p->profile.cost(l.classId, 0, 0);
      seconds += (c.forward + c.backward).value();
    }
    for (const Tensor& t : p->graph.tensors) readers += t.consumers.size();
    QCOMPARE(readers, std::size_t(67));
    QVERIFY(seconds > 0.9 && seconds < 1.1);
    QVERIFY(p->graph.classCount < 37);  // most of its layers cost the same
  }
  void publishedRowsAreMet() {
    const std::string path = test::referencePath("published/training_results.json");
    if (path.empty()) QSKIP("the reference data is absent");
    const auto report = runValidation(withWhatSentencesSay(test::readFile(path)), "training_results.json");
    QVERIFY(report);
    QVERIFY(report.diagnostics.empty());
    QCOMPARE(report->rows.size(), std::size_t(10 + 12 + 8 + 12 + 3));
    QVERIFY2(report->meanThroughputError() < 0.045, toText(*report).c_str());
    QVERIFY2(report->meanThroughputError(true) < 0.02, toText(*report).c_str());
    QVERIFY2(report->largestMemoryError() < 0.01, toText(*report).c_str());
    for (const auto& r : report->rows)
      if (r.run.quantity == PublishedQuantity::ParameterBytes) QVERIFY(std::abs(r.error()) < 0.001);
  }
};
NEST_TEST(TestReferenceFiles)
#include "test_reference_files.moc"
