#include "lessons/builtin_lessons.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "lessons/embedded_lessons.h"
#include "log/log.h"

namespace nest {

const std::vector<Lesson>& builtinLessons() {
  static const std::vector<Lesson> all = [] {
    std::vector<Lesson> out;
    for (const auto& [name, text] : embeddedLessons()) {
      auto lesson = readLesson(text, std::string(name), sampleLoader());
      for (const Diagnostic& d : lesson.diagnostics) logLine(LogLevel::Error, toText(d));
      if (!lesson) continue;
      lesson->file.clear();
      out.push_back(std::move(*lesson.value));
    }
    return out;
  }();
  return all;
}

const Lesson* builtinLesson(std::string_view id) {
  const auto& all = builtinLessons();
  const auto it = std::find_if(all.begin(), all.end(), [&](const Lesson& l) { return l.id == id; });
  return it == all.end() ? nullptr : &*it;
}

std::optional<std::string_view> embeddedSample(std::string_view path) {
  for (const auto& [name, text] : embeddedSamples())
    if (name == path) return text;
  return std::nullopt;
}

ReferenceLoader sampleLoader() {
  return [](const std::string& path) -> Reading<std::string> {
    // "../models/…" of a published sample.
    const std::string plain = std::filesystem::path(path).lexically_normal().generic_string();
    const std::string below = plain.starts_with("../") ? plain.substr(3) : plain;
    if (const auto text = embeddedSample(below)) return {std::string(*text), {}};
    return {std::nullopt, {error("missing", {}, "there is no sample \"" + path.substr(0, 80) + '"')}};
  };
}

}  // namespace nest
