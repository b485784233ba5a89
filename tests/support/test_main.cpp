#include "support/test_main.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <QCoreApplication>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace nest::test {
namespace {

std::map<std::string, std::function<std::unique_ptr<QObject>()>>& registry() {
  static std::map<std::string, std::function<std::unique_ptr<QObject>()>> all;
  return all;
}

int skips = 0;

/// Counts logged errors: one during a test fails it.
class ErrorCounter : public spdlog::sinks::base_sink<std::mutex> {
public:
  int errors = 0;

protected:
  void sink_it_(const spdlog::details::log_msg& msg) override {
    if (msg.level < spdlog::level::err) return;
    ++errors;
    std::fprintf(stderr, "logged error: %.*s\n", static_cast<int>(msg.payload.size()), msg.payload.data());
  }
  void flush_() override {}
};

}  // namespace

Registration::Registration(const char* sourceFile, std::function<std::unique_ptr<QObject>()> make) {
  registry()[std::filesystem::path(sourceFile).stem().string()] = std::move(make);
}

std::string referencePath(const std::string& relative) {
  const char* elsewhere = std::getenv("NEST_REFERENCE");
  const auto root = elsewhere ? std::filesystem::path(elsewhere)
                              : std::filesystem::path(NEST_SOURCE_DIR).parent_path() / "shared" / "reference";
  const auto path = root / relative;
  return std::filesystem::exists(path) ? path.string() : std::string();
}

void noteSkip() {
  ++skips;
}

std::string readFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    std::exit(2);
  }
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

int runAll(int argc, char** argv) {
  std::string only;
  std::vector<char*> rest;
  for (int i = 0; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--file" && i + 1 < argc)
      only = argv[++i];
    else if (word == "--seed" && i + 1 < argc)
      qputenv("NEST_SEED", argv[++i]);
    else if (word == "--seconds" && i + 1 < argc)
      qputenv("NEST_SECONDS", argv[++i]);
    else
      rest.push_back(argv[i]);
  }
  auto counter = std::make_shared<ErrorCounter>();
  spdlog::default_logger()->sinks() = {counter};
  int failures = 0, run = 0;
  for (const auto& [name, make] : registry()) {
    if (!only.empty() && name != only) continue;
    ++run;
    auto object = make();
    counter->errors = 0;
    failures += QTest::qExec(object.get(), static_cast<int>(rest.size()), rest.data());
    if (counter->errors > 0) ++failures;
  }
  if (run == 0) {
    std::fprintf(stderr, "no test class is registered as %s\n", only.c_str());
    return 2;
  }
  return failures > 0 ? 1 : skips > 0 ? kSkippedExit : 0;
}

}  // namespace nest::test

// Tests with widgets bring their own application object; see tests/ui/support.
__attribute__((weak)) int main(int argc, char** argv) {
  QCoreApplication app(argc, argv);
  return nest::test::runAll(argc, argv);
}
