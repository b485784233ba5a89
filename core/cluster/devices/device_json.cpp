#include "cluster/devices/device_json.h"

#include <cctype>
#include <nlohmann/json.hpp>

#include "cluster/devices/device_values.h"
#include "units/text.h"

namespace nest {
namespace {

using nlohmann::json;

Origin originNamed(std::string_view name) {
  for (const Origin o : {Origin::Typed, Origin::Measured, Origin::Estimated, Origin::Catalog})
    if (nameOf(o) == name) return o;
  return Origin::Typed;
}

struct Allowed {
  Measure measure;
  double least, most;
};

struct FigureReader {
  JsonFields& fields;
  const JsonText& text;
  Origin bareOrigin;
  Diagnostics& out;

  /// A number, or a text with its own unit: "80 GiB", "450 GB/s", "2 us", "989 TFLOP/s".
  static std::optional<double> quantity(JsonFields& in, std::string_view key, const json& v,
                                        const Allowed& a) {
    if (!v.is_string()) return in.number(key, a.least, a.most);
    const std::string s = v.get<std::string>();
    const auto last = s.find_last_not_of(" \t");
    const bool hasUnit = last != std::string::npos && !std::isdigit(static_cast<unsigned char>(s[last]));
    const bool takesUnit = *text::suffixOf(a.measure) != 0;
    const auto d = hasUnit && takesUnit ? text::readMeasured(a.measure, s) : std::nullopt;
    if (d && *d >= a.least && *d <= a.most) return d;
    if (!d)
      in.report(Severity::Error, "quantity", key,
                '"' + s.substr(0, 60) + "\" is neither a number nor a value with its unit",
                "write for example \"80 GiB\", \"450 GB/s\", \"2 us\" or \"989 TFLOP/s\"");
    else
      in.report(Severity::Error, "json-range", key,
                '"' + s.substr(0, 60) + "\" is not from " + text::limit(a.measure, a.least) + " to " +
                    text::limit(a.measure, a.most));
    return std::nullopt;
  }

  std::optional<Sourced<double>> operator()(std::string_view key, const Allowed& allowed) {
    const json* v = fields.any(key);
    if (!v) return std::nullopt;
    if (!v->is_object()) {
      const auto d = quantity(fields, key, *v, allowed);
      return d ? std::optional(Sourced<double>(*d, bareOrigin)) : std::nullopt;
    }
    JsonFields inner(text, *v, fields.pointerTo(key), out);
    inner.requireKey("value", "the value itself");
    const json* inside = inner.any("value");
    const auto d = inside ? quantity(inner, "value", *inside, allowed) : std::nullopt;
    const auto origin = inner.oneOf("origin", {nameOf(Origin::Typed), nameOf(Origin::Measured),
                                               nameOf(Origin::Estimated), nameOf(Origin::Catalog)});
    const auto source = inner.string("source");
    inner.reportUnknown(Severity::Warning);
    if (!d) return std::nullopt;
    return Sourced<double>(*d, origin ? originNamed(*origin) : bareOrigin, source.value_or(""));
  }
};

}  // namespace

std::optional<Sourced<double>> readFigure(JsonFields& fields, const JsonText& text, std::string_view key,
                                          Measure measure, double least, double most, Diagnostics& out) {
  return FigureReader{fields, text, Origin::Typed, out}(key, {measure, least, most});
}

json figureJson(const Sourced<double>& figure) {
  json j = {{"value", figure.value}, {"origin", nameOf(figure.origin)}};
  if (!figure.citation.empty()) j["source"] = figure.citation;
  return j;
}

DeviceSpec readDevice(JsonFields& fields, const JsonText& text, const DeviceSpec& base, Origin bareOrigin,
                      Diagnostics& out) {
  DeviceSpec d = base;
  if (const auto id = fields.string("id")) d.id = *id;
  if (const auto name = fields.string("name")) d.name = *name;
  FigureReader read{fields, text, bareOrigin, out};
  for (const DeviceValue& f : deviceValues())
    if (const auto v = read(f.key, {f.measure, f.least, f.most})) f.set(d, *v);
  if (const auto n = fields.integer("usual_host_size", 1, 1'000'000)) d.usualHostSize = static_cast<int>(*n);
  if (const auto bf16 = fields.boolean("bf16")) d.hasBf16 = *bf16;
  if (d.peak.value.value() <= 0) fields.requireKey("peak_flops_per_s", "the dense matrix rate, FLOP/s");
  if (d.memory.value.value() <= 0) fields.requireKey("memory_bytes", "the device's memory, bytes");
  if (d.memoryBandwidth.value.value() <= 0)
    fields.requireKey("memory_bandwidth_bytes_per_s", "the memory bandwidth, bytes/s");
  // A network of one's own says what its links carry; only the catalog's devices are asked.
  if (d.linkBandwidth.value.value() <= 0 && bareOrigin == Origin::Catalog)
    fields.requireKey("link_bandwidth_bytes_per_s", "the one-way bandwidth inside a host, bytes/s");
  return d;
}

json deviceToJson(const DeviceSpec& device) {
  json j = {{"id", device.id}, {"name", device.name}, {"usual_host_size", device.usualHostSize}};
  if (!device.hasBf16) j["bf16"] = false;
  for (const DeviceValue& f : deviceValues())
    if (const auto v = f.get(device)) j[f.key] = figureJson(*v);
  // A device typed without its links has none to write.
  if (device.linkBandwidth.value.value() <= 0) j.erase("link_bandwidth_bytes_per_s");
  if (device.hostLinkBandwidth.value.value() <= 0) j.erase("host_link_bandwidth_bytes_per_s");
  return j;
}

}  // namespace nest
