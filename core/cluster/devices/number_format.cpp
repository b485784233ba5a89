#include "cluster/devices/number_format.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "text/embedded.h"
#include "units/at.h"

namespace nest {
namespace {

constexpr const char* kRateNames[] = {"16-bit", "tf32", "fp8", "fp4"};

std::vector<NumberFormatSpec> readFormats() {
  std::vector<NumberFormatSpec> out;
  const auto file = nlohmann::json::parse(embeddedResource("number_formats.json"), nullptr, false);
  for (const auto& entry : file.at("number_formats")) {
    NumberFormatSpec f;
    f.id = entry.at("id").get<std::string>();
    const auto rate = std::find(std::begin(kRateNames), std::end(kRateNames), entry.at("rate"));
    if (rate != std::end(kRateNames)) f.rate = static_cast<ProductRate>(rate - std::begin(kRateNames));
    f.elementBytes = entry.at("element_bytes");
    f.operandBytes = entry.value("operand_bytes", f.elementBytes);
    f.furtherCastBytes = entry.value("further_cast_bytes", 0.0);
    f.source = entry.value("source", std::string());
    out.push_back(std::move(f));
  }
  return out;
}

}  // namespace

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
