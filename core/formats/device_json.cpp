#include "formats/device_json.h"

#include <array>
#include <nlohmann/json.hpp>

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

struct FigureReader {
  JsonFields& fields;
  const JsonText& text;
  Origin bareOrigin;
  Diagnostics& out;

  template <class T>
  void operator()(std::string_view key, Sourced<T>& figure, double least, double most) {
    const json* v = fields.any(key);
    if (!v) return;
    if (!v->is_object()) {
      if (const auto d = fields.number(key, least, most)) figure = {fromNumber<T>(*d), bareOrigin, {}};
      return;
    }
    JsonFields inner(text, *v, fields.pointerTo(key), out);
    inner.requireKey("value", "the figure itself");
    const auto d = inner.number("value", least, most);
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
  if (const auto n = fields.integer("usual_host_size", 1, 1'000'000)) d.usualHostSize = static_cast<int>(*n);
  if (d.peak.value.value() <= 0) fields.requireKey("peak_flops_per_s", "the dense matrix rate, FLOP/s");
  if (d.memory.value.value() <= 0) fields.requireKey("memory_bytes", "the device's memory, bytes");
  if (d.memoryBandwidth.value.value() <= 0)
    fields.requireKey("memory_bandwidth_bytes_per_s", "the memory bandwidth, bytes/s");
  if (d.linkBandwidth.value.value() <= 0)
    fields.requireKey("link_bandwidth_bytes_per_s", "the one-way bandwidth inside a host, bytes/s");
  return d;
}

json deviceToJson(const DeviceSpec& device) {
  json j = {{"id", device.id}, {"name", device.name}, {"usual_host_size", device.usualHostSize}};
  visitFigures(device, [&j](std::string_view key, const auto& figure, double, double) {
    j[std::string(key)] = figureToJson(figure);
  });
  // A device without a link between hosts, or typed without one, has none to write.
  if (device.hostLinkBandwidth.value.value() <= 0) j.erase("host_link_bandwidth_bytes_per_s");
  if (device.peakFp8) j["peak_fp8_flops_per_s"] = figureToJson(*device.peakFp8);
  return j;
}

}  // namespace nest
