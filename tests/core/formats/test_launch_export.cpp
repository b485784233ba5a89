#include <QtTest/QTest>
#include <nlohmann/json.hpp>

#include "cluster/devices/device_catalog.h"
#include "cluster/graph/graph_edit.h"
#include "formats/launch/launch_export.h"
#include "formats/launch/launch_hosts.h"
#include "formats/scenario/scenario_json.h"
#include "support/test_main.h"

using namespace nest;

namespace {

struct Fixture {
  Scenario scenario;
  Problem problem;
  ReportSource source() const { return {scenario.name, &problem, &*scenario.model.architecture}; }
};

Fixture teaching() {
  const std::string path = std::string(NEST_SOURCE_DIR) + "/samples/teaching-6-layers-2x2.nest.json";
  Fixture f;
  f.scenario = *readScenario(nest::test::readFile(path), path, {}).value;
  f.problem = *buildProblem(f.scenario).value;
  return f;
}

/// Two stages of one device each, two replicas; layers 0–3 and 4–8.
Plan plan(int inner, int outer) {
  Plan p;
  p.dataInner = inner;
  p.dataOuter = outer;
  p.blockStride = 2 * inner;
  p.stages.resize(2);
  for (auto& s : p.stages) s.chunks.resize(1);
  for (int l = 0; l < 9; ++l) p.stages[l < 4 ? 0 : 1].chunks[0].push_back(LayerIndex(l));
  return p;
}

/// The same problem on a cluster changed by `edit`.
template <class Edit>
Fixture teaching(Edit edit) {
  Fixture f = teaching();
  edit(f.scenario);
  f.problem = *buildProblem(f.scenario).value;
  return f;
}

bool has(const Reading<std::string>& r, const std::string& part) {
  return r && r->find(part) != std::string::npos;
}

std::string codes(const Diagnostics& all, Severity severity) {
  std::string out;
  for (const Diagnostic& d : all)
    if (d.severity == severity) out += (out.empty() ? "" : " ") + d.code;
  return out;
}

}  // namespace

