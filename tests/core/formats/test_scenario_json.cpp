#include <QtTest/QTest>

#include "cluster/devices/device_catalog.h"
#include "cluster/levels/cluster_source.h"
#include "formats/networks/cluster_text.h"
#include "formats/scenario/scenario_json.h"
#include "scenario/check.h"
#include "support/test_main.h"
#include "units/measure.h"

using namespace nest;

namespace {

const char* kConfig =
    R"({"model_type": "llama", "hidden_size": 512, "intermediate_size": 1376, "num_hidden_layers": 6,
  "num_attention_heads": 8, "vocab_size": 32000, "max_position_embeddings": 2048})";

Reading<std::string> load(const std::string& path) {
  if (path == "models/tiny.json") return {std::string(kConfig), {}};
  return {std::nullopt, {error("no-file", {}, "there is no file " + path)}};
}

Reading<Scenario> readText(const std::string& text) {
  return readScenario(text, "x.nest.json", load);
}

std::string minimal(const std::string& cluster =
                        R"("device": "h100-sxm", "network": "host:8@450GB/s,1us rack:4@400Gb/s,2us")",
                    const std::string& rest = "") {
  return R"({"version": 1, "cluster": {)" + cluster +
         R"(}, "model": {"path": "models/tiny.json"}, "job": {"global_batch": 64, "sequence_length": 2048})" +
         rest + "}";
}

std::string codes(const Diagnostics& all) {
  std::string out;
  for (const Diagnostic& d : all) out += (out.empty() ? "" : " ") + d.code;
  return out;
}

Scenario everything() {
  Scenario s;
  s.name = "All \"fields\" – ünïcode";
  s.description = "line\nbreak";
  s.cluster.device = *findDevice("h100-sxm");
  s.cluster.device.memory = {Bytes(141e9), Origin::Typed, ""};
  LevelsSource levels = *readClusterText("host:8+7@450GB/s,1us rack:2@400Gb/s,2us,1.5:1 !3*0.5,40GiB").value;
  levels.hostNames = {"gpu07", "gpu11"};
  levels.levels[1].origin = Origin::Estimated;
  s.cluster.network = levels;
  TransformerArchitecture a;
  a.family = "deepseek_v3";
  a.hidden = 7168, a.intermediate = 18432, a.layers = 61, a.heads = 128, a.keyValueHeads = 128,
  a.headDim = 56, a.vocabulary = 129280;
  a.latent = LatentAttention{1536, 512, 128, 64, 128};
  a.experts = ExpertLayers{256, 8, 2048, 2048, 3, 1, {7, 9}, true};
  s.model.architecture = a;
  s.model.calibration = 1.0625;
  s.job = {512, 0.05, 4096, {1, 2, 8}, {"custom", 2, 2, 8}, NumberFormat::Fp8, 1.5e12};
  s.search.preset = SearchPreset::Free;
  s.search.objective = Objective::Nest;
  s.search.strategyPerStage = s.search.padLastMicrobatch = s.search.contextParallel = true;
  s.search.zeroStages = {0, 1};
  s.search.recompute = {true, false, true};
  s.search.chunksPerStage = {1, 2, 4};
  s.search.sequenceParallel = s.search.expertParallel = false;
  s.search.topPlans = 3, s.search.deadlineSeconds = 2.5, s.search.threads = 2;
  s.constraints.tensor = {8, 8};
  s.constraints.stages = {2, std::nullopt};
  s.constraints.zero = {std::nullopt, 1};
  s.constraints.requiredCuts = {LayerIndex(4)};
  s.constraints.forbiddenCuts = {LayerIndex(5), LayerIndex(6)};
  s.constraints.layerPins = {{LayerIndex(17), StageIndex(2)}};
  s.constraints.stagePins = {{StageIndex(0), Recompute::Full, Strategy{8, true, 1, 1}},
                             {StageIndex(1), std::nullopt, std::nullopt}};
  s.constraints.excludedDevices = {3, 14};
  s.constraints.megatronExpressible = true;
  s.assumptions.overlap = {0.1, 0.2, 0.3, 0.4, 0.5};
  s.assumptions.syncOverlap = 0.6, s.assumptions.linkEfficiency = 0.8;
  s.assumptions.reserve = Bytes(1e9);
  return s;
}

}  // namespace

