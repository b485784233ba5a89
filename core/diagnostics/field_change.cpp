#include "diagnostics/field_change.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace nest {
namespace {

constexpr std::pair<std::string_view, FieldChange::How> kSigns[] = {
    {" += ", FieldChange::How::Add}, {" := ", FieldChange::How::Only}, {" = ", FieldChange::How::Set}};

bool isKey(std::string_view s) {
  if (s == "program") return true;  // the only field that is in no part of a scenario
  const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  return s.find('.') != std::string_view::npos && isLetter(s.front()) && s.back() != '.' &&
         std::all_of(s.begin(), s.end(),
                     [&](char c) { return isLetter(c) || (c >= '0' && c <= '9') || c == '.'; });
}

std::vector<std::string> split(std::string_view list) {
  constexpr std::string_view kBetween = ", ";
  std::vector<std::string> out;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = list.find(kBetween);
    out.emplace_back(list.substr(0, end));
    if (end != std::string_view::npos) list.remove_prefix(end + kBetween.size());
  }
  return out;
}

/// Parses the text between two backquotes; nullopt if it names no field.
std::optional<FieldChange> readChange(std::string_view s) {
  for (const auto& [sign, how] : kSigns)
    if (const auto at = s.find(sign);
        at != std::string_view::npos && isKey(s.substr(0, at)) && at + sign.size() < s.size())
      return FieldChange{std::string(s.substr(0, at)), how, split(s.substr(at + sign.size()))};
  return !s.empty() && isKey(s) ? std::optional(FieldChange{std::string(s)}) : std::nullopt;
}

/// "1", "1 and 2", "1, 2 and 4".
std::string listed(const std::vector<std::string>& all) {
  std::string out;
  for (std::size_t i = 0; i < all.size(); ++i)
    out += (i == 0 ? "" : i + 1 < all.size() ? ", " : " and ") + all[i];
  return out;
}

}  // namespace

std::vector<std::variant<std::string, FieldChange>> adviceParts(std::string_view text) {
  std::vector<std::variant<std::string, FieldChange>> out;
  std::string words;
  while (!text.empty()) {
    const auto begin = text.find('`');
    const auto end = begin == std::string_view::npos ? begin : text.find('`', begin + 1);
    if (end == std::string_view::npos) break;
    words += text.substr(0, begin);
    if (auto change = readChange(text.substr(begin + 1, end - begin - 1))) {
      if (!words.empty()) out.emplace_back(std::exchange(words, {}));
      out.emplace_back(std::move(*change));
      text.remove_prefix(end + 1);
    } else {  // the second backquote may begin a field
      words += text.substr(begin, end - begin);
      text.remove_prefix(end);
    }
  }
  words += text;
  if (!words.empty()) out.emplace_back(std::move(words));
  return out;
}

std::string encoded(const FieldChange& c) {
  std::string out = '`' + c.field;
  for (const auto& [sign, how] : kSigns)
    if (how == c.how) out += sign;
  for (std::size_t i = 0; i < c.values.size(); ++i) out += (i == 0 ? "" : ", ") + c.values[i];
  return out + '`';
}

std::string inWords(const FieldChange& c) {
  switch (c.how) {
    case FieldChange::How::Set:
      return "set " + c.field + " to " + listed(c.values);
    case FieldChange::How::Add:
      return "add " + listed(c.values) + " to " + c.field;
    case FieldChange::How::Only:
      return "offer only " + listed(c.values) + " in " + c.field;
    default:
      return c.field;
  }
}

std::string adviceText(std::string_view text) {
  std::string out;
  for (const auto& part : adviceParts(text))
    out += std::holds_alternative<FieldChange>(part) ? inWords(std::get<FieldChange>(part))
                                                     : std::get<std::string>(part);
  return out;
}

}  // namespace nest
