#include "formats/import_files.h"

#include <algorithm>

#include "formats/device_choice.h"
#include "formats/networks/fabric.h"
#include "formats/networks/host_assignment.h"
#include "formats/networks/host_topology.h"
#include "formats/networks/joined_states.h"
#include "formats/networks/named_devices.h"
#include "formats/networks/network_import.h"
#include "formats/networks/slurm_topology.h"
#include "formats/profiles/imported_profile.h"
#include "scenario/check.h"
#include "units/amount.h"
#include "units/text.h"

namespace nest {
namespace {

bool isHost(const Format* f) {
  return readerOf<ReadHost>(f) != nullptr;
}
bool isTree(const Format* f) {
  return readerOf<ReadHostTree>(f) != nullptr;
}
bool isFabric(const Format* f) {
  return readerOf<ReadFabric>(f) != nullptr;
}

std::string devices(int count) {
  return text::count(count) + (count == 1 ? " device" : " devices");
}

class Importer {
public:
  Importer(const std::vector<NamedText>& files, const DeviceSpec& device, const ReferenceLoader& load,
           const ImportOptions& options)
      : m_files(files), m_device(device), m_load(load), m_options(options) {}

  Reading<Imported> run() {
    for (const NamedText& f : m_files) m_result.parts.push_back({f.path, recognise(f.text, f.path), {}});
    readTrees();
    for (std::size_t i = 0; i < m_files.size(); ++i)
      if (const auto measurement = readerOf<ReadMeasurement>(format(i)))
        takeMeasurement(i, measurement(m_files[i].text, m_files[i].path));
    chooseDevice();
    const int hosts = count(isHost);
    const bool joins = hosts > 0 && m_tree;
    if (hosts > 1 && !joins && m_treeFiles == 0)
      m_out.push_back(error("join-no-tree", {m_files[first(isHost)].path, 0, 0, ""},
                            std::to_string(hosts) + " hosts are described, but not how they are connected",
                            "add a Slurm topology.conf or topology.yaml that names them"));
    for (const NamedText& f : m_files)
      if (!f.hosts.empty() && !joins && m_treeFiles == 0)
        m_out.push_back(error("join-no-tree", {f.path, 0, 0, ""},
                              "hosts are named for this file, but there is no Slurm topology to find them in",
                              "add a Slurm topology.conf or topology.yaml"));
    if (m_options.devicesPerHost && (joins || (count(isFabric) == 0 && (m_treeFiles == 0 || tellsDevices()))))
      m_out.push_back(
          error("host-size-known", {},
                "devices per host are asked for Slurm topologies only; these files say themselves "
                "how many devices a host has",
                "leave --devices-per-host out"));
    if (hasErrors(m_out)) return {std::nullopt, std::move(m_out)};
    if (joins)
      join();
    else if (m_tree && count(isFabric) == 0)
      setTree();
    for (std::size_t i = 0; i < m_files.size(); ++i)
      if (!isTree(format(i)) && !readerOf<ReadMeasurement>(format(i)) && (!joins || !isHost(format(i))))
        read(i);
    if (!m_result.cluster && m_ownCluster) m_result.tells.device = true;
    if (!m_result.cluster) m_result.cluster = std::move(m_ownCluster);
    checkNetworkRanges();
    Reading<Imported> out;
    out.diagnostics = std::move(m_out);
    if (!hasErrors(out.diagnostics)) out.value = std::move(m_result);
    return out;
  }

private:
  const Format* format(std::size_t i) const { return m_result.parts[i].format; }
  int count(bool (*is)(const Format*)) const {
    return static_cast<int>(std::count_if(m_result.parts.begin(), m_result.parts.end(),
                                          [&](const Imported::Part& p) { return is(p.format); }));
  }
  void keep(Diagnostics more, const std::string& path) {
    for (Diagnostic& d : more) {
      if (d.where.file.empty()) d.where.file = path;
      m_out.push_back(std::move(d));
    }
  }
  void twice(std::size_t i, const char* what) {
    m_out.push_back(error("import-twice", {m_files[i].path, 0, 0, ""},
                          std::string("more than one ") + what + " was given", "import one at a time"));
  }

