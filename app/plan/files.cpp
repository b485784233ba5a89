#include "files.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <utility>
#include <vector>

#include "files/file_writer.h"
#include "printable_output.h"

namespace nest::cli {

namespace {

std::vector<std::string>& filesRead() {
  static std::vector<std::string> all;
  return all;
}

}  // namespace

bool isSameFile(const std::string& a, const std::string& b) {
  std::error_code ec;
  return std::filesystem::is_regular_file(a, ec) && std::filesystem::equivalent(a, b, ec);
}

bool wasRead(const std::string& path) {
  return std::any_of(filesRead().begin(), filesRead().end(),
                     [&](const std::string& read) { return isSameFile(path, read); });
}

Reading<std::string> readTextFile(const std::string& path) {
  if (path == "-") {
    static bool isRead = false;
    if (std::exchange(isRead, true))
      return {std::nullopt,
              {error("input-twice", {"standard input", 0, 0, ""}, "it was read already, and can be read once",
                     "name a file for one of the two")}};
    return readStandardInput();
  }
  filesRead().push_back(path);
  return readText(path);
}

Diagnostics writeTextFile(const std::string& path, const std::string& text, const std::string& replaces) {
  if (path != "-") {
    if (!isSameFile(path, replaces) && wasRead(path))
      return {error("output-is-input", {path, 0, 0, ""},
                    "this file was read, and something else would take its place", "give another name")};
    std::cout << std::flush;
    return writeFile(path, text);
  }
  writeBytes(text);
  return {};
}

}  // namespace nest::cli
