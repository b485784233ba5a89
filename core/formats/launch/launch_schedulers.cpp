// What asks a scheduler for the hosts of a plan: Slurm (sbatch 22.05; --segment since 23.11), JobSet v1alpha2
// with and without Kueue's topology-aware scheduling, Volcano v1alpha1, Ray placement groups. Each file says
// what its scheduler may still decide.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "formats/launch/launch_export.h"
#include "formats/launch/launch_hosts.h"
#include "formats/launch/launch_parts.h"
#include "formats/networks/slurm_hostlist.h"
#include "units/at.h"
#include "units/text.h"

namespace nest {
namespace {

/// The hosts to ask for, and what the scheduler needs to know of them.
struct HostRequest {
  RankMap map;
  std::vector<std::string> hosts;  ///< in rank order
  int most = 0;                    ///< ranks on one host
  bool isEven = true;              ///< all hosts run as many
  int segment = 0;                 ///< segmentOf()
  std::string plan;                ///< in one line

  int ranks() const { return static_cast<int>(map.hostOf.size()); }
};

/// Hosts of one block that the plan uses, if it uses as many of each: what --segment takes. 0: the cluster
/// has no blocks, or the plan uses them unevenly.
int segmentOf(const ReportSource& source, const Plan& plan) {
  const Hierarchy& cluster = *source.problem->cluster;
  if (cluster.levelCount() < 2) return 0;
  const std::string& name = cluster.level(1).name;
  if (name != "block" && name != "NVLink domain") return 0;
  std::vector<std::unordered_set<std::string>> blocks(at(cluster.groupCount(1)));
  for (const DeviceIndex d : devicesByRank(plan))
    blocks[at(cluster.groupOf(1, d.value))].insert(cluster.identity(d).host);
  std::size_t hosts = 0;
  for (const auto& block : blocks) {
    if (block.empty()) continue;
    if (hosts != 0 && block.size() != hosts) return 0;
    hosts = block.size();
  }
  return static_cast<int>(hosts);
}

Reading<HostRequest> requestOf(const ReportSource& source, const Plan& plan) {
  auto map = mapRanks(source, plan);
  Reading<HostRequest> out{std::nullopt, std::move(map.diagnostics)};
  if (!map) return out;
  const Diagnostics invented = inventedHosts(source, *map);
  out.diagnostics.insert(out.diagnostics.end(), invented.begin(), invented.end());
  HostRequest r;
  r.map = std::move(*map);
  r.plan = summaryOf(plan);
  r.segment = segmentOf(source, plan);
  r.most = static_cast<int>(r.map.hosts.front().ranks.size());
  for (const HostRanks& h : r.map.hosts) {
    r.hosts.push_back(h.name);
    r.isEven =
        r.isEven && static_cast<int>(h.ranks.size()) == static_cast<int>(r.map.hosts.front().ranks.size());
    r.most = std::max(r.most, static_cast<int>(h.ranks.size()));
  }
  out.value = std::move(r);
  return out;
}

/// Hosts that plans may not use: busy, down, drained, reserved, spare or failed.
std::vector<std::string> excludedHosts(const ReportSource& source) {
  if (!source.cluster) return {};
  const Hierarchy& cluster = *source.problem->cluster;
  std::unordered_set<std::string> planned;
  for (int d = 0; d < cluster.deviceCount(); ++d) planned.insert(cluster.identity(DeviceIndex(d)).host);
  std::vector<std::string> out;
  for (const std::string& host : hostNames(*source.cluster))
    if (!planned.count(host) && isHostName(host)) out.push_back(host);
  return out;
}

std::string resourceOf(const DeviceSpec& device) {
  if (device.name.starts_with("MI")) return "amd.com/gpu";
  if (device.name.starts_with("TPU")) return "google.com/tpu";
  if (device.name.starts_with("Trainium")) return "aws.amazon.com/neuron";
  return "nvidia.com/gpu";
}

std::string sbatch(const ReportSource& source, const HostRequest& r, Diagnostics&) {
  std::vector<std::string> sorted = r.hosts;
  std::sort(sorted.begin(), sorted.end());
  std::string text = fmt::format(
      "#!/bin/bash\n"
      "# {}: {} ranks on {} hosts. Submit it in the folder that nest-plan export --as folder wrote: sbatch "
      "job.sbatch\n"
      "#SBATCH --job-name=nest\n"
      "#SBATCH --nodes={}\n"
      "#SBATCH --ntasks={}\n"
      "#SBATCH --ntasks-per-node={}\n",
      r.plan, r.ranks(), r.hosts.size(), r.hosts.size(), r.ranks(), r.most);
  if (r.isEven) text += fmt::format("#SBATCH --gpus-per-node={}\n", r.most);
  text += "#SBATCH --nodelist=" + compressHostlist(sorted) + '\n';
  if (auto excluded = excludedHosts(source); !excluded.empty()) {
    std::sort(excluded.begin(), excluded.end());
    text += "#SBATCH --exclude=" + compressHostlist(excluded) + '\n';
  }
  if (r.segment > 0) text += fmt::format("#SBATCH --segment={}\n", r.segment);
  text +=
      "# Slurm allocates these hosts and no others, and waits until all of them are free. It numbers them in "
      "its own\n"
      "# order; slurm-hostfile places every rank, so that order does not matter.\n";
  if (!r.isEven)
    text +=
        "# The plan uses hosts unevenly: request their devices by hand (--gres), or whole hosts "
        "(--exclusive).\n";
  text += "exec ./run.sh \"$@\"\n";
  return text;
}

/// "[gpu00, gpu01]"; names of digits alone would be numbers.
std::string yamlList(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "[\"" : ", \"") + n + '"';
  return out + ']';
}

/// A pod that runs the ranks of the host it stands on: the table says which these are.
std::string podTemplate(const ReportSource& source, const HostRequest& r, const std::string& indent,
                        bool namesHosts) {
  std::string text;
  const auto line = [&](int depth, const std::string& s) {
    text += indent + std::string(at(depth) * 2, ' ') + s + '\n';
  };
  line(0, "restartPolicy: Never");
  if (namesHosts) {
    line(0, "affinity:");
    line(1, "nodeAffinity:");
    line(2, "requiredDuringSchedulingIgnoredDuringExecution:");
    line(3, "nodeSelectorTerms:");
    line(3, "- matchExpressions:");
    line(4, "- key: kubernetes.io/hostname");
    line(4, "  operator: In");
    line(4, "  values: " + yamlList(r.hosts));
  }
  line(0, "containers:");
  line(0, "- name: train");
  line(1, "image: IMAGE");
  line(1, "command: [\"sh\", \"-c\", \"exec ./start.sh\"]");
  line(1, "env:");
  line(1, "- name: HOST");
  line(2, "valueFrom: {fieldRef: {fieldPath: spec.nodeName}}");
  line(1, fmt::format("- {{name: WORLD_SIZE, value: \"{}\"}}", r.ranks()));
  line(1, "resources:");
  line(2, fmt::format("limits: {{{}: {}}}", resourceOf(source.problem->cluster->device()), r.most));
  if (!namesHosts) return text;
  line(1, "volumeMounts:");
  line(1, "- {name: ranks, mountPath: /etc/nest}");
  line(0, "volumes:");
  line(0, "- {name: ranks, configMap: {name: nest-ranks}}");
  return text;
}

/// The ranks of each host, for pods that do not choose their host.
std::string rankTableMap(const HostRequest& r) {
  std::string text =
      "apiVersion: v1\n"
      "kind: ConfigMap\n"
      "metadata:\n"
      "  name: nest-ranks\n"
      "data:\n"
      "  # host and its global ranks, the k-th on the host's k-th device\n"
      "  ranks: |\n";
  for (const HostRanks& h : r.map.hosts) text += "    " + h.name + ' ' + joinedNumbers(h.ranks) + '\n';
  return text + "---\n";
}

/// Pods request whole devices and as many on each host.
void warnOfPods(const HostRequest& r, Diagnostics& out) {
  if (!r.isEven)
    out.push_back(warning("pods-uneven", {},
                          "the plan uses " + text::count(r.most) +
                              " devices of some hosts and fewer of others; every pod requests " +
                              text::count(r.most),
                          "split the pods by their number of devices"));
  if (r.map.needsDeviceLists())
    out.push_back(
        warning("pods-devices", {},
                "the plan uses certain devices of a host, and Kubernetes chooses a pod's devices itself",
                "plan on whole hosts: set the state of hosts that are used in part to busy"));
  out.push_back(note("pods-image", {}, "the file names no container image: put yours in place of IMAGE",
                     "start.sh starts the ranks that /etc/nest/ranks lists for $HOST"));
}

/// A JobSet of one pod a host up to the template of its pod; `labels` follow its name.
std::string jobSetHead(std::string_view labels, const HostRequest& r) {
  return fmt::format(
      "apiVersion: jobset.x-k8s.io/v1alpha2\n"
      "kind: JobSet\n"
      "metadata:\n"
      "  name: nest\n"
      "{}"
      "spec:\n"
      "  replicatedJobs:\n"
      "  - name: hosts\n"
      "    replicas: 1\n"
      "    template:\n"
      "      spec:\n"
      "        parallelism: {}\n"
      "        completions: {}\n"
      "        completionMode: Indexed\n"
      "        backoffLimit: 0\n"
      "        template:\n",
      labels, r.hosts.size(), r.hosts.size());
}

std::string jobSet(const ReportSource& source, const HostRequest& r, Diagnostics& out) {
  warnOfPods(r, out);
  return fmt::format(
             "# {}: {} ranks on {} hosts. kubectl apply -f jobset.yaml\n"
             "# Kubernetes may decide which pod runs on which of these hosts; the table nest-ranks gives "
             "each "
             "host its ranks,\n"
             "# so the placement of ranks stays the plan's. It starts pods one by one: use Kueue for all or "
             "none.\n",
             r.plan, r.ranks(), r.hosts.size()) +
         rankTableMap(r) + jobSetHead("", r) + "          spec:\n" +
         podTemplate(source, r, "            ", true);
}

std::string kueue(const ReportSource& source, const HostRequest& r, Diagnostics& out) {
  warnOfPods(r, out);
  out.push_back(
      warning("kueue-chooses", {},
              "Kueue chooses the hosts itself: the plan's time holds if they stand together as the plan's do",
              "use jobset to name the hosts"));
  return fmt::format(
             "# {}: {} ranks on {} hosts. kubectl apply -f kueue.yaml\n"
             "# Kueue admits all pods or none, and may choose any hosts that stand close together: which "
             "hosts, "
             "and which\n"
             "# of them comes first, is its decision. Put your queue and the label of a level of your "
             "Topology "
             "in place.\n",
             r.plan, r.ranks(), r.hosts.size()) +
         jobSetHead(
             "  labels:\n"
             "    kueue.x-k8s.io/queue-name: QUEUE\n",
             r) +
         "          metadata:\n"
         "            annotations:\n"
         "              kueue.x-k8s.io/podset-preferred-topology: cloud.provider.com/topology-block\n"
         "          spec:\n" +
         podTemplate(source, r, "            ", false);
}

std::string volcano(const ReportSource& source, const HostRequest& r, Diagnostics& out) {
  warnOfPods(r, out);
  return fmt::format(
             "# {}: {} ranks on {} hosts. kubectl apply -f volcano.yaml\n"
             "# Volcano starts all pods or none, and may decide which pod runs on which of these hosts; the "
             "table nest-ranks\n"
             "# gives each host its ranks.\n",
             r.plan, r.ranks(), r.hosts.size()) +
         rankTableMap(r) +
         fmt::format(
             "apiVersion: batch.volcano.sh/v1alpha1\n"
             "kind: Job\n"
             "metadata:\n"
             "  name: nest\n"
             "spec:\n"
             "  schedulerName: volcano\n"
             "  minAvailable: {}\n"
             "  tasks:\n"
             "  - name: hosts\n"
             "    replicas: {}\n"
             "    template:\n"
             "      spec:\n",
             r.hosts.size(), r.hosts.size()) +
         podTemplate(source, r, "        ", true);
}

std::string ray(const ReportSource&, const HostRequest& r, Diagnostics&) {
  std::string hosts;
  for (const HostRanks& h : r.map.hosts)
    hosts += fmt::format("    (\"{}\", [{}]),\n", h.name, joinedNumbers(h.ranks));
  return fmt::format(
      "# {}: {} ranks on {} hosts, as a Ray placement group.\n"
      "# Start Ray on each host with its name as a resource: ray start --resources='{{\"host:'$(hostname "
      "-s)'\": 1}}'\n"
      "# Bundle i is then host i of this list. Ray may decide which devices of a host a worker gets, and "
      "waits until\n"
      "# all hosts are free.\n"
      "HOSTS = [  # name, global ranks\n{}]\n\n\n"
      "def placement():\n"
      "    from ray.util.placement_group import placement_group\n\n"
      "    bundles = [{{\"GPU\": len(ranks), \"host:\" + name: 0.001}} for name, ranks in HOSTS]\n"
      "    return placement_group(bundles, strategy=\"STRICT_SPREAD\")\n",
      r.plan, r.ranks(), r.hosts.size(), hosts);
}

/// A target from what writes its text for a request.
template <std::string (*write)(const ReportSource&, const HostRequest&, Diagnostics&)>
Reading<std::string> requested(const ReportSource& source, const Plan& plan, int) {
  auto request = requestOf(source, plan);
  Reading<std::string> out{std::nullopt, std::move(request.diagnostics)};
  if (request) out.value = write(source, *request, out.diagnostics);
  return out;
}

}  // namespace