class TestScenarioJson : public QObject {
  Q_OBJECT
private slots:
  /// What is expected is what the field takes, not what a machine's word holds.
  void whatIsExpectedIsTheFieldsOwn() {
    const auto said = [](const std::string& value) {
      const auto r =
          readText(R"({"version": 1, "cluster": {"device": "h100-sxm", "network": "host:8@450GB/s,1us"},
        "model": {"path": "models/tiny.json"}, "job": {"global_batch": )" +
                   value + R"(, "sequence_length": 2048}})");
      std::string out;
      Diagnostics all = r.diagnostics;
      if (r)
        for (const Diagnostic& d : checkSetting(*r)) all.push_back(d);
      for (const Diagnostic& d : all)
        if (d.severity == Severity::Error) out += d.message;
      return out;
    };
    QCOMPARE(said("1e12"), std::string("Global batch must be from 1 to 16,777,216 sequences"));
    QCOMPARE(said("-1e12"), std::string("Global batch must be from 1 to 16,777,216 sequences"));
    QCOMPARE(said("\"4k\""), std::string("\"global_batch\" must be a whole number, not a string"));
    QCOMPARE(said("2.5"), std::string("\"global_batch\" is 2.5; expected: a whole number"));
    QCOMPARE(text::limit(Measure::Share, 1e-6), std::string("0.0001 %"));
    QCOMPARE(text::limit(Measure::Share, 1), std::string("100 %"));
  }
  void everyFieldSurvives() {
    const Scenario s = everything();
    const std::string text = writeScenario(s);
    const auto again = readText(text);
    QVERIFY2(again.value.has_value(), again.diagnostics.empty() ? "" : toText(again.diagnostics[0]).c_str());
    QCOMPARE(codes(again.diagnostics), std::string());
    QVERIFY(*again == s);
    QCOMPARE(writeScenario(*again), text);
  }
  void whatWasKeptSurvives() {
    Scenario s = everything();
    Setting other = s.setting();
    other.job.globalBatch = 1024;
    Plan plan;
    plan.microbatch = 2, plan.dataInner = 2, plan.dataOuter = 3, plan.blockStride = 8, plan.zero = 1;
    plan.stages = {{{{LayerIndex(0), LayerIndex(1)}}, Strategy{2, true, 1, 1}, Recompute::Full},
                   {{{LayerIndex(2)}}, Strategy{1, false, 2, 1}, Recompute::None}};
    s.keptPlans = {{"as it is", std::make_shared<Setting>(s.setting()), std::make_shared<Plan>(plan)},
                   {"twice \"the\" batch", std::make_shared<Setting>(other), std::make_shared<Plan>(plan)}};
    SavedSlide first{"Ünder the roof", "stages", {{"scale", 1}, {"zoom", 2.5}}, std::nullopt};
    SavedSlide second{"", "topology", {}, SavedSlide::Item{"group", 3, -1, -1}, "One line\nanother"};
    second.playHead = SavedSlide::PlayHead{0.25, {{0, 0, 3}, {1, 6, -1}}, "gpipe", 0.5, "stage1/tensor/class1/1"};
    s.slides = {first, second};
    // Every outcome that a slide may show.
    const auto setting = std::make_shared<Setting>(other);
    SavedOutcome outcome;
    outcome.status = OutcomeStatus::Infeasible;
    outcome.nearestMiss = SavedOutcome::Miss{plan, 1, Bytes(37.6e9), {"141 GiB devices", "ZeRO 3"}};
    SavedSlide third{"Does not fit", "memory", {}, std::nullopt};
    third.shown = std::make_shared<SavedState>(SavedState{setting, std::nullopt, false, false, outcome});
    outcome = {};
    outcome.status = OutcomeStatus::Stopped, outcome.stopCause = StopCause::Deadline;
    outcome.elapsed = Seconds(0.125),
    outcome.diagnostics = {warning("a-code", {}, "no room", "more"), note("another", {}, "by the way")};
    SavedSlide fourth{"Stopped", "cuts", {}, std::nullopt};
    fourth.shown = std::make_shared<SavedState>(SavedState{setting, std::nullopt, false, true, outcome});
    outcome = {};
    outcome.best = plan, outcome.front = {plan, plan}, outcome.frontReach = FrontReach::Complete;
    SavedSlide fifth{"By hand", "search", {}, std::nullopt};
    const auto own = std::make_shared<Setting>(s.setting());
    fifth.shown = std::make_shared<SavedState>(SavedState{own, plan, true, false, outcome});
    fifth.beside = {{"Manual", "a note", nullptr, plan}, {"Kept", "", setting, plan}};
    fifth.table = SavedTable{{{"Plan", false}, {"Time", true}}, {{"a", "1 s"}, {"b", "2 s"}}, 7};
    SavedSlide grid{"Grid", "study", {}, std::nullopt}, curve{"Curve", "study", {}, std::nullopt};
    grid.study = StudyRecord{"Throughput, samples/s",
                             "devices",
                             {{8, "8", false}, {16, "16", true}},
                             "global batch",
                             {{64, "64", true}, {128, "128", false}},
                             {"GPipe", "by hand"},
                             {{12.5, "12.5 samples/s", "4 stages", "", {11, 0}, "", true},
                              {20, "20 samples/s", "2 stages", "fewer stages", {0, 3.5}, "", true},
                              {0, "", "", "", {0, 0}, "does not fit", false}}};
    curve.study = grid.study;
    curve.study->upName.clear(), curve.study->up.clear();
    curve.study->results.resize(1);
    curve.study->heldBatch = 512, curve.study->cancelled = true;
    s.slides.insert(s.slides.end(), {third, fourth, fifth, grid, curve});
    const std::string text = writeScenario(s);
    const auto back = readText(text);
    QVERIFY2(back, back.diagnostics.empty() ? "" : toText(back.diagnostics.front()).c_str());
    QVERIFY(back.diagnostics.empty());
    QVERIFY(*back == s);
    QCOMPARE(writeScenario(*back), text);
    QVERIFY(back->slides[2].shown->setting == back->slides[3].shown->setting);  // held and written once
    QVERIFY(text.find("\"setting_of\": 3") != std::string::npos);
    // A part that is the scenario's own is not written twice.
    QCOMPARE(text.find("\"global_batch\": 1024") == std::string::npos, false);
    QCOMPARE(text.find("\"cluster\""), text.rfind("\"cluster\""));
  }

