#include "files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>

#include "formats/text_encoding.h"

namespace nest::cli {
namespace {

namespace fs = std::filesystem;

Reading<std::string> failed(const std::string& path, std::string code, std::string message,
                            std::string remedy = {}) {
  return {std::nullopt, {error(std::move(code), {path, 0, 0, ""}, std::move(message), std::move(remedy))}};
}

/// Reads at most one byte more than allowed, so that endless inputs end.
bool readBounded(std::istream& in, std::string& text) {
  std::string chunk(1 << 16, '\0');
  while (in && text.size() <= kLargestFile) {
    in.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    text.append(chunk, 0, static_cast<std::size_t>(in.gcount()));
  }
  return text.size() <= kLargestFile;
}

}  // namespace

Reading<std::string> readTextFile(const std::string& path) {
  std::string text;
  if (path == "-") {
    if (!readBounded(std::cin, text))
      return failed("standard input", "file-too-large", "the input is larger than 64 MiB");
    return {asUtf8(std::move(text)), {}};
  }
  std::error_code ec;
  const auto status = fs::status(path, ec);
  if (!fs::exists(status)) return failed(path, "file-missing", "there is no such file", "check the path");
  if (fs::is_directory(status))
    return failed(path, "file-is-folder", "this is a folder, not a file", "name a file inside it");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return failed(path, "file-unreadable", std::string("the file cannot be read: ") + std::strerror(errno));
  if (!readBounded(in, text)) return failed(path, "file-too-large", "the file is larger than 64 MiB");
  if (in.bad())
    return failed(path, "file-unreadable", std::string("reading the file failed: ") + std::strerror(errno));
  return {asUtf8(std::move(text)), {}};
}

Diagnostics writeTextFile(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::cout << text;
    return {};
  }
  const auto complain = [&](const std::string& what) {
    return Diagnostics{error("file-unwritable", {path, 0, 0, ""}, "the file cannot be written: " + what,
                             "check the folder and its permissions")};
  };
  const std::string draft = path + ".part";
  errno = 0;
  {
    std::ofstream out(draft, std::ios::binary | std::ios::trunc);
    out << text;
    out.flush();
    if (!out) return complain(std::strerror(errno));
  }
  std::error_code ec;
  fs::rename(draft, path, ec);
  if (!ec) return {};
  fs::remove(draft);
  return complain(ec.message());
}

ReferenceLoader loaderBeside(const std::string& scenarioPath) {
  const fs::path folder = scenarioPath == "-" ? fs::path() : fs::path(scenarioPath).parent_path();
  return [folder](const std::string& path) {
    Reading<std::string> reading = readTextFile((folder / path).string());
    for (Diagnostic& d : reading.diagnostics) d.message = "\"" + path + "\": " + d.message;
    return reading;
  };
}

}  // namespace nest::cli
