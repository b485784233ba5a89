#include "text/json_text.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "text/text_hash.h"
#include "units/text.h"

namespace nest {
namespace {

using nlohmann::json;

/// Reads characters and tells the outside how far it has come; the parser copies its iterators freely.
struct CountingIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at = nullptr;
  const char** furthest = nullptr;

  reference operator*() const { return *at; }
  CountingIterator& operator++() {
    ++at;
    if (furthest && at > *furthest) *furthest = at;
    return *this;
  }
  CountingIterator operator++(int) {
    auto old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at == b.at; }
};

std::string escaped(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

bool isBlankOrSeparator(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == ':';
}

/// For messages: at most 40 bytes, nothing unprintable, no half character at the end.
std::string shortened(const std::string& s) {
  std::string out;
  for (const char c : s.substr(0, 40)) out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  if (s.size() <= 40) return out;
  while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0x80)) out.pop_back();
  return out + "…";
}

/// A string that the text ends in.
bool isOpenString(std::string_view text) {
  if (!text.starts_with('"')) return false;
  for (std::size_t i = 1; i < text.size(); ++i)
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '"' || static_cast<unsigned char>(text[i]) < ' ')
      return false;
  return true;
}

}  // namespace

struct JsonText::Places {
  std::string text;
  std::vector<std::uint32_t> lineStarts;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> offsets;  ///< hash of the pointer → offset, sorted
  /// Characters before every kStride-th byte: a file may be one line of megabytes, with many places in it.
  std::vector<std::uint32_t> charactersBefore;

  explicit Places(std::string_view all) : text(all), lineStarts{0} {
    std::uint32_t characters = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (i % kStride == 0) charactersBefore.push_back(characters);
      characters += beginsCharacter(text[i]);
      if (text[i] == '\n') lineStarts.push_back(static_cast<std::uint32_t>(i + 1));
    }
    charactersBefore.push_back(characters);
  }

  Place at(const std::string& file, std::size_t offset) const {
    offset = std::min(offset, text.size());
    const auto line = std::upper_bound(lineStarts.begin(), lineStarts.end(), offset) - 1;
    const std::uint32_t column = charactersUntil(offset) - charactersUntil(*line) + 1;
    return {file, static_cast<int>(line - lineStarts.begin()) + 1, static_cast<int>(column), {}};
  }

private:
  static constexpr std::size_t kStride = 256;

  static bool beginsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }
  std::uint32_t charactersUntil(std::size_t offset) const {
    const std::size_t stride = offset / kStride;
    if (stride * kStride >= text.size()) return charactersBefore.back();
    std::uint32_t characters = charactersBefore[stride];
    for (std::size_t i = stride * kStride; i < offset; ++i) characters += beginsCharacter(text[i]);
    return characters;
  }
};

/// Builds the DOM and the table of places from the parser's events. An event comes when its last character
/// has been read (a number's one later: the parser looks at what ends it), so a value starts at the first
/// character after the previous event that is neither blank nor separator.
class JsonTextBuilder {
public:
  JsonTextBuilder(std::string_view text, const std::string& file, const JsonLimits& limits)
      : m_limits(limits), m_file(file), m_places(std::make_shared<JsonText::Places>(text)) {
    m_begin = m_places->text.data();
    m_end = m_begin + text.size();
    m_furthest = m_previous = text.substr(0, 3) == "\xEF\xBB\xBF" ? m_begin + 3 : m_begin;
  }

  Reading<JsonText> run() {
    const bool done =
        json::sax_parse(CountingIterator{m_furthest, &m_furthest}, CountingIterator{m_end, nullptr}, this);
    if (!done || hasErrors(m_diagnostics)) return {std::nullopt, std::move(m_diagnostics)};
    std::sort(m_places->offsets.begin(), m_places->offsets.end());
    JsonText result;
    result.m_root = std::make_shared<const json>(std::move(m_root));
    result.m_places = std::move(m_places);
    result.m_file = m_file;
    return {std::move(result), std::move(m_diagnostics)};
  }

