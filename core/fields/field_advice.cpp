#include "fields/field_advice.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "cluster/devices/device_catalog.h"
#include "cluster/levels/device_change.h"
#include "fields/field.h"

namespace nest {
namespace {

/// The whole device, which is more than one field: `cluster.device = h200`. nullptr: another change.
const DeviceSpec* deviceOf(const FieldChange& c) {
  return c.how == FieldChange::How::Set && c.field == "cluster.device" && c.values.size() == 1
             ? findDevice(c.values.front())
             : nullptr;
}

const Field* fieldOf(const FieldChange& c) {
  std::string key = '/' + c.field;
  std::replace(key.begin(), key.end(), '.', '/');
  return findField(key);
}

std::optional<double> numberIn(const std::string& s) {
  double v = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), v);
  return error == std::errc() && end == s.data() + s.size() ? std::optional(v) : std::nullopt;
}

/// A number, or which of the options.
std::optional<double> elementOf(const Field& f, const std::string& s) {
  const auto it = std::find(f.options.begin(), f.options.end(), s);
  if (it != f.options.end()) return double(it - f.options.begin());
  const auto v = f.options.empty() ? numberIn(s) : std::nullopt;
  return v && f.allows(*v) ? v : std::nullopt;
}

std::optional<FieldValue> listed(const Field& f, const FieldChange& c, std::vector<int> all) {
  if (c.how == FieldChange::How::Only) all.clear();
  for (const std::string& s : c.values) {
    const auto v = elementOf(f, s);
    if (!v) return std::nullopt;
    if (std::find(all.begin(), all.end(), int(*v)) == all.end()) all.push_back(int(*v));
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// What the field holds afterwards; nullopt: it cannot.
std::optional<FieldValue> valueAfter(const Setting& s, const FieldChange& c) {
  const Field* field = fieldOf(c);
  if (!field || !field->access.get || !field->access.set || field->access.count || c.values.empty())
    return std::nullopt;
  const Field& f = *field;
  const std::string& value = c.values.front();
  switch (f.kind()) {
    case FieldKind::Flag:
      return value == "true" || value == "false" ? std::optional<FieldValue>(value == "true") : std::nullopt;
    case FieldKind::Whole:
    case FieldKind::Number:
    case FieldKind::Choice:
      if (const auto v = elementOf(f, value)) return *v;
      return std::nullopt;
    case FieldKind::Wholes:
    case FieldKind::Flags:
      return listed(f, c, std::get<std::vector<int>>(f.access.get(s, 0)));
    case FieldKind::Bound:
      if (const auto v = elementOf(f, value)) return Bound{int(*v), int(*v)};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::string labelOf(const Field& f, const std::string& value) {
  const auto it = std::find(f.options.begin(), f.options.end(), value);
  if (it != f.options.end() && !f.optionLabels.empty()) return f.optionLabels.at(it - f.options.begin());
  const auto v = f.kind() == FieldKind::Number ? numberIn(value) : std::nullopt;
  return v ? text::measured(f.access.measure, *v) : value;
}

}  // namespace

std::string inLabels(const FieldChange& c) {
  if (const DeviceSpec* device = deviceOf(c)) return "change the device to " + device->name;
  const Field* f = fieldOf(c);
  if (!f) return inWords(c);
  FieldChange labelled = c;
  labelled.field = '"' + f->label + '"';
  if (f->kind() == FieldKind::Flag && c.how == FieldChange::How::Set)
    return (c.values.front() == "true" ? "select " : "clear ") + labelled.field;
  for (std::string& value : labelled.values) value = labelOf(*f, value);
  return inWords(labelled);
}

std::string adviceInLabels(std::string_view text) {
  std::string out;
  for (const auto& part : adviceParts(text))
    out += std::holds_alternative<FieldChange>(part) ? inLabels(std::get<FieldChange>(part))
                                                     : std::get<std::string>(part);
  return out;
}

bool makesDifference(const Setting& s, const FieldChange& c) {
  if (const DeviceSpec* device = deviceOf(c)) return s.cluster.device.id != device->id;
  const auto value = valueAfter(s, c);
  return value && *value != fieldOf(c)->access.get(s, 0);
}

void make(Setting& s, const FieldChange& c) {
  if (const DeviceSpec* device = deviceOf(c))
    changeDevice(s.cluster, *device);
  else if (const auto value = valueAfter(s, c))
    fieldOf(c)->access.set(s, 0, *value);
}

}  // namespace nest
