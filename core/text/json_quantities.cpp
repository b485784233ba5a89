#include "text/json_quantities.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace nest {
namespace {

using nlohmann::json;

bool namesItsUnit(std::string_view s) {
  const auto last = s.find_last_not_of(" \t");
  if (last == std::string_view::npos) return false;
  const char c = s[last];
  return !(c >= '0' && c <= '9') && c != '.';
}

struct Wanted {
  const char* suffix;
  const char* example;
  const char* plain;
};

enum class FigureKind { Bandwidth, Time, Memory };

Wanted wanted(FigureKind kind) {
  switch (kind) {
    case FigureKind::Bandwidth:
      return {"_bytes_per_s", "\"450 GB/s\"", "bytes per second"};
    case FigureKind::Time:
      return {"_s", "\"2 us\"", "seconds"};
    case FigureKind::Memory:
      break;
  }
  return {"_bytes", "\"80 GiB\"", "bytes"};
}

struct Figure {
  double value = 0;
  text::BandwidthUnit unit = text::BandwidthUnit::GigabytesPerSecond;
};

std::optional<Figure> fromText(const std::string& s, FigureKind kind) {
  if (!namesItsUnit(s)) return std::nullopt;
  if (kind == FigureKind::Bandwidth) {
    const auto b = text::readBandwidth(s);
    return b ? std::optional(Figure{b->value.value(), b->unit}) : std::nullopt;
  }
  if (kind == FigureKind::Time) {
    const auto t = text::readTime(s);
    return t ? std::optional(Figure{t->value()}) : std::nullopt;
  }
  const auto m = text::readMemory(s);
  return m ? std::optional(Figure{m->value()}) : std::nullopt;
}

std::optional<Figure> figure(JsonFields& fields, std::string_view key, const json& v, FigureKind kind,
                             bool takesNumbers) {
  if (v.is_number() && takesNumbers) return Figure{v.get<double>()};
  if (v.is_string())
    if (const auto f = fromText(v.get<std::string>(), kind)) return f;
  const Wanted w = wanted(kind);
  std::string allowed = '"' + std::string(key) + "\" must be ";
  if (takesNumbers) allowed += std::string("a number in ") + w.plain + " or ";
  allowed += std::string("a text with its unit, like ") + w.example;
  fields.report(
      Severity::Error, "quantity", key,
      allowed + ", not " +
          (v.is_string() ? v.dump(-1, ' ', false, json::error_handler_t::replace) : std::string(kindOf(v))));
  return std::nullopt;
}

/// The key with its unit and the key without; both at once contradict.
std::optional<Figure> either(JsonFields& fields, std::string_view name, FigureKind kind) {
  const std::string withUnit = std::string(name) + wanted(kind).suffix;
  const json* exact = fields.any(withUnit);
  const json* loose = fields.any(name);
  if (exact && loose)
    fields.report(Severity::Error, "given-twice", name,
                  '"' + std::string(name) + "\" and \"" + withUnit + "\" say the same thing",
                  "keep one of them");
  if (exact) return figure(fields, withUnit, *exact, kind, true);
  if (loose) return figure(fields, name, *loose, kind, false);
  return std::nullopt;
}

}  // namespace

std::optional<text::BandwidthText> bandwidthField(JsonFields& fields, std::string_view name) {
  const auto f = either(fields, name, FigureKind::Bandwidth);
  return f ? std::optional(text::BandwidthText{BytesPerSecond(f->value), f->unit}) : std::nullopt;
}

std::optional<Seconds> timeField(JsonFields& fields, std::string_view name) {
  const auto f = either(fields, name, FigureKind::Time);
  return f ? std::optional(Seconds(f->value)) : std::nullopt;
}

std::optional<Bytes> memoryField(JsonFields& fields, std::string_view name) {
  const auto f = either(fields, name, FigureKind::Memory);
  return f ? std::optional(Bytes(f->value)) : std::nullopt;
}

std::optional<Origin> originField(JsonFields& fields) {
  const auto s = fields.oneOf("origin", {"typed", "measured", "estimated", "catalog"});
  if (!s) return std::nullopt;
  for (const Origin o : {Origin::Typed, Origin::Measured, Origin::Estimated, Origin::Catalog})
    if (nameOf(o) == *s) return o;
  return std::nullopt;
}

std::optional<int> intField(JsonFields& fields, std::string_view key) {
  // What no int holds lies outside every field's limits; their check tells them.
  constexpr long long kAny = 1LL << 53;
  const auto v = fields.integer(key, -kAny, kAny);
  if (!v) return std::nullopt;
  return static_cast<int>(
      std::clamp<long long>(*v, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}

}  // namespace nest
