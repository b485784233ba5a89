#include "cluster/devices/device_names.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "cluster/devices/device_catalog.h"
#include "text/decimal.h"
#include "units/letters.h"

namespace nest {
namespace {

bool isDigit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

std::vector<std::string> wordsIn(std::string_view name) {
  std::vector<std::string> out(1);
  for (const char c : text::lower(name))
    if (std::isalnum(static_cast<unsigned char>(c)))
      out.back() += c;
    else if (!out.back().empty())
      out.emplace_back();
  if (out.back().empty()) out.pop_back();
  return out;
}

/// "80gb", "80g", "141gib" → 80, 80, 141; 0: it is no amount of memory.
int gigabytesIn(const std::string& word) {
  const auto end = std::min(word.find_first_not_of("0123456789"), word.size());
  const std::string_view unit = std::string_view(word).substr(end);
  if (end == 0 || (unit != "g" && unit != "gb" && unit != "gib")) return 0;
  return static_cast<int>(readWhole(std::string_view(word).substr(0, end), 1, 4096).value_or(0));
}

/// One model as it is named in words, its entry of the catalog and that entry's memory, in GB.
struct Model {
  std::string_view word, id;
  int memory;
};
/// Those that begin with another's name come first.
constexpr Model kModels[] = {{"gb300", "gb300", 288},        {"gb200", "gb200", 186},
                             {"b300", "b300", 288},          {"b200", "b200", 180},
                             {"h200", "h200", 141},          {"h800", "h800-sxm", 80},
                             {"h100", "h100-sxm", 80},       {"h20", "h20", 96},
                             {"a100", "a100-80", 80},        {"a800", "a800-80", 80},
                             {"v100", "v100-32", 32},        {"l40s", "l40s", 48},
                             {"mi355x", "mi355x", 288},      {"mi325x", "mi325x", 256},
                             {"mi300x", "mi300x", 192},      {"mi250x", "mi250x-gcd", 64},
                             {"mi250", "mi250x-gcd", 64},    {"gaudi3", "gaudi3", 128},
                             {"gfx942", "mi300x", 192},      {"gfx950", "mi355x", 288},
                             {"gfx90a", "mi250x-gcd", 64},   {"hl325", "gaudi3", 128},
                             {"trainium2", "trainium2", 96}, {"trn2", "trainium2", 96},
                             {"v5lite", "tpu-v5e", 16},      {"v5e", "tpu-v5e", 16},
                             {"v5p", "tpu-v5p", 95},         {"v6e", "tpu-v6e", 32},
                             {"tpu7x", "tpu-v7", 192},       {"v4", "tpu-v4", 32}};

const Model* modelIn(std::vector<std::string> words) {
  // JAX calls the v5e "TPU v5 lite", the v6e "TPU v6 lite" and the v5p "TPU v5".
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool isLite = i + 1 < words.size() && words[i + 1].starts_with("lite");
    if (isLite && (words[i] == "v5" || words[i] == "v6"))
      words[i] += 'e';
    else if (words[i] == "v5" && i > 0 && words[i - 1] == "tpu")
      words[i] += 'p';
  }
  for (const Model& m : kModels)
    for (const std::string& w : words) {
      if (!w.starts_with(m.word)) continue;
      const std::string_view rest = std::string_view(w).substr(m.word.size());
      const bool isTpu = m.id.starts_with("tpu");
      // "h100sxm5" and "hl325l" are of the model; "v40" and "mi250xyz" are not.
      if (rest.empty() || (!isTpu && !isDigit(rest.front()) &&
                           (rest.starts_with("sxm") || rest.starts_with("pcie") || rest.starts_with("nvl") ||
                            rest == "l" || rest.starts_with("gcd"))))
        return &m;
    }
  return nullptr;
}

}  // namespace

NamedDevice deviceCalled(std::string_view name) {
  const std::string lower = text::lower(name);
  const auto has = [&](std::string_view part) { return lower.find(part) != std::string::npos; };
  const auto words = wordsIn(name);
  const Model* model = modelIn(words);
  // Drivers and schedulers count the dies of an MI250X.
  if (const DeviceSpec* own = findDevice(name); own && !has("mi250")) return {own, true};
  if (!model || has("gh200")) return {};
  int memory = 0;
  for (const std::string& w : words)
    if (const int gigabytes = gigabytesIn(w); gigabytes > 0) memory = gigabytes;
  std::string_view id = model->id;
  int usual = model->memory;
  // Google's nvidia-tesla-a100 is the one of 40 GB.
  if (id == "a100-80" && (memory == 40 || (memory == 0 && has("tesla")))) id = "a100-40", usual = 40;
  const bool isNvl =
      std::any_of(words.begin(), words.end(), [](const std::string& w) { return w.ends_with("nvl"); });
  const bool isCard = isNvl || has("pcie") || std::find(words.begin(), words.end(), "pci") != words.end();
  bool isExact = memory == 0 || memory >= 0.95 * usual;
  if (isCard && id == "h100-sxm") {
    id = "h100-pcie";
    isExact = isExact && !isNvl;
  } else if (isCard && !id.starts_with("gb") && id != "l40s") {
    isExact = false;
  }
  return {findDevice(id), isExact && memory <= 1.1 * usual};
}

bool isPartition(std::string_view name) {
  const std::string lower = text::lower(name);
  for (std::size_t at = lower.find("g."); at != std::string::npos; at = lower.find("g.", at + 1)) {
    std::size_t end = at + 2;
    while (end < lower.size() && isDigit(lower[end])) ++end;
    if (at > 0 && isDigit(lower[at - 1]) && end > at + 2 && lower.compare(end, 2, "gb") == 0) return true;
  }
  return false;
}

bool isSameDevice(const DeviceSpec& device, const DeviceSpec& named) {
  return device.id == named.id || device.id.starts_with(named.id + "-");
}

int architectureOf(const DeviceSpec& device) {
  struct Generation {
    std::string_view id;
    int architecture;
  };
  static constexpr Generation kGenerations[] = {{"v100", 70},  {"a100", 80},   {"a800", 80},  {"l40s", 89},
                                                {"h100", 90},  {"h800", 90},   {"h200", 90},  {"h20", 90},
                                                {"b200", 100}, {"gb200", 100}, {"b300", 103}, {"gb300", 103}};
  for (const Generation& g : kGenerations)
    if (device.id.starts_with(g.id)) return g.architecture;
  return 0;
}

const DeviceSpec* usualOfArchitecture(int architecture) {
  const char* id = architecture == 70    ? "v100-32"
                   : architecture == 80  ? "a100-80"
                   : architecture == 89  ? "l40s"
                   : architecture == 90  ? "h100-sxm"
                   : architecture == 100 ? "b200"
                   : architecture == 103 ? "b300"
                                         : nullptr;
  return id ? findDevice(id) : nullptr;
}

}  // namespace nest
