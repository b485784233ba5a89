#include "cluster/devices/number_format.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cluster/devices/number_format_reader.h"
#include "text/catalog.h"
#include "text/json_fields.h"
#include "units/at.h"

namespace nest {
namespace {

constexpr const char* kRateNames[] = {"16-bit", "tf32", "fp8", "fp4"};
constexpr double kMostBytes = 16;

std::vector<NumberFormatSpec> readFormats() {
  std::vector<NumberFormatSpec> out;
  for (const CatalogEntry& e : catalogEntries("number_formats"))
    out.push_back(readNumberFormat(e.text, std::string(e.file)).value.value_or(NumberFormatSpec{}));
  return out;
}

}  // namespace

Reading<NumberFormatSpec> readNumberFormat(std::string_view text, const std::string& file) {
  const auto json = readJsonText(text, file);
  Diagnostics out = json.diagnostics;
  if (!json) return {std::nullopt, out};
  if (!json->root().is_object()) {
    out.push_back(error("json-type", json->placeOf(""), "a number format must be an object"));
    return {std::nullopt, out};
  }
  JsonFields fields(*json, json->root(), "", out);
  NumberFormatSpec f;
  fields.requireKey("id", "a short name");
  fields.requireKey("rate", "which rate of a device its products run at: 16-bit, tf32, fp8 or fp4");
  fields.requireKey("element_bytes", "the bytes of an activation between products");
  f.id = fields.string("id").value_or("");
  const auto rate = fields.oneOf("rate", {kRateNames[0], kRateNames[1], kRateNames[2], kRateNames[3]});
  const auto known = std::find(std::begin(kRateNames), std::end(kRateNames), rate.value_or(kRateNames[0]));
  f.rate = static_cast<ProductRate>(known - std::begin(kRateNames));
  f.elementBytes = fields.number("element_bytes", 0.125, kMostBytes).value_or(2);
  f.operandBytes = fields.number("operand_bytes", 0.125, kMostBytes).value_or(f.elementBytes);
  f.furtherCastBytes = fields.number("further_cast_bytes", 0, kMostBytes).value_or(0);
  f.source = fields.string("source").value_or("");
  fields.reportUnknown(Severity::Warning);
  if (hasErrors(out)) return {std::nullopt, out};
  return {std::move(f), std::move(out)};
}

const std::vector<NumberFormatSpec>& numberFormats() {
  static const std::vector<NumberFormatSpec> all = readFormats();
  return all;
}

const NumberFormatSpec& specOf(NumberFormat f) {
  return numberFormats()[at(static_cast<int>(f))];
}

const char* nameOf(NumberFormat f) {
  return specOf(f).id.c_str();
}

std::vector<std::string> numberFormatNames() {
  std::vector<std::string> out;
  for (const NumberFormatSpec& f : numberFormats()) out.push_back(f.id);
  return out;
}

std::optional<NumberFormat> numberFormatNamed(std::string_view name) {
  for (std::size_t i = 0; i < numberFormats().size(); ++i)
    if (numberFormats()[i].id == name) return static_cast<NumberFormat>(i);
  return std::nullopt;
}

const char* nameOf(ProductRate r) {
  return kRateNames[static_cast<std::size_t>(r)];
}

}  // namespace nest
