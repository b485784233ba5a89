#include "fields/field_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace nest {
namespace {

text::BandwidthUnit bandwidthUnitOf(const Setting& s, const FieldAt& f) {
  if (!f.field->key.starts_with("/cluster/levels/")) return text::BandwidthUnit::GigabytesPerSecond;
  const auto& levels = std::get<LevelsSource>(s.cluster.network).levels;
  const auto i = static_cast<std::size_t>(f.at.front());
  return i < levels.size() ? levels[i].shownAs : text::BandwidthUnit::GigabytesPerSecond;
}

bool isBlank(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && isBlank(s.front())) s.remove_prefix(1);
  while (!s.empty() && isBlank(s.back())) s.remove_suffix(1);
  return s;
}

/// Up to nine digits, so that it is an int.
std::optional<int> wholeOf(std::string_view s) {
  s = trimmed(s);
  if (s.empty() || s.size() > 9 || s.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  return std::stoi(std::string(s));
}

bool takePrefix(std::string_view& s, std::string_view prefix) {
  if (!s.starts_with(prefix)) return false;
  s.remove_prefix(prefix.size());
  return true;
}

std::vector<int> shifted(std::vector<int> all, int by) {
  for (int& v : all) v += by;
  return all;
}

std::string optionText(const Field& f, int i) {
  const auto at = static_cast<std::size_t>(i);
  return f.optionLabels.empty() ? f.options.at(at) : f.optionLabels.at(at);
}

}  // namespace

std::string rangeText(const Field& f) {
  const double shift = f.isFromOne ? 1 : 0;
  const std::string range = "from " + text::limit(f.access.measure, f.least + shift) + " to " +
                            text::limit(f.access.measure, f.most + shift);
  const bool isCounted = !f.noun.empty() && (f.kind() != FieldKind::Bound || !f.one.empty());
  return isCounted ? range + ' ' + f.noun : range;
}

std::string expectedText(const Field& f) {
  const std::string range =
      text::limit(f.access.measure, f.least) + " to " + text::limit(f.access.measure, f.most);
  switch (f.kind()) {
    case FieldKind::Whole:
      return "Type a whole number " + rangeText(f);
    case FieldKind::Number:
      return std::string("Type a value such as ") + text::exampleOf(f.access.measure) + ", " + rangeText(f);
    case FieldKind::Wholes:
      return "Type whole numbers such as 1, 2, 4, each " + rangeText(f) +
             (f.stored == Stored::Changed ? ", or nothing" : "");
    case FieldKind::Bound:
      return "Type any, one number, ≤ 8, ≥ 2 or 2–8; numbers are " + rangeText(f);
    default:
      return "Choose a value";
  }
}

std::string numberText(const Setting& s, const FieldAt& f, double v) {
  return text::measured(f.field->access.measure, v, bandwidthUnitOf(s, f));
}

std::string valueText(const Setting& s, const FieldAt& at) {
  const Field& f = *at.field;
  const FieldValue v = f.access.get(s, at.at.front());
  switch (f.kind()) {
    case FieldKind::Whole:
    case FieldKind::Number: {
      const auto* d = std::get_if<double>(&v);
      return d ? numberText(s, at, *d) : std::string();
    }
    case FieldKind::Flag:
      return std::get<bool>(v) ? "yes" : "no";
    case FieldKind::Choice:
      return optionText(f, static_cast<int>(std::get<double>(v)));
    case FieldKind::Text:
      return std::get<std::string>(v);
    case FieldKind::Wholes:
      return wholesText(shifted(std::get<std::vector<int>>(v), f.isFromOne ? 1 : 0));
    case FieldKind::Flags: {
      std::string out;
      for (const int i : std::get<std::vector<int>>(v)) out += (out.empty() ? "" : ", ") + optionText(f, i);
      return out;
    }
    case FieldKind::Bound:
      return boundText(std::get<Bound>(v));
    case FieldKind::Structured:
      break;
  }
  return {};
}

