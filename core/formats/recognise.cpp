#include "formats/recognise.h"

#include <algorithm>
#include <cctype>

#include "formats/networks/network_import.h"

namespace nest {
namespace {

constexpr std::size_t kLooked = 64u << 10;
constexpr std::size_t kLookedInJson = 1u << 20;

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string lower(std::string_view s) {
  std::string out(s);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// Behind a byte order mark and blanks.
std::string_view content(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const auto begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

/// A key or string of that name anywhere in the text; enough to tell the shapes of JSON apart, also of broken
/// ones.
bool names(std::string_view text, std::string_view key) {
  return has(text, '"' + std::string(key) + '"');
}

FileKind jsonKind(std::string_view t, const std::string& file) {
  if (names(t, "nest-scenario")) return FileKind::Scenario;
  if (names(t, "nest-outcome")) return FileKind::Outcome;
  if (names(t, "nest-plan")) return FileKind::Plan;
  if (names(t, "nest-profile")) return FileKind::MeasuredProfile;
  if (names(t, "dp_input") || names(t, "latency_per_level")) return FileKind::NestArtifact;
  if (names(t, "TMPCs")) return names(t, "bws") ? FileKind::NestArtifact : FileKind::PiperProfile;
  if (names(t, "cluster") && (names(t, "job") || names(t, "model"))) return FileKind::Scenario;
  if (names(t, "stages") && names(t, "microbatch")) return FileKind::Plan;
  for (const char* key : {"model_type", "architectures", "num_hidden_layers", "hidden_size", "n_embd"})
    if (names(t, key)) return FileKind::HuggingFaceConfig;
  if (file.ends_with(".nest.json")) return FileKind::Scenario;
  if (file.ends_with("plan.json")) return FileKind::Plan;
  if (file.ends_with("config.json") && !misgiven(t).is) return FileKind::HuggingFaceConfig;
  return FileKind::Unknown;
}

FileKind networkKind(std::string_view text, std::string_view file) {
  switch (recogniseNetwork(text, file)) {
    case NetworkFormat::SlurmConf:
      return FileKind::SlurmTopologyConf;
    case NetworkFormat::SlurmYaml:
      return FileKind::SlurmTopologyYaml;
    case NetworkFormat::NvidiaTopo:
      return FileKind::NvidiaSmiTopology;
    case NetworkFormat::NcclXml:
      return FileKind::NcclTopologyXml;
    case NetworkFormat::AstraSim:
      return FileKind::AstraNetworkYaml;
    case NetworkFormat::SimGrid:
      return FileKind::SimGridPlatform;
    case NetworkFormat::GraphMl:
      return FileKind::GraphMl;
    case NetworkFormat::Dot:
      return FileKind::Dot;
    case NetworkFormat::Unknown:
      break;
  }
  return FileKind::Unknown;
}

/// The first line that is neither empty nor a comment.
std::string_view firstLine(std::string_view t) {
  while (!t.empty()) {
    const std::string_view line = t.substr(0, t.find('\n'));
    const auto begin = line.find_first_not_of(" \t\r");
    const bool comment =
        begin != std::string_view::npos && (line[begin] == '#' || line.substr(begin).starts_with("//"));
    if (begin != std::string_view::npos && !comment) return line.substr(begin);
    t.remove_prefix(std::min(t.size(), line.size() + 1));
  }
  return {};
}

bool isClusterLine(std::string_view line) {
  const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
  const auto colon = word.find(':'), at = word.find('@');
  return colon != std::string_view::npos && at != std::string_view::npos && colon > 0 && colon < at;
}

}  // namespace

const char* nameOf(FileKind k) {
  switch (k) {
    case FileKind::Scenario:
      return "NEST scenario";
    case FileKind::Plan:
      return "NEST plan";
    case FileKind::Outcome:
      return "NEST outcome";
    case FileKind::HuggingFaceConfig:
      return "Hugging Face config.json";
    case FileKind::MeasuredProfile:
      return "measured profile";
    case FileKind::PiperProfile:
      return "Piper profile";
    case FileKind::NestArtifact:
      return "input of the NEST artifact";
    case FileKind::PipeDreamGraph:
      return "PipeDream graph";
    case FileKind::SlurmTopologyConf:
      return "Slurm topology.conf";
    case FileKind::SlurmTopologyYaml:
      return "Slurm topology.yaml";
    case FileKind::NvidiaSmiTopology:
      return "nvidia-smi topology matrix";
    case FileKind::NcclTopologyXml:
      return "NCCL topology XML";
    case FileKind::AstraNetworkYaml:
      return "ASTRA-sim network";
    case FileKind::SimGridPlatform:
      return "SimGrid platform";
    case FileKind::GraphMl:
      return "GraphML graph";
    case FileKind::Dot:
      return "DOT graph";
    case FileKind::ClusterText:
      return "cluster in one line";
    case FileKind::Unknown:
      break;
  }
  return "unknown file";
}

bool isNetwork(FileKind k) {
  return k >= FileKind::SlurmTopologyConf && k <= FileKind::Dot;
}

Misgiven misgiven(std::string_view text) {
  if (text.empty()) return {"the file is empty", nullptr};
  if (text.starts_with("\x1f\x8b") || text.starts_with("PK\x03\x04"))
    return {"the file is compressed", "unpack it first"};
  const std::string_view t = content(text).substr(0, kLooked);
  constexpr const char* kConfig = "give the model's config.json";
  constexpr const char* kHost = "give what NCCL_TOPO_DUMP_FILE writes, or nvidia-smi topo -m";
  if (t.starts_with("{")) {
    if (names(t, "weight_map")) return {"this is an index of weights", kConfig};
    if (names(t, "tokenizer_class") || names(t, "added_tokens") || names(t, "added_tokens_decoder"))
      return {"this is a tokenizer's file", kConfig};
    if (names(t, "_from_model_config") || (names(t, "eos_token_id") && names(t, "transformers_version")))
      return {"this says how a model generates, not its shape", kConfig};
    constexpr const char* kTopograph = "make a topology.conf of it, as topograph does";
    if (names(t, "NetworkNodes")) return {"this is what AWS describe-instance-topology prints", kTopograph};
    if (names(t, "physicalHostTopology")) return {"these are instances of Google Cloud", kTopograph};
    if (names(t, "apiVersion") && (names(t, "NodeList") || names(t, "items")))
      return {"these are objects of Kubernetes", kTopograph};
    if (names(t, "n_layers") && (names(t, "dim") || names(t, "n_heads")))
      return {"this is a model's shape in its maker's own words",
              "give the config.json of its Hugging Face release"};
    return {};
  }
  if (t.starts_with("<")) {
    if (has(t, "hwloc") || has(t, "<topology")) return {"this is a topology of hwloc (lstopo)", kHost};
    if (has(t, "<algo")) return {"this is an algorithm of MSCCL, not a topology", kHost};
    return {};
  }
  if (has(t, "apiVersion:"))
    return {"this is an object of Kubernetes, which names labels but no nodes",
            "give a Slurm topology.yaml of the nodes, as topograph makes it"};
  if (has(t, "NodeName=") && has(t, "CPUAlloc="))
    return {"this is printed by scontrol show nodes, which does not say how hosts stand together",
            "give the output of scontrol show topology"};
  if (has(t, "NodeName=") || has(t, "PartitionName="))
    return {"this is slurm.conf, which does not say how hosts stand together",
            "give topology.conf, topology.yaml or the output of scontrol show topology"};
  if (has(t, "ROCm System Management") || has(t, "LINK TYPE TABLE"))
    return {"this is printed by AMD's tools", "give what RCCL writes with NCCL_TOPO_DUMP_FILE"};
  if (has(t, "vendid=0x") && has(t, "devid=0x"))
    return {"this is printed by ibnetdiscover", "make a topology.conf of it, as topograph does"};
  if (has(t, "NVIDIA-SMI") || t.starts_with("GPU 0:"))
    return {"this lists the GPUs of a host, not how they are joined",
            "give the output of nvidia-smi topo -m"};
  return {};
}

FileKind recognise(std::string_view text, std::string_view fileName) {
  const std::string file = lower(fileName);
  std::string_view all = content(text);
  // "[4m" begins the underlined heads of nvidia-smi where a paste lost the escape.
  if (!all.empty() && (all.front() == '{' || all.front() == '[') && !all.starts_with("[4m"))
    return jsonKind(all.substr(0, kLookedInJson), file);
  all = all.substr(0, kLooked);
  if (has(all, "forward_compute_time")) return FileKind::PipeDreamGraph;
  if (isClusterLine(firstLine(all))) return FileKind::ClusterText;
  if (const FileKind network = networkKind(all, fileName); network != FileKind::Unknown) return network;
  if (file.ends_with(".nest.json")) return FileKind::Scenario;
  if (file.ends_with("config.json")) return FileKind::HuggingFaceConfig;
  return FileKind::Unknown;
}

}  // namespace nest
