#include "cluster/devices/device_names.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "cluster/devices/device_catalog.h"
#include "cluster/devices/device_facts.h"
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
  double memory;
};

/// Those that begin with another's name come first.
const std::vector<Model>& models() {
  static const std::vector<Model> all = [] {
    std::vector<Model> out;
    for (const DeviceFacts& f : deviceFacts())
      for (const std::string& w : f.words)
        out.push_back({w, f.id, findDevice(f.id)->memory.value.value() / (1024.0 * 1024 * 1024)});
    std::stable_sort(out.begin(), out.end(),
                     [](const Model& x, const Model& y) { return x.word.size() > y.word.size(); });
    return out;
  }();
  return all;
}

const Model* modelIn(std::vector<std::string> words) {
  // JAX calls the v5e "TPU v5 lite", the v6e "TPU v6 lite" and the v5p "TPU v5".
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool isLite = i + 1 < words.size() && words[i + 1].starts_with("lite");
    if (isLite && (words[i] == "v5" || words[i] == "v6"))
      words[i] += 'e';
    else if (words[i] == "v5" && i > 0 && words[i - 1] == "tpu")
      words[i] += 'p';
  }
  for (const Model& m : models())
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
  double usual = model->memory;
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
  return factsOf(device.id).architecture;
}

const DeviceSpec* usualOfArchitecture(int architecture) {
  for (const DeviceFacts& f : deviceFacts())
    if (f.isUsual && f.architecture == architecture) return findDevice(f.id);
  return nullptr;
}

}  // namespace nest