  void whatNobodyStatedIsKept() {
    const auto r = readText(minimal(R"("device": "h100-sxm", "network": "host:8@450GB/s,1us")", R"(,
 "unstated": {"assumed": ["/cluster/devices", "/cluster/device", "/job/global_batch", "/job/nothing"],
              "kept": ["/model", "/model"]})"));
    QVERIFY(r);
    QCOMPARE(r->unstated.size(), std::size_t(4));
    QVERIFY((r->unstated[3] == UnstatedValue{"/model", true}));
    QStringList places;
    for (const Diagnostic& d : r.diagnostics) places += QString::fromStdString(d.where.pointer);
    QCOMPARE(places, QStringList({"/unstated/assumed/3", "/unstated/kept/1"}));
    const auto again = readText(writeScenario(*r));
    QVERIFY(again && *again == *r && again.diagnostics.empty());
    Scenario edited = *r;
    edited.job.globalBatch *= 2;
    dropStated(edited, *r);
    const auto told = noteUnstated(edited, false);
    QVERIFY(told);
    QCOMPARE(told->message, "assumed: 8 H100 80 GB SXM");
    QCOMPARE(told->remedy, "set the cluster");
    std::get<LevelsSource>(edited.cluster.network).levels[0].fanout = 4;
    dropStated(edited, *r);
    QCOMPARE(noteUnstated(edited, false)->message, "assumed: H100 80 GB SXM");
    QVERIFY(noteUnstated(edited, true));
  }

  /// Slides of earlier versions name kept plans; they are independent of them from then on.
  void slidesOfEarlierVersionsAreRead() {
    const auto r = readText(minimal(R"("device": "h100-sxm", "network": "host:8@450GB/s,1us")", R"(,
 "kept_plans": [{"name": "a", "plan": {"microbatch": 1, "stages": [{"layers": [0]}]},
                 "setting": {"job": {"global_batch": 64, "sequence_length": 128}}}],
 "moments": [{"caption": "Old", "view": "compare", "plan": "a", "state": {"first": "This plan"},
              "beside": [{"name": "b", "kept": "a"},
                         {"name": "c", "plan": {"microbatch": 2, "stages": [{"layers": [0]}]}}]},
             {"view": "stages"}])"));
    QVERIFY2(r, r.diagnostics.empty() ? "" : r.diagnostics.front().message.c_str());
    const SavedSlide& old = r->slides.at(0);
    QVERIFY(old.shown && old.shown->plan == *r->keptPlans.at(0).plan);
    QVERIFY(old.shown->setting == r->keptPlans.at(0).setting);
    QCOMPARE(old.shown->setting->job.globalBatch, 64);
    QVERIFY(old.beside.at(0).setting == r->keptPlans.at(0).setting);
    QVERIFY(!old.beside.at(1).setting);
    QCOMPARE(old.beside.at(1).plan.microbatch, 2);
    QVERIFY(!r->slides.at(1).shown);  // whatever the scenario's own plan is
    const auto again = readText(writeScenario(*r));
    QVERIFY(again && *again == *r && again.diagnostics.empty());
  }

  void mistakesInSlidesAreAllTold() {
    const auto r = readText(minimal(R"("device": "h100-sxm", "network": "host:8@450GB/s,1us")", R"(,
 "moments": [{"view": "stages", "shown": {"setting_of": 1}},
             {"view": "stages", "shown": {"by_hand": true, "outcome": {"status": "lost"}}},
             {"view": "search", "table": {"columns": [{"name": "a"}], "rows": [["1", "2"]]}},
             {"view": "timeline", "play_head": {"running": [{"task": "sleep"}]}}])"));
    QVERIFY(!r);
    QStringList places;
    for (const Diagnostic& d : r.diagnostics)
      if (d.severity == Severity::Error) places += QString::fromStdString(d.where.pointer);
    for (const char* wanted :
         {"/moments/0/shown/setting_of", "/moments/1/shown/by_hand", "/moments/1/shown/outcome/status",
          "/moments/2/table/rows", "/moments/3/play_head/seconds", "/moments/3/play_head/running/0/task"})
      QVERIFY2(
          places.contains(QLatin1String(wanted)),
          qPrintable(QLatin1String(wanted) + QStringLiteral(" not in ") + places.join(QLatin1Char(' '))));
  }

  void mistakesInWhatWasKeptAreAllTold() {
    const auto r = readText(minimal(R"("device": "h100-sxm", "network": "host:8@450GB/s,1us")", R"(,
 "kept_plans": [
  {"name": "a", "plan": {"microbatch": 0, "stages": []}},
  {"name": "a", "plan": {"microbatch": 1, "stages": [{"layers": [0]}]}, "setting": {"job": {"global_batch": "x"}}},
  {"plan": {"microbatch": 1, "stages": [{"layers": [0]}]}}],
 "moments": [{"view": "stages", "plan": "b", "state": {"zoom": [1]}, "selected": {"kind": "planet"}}])"));
    QVERIFY(!r);
    QStringList places;
    for (const Diagnostic& d : r.diagnostics)
      if (d.severity == Severity::Error) places += QString::fromStdString(d.where.pointer);
    for (const char* wanted :
         {"/kept_plans/0/plan/microbatch", "/kept_plans/0/plan/stages", "/kept_plans/1/name",
          "/kept_plans/1/setting/job/global_batch", "/kept_plans/2/name", "/moments/0/plan",
          "/moments/0/state/zoom", "/moments/0/selected/kind"})
      QVERIFY2(
          places.contains(QLatin1String(wanted)),
          qPrintable(QLatin1String(wanted) + QStringLiteral(" not in ") + places.join(QLatin1Char(' '))));
    for (const Diagnostic& d : r.diagnostics) QVERIFY(d.where.line > 0);
  }

  void graphsSurvive() {
    Scenario s = everything();
    GraphSource g;
    g.graph.nodes = {{"d0", "GPU 0", NodeKind::Device, "h0", 1.5, -2, 0.5, Bytes(40e9), false},
                     {"d1", "d1", NodeKind::Device, "", 0, 0, 1, Bytes(0), true},
                     {"s/0~", "switch", NodeKind::Switch, "", 0, 0, 1, Bytes(0), false}};
    g.graph.links = {{0, 2, BytesPerSecond(450e9), Seconds(1e-6), 2, true, false, Origin::Measured},
                     {1, 2, BytesPerSecond(1e9), Seconds(0)}};
    g.cuts = {1e10, 1e11};
    g.importedFrom = "topology.conf";
    s.cluster.network = g;
    const std::string text = writeScenario(s);
    const auto again = readText(text);
    QVERIFY2(again.value.has_value(), again.diagnostics.empty() ? "" : toText(again.diagnostics[0]).c_str());
    QVERIFY(*again == s);
    QCOMPARE(writeScenario(*again), text);
  }
  void measuredProfilesSurvive() {
    const std::string profile = R"({"format": "nest-profile", "version": 1, "sequence_length": 2048,
      "layers": [{"name": "embedding", "kind": "embedding", "class": "e"}, {"name": "block", "kind": "block", "class": "b", "repeat": 3}],
      "costs": [{"class": "e", "microbatch": 1, "forward_s": 0.001, "backward_s": 0.002, "parameters": 1e6, "stash_bytes": 1e6, "output_bytes": 1e6},
                {"class": "b", "microbatch": 1, "forward_s": 0.003, "backward_s": 0.005, "parameters": 2e6, "stash_bytes": 1e6, "output_bytes": 1e6}]})";
    const auto asFile = [&](const std::string&) { return Reading<std::string>{profile, {}}; };
    std::string text = minimal();
    const auto byPath = readScenario(text, "x.nest.json", asFile);
    QVERIFY2(byPath.value.has_value(),
             byPath.diagnostics.empty() ? "" : toText(byPath.diagnostics[0]).c_str());
    QCOMPARE(byPath->model.graph->layerCount(), 4);
    QVERIFY(!byPath->model.architecture);
    Scenario inlined = *byPath;
    inlined.model.reference.clear();
    const std::string written = writeScenario(inlined);
    const auto again = readText(written);
    QVERIFY2(again.value.has_value(), again.diagnostics.empty() ? "" : toText(again.diagnostics[0]).c_str());
    QVERIFY(*again == inlined);
    QCOMPARE(writeScenario(*again), written);
    const auto problem = buildProblem(inlined);
    QVERIFY2(problem.value.has_value(),
             problem.diagnostics.empty() ? "" : toText(problem.diagnostics[0]).c_str());
    QCOMPARE(problem->profile->cost(1, 0, 0)->forward.value(), 0.003);
    inlined.model.calibration = 2;
    QCOMPARE(buildProblem(inlined)->profile->cost(1, 0, 0)->forward.value(), 0.006);
    inlined.job.microbatches = {4};
    QCOMPARE(codes(buildProblem(inlined).diagnostics).find("microbatch-not-measured") != std::string::npos,
             true);
  }
  void shortFormsAreNormalisedOnce() {
    const auto r = readText(minimal());
    QVERIFY2(r.value.has_value(), r.diagnostics.empty() ? "" : toText(r.diagnostics[0]).c_str());
    QCOMPARE(codes(r.diagnostics).find("unknown"), std::string::npos);
    const auto& levels = std::get<LevelsSource>(r->cluster.network);
    QCOMPARE(levels.levels[1].bandwidth.value(), 50e9);
    QVERIFY(levels.levels[1].shownAs == text::BandwidthUnit::GigabitsPerSecond);
    QCOMPARE(r->model.reference, std::string("models/tiny.json"));
    QCOMPARE(r->model.architecture->layers, 6);
    const std::string once = writeScenario(*r);
    const auto again = readText(once);
    QVERIFY(again);
    QVERIFY(*again == *r);
    QCOMPARE(writeScenario(*again), once);
  }
  void figuresMayBeTexts() {
    const auto r = readText(minimal(
        R"("device": {"id": "h100-sxm", "memory_bytes": 1e11}, "levels": [{"fanout": 8, "bandwidth": "3.6 Tb/s", "latency_s": "1.5 us"}])",
        R"(, "assumptions": {"reserve": "3 GiB"})"));
    QVERIFY2(r.value.has_value(), r.diagnostics.empty() ? "" : toText(r.diagnostics[0]).c_str());
    const auto& level = std::get<LevelsSource>(r->cluster.network).levels[0];
    QCOMPARE(level.bandwidth.value(), 450e9);
    QVERIFY(level.shownAs == text::BandwidthUnit::GigabitsPerSecond);
    QCOMPARE(level.latency.value(), 1.5e-6);
    QCOMPARE(r->cluster.device.memory.value.value(), 1e11);
    QCOMPARE(r->assumptions.reserve.value(), 3221225472.0);
  }
  // Files that say neither mean bandwidths as typed and nothing hidden; they are written as they were.
  void linkEfficiencyAndSyncOverlapAreOptional() {
    const char* cluster = R"("device": "h100-sxm", "network": "host:8@450GB/s,1us")";
    const auto silent = readText(minimal(cluster));
    QVERIFY(silent);
    QCOMPARE(silent->assumptions.linkEfficiency, 1.0);
    QCOMPARE(silent->assumptions.syncOverlap, 0.0);
    const std::string text = writeScenario(*silent);
    QVERIFY(text.find("link_efficiency\": 1") == std::string::npos &&
            text.find("sync\"") == std::string::npos);
    const auto said =
        readText(minimal(cluster, R"(, "assumptions": {"link_efficiency": 0.8, "overlap": {"sync": 0.5}})"));
    QVERIFY(said);
    QCOMPARE(said->assumptions.linkEfficiency, 0.8);
    QCOMPARE(said->assumptions.syncOverlap, 0.5);
    QVERIFY(writeScenario(*said).find("\"link_efficiency\": 0.8") != std::string::npos);
    const auto wrong =
        readText(minimal(cluster, R"(, "assumptions": {"link_efficiency": 0, "overlap": {"sync": 2}})"));
    QStringList wrongPlaces;
    for (const Diagnostic& d : buildProblem(*wrong).diagnostics)
      if (d.code == "out-of-range") wrongPlaces += QString::fromStdString(d.where.pointer);
    QCOMPARE(wrongPlaces, QStringList({QStringLiteral("/assumptions/overlap/sync"),
                                       QStringLiteral("/assumptions/link_efficiency")}));
  }
  void aDeviceNeedsNoLinksWhereTheNetworkSaysThem() {
    const std::string device = R"("device": {"peak_flops_per_s": 1e14, "memory_bytes": 8e10,
      "memory_bandwidth_bytes_per_s": 1e12}, )";
    const auto levels = readText(minimal((device + R"("network": "host:8@450GB/s")").c_str()));
    QVERIFY2(levels, levels.diagnostics.empty() ? "" : toText(levels.diagnostics[0]).c_str());
    QCOMPARE(writeScenario(*readText(writeScenario(*levels))), writeScenario(*levels));
    const auto boxed = readText(minimal((device + R"("graph": {"nodes": [{"id": "h", "kind": "host"},
      {"id": "a", "kind": "device", "host": "h"}, {"id": "b", "kind": "device", "host": "h"}], "links": []})")
                                            .c_str()));
    QVERIFY2(boxed, boxed.diagnostics.empty() ? "" : toText(boxed.diagnostics[0]).c_str());
    const auto derived = deriveHierarchy(boxed->cluster);
    QVERIFY(!derived);
    QCOMPARE(derived.diagnostics[0].where.pointer, std::string("/cluster/device/link_bandwidth_bytes_per_s"));
  }
  void unknownKeysAreWarnings() {
    const auto r = readText(
        minimal(R"("device": "h100-sxm", "network": "host:8@450GB/s,1us", "colour": 1)", R"(, "jop": {})"));
    QVERIFY(r);
    QCOMPARE(codes(r.diagnostics), std::string("json-unknown-key json-unknown-key"));
    QCOMPARE(r.diagnostics[0].where.pointer, std::string("/cluster/colour"));
  }
  /// Under its other names a field is found, and what there is is named.
  void unknownKeysAreAdvisedOn() {
    const auto r =
        readText(minimal(R"("device": "h100-sxm", "network": "host:8@450GB/s,1us")",
                         R"(, "constraints": {"pipeline": 4, "tensor_parallel": 2, "colour": 1})"));
    QVERIFY(r);
    QMap<QString, QString> advice;
    for (const Diagnostic& d : r.diagnostics)
      if (d.code == "json-unknown-key")
        advice[QString::fromStdString(d.where.pointer)] = QString::fromStdString(d.remedy);
    QCOMPARE(advice.size(), 3);
    QVERIFY(advice[QStringLiteral("/constraints/pipeline")].startsWith(
        QStringLiteral("did you mean \"stages\"? Known here: tensor, context, ")));
    QVERIFY(advice[QStringLiteral("/constraints/tensor_parallel")].startsWith(
        QStringLiteral("did you mean \"tensor\"?")));
    const QString last = advice[QStringLiteral("/constraints/colour")];
    QVERIFY2(last.startsWith(QStringLiteral("known here: tensor, context, ")) &&
                 last.contains(QStringLiteral("layer_pins")),
             qPrintable(last));
  }
  void allErrorsComeAtOnceWithTheirPlaces() {
    const auto r = readText(R"({
  "version": 1,
  "cluster": {
    "device": "h1000",
    "levels": [
      {"fanout": 0, "bandwidth_bytes_per_s": "fast", "latency_s": -1},
      {"fanout": 4, "bandwidth_bytes_per_s": 5e10}
    ]
  },
  "model": {"path": "models/missing.json"},
  "job": {"global_batch": -5, "sequence_length": "long", "microbatches": [1, 0.5]},
  "search": {"zero_stages": [4]}
})");
    QVERIFY(!r);
    const auto at = [&](const std::string& pointer) {
      for (const Diagnostic& d : r.diagnostics)
        if (d.where.pointer == pointer && d.severity == Severity::Error) return d.where.line;
      return 0;
    };
    QCOMPARE(at("/cluster/device"), 4);
    QCOMPARE(at("/cluster/levels/0/bandwidth_bytes_per_s"), 6);
    QCOMPARE(at("/cluster/levels/0/fanout"), 6);
    QCOMPARE(at("/cluster/levels/0/latency_s"), 6);
    QCOMPARE(at("/model/path"), 10);
    QCOMPARE(at("/job/global_batch"), 11);
    QCOMPARE(at("/job/sequence_length"), 11);
    QCOMPARE(at("/job/microbatches/1"), 11);
    QCOMPARE(at("/search/zero_stages/0"), 12);
  }
  // What is wrong with levels that are one line of text is said of that line.
  void levelsInOneLineAreJudgedThere() {
    const auto errors = [](const std::string& line) {
      const std::string text = minimal("\"device\": \"h100-sxm\", \"network\": \"" + line + "\"");
      auto r = readText(text);
      if (r) r.diagnostics = locatedIn(text, "x.nest.json", deriveHierarchy(r->cluster, {}).diagnostics);
      std::erase_if(r.diagnostics, [](const Diagnostic& d) { return d.severity != Severity::Error; });
      return std::pair(r.diagnostics, static_cast<int>(text.find("\"host:")) + 1);
    };
    const auto [form, column] = errors("host:8@fast,1us");
    QCOMPARE(codes(form), std::string("bandwidth-form"));
    const auto [many, begin] = errors("host:1048576@1GB/s,1us rack:2@1GB/s,1us");
    QCOMPARE(codes(many), std::string("too-many-devices"));
    QCOMPARE(many[0].where.column, begin);
    QCOMPARE(many[0].where.pointer, std::string("/cluster/network"));
  }
  void whateverTheNumberItsRangeIsSaid() {
    const auto r = readText(minimal(R"("device": "h100-sxm", "network": "host:8@450GB/s,1us")",
                                    R"(, "assumptions": {"headroom": 1e308})"));
    const Diagnostics found = r ? checkSetting(*r) : r.diagnostics;
    QCOMPARE(codes(found), std::string("out-of-range"));
  }
  /// A mistake in a drawn network stands where the file has it, and is told once.
  void drawnNetworksAreLocated() {
    const std::string text =
        minimal(R"("device": "h100-sxm", "graph": {"nodes": [{"id": "a", "kind": "device"},
                   {"id": "b", "kind": "device", "speed": 3}],
                   "links": [{"from": "a", "to": "b", "bandwidth_bytes_per_s": 1e9}]})");
    const auto r = readText(text);
    QVERIFY(r);
    const auto placed = locatedIn(text, "x.nest.json",
                                  deriveHierarchy(r->cluster, r->constraints.excludedDevices).diagnostics);
    QCOMPARE(codes(placed), std::string("device-factor"));
    QCOMPARE(placed[0].where.pointer, std::string("/cluster/graph/nodes/1"));
    QCOMPARE(placed[0].where.line, 2);
  }
  void impossibleWishesStillOpen() {
    const auto r = readText(minimal(R"("device": "h100-sxm", "network": "host:8@450GB/s,1us")",
                                    R"(, "constraints": {"tensor": {"least": 8, "most": 2}})"));
    QVERIFY(r);
    const Diagnostics found = checkSetting(*r);
    QCOMPARE(found.size(), std::size_t(1));
    const auto placed = locatedIn(minimal(R"("device": "h100-sxm", "network": "host:8@450GB/s,1us")",
                                          R"(, "constraints": {"tensor": {"least": 8, "most": 2}})"),
                                  "x.nest.json", found);
    QCOMPARE(placed[0].code, std::string("bound-empty"));
    QCOMPARE(placed[0].where.line, 1);
    QVERIFY(placed[0].where.column > 100);
  }
  void brokenFilesAreRefused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("code");
    QTest::newRow("empty") << ""
                           << "";
    QTest::newRow("array") << "[]"
                           << "not-a-scenario";
    QTest::newRow("string") << "\"x\""
                            << "not-a-scenario";
    QTest::newRow("other format") << R"({"format": "nest-plan"})"
                                  << "not-a-scenario";
    QTest::newRow("newer") << R"({"version": 99})"
                           << "version-too-new";
    QTest::newRow("nothing in it") << "{}"
                                   << "json-missing";
    QTest::newRow("cut off") << QString::fromStdString(minimal().substr(0, 60)) << "";
    QTest::newRow("not a number") << QString::fromStdString(minimal()).replace("64", "NaN") << "";
    QTest::newRow("overflow") << QString::fromStdString(minimal()).replace("64", "1e999") << "";
    QTest::newRow("wrong types") << R"({"version":"1","cluster":[],"model":7,"job":null})"
                                 << "json-type";
    QTest::newRow("two networks") << QString::fromStdString(minimal(
                                         R"("device": "h100-sxm", "network": "a:8@1GB/s", "levels": [])"))
                                  << "cluster-form";
    QTest::newRow("link to nowhere")
        << QString::fromStdString(minimal(
               R"("device": "h100-sxm", "graph": {"nodes": [{"id": "a", "kind": "device"}], "links": [{"from": "a", "to": "b", "bandwidth_bytes_per_s": 1}]})"))
        << "node-unknown";
    QTest::newRow("bad line") << QString::fromStdString(
                                     minimal(R"("device": "h100-sxm", "network": "host:8")"))
                              << "level-form";
    QTest::newRow("deep") << QString(100000, '[') << "";
  }
  void brokenFilesAreRefused() {
    QFETCH(QString, text);
    QFETCH(QString, code);
    const auto r = readText(text.toStdString());
    QVERIFY(!r);
    QVERIFY(hasErrors(r.diagnostics));
    if (!code.isEmpty())
      QVERIFY2(codes(r.diagnostics).find(code.toStdString()) != std::string::npos,
               codes(r.diagnostics).c_str());
  }
};
NEST_TEST(TestScenarioJson)
#include "test_scenario_json.moc"
