#include <QtTest/QTest>

#include "formats/format.h"
#include "formats/results/plan_json.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

class TestRecognise : public QObject {
  Q_OBJECT
private slots:
  void kinds_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("key");
    const auto row = [](const char* name, const char* text, const char* file, const char* key) {
      QTest::newRow(name) << text << file << key;
    };
    row("scenario", R"({"format": "nest-scenario"})", "", "scenario");
    row("scenario without format", R"({"cluster": {}, "job": {}})", "x.json", "scenario");
    row("broken scenario by name", "{", "a.nest.json", "scenario");
    row("empty scenario by name", "", "a.nest.json", "scenario");
    row("plan", R"({"format": "nest-plan", "stages": []})", "", "plan");
    row("outcome", R"({"format": "nest-outcome", "plan": {"format": "nest-plan"}})", "", "outcome");
    row("config", R"({"model_type": "llama"})", "", "hf-config");
    row("piper", R"({"nodes": [{"TMPCs": {}}]})", "", "piper");
    row("artifact", R"({"bws": [], "nodes": [{"TMPCs": {}}]})", "", "nest-artifact");
    row("pipedream", "node1 -- Embedding -- forward_compute_time=0.4, backward_compute_time=0.5", "graph.txt",
        "pipedream");
    row("slurm tree", "# c\nswitchname=leaf0 Nodes=gpu[0-3]\n", "", "slurm-conf");
    row("slurm block", "BlockName=b Nodes=gb[01-18]\nBlockSizes=16", "", "slurm-conf");
    row("slurm yaml", "- topology: fabric\n  tree:\n    switches:\n", "", "slurm-yaml");
    row("slurm yaml with its document marked", "# c\n---\n- topology: fabric\n  tree:\n", "", "slurm-yaml");
    row("nvidia-smi", "\x1b[4m\tGPU0\tGPU1\tCPU Affinity\x1b[0m\nGPU0\t X \tNV12\nGPU1\tNV12\t X \n", "",
        "nvidia-topo");
    row("nvidia-smi, pasted", "\t[4mGPU0\tGPU1\tCPU Affinity[0m\nGPU0\t X \tNV12\nGPU1\tNV12\t X \n", "",
        "nvidia-topo");
    row("nccl", "<system version=\"1\"><cpu/></system>", "", "nccl-xml");
    row("simgrid", "<?xml version='1.0'?>\n<platform version=\"4.1\"/>", "", "simgrid");
    row("graphml", "\xEF\xBB\xBF<?xml version='1.0'?><graphml/>", "", "graphml");
    row("dot", "// fabric\nstrict digraph G { a -> b }", "", "dot");
    row("astra", "topology: [ Switch ]\nnpus_count: [ 8 ]\n", "", "astra-sim");
    row("one line", "host:8@450GB/s rack:4@50GB/s,2us", "", "cluster-text");
    row("Ansible in YAML", "---\nall:\n  children:\n    rack1:\n      hosts:\n        gpu00:\n", "",
        "ansible");
    row("a playbook", "---\n- hosts: all\n  vars:\n    ansible_user: x\n", "", "");
    row("tokenizer", R"({"tokenizer_class": "LlamaTokenizer"})", "tokenizer_config.json", "");
    row("no config at all", R"({"a": 1})", "config.json", "hf-config");
    row("empty", "", "", "");
    row("prose", "To whom it may concern", "letter.txt", "");
    row("Kueue", "apiVersion: kueue.x-k8s.io/v1beta1\nkind: Topology\n", "topology.yaml", "");
    row("scontrol show nodes", "NodeName=gpu00 Arch=x86_64\n CPUAlloc=0\n", "topology.conf", "slurm-nodes");
    row("a matrix below what lists the GPUs",
        "| NVIDIA-SMI 550.54 |\n\tGPU0\tGPU1\nGPU0\t X \tNV12\nGPU1\tNV12\t X \n", "", "nvidia-topo");
    row("a drawing with GPUs in it", "graph { gpu0 -- gpu1 [label=\" x \"] }", "", "dot");
    row("slurm.conf under another name", "NodeName=n[1-4] CPUs=4\n", "topology.conf", "slurm-nodes");
    row("Slurm's tree with its nodes", "SwitchName=l Nodes=n[1-4]\nNodeName=n[1-4] Gres=gpu:8\n", "",
        "slurm-conf");
    row("rocm-smi",
        "==== ROCm System Management Interface ====\n==== Weight between two GPUs ====\n"
        "       GPU0         GPU1\nGPU0   0            15\nGPU1   15           0\n",
        "", "amd-topo");
    row("amd-smi", "LINK TYPE TABLE:\n      GPU0 GPU1\nGPU0 SELF XGMI\nGPU1 XGMI SELF\n", "", "amd-topo");
    row("a list of numbers", "[1, 2]", "", "");
    row("an INI file", "[core]\n\tbare = false\n[user]\n\tname = x\n", "", "");
    row("TOML", "[training]\nsteps=10\n", "", "");
    row("words", "alpha\nbeta\ngamma\n", "words.txt", "");
    row("numbers", "1\n2\n3\n", "numbers.txt", "");
    row("a table of results", "model,step_time\na,1\n", "results.csv", "");
    row("a table of names", "name,pod,score\nann,1,3\n", "grades.csv", "");
    row("hosts by the file's name", "alpha\nbeta\n", "my-hosts.txt", "host-list");
    row("empty topology.conf", "", "topology.conf", "slurm-conf");
    row("edges", "gpu0 gpu1 50\ngpu1 gpu2 50\n", "edges.txt", "");
  }
  void whatIsUnsupportedIsSaid_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("word");
    const auto row = [](const char* name, const char* text, const char* word) {
      QTest::newRow(name) << text << word;
    };
    row("weights", R"({"metadata": {}, "weight_map": {"a": "b"}})", "weights");
    row("lesson", R"({"format": "nest-lesson", "version": 2, "scenario": "a.nest.json"})", "lesson");
    row("lesson with its scenario",
        R"({"format": "nest-lesson", "scenario": {"format": "nest-scenario", "cluster": {}, "model": {}}})",
        "this is a lesson");
    row("answers", R"({"format": "nest-lesson-answers", "version": 1, "lessons": []})", "answers to lessons");
    row("tokenizer", R"({"tokenizer_class": "LlamaTokenizer"})", "tokenizer");
    row("generation", R"({"_from_model_config": true})", "generation_config");
    row("parameters", R"({"dim": 4096, "n_layers": 32})", "params.json");
    row("Galvatron's sum", R"({"layertype_0": 5.1})", "Galvatron");
    row("Galvatron's overlap", R"({"overlap_coe": 1.1256})", "Galvatron");
    row("Galvatron's plan", R"({"pp_deg": 1, "tp_sizes_enc": "1,1"})", "plan of Galvatron");
    row("trace without kernels", R"([{"name": "aten::mm", "ph": "X", "ts": 1, "dur": 2, "tid": 1}])",
        "PyTorch");
    row("Parquet", "PAR1\x15\x04", "Parquet");
    row("Nsight report", " ** NVTX GPU Projection Summary (nvtx_gpu_proj_sum):\n", "nsys stats");
    row("Megatron-LM's launch", "#!/bin/bash\ntorchrun pretrain_gpt.py \\\n --tensor-model-parallel-size 8\n",
        "Megatron-LM");
    row("NeMo", "trainer: {devices: 8}\nmodel:\n  tensor_model_parallel_size: 4\n", "NeMo");
    row("nanotron", "parallelism:\n  dp: 4\n  tp: 8\n  tp_mode: REDUCE_SCATTER\n", "nanotron");
    row("LoRA", R"({"base_model_name_or_path": "m", "peft_type": "LORA", "r": 16})", "adapter");
    row("msccl", "<algo name='a'/>", "MSCCL");
    row("nvidia-smi", "| NVIDIA-SMI 550.54 |", "GPUs");
    row("rocm-smi", "==== ROCm System Management Interface ====\n", "AMD");
    row("Kueue",
        "apiVersion: kueue.x-k8s.io/v1beta1\nkind: Topology\nspec:\n  levels:\n  - nodeLabel: rack\n",
        "Kueue");
    row("kubectl", R"({"apiVersion": "v1", "items": [], "kind": "List"})", "Kubernetes");
    row("slurm.conf without nodes", "ClusterName=c\nPartitionName=p Default=YES\n", "slurm.conf");
    row("Azure", R"([{"name": "vm", "hardwareProfile": {"vmSize": "Standard_ND96isr_H100_v5"}}])", "Azure");
    row("AWS instances", R"({"Reservations": [{"Instances": [{"InstanceId": "i-1"}]}]})", "AWS");
    row("Ansible's playbook", "---\n- hosts: all\n  tasks:\n  - ansible.builtin.ping:\n", "playbook");
    row("Google's instances", R"([{"name": "a", "machineType": "zones/z/machineTypes/a3-highgpu-8g"}])",
        "Google");
    row("networkx adjacency", R"({"nodes": [{"id": 0}], "adjacency": [[]]})", "networkx");
    row("containerlab", "name: lab\ntopology:\n  links:\n    - endpoints: [\"a:e1\", \"b:e1\"]\n",
        "containerlab");
    row("LLDP", "LLDP neighbors:\nInterface: eth0, via: LLDP\n", "LLDP");
    row("dcgmi", "| GROUP_TOPOLOGY | Topology Information |\n| CPU Core Affinity | 0-31 |\n", "dcgmi");
    row("container's log", R"({"log": "# nThread 1", "stream": "stdout", "time": "2025-05-06T10:11:12Z"})",
        "container");
    row("packed", "PK\x03\x04", "compressed");
    row("training runs",
        R"({"about": "runs", "sets": [{"model": {"model_type": "llama"}, "columns": [], "rows": []}]})",
        "training runs");
    row("prose", "To whom it may concern", "");
  }
  // Other files given as a scenario are called what they are, not a broken scenario.
  void whatIsNoScenarioIsNamed() {
    const auto said = [](const std::string& text) {
      const auto r = readScenario(text, "f", {});
      return !r && r.diagnostics.size() == 1 && r.diagnostics[0].code == "not-a-scenario"
                 ? r.diagnostics[0].message
                 : std::string();
    };
    const std::string runs = said(test::readFile(NEST_SOURCE_DIR "/samples/published/training_runs.json"));
    QVERIFY2(runs.find("training runs") != std::string::npos, runs.c_str());
    QVERIFY(said(R"({"model_type": "llama", "hidden_size": 8})").find("config.json") != std::string::npos);
    QVERIFY(said("SwitchName=leaf0 Nodes=gpu[00-03]\n").find("Slurm topology.conf") != std::string::npos);
    QVERIFY(said(R"({"format": "nest-scenario"})").empty() && said("{").empty() && said("{}").empty());
  }
  void whatIsNoPlanIsNamed() {
    for (const auto& [text, is] : {std::pair(R"({"model_type": "llama", "hidden_size": 8})", "config.json"),
                                   {R"({"format": "nest-scenario", "cluster": {}})", "nest-scenario"}}) {
      const auto r = readPlan(text, "f");
      QVERIFY(!r);
      QCOMPARE(r.diagnostics.size(), std::size_t(1));
      QVERIFY2(r.diagnostics[0].message.find(is) != std::string::npos, r.diagnostics[0].message.c_str());
    }
    const auto plan = readScenario(R"({"format": "nest-plan", "stages": []})", "f", {});
    QVERIFY(!plan && plan.diagnostics.size() == 1);
  }
  void whatIsUnsupportedIsSaid() {
    QFETCH(QString, text);
    QFETCH(QString, word);
    const Unsupported m = unsupported(text.toStdString());
    QCOMPARE(m.is.empty(), word.isEmpty());
    QCOMPARE(m.is.empty(), m.remedy.empty());
    QVERIFY(QString::fromUtf8(m.is).contains(word));
    QVERIFY(!recognise(text.toStdString()));
  }
  void kinds() {
    QFETCH(QString, text);
    QFETCH(QString, file);
    QFETCH(QString, key);
    const Format* format = recognise(text.toStdString(), file.toStdString());
    QCOMPARE(format ? QString::fromUtf8(format->key) : QString(), key);
  }
};
NEST_TEST(TestRecognise)
#include "test_recognise.moc"