std::optional<double> readNumberText(const Setting& s, const FieldAt& at, std::string_view text) {
  const auto v = text::readMeasured(at.field->access.measure, text, bandwidthUnitOf(s, at));
  return v && at.field->allows(*v) ? v : std::nullopt;
}

std::optional<FieldValue> readValueText(const Setting& s, const FieldAt& at, std::string_view text) {
  const Field& f = *at.field;
  text = trimmed(text);
  const bool mayBeEmpty = f.stored == Stored::Changed;
  switch (f.kind()) {
    case FieldKind::Whole:
    case FieldKind::Number: {
      const bool none = text.empty() || text == "none";
      const Setting fresh;
      if (none && mayBeEmpty && f.count(fresh) > 0 &&
          std::holds_alternative<std::monostate>(f.access.get(fresh, 0)))
        return FieldValue();
      const auto v = readNumberText(s, at, text);
      return v ? std::optional<FieldValue>(*v) : std::nullopt;
    }
    case FieldKind::Text:
      return FieldValue(std::string(text));
    case FieldKind::Wholes: {
      if (text.empty() && mayBeEmpty) return FieldValue(std::vector<int>{});
      const int shift = f.isFromOne ? 1 : 0;
      const auto v = readWholesText(text, f.least + shift, f.most + shift);
      return v ? std::optional<FieldValue>(shifted(*v, -shift)) : std::nullopt;
    }
    case FieldKind::Bound: {
      const auto b = readBoundText(text);
      if (!b || (b->least && !f.allows(*b->least)) || (b->most && !f.allows(*b->most))) return std::nullopt;
      return FieldValue(*b);
    }
    default:
      return std::nullopt;
  }
}

std::optional<Bound> readBoundText(std::string_view text) {
  text = trimmed(text);
  if (text.empty() || text == "any" || text == "Any") return Bound{};
  const bool atMost = takePrefix(text, "≤") || takePrefix(text, "<=");
  const bool atLeast = !atMost && (takePrefix(text, "≥") || takePrefix(text, ">="));
  if (!atMost && !atLeast) takePrefix(text, "=");
  if (const auto v = wholeOf(text)) {
    if (atMost) return Bound{std::nullopt, *v};
    if (atLeast) return Bound{*v, std::nullopt};
    return Bound{*v, *v};
  }
  if (atMost || atLeast) return std::nullopt;
  for (const std::string_view between : {"–", "-", "..", "to"}) {
    const auto at = text.find(between);
    if (at == std::string_view::npos) continue;
    const auto least = wholeOf(text.substr(0, at)), most = wholeOf(text.substr(at + between.size()));
    if (least && most && *least <= *most) return Bound{least, most};
  }
  return std::nullopt;
}

std::string boundText(const Bound& b) {
  if (!b.least && !b.most) return "any";
  if (!b.least) return "≤ " + std::to_string(*b.most);
  if (!b.most) return "≥ " + std::to_string(*b.least);
  if (*b.least == *b.most) return std::to_string(*b.least);
  return std::to_string(*b.least) + "–" + std::to_string(*b.most);
}

std::optional<std::vector<int>> readWholesText(std::string_view text, double least, double most) {
  std::vector<int> all;
  for (std::size_t i = 0; i < text.size();) {
    const auto between = [](char c) { return isBlank(c) || c == ',' || c == ';'; };
    if (between(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && !between(text[end])) ++end;
    const auto v = wholeOf(text.substr(i, end - i));
    if (!v || *v < least || *v > most) return std::nullopt;
    all.push_back(*v);
    i = end;
  }
  if (all.empty()) return std::nullopt;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::string wholesText(const std::vector<int>& values) {
  std::string out;
  for (const int v : values) out += (out.empty() ? "" : ", ") + std::to_string(v);
  return out;
}

}  // namespace nest
