#include "cluster/devices/device_catalog.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>

#include "cluster/devices/device_json.h"
#include "text/embedded.h"

namespace nest {
namespace {

std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

struct Catalog {
  std::vector<DeviceSpec> devices;
  std::map<std::string, std::size_t> names;  ///< folded id, name or alias → device
};

Reading<Catalog> readCatalog(std::string_view text, const std::string& file) {
  const auto json = readJsonText(text, file);
  Diagnostics out = json.diagnostics;
  if (!json) return {std::nullopt, out};
  if (!json->root().is_object()) {
    out.push_back(error("catalog-not-object", json->placeOf(""),
                        "A device catalog is an object with a key \"devices\""));
    return {std::nullopt, out};
  }
  Catalog catalog;
  JsonFields top(*json, json->root(), "", out);
  top.string("about");
  top.requireKey("devices", "a list of devices");
  const nlohmann::json* list = top.array("devices");
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    const std::string pointer = jsonPointer("/devices", i);
    if (!(*list)[i].is_object()) {
      out.push_back(error("json-type", json->placeOf(pointer), "A device must be an object"));
      continue;
    }
    JsonFields fields(*json, (*list)[i], pointer, out);
    fields.requireKey("id", "a short name");
    const DeviceSpec* like = nullptr;
    if (const auto relative = fields.string("like")) {
      const auto known = catalog.names.find(folded(*relative));
      if (known != catalog.names.end())
        like = &catalog.devices[known->second];
      else
        fields.report(Severity::Error, "device-unknown", "like",
                      "No device above is called \"" + *relative + '"');
    }
    DeviceSpec device = readDevice(fields, *json, like ? *like : DeviceSpec{}, Origin::Catalog, out);
    std::vector<std::string> names = {device.id, device.name};
    if (const auto* aliases = fields.array("aliases"))
      for (const auto& a : *aliases)
        if (a.is_string()) names.push_back(a.get<std::string>());
    for (const auto& n : names) {
      const auto [at, isNew] = catalog.names.emplace(folded(n), i);
      if (!isNew && at->second != i)
        fields.report(Severity::Error, "device-twice", "id", "Another device is also called \"" + n + '"');
    }
    fields.reportUnknown(Severity::Warning);
    catalog.devices.push_back(std::move(device));
  }
  if (hasErrors(out)) return {std::nullopt, out};
  return {std::move(catalog), out};
}

const Catalog& builtIn() {
  // The text is part of the program and a test reads it: an error here is a bug, and an empty catalog shows
  // it.
  static const Catalog catalog = [] {
    auto reading = readCatalog(embeddedResource("devices.json"), "devices.json");
    return reading ? std::move(*reading) : Catalog{};
  }();
  return catalog;
}

}  // namespace

const std::vector<DeviceSpec>& deviceCatalog() {
  return builtIn().devices;
}

const DeviceSpec* findDevice(std::string_view id) {
  const auto it = builtIn().names.find(folded(id));
  return it == builtIn().names.end() ? nullptr : &builtIn().devices[it->second];
}

Reading<std::vector<DeviceSpec>> readDeviceCatalog(std::string_view text, const std::string& file) {
  auto reading = readCatalog(text, file);
  if (!reading) return {std::nullopt, std::move(reading.diagnostics)};
  return {std::move(reading->devices), std::move(reading.diagnostics)};
}

}  // namespace nest