const LaunchTarget& sbatchTarget() {
  static constexpr LaunchTarget target = {
      .id = "sbatch",
      .label = "Slurm batch script",
      .about = "asks Slurm for the plan's hosts by name (--nodelist, --exclude, --segment) and starts run.sh",
      .help = "a batch script that asks Slurm for the plan's hosts (--nodelist, --exclude, --segment)",
      .file = "job.sbatch",
      .write = &requested<sbatch>};
  return target;
}
const LaunchTarget& jobSetTarget() {
  static constexpr LaunchTarget target = {
      .id = "jobset",
      .label = "Kubernetes JobSet",
      .about = "a JobSet on the plan's nodes, with the ranks of each",
      .help = "a Kubernetes JobSet on the plan's nodes, with the ranks of each",
      .file = "jobset.yaml",
      .write = &requested<jobSet>};
  return target;
}
const LaunchTarget& kueueTarget() {
  static constexpr LaunchTarget target = {
      .id = "kueue",
      .label = "Kueue JobSet",
      .about = "a JobSet that asks Kueue for as many nodes close together",
      .help = "a JobSet that asks Kueue for as many nodes close together; Kueue chooses them",
      .file = "kueue.yaml",
      .write = &requested<kueue>};
  return target;
}
const LaunchTarget& volcanoTarget() {
  static constexpr LaunchTarget target = {
      .id = "volcano",
      .label = "Volcano job",
      .about = "a Volcano job on the plan's nodes, with the ranks of each",
      .help = "a Volcano job on the plan's nodes, with the ranks of each",
      .file = "volcano.yaml",
      .write = &requested<volcano>};
  return target;
}
const LaunchTarget& rayTarget() {
  static constexpr LaunchTarget target = {
      .id = "ray",
      .label = "Ray placement group",
      .about = "a Ray placement group with a bundle for each of the plan's hosts",
      .help = "a Ray placement group with a bundle for each of the plan's hosts (Python)",
      .file = "ray_placement.py",
      .write = &requested<ray>};
  return target;
}

}  // namespace nest
