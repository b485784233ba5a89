#include "cluster/devices/device_catalog.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>

#include "cluster/devices/device_json.h"
#include "text/catalog.h"
#include "text/json_strings.h"
#include "units/made_once.h"

namespace nest {
namespace {

std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Tests read each entry of the program's own devices, fields/own_catalogs.h those of a user.
class AllDevices {
public:
  AllDevices()
      : m_entries(catalogEntries("devices")),
        m_devices(m_entries.size(), [this](std::size_t i) { return read(m_entries[i]); }) {
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
      m_named.emplace(folded(m_entries[i].id), i);
      m_named.emplace(folded(m_entries[i].name), i);
      const auto aliases = nlohmann::json::parse(m_entries[i].aliases, nullptr, false);
      if (aliases.is_array())
        for (const std::string alias : aliases) m_named.emplace(folded(alias), i);
    }
  }

  const std::vector<DeviceSpec>& all() const { return m_devices.all(); }
  const DeviceSpec* named(std::string_view name) const {
    const auto it = m_named.find(folded(name));
    return it == m_named.end() ? nullptr : &m_devices.at(it->second);
  }

private:
  DeviceSpec read(const CatalogEntry& entry) const {
    const DeviceSpec* like = named(entry.like);
    return readCatalogDevice(entry.text, std::string(entry.file), like ? *like : DeviceSpec{})
        .value.value_or(DeviceSpec{});
  }

  std::span<const CatalogEntry> m_entries;
  std::map<std::string, std::size_t> m_named;  ///< folded id, name or alias → entry
  MadeOnce<DeviceSpec> m_devices;
};

const AllDevices& allDevices() {
  static const AllDevices all;
  return all;
}

}  // namespace

const std::vector<DeviceSpec>& deviceCatalog() {
  return allDevices().all();
}

const DeviceSpec* findDevice(std::string_view id) {
  return allDevices().named(id);
}

Reading<DeviceSpec> readCatalogDevice(std::string_view text, const std::string& file,
                                      const DeviceSpec& like) {
  const auto json = readJsonText(text, file);
  Diagnostics out = json.diagnostics;
  if (!json) return {std::nullopt, out};
  if (!json->root().is_object()) {
    out.push_back(error("json-type", json->placeOf(""), "a device must be an object"));
    return {std::nullopt, out};
  }
  JsonFields fields(*json, json->root(), "", out);
  fields.requireKey("id", "a short name");
  (void)fields.string("like");
  (void)readStrings(fields, "aliases");
  // DeviceFacts
  (void)fields.string("family");
  (void)fields.integer("cuda_architecture", 0, 10'000);
  (void)fields.boolean("usual_of_architecture");
  (void)fields.integer("usual_domain_size", 0, 1'000'000);
  (void)readStrings(fields, "words");
  DeviceSpec device = readDevice(fields, *json, like, Origin::Catalog, out);
  fields.reportUnknown(Severity::Warning);
  if (hasErrors(out)) return {std::nullopt, out};
  return {std::move(device), std::move(out)};
}

}  // namespace nest
