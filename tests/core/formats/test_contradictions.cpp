#include <QtTest/QTest>

#include "formats/networks/dot.h"
#include "formats/networks/nccl_xml.h"
#include "formats/networks/nvidia_topo.h"
#include "formats/results/plan_json.h"
#include "measurement_fixture.h"

using namespace nest;
using namespace nest::test;

namespace {

Reading<Imported> networkOf(const char* name, const std::string& text) {
  return importFiles({{name, text, {}}}, *findDevice("h100-sxm"), {});
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  if (at == std::string::npos) qFatal("%s is not in the text", what.c_str());
  return text.replace(at, what.size(), by);
}

/// A host of two GPUs that NVLink joins, with what each end says of it.
std::string hostXml(int firstSm, int secondSm, int there, int back) {
  const auto gpu = [](int number, int sm, int links) {
    const std::string own = std::to_string(number + 1), other = std::to_string(2 - number);
    return "<pci busid=\"" + own + "\" class=\"0x030200\"><gpu dev=\"" + std::to_string(number) + "\" sm=\"" +
           std::to_string(sm) + "\"><nvlink target=\"" + other + "\" count=\"" + std::to_string(links) +
           "\" tclass=\"0x030200\"/></gpu></pci>";
  };
  return "<system version=\"1\"><cpu numaid=\"0\">" + gpu(0, firstSm, there) + gpu(1, secondSm, back) +
         "<nic><net name=\"mlx5_0\" speed=\"400000\"/></nic></cpu></system>";
}

}  // namespace

