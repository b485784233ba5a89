#include "cluster/devices/device_facts.h"

#include <nlohmann/json.hpp>

#include "text/catalog.h"

namespace nest {
namespace {

std::vector<DeviceFacts> readFacts() {
  std::vector<DeviceFacts> out;
  for (const CatalogEntry& e : catalogEntries("devices")) {
    DeviceFacts f;
    for (const DeviceFacts& known : out)
      if (known.id == e.like) f = known;
    const auto entry = nlohmann::json::parse(e.text, nullptr, false);
    f.id = std::string(e.id);
    f.family = entry.value("family", f.family.empty() ? f.id : f.family);
    f.architecture = entry.value("cuda_architecture", f.architecture);
    f.isUsual = entry.value("usual_of_architecture", false);
    f.domainSize = entry.value("usual_domain_size", f.domainSize);
    f.words = entry.value("words", std::vector<std::string>());
    out.push_back(std::move(f));
  }
  return out;
}

}  // namespace

const std::vector<DeviceFacts>& deviceFacts() {
  static const std::vector<DeviceFacts> all = readFacts();
  return all;
}

const DeviceFacts& factsOf(std::string_view deviceId) {
  static const DeviceFacts none;
  const DeviceFacts* nearest = nullptr;
  for (const DeviceFacts& f : deviceFacts()) {
    if (f.id == deviceId) return f;
    const bool isVariant = deviceId.starts_with(f.id) && deviceId.substr(f.id.size()).starts_with('-');
    if (isVariant && (!nearest || f.id.size() > nearest->id.size())) nearest = &f;
  }
  return nearest ? *nearest : none;
}

}  // namespace nest
