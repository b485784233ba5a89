#include "files.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>

#include "printable_output.h"
#include "text/text_encoding.h"

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

/// A pipe with a name, not one that a shell hands over ("<(…)", /dev/fd/63) with its writer.
bool isNamedPipe(const std::string& path, const fs::file_status& status) {
  return fs::is_fifo(status) && !path.starts_with("/dev/fd/") && !path.starts_with("/proc/");
}

/// Opening a named pipe in the usual way waits for ever where nobody writes into it; this waits so long.
constexpr int kPipeWaitMs = 2000;

Reading<std::string> readNamedPipe(const std::string& path) {
  struct Pipe {
    int number;
    ~Pipe() {
      if (number >= 0) close(number);
    }
  } const pipe{open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  const auto unreadable = [&] {
    return failed(path, "file-unreadable", std::string("the pipe cannot be read: ") + std::strerror(errno));
  };
  if (pipe.number < 0) return unreadable();
  pollfd wait{pipe.number, POLLIN, 0};
  poll(&wait, 1, kPipeWaitMs);
  std::string text, chunk(1 << 16, '\0');
  ssize_t got = read(pipe.number, chunk.data(), chunk.size());
  // Nothing to read and no error: no writer. One that is connected and still thinks shows as EAGAIN.
  if (got == 0)
    return failed(path, "file-pipe", "this is a named pipe, and nobody writes into it",
                  "start what writes into it first, or give - and pipe it in");
  fcntl(pipe.number, F_SETFL, fcntl(pipe.number, F_GETFL) & ~O_NONBLOCK);
  while (got > 0 || (got < 0 && errno == EAGAIN)) {
    text.append(chunk, 0, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (text.size() > kLargestFile) return failed(path, "file-too-large", "the pipe brings more than 64 MiB");
    got = read(pipe.number, chunk.data(), chunk.size());
  }
  if (got < 0) return unreadable();
  return {asUtf8(std::move(text)), {}};
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
  if (isNamedPipe(path, status)) return readNamedPipe(path);
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
    writeBytes(text);
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
