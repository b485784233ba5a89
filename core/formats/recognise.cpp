#include <algorithm>

#include "formats/format.h"
#include "units/letters.h"

namespace nest {
namespace {

constexpr std::size_t kLooked = 256u << 10;  ///< comments may come first, and warnings of many ranks
constexpr std::string_view kBlanks = " \t\r\n\v\f";

/// Behind a byte order mark and blanks.
std::string_view content(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const auto begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

/// Of the texts that begin with a bracket, logs ("[rank0]:"), tables of TOML and INI ("[gpus]") and the
/// underlined heads of nvidia-smi that lost their escape in a paste ("[4m") are none; of those that begin
/// with a brace, the lines of opensm-subnet.lst ("{ CA Ports").
bool isJson(std::string_view content) {
  if (content.empty() || content.front() != '[')
    return content.starts_with('{') && !content.starts_with("{ CA ") && !content.starts_with("{ SW ");
  const auto next = content.find_first_not_of(" \t\r\n", 1);
  return next == std::string_view::npos ||
         std::string_view("[]{\"").find(content[next]) != std::string_view::npos;
}

/// The first word that is no comment of any of the formats and no beginning of a YAML document.
std::string firstWord(const std::string& s) {
  std::size_t at = 0;
  while (at < s.size()) {
    if (kBlanks.find(s[at]) != std::string_view::npos)
      ++at;
    else if (s[at] == '#' || s.compare(at, 2, "//") == 0 || s.compare(at, 3, "---") == 0)
      at = std::min(s.find('\n', at), s.size());
    else if (s.compare(at, 2, "/*") == 0)
      at = s.find("*/", at) == std::string::npos ? s.size() : s.find("*/", at) + 2;
    else
      break;
  }
  const std::size_t end = std::min(s.find_first_of(" \t\r\n={\"[", at), s.size());
  return s.substr(at, end - at);
}

/// One of a list of ends, apart by blanks.
bool endsWithOneOf(std::string_view name, std::string_view ends) {
  while (!ends.empty()) {
    const std::string_view end = ends.substr(0, ends.find(' '));
    if (name.ends_with(end)) return true;
    ends.remove_prefix(std::min(ends.size(), end.size() + 1));
  }
  return false;
}

struct Known {
  std::string_view is, remedy;
  bool (*claims)(std::string_view content);
};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}
bool names(std::string_view text, std::string_view key) {
  return has(text, '"' + std::string(key) + '"');
}

constexpr std::string_view kConfig = "give the model's config.json";
constexpr std::string_view kHost = "give what NCCL_TOPO_DUMP_FILE writes, or nvidia-smi topo -m";
constexpr std::string_view kLaunched =
    "give the model's config.json, the network and, to cost this launch, a plan (nest-plan evaluate --help)";
constexpr std::string_view kNodes = "give what kubectl get nodes -o json prints";

using Text = std::string_view;

constexpr Known kUnsupportedJson[] = {
    {"this is a container's log, each line as JSON",
     "give its text: what docker logs or kubectl logs prints, or jq -rj .log FILE",
     [](Text t) { return names(t, "log") && names(t, "stream") && names(t, "time"); }},
    {"this is a lesson", "open it in the window, or check it with nest-plan lessons check",
     [](Text t) { return has(t.substr(0, 400), "\"nest-lesson\""); }},
    {"these are answers to lessons", "grade them with nest-plan grade",
     [](Text t) { return has(t.substr(0, 400), "\"nest-lesson-answers\""); }},
    {"this is a catalog of devices, number formats or programs",
     "put it into the folder that samples/catalogs/README.md names, or name it in NEST_CATALOG",
     [](Text t) {
       return t.starts_with('{') &&
              (names(t, "programs") || names(t, "number_formats") || names(t, "peak_flops_per_s")) &&
              (names(t, "like") || names(t, "id"));
     }},
    {"this is an index of weights", kConfig, [](Text t) { return names(t, "weight_map"); }},
    {"these are training runs", "open them in the view Accuracy, or give them to nest-plan study validation",
     [](Text t) { return names(t, "sets") && names(t, "columns") && names(t, "rows"); }},
    {"this is an adapter, and no model", "give the config.json of the model that it belongs to",
     [](Text t) { return names(t, "peft_type"); }},
    {"this is a tokenizer's file", kConfig,
     [](Text t) {
       return names(t, "tokenizer_class") || names(t, "added_tokens") || names(t, "added_tokens_decoder");
     }},
    {"this is a generation_config.json, which does not describe the model's shape", kConfig,
     [](Text t) {
       return names(t, "_from_model_config") ||
              (names(t, "eos_token_id") && names(t, "transformers_version"));
     }},
    {"these are virtual machines of Azure, which do not say how they are connected",
     "give the topology.conf of the cluster (azslurm topology), or what ibnetdiscover prints",
     [](Text t) { return names(t, "vmSize") || names(t, "virtualMachineScaleSet"); }},
    {"these are instances of Google Cloud without their location",
     "give instances of A3, A4 or A4X, which have physicalHostTopology, or a CSV with the columns host, rack "
     "and gpus",
     [](Text t) { return names(t, "machineType"); }},
    {"this is the adjacency of networkx", "save the graph with node_link_data",
     [](Text t) { return names(t, "adjacency") && names(t, "nodes"); }},
    {"these are the details of AWS instances, which do not say how they are connected",
     "give what aws ec2 describe-instance-topology prints",
     [](Text t) { return names(t, "Reservations") && names(t, "InstanceId"); }},
    {"these are objects of Kubernetes, and no nodes", "give what kubectl get nodes -o json prints",
     [](Text t) { return names(t, "apiVersion"); }},
    {"this is amd-smi's JSON", "give its text: amd-smi topology",
     [](Text t) { return names(t, "link_type") && names(t, "num_hops"); }},
    {"this is what Galvatron sums up of its profile",
     "give the file that its profiler wrote, with layernum[…]",
     [](Text t) { return has(t, "\"layertype_"); }},
    {"this is Galvatron's slowdown of compute during exchanges",
     "give its other files; what overlaps is said by the program and by assumptions.overlap",
     [](Text t) { return names(t, "overlap_coe"); }},
    {"this is a trace of PyTorch without kernels of a GPU",
     "trace with torch.profiler of a build that has Kineto, CPU and CUDA activities, and export_chrome_trace",
     [](Text t) { return t.starts_with('[') && names(t, "ph") && names(t, "ts") && names(t, "dur"); }},
    {"this is a plan of Galvatron", "write it as a plan; nest-plan evaluate --help shows one",
     [](Text t) { return names(t, "tp_sizes_enc"); }},
    {"this looks like the vendor's params.json", "give the config.json of its Hugging Face release",
     [](Text t) { return names(t, "n_layers") && (names(t, "dim") || names(t, "n_heads")); }},
};
constexpr Known kUnsupportedXml[] = {
    {"this is an algorithm of MSCCL, not a topology", kHost, [](Text t) { return has(t, "<algo"); }},
};
constexpr Known kUnsupportedText[] = {
    {"this launches Megatron-LM", "give the log of a run, which prints all arguments",
     [](Text t) {
       return has(t, "--tensor-model-parallel-size") || has(t, "--pipeline-model-parallel-size");
     }},
    {"this is a configuration of NeMo or Megatron-Bridge", kLaunched,
     [](Text t) { return has(t, "tensor_model_parallel_size:"); }},
    {"this is a configuration of nanotron", kLaunched,
     [](Text t) { return has(t, "parallelism:") && (has(t, "pp_engine:") || has(t, "tp_mode:")); }},
    {"this is a table that nsys stats prints", "give what nsys export --type sqlite writes of the report",
     [](Text t) { return has(t, "NVTX GPU Projection") || has(t, "nvtx_gpu_proj"); }},
    {"this is a Topology of Kueue, which names labels but no nodes", kNodes,
     [](Text t) { return has(t, "kueue.x-k8s.io") || (has(t, "nodeLabel:") && has(t, "levels:")); }},
    {"this is an object of Kubernetes in YAML", kNodes, [](Text t) { return has(t, "apiVersion:"); }},
    {"this is slurm.conf without its nodes", "give topology.conf, or the output of scontrol show nodes",
     [](Text t) { return has(t, "PartitionName=") || has(t, "SlurmctldHost="); }},
    {"this is a playbook of Ansible", "give the inventory", [](Text t) { return has(t, "- hosts:"); }},
    {"this is printed by AMD's tools", "give what amd-smi topology or rocm-smi --showtopo prints",
     [](Text t) { return has(t, "ROCm System Management") || has(t, "AMD System Management"); }},
    {"this is a topology of containerlab, which gives no bandwidths", "give it as GraphML or DOT",
     [](Text t) { return has(t, "endpoints:") && has(t, "topology:"); }},
    {"these are LLDP neighbours of one host",
     "give a topology.conf, or a CSV with the columns host, rack and gpus",
     [](Text t) { return has(t, "LLDP neighbors") || has(t, "via: LLDP"); }},
    {"this is printed by dcgmi topo", kHost,
     [](Text t) { return has(t, "CPU Core Affinity") && has(t, "Topology"); }},
    {"this lists the GPUs of a host, not how they are connected", "give the output of nvidia-smi topo -m",
     [](Text t) { return has(t, "NVIDIA-SMI") || t.starts_with("GPU 0:"); }},
};

}  // namespace

FileLook::FileLook(std::string_view whole, std::string_view fileName) : file(text::lower(fileName)) {
  const std::string_view all = content(whole);
  if (isJson(all)) {
    json = all.substr(0, kMostRecognised);
  } else {
    text = text::lower(all.substr(0, kLooked));
    word = firstWord(text);
  }
}

bool FileLook::names(std::string_view key) const {
  return nest::names(json, key);
}

bool FileLook::has(std::string_view part) const {
  return nest::has(text, part);
}

const Format* recognise(std::string_view text, std::string_view fileName) {
  const FileLook look(text, fileName);
  for (const Format* f : formats())
    if (f->claims(look)) return f;
  if (!text.empty() && !unsupported(text).is.empty()) return nullptr;
  for (const Format* f : formats())
    if (endsWithOneOf(look.file, f->fileNames)) return f;
  return nullptr;
}

const Format* findFormat(std::string_view key) {
  for (const Format* f : formats())
    if (f->key == key) return f;
  return nullptr;
}

Unsupported unsupported(std::string_view text) {
  if (text.empty()) return {"the file is empty", {}};
  for (const std::string_view zipped : {"PK\3\4", "\x28\xb5\x2f\xfd", "\3757zXZ", "BZh9"})
    if (text.starts_with(zipped))
      return {"the file is compressed", "unpack it first, or compress it with gzip"};
  if (text.starts_with("PAR1"))
    return {"this is a table in Parquet, as AIConfigurator ships",
            "write it as text: pandas.read_parquet(FILE).to_csv(NEW, index=False)"};
  const std::string_view t = content(text).substr(0, kLooked);
  const auto among = [&](std::span<const Known> all) -> Unsupported {
    for (const Known& k : all)
      if (k.claims(t)) return {k.is, k.remedy};
    return {};
  };
  return isJson(t)            ? among(kUnsupportedJson)
         : t.starts_with('<') ? among(kUnsupportedXml)
                              : among(kUnsupportedText);
}

std::string namesOfFormats(bool (*isWanted)(const Format&)) {
  std::string all;
  for (const Format* f : formats())
    if (isWanted(*f)) (all += all.empty() ? "" : ", ") += f->name;
  return all;
}

}  // namespace nest
