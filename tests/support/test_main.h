#pragma once

#include <QObject>
#include <QtTest/QTest>
#include <functional>
#include <memory>
#include <string>

#include "test_paths.h"

namespace nest::test {

/// Registers a test class under the stem of its source file; CTest runs `executable --file test_x`.
struct Registration {
  Registration(const char* sourceFile, std::function<std::unique_ptr<QObject>()> make);
};

/// Absolute path of a file below the developers' shared reference data, empty if that is absent. A test that
/// needs it skips with a message.
std::string referencePath(const std::string& relative);

std::string readFile(const std::string& path);  ///< aborts the test run with a message if unreadable

/// Runs the registered classes that the command line names; returns the exit code. For a main() with its own
/// application object.
int runAll(int argc, char** argv);

}  // namespace nest::test

#define NEST_TEST(Class)                                              \
  static const nest::test::Registration registration##Class(__FILE__, \
                                                            [] { return std::make_unique<Class>(); });
