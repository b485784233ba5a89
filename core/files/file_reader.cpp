#include "files/file_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "files/gzip.h"
#include "platform/byte_source.h"
#include "text/text_encoding.h"

namespace nest {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kChunk = 1 << 16;
constexpr std::size_t kLongestLine = kLargestText;
Diagnostics fault(const std::string& path, std::string code, std::string message, std::string remedy = {}) {
  return {error(std::move(code), {path, 0, 0, ""}, std::move(message), std::move(remedy))};
}

/// As unreadable(), and what is wrong with a compressed file.
Diagnostics unreadablePart(const std::string& path, int errorNumber) {
  if (errorNumber == EBADMSG || errorNumber == ENODATA)
    return fault(
        path, errorNumber == ENODATA ? "file-truncated" : "file-damaged",
        errorNumber == ENODATA ? "the compressed file ends too early" : "the compressed file is damaged",
        "copy it again; gzip -t tests it");
  return unreadable(path, errorNumber);
}

/// Whether a file that begins like this may be a trace of a profiler: they are the largest files there are.
bool mayBeTrace(std::string_view begin) {
  return begin.starts_with("SQLite format 3") || begin.find("\"traceEvents\"") != std::string_view::npos ||
         begin.find("\"deviceProperties\"") != std::string_view::npos;
}

/// A file or pipe, unpacked on the way.
class Source {
public:
  explicit Source(ByteSource bytes) : m_bytes(std::make_unique<ByteSource>(std::move(bytes))) {}

  std::size_t size() const { return m_bytes->size(); }

  /// The number of bytes read, 0 at the end, −1 with errno.
  std::ptrdiff_t next(char* into, std::size_t most) {
    if (!m_isLookedAt && !look()) return -1;
    return m_unpacked ? m_unpacked->next(into, most) : nextStored(into, most);
  }

private:
  std::ptrdiff_t nextStored(char* into, std::size_t most) {
    if (m_first.empty()) return m_bytes->next(into, most);
    const std::size_t n = std::min(most, m_first.size());
    std::memcpy(into, m_first.data(), n);
    m_first.erase(0, n);
    return static_cast<std::ptrdiff_t>(n);
  }

  /// Finds out whether it is compressed; false with errno. From here on it stays where it is.
  bool look() {
    m_isLookedAt = true;
    std::string chunk(kChunk, '\0');
    for (std::ptrdiff_t n = 1; n > 0 && m_first.size() < 2;
         m_first.append(chunk, 0, static_cast<std::size_t>(n)))
      if ((n = m_bytes->next(chunk.data(), chunk.size())) < 0) return false;
    if (isGzip(m_first))
      m_unpacked = std::make_unique<GzipReader>(
          [this](char* into, std::size_t most) { return nextStored(into, most); });
    return true;
  }

  std::unique_ptr<ByteSource> m_bytes;
  std::string m_first;  ///< read to look at it
  std::unique_ptr<GzipReader> m_unpacked;
  bool m_isLookedAt = false;
};

Reading<Source> openSource(const std::string& path, Sources allowed) {
  auto bytes = ByteSource::open(path, allowed == Sources::Files);
  if (!bytes) return {std::nullopt, std::move(bytes.diagnostics)};
  return {Source(std::move(*bytes)), std::move(bytes.diagnostics)};
}

Reading<std::string> readAll(Source source, const std::string& path) {
  std::size_t most = kLargestText;
  std::string text;
  std::string chunk(kChunk, '\0');
  std::ptrdiff_t n = 0;
  while ((n = source.next(chunk.data(), chunk.size())) > 0) {
    const bool isFirst = text.empty();
    text.append(chunk, 0, static_cast<std::size_t>(n));
    if (isFirst && mayBeTrace(text)) most = kLargestTrace;
    if (std::max(text.size(), source.size()) > most)
      return {std::nullopt, fault(path, "file-too-large",
                                  "the file is larger than " + std::to_string(most >> 20) + " MiB")};
    if (isFirst) text.reserve(source.size());
  }
  if (n < 0) return {std::nullopt, unreadablePart(path, errno)};
  return {asUtf8(std::move(text)), {}};
}

/// The part of `path` below `folder`, both taken as text; empty if it does not stand there.
fs::path below(const fs::path& folder, const fs::path& path) {
  const fs::path inside = path.lexically_relative(folder);
  return inside.empty() || *inside.begin() == ".." || inside == "." ? fs::path() : inside;
}

/// Where a path leads that stands in a folder by its name, but not once links are followed; else empty.
std::string linkedOutside(const fs::path& folder, const fs::path& path) {
  std::error_code ec;
  const fs::path target = fs::canonical(path, ec);
  if (ec) return {};  // whoever opens it says why that cannot be done
  const fs::path home = fs::canonical(folder.empty() ? fs::path(".") : folder, ec);
  return ec || !below(home, target).empty() ? std::string() : target.string();
}

}  // namespace

