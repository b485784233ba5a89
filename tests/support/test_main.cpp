#include "support/test_main.h"

#include <QCoreApplication>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "support/log_guard.h"
#include "test_paths.h"

namespace nest::test {
namespace {

std::map<std::string, std::function<std::unique_ptr<QObject>()>>& registry() {
  static std::map<std::string, std::function<std::unique_ptr<QObject>()>> all;
  return all;
}

int skips = 0;

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
  qputenv("NEST_CATALOG", "");  // whatever catalogs this user has
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
  // Qt Test ends a function after five minutes, which a busy machine may need; CTest has limits of its own.
  if (!qEnvironmentVariableIsSet("QTEST_FUNCTION_TIMEOUT"))
    qputenv("QTEST_FUNCTION_TIMEOUT",
            QByteArray::number((qEnvironmentVariableIntValue("NEST_SECONDS") + 1800LL) * 1000));
  LogGuard guard;
  int failures = 0, run = 0;
  for (const auto& [name, make] : registry()) {
    if (!only.empty() && name != only) continue;
    ++run;
    auto object = make();
    // As QTest::qExec() does it, with the guard behind QTest's own message handler.
    QTest::qInit(object.get(), static_cast<int>(rest.size()), rest.data());
    guard.listen();
    failures += QTest::qRun();
    guard.leave();
    QTest::qCleanup();
    if (const int told = LogGuard::take(); told > 0) {
      std::fprintf(stderr, "FAIL!  : %s: %d errors or warnings were logged: see above\n", name.c_str(), told);
      ++failures;
    }
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