class TestLaunchExport : public QObject {
  Q_OBJECT
private slots:
  void megatronGetsEveryDecision() {
    const Fixture f = teaching();
    Plan p = plan(1, 1);
    for (auto& s : p.stages) s.strategy = {2, true, 1, 1}, s.recompute = Recompute::Full;
    p.zero = 1;
    const auto r = writeLaunch(LaunchTarget::Megatron, f.source(), p);
    QVERIFY(r);
    for (const char* part :
         {"--tensor-model-parallel-size 2", "--pipeline-model-parallel-size 2",
          "--pipeline-model-parallel-layout 'Et*3|t*3L'", "--sequence-parallel",
          "--use-distributed-optimizer", "--recompute-granularity full", "--micro-batch-size 1\n",
          "--global-batch-size 16", "--seq-length 2048", "--num-layers 6", "--swiglu"})
      QVERIFY2(r->find(part) != std::string::npos, part);
    QCOMPARE(codes(r.diagnostics, Severity::Warning), std::string());
  }
  void megatronHidesSyncWhereThatWasAssumed() {
    Fixture f = teaching();
    Plan p = plan(2, 1);
    p.zero = 1;
    const auto has = [&](const char* flag) {
      const auto r = writeLaunch(LaunchTarget::Megatron, f.source(), p);
      return r && r->find(flag) != std::string::npos;
    };
    QVERIFY(!has("--overlap-grad-reduce") && !has("--overlap-param-gather"));
    f.problem.assumptions.syncOverlap = 0.8;
    QVERIFY(has("--overlap-grad-reduce") && has("--overlap-param-gather"));
    p.zero = 0;
    QVERIFY(has("--overlap-grad-reduce") && !has("--overlap-param-gather"));
    p = plan(1, 1);  // one replica has nobody to exchange with
    QVERIFY(!has("--overlap-grad-reduce"));
  }
  void megatronGetsWhatTheModelIs() {
    Fixture f = teaching();
    TransformerArchitecture& m = *f.scenario.model.architecture;
    Plan p = plan(1, 1);
    for (auto& s : p.stages) s.strategy = {2, true, 1, 1};
    m.attentionBias = m.queryKeyNorm = true, m.projectionBias = false;
    m.headDim = m.hidden / m.heads * 2;
    m.experts = ExpertLayers{};
    m.experts->firstDense = 2;
    m.experts->sharedIntermediate = 512;
    const auto r = writeLaunch(LaunchTarget::Megatron, f.source(), p);
    QVERIFY(r);
    for (const char* part :
         {"export CUDA_DEVICE_MAX_CONNECTIONS=1\n", "--disable-bias-linear", "--add-qkv-bias",
          "--qk-layernorm", "--kv-channels", "--moe-token-dispatcher-type alltoall",
          "--moe-layer-freq \"[0]*2+[1]*4\"", "--moe-shared-expert-intermediate-size 512"})
      QVERIFY2(r->find(part) != std::string::npos, part);
    for (auto& s : p.stages) s.strategy.sequence = false;
    QCOMPARE(codes(writeLaunch(LaunchTarget::Megatron, f.source(), p).diagnostics, Severity::Error),
             std::string("experts-without-sequence"));
    QCOMPARE(codes(writeLaunch(LaunchTarget::Nanotron, f.source(), p).diagnostics, Severity::Error),
             std::string("experts"));
  }
  void megatronShardsWithItsOwnFormat() {
    const Fixture f = teaching();
    Plan p = plan(2, 1);
    p.stages.resize(1);
    for (int l = 4; l < 9; ++l) p.stages[0].chunks[0].push_back(LayerIndex(l));
    p.stages[0].strategy = {2, true, 1, 1};
    p.zero = 3;
    const auto r = writeLaunch(LaunchTarget::Megatron, f.source(), p);
    QVERIFY(r);
    QVERIFY(r->find("--ckpt-format fsdp_dtensor") != std::string::npos);
    QVERIFY(r->find("CUDA_DEVICE_MAX_CONNECTIONS") == std::string::npos);
  }
  void expertsOfWholeReplicasAreNotForTorchTitan() {
    const Fixture f = teaching();
    Plan p = plan(2, 1);
    for (auto& s : p.stages) s.strategy = {1, false, 1, 2};
    QCOMPARE(codes(writeLaunch(LaunchTarget::TorchTitan, f.source(), p).diagnostics, Severity::Error),
             std::string("experts-unsharded ddp-mesh"));
    p.zero = 2;
    const auto r = writeLaunch(LaunchTarget::TorchTitan, f.source(), p);
    QVERIFY(r);
    QVERIFY(r->find("expert_tensor_parallel_degree = 1\n") != std::string::npos);
  }
  void degreesStandUnderTheirOwnFlags() {
    Fixture f = teaching();
    f.scenario.model.architecture->experts = ExpertLayers{};
    Plan p = plan(4, 1);
    p.stages.resize(1);
    for (int l = 4; l < 9; ++l) p.stages[0].chunks[0].push_back(LayerIndex(l));
    const auto text = [&](LaunchTarget target, const Strategy& s) {
      p.stages[0].strategy = s;
      return writeLaunch(target, f.source(), p).value.value_or("refused");
    };
    const auto has = [](const std::string& all, const char* part) {
      return all.find(part) != std::string::npos;
    };
    const std::string megatron = text(LaunchTarget::Megatron, {2, true, 1, 4});
    QVERIFY(has(megatron, "--tensor-model-parallel-size 2\n"));
    QVERIFY(has(megatron, "--expert-model-parallel-size 4\n"));
    QVERIFY(has(megatron, "--expert-tensor-parallel-size 2\n"));
    QVERIFY(has(megatron, "--sequence-parallel\n"));
    QVERIFY(!has(megatron, "--context-parallel-size"));
    const std::string folded = text(LaunchTarget::Megatron, {2, true, 1, 8, true});
    QVERIFY(has(folded, "--expert-model-parallel-size 8\n"));
    QVERIFY(has(folded, "--expert-tensor-parallel-size 1\n"));
    QCOMPARE(text(LaunchTarget::DeepSpeed, {2, true, 1, 8, true}), std::string("refused"));
    QVERIFY(has(text(LaunchTarget::Megatron, {1, false, 8, 1}), "--context-parallel-size 8\n"));
    QVERIFY(!has(text(LaunchTarget::Megatron, {1, false, 8, 1}), "--sequence-parallel"));
    f.scenario.model.architecture->experts.reset();
    QVERIFY(!has(text(LaunchTarget::Megatron, {2, false, 1, 1}), "--sequence-parallel"));
    QVERIFY(has(text(LaunchTarget::Nanotron, {2, false, 8, 1}),
                "  dp: 4\n  pp: 1\n  tp: 2\n  context_parallel_size: 8\n  expert_parallel_size: 1\n"));
    QVERIFY(has(text(LaunchTarget::Nanotron, {2, false, 1, 1}), "  tp_mode: ALL_REDUCE\n"));
    // Four replicas: as they are, or sharded.
    for (const int zero : {0, 2, 3}) {
      p.zero = zero;
      const std::string torchtitan = text(LaunchTarget::TorchTitan, {1, false, 1, 1});
      QVERIFY(has(torchtitan, zero == 0
                                  ? "data_parallel_replicate_degree = 4\ndata_parallel_shard_degree = 1\n"
                                  : "data_parallel_replicate_degree = 1\ndata_parallel_shard_degree = 4\n"));
    }
    // Two shard groups of two: what each program calls them, or that it has none.
    p.shardReplicas = 2;
    QVERIFY(has(text(LaunchTarget::TorchTitan, {1, false, 1, 1}),
                "data_parallel_replicate_degree = 2\ndata_parallel_shard_degree = 2\n"));
    QVERIFY(has(text(LaunchTarget::DeepSpeed, {1, false, 1, 1}), "\"mics_shard_size\": 2"));
    p.zero = 1;
    QVERIFY(has(text(LaunchTarget::Megatron, {1, false, 1, 1}),
                "--use-distributed-optimizer\n  --num-distributed-optimizer-instances 2\n"));
    QCOMPARE(text(LaunchTarget::DeepSpeed, {1, false, 1, 1}), std::string("refused"));
    QCOMPARE(text(LaunchTarget::Nanotron, {1, false, 1, 1}), std::string("refused"));
    p.shardReplicas = 0;
    p.zero = 0;
    QVERIFY(has(text(LaunchTarget::Nanotron, {2, true, 1, 1}), "  tp_mode: REDUCE_SCATTER\n"));
  }
  /// Llama 3 405B's way: embedding and loss count as a layer each.
  void endsWithoutBlocksAreNamed() {
    const Fixture f = teaching();
    Plan p = plan(1, 1);
    p.schedule = ScheduleKind::Interleaved;
    p.stages[0].chunks = {{LayerIndex(0)}, {LayerIndex(2)}, {LayerIndex(4)}, {LayerIndex(6)}};
    p.stages[1].chunks = {{LayerIndex(1)}, {LayerIndex(3)}, {LayerIndex(5)}, {LayerIndex(7), LayerIndex(8)}};
    const auto r = writeLaunch(LaunchTarget::Megatron, f.source(), p);
    QVERIFY2(has(r, "--pipeline-model-parallel-layout 'E|t|t|t|t|t|t|L'"), r ? r->c_str() : "refused");
  }
  void interleavedLayoutsListPartsInTheOrderOfData() {
    const Fixture f = teaching();
    Plan p = plan(1, 1);
    p.stages[0].chunks = {{LayerIndex(0), LayerIndex(1)}, {LayerIndex(4), LayerIndex(5)}};
    p.stages[1].chunks = {{LayerIndex(2), LayerIndex(3)}, {LayerIndex(6), LayerIndex(7), LayerIndex(8)}};
    const auto r = writeLaunch(LaunchTarget::Megatron, f.source(), p);
    QVERIFY(r);
    QVERIFY(r->find("'Et|t*2|t*2|tL'") != std::string::npos);
  }
  void everyReasonForARefusalIsNamed() {
    const Fixture f = teaching();
    Plan p = plan(1, 1);
    p.zero = 3;
    p.microbatch = 3;
    p.stages[1].strategy.tensor = 2;
    p.stages[1].recompute = Recompute::Full;
    const auto r = writeLaunch(LaunchTarget::Megatron, f.source(), p);
    QVERIFY(!r);
    QCOMPARE(codes(r.diagnostics, Severity::Error),
             std::string("strategy-per-stage recompute-per-stage padded-batch zero-with-pipeline"));
  }
  void ranksFollowTheFrameworksOrder() {
    const Fixture f = teaching();
    // d_in = 2: stage 0 on devices 0 and 1, stage 1 on 2 and 3. d_in = 1: the blocks {0, 1} and {2, 3} hold a
    // pipeline each.
    const auto inner = writeLaunch(LaunchTarget::SlurmHostFile, f.source(), plan(2, 1));
    const auto outer = writeLaunch(LaunchTarget::SlurmHostFile, f.source(), plan(1, 2));
    QVERIFY(inner && outer);
    QCOMPARE(*inner, std::string("host0\nhost0\nhost1\nhost1\n"));
    QCOMPARE(*outer, std::string("host0\nhost1\nhost0\nhost1\n"));
    QCOMPARE(
        *writeLaunch(LaunchTarget::RankFile, f.source(), plan(1, 2)),
        std::string("rank 0=host0 slot=0\nrank 1=host1 slot=0\nrank 2=host0 slot=1\nrank 3=host1 slot=1\n"));
    // A slot of that file is no device, and is said to be none.
    QCOMPARE(
        codes(writeLaunch(LaunchTarget::RankFile, f.source(), plan(1, 2)).diagnostics, Severity::Warning),
        std::string("rankfile-slot"));
    const auto shared = writeLaunch(LaunchTarget::RankFile, f.source(), plan(1, 2), 29);
    QVERIFY(shared && shared.diagnostics.empty());
    QCOMPARE(*shared, std::string("rank 0=host0 slot=0-13\nrank 1=host1 slot=0-13\nrank 2=host0 slot=14-28\n"
                                  "rank 3=host1 slot=14-28\n"));
    QVERIFY(std::string(describe(LaunchTarget::RankFile)).find("CPU core") != std::string::npos);
    QCOMPARE(*writeLaunch(LaunchTarget::HostFile, f.source(), plan(2, 1)),
             std::string("host0 slots=2\nhost1 slots=2\n"));
    const auto refused = writeLaunch(LaunchTarget::HostFile, f.source(), plan(1, 2));
    QVERIFY(!refused);
    QCOMPARE(codes(refused.diagnostics, Severity::Error), std::string("hosts-interleave"));
    QCOMPARE(
        codes(writeLaunch(LaunchTarget::Megatron, f.source(), plan(1, 2)).diagnostics, Severity::Warning),
        std::string("placement"));
  }
  void aPlanBeyondTheClusterIsRefused() {
    const Fixture f = teaching();
    for (const LaunchTarget t : {LaunchTarget::HostFile, LaunchTarget::SlurmHostFile, LaunchTarget::RankFile})
      QVERIFY(!writeLaunch(t, f.source(), plan(8, 1)));
  }
  void deepSpeedsBatchAddsUp() {
    const Fixture f = teaching();
    const auto r = writeLaunch(LaunchTarget::DeepSpeed, f.source(), plan(2, 1));
    QVERIFY(r);
    const auto j = nlohmann::json::parse(*r);
    QCOMPARE(j["train_batch_size"].get<int>(), j["train_micro_batch_size_per_gpu"].get<int>() *
                                                   j["gradient_accumulation_steps"].get<int>() * 2);
    Plan z = plan(2, 1);
    z.zero = 1;
    const auto sharded = writeLaunch(LaunchTarget::DeepSpeed, f.source(), z);
    QVERIFY(sharded);
    QCOMPARE(nlohmann::json::parse(*sharded)["zero_optimization"]["stage"].get<int>(), 1);
    z.zero = 2;
    QVERIFY(!writeLaunch(LaunchTarget::DeepSpeed, f.source(), z));
  }
  void torchTitanNamesItsModules() {
    const Fixture f = teaching();
    Plan p = plan(2, 1);
    p.zero = 2;
    const auto r = writeLaunch(LaunchTarget::TorchTitan, f.source(), p);
    QVERIFY(r);
    QVERIFY(r->find("[\"tok_embeddings\", \"layers.0\", \"layers.1\", \"layers.2\"]") != std::string::npos);
    QVERIFY(r->find("[\"layers.3\", \"layers.4\", \"layers.5\", \"norm\", \"output\"]") != std::string::npos);
    p.zero = 1;
    QVERIFY(!writeLaunch(LaunchTarget::TorchTitan, f.source(), p));
    for (auto& s : p.stages) s.recompute = Recompute::Selective;
    p.zero = 2;
    // Other than torchtitan's, unless the plan was priced as torchtitan does it.
    const Fixture there = teaching([](Scenario& s) { s.program = "torchtitan-2024"; });
    QVERIFY(codes(writeLaunch(LaunchTarget::TorchTitan, f.source(), p).diagnostics, Severity::Warning)
                .find("recompute") != std::string::npos);
    QVERIFY(codes(writeLaunch(LaunchTarget::TorchTitan, there.source(), p).diagnostics, Severity::Warning)
                .find("recompute") == std::string::npos);
    QVERIFY(!writeLaunch(LaunchTarget::Nanotron, f.source(), p));
  }
  void tracesNestOnEachThread() {
    const Fixture f = teaching();
    const auto r = writeLaunch(LaunchTarget::ChromeTrace, f.source(), plan(2, 1));
    QVERIFY(r);
    const auto j = nlohmann::json::parse(*r);
    std::map<int, std::vector<std::pair<double, double>>> threads;
    for (const auto& e : j["traceEvents"])
      if (e["ph"] == "X" && e["name"] != "recompute")
        threads[e["tid"].get<int>()].emplace_back(e["ts"].get<double>(), e["dur"].get<double>());
    QVERIFY(threads.size() >= 2);
    for (auto& [tid, events] : threads) {
      std::sort(events.begin(), events.end());
      for (std::size_t i = 1; i < events.size(); ++i)
        QVERIFY2(events[i].first >= events[i - 1].first + events[i - 1].second - 1e-6,
                 qPrintable(QString("thread %1").arg(tid)));
    }
  }
  void fp8IsAskedForOrRefused() {
    const auto fp8On = [](const char* device) {
      return teaching(
          [&](Scenario& s) { s.job.format = NumberFormat::Fp8, s.cluster.device = *findDevice(device); });
    };
    const Fixture hopper = fp8On("h100-sxm"), blackwell = fp8On("b200"), ampere = fp8On("a100-80");
    const Plan p = plan(1, 1);
    for (const char* flag : {"--bf16\n", "--fp8-format hybrid\n", "--fp8-recipe delayed\n"})
      QVERIFY2(has(writeLaunch(LaunchTarget::Megatron, hopper.source(), p), flag), flag);
    QVERIFY(has(writeLaunch(LaunchTarget::Megatron, blackwell.source(), p), "--fp8-recipe mxfp8\n"));
    QVERIFY(has(writeLaunch(LaunchTarget::TorchTitan, hopper.source(), p),
                "converters = [\"quantize.linear.float8\"]"));
    const auto refusal = [&](LaunchTarget t, const Fixture& f) {
      return codes(writeLaunch(t, f.source(), p).diagnostics, Severity::Error);
    };
    QCOMPARE(refusal(LaunchTarget::Megatron, ampere), std::string("fp8-device"));
    QCOMPARE(refusal(LaunchTarget::DeepSpeed, hopper), std::string("format"));
    QCOMPARE(refusal(LaunchTarget::Nanotron, hopper), std::string("format"));
    const Fixture volta = teaching([](Scenario& s) { s.cluster.device = *findDevice("v100"); });
    QCOMPARE(refusal(LaunchTarget::Megatron, volta), std::string("bf16-device"));
    QCOMPARE(refusal(LaunchTarget::DeepSpeed, volta), std::string("bf16-device"));
    const Fixture half = teaching([](Scenario& s) { s.job.format = NumberFormat::Fp16; });
    QCOMPARE(refusal(LaunchTarget::TorchTitan, half), std::string("format"));
    QVERIFY(!has(writeLaunch(LaunchTarget::Megatron, teaching().source(), p), "fp8"));
  }
  void aDeviceThatIsOutStaysOut() {
    const Fixture f = teaching([](Scenario& s) {
      auto& levels = std::get<LevelsSource>(s.cluster.network);
      levels.levels[0].fanout = 4;
      s.constraints.excludedDevices = {1};
    });
    Plan p = plan(1, 1);  // stages on the first two devices left of the smaller host
    p.deviceOrder = {DeviceIndex(4), DeviceIndex(5), DeviceIndex(0), DeviceIndex(1)};
    const auto map = mapRanks(f.source(), p);
    QVERIFY(map);
    QCOMPARE(map->hosts.size(), std::size_t(1));
    QCOMPARE(joinedNumbers(map->hosts[0].devices), std::string("0,2"));
    const auto script = writeLaunch(LaunchTarget::VisibleDevices, f.source(), p);
    QVERIFY(has(script, "host0) devices=0,2 ;;"));
    QVERIFY(has(script, "export CUDA_VISIBLE_DEVICES="));
    for (const LaunchTarget t : {LaunchTarget::HostFile, LaunchTarget::SlurmHostFile, LaunchTarget::RankFile,
                                 LaunchTarget::Megatron, LaunchTarget::DeepSpeed}) {
      const auto r = writeLaunch(t, f.source(), p);
      QVERIFY2(codes(r.diagnostics, Severity::Warning).find("visible-devices") != std::string::npos,
               nameOf(t));
    }
    QVERIFY(has(writeLaunch(LaunchTarget::HostFile, f.source(), p), "--exclude host0:1\n"));
    QVERIFY(
        !has(writeLaunch(LaunchTarget::HostFile, f.source(), plan(1, 1)), "#"));  // a whole host's first two
  }
  void aFailedDeviceOfADrawingLeavesTheOthersTheirNumbers() {
    const Fixture f = teaching([](Scenario& s) {
      GraphSource drawn{graph::fromLevels(std::get<LevelsSource>(s.cluster.network)), {}, {}};
      for (NetworkNode& n : drawn.graph.nodes)
        if (n.kind == NodeKind::Device) {
          n.failed = true;
          break;
        }
      s.cluster.network = drawn;
    });
    std::string places;
    for (int d = 0; d < f.problem.cluster->deviceCount(); ++d) {
      const DeviceIdentity who = f.problem.cluster->identity(DeviceIndex(d));
      places += who.host + ':' + std::to_string(who.slot) + ' ';
    }
    QCOMPARE(places, std::string("host1:0 host1:1 host0:1 "));
  }
  void hostNamesThatNoFileCanHoldAreRefused_data() {
    QTest::addColumn<QString>("name");
    for (const char* name :
         {"evil slots=8\nattacker", "#c", "", "a b", "-x", "\x1b]0;x\x07", "x;y", "h\xc3\xb6st"})
      QTest::newRow(QByteArray("name ") + QByteArray(name).toHex()) << QString::fromUtf8(name);
  }
  void hostNamesThatNoFileCanHoldAreRefused() {
    QFETCH(QString, name);
    const Fixture f = teaching([&](Scenario& s) {
      std::get<LevelsSource>(s.cluster.network).hostNames = {"gpu-1.rack_2", name.toStdString()};
    });
    for (const LaunchTarget t : {LaunchTarget::HostFile, LaunchTarget::SlurmHostFile, LaunchTarget::RankFile,
                                 LaunchTarget::VisibleDevices}) {
      ReportSource source = f.source();
      source.cluster = &f.scenario.cluster;
      const auto r = writeLaunch(t, source, plan(2, 1));
      QVERIFY(!r);
      QCOMPARE(codes(r.diagnostics, Severity::Error), std::string("host-name"));
      QCOMPARE(r.diagnostics[0].where.pointer, std::string("/cluster/host_names/1"));
      QVERIFY(!r.diagnostics[0].remedy.empty());
    }
  }
  void hostsOfOneNameAreRefused() {
    const Fixture f = teaching([](Scenario& s) {
      std::get<LevelsSource>(s.cluster.network).hostNames = {"same", "same"};
    });
    Fixture drawn = teaching();
    GraphSource twins{graph::fromLevels(std::get<LevelsSource>(drawn.scenario.cluster.network)), {}, {}};
    for (NetworkNode& n : twins.graph.nodes)
      if (n.kind == NodeKind::Host) n.name = "same";
    drawn.scenario.cluster.network = twins;
    drawn.problem = *buildProblem(drawn.scenario).value;
    // Devices may name their host by the name that both have: their links tell them apart.
    Fixture named = teaching();
    for (NetworkNode& n : twins.graph.nodes)
      if (n.kind == NodeKind::Device) n.host = "same";
    named.scenario.cluster.network = twins;
    named.problem = *buildProblem(named.scenario).value;
    const Fixture cases = teaching([](Scenario& s) {
      std::get<LevelsSource>(s.cluster.network).hostNames = {"gpu-a", "GPU-A"};
    });
    for (const Fixture* x : std::initializer_list<const Fixture*>{&f, &drawn, &named, &cases})
      QCOMPARE(
          codes(writeLaunch(LaunchTarget::HostFile, x->source(), plan(2, 1)).diagnostics, Severity::Error),
          std::string("host-name-duplicate"));
  }
  void megatronGetsNoDefaultThatThePlanDoesNotPrice() {
    Fixture f = teaching();
    TransformerArchitecture& m = *f.scenario.model.architecture;
    const Plan p = plan(1, 1);
    const auto write = [&] { return writeLaunch(LaunchTarget::Megatron, f.source(), p); };
    QVERIFY(has(write(), "--attention-dropout 0.0\n") && has(write(), "--hidden-dropout 0.0\n"));
    QVERIFY(!has(write(), "--moe-grouped-gemm") && !has(write(), "--optimizer"));
    m.layerNorm = true;
    QVERIFY(has(write(), "--attention-dropout 0.1\n"));
    m.experts = ExpertLayers{};
    m.experts->sharedIntermediate = 512, m.experts->sharedGate = true;
    QVERIFY(has(write(), "--moe-grouped-gemm\n") && has(write(), "--moe-shared-expert-gate\n"));
    f.problem.job.optimizer = OptimizerRegime::sgd();
    QVERIFY(has(write(), "--optimizer sgd\n"));
    QVERIFY(codes(write().diagnostics, Severity::Warning).find("master-weights") != std::string::npos);
    const auto deepSpeed = writeLaunch(LaunchTarget::DeepSpeed, f.source(), p);
    QVERIFY(deepSpeed);
    QCOMPARE(nlohmann::json::parse(*deepSpeed)["optimizer"]["type"].get<std::string>(), std::string("SGD"));
  }
  void torchTitanRunsInThePlansFormat() {
    const Fixture f = teaching();
    const auto errors = [&](const Plan& p) {
      return codes(writeLaunch(LaunchTarget::TorchTitan, f.source(), p).diagnostics, Severity::Error);
    };
    Plan split = plan(1, 1);
    QVERIFY(has(writeLaunch(LaunchTarget::TorchTitan, f.source(), split), "\ndtype = \"bfloat16\"\n"));
    QCOMPARE(codes(writeLaunch(LaunchTarget::TorchTitan, f.source(), split).diagnostics, Severity::Warning),
             std::string("full-bf16"));
    QVERIFY(has(writeLaunch(LaunchTarget::TorchTitan, f.source(), split), "torchtitan v0.2.2"));
    QCOMPARE(errors(plan(2, 1)), std::string("ddp-mesh"));
    Plan alone = plan(2, 1);
    alone.stages.resize(1);
    for (int l = 4; l < 9; ++l) alone.stages[0].chunks[0].push_back(LayerIndex(l));
    QVERIFY(has(writeLaunch(LaunchTarget::TorchTitan, f.source(), alone),
                "mixed_precision_param = \"bfloat16\""));
    alone.zero = 3;
    QVERIFY(has(writeLaunch(LaunchTarget::TorchTitan, f.source(), alone),
                "mixed_precision_param = \"bfloat16\""));
  }
  /// What the frameworks do unless told otherwise is not what the plan counts.
  void gradientsAreSummedAsThePlanCounts() {
    const Plan p = plan(1, 1);
    Fixture f = teaching([](Scenario& s) { s.job.format = NumberFormat::Fp16; });
    const char* flag = "--accumulate-allreduce-grads-in-fp32\n";
    QVERIFY(has(writeLaunch(LaunchTarget::Megatron, f.source(), p), flag));
    QVERIFY(!has(writeLaunch(LaunchTarget::Megatron, teaching().source(), p), flag));
    f.problem.job.optimizer = OptimizerRegime::zeroPaper();
    QVERIFY(!has(writeLaunch(LaunchTarget::Megatron, f.source(), p), flag));

    Fixture deep = teaching();
    Plan sharded = p;
    sharded.zero = 1;
    const auto settings = [&] {
      const auto text = writeLaunch(LaunchTarget::DeepSpeed, deep.source(), sharded);
      return text ? nlohmann::json::parse(*text) : nlohmann::json();
    };
    QVERIFY(settings()["data_types"]["grad_accum_dtype"] == "fp32");
    QVERIFY(settings()["communication_data_type"] == "fp32");
    QVERIFY(!settings().contains("zero_allow_untested_optimizer"));
    deep.problem.job.optimizer = OptimizerRegime::sgd();
    QVERIFY(!settings().contains("data_types"));
    QVERIFY(settings()["zero_allow_untested_optimizer"] == true);
    const auto whole = writeLaunch(LaunchTarget::DeepSpeed, teaching().source(), p);
    QVERIFY(codes(whole.diagnostics, Severity::Warning).find("gradients") != std::string::npos);
  }
  void standInsAreTold() {
    Fixture f = teaching([](Scenario& s) { s.cluster.device = *findDevice("tpu-v4"); });
    f.problem.job.optimizer = {"custom", 2, 2, 2};
    for (const LaunchTarget t : {LaunchTarget::Megatron, LaunchTarget::DeepSpeed, LaunchTarget::Nanotron}) {
      const auto told = codes(writeLaunch(t, f.source(), plan(1, 1)).diagnostics, Severity::Warning);
      QVERIFY2(told.find("optimizer accelerator") != std::string::npos, told.c_str());
    }
    f.scenario.model.architecture->gatedMlp = false;
    f.scenario.model.architecture->activation = "relu";
    const auto told =
        codes(writeLaunch(LaunchTarget::Megatron, f.source(), plan(1, 1)).diagnostics, Severity::Warning);
    QVERIFY2(told.find("activation") != std::string::npos, told.c_str());
  }
  void aRefusalNamesWhatThePlanHas() {
    Plan p = plan(2, 1);
    p.zero = 1;
    const auto r = writeLaunch(LaunchTarget::TorchTitan, teaching().source(), p);
    QCOMPARE(codes(r.diagnostics, Severity::Error), std::string("zero-1"));
    QCOMPARE(r.diagnostics.front().remedy, std::string("offer 2 and 3 in search.zero_stages"));
  }
  void namesReadBack() {
    for (int t = 0; t < kLaunchTargetCount; ++t) {
      const auto target = static_cast<LaunchTarget>(t);
      QVERIFY(launchTargetNamed(nameOf(target)) == target);
    }
    QVERIFY(!launchTargetNamed("megaton"));
  }
};
NEST_TEST(TestLaunchExport)
#include "test_launch_export.moc"