Reading<std::string> readText(const std::string& path, Sources allowed) {
  auto source = openSource(path, allowed);
  if (!source) return {std::nullopt, std::move(source.diagnostics)};
  return readAll(std::move(*source), path);
}

Reading<std::string> readBegin(const std::string& path, std::size_t most, Sources allowed) {
  auto source = openSource(path, allowed);
  if (!source) return {std::nullopt, std::move(source.diagnostics)};
  std::string text(most, '\0');
  std::size_t size = 0;
  for (std::ptrdiff_t n = 1; n > 0 && size < most; size += static_cast<std::size_t>(n))
    if ((n = source->next(text.data() + size, most - size)) < 0)
      return {std::nullopt, unreadablePart(path, errno)};
  text.resize(size);
  return {asUtf8(std::move(text)), {}};
}

Reading<std::string> readStandardInput() {
  return readAll(Source(ByteSource::standardInput()), "standard input");
}

Diagnostics readLines(const std::string& path,
                      const std::function<bool(std::string_view line, bool whole)>& take) {
  auto source = openSource(path, Sources::Anything);
  if (!source) return std::move(source.diagnostics);
  std::string rest;  // of the last chunk: the begin of a line
  std::string chunk(kChunk, '\0');
  std::ptrdiff_t n = 0;
  while ((n = source->next(chunk.data(), chunk.size())) > 0) {
    std::size_t begin = 0, look = rest.size();
    rest.append(chunk, 0, static_cast<std::size_t>(n));
    for (std::size_t end; (end = rest.find('\n', look)) != std::string::npos; begin = look = end + 1)
      if (!take(std::string_view(rest).substr(begin, end - begin), true)) return {};
    rest.erase(0, begin);
    if (rest.size() > kLongestLine)
      return fault(path, "file-line-too-long", "a line of the file is longer than 64 MiB");
  }
  if (n < 0) return unreadablePart(path, errno);
  if (!rest.empty()) take(rest, false);
  return {};
}

std::string referenceTo(const std::string& path, const std::string& scenarioPath) {
  std::error_code ec;  // without a current folder there are only absolute paths
  const fs::path scenario = fs::absolute(scenarioPath, ec).lexically_normal();
  return below(scenario.parent_path(), fs::absolute(path, ec).lexically_normal()).string();
}

std::function<Reading<std::string>(const std::string& path)> loaderBeside(const std::string& scenarioPath) {
  const fs::path folder = scenarioPath == "-" ? fs::path() : fs::path(scenarioPath).parent_path();
  return [folder,
          inFolder = scenarioPath == "-" ? std::string("scenario") : scenarioPath](const std::string& path) {
    const std::string inside = referenceTo((folder / path).string(), inFolder);
    const std::string link = inside.empty() ? std::string() : linkedOutside(folder, folder / inside);
    constexpr auto kRule = "a scenario may name only files in its own folder and the folders below it";
    Reading<std::string> reading;
    if (inside.empty())
      reading.diagnostics = fault(path, "reference-outside", kRule, "copy the file there");
    else if (!link.empty())
      reading.diagnostics =
          fault(path, "reference-outside", std::string(kRule) + ", and this is a link to " + link,
                "copy the file there");
    else
      reading = readText((folder / inside).string(), Sources::Files);
    for (Diagnostic& d : reading.diagnostics) d.message = "\"" + path + "\": " + d.message;
    return reading;
  };
}

}  // namespace nest
