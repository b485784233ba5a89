#include <QtTest/QTest>

#include "measurement_fixture.h"
#include "solver/solve.h"

using namespace nest;
using namespace nest::test;

class TestMeasurements : public QObject {
  Q_OBJECT
private slots:
  void importTakesProgramDegreesAndBatchAndSaysSo() {
    const NamedText log{"run.log", fileOf("megatron-log/core_2025.log")};
    const auto s = imported("host:8@450GB/s,3us rack:8@50GB/s,5us", {log});
    QVERIFY(s);
    QCOMPARE(s.value->program, std::string("megatron-core-2025"));
    QVERIFY(s.value->constraints.megatronExpressible);
    QVERIFY(s.value->constraints.tensor == (Bound{8, 8}) && s.value->constraints.chunks == (Bound{5, 5}));
    QVERIFY(s.value->job.globalBatch == 256 && s.value->job.sequenceLength == 8192);
    for (const char* code : {"program-proposed", "run-degrees", "run-job", "run-time"})
      QVERIFY2(findCode(s.diagnostics, code), code);
    QVERIFY(!findCode(s.diagnostics, "program-ideal") && !findCode(s.diagnostics, "run-devices"));
    // The plan that ran is all that is left.
    const auto outcome = solve(*buildProblem(*s.value).value);
    QVERIFY(outcome.best());
    QVERIFY(differencesOf(std::get<TrainingRun>(readText(log.text).value->of).settings, *s.value,
                          outcome.best()->plan)
                .empty());
  }
  void aNamedProgramGoesBeforeTheLogs() {
    const auto s = imported("host:8@450GB/s rack:4@50GB/s",
                            {{"run.log", fileOf("megatron-log/core_2025.log")}}, findProgram("nemo-2024"));
    QVERIFY(s);
    QCOMPARE(s.value->program, std::string("nemo-2024"));
    QVERIFY(!findCode(s.diagnostics, "program-proposed"));
    QVERIFY(findCode(s.diagnostics, "run-devices"));  // 64 there, 32 here
  }

