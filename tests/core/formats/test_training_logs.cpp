#include <QtTest/QTest>

#include "measurement_fixture.h"
#include "program/container.h"
#include "program/program.h"

using namespace nest;
using namespace nest::test;

/// Logs and configurations of Megatron-LM and torchtitan.
class TestTrainingLogs : public QObject {
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
  /// A container holds one release, whatever the date of its log says: resources/programs.json lists which.
  void containersNameTheProgram_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("program");  // empty: none is named
    QTest::newRow("first") << "image=nvcr.io/nvidia/nemo:24.07"
                           << "nemo-2024";
    QTest::newRow("patch of the last") << "nvcr.io/nvidia/nemo:25.04.01"
                                       << "nemo-2024";
    QTest::newRow("with a suffix") << "IMAGE: nvcr.io/nvidia/nemo:25.11-py3"
                                   << "megatron-bridge-2025";
    QTest::newRow("enroot") << "--container-image=nvcr.io#nvidia/nemo:26.02"
                            << "megatron-bridge-2025";
    QTest::newRow("later") << "\"nemo:26.04.01\""
                           << "megatron-bridge-2026";
    QTest::newRow("the last of two") << "nemo:24.09, then nemo:26.08"
                                     << "megatron-bridge-2026-06";
    QTest::newRow("the last in the text") << "nemo:26.08, then nemo:24.09"
                                          << "nemo-2024";
    QTest::newRow("between two programs") << "nvcr.io/nvidia/nemo:25.05"
                                          << "";
    QTest::newRow("no release") << "nvcr.io/nvidia/nemo:dev"
                                << "";
    QTest::newRow("a year alone") << "nvcr.io/nvidia/nemo:25"
                                  << "";
    QTest::newRow("another image") << "registry/my-nemo:25.04"
                                   << "";
    QTest::newRow("none") << "no container"
                          << "";
  }
  void containersNameTheProgram() {
    QFETCH(const QString, text);
    QFETCH(const QString, program);
    const auto held = programOfContainer(text.toStdString());
    QCOMPARE(held ? QString::fromStdString(held->program) : QString(), program);
    if (program.isEmpty()) return;
    QVERIFY(findProgram(held->program));
    // NeMo's log of February 2025 in that container; and Megatron's, whose arguments say less.
    for (const char* file : {"nemo-log/nemo2.log", "megatron-log/core_2025.log"}) {
      const auto run = std::get<TrainingRun>(readText(text.toStdString() + '\n' + fileOf(file))->of);
      QCOMPARE(run.settings.program, held->program);
      QCOMPARE(run.settings.programEvidence, "it names the container " + held->container);
    }
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
    QTest::newRow("2021") << "whole"
                          << "megatron-2021";
    QTest::newRow("cut by hand, and none that tells") << ""
                                                      << "";
    QTest::newRow("0.5") << "moe_grouped_gemm"
                         << "megatron-core-2023";
    QTest::newRow("0.10") << "expert_tensor_parallel_size moe_grouped_gemm sequence_parallel"
                          << "megatron-core-2024";
    QTest::newRow("0.14") << "overlap_moe_expert_parallel_comm"
                          << "megatron-core-2025";
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
    if (arguments == QStringLiteral("whole"))
      for (int i = 0; i < 120; ++i) text += QStringLiteral("  argument_%1 ......... None\n").arg(i);
    for (const QString& a : arguments.split(QLatin1Char(' '), Qt::SkipEmptyParts))
      text += QStringLiteral("  %1 ......... False\n").arg(a);
    const auto reading = readText((text + QStringLiteral("---- end of arguments ----\n")).toStdString());
    QVERIFY(reading);
    QCOMPARE(QString::fromStdString(std::get<TrainingRun>(reading.value->of).settings.program), program);
  }
  // The newest argument that is left is older than the lines.
  void argumentsCutByHandAreReadAsFarAsTheyGo() {
    for (const char* file : {"megatron-log/cut_arguments.log", "megatron-log/no_frame.log"}) {
      const auto run = read<TrainingRun>(file);
      const RunSettings& s = run.settings;
      QCOMPARE(s.program, std::string("megatron-core-2025"));
      QVERIFY2(s.programEvidence.find("2025") != std::string::npos, s.programEvidence.c_str());
      QCOMPARE(degreesOf(s), std::string("TP 1 · PP 4 · EP 8 · DP 8 · MBS 1 · ZeRO-1"));
      QVERIFY(s.globalBatch == 256 && s.layers == 48 && s.experts == 128 && s.devices == 32);
      QVERIFY(run.lines == 3 && isNear(run.step->value(), 5.3734));
      QVERIFY(!s.sequenceLength);
    }
  }
  // A whole list leaves no doubt, whenever it was printed.
  void aWholeListTellsAnOldReleaseInANewLog() {
    std::string text = fileOf("megatron-log/cut_arguments.log"), more;
    for (int i = 0; i < 120; ++i) more += "  argument_" + std::to_string(i) + " ......... None\n";
    text.insert(text.find("  context_parallel_size"), more);
    QCOMPARE(std::get<TrainingRun>(readText(text)->of).settings.program, std::string("megatron-core-2024"));
  }
  void wrongMegatronArgumentsAreTold() {
    const auto reading = readText(fileOf("megatron-log/wrong_arguments.log"));
    QVERIFY(reading);
    const RunSettings& s = std::get<TrainingRun>(reading->of).settings;
    QVERIFY(!s.pipeline && !s.sequenceParallel);
    const Diagnostic* wrong = findCode(reading.diagnostics, "megatron-argument");
    QVERIFY(wrong && wrong->where.line == 10);
    QVERIFY2(wrong->message.find("pipeline_model_parallel_size") == 0, wrong->message.c_str());
    const Diagnostic* unused = findCode(reading.diagnostics, "not-used");
    QVERIFY(unused && unused->message.find("overlap_moe_expert_parallel_comm = True") != std::string::npos &&
            unused->message.find("pipeline_model_parallel_layout") != std::string::npos);
  }
  void degreesThatContradictEachOtherAreTold() {
    std::string text = fileOf("megatron-log/cut_arguments.log");
    QVERIFY(!findCode(readText(text).diagnostics, "run-degrees"));
    text.replace(text.find(" 32\n"), 4, " 33\n");
    QVERIFY(findCode(readText(text).diagnostics, "run-degrees"));
  }
  void aLogOfOtherExpertsIsOfAnotherModel() {
    const auto s = imported("host:8@450GB/s,3us rack:4@50GB/s,5us",
                            {{"run.log", fileOf("megatron-log/cut_arguments.log")}});
    QVERIFY(s);
    QVERIFY(findCode(s.diagnostics, "run-model")->message.find("experts 128, not 0") != std::string::npos);
  }
  // Since March 2025 the sizes stand in a line of their own, before the one of the first step.
  void aTorchtitanLogOf2025TellsItsSizesAndProgram() {
    const auto run = read<TrainingRun>("torchtitan-log/trainer_2025.log");
    const RunSettings& s = run.settings;
    QVERIFY(s.globalBatch == 64 && s.localBatch == 2 && s.microbatch == 2 && s.sequenceLength == 4096);
    QVERIFY(s.devices == 16 && s.recompute == Recompute::Selective);
    QVERIFY(isNear(run.step->value(), 64.0 * 4096 / (9836 * 16)));
    QCOMPARE(s.program, std::string("torchtitan-2026"));
    QVERIFY(s.programEvidence.find("2025") != std::string::npos);
    // It names its device and its model's size; the import has others.
    const auto made =
        imported("host:8@450GB/s rack:2@50GB/s", {{"run.log", fileOf("torchtitan-log/trainer_2025.log")}});
    QVERIFY(made);
    QVERIFY(findCode(made.diagnostics, "run-device")->message.find("NVIDIA B200") != std::string::npos);
    QVERIFY(findCode(made.diagnostics, "run-model")->message.find("8.03 billion parameters, not 70.6") !=
            std::string::npos);
    std::string undated = fileOf("torchtitan-log/trainer_2025.log");
    for (std::size_t at = 0; (at = undated.find("2025-11-12", at)) != std::string::npos;)
      undated.replace(at, 10, "2024-11-12");
    for (std::size_t at = 0; (at = undated.find("tflops", at)) != std::string::npos;)
      undated.replace(at, 6, "xflops");
    QCOMPARE(std::get<TrainingRun>(readText(undated)->of).settings.program, std::string("torchtitan-2024"));
  }
  void aTorchtitanLogOf2026CountsTokens() {
    const auto reading = readText(fileOf("torchtitan-log/tokens_2026.log"));
    const auto& run = std::get<TrainingRun>(reading->of);
    const RunSettings& s = run.settings;
    QVERIFY(s.globalBatch == 64 && s.localBatch == 4 && s.sequenceLength == 8192 && s.data == 8);
    QVERIFY(isNear(run.step->value(), 524288 / (4096.0 * 16)));
    QVERIFY(s.recompute == Recompute::Full && s.program == "torchtitan-2026" && s.overlapsTensor == false);
    QVERIFY(findCode(reading.diagnostics, "not-used")->message.find("CPU offloading") != std::string::npos);
    // Imported, its tensor exchanges wait, though this program can run them beside products.
    const auto scenario =
        imported("host:8@450GB/s rack:2@50GB/s", {{"run.log", fileOf("torchtitan-log/tokens_2026.log")}});
    QVERIFY(scenario && scenario.value->assumptions.overlap[Exchange::Tensor] == 0);
  }
  void torchtitansPipelineTellsChunksAndMicrobatches() {
    const auto run = read<TrainingRun>("torchtitan-log/pipeline_2025.log");
    QVERIFY(run.settings.chunks == 2 && run.settings.microbatch == 2 && run.settings.globalBatch == 128);
    // The loss alone is compiled.
    QCOMPARE(run.settings.program, std::string("torchtitan-2024"));
  }
  // torchtitan multiplies the local batch by the data-parallel ranks, which are what is left of the devices.
  void aConfigurationWithoutAGlobalBatchTakesTheClusters() {
    const RunSettings s = read<TrainingRun>("torchtitan-config/no_batch.toml").settings;
    QVERIFY(!s.globalBatch && s.localBatch == 6 && s.saysBatch());
    const auto batchOn = [](const char* line) {
      const auto made = imported(line, {{"f.toml", fileOf("torchtitan-config/no_batch.toml")}});
      return made ? made.value->job.globalBatch : 0;
    };
    QCOMPARE(batchOn("host:8@450GB/s"), 48);
    QCOMPARE(batchOn("host:8@450GB/s rack:4@50GB/s"), 192);
    const auto defaults = readText(fileOf("torchtitan-config/defaults.toml"), "f.toml");
    QVERIFY(std::get<TrainingRun>(defaults->of).settings.localBatch == 8);
    for (const char* code : {"torchtitan-default", "toml-flag", "toml-recompute", "not-used"})
      QVERIFY2(findCode(defaults.diagnostics, code), code);
  }
  // What they leave to the file of the configuration stays open.
  void optionsOfTorchtitansCommandLineAreRead() {
    const RunSettings s = read<TrainingRun>("torchtitan-config/options.txt").settings;
    QVERIFY(s.localBatch == 4 && s.sequenceLength == 8192 && s.tensor == 2 && s.data == 4);
    QVERIFY(s.globalBatch == 16 && !s.pipeline && !s.context);
    QCOMPARE(s.program, std::string("torchtitan-2026"));
  }
  void nemoTellsTimeBatchAndMemory() {
    const auto two = read<TrainingRun>("nemo-log/nemo2.log");
    QVERIFY(two.lines == 3 && isNear(two.step->value(), 9.401) && isNear(two.rate->value(), 612.1e12));
    QVERIFY(two.settings.globalBatch == 128 && two.settings.devices == 64);
    QVERIFY(isNear(two.reserved->value(), 66571993088.0) &&
            isNear(two.allocated->value(), 61571993088.0 + 3072));
    QCOMPARE(two.settings.program, std::string("nemo-2024"));
    const auto one = read<TrainingRun>("nemo-log/nemo1_bar.txt");
    QVERIFY(one.lines == 3 && isNear(one.step->value(), 11.82));
    QVERIFY(one.settings.globalBatch == 256 && one.settings.sequenceLength == 4096);
    QCOMPARE(degreesOf(one.settings), std::string("TP 4 + SP · PP 2 · MBS 1 · recompute selective"));
  }
  void nanotronTellsTimeAndTokens() {
    const auto bare = read<TrainingRun>("nanotron-log/steps.log");
    QVERIFY(isNear(bare.step->value(), 1.195) && isNear(bare.rate->value(), 384e12) && bare.lines == 2);
    QVERIFY(!bare.settings.globalBatch && isNear(*bare.settings.batchTokens, 2.1e6));
    QCOMPARE(bare.settings.program, std::string("nanotron"));
    const auto whole = read<TrainingRun>("nanotron-log/config.log");
    const RunSettings& s = whole.settings;
    QCOMPARE(degreesOf(s), std::string("TP 2 + SP · PP 2 · DP 4 · MBS 2 · ZeRO-1"));
    QVERIFY(s.globalBatch == 64 && s.sequenceLength == 4096 && s.devices == 16);
    QVERIFY(isNear(whole.step->value(), 0.501) && whole.leftOut == 1);
    QVERIFY(isNear(whole.allocated->value(), 40960.0 * 1024 * 1024));
  }
  void maxTextTellsTimeAndItsConfiguration() {
    const auto bare = read<TrainingRun>("maxtext-log/steps.log");
    QVERIFY(isNear(bare.step->value(), 10.509) && isNear(*bare.settings.batchTokens, 4194304.0));
    const auto whole = read<TrainingRun>("maxtext-log/configured.log");
    const RunSettings& s = whole.settings;
    QVERIFY(s.globalBatch == 96 && s.sequenceLength == 2048 && s.tensor == 4 && s.devices == 16);
    QVERIFY(!s.batchTokens);  // sequences are padded
    QVERIFY(whole.lines == 3 && isNear(whole.step->value(), 5.668));
  }
  void maxTextNamesItsTpu() {
    const auto made = [](const std::string& before, bool choosesDevice) {
      std::vector<NamedText> files = {
          {"run.log", before + fileOf("maxtext-log/configured.log")},
          {"net", "host:4@90GB/s rack:4@50GB/s"},
          {"config.json", test::readFile(std::string(NEST_SOURCE_DIR) + "/samples/models/llama-3-8b.json")}};
      ImportOptions options;
      options.choosesDevice = choosesDevice;
      auto parts = importFiles(files, *findDevice("tpu-v4"), {}, options);
      auto scenario = assemble(*parts.value, nullptr, nullptr);
      for (Diagnostic& d : parts.diagnostics) scenario.diagnostics.push_back(std::move(d));
      return scenario;
    };
    const std::string backend = "System Information: Jax Backend: PJRT C API\nTFRT TPU v5 lite\n";
    const auto chosen = made(backend, true);
    QCOMPARE(chosen->cluster.device.id, std::string("tpu-v5e"));
    QVERIFY(findCode(chosen.diagnostics, "device-from-file") && !findCode(chosen.diagnostics, "run-device"));
    const auto kept = made(backend, false);
    QCOMPARE(kept->cluster.device.id, std::string("tpu-v4"));
    QVERIFY(findCode(kept.diagnostics, "run-device"));
    QVERIFY(!findCode(made("", true).diagnostics, "run-device"));
    // It may say no more than that it ran on TPUs.
    const auto h100 =
        imported("host:4@90GB/s",
                 {{"run.log", "Config param hardware: tpu\n" + fileOf("maxtext-log/configured.log")}});
    QVERIFY(findCode(h100.diagnostics, "run-device"));
  }
  void tokensTellTheRoundestNumberOfSequences() {
    QVERIFY(sequencesIn(2.1e6, 4096) == 512);
    QVERIFY(sequencesIn(4194304, 4096) == 1024);
    QVERIFY(sequencesIn(1.05e6, 8192) == 128);
    QVERIFY(!sequencesIn(2.1e6, 3'000'000));
    const auto s = imported("host:8@450GB/s", {{"run.log", fileOf("maxtext-log/steps.log")}});
    QVERIFY(s && s.value->job.globalBatch == 4194304 / s.value->job.sequenceLength);
  }
  void stepsThatBeginAgainAreAnotherStart() {
    const std::string whole = fileOf("maxtext-log/configured.log");
    std::string slow = whole;
    for (std::size_t at = 0; (at = slow.find("seconds: 5", at)) != std::string::npos; ++at)
      slow[at + 9] = '9';
    const auto reading = readText(slow + whole);
    QVERIFY(findCode(reading.diagnostics, "log-restarted"));
    QVERIFY(isNear(std::get<TrainingRun>(reading->of).step->value(), 5.668));
    const auto cut = readText(whole + "completed step: 5, seconds: 5.6");
    QVERIFY(findCode(cut.diagnostics, "log-cut"));
    QCOMPARE(std::get<TrainingRun>(cut->of).lines, 3);
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
    QVERIFY(compiled.program == "torchtitan-2026" && compiled.overlapsTensor == false);
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
};
NEST_TEST(TestTrainingLogs)
#include "test_training_logs.moc"
