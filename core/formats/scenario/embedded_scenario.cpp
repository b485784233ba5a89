#include "formats/scenario/embedded_scenario.h"

#include <zlib.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>

#include "scenario/scenario.h"

namespace nest {
namespace {

constexpr std::string_view kMark = "nest-scenario;", kEncoding = ";base64,";
constexpr std::string_view kPng = "\x89PNG\r\n\x1a\n", kPdf = "%PDF-";
constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kSuffix = ".nest.json";
constexpr std::size_t kMostUnpacked = 64u << 20;

std::string toBase64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k <= bytes.size() ? kDigits[three >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

/// nullopt: other characters.
std::optional<std::string> fromBase64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string out;
  out.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if ((count += 6) < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 255);
  }
  return out;
}

std::string bigEndian(std::uint32_t n) {
  return {static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8),
          static_cast<char>(n)};
}

/// Length, type, content, checksum (PNG specification, 5.3).
std::string pngChunk(std::string_view type, std::string_view content) {
  std::string body(type);
  body += content;
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return bigEndian(static_cast<std::uint32_t>(content.size())) + body +
         bigEndian(static_cast<std::uint32_t>(sum));
}

EmbeddedScenario inMark(std::string_view file) {
  const std::size_t mark = file.find(kMark);
  if (mark == std::string_view::npos) return {};
  const std::size_t view = mark + kMark.size(), encoding = file.find(kEncoding, view - 1);
  if (encoding == std::string_view::npos || encoding - view > 64) return {};
  const std::size_t begin = encoding + kEncoding.size(), end = file.find(';', begin);
  if (end == std::string_view::npos) return {};
  const auto text = fromBase64(file.substr(begin, end - begin));
  if (!text) return {};
  return {*text, std::string(file.substr(view, encoding < view ? 0 : encoding - view))};
}

EmbeddedScenario inScript(std::string_view file) {
  const std::size_t begin = file.find(kScenarioScript);
  if (begin == std::string_view::npos) return {};
  const std::size_t from = begin + kScenarioScript.size(), end = file.find("</script>", from);
  return end == std::string_view::npos ? EmbeddedScenario{}
                                       : EmbeddedScenario{std::string(file.substr(from, end - from)), {}};
}

std::optional<std::string> unpacked(std::string_view packed) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return std::nullopt;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  std::array<char, 1 << 16> chunk;
  int state = Z_OK;
  while (state == Z_OK && out.size() <= kMostUnpacked) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    state = inflate(&stream, Z_NO_FLUSH);
    out.append(chunk.data(), chunk.size() - stream.avail_out);
    if (state == Z_BUF_ERROR) break;
  }
  inflateEnd(&stream);
  return state == Z_STREAM_END && out.size() <= kMostUnpacked ? std::optional(std::move(out)) : std::nullopt;
}

/// The stream of the attachment whose file specification ends in .nest.json, as Qt writes it: "/F (NAME)\n/EF
/// <</F N 0 R>>", and elsewhere "N 0 obj … stream … endstream".
EmbeddedScenario inPdf(std::string_view file) {
  // Of several, that of a report is the page's own.
  const std::size_t own = file.rfind("(scenario.nest.json)");
  const std::size_t name =
      own == std::string_view::npos ? file.rfind(".nest.json)") : own + std::string_view("(scenario").size();
  if (name == std::string_view::npos) return {};
  const std::size_t open = file.rfind('(', name);
  const std::size_t reference = file.find("/EF <</F ", name);
  if (open == std::string_view::npos || reference == std::string_view::npos || reference - name > 200)
    return {};
  int number = 0;
  const char* digits = file.data() + reference + 9;
  if (std::from_chars(digits, file.data() + file.size(), number).ec != std::errc()) return {};
  const std::size_t object = file.find("\n" + std::to_string(number) + " 0 obj");
  if (object == std::string_view::npos) return {};
  const std::size_t stream = file.find("stream\n", object), end = file.find("\nendstream", object);
  if (stream == std::string_view::npos || end == std::string_view::npos || end < stream + 7) return {};
  const std::string_view content = file.substr(stream + 7, end - stream - 7);
  const bool isPacked = file.substr(object, stream - object).find("/FlateDecode") != std::string_view::npos;
  const auto text = isPacked ? unpacked(content) : std::string(content);
  if (!text) return {};
  const std::string view(file.substr(open + 1, name - open - 1));
  return {*text, view == "scenario" ? std::string() : view};
}

}  // namespace

Scenario standingAlone(const Scenario& s) {
  Scenario out = s;
  out.model.reference.clear();
  return out;
}

std::string embeddingMark(const EmbeddedScenario& e) {
  return std::string(kMark) + e.view + std::string(kEncoding) + toBase64(e.text) + ';';
}

std::string withEmbedded(std::string file, const EmbeddedScenario& e) {
  if (file.starts_with(kPng)) {
    constexpr std::size_t kHead = 8 + 25;  // signature and IHDR
    if (file.size() < kHead) return file;
    return file.insert(kHead, pngChunk("tEXt", std::string("nest-scenario") + '\0' + embeddingMark(e)));
  }
  const std::size_t svg = file.find("<svg");
  const std::size_t open = svg == std::string::npos ? svg : file.find('>', svg);
  if (open == std::string::npos) return file;
  return file.insert(open + 1, "\n<metadata>" + embeddingMark(e) + "</metadata>");
}

std::string attachmentName(const EmbeddedScenario& e) {
  return (e.view.empty() ? std::string("scenario") : e.view) + std::string(kSuffix);
}

EmbeddedScenario embeddedIn(std::string_view file) {
  if (file.starts_with(kPdf)) return inPdf(file);
  EmbeddedScenario out = inScript(file);
  return out.text.empty() ? inMark(file) : out;
}

bool mayHoldScenario(std::string_view begin) {
  return begin.starts_with(kPdf) || begin.find(kMark) != std::string_view::npos ||
         begin.find(kScenarioScript) != std::string_view::npos;
}

}  // namespace nest