  void aTraceTellsEachLayersKernels() {
    const auto t = read<LayerTimes>("profiler-trace/record_function.json");
    QCOMPARE(t.annotation, std::string("layer"));
    QCOMPARE(t.device, std::string("NVIDIA H100 80GB HBM3"));
    QCOMPARE(t.layers.size(), std::size_t(4));
    for (const auto& l : t.layers) {  // the all-reduce of 77 µs is left out
      QVERIFY(isNear(l.forward.value(), 100e-6) && isNear(l.backward.value(), 210e-6));
      QCOMPARE(l.passes, 2);
    }
  }
  // What is computed again on the thread of the backward pass, with numbers of its own, is neither pass.
  void recomputedKernelsCountForNeitherPass() {
    const auto t = read<LayerTimes>("profiler-trace/modules_recomputed.json");
    QCOMPARE(t.annotation, std::string("TransformerBlock"));
    QCOMPARE(t.layers.size(), std::size_t(3));
    for (const auto& l : t.layers)
      QVERIFY(isNear(l.forward.value(), 100e-6) && isNear(l.backward.value(), 210e-6));
  }
  // torch.autograd.profiler.emit_nvtx() numbers operators, the wrapper of a task has no number of its own.
  void anNsightExportTellsEachLayersKernels_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("layers");
    QTest::addColumn<int>("passes");
    QTest::addColumn<double>("forward");
    QTest::newRow("two steps") << "layers.sqlite" << 4 << 2 << 100e-6;
    QTest::newRow("numbers of two processes") << "two_ranks.sqlite" << 2 << 2 << 110e-6;
    QTest::newRow("computed again with numbers of the forward pass")
        << "recomputed.sqlite" << 3 << 1 << 100e-6;
    QTest::newRow("passes by name") << "named_passes.db" << 2 << 1 << 100e-6;
  }
  void anNsightExportTellsEachLayersKernels() {
    QFETCH(QString, file);
    QFETCH(int, layers);
    QFETCH(int, passes);
    QFETCH(double, forward);
    const auto t = read<LayerTimes>("nsight-export/" + file.toStdString());
    QCOMPARE(t.annotation, std::string("layer"));
    QCOMPARE(t.device, std::string("NVIDIA H100 80GB HBM3"));
    QCOMPARE(static_cast<int>(t.layers.size()), layers);
    for (int i = 0; i < layers; ++i) {  // without the all-reduce, and without what sums gradients
      const auto& l = t.layers[i];
      QCOMPARE(l.number, i);
      QCOMPARE(l.passes, passes);
      QVERIFY2(isNear(l.forward.value(), forward), qPrintable(QString::number(l.forward.value())));
      QVERIFY2(isNear(l.backward.value(), 210e-6), qPrintable(QString::number(l.backward.value())));
    }
  }
  // Also in a file that was left in write-ahead mode.
  void layersThatMegatronDoesNotNumberAreOneMean() {
    const auto t = read<LayerTimes>("nsight-export/megatron.sqlite");
    QCOMPARE(t.layers.size(), std::size_t(1));
    QCOMPARE(t.layers[0].number, -1);
    QCOMPARE(t.layers[0].passes, 3);
    QVERIFY(isNear(t.layers[0].forward.value(), 100e-6) && isNear(t.layers[0].backward.value(), 210e-6));
  }
  // Every byte in turn, and every length: told as broken or read, never worse.
  void damagedExportsAreRefusedOrRead() {
    const std::string whole = fileOf("nsight-export/named_passes.db");
    const auto reader = readerOf<ReadMeasurement>(findFormat("nsight-export"));
    int refused = 0;
    for (std::size_t i = 0; i < whole.size(); i += 7) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ 0xFF);
      for (const auto& reading : {reader(damaged, "f"), reader(whole.substr(0, i), "f")}) {
        QCOMPARE(reading.value.has_value(), !hasErrors(reading.diagnostics));
        refused += !reading;
      }
    }
    QVERIFY(refused > 500);
  }

  void galvatronTellsWhatAFurtherLayerTakes() {
    const auto times = read<BlockTable>("galvatron/computation_profiling_bf16_llama2-7b_all.json").times;
    QCOMPARE(times.size(), std::size_t(4));
    QCOMPARE(read<BlockTable>("galvatron/computation_profiling_bf16_llama2-7b_all.json").model,
             std::string("llama2-7b"));
    QVERIFY(times[0].microbatch == 1 && times[0].sequenceLength == 4096);
    QVERIFY(isNear(times[0].forward.value(), 4.2e-3, 1e-5));
    QVERIFY(times[3].microbatch == 8 && isNear(times[3].forward.value(), 8 * 4.2e-3 * 0.97, 1e-5));
    const auto memory = read<BlockTable>("galvatron/memory_profiling_bf16_llama2-7b_all.json").memory;
    QCOMPARE(memory.size(), std::size_t(3));  // without the divided vocabulary, and without stages
    for (const auto& m : memory) {
      QVERIFY(m.sequenceLength == 4096);
      QVERIFY(m.tensor > 1 || !m.sequenceParallel);
      const double mebibytes = m.tensor == 1 ? 520 : m.sequenceParallel ? 264 : 300;
      QVERIFY(isNear(m.perSample.value(), mebibytes * 1024 * 1024));
    }
  }
  // As the file's name says how many nodes there were: levels of both kinds, each with its largest group.
  /// What falls as layers are added is left out, and said.
  void galvatronRowsThatFallAreTold() {
    const Format* format = recognise("{\"layernum[2]_bsz1_seq2048\": 1}", "computation.json");
    const auto reading = readerOf<ReadMeasurement>(format)(
        R"({"layernum[2]_bsz1_seq2048": 10, "layernum[4]_bsz1_seq2048": 18,
            "layernum[2]_bsz2_seq2048": 30, "layernum[4]_bsz2_seq2048": 29})",
        "computation.json");
    QVERIFY(reading);
    QCOMPARE(std::get<BlockTable>(reading->of).times.size(), std::size_t(1));
    QCOMPARE(reading.diagnostics.size(), std::size_t(1));
    QCOMPARE(reading.diagnostics.front().code, std::string("galvatron-falls"));
    QVERIFY(reading.diagnostics.front().message.find("batch 2") != std::string::npos);
  }
  void galvatronsBandwidthsTellLevels() {
    const char* bandwidths =
        R"({"allreduce_size_16_consec_1": 44.7, "allreduce_size_8_consec_1": 155.7, "allreduce_size_8_consec_0": 20.8,
            "allreduce_size_2_consec_1": 149.7})";
    const auto groups = readText(bandwidths, "x/allreduce_bandwidth_2nodes_8gpus_per_node.json");
    QVERIFY(groups);
    const auto& all = std::get<std::vector<CollectiveTimes>>(groups->of);
    QVERIFY(all.size() == 2 && all[0].ranks() == 8 && all[0].hosts() == 1 && all[1].ranks() == 16 &&
            all[1].hosts() == 2);
    QVERIFY(isNear(all[0].rows[0].bus.value(), 155.7 * 1024 * 1024 * 1e3));
    QVERIFY(std::any_of(groups.diagnostics.begin(), groups.diagnostics.end(), [](const Diagnostic& d) {
      return d.message.find("groups of ranks that are not consecutive") != std::string::npos;
    }));
    const auto s = imported("host:8@450GB/s,3us rack:4@50GB/s,5us",
                            {{"allreduce_bandwidth_2nodes_8gpus_per_node.json", bandwidths}});
    QVERIFY(s);
    const auto& levels = std::get<LevelsSource>(s.value->cluster.network).levels;
    QVERIFY(levels[0].origin == Origin::Measured && levels[1].origin == Origin::Measured);
    QVERIFY(levels[0].bandwidth > BytesPerSecond(150e9) && levels[0].bandwidth < BytesPerSecond(175e9));
    QVERIFY(levels[1].bandwidth < levels[0].bandwidth);

    const auto times = readText(R"({"allreduce_size_8_1MB_time": 0.08, "allreduce_size_8_1024MB_time": 8.1,
                                    "allreduce_size_2_1024MB_time": 5.1, "all2all_size_8_1MB_time": 0.11})",
                                "sp_time_1nodes_8gpus_per_node.json");
    QVERIFY(times);
    const auto& one = std::get<std::vector<CollectiveTimes>>(times->of);
    QVERIFY(one.size() == 1 && one[0].ranks() == 8 && one[0].rows.size() == 2);
    QVERIFY(isNear(one[0].rows[1].time.value(), 8.1e-3) &&
            one[0].rows[1].size == Bytes(1024.0 * 1024 * 1024));

    const auto hops =
        readText(R"({"pp_size_2": 7.66, "pp_size_16": 8.1})", "p2p_bandwidth_2nodes_8gpus_per_node.json");
    QVERIFY(hops);
    const auto& hop = std::get<std::vector<CollectiveTimes>>(hops->of);
    QVERIFY(hop.size() == 1 && hop[0].kind == CollectiveTimes::Kind::SendReceive && hop[0].hosts() == 2);
    QVERIFY(!readText(bandwidths, "renamed.json"));
  }
  // The times were made with 72 % and 62 % of the peak, half of it at a size of 96, and 330 GB/s.
  void aiConfiguratorsTablesGiveBackWhatTheyWereMadeOf() {
    const char* line = "host:8@450GB/s,3us rack:4@50GB/s,5us";
    const auto with = [&](const char* name) {
      return NamedText{name, fileOf(std::string("aiconfigurator/") + name)};
    };
    const auto s = imported(line, {with("gemm_perf.txt"), with("context_attention_perf.txt")});
    QVERIFY(s);
    const DeviceSpec& d = s.value->cluster.device;
    QVERIFY2(isNear(d.matrixEfficiency.value, 0.72, 0.01) && isNear(d.matrixHalfSize.value, 96, 0.09) &&
                 isNear(d.matrixEfficiencyFp8->value, 0.72, 0.01) &&
                 isNear(d.attentionEfficiency.value, 0.62, 0.01),
             qPrintable(QStringLiteral("%1 %2 %3 %4")
                            .arg(d.matrixEfficiency.value)
                            .arg(d.matrixHalfSize.value)
                            .arg(d.matrixEfficiencyFp8->value)
                            .arg(d.attentionEfficiency.value)));
    QCOMPARE(d.matrixEfficiency.origin, Origin::Measured);
    QVERIFY(d.matrixEfficiency.citation.find("AIConfigurator, VLLM 0.20.0") != std::string::npos);
    QCOMPARE(d.sustainedRate, findDevice("h100-sxm")->sustainedRate);
    QVERIFY(findCode(s.diagnostics, "kernels-measured"));

    const auto network = imported(line, {with("nccl_perf.txt")});
    QVERIFY(network);
    const auto& host = std::get<LevelsSource>(network.value->cluster.network).levels[0];
    QVERIFY(isNear(host.bandwidth.value(), 330e9, 0.02));
    int compared = 0;
    for (const Diagnostic& told : network.diagnostics)
      compared += told.message.find("is not fitted: the model is off by") != std::string::npos;
    QCOMPARE(compared, 2);
  }
  // Spreadsheets put quotes and blanks around cells; a copy that broke off leaves half a row.
  void tablesMayBeQuotedOrCut() {
    const std::string whole = fileOf("aiconfigurator/gemm_perf.txt");
    std::string quoted;
    for (const char c : whole)
      quoted += c == ',' ? std::string("\", \"") : c == '\n' ? std::string("\"\n\"") : std::string(1, c);
    quoted = '"' + quoted.substr(0, quoted.size() - 1);
    const auto rows = [](const Reading<Measurement>& r) {
      return r ? std::get<KernelTimes>(r->of).wide.size() + std::get<KernelTimes>(r->of).fp8.size() : 0;
    };
    const auto all = rows(readText(whole, "gemm_perf.txt"));
    QVERIFY(all > 8);
    QCOMPARE(rows(readText(quoted, "gemm_perf.csv")), all);
    QCOMPARE(rows(readText(whole + " \n", "gemm_perf.txt")), all);
    const auto cut = readText(whole.substr(0, whole.rfind(',')), "gemm_perf.txt");
    QVERIFY(findCode(cut.diagnostics, "log-cut"));
    QVERIFY(rows(cut) + 1 >= all);
  }
  void timesOfAnotherDeviceAreRefused() {
    std::string text = fileOf("aiconfigurator/gemm_perf.txt");
    for (std::size_t at = 0; (at = text.find("H100", at)) != std::string::npos;) text.replace(at, 4, "A100");
    const auto s = imported("host:8@450GB/s", {{"gemm_perf.txt", text}});
    QVERIFY(!s);
    QVERIFY(findCode(s.diagnostics, "kernel-fit")->message.find("A100") != std::string::npos);
  }
  void ofATableOfSeveralDevicesTheScenariosAreUsed() {
    std::string whole = fileOf("aiconfigurator/gemm_perf.txt");
    if (whole.back() != '\n') whole += '\n';
    std::string other = whole.substr(whole.find('\n') + 1);
    for (std::size_t at = 0; (at = other.find("NVIDIA H100 80GB HBM3", at)) != std::string::npos;)
      other.replace(at, 21, "NVIDIA B200");
    for (std::size_t at = 0; (at = other.find('\n', at)) != std::string::npos; at += 4)
      other.replace(at, 1, "e-3\n");
    const auto alone = imported("host:8@450GB/s", {{"gemm_perf.txt", whole}});
    for (const std::string& text : {whole + other, whole.substr(0, whole.find('\n') + 1) + other +
                                                       whole.substr(whole.find('\n') + 1)}) {
      const auto both = imported("host:8@450GB/s", {{"gemm_perf.txt", text}});
      QVERIFY(alone && both && findCode(both.diagnostics, "kernel-devices"));
      QCOMPARE(both->cluster.device.matrixEfficiency.value, alone->cluster.device.matrixEfficiency.value);
      QVERIFY(!findCode(both.diagnostics, "kernel-fit-useless"));
    }
    const auto none = imported("host:8@450GB/s",
                               {{"gemm_perf.txt", whole.substr(0, whole.find('\n') + 1) + other +
                                                      "VLLM,1,NVIDIA A100,gemm,v,fp8,1024,1024,1024,1\n"}});
    QVERIFY(!none);
    const std::string message = findCode(none.diagnostics, "kernel-fit")->message;
    QVERIFY(message.find("B200 and NVIDIA A100") != std::string::npos);
  }
  void rowsOfOneKernelThatContradictAreNamed() {
    const std::string head = "framework,version,device,op_name,kernel_source,gemm_dtype,m,n,k,latency\n",
                      row = "VLLM,0.20.0,NVIDIA B200,gemm,v,bfloat16,4096,5120,12288,";
    const auto twice = [&](const char* latency) {
      return readText(head + row + "0.26886\n" + row + latency + '\n', "gemm_perf.txt");
    };
    QVERIFY(!findCode(twice("0.27").diagnostics, "perf-contradiction"));
    const auto broken = twice("268.86");
    const Diagnostic* told = findCode(broken.diagnostics, "perf-contradiction");
    QVERIFY(told && told->where.line == 3);
    QVERIFY(told->message.find("line 2") != std::string::npos);
  }
  void latenciesInAWrongUnitAreTold() {
    const std::string whole = fileOf("aiconfigurator/gemm_perf.txt");
    const auto isDoubted = [&](const char* unit) {
      std::string text;
      for (std::size_t at = 0, end; at < whole.size(); at = end + 1) {
        end = whole.find('\n', at);
        text += whole.substr(at, end - at) + (at > 0 ? unit : "") + '\n';
      }
      const auto s = imported("host:8@450GB/s", {{"gemm_perf.txt", text}});
      const bool isWarned = s && findCode(s.diagnostics, "kernel-fit-useless");
      const DeviceSpec& sheet = *findDevice("h100-sxm");
      // The rates of a fit that explains nothing are not written.
      if (isWarned)
        return s->cluster.device.matrixEfficiency == sheet.matrixEfficiency &&
               s->cluster.device.matrixHalfSize == sheet.matrixHalfSize &&
               s->cluster.device.matrixEfficiencyFp8 == sheet.matrixEfficiencyFp8;
      return false;
    };
    QVERIFY(!isDoubted(""));
    QVERIFY(isDoubted("e3"));
    QVERIFY(isDoubted("e-3"));
  }
  void aTraceWithoutLayersSaysHowToAnnotate() {
    const auto t = readText(fileOf("profiler-trace/bad_no_layers.json"));
    QVERIFY(!t);
    QVERIFY(t.diagnostics.front().remedy.find("record_function") != std::string::npos);
  }
};
NEST_TEST(TestMeasurements)
#include "test_measurements.moc"
