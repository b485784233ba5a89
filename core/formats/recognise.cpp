#include <algorithm>

#include "formats/format.h"
#include "units/letters.h"

namespace nest {
namespace {

constexpr std::size_t kLooked = 64u << 10;  ///< comments may come first
constexpr std::size_t kLookedInJson = 1u << 20;
constexpr std::string_view kBlanks = " \t\r\n\v\f";

/// Behind a byte order mark and blanks.
std::string_view content(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const auto begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

/// "[4m" begins the underlined heads of nvidia-smi where a paste lost the escape.
bool isJson(std::string_view content) {
  return !content.empty() && (content.front() == '{' || content.front() == '[') &&
         !content.starts_with("[4m");
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
constexpr std::string_view kTopograph = "make a topology.conf of it, as topograph does";

using Text = std::string_view;

constexpr Known kUnsupportedJson[] = {
    {"this is an index of weights", kConfig, [](Text t) { return names(t, "weight_map"); }},
    {"this is a tokenizer's file", kConfig,
     [](Text t) {
       return names(t, "tokenizer_class") || names(t, "added_tokens") || names(t, "added_tokens_decoder");
     }},
    {"this is a generation_config.json, which does not describe the model's shape", kConfig,
     [](Text t) {
       return names(t, "_from_model_config") ||
              (names(t, "eos_token_id") && names(t, "transformers_version"));
     }},
    {"this is what AWS describe-instance-topology prints", kTopograph,
     [](Text t) { return names(t, "NetworkNodes"); }},
    {"these are instances of Google Cloud", kTopograph,
     [](Text t) { return names(t, "physicalHostTopology"); }},
    {"these are objects of Kubernetes", kTopograph,
     [](Text t) { return names(t, "apiVersion") && (names(t, "NodeList") || names(t, "items")); }},
    {"this looks like the vendor's params.json", "give the config.json of its Hugging Face release",
     [](Text t) { return names(t, "n_layers") && (names(t, "dim") || names(t, "n_heads")); }},
};
constexpr Known kUnsupportedXml[] = {
    {"this is a topology of hwloc (lstopo)", kHost,
     [](Text t) { return has(t, "hwloc") || has(t, "<topology"); }},
    {"this is an algorithm of MSCCL, not a topology", kHost, [](Text t) { return has(t, "<algo"); }},
};
constexpr Known kUnsupportedText[] = {
    {"this is an object of Kubernetes, which names labels but no nodes",
     "give a Slurm topology.yaml of the nodes, as topograph makes it",
     [](Text t) { return has(t, "apiVersion:"); }},
    {"this is printed by scontrol show nodes, which does not say how hosts are connected",
     "give the output of scontrol show topology",
     [](Text t) { return has(t, "NodeName=") && has(t, "CPUAlloc="); }},
    {"this is slurm.conf, which does not say how hosts are connected",
     "give topology.conf, topology.yaml or the output of scontrol show topology",
     [](Text t) { return has(t, "NodeName=") || has(t, "PartitionName="); }},
    {"this is printed by AMD's tools", "give what RCCL writes with NCCL_TOPO_DUMP_FILE",
     [](Text t) { return has(t, "ROCm System Management") || has(t, "LINK TYPE TABLE"); }},
    {"this is printed by ibnetdiscover", kTopograph,
     [](Text t) { return has(t, "vendid=0x") && has(t, "devid=0x"); }},
    {"this lists the GPUs of a host, not how they are connected", "give the output of nvidia-smi topo -m",
     [](Text t) { return has(t, "NVIDIA-SMI") || t.starts_with("GPU 0:"); }},
};

}  // namespace

FileLook::FileLook(std::string_view whole, std::string_view fileName) : file(text::lower(fileName)) {
  const std::string_view all = content(whole);
  if (isJson(all)) {
    json = all.substr(0, kLookedInJson);
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
  if (text.starts_with("\x1f\x8b") || text.starts_with("PK\x03\x04"))
    return {"the file is compressed", "unpack it first"};
  const std::string_view t = content(text).substr(0, kLooked);
  const auto among = [&](std::span<const Known> all) -> Unsupported {
    for (const Known& k : all)
      if (k.claims(t)) return {k.is, k.remedy};
    return {};
  };
  return t.starts_with('{')   ? among(kUnsupportedJson)
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
