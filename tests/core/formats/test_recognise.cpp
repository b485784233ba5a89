#include <QtTest/QTest>

#include "formats/recognise.h"
#include "support/test_main.h"

using namespace nest;

class TestRecognise : public QObject {
  Q_OBJECT
private slots:
  void kinds_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("kind");
    const auto row = [](const char* name, const char* text, const char* file, FileKind kind) {
      QTest::newRow(name) << text << file << nameOf(kind);
    };
    row("scenario", R"({"format": "nest-scenario"})", "", FileKind::Scenario);
    row("scenario without format", R"({"cluster": {}, "job": {}})", "x.json", FileKind::Scenario);
    row("broken scenario by name", "{", "a.nest.json", FileKind::Scenario);
    row("empty scenario by name", "", "a.nest.json", FileKind::Scenario);
    row("plan", R"({"format": "nest-plan", "stages": []})", "", FileKind::Plan);
    row("outcome", R"({"format": "nest-outcome", "plan": {"format": "nest-plan"}})", "", FileKind::Outcome);
    row("config", R"({"model_type": "llama"})", "", FileKind::HuggingFaceConfig);
    row("piper", R"({"nodes": [{"TMPCs": {}}]})", "", FileKind::PiperProfile);
    row("artifact", R"({"bws": [], "nodes": [{"TMPCs": {}}]})", "", FileKind::NestArtifact);
    row("pipedream", "node1 -- Embedding -- forward_compute_time=0.4, backward_compute_time=0.5", "graph.txt",
        FileKind::PipeDreamGraph);
    row("slurm tree", "# c\nswitchname=leaf0 Nodes=gpu[0-3]\n", "", FileKind::SlurmTopologyConf);
    row("slurm block", "BlockName=b Nodes=gb[01-18]\nBlockSizes=16", "", FileKind::SlurmTopologyConf);
    row("slurm yaml", "- topology: fabric\n  tree:\n    switches:\n", "", FileKind::SlurmTopologyYaml);
    row("slurm yaml with its document marked", "# c\n---\n- topology: fabric\n  tree:\n", "",
        FileKind::SlurmTopologyYaml);
    row("nvidia-smi", "\x1b[4m\tGPU0\tGPU1\tCPU Affinity\x1b[0m\nGPU0\t X \tNV12\nGPU1\tNV12\t X \n", "",
        FileKind::NvidiaSmiTopology);
    row("nvidia-smi, pasted", "\t[4mGPU0\tGPU1\tCPU Affinity[0m\nGPU0\t X \tNV12\nGPU1\tNV12\t X \n", "",
        FileKind::NvidiaSmiTopology);
    row("nccl", "<system version=\"1\"><cpu/></system>", "", FileKind::NcclTopologyXml);
    row("simgrid", "<?xml version='1.0'?>\n<platform version=\"4.1\"/>", "", FileKind::SimGridPlatform);
    row("graphml", "\xEF\xBB\xBF<?xml version='1.0'?><graphml/>", "", FileKind::GraphMl);
    row("dot", "// fabric\nstrict digraph G { a -> b }", "", FileKind::Dot);
    row("astra", "topology: [ Switch ]\nnpus_count: [ 8 ]\n", "", FileKind::AstraNetworkYaml);
    row("one line", "host:8@450GB/s rack:4@50GB/s,2us", "", FileKind::ClusterText);
    row("tokenizer", R"({"tokenizer_class": "LlamaTokenizer"})", "tokenizer_config.json", FileKind::Unknown);
    row("no config at all", R"({"a": 1})", "config.json", FileKind::HuggingFaceConfig);
    row("empty", "", "", FileKind::Unknown);
    row("prose", "To whom it may concern", "letter.txt", FileKind::Unknown);
    row("Kueue", "apiVersion: kueue.x-k8s.io/v1beta1\nkind: Topology\n", "topology.yaml", FileKind::Unknown);
    row("scontrol show nodes", "NodeName=gpu00 Arch=x86_64\n CPUAlloc=0\n", "topology.conf",
        FileKind::Unknown);
    row("edges", "gpu0 gpu1 50\ngpu1 gpu2 50\n", "edges.txt", FileKind::Unknown);
  }
  void whatIsMisgivenIsSaid_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("word");
    const auto row = [](const char* name, const char* text, const char* word) {
      QTest::newRow(name) << text << word;
    };
    row("weights", R"({"metadata": {}, "weight_map": {"a": "b"}})", "weights");
    row("tokenizer", R"({"tokenizer_class": "LlamaTokenizer"})", "tokenizer");
    row("generation", R"({"_from_model_config": true})", "generates");
    row("parameters", R"({"dim": 4096, "n_layers": 32})", "maker");
    row("hwloc", "<?xml version='1.0'?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology/>", "hwloc");
    row("msccl", "<algo name='a'/>", "MSCCL");
    row("slurm.conf", "# c\nClusterName=c\nNodeName=n[1-4] CPUs=4\n", "slurm.conf");
    row("nvidia-smi", "| NVIDIA-SMI 550.54 |", "GPUs");
    row("rocm-smi", "==== ROCm System Management Interface ====\n", "AMD");
    row("rocm-smi topology",
        "==== ROCm System Management Interface ====\n==== Weight between two GPUs ====\n"
        "       GPU0         GPU1\nGPU0   0            15\nGPU1   15           0\n",
        "AMD");
    row("amd-smi topology", "LINK TYPE TABLE:\n      GPU0 GPU1\nGPU0 SELF XGMI\n", "AMD");
    row("scontrol show nodes",
        "NodeName=gpu00 Arch=x86_64 CoresPerSocket=56\n   CPUAlloc=0 Gres=gpu:h100:8\n",
        "scontrol show nodes");
    row("Kueue",
        "apiVersion: kueue.x-k8s.io/v1beta1\nkind: Topology\nspec:\n  levels:\n  - nodeLabel: rack\n",
        "Kubernetes");
    row("AWS", R"({"Instances": [{"InstanceId": "i-1", "NetworkNodes": ["nn-1"]}]})", "AWS");
    row("kubectl", R"({"apiVersion": "v1", "items": [], "kind": "List"})", "Kubernetes");
    row("ibnetdiscover", "vendid=0x2c9\ndevid=0xd2f0\nSwitch\t40 \"S-1\"", "ibnetdiscover");
    row("packed", "PK\x03\x04", "compressed");
    row("prose", "To whom it may concern", "");
  }
  void whatIsMisgivenIsSaid() {
    QFETCH(QString, text);
    QFETCH(QString, word);
    const Misgiven m = misgiven(text.toStdString());
    QCOMPARE(m.is != nullptr, !word.isEmpty());
    QCOMPARE(m.is != nullptr, m.remedy != nullptr);
    QVERIFY(!m.is || QString(m.is).contains(word));
    QVERIFY(!m.is || recognise(text.toStdString()) == FileKind::Unknown);
  }
  void kinds() {
    QFETCH(QString, text);
    QFETCH(QString, file);
    QFETCH(QString, kind);
    QCOMPARE(QString(nameOf(recognise(text.toStdString(), file.toStdString()))), kind);
  }
};
NEST_TEST(TestRecognise)
#include "test_recognise.moc"
