#include "cluster/devices/device_json.h"

#include <cctype>
#include <nlohmann/json.hpp>

#include "text/decimal.h"
#include "units/text.h"

namespace nest {
namespace {

using nlohmann::json;

template <class T>
T fromNumber(double v) {
  return T(v);
}
double toNumber(double v) {
  return v;
}
template <class Unit>
double toNumber(Quantity<Unit> q) {
  return q.value();
}

Origin originNamed(std::string_view name) {
  for (const Origin o : {Origin::Typed, Origin::Measured, Origin::Estimated, Origin::Catalog})
    if (nameOf(o) == name) return o;
  return Origin::Typed;
}

bool endsIn(std::string_view s, std::string_view end) {
  return s.size() >= end.size() && s.substr(s.size() - end.size()) == end;
}

/// "989 TFLOP/s", "1.5 PFLOPS", "312 Tf".
std::optional<FlopsPerSecond> readFlops(const std::string& s) {
  constexpr std::pair<char, double> prefixes[] = {{'G', 1e9}, {'T', 1e12}, {'P', 1e15}};
  const auto end = s.find_first_not_of("0123456789.eE+-"), unit = s.find_first_not_of(' ', end);
  const auto value = readDecimal(std::string_view(s).substr(0, end));
  if (!value || unit == std::string::npos) return std::nullopt;
  const std::string_view name = std::string_view(s).substr(unit + 1);
  if (name != "FLOP/s" && name != "FLOPS" && name != "FLOPs" && name != "f") return std::nullopt;
  for (const auto& [prefix, scale] : prefixes)
    if (s[unit] == prefix) return FlopsPerSecond(*value * scale);
  return std::nullopt;
}

/// A text with its unit, for keys that end in one; nothing if it is not such a text.
std::optional<double> fromText(std::string_view key, const std::string& s) {
  if (endsIn(key, "_flops_per_s")) {
    const auto f = readFlops(s);
    return f ? std::optional(f->value()) : std::nullopt;
  }
  if (endsIn(key, "_bytes_per_s")) {
    const auto b = text::readBandwidth(s);
    return b ? std::optional(b->value.value()) : std::nullopt;
  }
  if (endsIn(key, "_bytes")) {
    const auto m = text::readMemory(s);
    return m ? std::optional(m->value()) : std::nullopt;
  }
  const auto t = endsIn(key, "_s") ? text::readTime(s) : std::nullopt;
  return t ? std::optional(t->value()) : std::nullopt;
}

struct FigureReader {
  JsonFields& fields;
  const JsonText& text;
  Origin bareOrigin;
  Diagnostics& out;

  /// A number in the unit of `named`, or a text with its own: "80 GiB", "450 GB/s", "2 us", "989 TFLOP/s".
  static std::optional<double> quantity(JsonFields& in, std::string_view key, const json& v, double least,
                                        double most, std::string_view named = {}) {
    if (!v.is_string()) return in.number(key, least, most);
    const std::string s = v.get<std::string>();
    const auto last = s.find_last_not_of(" \t");
    const bool hasUnit = last != std::string::npos && !std::isdigit(static_cast<unsigned char>(s[last]));
    const auto d = hasUnit ? fromText(named.empty() ? key : named, s) : std::nullopt;
    if (d && *d >= least && *d <= most) return d;
    if (!d)
      in.report(Severity::Error, "quantity", key,
                '"' + s.substr(0, 60) + "\" is neither a number nor a figure with its unit",
                "write for example \"80 GiB\", \"450 GB/s\", \"2 us\" or \"989 TFLOP/s\"");
    else
      in.report(
          Severity::Error, "json-range", key,
          '"' + s.substr(0, 60) + "\" is not from " + text::number(least) + " to " + text::number(most));
    return std::nullopt;
  }

