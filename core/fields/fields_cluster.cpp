// The fields of the cluster. The numbers of a device stand in cluster/devices/device_values.cpp.
#include "cluster/devices/device_catalog.h"
#include "cluster/devices/device_values.h"
#include "fields/field_access.h"
#include "fields/field_tables.h"

namespace nest {
namespace {

using field_access::as;
using field_access::at;
using field_access::by;

template <class S>
auto& level(S& s, int i) {
  return std::get<LevelsSource>(s.cluster.network).levels.at(static_cast<std::size_t>(i));
}
template <class S>
auto& exception(S& s, int i) {
  return std::get<LevelsSource>(s.cluster.network).exceptions.at(static_cast<std::size_t>(i));
}
template <class S>
auto& link(S& s, int i) {
  return std::get<GraphSource>(s.cluster.network).graph.links.at(static_cast<std::size_t>(i));
}

FieldAccess ofLevel(FieldAccess a) {
  a.count = [](const Setting& s) {
    const auto* l = std::get_if<LevelsSource>(&s.cluster.network);
    return l ? static_cast<int>(l->levels.size()) : 0;
  };
  return a;
}
FieldAccess ofException(FieldAccess a) {
  a.count = [](const Setting& s) {
    const auto* l = std::get_if<LevelsSource>(&s.cluster.network);
    return l ? static_cast<int>(l->exceptions.size()) : 0;
  };
  return a;
}
FieldAccess ofLink(FieldAccess a) {
  a.count = [](const Setting& s) {
    const auto* g = std::get_if<GraphSource>(&s.cluster.network);
    return g ? static_cast<int>(g->graph.links.size()) : 0;
  };
  return a;
}

/// Bandwidths of levels and links are typed once they are set. Exchanges sustain all of what was measured (no
/// link efficiency is taken of it), and still do where it is only moved.
template <class Locate>
FieldAccess bandwidth(Locate of) {
  FieldAccess a = by([of](auto& s, int i) -> auto& { return of(s, i).bandwidth; });
  a.set = [of](Setting& s, int i, const FieldValue& v) {
    of(s, i).bandwidth = BytesPerSecond(std::get<double>(v));
    of(s, i).origin = Origin::Typed;
  };
  a.move = [of](Setting& s, int i, double v) {
    of(s, i).bandwidth = BytesPerSecond(v);
    if (of(s, i).origin != Origin::Measured) of(s, i).origin = Origin::Typed;
  };
  return a;
}

bool isFp8(const Setting& s) {
  return isComputed(s) && specOf(s.job.format).rate == ProductRate::Fp8;
}
bool isFp4(const Setting& s) {
  return isComputed(s) && specOf(s.job.format).rate == ProductRate::Fp4;
}
bool isOffloaded(const Setting& s) {
  return offloadsOptimizer(s) || (isComputed(s) && s.model.analytic.offloadedShare > 0);
}
bool isDrawn(const Setting& s) {
  return std::holds_alternative<GraphSource>(s.cluster.network);
}
bool isRegular(const Setting& s) {
  const auto* l = std::get_if<LevelsSource>(&s.cluster.network);
  return l && l->hostSizes.empty() && l->exceptions.empty();
}
bool hasStates(const Setting& s) {
  return !s.cluster.states.empty();
}
bool never(const Setting&) {
  return false;
}

FieldAccess ofDevice(const DeviceValue& f) {
  FieldAccess a;
  a.kind = FieldKind::Number, a.measure = f.measure;
  a.get = [&f](const Setting& s, int) {
    const auto v = f.get(s.cluster.device);
    return v ? FieldValue(v->value) : FieldValue();
  };
  // What the catalog says of the device is its number again, whoever typed it.
  a.set = [&f](Setting& s, int, const FieldValue& v) {
    const double typed = std::get<double>(v);
    const DeviceSpec* known = findDevice(s.cluster.device.id);
    const auto listed = known ? f.get(*known) : std::nullopt;
    f.set(s.cluster.device, listed && listed->value == typed ? *listed : Sourced<double>(typed));
  };
  a.figure = [&f](const Setting& s) { return f.get(s.cluster.device); };
  a.setFigure = [&f](Setting& s, const Sourced<double>& v) { f.set(s.cluster.device, v); };
  return a;
}

/// What of a device's numbers is more than a number: how it moves and when it counts.
void refine(Field& f, std::string_view key) {
  const auto is = [key](std::string_view k) { return key == k; };
  f.slide = f.access.measure == Measure::Share ? Slide::Linear : Slide::Log;
  f.reach = 8;
  if (f.access.measure == Measure::Time) f.usual = 4e-6;
  if (is("memory_bytes")) f.group = "Cluster", f.isOftenMoved = true, f.better = Better::Larger;
  if (is("peak_flops_per_s")) f.isOftenMoved = true, f.matters = isComputed, f.better = Better::Larger;
  if (is("sustained_rate") || is("memory_bandwidth_bytes_per_s"))
    f.matters = isComputed, f.better = Better::Larger;
  if (is("kernel_latency_s")) f.matters = isComputed, f.better = Better::Smaller;
  if (is("matrix_efficiency") || is("matrix_half_size") || is("attention_efficiency") ||
      is("memory_efficiency"))
    f.matters = isComputed;
  if (is("peak_fp8_flops_per_s")) f.matters = isFp8, f.better = Better::Larger;
  if (is("matrix_efficiency_fp8")) f.matters = isFp8;
  if (is("peak_fp4_flops_per_s")) f.matters = isFp4, f.better = Better::Larger;
  if (is("matrix_efficiency_fp4")) f.matters = isFp4;
  if (is("link_bandwidth_bytes_per_s") || is("link_latency_s")) f.matters = isDrawn;
  if (is("host_memory_bandwidth_bytes_per_s")) f.matters = isOffloaded, f.better = Better::Larger;
  if (is("host_memory_bytes")) f.matters = offloadsOptimizer, f.better = Better::Larger;
  if (is("link_efficiency") || is("host_link_bandwidth_bytes_per_s")) f.matters = never;
}

}  // namespace

void addClusterFields(std::vector<Field>& all) {
  all.push_back({.key = "/cluster/device/usual_host_size",
                 .group = "Device",
                 .label = "Usual host size",
                 .meaning = "devices of a usual host",
                 .access = at<&Setting::cluster, &ClusterSource::device, &DeviceSpec::usualHostSize>(),
                 .least = 1,
                 .most = 1e6,
                 .noun = "devices",
                 .term = "host",
                 .isInPanel = false,
                 .matters = never});
  all.push_back({.key = "/cluster/device/bf16",
                 .group = "Device",
                 .label = "bf16",
                 .meaning = "whether the device computes in bf16; if not, 16-bit jobs need fp16",
                 .access = at<&Setting::cluster, &ClusterSource::device, &DeviceSpec::hasBf16>(),
                 .isInPanel = false,
                 .stored = Stored::Changed,
                 .matters = never});
  for (const DeviceValue& f : deviceValues()) {
    Field field{.key = std::string("/cluster/device/") + f.key,
                .group = "Device",
                .label = f.label,
                .meaning = f.meaning,
                .access = ofDevice(f),
                .least = f.least,
                .most = f.most};
    refine(field, f.key);
    all.push_back(std::move(field));
  }
  const auto ofL = [](auto& s, int i) -> auto& {
    return level(s, i);
  };
  const auto ofG = [](auto& s, int i) -> auto& {
    return link(s, i);
  };
  all.insert(
      all.end(),
      {
          {.key = "/cluster/levels/*/fanout",
           .group = "Cluster",
           .label = "Fanout",
           .meaning = "groups of the level inside; devices, for the first level",
           .access = ofLevel(by([](auto& s, int i) -> auto& { return level(s, i).fanout; })),
           .least = 1,
           .most = 1 << 20,
           .required = true,
           .isOftenMoved = true,
           .slide = Slide::Log,
           .reach = 8,
           .matters = isRegular},
          {.key = "/cluster/levels/*/bandwidth_bytes_per_s",
           .group = "Cluster",
           .label = "Bandwidth",
           .meaning = "one way, what a device sustains to a partner there",
           .access = ofLevel(bandwidth(ofL)),
           .least = 1,
           .most = 1e15,
           .required = true,
           .isOftenMoved = true,
           .slide = Slide::Log,
           .better = Better::Larger},
          {.key = "/cluster/levels/*/latency_s",
           .group = "Cluster",
           .label = "Latency",
           .meaning = "end to end",
           .access = ofLevel(by([](auto& s, int i) -> auto& { return level(s, i).latency; })),
           .least = 0,
           .most = 1e3,
           .isOftenMoved = true,
           .slide = Slide::Log,
           .reach = 64,
           .usual = 2e-6,
           .better = Better::Smaller},
          {.key = "/cluster/levels/*/oversubscription",
           .group = "Cluster",
           .label = "Oversubscription",
           .meaning = "the bandwidth counts divided by this",
           .access = ofLevel(by([](auto& s, int i) -> auto& { return level(s, i).oversubscription; })),
           .least = 1,
           .most = 1e6,
           .stored = Stored::Changed,
           .slide = Slide::Log},
          {.key = "/cluster/exceptions/*/speed",
           .group = "Cluster",
           .label = "Speed",
           .meaning = "share of the device's usual rates",
           .access = as(Measure::Share, ofException(by([](auto& s, int i) -> auto& {
                          return exception(s, i).factor.speed;
                        }))),
           .least = 1e-6,
           .most = 1,
           .slide = Slide::Linear,
           .better = Better::Larger},
          {.key = "/cluster/exceptions/*/memory_bytes",
           .group = "Cluster",
           .label = "Memory",
           .meaning = "its own memory; 0 is the usual",
           .access = ofException(by([](auto& s, int i) -> auto& { return exception(s, i).factor.memory; })),
           .least = 0,
           .most = 1024.0 * 1024 * 1024 * 1024 * 1024,
           .stored = Stored::Changed,
           .slide = Slide::Log,
           .reach = 8,
           .usual = 64.0 * 1024 * 1024 * 1024},
          {.key = "/cluster/graph/links/*/bandwidth_bytes_per_s",
           .group = "Cluster",
           .label = "Bandwidth",
           .meaning = "one way, one link",
           .access = ofLink(bandwidth(ofG)),
           .least = 1,
           .most = 1e15,
           .required = true,
           .isOftenMoved = true,
           .slide = Slide::Log,
           .better = Better::Larger},
          {.key = "/cluster/graph/links/*/latency_s",
           .group = "Cluster",
           .label = "Latency",
           .meaning = "one hop",
           .access = ofLink(by([](auto& s, int i) -> auto& { return link(s, i).latency; })),
           .least = 0,
           .most = 1e3,
           .isOftenMoved = true,
           .slide = Slide::Log,
           .reach = 64,
           .usual = 1e-6,
           .better = Better::Smaller},
          {.key = "/cluster/plan_on",
           .group = "Cluster",
           .label = "Plan on",
           .meaning =
               "hosts that plans may use: free ones; spares, too; all that work (not down or drained); or "
               "all, as on an empty and healthy cluster",
           .access = at<&Setting::cluster, &ClusterSource::plannedOn>(),
           .options = {"free", "spare", "working", "all"},
           .optionLabels = {"free hosts", "free hosts and spares", "all that work", "all hosts"},
           .stored = Stored::Changed,
           .matters = hasStates},
      });
}

}  // namespace nest
