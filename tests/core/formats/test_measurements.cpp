#include <QtTest/QTest>

#include "measurement_fixture.h"
#include "solver/solve.h"

using namespace nest;
using namespace nest::test;

class TestMeasurements : public QObject {
  Q_OBJECT
private slots:
  void aMegatronLogTellsTimeMemoryAndSetup() {
    const auto run = read<TrainingRun>("megatron-log/core_2025.log");
    QCOMPARE(run.lines, 9);
    QCOMPARE(run.leftOut, 1);
    QVERIFY(isNear(run.step->value(), 30.76485, 1e-4));  // the median: the line of 34.65 s is an outlier
    QVERIFY(isNear(run.allocated->value(), 58211.6 * 1024 * 1024));
    QVERIFY(isNear(run.reserved->value(), 61230.0 * 1024 * 1024));
    QVERIFY(run.rate->value() > 4e14 && run.rate->value() < 5e14);
    const RunSettings& s = run.settings;
    QCOMPARE(s.program, std::string("megatron-core-2025"));
    QVERIFY(s.programEvidence.find("attention_backend") != std::string::npos);
    QCOMPARE(degreesOf(s), std::string("TP 8 + SP · PP 4 · VPP 5 · DP 2 · MBS 1 · ZeRO-1"));
    QVERIFY(s.devices == 64 && s.globalBatch == 256 && s.sequenceLength == 8192);
  }
  // The line before the arguments, with "-" in place of a blank, behind a launcher's prefix.
  void degreesAreTakenWithoutArguments() {
    const auto run = read<TrainingRun>("megatron-log/bare.log");
    QCOMPARE(degreesOf(run.settings), std::string("TP 8 · PP 1 · DP 2"));
    QVERIFY(run.settings.program.empty());  // nothing tells the version
    QVERIFY(isNear(run.step->value(), 6.3006));
    QCOMPARE(run.settings.globalBatch, std::optional(64));
  }
  // Cut behind its first iterations: what is left is warm-up. The same line without a beginning may be any.
  void aRunsFirstLineIsWarmUp() {
    const std::string whole = fileOf("megatron-log/core_2025.log");
    const auto isWarmUp = [](const std::string& text) {
      const auto run = std::get<TrainingRun>(readText(text)->of);
      return run.lines == 1 && run.isWarmUp;
    };
    const auto second = whole.find("[2025-03-02 11:05:10]"), third = whole.find("[2025-03-02 11:06:10]");
    QVERIFY(isWarmUp(whole.substr(0, second)));
    QVERIFY(!isWarmUp(whole.substr(0, third)));
    QVERIFY(!isWarmUp(whole.substr(second, third - second)));
  }
  void aLogOfAnotherModelIsToldAtImport() {
    std::string text = fileOf("megatron-log/core_2025.log");
    const char* line = "host:8@450GB/s,3us rack:8@50GB/s,5us";
    QVERIFY(!findCode(imported(line, {{"run.log", text}}).diagnostics, "run-model"));
    text.replace(text.find(" 80\n"), 4, " 32\n");
    const auto s = imported(line, {{"run.log", text}});
    QVERIFY(s);
    QVERIFY(findCode(s.diagnostics, "run-model")->message.find("layers 32, not 80") != std::string::npos);
  }
  void theLastStartAndTheLastBatchSizeCount() {
    const auto run = read<TrainingRun>("megatron-log/restarted.log");
    QCOMPARE(run.lines, 2);
    QCOMPARE(run.leftOut, 3);
    QVERIFY(isNear(run.step->value(), 20.49));
    QCOMPARE(run.settings.globalBatch, std::optional(256));
  }
  // A job that is killed leaves half a line behind, be it at the end or before the next start.
  void aCutLineIsLeftOut() {
    const std::string whole = fileOf("megatron-log/core_2025.log");
    const auto last = whole.rfind("elapsed time per iteration (ms): 3") + 34;
    for (const std::string& text : {whole.substr(0, last), whole.substr(0, last) + '\n',
                                    whole.substr(0, whole.rfind("global batch size:") + 21)}) {
      const auto reading = readText(text);
      QVERIFY(reading && findCode(reading.diagnostics, "log-cut"));
      const auto& run = std::get<TrainingRun>(reading->of);
      QVERIFY(run.lines == 8 && run.settings.globalBatch == 256);
      QVERIFY(isNear(run.step->value(), 30.7648, 1e-3));
    }
  }
  // The optimizer does not step in them, so that they are shorter.
  void skippedIterationsAreLeftOut() {
    std::string text = fileOf("megatron-log/core_2025.log");
    const std::string time = "elapsed time per iteration (ms): ", skips = "skipped iterations:   0";
    std::size_t at = text.find("[2025-03-02 11:05:10]");
    for (int i = 0; i < 5; ++i) {
      at = text.find(time, at);
      text.replace(at + time.size(), 7, "19000.0");
      at = text.find(skips, at);
      text.replace(at + skips.size() - 1, 1, "1");
    }
    const auto reading = readText(text);
    QVERIFY(findCode(reading.diagnostics, "log-skipped"));
    const auto& run = std::get<TrainingRun>(reading->of);
    QCOMPARE(run.lines, 4);
    QCOMPARE(run.leftOut, 6);
    QVERIFY(isNear(run.step->value(), 30.76, 1e-2));
  }
  void aStartThatDidNotTrainDoesNotCount() {
    const std::string whole = fileOf("megatron-log/core_2025.log");
    const std::string head = whole.substr(0, whole.find("> building"));
    const auto reading = readText(whole + head + "torch.OutOfMemoryError: CUDA out of memory\n");
    QVERIFY(findCode(reading.diagnostics, "log-restarted"));
    const auto& run = std::get<TrainingRun>(reading->of);
    QVERIFY(run.lines == 9 && run.allocated && run.settings.tensor == 8);
  }
  // The last rank, which prints iterations, does not print arguments.
  void iterationsCountedAnewAreAnotherStart() {
    const std::string whole = fileOf("megatron-log/core_2025.log");
    const std::string lines = whole.substr(whole.find(" [2025-03-02 11:04:10]"));
    std::string slow = lines;
    for (std::size_t at = 0; (at = slow.find("(ms): 3", at)) != std::string::npos; ++at) slow[at + 6] = '9';
    QVERIFY(isNear(std::get<TrainingRun>(readText(slow + lines)->of).step->value(), 30.76, 1e-2));
    const auto twice = readText(lines);  // without arguments
    QCOMPARE(std::get<TrainingRun>(twice->of).lines, 9);
  }
  void argumentsTellRecomputePrecisionAndSharding_data() {
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<QString>("told");
    QTest::newRow("full") << "recompute_granularity=full recompute_method=uniform"
                          << "recompute full";
    QTest::newRow("all blocks") << "recompute_granularity=full recompute_method=block recompute_num_layers=4"
                                << "recompute full";
    QTest::newRow("some blocks") << "recompute_granularity=full recompute_method=block recompute_num_layers=3"
                                 << "";
    QTest::newRow("core") << "recompute_granularity=selective recompute_modules=['core_attn']"
                          << "recompute selective";
    QTest::newRow("other modules") << "recompute_granularity=selective recompute_modules=['mlp']"
                                   << "";
    QTest::newRow("fp8") << "fp8=hybrid"
                         << "fp8";
    QTest::newRow("fsdp") << "use_megatron_fsdp=True data_parallel_sharding_strategy=optim_grads_params"
                          << "ZeRO-3";
  }
  void argumentsTellRecomputePrecisionAndSharding() {
    QFETCH(QString, arguments);
    QFETCH(QString, told);
    std::string text = fileOf("megatron-log/core_2025.log"), lines;
    for (const QString& a : arguments.split(QLatin1Char(' ')))
      lines += "  " + a.section(QLatin1Char('='), 0, 0).toStdString() + " ......... " +
               a.section(QLatin1Char('='), 1).toStdString() + '\n';
    text.insert(text.find("  accumulate"), lines);
    const RunSettings s = std::get<TrainingRun>(readText(text)->of).settings;
    QVERIFY2(QString::fromStdString(degreesOf(s)).endsWith(told.isEmpty() ? QStringLiteral("ZeRO-1") : told),
             degreesOf(s).c_str());
    if (told.isEmpty()) {
      QVERIFY(!s.recompute);
      return;
    }
    // Import keeps to it, and a plan that does otherwise is not the run's.
    const auto scenario = imported("host:8@450GB/s,3us rack:8@50GB/s,5us", {{"run.log", text}});
    QVERIFY(scenario);
    Plan plan;
    plan.stages.resize(4);
    plan.zero = 2;
    plan.dataOuter = 2;
    Setting other = *scenario.value;
    other.job.format = NumberFormat::Bf16;
    std::string differences;
    for (const std::string& d : differencesOf(s, other, plan)) differences += d + "; ";
    const std::string expected = told.contains(QStringLiteral("recompute"))
                                     ? told.toStdString() + ", not none"
                                 : told == QStringLiteral("fp8") ? "fp8, not bf16"
                                                                 : "ZeRO 3, not 2";
    QVERIFY2(differences.find(expected) != std::string::npos, differences.c_str());
    if (s.recompute)
      for (const Recompute r : {Recompute::None, Recompute::Selective, Recompute::Full})
        QCOMPARE(scenario.value->search.recompute[r], r == *s.recompute);
    QCOMPARE(scenario.value->job.format == NumberFormat::Fp8, told == QStringLiteral("fp8"));
  }
  void bigSciencesLogTellsSeconds() {
    const auto reading = readText(
        " iteration       20/  1000 | consumed samples:  40960 | elapsed time per iteration (s): 105.30 | "
        "global batch size:  2048 | lm loss: 2.5E+00 | number of nan iterations:   0 | samples per second: "
        "19.45 | TFLOPs: 149.21 |\n");
    QVERIFY(reading);
    const auto& run = std::get<TrainingRun>(reading->of);
    QVERIFY(isNear(run.step->value(), 105.3) && isNear(run.rate->value(), 149.21e12));
  }
  void argumentsTellTheRelease_data() {
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<QString>("program");
    QTest::newRow("2021") << ""
                          << "megatron-2021";
    QTest::newRow("2022") << "sequence_parallel"
                          << "megatron-2022";
    QTest::newRow("2023") << "sequence_parallel overlap_grad_reduce"
                          << "megatron-core-2023";
    QTest::newRow("2024") << "sequence_parallel overlap_grad_reduce calculate_per_token_loss"
                          << "megatron-core-2024";
    QTest::newRow("2025") << "sequence_parallel calculate_per_token_loss attention_backend"
                          << "megatron-core-2025";
  }
  void argumentsTellTheRelease() {
    QFETCH(QString, arguments);
    QFETCH(QString, program);
    QString text = QStringLiteral("---- arguments ----\n  tensor_model_parallel_size ......... 2\n");
    for (const QString& a : arguments.split(QLatin1Char(' '), Qt::SkipEmptyParts))
      text += QStringLiteral("  %1 ......... False\n").arg(a);
    const auto reading = readText((text + QStringLiteral("---- end of arguments ----\n")).toStdString());
    QVERIFY(reading);
    QCOMPARE(QString::fromStdString(std::get<TrainingRun>(reading.value->of).settings.program), program);
  }
  void aTorchtitanLogGivesTheStepByItsTokens() {
    const auto run = read<TrainingRun>("torchtitan-log/llama3_70b.log");
    QCOMPARE(run.lines, 4);  // two ranks print each step
    QCOMPARE(*run.tokensPerDevice, 830.5);
    QVERIFY(isNear(run.step->value(), 64.0 * 8192 / (830.5 * 64)));
    QVERIFY(isNear(run.reserved->value(), 71.12 * 1024 * 1024 * 1024));
    QCOMPARE(degreesOf(run.settings), std::string("TP 8 · PP 1 · DP 8 · MBS 8 · recompute full"));
    QCOMPARE(run.settings.program, std::string("torchtitan-2024"));
    const auto compiled = read<TrainingRun>("torchtitan-log/compiled.txt");
    QCOMPARE(compiled.settings.program, std::string("torchtitan-2026"));
    QVERIFY(!compiled.step && *compiled.tokensPerDevice == 5724.5);
    QVERIFY(isNear(compiled.rate->value(), 331.54e12));
    QCOMPARE(*read<TrainingRun>("torchtitan-log/wps.txt").tokensPerDevice, 111770.0);
  }
  // dp_shard stands in two parts where experts are parallel.
  void aTorchtitanMeshWithExpertsTellsAllDevices() {
    std::string text = fileOf("torchtitan-log/llama3_70b.log");
    const std::string mesh = "2-D device mesh with ['dp_shard', 'tp'], [8, 8]";
    text.replace(text.find(mesh), mesh.size(),
                 "4-D device mesh with ['pp', 'dp_shard_mod_ep', 'dp_shard_in_ep', 'cp'], [2, 2, 8, 2]");
    const RunSettings s = std::get<TrainingRun>(readText(text)->of).settings;
    QVERIFY(s.devices == 64 && s.data == 16 && s.expert == 16 && s.pipeline == 2 && s.context == 2);
  }
  // A forward pass alone, at steps of its own.
  void torchtitansValidationIsNoStep() {
    std::string text = fileOf("torchtitan-log/llama3_70b.log");
    for (const char* at : {"12", "15", "22", "25", "32", "35"})
      text += std::string("[titan] - root - INFO - validate step: ") + at +
              "  loss:  8.1  memory: 75.00GiB(94.00%)  tps: 3,400\n";
    const auto run = std::get<TrainingRun>(readText(text)->of);
    QVERIFY(run.lines == 4 && *run.tokensPerDevice == 830.5);
    QVERIFY(isNear(run.reserved->value(), 71.12 * 1024 * 1024 * 1024));
  }
  void torchtitansLastStartCounts() {
    const std::string whole = fileOf("torchtitan-log/llama3_70b.log");
    std::string second = whole;
    const auto change = [&second](const std::string& from, const std::string& to) {
      for (std::size_t at = 0; (at = second.find(from, at)) != std::string::npos; at += to.size())
        second.replace(at, from.size(), to);
    };
    change("['dp_shard', 'tp'], [8, 8]", "['dp_shard'], [64]");
    change("tps: 8", "tps: 9");
    change("memory: 7", "memory: 6");
    const auto reading = readText(whole + second);
    QVERIFY(findCode(reading.diagnostics, "log-restarted"));
    const auto& run = std::get<TrainingRun>(reading->of);
    QVERIFY(run.settings.tensor == 1 && run.settings.data == 64 && *run.tokensPerDevice == 930.5);
    QVERIFY(isNear(run.reserved->value(), 61.12 * 1024 * 1024 * 1024));
    // Files of two ranks of one run are one start.
    const auto both = readText(whole + whole);
    QVERIFY(both && both.diagnostics.empty());
    QCOMPARE(std::get<TrainingRun>(both->of).lines, 4);
    QVERIFY(run.settings.recompute == Recompute::Full);
  }
  void aCutStepIsLeftOut() {
    const std::string whole = fileOf("torchtitan-log/llama3_70b.log");
    const auto reading = readText(whole.substr(0, whole.rfind("tps:") + 6));
    QVERIFY(reading && findCode(reading.diagnostics, "log-cut"));
    QCOMPARE(*std::get<TrainingRun>(reading->of).tokensPerDevice, 830.5);
  }
  void aTorchtitanConfigurationTellsTheSetupAlone() {
    const auto run = read<TrainingRun>("torchtitan-config/llama3_70b.toml");
    QCOMPARE(run.lines, 0);
    QCOMPARE(degreesOf(run.settings), std::string("TP 8 · PP 1 · DP 8 · MBS 8 · recompute full"));
    QVERIFY(run.settings.globalBatch == 64 && run.settings.devices == 64);
    QCOMPARE(run.settings.program, std::string("torchtitan-2024"));
    const auto compiled = read<TrainingRun>("torchtitan-config/compiled.toml").settings;
    QCOMPARE(compiled.program, std::string("torchtitan-2024-compiled"));
    QVERIFY(compiled.globalBatch == 1024 && compiled.microbatch == 1 && !compiled.data && !compiled.devices);
  }

