#pragma once

#include <QObject>
#include <QtTest/QTest>
#include <functional>
#include <memory>
#include <string>

namespace nest::test {

/// Registers a test class under the stem of its source file; CTest runs `executable --file test_x`.
struct Registration {
  Registration(const char* sourceFile, std::function<std::unique_ptr<QObject>()> make);
};

/// Absolute path of a file below the developers' shared reference data (NEST_REFERENCE, or shared/reference
/// beside the checkout), empty if that is absent. A test that needs it skips with a message, and stands in a
/// file of tests/core/reference: CTest counts a file with a skipped test as skipped.
std::string referencePath(const std::string& relative);

/// The exit code of a run in which nothing failed and something was skipped.
inline constexpr int kSkippedExit = 77;
/// Counts the tests skipped so far; what QSKIP calls.
void noteSkip();

std::string readFile(const std::string& path);  ///< aborts the test run with a message if unreadable

/// Runs the registered classes that the command line names (--file test_x); returns the exit code. --seed and
/// --seconds stand for NEST_SEED and NEST_SECONDS, which tests that draw at random read. For a main() with
/// its own application object.
int runAll(int argc, char** argv);

}  // namespace nest::test

#undef QSKIP
#define QSKIP(reason)                                                   \
  do {                                                                  \
    nest::test::noteSkip();                                             \
    QTest::qSkip(static_cast<const char*>(reason), __FILE__, __LINE__); \
    return;                                                             \
  } while (false)

#define NEST_TEST(Class)                                              \
  static const nest::test::Registration registration##Class(__FILE__, \
                                                            [] { return std::make_unique<Class>(); });
