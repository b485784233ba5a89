#include <QtTest/QTest>

#include "cluster/devices/device_catalog.h"
#include "formats/models/hf_config.h"
#include "formats/profiles/profile_json.h"
#include "model/overlay.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

TransformerArchitecture sample(const char* name) {
  return *readHuggingFaceConfig(
      test::readFile(std::string(NEST_SOURCE_DIR) + "/samples/models/" + name + ".json"), name);
}

GraphAndProfile analytic(const char* model, std::vector<Strategy> strategies) {
  Job job;
  job.sequenceLength = 2048;
  job.microbatches = {1, 4};
  return analyticProfile(sample(model), *findDevice("h100"), job, strategies);
}

const char* kSmall =
    R"({"format": "nest-profile", "version": 1, "name": "toy", "provenance": "measured on a desk",
  "sequence_length": 512,
  "layers": [{"name": "embedding", "kind": "embedding", "class": "in"}, {"name": "block", "kind": "block", "class": "b", "repeat": 3}],
  "costs": [
    {"class": "in", "forward_s": 0.001, "backward_s": 0.002, "parameters": 100, "output_bytes": 64},
    {"class": "b", "forward_s": 0.01, "backward_s": 0.02, "parameters": 10, "stash_bytes": 7, "output_bytes": 32,
     "recompute": {"full": {"stash_bytes": 1, "extra_backward_s": 0.01}},
     "collectives": [{"kind": "all-reduce", "group": "tensor", "phase": "forward", "bytes": 5, "times": 2}]},
    {"class": "b", "tensor": 2, "sequence": true, "microbatch": 2, "forward_s": 0.006, "backward_s": 0.012}]})";

}  // namespace