  void read(std::size_t i) {
    if (!format(i)) return refuse(i);
    const Format& f = *format(i);
    if (const auto scenario = readerOf<ReadScenario>(&f))
      takeScenario(i, scenario(m_files[i].text, m_files[i].path, m_load));
    else if (const auto model = readerOf<ReadModel>(&f))
      takeModel(i, model(m_files[i].text, m_files[i].path));
    else if (const auto profile = readerOf<ReadProfile>(&f))
      takeProfile(i, profile(m_files[i].text, m_files[i].path, m_options.scale));
    else if (f.isNetwork())
      readNetworkFile(i);
    else
      unknown(i, "a " + std::string(f.name) + " is not part of a scenario", {});
  }

  /// Numbers of a network that no scenario takes are told here, where their file is known.
  void checkNetworkRanges() {
    if (!m_result.cluster) return;
    const auto from = std::find_if(m_result.parts.begin(), m_result.parts.end(),
                                   [](const Imported::Part& p) { return p.format && p.format->isNetwork(); });
    Setting setting;
    setting.cluster = *m_result.cluster;
    for (Diagnostic& d : checkSetting(setting)) {
      if (d.severity != Severity::Error || d.code != "out-of-range") continue;
      if (!d.where.pointer.starts_with("/cluster/levels/") && !d.where.pointer.starts_with("/cluster/graph/"))
        continue;
      d.where.file = from == m_result.parts.end() ? std::string() : from->path;
      m_out.push_back(std::move(d));
    }
  }

  void refuse(std::size_t i) {
    const Unsupported seems = unsupported(m_files[i].text);
    unknown(i, seems.is.empty() ? "unrecognized file format" : std::string(seems.is),
            std::string(seems.remedy));
  }

  void unknown(std::size_t i, std::string what, std::string remedy) {
    m_out.push_back(error("import-unknown", {m_files[i].path, 0, 0, ""}, std::move(what),
                          !remedy.empty() ? std::move(remedy)
                                          : "give a scenario, a network or a model; README lists the "
                                            "formats, and nest-plan formats shows an example of each"));
  }

  void takeScenario(std::size_t i, Reading<Scenario> reading) {
    keep(std::move(reading.diagnostics), m_files[i].path);
    if (!reading) return;
    if (m_result.scenario) return twice(i, "scenario");
    m_result.parts[i].holds = reading->name;
    m_result.scenario = std::move(*reading);
  }

  void takeModel(std::size_t i, Reading<TransformerArchitecture> reading) {
    keep(std::move(reading.diagnostics), m_files[i].path);
    if (!reading) return;
    if (m_result.model && m_result.model->architecture) return twice(i, "model");
    const double all = parameterCount(*reading), active = activeParameterCount(*reading);
    m_result.parts[i].holds =
        reading->name + " with " + text::amountInWords(all, 5) + " parameters" +
        (active < all ? ", " + text::amountInWords(active, 3) + " active per token," : std::string()) +
        " in " + text::count(reading->layers) + " blocks";
    m_result.modelName = reading->name;
    if (!m_result.model) m_result.model.emplace();
    m_result.model->architecture = std::move(*reading);
  }

  void takeProfile(std::size_t i, Reading<ImportedProfile> reading) {
    keep(std::move(reading.diagnostics), m_files[i].path);
    if (!reading) return;
    if (m_result.model && m_result.model->profile) return twice(i, "profile");
    m_result.parts[i].holds = text::count(reading->graph.layerCount()) + " layers under " +
                              std::to_string(reading->profile.strategies().size()) +
                              (reading->profile.strategies().size() == 1 ? " strategy" : " strategies");
    if (!m_result.model) m_result.model.emplace();
    m_result.job = reading->job.value_or(Job{});
    m_result.tells.batch = m_result.tells.batch || reading->tellsBatch;
    m_result.tells.sequence = m_result.tells.sequence || reading->tellsSequence;
    m_result.job->microbatches = reading->profile.microbatches();
    m_result.modelName = reading->name;
    m_ownCluster = std::move(reading->cluster);
    m_result.model->graph = std::make_shared<const LayerGraph>(std::move(reading->graph));
    m_result.model->profile = std::make_shared<const Profile>(std::move(reading->profile));
  }

