#include <QtTest/QTest>
#include <algorithm>
#include <tuple>

#include "cluster/devices/device_catalog.h"
#include "files/file_reader.h"
#include "formats/import_files.h"
#include "formats/networks/cluster_text.h"
#include "formats/networks/dot.h"
#include "formats/networks/host_changes.h"
#include "formats/networks/slurm_hostlist.h"
#include "formats/networks/state_words.h"
#include "formats/scenario/scenario_json.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

constexpr const char* kTopology =
    "SwitchName=leaf0 Nodes=gpu[00-03]\nSwitchName=leaf1 Nodes=gpu[04-07]\nSwitchName=spine "
    "Switches=leaf[0-1]\n";

Reading<Imported> imported(std::vector<NamedText> files) {
  return importFiles(files, *findDevice("h100-sxm"), {});
}

/// "gpu00 busy alloc; gpu01:0,1 busy mix": all hosts whose state was read.
std::string statesOf(const Reading<Imported>& r) {
  if (!r || !r->cluster) return "unread";
  std::string out;
  for (const StateOfHost& s : r->cluster->states) {
    out += (out.empty() ? "" : "; ") + s.host;
    for (std::size_t i = 0; i < s.devices.size(); ++i)
      out += (i == 0 ? ':' : ',') + std::to_string(s.devices[i]);
    out += ' ' + std::string(nameOf(s.state)) + (s.word.empty() ? "" : ' ' + s.word);
  }
  return out;
}

/// Quotation marks for apostrophes.
std::string json(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  return text;
}

/// "sinfo.txt:3 host-state": errors, with their lines.
std::string errorsOf(const Diagnostics& all) {
  std::string out;
  for (const Diagnostic& d : all)
    if (d.severity == Severity::Error)
      out += (out.empty() ? "" : "; ") + d.where.file + ':' + std::to_string(d.where.line) + ' ' + d.code;
  return out;
}
bool has(const Diagnostics& all, std::string_view code) {
  return std::any_of(all.begin(), all.end(), [&](const Diagnostic& d) { return d.code == code; });
}

}  // namespace