class TestProfileJson : public QObject {
  Q_OBJECT
private slots:
  void weightGradientsAreAPartOfBackward() {
    const auto without = readProfileJson(kSmall, "p.json");
    QVERIFY(without);
    const LayerCost* block = without->profile.cost(1, 0, 0);
    QVERIFY(block && !block->weightGradient);
    QCOMPARE(block->weightGradientSeconds(), Seconds(0.01));
    std::string text = kSmall;
    const std::string before = "\"backward_s\": 0.02,";
    text.replace(text.find(before), before.size(), before + " \"weight_gradient_s\": 0.015,");
    const auto with = readProfileJson(text, "p.json");
    QVERIFY(with);
    QCOMPARE(with->profile.cost(1, 0, 0)->weightGradientSeconds(), Seconds(0.015));
    QVERIFY(readProfileJson(writeProfileJson(*with), "q.json")->profile == with->profile);
    text.replace(text.find("0.015"), 5, "0.021");
    const auto more = readProfileJson(text, "p.json");
    QVERIFY(!more);
    QCOMPARE(more.diagnostics.front().code, std::string("profile-weight-gradient"));
  }
  /// Of a block's products backward one half is for weights; the embedding has nothing else, attention's core
  /// nothing of it.
  void analyticProfilesTellWeightGradientsApart() {
    const GraphAndProfile p = analytic("llama-2-7b", {{1, false, 1, 1}});
    const auto share = [&](int layer) {
      const LayerCost& c = *p.profile.cost(p.graph.layers[layer].classId, 0, 0);
      return c.weightGradient.value() / c.backward;
    };
    QCOMPARE(share(0), 1.0);
    QVERIFY(share(1) > 0.3 && share(1) < 0.5);
    QVERIFY(share(p.graph.layerCount() - 1) > 0.3 && share(p.graph.layerCount() - 1) < 0.5);
  }
  /// Written by samples/profiling/measure_layers.py --device cpu for a toy model; its figures stand for no
  /// device.
  void whatTheScriptWritesOpens() {
    const auto p = readProfileJson(
        test::readFile(NEST_TEST_DATA "/profile/measured_on_a_cpu_for_tests_only.json"), "p.json");
    QVERIFY(p);
    QVERIFY(p.diagnostics.empty());
    QCOMPARE(p->graph.layerCount(), 1 + 6 + 1 + 1);
    QCOMPARE(p->profile.strategies().size(), std::size_t(3));
    QCOMPARE(p->profile.microbatches(), (std::vector<int>{1, 2}));
    const LayerCost* block = p->profile.cost(p->graph.layers[1].classId, 1, 1);
    QVERIFY(block);
    QCOMPARE(block->collectives.size(), std::size_t(3));
    const auto& full = block->recompute[std::size_t(Recompute::Full)];
    QVERIFY(full.available && full.stash < block->recompute[0].stash);
    // The halves of two ranks: matrices divided, norms whole.
    const LayerCost* whole = p->profile.cost(p->graph.layers[1].classId, 0, 1);
    QCOMPARE(whole->denseParameters - 2 * 256, 2 * (block->denseParameters - 2 * 256));
    QVERIFY(p->profile.provenance.find("CPU") != std::string::npos);
  }
  void handWrittenTable() {
    const auto p = readProfileJson(kSmall, "p.json");
    QVERIFY(p);
    QVERIFY(p.diagnostics.empty());
    QCOMPARE(p->graph.layerCount(), 4);
    QCOMPARE(p->graph.layers[3].name, std::string("block 3"));
    QVERIFY(p->graph.isChain());
    QCOMPARE(p->profile.microbatches(), (std::vector<int>{1, 2}));
    QCOMPARE(p->profile.strategies().size(), std::size_t(2));
    const LayerCost* block = p->profile.cost(p->graph.layers[1].classId, 0, 0);
    QVERIFY(block);
    QCOMPARE(block->origin, Origin::Measured);
    QVERIFY(!block->recompute[1].available && block->recompute[2].available);
    QCOMPARE(block->collectives.size(), std::size_t(1));
    QCOMPARE(p->profile.tensorBytes(0, 0, 0).value(), 64.0);
    QCOMPARE(p->profile.tensorBytes(1, 0, 0).value(), 32.0);
    QVERIFY(!p->profile.cost(0, 1, 1));
    QCOMPARE(p->job->sequenceLength, 512);
  }
  void writingAndReadingIsAnIdentity() {
    for (const char* model : {"gpt3-175b", "mixtral-8x7b", "bert-large"}) {
      const auto made = analytic(model, {{1}, {8}, {8, true, 2, 4}});
      const ImportedProfile p{model, made.graph, made.profile, {}, {}};
      const std::string text = writeProfileJson(p);
      const auto again = readProfileJson(text, "p.json");
      QVERIFY2(again, again.diagnostics.empty() ? "" : toText(again.diagnostics[0]).c_str());
      QVERIFY(again.diagnostics.empty());
      QVERIFY(again->graph == p.graph);
      QVERIFY(again->profile == p.profile);
      QVERIFY(*again == p);
      QCOMPARE(writeProfileJson(*again), text);
    }
  }
  void measuredGoesOverAnalytic() {
    const auto estimate = analytic("llama-2-7b", {{1}, {2, true}});
    auto few = analytic("llama-2-7b", {{2, true}});
    const int block = few.graph.layers[1].classId;
    for (int c = 0; c < few.graph.classCount; ++c)
      for (int b = 0; b < 2; ++b) {
        LayerCost cost = *few.profile.cost(c, 0, b);
        cost.forward = cost.forward * 3;
        cost.origin = Origin::Measured;
        few.profile.setCost(c, 0, b, cost);
      }
    const auto both = overlayMeasured(estimate, few);
    QVERIFY(both);
    const auto at = [&](int strategy) {
      return both->profile.cost(both->graph.layers[1].classId, strategy, 1);
    };
    QCOMPARE(at(0)->origin, Origin::Estimated);
    QCOMPARE(at(1)->origin, Origin::Measured);
    QCOMPARE(at(1)->forward.value(), few.profile.cost(block, 0, 1)->forward.value());
    QCOMPARE(both->profile.tensorBytes(3, 0, 0), estimate.profile.tensorBytes(3, 0, 0));
    const auto wrong = overlayMeasured(estimate, analytic("llama-3-70b", {{1}}));
    QVERIFY(!wrong);
    QCOMPARE(wrong.diagnostics[0].code, std::string("overlay-layers"));
  }
  void badProfiles_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("code");
    const auto row = [](const char* name, const char* text, const char* code) {
      QTest::newRow(name) << text << code;
    };
    row("array", "[]", "profile-not-object");
    row("empty", "{}", "json-missing");
    row("format", R"({"format":"other","layers":[],"costs":[]})", "json-choice");
    row("no layers", R"({"layers":[],"costs":[]})", "profile-size");
    row("no rows", R"({"layers":[{"class":"a"}],"costs":[]})", "profile-size");
    row("unknown class", R"({"layers":[{"class":"a"}],"costs":[{"class":"b","forward_s":1,"backward_s":1}]})",
        "profile-class");
    row("no cost",
        R"({"layers":[{"class":"a"},{"class":"b"}],"costs":[{"class":"b","forward_s":1,"backward_s":1}]})",
        "profile-class-without-cost");
    row("negative", R"({"layers":[{"class":"a"}],"costs":[{"class":"a","forward_s":-1,"backward_s":1}]})",
        "json-range");
    row("twice", R"({"layers":[{"class":"a"}],"costs":[{"class":"a","forward_s":1,"backward_s":1},
      {"class":"a","forward_s":1,"backward_s":1}]})",
        "profile-row-twice");
    row("backward edge",
        R"({"layers":[{"class":"a"},{"class":"a"}],"costs":[{"class":"a","forward_s":1,"backward_s":1}],
      "edges":[{"from":1,"to":[0]}]})",
        "profile-edge");
    row("edge bytes",
        R"({"layers":[{"class":"a"},{"class":"a"}],"costs":[{"class":"a","forward_s":1,"backward_s":1}],
      "edges":[{"from":0,"to":[1],"bytes":[1]}]})",
        "profile-edge-bytes");
    row("tied",
        R"({"layers":[{"class":"a"}],"costs":[{"class":"a","forward_s":1,"backward_s":1}],"tied":{"first":0}})",
        "profile-tied");
    row("huge repeat",
        R"({"layers":[{"class":"a","repeat":1e9}],"costs":[{"class":"a","forward_s":1,"backward_s":1}]})",
        "json-range");
  }
  void badProfiles() {
    QFETCH(QString, text);
    QFETCH(QString, code);
    const auto p = readProfileJson(text.toStdString(), "p.json");
    QVERIFY(!p);
    QVERIFY(hasErrors(p.diagnostics));
    QCOMPARE(QString::fromStdString(p.diagnostics[0].code), code);
    QVERIFY(p.diagnostics[0].where.line > 0);
  }
};
NEST_TEST(TestProfileJson)
#include "test_profile_json.moc"