  void takeMeasurement(std::size_t i, Reading<Measurement> reading) {
    keep(std::move(reading.diagnostics), m_files[i].path);
    if (!reading) return;
    m_result.parts[i].holds = holdsOf(*reading);
    if (const auto* run = std::get_if<TrainingRun>(&reading->of)) {
      m_result.tells.batch = m_result.tells.batch || run->settings.saysBatch();
      m_result.tells.sequence = m_result.tells.sequence || run->settings.sequenceLength.has_value();
      m_result.tells.program = m_result.tells.program || !run->settings.program.empty();
    }
    m_result.measured.push_back({std::move(*reading), m_files[i].path, m_files[i].level});
  }

  void readNetworkFile(std::size_t i) {
    if (isFabric(format(i))) return readFabric(i);
    auto network = importNetwork(*format(i), m_files[i].text, m_files[i].path, m_device);
    keep(std::move(network.diagnostics), m_files[i].path);
    if (network) setNetwork(i, std::move(network->network), std::move(network->states));
  }

  /// How hosts stand together, and what lists of hosts say of their devices.
  void readTrees() {
    std::vector<std::pair<std::size_t, SlurmTopology>> lists;
    for (std::size_t i = 0; i < m_files.size(); ++i) {
      if (!isTree(format(i))) continue;
      ++m_treeFiles;
      auto tree = readerOf<ReadHostTree>(format(i))(m_files[i].text, m_files[i].path);
      keep(std::move(tree.diagnostics), m_files[i].path);
      if (!tree) continue;
      m_result.parts[i].holds = text::count(static_cast<long long>(tree->hostCount())) + " hosts";
      if (tree->isListOnly)
        lists.emplace_back(i, std::move(*tree));
      else if (m_tree)
        twice(i, "network");
      else
        m_tree = std::move(*tree), m_treeFile = i;
    }
    if (!m_tree && !lists.empty()) {
      // Of lists alone the one with the most hosts is the cluster.
      const auto most = std::max_element(lists.begin(), lists.end(), [](const auto& a, const auto& b) {
        return a.second.hostCount() < b.second.hostCount();
      });
      m_treeFile = most->first;
      m_tree = most->second;
    }
    for (const auto& [file, list] : lists)
      if (file != m_treeFile) {
        addDevices(file, list);
        m_states.join(list, m_files[file].path, *m_tree, m_files[m_treeFile].path, m_out);
      }
    if (m_tree && m_tree->hostCount() == 0)
      m_out.push_back(error("slurm-no-hosts", {m_files[m_treeFile].path, 0, 0, ""},
                            "the file says how many devices a host has, and names no hosts",
                            "add a topology.conf, or the output of scontrol show nodes"));
    else if (m_tree && m_tree->isListOnly && count(isFabric) == 0)
      m_out.push_back(warning(
          "hosts-not-connected", {m_files[m_treeFile].path, 0, 0, ""},
          m_tree->from + " does not say how the hosts are connected; all are taken to hang on one switch",
          "add a topology.conf or what a cloud, Kubernetes or InfiniBand reports about the network, or "
          "set the levels under Cluster"));
  }

