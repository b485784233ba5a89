#include <algorithm>
#include <array>
#include <utility>

#include "lessons/lesson.h"

namespace nest {
namespace {

constexpr std::size_t kLongestLessonText = 4000;
constexpr std::array<std::string_view, 7> kTags = {"<b>", "</b>", "<i>", "</i>", "<code>", "</code>", "<br>"};

/// The first tag that texts may not have, or a "<" that begins none; empty: there is none.
std::string badTag(std::string_view text) {
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    bool known = false;
    for (const std::string_view tag : kTags) known = known || text.substr(at).starts_with(tag);
    if (!known)
      return std::string(text.substr(at, text.find('>', at) == std::string_view::npos
                                             ? 12
                                             : std::min<std::size_t>(text.find('>', at) - at + 1, 40)));
  }
  return {};
}

bool isForm(std::string_view s) {
  return s == "percent" || s == "change" || s == "times" || s == "number";
}

}  // namespace

Reading<LessonText> LessonText::parse(std::string_view text, const Place& where) {
  Reading<LessonText> result;
  const auto fail = [&](std::string message, std::string remedy) {
    result.diagnostics.push_back(error("lesson-text", where, std::move(message), std::move(remedy)));
  };
  LessonText out;
  out.m_source = std::string(text);
  if (text.size() > kLongestLessonText) {
    fail("a text has at most 4,000 characters", "make it two steps");
    return result;
  }
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t open = text.find('{', at);
    // An expression may compare with <.
    const std::string_view plain = text.substr(at, open == std::string_view::npos ? open : open - at);
    if (const std::string tag = badTag(plain); !tag.empty())
      fail("the text has \"" + tag + '"', "only <b>, <i>, <code> and <br> are shown; write &lt; for <");
    if (!plain.empty()) out.m_parts.emplace_back(std::string(plain));
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) {
      fail("a { in the text has no }", "write {expression}");
      break;
    }
    std::string_view inside = text.substr(open + 1, close - open - 1);
    Asked asked;
    if (const auto colon = inside.rfind(':'); colon != std::string_view::npos) {
      std::string_view form = inside.substr(colon + 1);
      while (form.starts_with(' ')) form.remove_prefix(1);
      while (form.ends_with(' ')) form.remove_suffix(1);
      if (!isForm(form))
        fail("a value has no form \"" + std::string(form) + '"', "percent, change, times or number");
      asked.form = std::string(form);
      inside = inside.substr(0, colon);
    }
    auto value = Expression::parse(inside, where);
    if (value)
      asked.value = std::move(*value);
    else
      for (Diagnostic& d : value.diagnostics) result.diagnostics.push_back(std::move(d));
    out.m_parts.emplace_back(std::move(asked));
    at = close + 1;
  }
  if (!hasErrors(result.diagnostics)) result.value = std::move(out);
  return result;
}

std::optional<std::string> LessonText::filled(const Expression::Lookup& lookup, std::string& why,
                                              const LessonWords& words) const {
  const auto wordFor = [&](const Expression& e) -> const std::string* {
    const auto names = e.names();
    if (names.size() != 1 || !names[0].scope.empty()) return nullptr;
    if (names[0].name == "said" && !words.said.empty()) return &words.said;
    return names[0].name == "right" && !words.right.empty() ? &words.right : nullptr;
  };
  std::string out;
  for (const auto& part : m_parts) {
    if (const auto* plain = std::get_if<std::string>(&part)) {
      out += *plain;
      continue;
    }
    const Asked& asked = std::get<Asked>(part);
    if (const std::string* word = wordFor(asked.value)) {
      out += *word;
      continue;
    }
    const auto value = asked.value.evaluate(lookup, why);
    if (!value) return std::nullopt;
    out += asked.form.empty() ? valueText(*value) : valueText(*value, asked.form).value_or("");
  }
  return out;
}

std::vector<const Expression*> LessonText::expressions() const {
  std::vector<const Expression*> out;
  for (const auto& part : m_parts)
    if (const auto* asked = std::get_if<Asked>(&part)) out.push_back(&asked->value);
  return out;
}

}  // namespace nest