  void aTorchtitanConfigurationTellsRecomputeAndPrecision() {
    const auto of = [](const std::string& more) {
      return std::get<TrainingRun>(
                 readText("[parallelism]\ntensor_parallel_degree = 8\n[training]\nseq_len = 8192\n" + more,
                          "f.toml")
                     ->of)
          .settings;
    };
    QVERIFY(of("[activation_checkpoint]\nmode = \"full\"\n").recompute == Recompute::Full);
    QVERIFY(of("[activation_checkpoint]\nmode = 'none'\n").recompute == Recompute::None);
    QVERIFY(!of("").recompute && !of("").format);
    QVERIFY(of("[model]\nconverters = [\"float8\"]\n").format == NumberFormat::Fp8);
    QVERIFY(of("[model]\nconverters = []\n").format != NumberFormat::Fp8);
  }
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
  void latenciesInAWrongUnitAreTold() {
    const std::string whole = fileOf("aiconfigurator/gemm_perf.txt");
    const auto isDoubted = [&](const char* unit) {
      std::string text;
      for (std::size_t at = 0, end; at < whole.size(); at = end + 1) {
        end = whole.find('\n', at);
        text += whole.substr(at, end - at) + (at > 0 ? unit : "") + '\n';
      }
      const auto s = imported("host:8@450GB/s", {{"gemm_perf.txt", text}});
      const auto& all = s.diagnostics;
      return s && std::any_of(all.begin(), all.end(), [](const Diagnostic& d) {
               return d.message.find("check the unit of the file") != std::string::npos;
             });
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