  template <class T>
  void operator()(std::string_view key, Sourced<T>& figure, double least, double most) {
    const json* v = fields.any(key);
    if (!v) return;
    if (!v->is_object()) {
      if (const auto d = quantity(fields, key, *v, least, most)) figure = {fromNumber<T>(*d), bareOrigin, {}};
      return;
    }
    JsonFields inner(text, *v, fields.pointerTo(key), out);
    inner.requireKey("value", "the figure itself");
    const json* inside = inner.any("value");
    const auto d = inside ? quantity(inner, "value", *inside, least, most, key) : std::nullopt;
    const auto origin = inner.oneOf("origin", {nameOf(Origin::Typed), nameOf(Origin::Measured),
                                               nameOf(Origin::Estimated), nameOf(Origin::Catalog)});
    const auto source = inner.string("source");
    inner.reportUnknown(Severity::Warning);
    if (d) figure = {fromNumber<T>(*d), origin ? originNamed(*origin) : bareOrigin, source.value_or("")};
  }
};

template <class T>
json figureToJson(const Sourced<T>& figure) {
  json j = {{"value", toNumber(figure.value)}, {"origin", nameOf(figure.origin)}};
  if (!figure.citation.empty()) j["source"] = figure.citation;
  return j;
}

/// Names and bounds of all figures in one place, for reading and for writing.
template <class Device, class Visit>
void visitFigures(Device& d, Visit&& visit) {
  visit("peak_flops_per_s", d.peak, 1e6, 1e21);
  visit("matrix_efficiency", d.matrixEfficiency, 1e-3, 1.0);
  visit("sustained_rate", d.sustainedRate, 1e-3, 1.0);
  visit("matrix_half_size", d.matrixHalfSize, 0.0, 1e6);
  visit("attention_efficiency", d.attentionEfficiency, 1e-3, 1.0);
  visit("kernel_latency_s", d.kernelLatency, 0.0, 1.0);
  visit("memory_bytes", d.memory, 1e3, 1e18);
  visit("memory_bandwidth_bytes_per_s", d.memoryBandwidth, 1e3, 1e18);
  visit("memory_efficiency", d.memoryEfficiency, 1e-3, 1.0);
  visit("link_bandwidth_bytes_per_s", d.linkBandwidth, 1e3, 1e18);
  visit("link_latency_s", d.linkLatency, 0.0, 10.0);
  visit("link_efficiency", d.linkEfficiency, 1e-3, 1.0);
  visit("host_link_bandwidth_bytes_per_s", d.hostLinkBandwidth, 1e3, 1e18);
}

}  // namespace

void readFigure(JsonFields& fields, const JsonText& text, std::string_view key, Sourced<double>& figure,
                double least, double most, Diagnostics& out) {
  FigureReader{fields, text, Origin::Typed, out}(key, figure, least, most);
}

json figureJson(const Sourced<double>& figure) {
  return figureToJson(figure);
}

DeviceSpec readDevice(JsonFields& fields, const JsonText& text, const DeviceSpec& base, Origin bareOrigin,
                      Diagnostics& out) {
  DeviceSpec d = base;
  if (const auto id = fields.string("id")) d.id = *id;
  if (const auto name = fields.string("name")) d.name = *name;
  FigureReader read{fields, text, bareOrigin, out};
  visitFigures(d, read);
  if (fields.has("peak_fp8_flops_per_s")) {
    Sourced<FlopsPerSecond> fp8 = d.peakFp8.value_or(Sourced<FlopsPerSecond>{});
    read("peak_fp8_flops_per_s", fp8, 1e6, 1e21);
    d.peakFp8 = fp8;
  }
  if (fields.has("matrix_efficiency_fp8")) {
    Sourced<double> fp8 = d.matrixEfficiencyFp8.value_or(d.matrixEfficiency);
    read("matrix_efficiency_fp8", fp8, 1e-3, 1.0);
    d.matrixEfficiencyFp8 = fp8;
  }
  if (const auto n = fields.integer("usual_host_size", 1, 1'000'000)) d.usualHostSize = static_cast<int>(*n);
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
  visitFigures(device, [&j](std::string_view key, const auto& figure, double, double) {
    j[std::string(key)] = figureToJson(figure);
  });
  // A device typed without its links has none to write.
  if (device.linkBandwidth.value.value() <= 0) j.erase("link_bandwidth_bytes_per_s");
  if (device.hostLinkBandwidth.value.value() <= 0) j.erase("host_link_bandwidth_bytes_per_s");
  if (device.peakFp8) j["peak_fp8_flops_per_s"] = figureToJson(*device.peakFp8);
  if (device.matrixEfficiencyFp8) j["matrix_efficiency_fp8"] = figureToJson(*device.matrixEfficiencyFp8);
  return j;
}

}  // namespace nest
