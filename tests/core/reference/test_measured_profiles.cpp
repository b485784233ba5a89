#include <QtTest/QTest>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "formats/profiles/nest_artifact.h"
#include "formats/profiles/piper.h"
#include "lab/piper_study.h"
#include "scenario/scenario.h"
#include "solver/solve.h"
#include "support/test_main.h"

using namespace nest;

/// The reference's measured profiles, imported and planned for by our own cost model.
class TestMeasuredProfiles : public QObject {
  Q_OBJECT
private slots:
  void artifactInputsSolve_data() {
    QTest::addColumn<QString>("path");
    const std::string folder = test::referencePath("nest/inputs");
    if (folder.empty()) QSKIP("shared/reference/nest is absent");
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".json") paths.push_back(entry.path().string());
    std::sort(paths.begin(), paths.end());
    for (const auto& row : nlohmann::json::parse(test::readFile(test::referencePath("nest/results.json"))))
      if (row.contains("exact_optimum") && !row["exact_optimum"].is_null())
        m_fits.insert(row["setup"].get<std::string>() + "/" + row["model"].get<std::string>() + "_mbs" +
                      std::to_string(row["mbs"].get<int>()) + ".json");
    QVERIFY(paths.size() > 15);
    for (const std::string& p : paths)
      QTest::newRow(p.substr(folder.size() + 1).c_str()) << QString::fromStdString(p);
  }
  void artifactInputsSolve() {
    QFETCH(QString, path);
    const std::string text = test::readFile(path.toStdString());
    int solved = 0;
    for (const int devices : {64, 1024}) {
      auto imported = readNestArtifact(text, path.toStdString(), devices);
      QVERIFY2(imported.value.has_value(),
               imported.diagnostics.empty() ? "" : toText(imported.diagnostics.front()).c_str());
      QVERIFY(imported->cluster && imported->job);
      Scenario s;
      s.cluster = *imported->cluster;
      s.job = *imported->job;
      s.model.graph = std::make_shared<const LayerGraph>(imported->graph);
      s.model.profile = std::make_shared<const Profile>(imported->profile);
      s.search.topPlans = 1;
      const auto problem = buildProblem(s);
      QVERIFY2(problem.value.has_value(),
               problem.diagnostics.empty() ? "" : toText(problem.diagnostics.front()).c_str());
      QCOMPARE(problem->cluster->deviceCount(), devices);
      const Outcome o = solve(*problem);
      QVERIFY2(o.status == OutcomeStatus::Optimal || o.status == OutcomeStatus::Infeasible, nameOf(o.status));
      if (!o.best()) continue;
      ++solved;
      const Evaluation again = evaluate(*problem, o.best()->plan);
      QVERIFY(again.feasible());
      QCOMPARE(again.batchTime.value(), o.best()->evaluation.batchTime.value());
    }
    // Where the artifact's own model lets something fit, ours does as well.
    if (m_fits.count(path.section('/', -2).toStdString())) QVERIFY(solved > 0);
    m_solved += solved;
  }

  void cleanupTestCase() {
    if (m_solved > 0)
      qInfo("%d of the artifact's inputs at 64 and 1,024 devices have a plan that fits", m_solved);
  }

  void piperPlans() {
    const std::string file = test::referencePath("piper/bert32a100.json");
    if (file.empty()) QSKIP("shared/reference/piper is absent");
    const auto imported = readPiper(test::readFile(file), file);
    QVERIFY(imported);
    QCOMPARE(imported->graph.layerCount(), 37);
    QCOMPARE(imported->profile.strategies().size(), std::size_t(4));
    const auto optima =
        readPeerOptima(test::readFile(test::referencePath("piper/optima.json")), "optima.json");
    QVERIFY(optima);
    PeerSetting setting;
    setting.graph = std::make_shared<const LayerGraph>(imported->graph);
    setting.profile = std::make_shared<const Profile>(imported->profile);
    setting.optimizer = imported->job->optimizer;
    PeerStudyOptions options;
    options.strategyPerStage = false;
    options.secondsPerVariant = 0;
    const auto rows = peerStudy(setting, *optima, options);
    QCOMPARE(rows.size(), optima->size());
    for (const PeerRow& r : rows) {
      for (const PeerVariant& v : r.variants)
        QVERIFY(v.status == OutcomeStatus::Optimal || v.status == OutcomeStatus::Infeasible);
      QVERIFY(!r.explanation.empty());
      if (!r.peer.secondsPerSample) continue;
      // With one degree for all stages and its own rule for memory, nothing beats the peer; and it comes
      // within a third.
      const PeerVariant& alike = r.variants[2];
      QVERIFY(alike.plan);
      const double ratio = alike.steadySecondsPerSample / *r.peer.secondsPerSample;
      QVERIFY2(ratio >= 1 - 1e-6 && ratio < 1.34, qPrintable(QString::number(ratio)));
    }
    qInfo("%s", peerTable(rows).c_str());
  }

private:
  std::set<std::string> m_fits;  ///< inputs for which the record has an optimum
  int m_solved = 0;
};
NEST_TEST(TestMeasuredProfiles)
#include "test_measured_profiles.moc"