  /// Takes over the devices of hosts that the tree has; hosts that the list leaves out have none.
  void addDevices(std::size_t file, const SlurmTopology& list) {
    if (list.devicesOfOthers) m_tree->devicesOfOthers = list.devicesOfOthers;
    std::size_t unknown = 0;
    std::string first;
    std::unordered_map<std::string, int> known;
    for (const auto& g : m_tree->groups)
      for (const std::string& h : g.hosts) known.emplace(h, 0);
    for (const auto& g : list.groups)
      for (const std::string& h : g.hosts)
        if (!known.count(h)) {
          if (unknown++ == 0) first = h;
        } else if (const auto own = list.devices.find(h); own != list.devices.end()) {
          m_tree->devices[h] = own->second;
        }
    for (const auto& [host, name] : list.deviceNames)
      if (known.count(host)) m_tree->deviceNames[host] = name;
    if (!list.deviceNameOfOthers.empty()) m_tree->deviceNameOfOthers = list.deviceNameOfOthers;
    if (unknown > 0)
      m_out.push_back(error(
          "join-host-unknown",
          list.places.count(first) ? list.places.at(first) : Place{m_files[file].path, 0, 0, ""},
          (unknown == 1 ? "the host \"" + first + "\" of this list is"
                        : text::count(static_cast<long long>(unknown)) +
                              " hosts of this list, the first of them \"" + first + "\", are") +
              " not in " + m_files[m_treeFile].path + ", so that nothing states how " +
              (unknown == 1 ? "it is" : "they are") + " connected",
          "add such hosts there, or leave them out of this list: sinfo -p PARTITION lists one partition, "
          "and a column of devices (Gres) shows which hosts have none"));
  }

  /// What files call their devices goes before a device that nobody asked for, and is compared with one that
  /// somebody did.
  void chooseDevice() {
    if (m_tree) m_kinds = deviceKindsOf(*m_tree, m_device.usualHostSize);
    std::string path = m_tree ? m_files[m_treeFile].path : std::string();
    std::vector<DeviceKind> named = m_kinds;
    if (named.empty()) named = kindsOfHosts(path);
    if (named.empty()) named = kindsOfMeasurements(path);
    DeviceChoice choice = nest::chooseDevice(named, m_device, m_options.choosesDevice);
    m_device = std::move(choice.device);
    m_result.tells.device = m_result.tells.device || choice.isTold;
    keep(std::move(choice.notes), path);
    for (std::size_t i = 0; i < m_files.size() && named.empty(); ++i)
      if (format(i)) keep(otherMaker(*format(i), m_device), m_files[i].path);
    keep(weighKinds(m_kinds, m_device, m_factors), path);
    if (m_kinds.empty() || !m_tree) return;
    long long hosts = 0;
    for (const DeviceKind& k : m_kinds) hosts += k.hosts;
    if (const auto others = static_cast<long long>(m_tree->hostCount()) - hosts; others > 0)
      keep({note("device-not-named", {},
                 text::count(others) + (others == 1 ? " host" : " hosts") +
                     " whose devices the file does not name count with " + m_device.name)},
           path);
  }

  /// What the topologies of single hosts say of their devices; `path`: of the first that does.
  std::vector<DeviceKind> kindsOfHosts(std::string& path) const {
    std::vector<DeviceKind> out;
    for (std::size_t i = 0; i < m_files.size(); ++i) {
      if (!isHost(format(i))) continue;
      const auto host = readerOf<ReadHost>(format(i))(m_files[i].text, m_files[i].path, m_device);
      if (!host) continue;
      DeviceKind kind{host->deviceName, deviceCalled(host->deviceName), 0, 0, {}};
      if (host->architecture > 0)
        kind = {"SM " + std::to_string(host->architecture),
                {usualOfArchitecture(host->architecture), false},
                0,
                0,
                {}};
      if (kind.name.empty()) continue;
      if (out.empty()) path = m_files[i].path;
      if (std::none_of(out.begin(), out.end(), [&](const DeviceKind& k) { return k.name == kind.name; }))
        out.push_back(std::move(kind));
    }
    const auto peak = [](const DeviceKind& k) {
      return k.known.device ? k.known.device->peak.value.value() : 0;
    };
    std::stable_sort(out.begin(), out.end(),
                     [&](const DeviceKind& a, const DeviceKind& b) { return peak(a) > peak(b); });
    return out;
  }

