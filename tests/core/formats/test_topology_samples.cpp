#include <QtTest/QTest>
#include <filesystem>
#include <set>

#include "cluster/device_catalog.h"
#include "formats/import_files.h"
#include "scenario/scenario.h"
#include "solver/solve.h"
#include "support/test_main.h"

using namespace nest;
namespace fs = std::filesystem;

namespace {

const fs::path kFolder = fs::path(NEST_SOURCE_DIR) / "samples" / "topologies";

NamedText sample(const std::string& name, const char* hosts = "") {
  return {name, test::readFile((kFolder / name).string()), hosts};
}
NamedText model() {
  return {"config.json", test::readFile(NEST_SOURCE_DIR "/samples/models/bert-large.json"), {}};
}

/// Opens the files with a small model and solves it.
void verifySolves(const std::vector<NamedText>& files) {
  const auto imported = importFiles(files, *findDevice("h100-sxm"), {});
  for (const Diagnostic& d : imported.diagnostics)
    if (d.severity == Severity::Error) QFAIL(toText(d).c_str());
  QVERIFY(imported);
  auto scenario = assemble(*imported, nullptr);
  QVERIFY(scenario);
  scenario->job.globalBatch = 512;
  scenario->job.microbatches = {1};
  const auto problem = buildProblem(*scenario);
  QVERIFY(problem);
  const Outcome outcome = solve(*problem, {});
  QVERIFY(outcome.best());
}

}  // namespace

class TestTopologySamples : public QObject {
  Q_OBJECT
private slots:
  void everySampleOpensAndSolves_data() {
    QTest::addColumn<QString>("name");
    int count = 0;
    for (const auto& entry : fs::directory_iterator(kFolder)) {
      const std::string name = entry.path().filename().string();
      if (name == "README.md") continue;
      QTest::newRow(name.c_str()) << QString::fromStdString(name);
      ++count;
    }
    QVERIFY(count >= 13);
  }
  void everySampleOpensAndSolves() {
    QFETCH(QString, name);
    verifySolves({sample(name.toStdString()), model()});
  }
  void everyFormatHasOne() {
    std::set<FileKind> kinds;
    for (const auto& entry : fs::directory_iterator(kFolder)) {
      const std::string text = test::readFile(entry.path().string());
      kinds.insert(recognise(text, entry.path().filename().string()));
    }
    for (int k = static_cast<int>(FileKind::SlurmTopologyConf); k <= static_cast<int>(FileKind::ClusterText);
         ++k)
      QVERIFY2(kinds.count(static_cast<FileKind>(k)), nameOf(static_cast<FileKind>(k)));
  }
  void hostsOfTwoKindsSolve() {
    verifySolves({sample("mixed.topology.conf"), sample("a100-host.nccl.xml", "a[0-3]"),
                  sample("h100-host.nccl.xml", "h[0-3]"), model()});
  }
};
NEST_TEST(TestTopologySamples)
#include "test_topology_samples.moc"
