#include "files.h"

#include <iostream>

#include "files/file_writer.h"
#include "printable_output.h"

namespace nest::cli {

Reading<std::string> readTextFile(const std::string& path) {
  return path == "-" ? readStandardInput() : readText(path);
}

Diagnostics writeTextFile(const std::string& path, const std::string& text) {
  if (path != "-") {
    std::cout << std::flush;
    return writeFile(path, text);
  }
  writeBytes(text);
  return {};
}

}  // namespace nest::cli