  /// What ran the benchmarks, traces and training runs, where no network file names them. That they were of
  /// another device than the cluster's is an error of their own.
  std::vector<DeviceKind> kindsOfMeasurements(std::string& path) const {
    const bool hasNetwork =
        std::any_of(m_result.parts.begin(), m_result.parts.end(),
                    [](const Imported::Part& p) { return p.format && p.format->isNetwork(); });
    if (!m_options.choosesDevice || !hasNetwork) return {};
    for (const Imported::Measured& m : m_result.measured) {
      std::string name;
      // A table of several devices does not say which of them the cluster has.
      if (const auto* times = std::get_if<std::vector<CollectiveTimes>>(&m.measurement.of)) {
        name = times->front().device;
        if (std::any_of(times->begin(), times->end(), [&](const auto& t) { return t.device != name; }))
          name.clear();
      } else if (const auto* kernels = std::get_if<KernelTimes>(&m.measurement.of)) {
        if (kernels->others.empty()) name = kernels->device;
      } else if (const auto* machine = std::get_if<MachineTimes>(&m.measurement.of)) {
        name = machine->kernels ? machine->kernels->device : machine->exchanges.front().device;
      } else if (const auto* run = std::get_if<TrainingRun>(&m.measurement.of))
        name = run->settings.device;
      if (name.empty()) continue;
      const NamedDevice known = deviceCalled(name);
      if (!known.device) continue;
      path = m.path;
      return {{std::move(name), known, 0, 0, {}}};
    }
    return {};
  }

  bool tellsDevices() const { return m_tree && m_tree->tellsDevices(); }

  void setTree() {
    DeviceSpec device = withSlowestLinks(m_device, m_kinds);
    if (!tellsDevices()) device.usualHostSize = hostSize(m_treeFile);
    SlurmFigures figures = defaultFigures(*m_tree, device);
    auto network = networkOf(*m_tree, figures);
    keep(std::move(network.diagnostics), m_files[m_treeFile].path);
    if (network) setFactors(*network, m_factors);
    if (network) setNetwork(m_treeFile, std::move(*network));
  }

  void readFabric(std::size_t i) {
    auto fabric = readerOf<ReadFabric>(format(i))(m_files[i].text, m_files[i].path);
    keep(std::move(fabric.diagnostics), m_files[i].path);
    if (!fabric) return;
    DeviceSpec device = withSlowestLinks(m_device, m_kinds);
    if (!tellsDevices()) device.usualHostSize = hostSize(i);
    auto network = networkOf(*fabric, m_tree ? &*m_tree : nullptr, device);
    keep(std::move(network.diagnostics), m_files[i].path);
    if (!network) return;
    NetworkSource source = std::move(*network);
    setFactors(source, m_factors);
    setNetwork(i, std::move(source));
  }

  /// Devices of each host of a Slurm topology: as told, else the usual of the device, which is then said.
  int hostSize(std::size_t i) {
    if (m_options.devicesPerHost) return *m_options.devicesPerHost;
    m_result.assumedHostSize = true;
    m_out.push_back(
        warning("host-size-assumed", {m_files[i].path, 0, 0, ""},
                "the file does not say how many devices a host has; " + devices(m_device.usualHostSize) +
                    " are assumed, as is usual with " + m_device.name,
                "set the devices of a host under Cluster (--devices-per-host), or add a list of hosts "
                "(scontrol show nodes, a host file) or a host's own topology (nvidia-smi "
                "topo -m, NCCL)"));
    return m_device.usualHostSize;
  }

