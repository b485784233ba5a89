#include <QtTest/QTest>
#include <filesystem>
#include <sstream>

#include "support/test_main.h"
#include "test_paths.h"

namespace fs = std::filesystem;

/// Files are written by core/files alone: it is the one that checks, follows links and replaces whole files.
class TestWriters : public QObject {
  Q_OBJECT
private slots:
  void nothingElseWritesFiles() {
    const char* const writers[] = {"QSaveFile", "ofstream",    "fstream>",    "fopen(",
                                   "creat(",    "O_CREAT",     "O_WRONLY",    "O_RDWR",
                                   "::rename(", "::WriteOnly", "::ReadWrite", "::Append"};
    int files = 0;
    for (const char* layer : {"core", "ui", "app"}) {
      for (const auto& entry : fs::recursive_directory_iterator(fs::path(NEST_SOURCE_DIR) / layer)) {
        const std::string path = entry.path().string();
        if (!path.ends_with(".cpp") && !path.ends_with(".h")) continue;
        ++files;
        if (path.find("/core/platform/") != std::string::npos ||
            path.find("/core/files/") != std::string::npos)
          continue;
        std::istringstream text(nest::test::readFile(path));
        int number = 0;
        for (std::string line; std::getline(text, line);) {
          ++number;
          if (line.find("buffer.open(") != std::string::npos ||
              line.find("QDataStream stream(&") != std::string::npos)
            continue;  // in memory
          for (const char* writer : writers)
            QVERIFY2(line.find(writer) == std::string::npos,
                     (path + ":" + std::to_string(number) + ": " + line + ": write files with core/files")
                         .c_str());
        }
      }
    }
    QVERIFY(files > 500);
  }
};
NEST_TEST(TestWriters)
#include "test_writers.moc"