/// Which hosts may be planned on: what schedulers, clouds and inventories say of it.
class TestHostStates : public QObject {
  Q_OBJECT
private slots:
  void slurmWords_data() {
    QTest::addColumn<QString>("word");
    QTest::addColumn<QString>("state");
    const auto rows = [](const char* state, std::initializer_list<const char*> words) {
      for (const char* w : words) QTest::newRow(w) << w << state;
    };
    rows("free", {"idle", "IDLE", "IDLE+DYNAMIC_NORM", "idle+undrain", "IDLE+CLOUD"});
    rows("off",
         {"idle~", "idle#", "IDLE+CLOUD+POWERED_DOWN", "IDLE+CLOUD+POWERING_UP", "CLOUD", "cloud",
          "POWERED_DOWN", "IDLE+CLOUD+NOT_RESPONDING+POWERING_UP", "IDLE*+CLOUD+POWERED_DOWN", "pow_up"});
    rows("busy", {"alloc",
                  "allocated",
                  "ALLOCATED",
                  "alloc+",
                  "allocated+",
                  "comp",
                  "completing",
                  "compl",
                  "ALLOCATED+COMPLETING",
                  "npc",
                  "perfctrs",
                  "alloc#",
                  "mix-",
                  "mixed$",
                  "MIXED+PLANNED",
                  "alloc@",
                  "MIXED+RESERVED",
                  "IDLE+COMPLETING",
                  "ALLOCATED+CLOUD+NOT_RESPONDING+POWERING_UP",
                  "alloc~",
                  "MIXED+CLOUD+POWER_DOWN"});
    rows("mixed", {"mix", "mixed", "MIXED", "mix#", "mix~", "MIXED+CLOUD"});
    rows("down", {"down",
                  "DOWN",
                  "down*",
                  "idle*",
                  "alloc*",
                  "unk",
                  "unknown",
                  "unk*",
                  "futr",
                  "future",
                  "inval",
                  "fail",
                  "failg",
                  "FAILING",
                  "boot",
                  "reboot^",
                  "idle^",
                  "error",
                  "no_respond",
                  "DOWN+NOT_RESPONDING",
                  "IDLE+INVALID_REG",
                  "IDLE+REBOOT_ISSUED",
                  "down~",
                  "DOWN+CLOUD+POWERED_DOWN",
                  "DOWN+CLOUD",
                  "mix*",
                  "MIXED+CLOUD+NOT_RESPONDING"});
    rows("drained", {"drain",
                     "drained",
                     "drained*",
                     "drng",
                     "draining",
                     "drng@",
                     "DOWN+DRAIN",
                     "DOWN*+DRAIN+INVALID_REG",
                     "IDLE+DRAIN",
                     "MIXED+DRAIN",
                     "ALLOCATED+DRAIN",
                     "idle@",
                     "idle!",
                     "idle%",
                     "pow_dn",
                     "drain$",
                     "IDLE+POWERING_DOWN",
                     "IDLE+CLOUD+POWER_DOWN",
                     "IDLE+CLOUD+NOT_RESPONDING+POWERING_DOWN",
                     "IDLE+CLOUD+DRAIN+POWERED_DOWN",
                     "drain~"});
    rows("reserved", {"resv", "reserved", "RESERVED", "maint", "MAINT", "plnd", "planned", "idle-", "idle$",
                      "IDLE+MAINTENANCE+RESERVED", "blocked", "IDLE+PLANNED"});
    rows("none", {"", "frobnicated", "idle+frob", "al", "*", "power", "DOWN**x", "idle busy"});
  }
  void slurmWords() {
    QFETCH(QString, word);
    QFETCH(QString, state);
    const auto read = slurmState(word.toStdString());
    const std::string as = !read           ? "none"
                           : read->isMixed ? "mixed"
                           : read->isOff   ? "off"
                                           : std::string(nameOf(read->state));
    QCOMPARE(as, state.toStdString());
  }
  void tablesHaveTheirOwnWords() {
    const auto as = [](const char* word) {
      const auto read = writtenState(word);
      return read ? std::string(nameOf(read->state)) : std::string("none");
    };
    QCOMPARE(as("In Use"), std::string("busy"));
    QCOMPARE(as("available"), std::string("free"));
    QCOMPARE(as("hot-spare"), std::string("spare"));
    QCOMPARE(as("out_of_service"), std::string("down"));
    QCOMPARE(as("drained*"), std::string("drained"));
    QCOMPARE(as("purple"), std::string("none"));
  }
  void devicesInUse() {
    const auto used = readGresUsed("gpu:h100:3(IDX:0,2-3),gpu:a100:0(IDX:N/A)");
    QVERIFY(used);
    QCOMPARE(used->count, 3);
    QCOMPARE(used->numbers, (std::vector<int>{0, 2, 3}));
    QCOMPARE(readGresUsed("gpu:0")->count, 0);
    QCOMPARE(readGresUsed("gpu:2(IDX:0-3)")->numbers.size(), std::size_t(0));  // says two things
    QVERIFY(!readGresUsed("gpu:h100:x"));
    QCOMPARE(devicesInTres("cpu=24,mem=96G,gres/gpu=3,gres/gpu:h100=3"), std::optional(3));
    QCOMPARE(devicesInTres("gres/gpu:a=1,gres/gpu:b=2,gres/gpumem=4"), std::optional(3));
    QCOMPARE(devicesInTres("cpu=24"), std::optional<int>());
  }