  // The events of nlohmann's SAX interface.
  bool null() { return put(json(nullptr)); }
  bool boolean(bool v) { return put(json(v)); }
  bool number_integer(json::number_integer_t v) { return put(json(v)); }
  bool number_unsigned(json::number_unsigned_t v) { return put(json(v)); }
  bool number_float(json::number_float_t v, const json::string_t&) { return put(json(v)); }
  bool string(json::string_t& v) { return put(json(std::move(v))); }
  bool binary(json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(json::object()); }
  bool start_array(std::size_t) { return open(json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(json::string_t& name) {
    const auto offset = startOfToken();
    Open& top = m_open.back();
    top.key = name;
    if (!top.container->contains(name)) return true;
    auto where = at(offset);
    where.pointer = top.pointer + '/' + escaped(name);
    m_diagnostics.push_back(error("json-duplicate-key", where,
                                  "the key \"" + shortened(name) + "\" is duplicated in one object",
                                  "keep one of the two"));
    return m_diagnostics.size() < 100;
  }
  bool parse_error(std::size_t, const std::string& token, const json::exception& e) {
    constexpr int kOutOfRange = 406;
    const auto offset = startOfToken();
    if (e.id == kOutOfRange) {
      m_diagnostics.push_back(error("json-number-range", at(offset),
                                    "this number is beyond what a double can hold",
                                    "give a finite number below 1.8e308"));
      return false;
    }
    const std::string_view rest(m_begin + offset, static_cast<std::size_t>(m_end - m_begin) - offset);
    std::string what = "this is not valid JSON", remedy;
    if (rest.starts_with("NaN") || rest.starts_with("Infinity") || rest.starts_with("-Infinity")) {
      what = "JSON has no NaN or Infinity";
      remedy = "give a finite number, or leave the key out";
    } else if (rest.empty() && m_places->offsets.empty()) {
      what = "the text is empty";
    } else if (rest.empty() && !m_open.empty()) {
      what = "the text ends inside an object or array";
      remedy = "close it, or check that the file was copied whole";
    } else if (isOpenString(rest)) {
      what = "the text ends inside a string";
      remedy = "close it, or check that the file was copied whole";
    } else if (!token.empty() && token != "<uninitialized>") {
      what += " near \"" + shortened(token) + '"';
    }
    m_diagnostics.push_back(error("json-syntax", at(offset), what, remedy));
    return false;
  }

private:
  struct Open {
    json* container;
    std::uint64_t hash;
    std::string pointer;
    std::string key;
  };

  /// Offset of the first character of the token that the current event ends; moves the mark behind it.
  std::size_t startOfToken() {
    const char* p = m_previous;
    while (p < m_end && isBlankOrSeparator(*p)) ++p;
    m_previous = m_furthest;
    return static_cast<std::size_t>(p - m_begin);
  }
  Place at(std::size_t offset) const { return m_places->at(m_file, offset); }

  json* put(json value) {
    const auto offset = startOfToken();
    auto& offsets = m_places->offsets;
    if (offsets.size() >= m_limits.values) {
      m_diagnostics.push_back(error(
          "json-too-many-values", at(offset),
          "the text holds more than " + text::count(static_cast<long long>(m_limits.values)) + " values"));
      return nullptr;
    }
    if (m_open.empty()) {
      m_root = std::move(value);
      m_lastHash = kHashOfNothing;
      offsets.push_back({m_lastHash, static_cast<std::uint32_t>(offset)});
      return &m_root;
    }
    Open& top = m_open.back();
    m_lastStep = '/' + (top.container->is_array() ? std::to_string(top.container->size()) : escaped(top.key));
    m_lastHash = fnv1a(m_lastStep, top.hash);
    offsets.push_back({m_lastHash, static_cast<std::uint32_t>(offset)});
    if (!top.container->is_array()) return &((*top.container)[top.key] = std::move(value));
    top.container->push_back(std::move(value));
    return &top.container->back();
  }
  bool open(json container) {
    if (static_cast<int>(m_open.size()) >= m_limits.depth) {
      m_diagnostics.push_back(
          error("json-too-deep", at(startOfToken()),
                "values are nested deeper than " + std::to_string(m_limits.depth) + " levels"));
      return false;
    }
    json* placed = put(std::move(container));
    if (!placed) return false;
    std::string pointer = m_open.empty() ? std::string() : m_open.back().pointer + m_lastStep;
    m_open.push_back({placed, m_lastHash, std::move(pointer), {}});
    return true;
  }
  bool close() {
    m_previous = m_furthest;
    m_open.pop_back();
    return true;
  }

  JsonLimits m_limits;
  std::string m_file;
  std::shared_ptr<JsonText::Places> m_places;
  json m_root;
  Diagnostics m_diagnostics;
  const char *m_begin, *m_end, *m_furthest, *m_previous;
  std::vector<Open> m_open;
  std::uint64_t m_lastHash = kHashOfNothing;
  std::string m_lastStep;
};

Place JsonText::placeOf(std::string_view pointer) const {
  const auto& offsets = m_places->offsets;
  for (std::string_view p = pointer;; p = p.substr(0, p.rfind('/'))) {
    const std::uint64_t h = fnv1a(p);
    const auto it = std::lower_bound(offsets.begin(), offsets.end(), std::pair(h, std::uint32_t(0)));
    if (it != offsets.end() && it->first == h) {
      Place place = m_places->at(m_file, it->second);
      place.pointer = std::string(pointer);
      return place;
    }
    if (p.find('/') == std::string_view::npos) return {m_file, 0, 0, std::string(pointer)};
  }
}

Reading<JsonText> readJsonText(std::string_view text, const std::string& file, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    return {std::nullopt,
            {error("json-too-large", {file, 0, 0, {}},
                   "the text has " + text::memory(Bytes(double(text.size()))) + "; at most " +
                       text::memory(Bytes(double(limits.bytes))) + " are read")}};
  }
  return JsonTextBuilder(text, file, limits).run();
}

std::string jsonPointer(std::string_view parent, std::string_view key) {
  return std::string(parent) + '/' + escaped(key);
}
std::string jsonPointer(std::string_view parent, std::size_t index) {
  return std::string(parent) + '/' + std::to_string(index);
}

}  // namespace nest