  void setNetwork(std::size_t i, NetworkSource network, std::vector<StateOfHost> states = {}) {
    if (m_result.cluster) return twice(i, "network");
    if (auto* graph = std::get_if<GraphSource>(&network); graph && graph->importedFrom.empty())
      graph->importedFrom = m_files[i].path;
    m_result.cluster = ClusterSource{m_device, std::move(network), std::move(states)};
    if (m_tree) putStates(*m_tree, m_files[m_treeFile].path, *m_result.cluster, m_out);
    const auto derived = deriveHierarchy(*m_result.cluster);
    // Errors only: what the levels have to say besides is told when the scenario is solved.
    for (const Diagnostic& d : derived.diagnostics)
      if (d.severity == Severity::Error) keep({d}, m_files[i].path);
    if (derived)
      m_result.parts[i].holds = devices(derived->deviceCount()) + " on " +
                                std::to_string(derived->levelCount()) +
                                (derived->levelCount() == 1 ? " level" : " levels");
  }

  std::size_t first(bool (*is)(const Format*)) const {
    return static_cast<std::size_t>(std::find_if(m_result.parts.begin(), m_result.parts.end(),
                                                 [&](const Imported::Part& p) { return is(p.format); }) -
                                    m_result.parts.begin());
  }

  /// The insides of hosts, and how hosts stand together.
  void join() {
    const std::size_t s = m_treeFile;
    const NamedText& slurmFile = m_files[s];
    const SlurmTopology* slurm = &*m_tree;
    std::vector<HostTopology> kinds;
    std::vector<HostFile> files;
    bool isWhole = true;
    for (std::size_t i = 0; i < m_files.size(); ++i) {
      if (!isHost(format(i))) continue;
      auto host = readerOf<ReadHost>(format(i))(m_files[i].text, m_files[i].path, m_device);
      keep(std::move(host.diagnostics), m_files[i].path);
      isWhole = isWhole && host;
      if (!host) continue;
      m_result.parts[i].holds = devices(host->deviceCount()) + " in a host";
      kinds.push_back(std::move(*host));
      files.push_back({m_files[i].path, m_files[i].hosts});
    }
    if (!isWhole) return;
    auto kindOf = assignHosts(*slurm, files);
    keep(std::move(kindOf.diagnostics), slurmFile.path);
    if (!kindOf) return;
    keep(weighDevices(kinds, m_device), slurmFile.path);
    SlurmFigures figures = defaultFigures(*slurm, m_device);
    for (const auto& [level, typed] : m_options.levels)
      if (level >= 1 && static_cast<std::size_t>(level) < figures.levels.size()) {
        SlurmFigures::Level& l = figures.levels[level];
        l = {l.name, typed.bandwidth, typed.latency.value_or(l.latency), Origin::Typed};
      }
    m_result.joinedLevels = static_cast<int>(figures.levels.size());
    auto joined = joinHosts(kinds, *kindOf, *slurm, figures);
    keep(std::move(joined.diagnostics), slurmFile.path);
    if (!joined) return;
    NetworkSource source = std::move(*joined);
    setFactors(source, m_factors);
    setNetwork(s, std::move(source));
  }

  const std::vector<NamedText>& m_files;
  DeviceSpec m_device;
  const ReferenceLoader& m_load;
  const ImportOptions& m_options;
  Imported m_result;
  std::vector<DeviceKind> m_kinds;                          ///< of the hosts that m_tree names
  std::unordered_map<std::string, DeviceFactor> m_factors;  ///< of hosts with slower devices
  std::optional<SlurmTopology> m_tree;                      ///< the hosts, of m_files[m_treeFile]
  std::size_t m_treeFile = 0;
  JoinedStates m_states;
  int m_treeFiles = 0;
  std::optional<ClusterSource> m_ownCluster;  ///< of a profile; a network file goes before it
  Diagnostics m_out;
};

}  // namespace

bool Imported::leavesSearchOpen() const {
  return !scenario && std::none_of(measured.begin(), measured.end(), [](const Measured& m) {
    const auto* run = std::get_if<TrainingRun>(&m.measurement.of);
    return run && !degreesOf(run->settings).empty();
  });
}

Reading<Imported> importFiles(const std::vector<NamedText>& files, const DeviceSpec& device,
                              const ReferenceLoader& load, const ImportOptions& options) {
  return Importer(files, device, load, options).run();
}

}  // namespace nest
