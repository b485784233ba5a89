#include "scenario/unstated_value.h"

#include <algorithm>

#include "fields/field.h"
#include "fields/program_setting.h"
#include "scenario/scenario.h"
#include "units/amount.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::string_view kDevices = "/cluster/devices", kDevice = "/cluster/device", kModel = "/model";

std::optional<int> devicesOf(const Setting& s) {
  const auto cluster = deriveHierarchy(s.cluster, s.constraints.excludedDevices);
  return cluster ? std::optional(cluster->deviceCount()) : std::nullopt;
}

bool isEqualIn(const std::string& field, const Setting& a, const Setting& b) {
  if (field == kDevices) return a.cluster.network == b.cluster.network || devicesOf(a) == devicesOf(b);
  if (field == kDevice) return a.cluster.device == b.cluster.device;
  if (field == kModel)
    return a.model.architecture == b.model.architecture && a.model.profile == b.model.profile;
  const Field* f = findField(field);
  return f && f->access.get(a, 0) == f->access.get(b, 0);
}

/// "a global batch of 1,024"
std::string valueInWords(const std::string& field, const Scenario& s) {
  if (field == kDevices) {
    const auto count = devicesOf(s);
    return count ? text::count(*count) + (*count == 1 ? " device" : " devices") : "the devices";
  }
  if (field == kDevice) return s.cluster.device.name;
  if (field == kModel)
    return s.model.architecture && !s.model.architecture->name.empty()
               ? "the model " + s.model.architecture->name
               : "the model";
  if (field == "/program") return "the program " + programOf(s).name;
  if (field == "/job/global_batch") return "a global batch of " + text::count(s.job.globalBatch);
  if (field == "/job/sequence_length") return "sequences of " + text::count(s.job.sequenceLength) + " tokens";
  if (field == "/job/training_tokens" && s.job.trainingTokens)
    return text::amount(*s.job.trainingTokens) + " training tokens";
  const Field* f = findField(field);
  return f ? f->label : field;
}

/// `job.global_batch` of a field, "the device" of what is more than one.
std::string nameOf(const std::string& field) {
  std::string key = field.substr(1);
  std::replace(key.begin(), key.end(), '/', '.');
  return findField(field) ? '`' + key + '`' : "the " + key.substr(key.rfind('.') + 1);
}

}  // namespace

bool canBeUnstated(std::string_view field) {
  return field == kDevices || field == kDevice || field == kModel || findField(field);
}

void dropStated(Scenario& now, const Setting& before) {
  std::erase_if(now.unstated, [&](const UnstatedValue& v) { return !isEqualIn(v.field, before, now); });
}

std::optional<Diagnostic> noteUnstated(const Scenario& s, bool kept,
                                       const std::function<std::string(const std::string& key)>& optionOf) {
  std::string values, fields, first;
  const auto add = [&](const std::string& value, const std::string& field, const std::string& option) {
    values += (values.empty() ? "" : ", ") + value;
    fields += (fields.empty() ? "" : ", ") + field + (option.empty() ? "" : " (" + option + ")");
  };
  const auto has = [&](std::string_view field) {
    return std::find(s.unstated.begin(), s.unstated.end(), UnstatedValue{std::string(field), kept}) !=
           s.unstated.end();
  };
  const bool hasCluster = has(kDevices) && has(kDevice);
  for (const UnstatedValue& v : s.unstated) {
    if (v.kept != kept || (hasCluster && v.field == kDevice)) continue;
    if (first.empty() && findField(v.field)) first = v.field;
    const std::string option = optionOf ? optionOf(v.field) : std::string();
    const auto count = hasCluster && v.field == kDevices ? devicesOf(s) : std::nullopt;
    if (count)
      add(text::count(*count) + ' ' + s.cluster.device.name, "the cluster", option);
    else
      add(valueInWords(v.field, s), nameOf(v.field), option);
  }
  if (values.empty()) return std::nullopt;
  Diagnostic told = kept ? note("job-kept", {}, "kept from the open scenario: " + values, "check " + fields)
                         : note(kAssumed, {}, "assumed: " + values, "set " + fields);
  told.where.pointer = first;
  return told;
}

}  // namespace nest