  void sinfo() {
    const auto read = imported({{"topology.conf", kTopology, {}},
                                {"sinfo.txt",
                                 "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n"
                                 "train*       up   infinite      3  alloc gpu[00-02]\n"
                                 "train*       up   infinite      1  down* gpu03\n"
                                 "train*       up   infinite      2   idle gpu[04-05]\n"
                                 "debug        up    1:00:00      2   idle gpu[04-05]\n"
                                 "train*       up   infinite      1    mix gpu06\n"
                                 "train*       up   infinite      1   drng gpu07\n",
                                 {}}});
    QCOMPARE(statesOf(read),
             std::string(
                 "gpu00 busy alloc; gpu01 busy alloc; gpu02 busy alloc; gpu03 down down*; gpu04 free idle; "
                 "gpu05 free idle; gpu06 busy mix; gpu07 drained drng"));
    QVERIFY(has(read.diagnostics, "hosts-mixed"));
    const auto cluster = deriveHierarchy(*read->cluster);
    QCOMPARE(cluster->deviceCount(), 16);
    QCOMPARE(inWords(cluster->unplanned()),
             std::string("6 of 8 hosts are not planned on: 4 busy, 1 down and 1 drained"));
    for (const Diagnostic& d : read.diagnostics)
      if (d.code == "hosts-out") {
        QCOMPARE(d.message,
                 std::string("6 hosts are not free, the first of them \"gpu00\": 4 busy (alloc, mix), 1 down "
                             "(down*), 1 drained (drng)"));
        QCOMPARE(d.where.line, 2);
      }
  }
  /// One list may know which devices are in use, where the other only knows that some are.
  void scontrol() {
    const std::string nodes =
        "NodeName=gpu00 CPUAlloc=96 CPUTot=96 Gres=gpu:h100:8(S:0-1)\n   State=ALLOCATED ThreadsPerCore=1\n\n"
        "NodeName=gpu01 CPUAlloc=24 CPUTot=96 Gres=gpu:h100:8(S:0-1)\n   GresUsed=gpu:h100:3(IDX:0,2,7)\n"
        "   State=MIXED ThreadsPerCore=1\n\n"
        "NodeName=gpu02 CPUAlloc=24 CPUTot=96 Gres=gpu:h100:8(S:0-1)\n   State=MIXED+PLANNED "
        "ThreadsPerCore=1\n\n"
        "NodeName=gpu03 CPUAlloc=8 CPUTot=96 Gres=gpu:h100:8(S:0-1)\n   State=MIXED ThreadsPerCore=1\n"
        "   CfgTRES=cpu=96,gres/gpu=8\n   AllocTRES=cpu=8,gres/gpu=2\n\n"
        "NodeName=gpu04 CPUAlloc=8 CPUTot=96 Gres=gpu:h100:8(S:0-1)\n   State=MIXED ThreadsPerCore=1\n"
        "   CfgTRES=cpu=96,gres/gpu=8\n   AllocTRES=cpu=8\n\n"
        "NodeName=gpu05 CPUAlloc=0 CPUTot=96 Gres=gpu:h100:8(S:0-1)\n   State=DOWN*+DRAIN "
        "ThreadsPerCore=1\n\n"
        "NodeName=gpu06 CPUAlloc=0 CPUTot=96 Gres=gpu:h100:8(S:0-1)\n   State=IDLE ThreadsPerCore=1\n\n"
        "NodeName=gpu07 CPUAlloc=0 CPUTot=96 Gres=gpu:h100:8(S:0-1)\n   State=IDLE+MAINTENANCE+RESERVED\n";
    const std::string expected =
        "gpu00 busy ALLOCATED; gpu01:0,2,7 busy MIXED; gpu02 busy MIXED+PLANNED; gpu03:0,1 busy MIXED; gpu04 "
        "free MIXED; "
        "gpu05 drained DOWN*+DRAIN; gpu06 free IDLE; gpu07 reserved IDLE+MAINTENANCE+RESERVED";
    const auto read = imported({{"topology.conf", kTopology, {}}, {"nodes.txt", nodes, {}}});
    QCOMPARE(statesOf(read), expected);
    QVERIFY(has(read.diagnostics, "hosts-partly-used"));
    const std::string table =
        "NODELIST STATE\ngpu00 alloc\ngpu01 mix\ngpu02 mix-\ngpu03 mix\ngpu05 drain*\ngpu06 idle\ngpu07 "
        "maint\n";
    const auto both =
        imported({{"topology.conf", kTopology, {}}, {"sinfo.txt", table, {}}, {"nodes.txt", nodes, {}}});
    QCOMPARE(errorsOf(both.diagnostics), std::string());
    QVERIFY(statesOf(both).find("gpu01:0,2,7 busy MIXED") != std::string::npos);
    QVERIFY(statesOf(both).find("gpu03:0,1 busy MIXED") != std::string::npos);
  }
  void scontrolJson() {
    const auto read = imported({{"nodes.json",
                                 R"({"nodes": [
      {"name": "a1", "gres": "gpu:h100:8", "gres_used": "gpu:h100:2(IDX:4-5) ", "state": ["MIXED"]},
      {"name": "a2", "gres": "gpu:h100:8", "state": ["IDLE", "DRAIN"]},
      {"name": "a3", "gres": "gpu:h100:8", "state": "idle", "state_flags": ["PLANNED"]},
      {"name": "a4", "gres": "gpu:h100:8", "tres": "cpu=9,gres/gpu=8", "tres_used": "cpu=9,gres/gpu=8", "state": ["MIXED"]},
      {"name": "a5", "gres": "gpu:h100:8", "state": ["IDLE"]}]})",
                                 {}}});
    QCOMPARE(statesOf(read),
             std::string("a1:4,5 busy MIXED; a2 drained IDLE+DRAIN; a3 reserved idle+PLANNED; a4 busy "
                         "MIXED; a5 free IDLE"));
  }
  void slurmConf() {
    QCOMPARE(
        statesOf(imported({{"slurm.conf",
                            "NodeName=a[1-4] Gres=gpu:8 State=UNKNOWN\nNodeName=a5 Gres=gpu:8 State=FUTURE\n"
                            "DownNodes=a1 State=DRAIN\nDownNodes=a2\nPartitionName=x Nodes=a1 State=DOWN\n",
                            {}}})),
        std::string("a1 drained DownNodes DRAIN; a2 down DownNodes; a5 down FUTURE"));
  }
  void kubernetes() {
    const auto node = [](const std::string& name, const std::string& spec, const std::string& ready) {
      return json(
          "{'kind': 'Node', 'metadata': {'name': '" + name + "'}, 'spec': " + spec +
          ", 'status': {'capacity': {'nvidia.com/gpu': '8'}, 'conditions': [{'type': 'Ready', 'status': '" +
          ready + "'}]}}");
    };
    const auto pod = [](const std::string& on, const std::string& gpus, const std::string& phase) {
      return json("{'kind': 'Pod', 'metadata': {'name': 'p'}, 'spec': {'nodeName': '" + on +
                  "', 'containers': [{'resources': {'requests': {'cpu': '4', 'nvidia.com/gpu': '" + gpus +
                  "'}}}, {'resources': {}}]}, 'status': {'phase': '" + phase + "'}}");
    };
    const auto list = [](std::initializer_list<std::string> items) {
      std::string out;
      for (const std::string& i : items) out += (out.empty() ? "" : ",\n") + i;
      return json("{'apiVersion': 'v1', 'kind': 'List', 'items': [") + out + "]}";
    };
    const std::string nodes =
        node("a1", "{}", "True") + ",\n" + node("a2", "{'unschedulable': true}", "True") + ",\n" +
        node("a3", "{'taints': [{'key': 'node.kubernetes.io/unreachable', 'effect': 'NoExecute'}]}",
             "Unknown") +
        ",\n" + node("a4", "{'taints': [{'key': 'nvidia.com/gpu', 'effect': 'NoSchedule'}]}", "True");
    QCOMPARE(statesOf(imported({{"nodes.json", list({nodes}), {}}})),
             std::string("a1 free Ready; a2 drained cordoned; a3 down not ready; a4 free Ready"));
    QCOMPARE(statesOf(imported({{"all.json",
                                 list({nodes, pod("a1", "3", "Running"), pod("a4", "8", "Running"),
                                       pod("a2", "8", "Succeeded")}),
                                 {}}})),
             std::string(
                 "a1:0,1,2 busy Ready, pods; a2 drained cordoned; a3 down not ready; a4 busy Ready, pods"));
    // What a node has and does not offer is broken: the last devices that no pod uses.
    std::string broken = node("a1", "{}", "True");
    broken.insert(broken.find("\"conditions\""), "\"allocatable\": {\"nvidia.com/gpu\": \"6\"}, ");
    const std::string whole = node("a2", "{}", "True");
    QCOMPARE(statesOf(imported({{"all.json", list({broken, whole}), {}}})),
             std::string("a1:6,7 down not allocatable; a2 free Ready"));
    QCOMPARE(statesOf(imported({{"all.json", list({broken, whole, pod("a1", "3", "Running")}), {}}})),
             std::string("a1:0,1,2 busy Ready, pods; a1:6,7 down not allocatable; a2 free Ready"));
    const auto lost = imported({{"all.json", list({nodes, pod("a9", "8", "Running")}), {}}});
    QCOMPARE(errorsOf(lost.diagnostics), std::string("all.json:5 kubernetes-pod"));
  }
  void clouds() {
    QCOMPARE(statesOf(imported({{"aws.json",
                                 R"({"Instances": [
      {"InstanceId": "i-1", "InstanceType": "p5.48xlarge", "NetworkNodes": ["n1", "n2"], "State": {"Code": 16, "Name": "running"}},
      {"InstanceId": "i-2", "InstanceType": "p5.48xlarge", "NetworkNodes": ["n1", "n3"], "State": {"Code": 64, "Name": "stopping"}}]})",
                                 {}}})),
             std::string("i-1 free running; i-2 down stopping"));
    QCOMPARE(statesOf(imported({{"oci.json",
                                 R"({"data": {"items": [
      {"display-name": "g0", "shape": "BM.GPU.H100.8", "hpc-island-id": "i", "network-block-id": "n", "local-block-id": "l", "lifecycle-state": "ACTIVE"},
      {"display-name": "g1", "shape": "BM.GPU.H100.8", "hpc-island-id": "i", "network-block-id": "n", "local-block-id": "m", "lifecycle-state": "FAILED"}]}})",
                                 {}}})),
             std::string("g0 free ACTIVE; g1 down FAILED"));
    QCOMPARE(errorsOf(imported({{"gcp.json",
                                 R"([
      {"name": "a1", "machineType": "a3-megagpu-8g", "status": "SLEEPY", "resourceStatus": {"physicalHostTopology": {"cluster": "c", "block": "b", "subblock": "s"}}},
      {"name": "a2", "machineType": "a3-megagpu-8g", "status": "RUNNING", "resourceStatus": {"physicalHostTopology": {"cluster": "c", "block": "b", "subblock": "t"}}}])",
                                 {}}})
                          .diagnostics),
             std::string("gcp.json:2 host-state"));
  }
  void tables() {
    const auto read = imported(
        {{"hosts.csv", "host,rack,gpus,state\na1,r1,8,free\na2,r1,8,in use\na3,r2,8,\na4,r2,8,spare\n", {}}});
    QCOMPARE(statesOf(read), std::string("a1 free free; a2 busy in use; a4 spare spare"));
    QCOMPARE(statesOf(imported({{"inventory.ini",
                                 "[rack1]\na1 gpus=8 node_state=drained\na2 gpus=8 state=present\n[rack2]\n"
                                 "a3 gpus=8\na4 gpus=8 node_state=idle\n[rack2:vars]\nnode_state=busy\n",
                                 {}}})),
             std::string("a1 drained drained; a3 busy busy; a4 free idle"));
    QCOMPARE(statesOf(imported(
                 {{"inventory.yaml",
                   "all:\n  children:\n    rack1:\n      hosts:\n        a1: {gpus: 8, host_state: down}\n"
                   "        a2: {gpus: 8}\n    rack2:\n      hosts:\n        a3: {gpus: 8}\n",
                   {}}})),
             std::string("a1 down down"));
  }

  /// All errors at once, each with its place.
  void badInput() {
    const auto errors = [](std::vector<NamedText> files) {
      return errorsOf(imported(std::move(files)).diagnostics);
    };
    QCOMPARE(
        errors(
            {{"sinfo.txt",
              "NODELIST GRES STATE\na1 gpu:8 frobnicated\na2 gpu:8 idle\na2 gpu:8 alloc\na3 gpu:8 napping\n",
              {}}}),
        std::string("sinfo.txt:2 host-state; sinfo.txt:4 host-state-twice; sinfo.txt:5 host-state"));
    QCOMPARE(errors({{"hosts.csv", "host,gpus,state\na1,8,purple\na2,8,busy\na2,8,free\n", {}}}),
             std::string("hosts.csv:2 host-state; hosts.csv:4 host-state-twice"));
    QCOMPARE(errors({{"nodes.txt", "NodeName=a1 CPUAlloc=1 Gres=gpu:8 GresUsed=gpu:x:y State=MIXED\n", {}}}),
             std::string("nodes.txt:1 slurm-gres"));
    QCOMPARE(errors({{"inventory.ini", "[r]\na1 gpus=8 node_state=purple\n[q]\na2 gpus=8\n", {}}}),
             std::string("inventory.ini:2 host-state"));
    // Two files that were made at different times.
    const auto both = imported({{"topology.conf", kTopology, {}},
                                {"old.txt", "NODELIST STATE\ngpu[00-07] idle\n", {}},
                                {"new.txt", "NODELIST STATE\ngpu[00-01] alloc\ngpu[02-07] idle\n", {}}});
    QCOMPARE(errorsOf(both.diagnostics),
             std::string("new.txt:2 host-state-twice; new.txt:2 host-state-twice"));
    for (const Diagnostic& d : both.diagnostics)
      if (d.code == "host-state-twice")
        QVERIFY2(d.message.find("busy (alloc) here and free (idle) in old.txt") != std::string::npos,
                 d.message.c_str());
    // Hosts that the network does not have, and hosts whose state nobody states.
    const auto others = imported({{"topology.conf", kTopology, {}},
                                  {"sinfo.txt", "NODELIST STATE\ngpu[00-05] idle\nlogin1 idle\n", {}}});
    QCOMPARE(errorsOf(others.diagnostics), std::string("sinfo.txt:3 join-host-unknown"));
    QVERIFY(has(others.diagnostics, "host-state-open"));
    // Hosts without devices need no place in the network.
    const auto login =
        imported({{"topology.conf", kTopology, {}},
                  {"sinfo.txt", "NODELIST GRES STATE\ngpu[00-07] gpu:8 idle\nlogin1 (null) idle\n", {}}});
    QCOMPARE(errorsOf(login.diagnostics), std::string());
  }
  /// They count as free, which is said.
  void hostsThatAreOff() {
    const auto read = imported({{"topology.conf", kTopology, {}},
                                {"sinfo.txt", "NODELIST STATE\ngpu[00-05] idle~\ngpu[06-07] idle\n", {}}});
    QCOMPARE(deriveHierarchy(*read->cluster)->deviceCount(), 64);
    for (const Diagnostic& d : read.diagnostics)
      if (d.code == "hosts-off") {
        QCOMPARE(d.where.line, 2);
        QVERIFY2(d.message.starts_with("6 hosts, the first of them \"gpu00\", are powered down"),
                 d.message.c_str());
      }
    QVERIFY(has(read.diagnostics, "hosts-off"));
  }

  /// What is written for other programs keeps the states, also of single devices and of hosts that no node is
  /// drawn for; what cannot hold them says so.
  void exportsCarryStates() {
    const auto sorted = [](std::vector<StateOfHost> all) {
      std::sort(all.begin(), all.end(), [](const StateOfHost& a, const StateOfHost& b) {
        return std::tie(a.host, a.devices) < std::tie(b.host, b.devices);
      });
      return all;
    };
    const auto survives = [&](const ClusterSource& c, const char* key) {
      const auto text = findFormat(key)->write(c, *deriveHierarchy(c));
      QVERIFY(text);
      const auto again = imported({{std::string("again.") + key, *text, {}}});
      QCOMPARE(errorsOf(again.diagnostics), std::string());
      QVERIFY2(sorted(again->cluster->states) == sorted(c.states), statesOf(again).c_str());
      QCOMPARE(deriveHierarchy(*again->cluster)->deviceCount(), deriveHierarchy(c)->deviceCount());
    };
    const auto line = [](const char* text) {
      return ClusterSource{*findDevice("h100-sxm"), *readClusterText(text), {}, PlannedOn::Free};
    };
    ClusterSource typed = line("host:4@450GB/s rack:4@50GB/s");
    typed.states = {{"host0", {}, HostState::Busy, "alloc"},
                    {"host1", {0, 3}, HostState::Busy, "mix"},
                    {"host1", {2}, HostState::Down, ""},
                    {"host2", {}, HostState::Free, "idle"},
                    {"host3", {}, HostState::Spare, "spare"}};
    ClusterSource drawn{*findDevice("h100-sxm"), {}, {}, PlannedOn::Free};
    drawn.network = GraphSource{
        readDot(
            "graph { node [kind=device]; a; b; c [host=x]; d [host=x]; s [kind=switch]; t [kind=switch];"
            "a -- s [gbps=400]; b -- s [gbps=401]; c -- t [gbps=401]; d -- t [gbps=401]; s -- t [gbps=9] }")
            ->graph,
        {},
        {}};
    const auto names = hostNames(drawn);
    QCOMPARE(names.size(), std::size_t(2));
    for (const std::string& name : names)
      drawn.states.push_back(
          {name, name == "x" ? std::vector<int>() : std::vector<int>{1}, HostState::Drained, "drain*"});
    for (const char* key : {"graphml", "dot"}) {
      survives(typed, key);
      survives(drawn, key);
    }
    for (const char* key : {"cluster-text", "astra-sim"}) {
      ClusterSource some = typed;
      some.states.erase(some.states.begin() + 1, some.states.begin() + 3);
      const auto text = findFormat(key)->write(some, *deriveHierarchy(some));
      QVERIFY2(text && has(text.diagnostics, "states-lost"), key);
      some.states.clear();
      QVERIFY2(!has(findFormat(key)->write(some, *deriveHierarchy(some)).diagnostics, "states-lost"), key);
    }
  }
  void statesInDrawings() {
    const auto drawing = [](const char* host, const char* devices) {
      return imported({{"n.dot",
                        std::string("graph { h [kind=host, ") + host + "]; node [kind=device, host=h, " +
                            devices + "]; a; b; c [host=i]; d [host=i, state=busy]; edge [gbps=50];\n" +
                            "a -- h; b -- h; h -- s; c -- s; d -- s; s [kind=switch, state=up] }",
                        {}}});
    };
    QCOMPARE(statesOf(drawing("state=alloc", "x=1")), std::string("h busy alloc; i:1 busy"));
    QCOMPARE(statesOf(drawing("state=Busy, state_word=mine", "x=1")), std::string("h busy mine; i:1 busy"));
    QCOMPARE(statesOf(drawing("state=mix", "state=\"\"")), std::string("h busy mix; i:1 busy"));
    QCOMPARE(errorsOf(drawing("state=purple", "x=1").diagnostics), std::string("n.dot:1 attribute-value"));
    QCOMPARE(errorsOf(drawing("state=idle", "state=down").diagnostics),
             std::string("n.dot:1 attribute-value; n.dot:1 attribute-value"));
  }
  void moreHostsThanAreFree() {
    const std::string path = std::string(NEST_SOURCE_DIR) + "/samples/teaching-6-layers-2x2.nest.json";
    Scenario s = *readScenario(test::readFile(path), path, {}).value;
    s.cluster.states = {{"host1", {}, HostState::Busy, "alloc"}};
    QVERIFY(buildProblem(s));
    s.constraints.devices = {4, 4};
    const auto problem = buildProblem(s);
    QVERIFY(!problem);
    QVERIFY(has(problem.diagnostics, "devices-not-free"));
  }

  void statesReturnFromTheFile() {
    const std::string path = std::string(NEST_SOURCE_DIR) + "/samples/llama2-7b-h100-128.nest.json";
    const auto load = loaderBeside(path);
    Scenario s = *readScenario(test::readFile(path), path, load).value;
    const std::string before = writeScenario(s);
    QVERIFY(before.find("states") == std::string::npos && before.find("plan_on") == std::string::npos);
    s.cluster.states = {{"host3", {}, HostState::Busy, "alloc"},
                        {"host4", {}, HostState::Busy, "alloc"},
                        {"host9", {1, 3}, HostState::Busy, "mix"},
                        {"host5", {}, HostState::Spare, ""}};
    s.cluster.plannedOn = PlannedOn::Spare;
    const std::string text = writeScenario(s);
    QVERIFY2(text.find("\"host[3-4]\"") != std::string::npos, text.c_str());
    const auto again = readScenario(text, path, load);
    QVERIFY(again);
    QVERIFY(again->cluster == s.cluster);
    QCOMPARE(writeScenario(*again), text);
  }
  void filesOfScenariosAreChecked() {
    const auto errors = [](const std::string& states) {
      const auto read = readScenario(
          json(
              "{'version': 1, 'cluster': {'device': 'h100-sxm', 'network': 'host:8@450GB/s rack:4@50GB/s', " +
              states + "}, 'model': {'config': {}}, 'job': {'global_batch': 8, 'sequence_length': 128}}"),
          "s", {});
      std::string out;
      for (const Diagnostic& d : read.diagnostics)
        if (d.code.find("host") != std::string::npos)
          out += (out.empty() ? "" : "; ") + d.code + ' ' + d.where.pointer;
      return out;
    };
    QCOMPARE(errors("'states': [{'hosts': 'host[0-1]', 'state': 'busy'}]"), std::string());
    QCOMPARE(errors("'states': [{'hosts': 'host[0-1]', 'state': 'busy'}, {'hosts': 'host1', 'state': "
                    "'down'}, {'hosts': 'host[8-9]', 'state': 'down'}]"),
             std::string("host-state-unknown /cluster/states/2; host-state-twice /cluster/states/1"));
    QCOMPARE(errors("'states': [{'hosts': 'host[0-', 'state': 'busy'}]"),
             std::string("slurm-hostlist /cluster/states/0/hosts"));
    QCOMPARE(errors("'states': [{'hosts': 'host0', 'state': 'busy', 'devices': [0, 0]}]"),
             std::string("host-state-device /cluster/states/0/devices"));
    QCOMPARE(errors("'free_hosts': 'host[2-4]'"), std::string("host-state-unknown /cluster/free_hosts"));
  }
  void hostsMayBecomeFreeOrTaken() {
    const auto read = imported({{"topology.conf", kTopology, {}},
                                {"sinfo.txt", "NODELIST STATE\ngpu[00-03] alloc\ngpu[04-07] idle\n", {}}});
    ClusterSource c = *read->cluster;
    QVERIFY(changeHosts(c, "gpu[01-02]", HostState::Free, {}).empty());
    QVERIFY(changeHosts(c, "gpu07", HostState::Busy, {}).empty());
    QCOMPARE(deriveHierarchy(c)->deviceCount(), 8 * 5);
    QVERIFY(has(changeHosts(c, "gpu[07-09]", HostState::Busy, {}), "host-state-unknown"));
    QVERIFY(has(changeHosts(c, "gpu[07-", HostState::Busy, {}), "slurm-hostlist"));
  }

  void hostListsAreWrittenShort() {
    const auto back = [](const char* list) {
      const auto names = expandHostlist(list).names;
      const std::string text = compressHostlist(names);
      return expandHostlist(text).names == names ? text : "differs: " + text;
    };
    for (const char* list :
         {"gpu[00-15]", "gpu[0-3,7],login", "a1", "gpu[8-12]", "n[98-101]", "a[01-03],b[1-2]",
          "rack1-gpu[0-7],rack2-gpu[0-7]", "gpu[3,1,2]", "x[099-101]", "1,2", "head"})
      QVERIFY2(!back(list).starts_with("differs"), back(list).c_str());
    QCOMPARE(back("gpu[00-03,07]"), std::string("gpu[00-03,07]"));
    QCOMPARE(back("gpu[8-12]"), std::string("gpu[8-12]"));
    QCOMPARE(back("login"), std::string("login"));
    QCOMPARE(back("a1"), std::string("a1"));
  }
};
NEST_TEST(TestHostStates)
#include "test_host_states.moc"