/// Files whose parts contradict one another, or say what is not used, are not read in silence.
class TestContradictions : public QObject {
  Q_OBJECT
private slots:
  /// Columns that do not nest were regrouped in silence.
  void aNameInTwoWiderGroupsIsNoted() {
    const auto crossed =
        networkOf("a.csv", "host,leaf,rack,gpus\ng0,l0,r1,8\ng1,l0,r2,8\ng2,l1,r1,8\ng3,l1,r2,8\n");
    const Diagnostic* said = findCode(crossed.diagnostics, "inventory-names-repeat");
    QVERIFY(said && said->where.line == 3);
    const auto nested =
        networkOf("a.csv", "host,leaf,rack,gpus\ng0,l0,r1,8\ng1,l0,r1,8\ng2,l1,r2,8\ng3,l2,r2,8\n");
    QVERIFY(nested && !findCode(nested.diagnostics, "inventory-names-repeat"));
  }
  /// A port behind a host's name counted as its devices.
  void aPortIsNoNumberOfDevices() {
    const auto ports = networkOf("hostfile", "gpu00 slots=8\ngpu01:2222\n");
    QVERIFY(!ports);
    const Diagnostic* told = findCode(ports.diagnostics, "host-devices");
    QVERIFY(told && told->where.line == 2 && !told->remedy.empty());
    QVERIFY(networkOf("hostfile", "gpu00:8\ngpu01:8\n").diagnostics.empty() ||
            !findCode(networkOf("hostfile", "gpu00:8\ngpu01:8\n").diagnostics, "hostfile-port"));
    QVERIFY(findCode(networkOf("hostfile", "gpu00:22\ngpu01:22\n").diagnostics, "hostfile-port"));
    const auto both = networkOf("hostfile", "gpu00:22 slots=8\ngpu01 slots=8\n");
    QVERIFY(both && findCode(both.diagnostics, "hostfile-port"));
    QVERIFY(!networkOf("hosts.csv", "host,rack,gpus\ng0,r1,29500\ng1,r1,8\n"));
    QVERIFY(networkOf("hosts.csv", "host,rack,gpus\ng0,r1,1024\ng1,r1,1024\n"));
  }
  void slotsOfAHostAgree() {
    const auto most = networkOf("hostfile", "gpu00 slots=8 max_slots=4\ngpu01 slots=8\n");
    QVERIFY(!most && findCode(most.diagnostics, "hostfile-slots")->where.line == 1);
    QVERIFY(!findCode(networkOf("hostfile", "gpu00 slots=8 max_slots=8\n").diagnostics, "hostfile-slots"));
    const auto alone = networkOf("hostfile", "gpu00 max_slots=8\ngpu01 max_slots=8\n");
    QCOMPARE(findCode(alone.diagnostics, "hostfile-slots")->severity, Severity::Note);
    const auto twice = networkOf("hostfile", "gpu00 slots=8\ngpu00 slots=8\ngpu01 slots=8\n");
    QVERIFY(twice && findCode(twice.diagnostics, "hostfile-twice")->where.line == 2);
    QVERIFY(!findCode(networkOf("nodefile", "gpu00\ngpu00\ngpu01\ngpu01\n").diagnostics, "hostfile-twice"));
  }
  void slurmsCountsAndIncludesAreTold() {
    const auto gres = [](const char* more) {
      return networkOf("gres.conf",
                       std::string("NodeName=a[0-3] Name=gpu Type=h100 File=/dev/nvidia[0-7]") + more + '\n');
    };
    QVERIFY(gres(" Count=8"));
    QVERIFY(!gres(" Count=4"));
    const auto included = networkOf("slurm.conf", "Include nodes.conf\nNodeName=a[0-3] Gres=gpu:h100:8\n");
    QVERIFY(included);
    const Diagnostic* told = findCode(included.diagnostics, "slurm-include");
    QVERIFY(told && told->message.find("nodes.conf") != std::string::npos && told->where.line == 1);
  }
  void gpusOfOneHostAreOfOneKind() {
    const auto mixed = readNcclXml(hostXml(80, 90, 12, 12));
    QVERIFY(mixed);
    QCOMPARE(mixed->architecture, 80);  // the slower one, whatever their order
    QCOMPARE(readNcclXml(hostXml(90, 80, 12, 12))->architecture, 80);
    const Diagnostic* told = findCode(mixed.diagnostics, "nccl-mixed");
    QVERIFY(told && told->message.find("A100") != std::string::npos &&
            told->message.find("H100") != std::string::npos);
    QVERIFY(readNcclXml(hostXml(90, 90, 18, 18)).diagnostics.empty());
  }
  void bothEndsOfAnNvlinkAgree() {
    const auto odd = readNcclXml(hostXml(80, 80, 12, 4));
    QVERIFY(!odd);
    const Diagnostic* told = findCode(odd.diagnostics, "nccl-asymmetric");
    QVERIFY(told && told->message.find("GPU1 and GPU0") != std::string::npos);
  }
  void aListOfGpusAboveTheMatrixNamesThem() {
    const std::string matrix = "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV12\t0-31\nGPU1\tNV12\t X \t0-31\n";
    const std::string first = "GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-1)\n";
    const auto alike = readNvidiaTopo(first + "GPU 1: NVIDIA A100-SXM4-40GB (UUID: GPU-2)\n" + matrix);
    QVERIFY(alike && !findCode(alike.diagnostics, "topo-mixed"));
    QCOMPARE(alike->deviceName, std::string("NVIDIA A100-SXM4-40GB"));
    const auto mixed = readNvidiaTopo(first + "GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-2)\n" + matrix);
    QVERIFY(findCode(mixed.diagnostics, "topo-mixed"));
    ImportOptions options;
    options.choosesDevice = true;
    const auto host = importFiles({{"topo.txt", first + matrix, {}}}, *findDevice("h100-sxm"), {}, options);
    QVERIFY(host);
    QCOMPARE(host->cluster->device.id, std::string("a100-40"));
  }
  void attributesOfDotThatAreNotUsedAreNamed() {
    const auto g = readDot(
        "graph { node [shape=box, memory=40]; d0 [kind=device, Label=\"a\"]; d1 [kind=device];"
        " d0 -- d1 [gbps=450, capacity=100, mtu=9000, fontsize=9, labelangle=3]; }",
        "n.dot");
    QVERIFY(g);
    const Diagnostic* told = findCode(g.diagnostics, "attributes-ignored");
    QVERIFY(told);
    for (const char* name : {"capacity", "mtu", "memory"})
      QVERIFY2(told->message.find(name) != std::string::npos, name);
    for (const char* name : {"shape", "font", "label", "gbps"})
      QVERIFY2(told->message.find(name) == std::string::npos, name);
  }
  /// The wordings of torchtitan's releases since 2024.
  void torchtitansNumberFormatsAreTaken_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("format");
    QTest::addColumn<QString>("unused");
    const auto row = [](const char* line, const char* format, const char* unused = "") {
      QTest::newRow(line) << line << format << unused;
    };
    row("Float8 training active", "fp8");
    row("Float8 training active with recipe rowwise", "fp8");
    row("Float8 tensorwise scaled training active", "fp8");
    row("Swapped to Float8Linear layers with enable_fsdp_float8_all_gather=False", "fp8");
    row("MX training active with recipe mxfp8_cublas", "mxfp8");
    row("Swapped to MXLinear layers", "mxfp8");
    row("Converted Linear layers to MXFP8Linear with saved input activation formats: 1 bf16, 2 mxfp8",
        "mxfp8");
    row("MX training active with recipe mxfp4_cutlass", "", "products in fp4");
    row("Converted Linear layers to NVFP4Linear", "nvfp4");
    row("MXFP8 MoE training enabled", "", "fp8 in the products of experts alone");
    row("Converted GroupedExperts to use dynamic float8 rowwise quantization with scaled grouped GEMMs", "",
        "fp8 in the products of experts alone");
    row("Failed to swap to Float8Linear because float8 is only supported on SM89 or later", "");
  }
  void torchtitansNumberFormatsAreTaken() {
    QFETCH(QString, line);
    QFETCH(QString, format);
    QFETCH(QString, unused);
    const std::string prefix = "[rank0]:[titan] 2025-11-12 20:23:03,100 - root - INFO - ";
    const auto log =
        readText(replaced(fileOf("torchtitan-log/trainer_2025.log"), prefix + "Applied selective",
                          prefix + line.toStdString() + '\n' + prefix + "Applied selective"));
    QVERIFY(log);
    const auto& s = std::get<TrainingRun>(log->of).settings;
    QCOMPARE(s.format ? nameOf(*s.format) : "", format);
    std::string told;
    for (const Diagnostic& d : log.diagnostics) told += d.message;
    QVERIFY2(unused.isEmpty() || told.find(unused.toStdString()) != std::string::npos, told.c_str());
  }
  void degreesOfALogAgreeWithItsDevices_data() {
    QTest::addColumn<QString>("log");
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    const auto row = [](const char* log, const char* from, const char* to) {
      QTest::newRow(to) << log << from << to;
    };
    row("maxtext-log/configured.log", "dcn_tensor_parallelism: 1", "dcn_tensor_parallelism: 8");
    row("maxtext-log/configured.log", "dcn_tensor_parallelism: 1", "dcn_tensor_parallelism: 3");
    row("maxtext-log/configured.log", "Num_devices: 16", "Num_devices: 64");
    row("torchtitan-log/trainer_2025.log", "gradient accumulation steps 2", "gradient accumulation steps 7");
    row("nanotron-log/config.log", "dp=4", "dp=8");
    row("nanotron-log/config.log", "tp=2", "tp=4");
    row("nanotron-log/config.log", "batch_accumulation_per_replica=8", "batch_accumulation_per_replica=1");
  }
  void degreesOfALogAgreeWithItsDevices() {
    QFETCH(QString, log);
    QFETCH(QString, from);
    QFETCH(QString, to);
    const std::string text = fileOf(log.toStdString());
    QVERIFY(!findCode(readText(text).diagnostics, "run-degrees"));
    const auto odd = readText(replaced(text, from.toStdString(), to.toStdString()));
    QVERIFY(odd && findCode(odd.diagnostics, "run-degrees"));
  }
  void megatronsOrderOfRanksIsNamed() {
    const auto with = [](const char* line) {
      const auto log = readText(replaced(fileOf("megatron-log/core_2025.log"), "  world_size .",
                                         std::string("  ") + line + "\n  world_size ."));
      std::string told;
      for (const Diagnostic& d : log.diagnostics) told += d.message;
      return told;
    };
    const std::string odd = with("order ........................... tp-cp-ep-pp-dp");
    QVERIFY2(odd.find("order = tp-cp-ep-pp-dp") != std::string::npos, odd.c_str());
    QVERIFY(with("use_tp_pp_dp_mapping ........................... True").find("use_tp_pp_dp_mapping") !=
            std::string::npos);
    QVERIFY(with("order ........................... tp-cp-ep-dp-pp").find("order") == std::string::npos);
  }
  void anOutcomeWithoutAPlanSaysWhy_data() {
    QTest::addColumn<QString>("fields");
    QTest::addColumn<QString>("why");
    QTest::newRow("deadline") << R"("status": "stopped", "stopped_by": "deadline")"
                              << "at its deadline";
    QTest::newRow("request") << R"("status": "stopped", "stopped_by": "request")"
                             << "by request";
    QTest::newRow("memory") << R"("status": "stopped", "stopped_by": "memory-limit")"
                            << "at its memory limit";
    QTest::newRow("infeasible") << R"("status": "infeasible")"
                                << "nothing fitted";
    QTest::newRow("failed") << R"("status": "failed")"
                            << "the search failed";
    QTest::newRow("bare") << R"("status": "x")"
                          << "holds no plan";
  }
  void anOutcomeWithoutAPlanSaysWhy() {
    QFETCH(QString, fields);
    QFETCH(QString, why);
    const auto r =
        readPlan(R"({"format": "nest-outcome", "version": 1, )" + fields.toStdString() + '}', "stop.json");
    const Diagnostic* told = findCode(r.diagnostics, "no-plan");
    QVERIFY(told);
    QVERIFY2(told->message.find(why.toStdString()) != std::string::npos, told->message.c_str());
    QCOMPARE(told->message.find("nothing fitted") != std::string::npos, why == "nothing fitted");
  }
};
NEST_TEST(TestContradictions)
#include "test_contradictions.moc"
