#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "support/test_main.h"
#include "test_paths.h"

namespace {

std::string textOf(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::set<std::string> allMatches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it)
    found.insert((*it)[1]);
  return found;
}

/// What the code cites of core/solver/STATEMENT.md is there.
class TestStatement : public QObject {
  Q_OBJECT
private slots:
  void everyReferenceResolves() {
    const std::filesystem::path root = NEST_SOURCE_DIR;
    const std::string statement = textOf(root / "core/solver/STATEMENT.md");
    const auto sections = allMatches(statement, std::regex("\n## (§[0-9]+) "));
    const auto equations = allMatches(statement, std::regex(" +(\\([0-9]+\\.[0-9]+\\))\n"));
    QVERIFY(sections.size() >= 9);
    QVERIFY(equations.size() >= 35);
    // The equations' own cross references, too.
    for (const std::string& e : allMatches(statement, std::regex("(\\([0-9]+\\.[0-9]+\\))")))
      QVERIFY2(equations.count(e), ("STATEMENT.md names " + e).c_str());

    int cited = 0;
    const std::regex reference("STATEMENT\\.md(?:[\\s/*#]*)(§[0-9]+|\\([0-9]+\\.[0-9]+\\))?");
    for (const char* folder : {"core", "ui", "app", "tests", "samples"}) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
        const auto& path = entry.path();
        const auto extension = path.extension();
        if ((extension != ".h" && extension != ".cpp" && extension != ".py") ||
            path.filename() == "test_statement.cpp")
          continue;
        const std::string text = textOf(path);
        QVERIFY2(text.find("planning.md") == std::string::npos, path.c_str());
        for (std::sregex_iterator it(text.begin(), text.end(), reference), end; it != end; ++it) {
          const std::string what = (*it)[1];
          if (what.empty()) continue;
          QVERIFY2(sections.count(what) || equations.count(what), (path.string() + ": " + it->str()).c_str());
          ++cited;
        }
      }
    }
    QVERIFY2(cited >= 40, std::to_string(cited).c_str());
  }
};

}  // namespace

NEST_TEST(TestStatement)
#include "test_statement.moc"
