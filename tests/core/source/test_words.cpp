#include <QtTest/QTest>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <sstream>
#include <vector>

#include "support/test_main.h"
#include "test_paths.h"

namespace fs = std::filesystem;

namespace {

/// The comments and the string literals of a source, each kind as one text in lower case. Includes are
/// neither.
struct SourceWords {
  std::string comments;
  std::string strings;
};

SourceWords wordsIn(const std::string& source) {
  SourceWords out;
  const auto add = [](std::string& to, std::string_view text) {
    for (const char c : text) to += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    to += '\n';
  };
  std::size_t line = 0;
  for (std::size_t i = 0; i < source.size();) {
    const auto upTo = [&](std::string_view end, std::size_t from) {
      const std::size_t found = source.find(end, from);
      return found == std::string::npos ? source.size() : found;
    };
    if (source[i] == '\n') line = i + 1;
    if (source.compare(i, 2, "//") == 0) {
      const std::size_t end = upTo("\n", i);
      add(out.comments, std::string_view(source).substr(i, end - i));
      i = end;
    } else if (source.compare(i, 2, "/*") == 0) {
      const std::size_t end = upTo("*/", i);
      add(out.comments, std::string_view(source).substr(i, end - i));
      i = end + 2;
    } else if (source.compare(i, 2, "R\"") == 0) {
      const std::size_t open = upTo("(", i);
      const std::string close = ")" + source.substr(i + 2, open - i - 2) + "\"";
      const std::size_t end = upTo(close, open);
      add(out.strings, std::string_view(source).substr(open, end - open));
      i = end + close.size();
    } else if (source[i] == '"') {
      std::size_t end = i + 1;
      while (end < source.size() && source[end] != '"') end += source[end] == '\\' ? 2 : 1;
      if (source.compare(line, 8, "#include") != 0)
        add(out.strings, std::string_view(source).substr(i + 1, end - i - 1));
      i = end + 1;
    } else if (source[i] == '\'' && (i == 0 || !std::isalnum(static_cast<unsigned char>(source[i - 1])))) {
      i += source[i + 1] == '\\' ? 3 : 2;
      if (i < source.size() && source[i] == '\'') ++i;
    } else {
      ++i;
    }
  }
  return out;
}

/// The left column of the table under "## Words" in CONTRIBUTING.md, but what stands in brackets.
std::vector<std::string> unwantedPhrases() {
  const std::string all = nest::test::readFile(NEST_SOURCE_DIR "/CONTRIBUTING.md");
  const std::size_t begin = all.find("## Words\n"), end = all.find("\n## ", begin);
  std::vector<std::string> out;
  std::istringstream lines(all.substr(begin, end - begin));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ") || line.starts_with("| Not") || line.starts_with("| (")) continue;
    std::istringstream cell(line.substr(2, line.find(" |", 2) - 2));
    for (std::string phrase; std::getline(cell, phrase, ',');)
      out.push_back(phrase.substr(phrase.find_first_not_of(' ')));
  }
  return out;
}

int countOf(const std::string& phrase, const std::string& text, std::string* where = nullptr) {
  const auto isLetter = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_');
  };
  int n = 0;
  for (auto at = text.find(phrase); at != std::string::npos; at = text.find(phrase, at + 1)) {
    if ((at > 0 && isLetter(at - 1)) || isLetter(at + phrase.size())) continue;
    ++n;
    if (where) {
      const std::size_t begin = text.rfind('\n', at) + 1;
      *where = text.substr(begin, text.find('\n', at) - begin);
    }
  }
  return n;
}

}  // namespace

/// The words of CONTRIBUTING.md are used: the left column of its table stands in no string, and in ever fewer
/// comments.
class TestWords : public QObject {
  Q_OBJECT
private slots:
  void theTableIsRead() {
    const auto phrases = unwantedPhrases();
    QVERIFY(phrases.size() > 25);
    QVERIFY(std::find(phrases.begin(), phrases.end(), "told") != phrases.end());
    const SourceWords w = wordsIn("#include \"told.h\"\n// A Tell\nf(\"to\\\"ld\", '\"', R\"(an anew)\");\n");
    QCOMPARE(countOf("tell", w.comments), 1);
    QCOMPARE(countOf("told", w.strings), 0);
    QCOMPARE(countOf("anew", w.strings), 1);
  }

  void stringsHaveNone() {
    // A key and a code that files and scripts name.
    const char* const keys[] = {"\nbeside\n", "\nbeside-plan\n"};
    int files = 0;
    std::string all;
    forEachSource([&](const std::string& path, SourceWords w) {
      ++files;
      for (const char* key : keys)
        for (auto at = w.strings.find(key); at != std::string::npos; at = w.strings.find(key))
          w.strings.replace(at, std::string_view(key).size(), "\n");
      for (const std::string& phrase : unwantedPhrases()) {
        std::string line;
        if (countOf(phrase, w.strings, &line) > 0) all += path + ": \"" + phrase + "\" in: " + line + "\n";
      }
    });
    QVERIFY(files > 500);
    QVERIFY2(all.empty(), all.c_str());
  }

  void lessonsHaveNone() {
    int files = 0;
    for (const char* folder : {"resources/lessons", "samples/lessons"})
      for (const auto& entry : fs::directory_iterator(fs::path(NEST_SOURCE_DIR) / folder)) {
        if (entry.path().extension() != ".json") continue;
        ++files;
        const SourceWords w = wordsIn(nest::test::readFile(entry.path().string()));
        for (const std::string& phrase : unwantedPhrases()) {
          std::string line;
          QVERIFY2(countOf(phrase, w.strings, &line) == 0,
                   (entry.path().string() + ": \"" + phrase + "\" in: " + line).c_str());
        }
      }
    QVERIFY(files > 20);
  }

  /// Lower a number when its folder has fewer; none may rise.
  void commentsHaveEverFewer() {
    const std::map<std::string, int> most = {
        {"app/explorer", 1},      {"app/plan", 4},      {"app/python", 1},   {"core/analytic", 11},
        {"core/calibration", 17}, {"core/cluster", 25}, {"core/fields", 3},  {"core/files", 2},
        {"core/formats", 90},     {"core/jobs", 4},     {"core/lab", 15},    {"core/log", 2},
        {"core/model", 7},        {"core/problem", 5},  {"core/program", 3}, {"core/scenario", 7},
        {"core/schedule", 6},     {"core/solver", 14},  {"core/study", 13},  {"core/text", 3},
        {"core/units", 2},        {"ui/document", 21},  {"ui/editors", 28},  {"ui/export", 1},
        {"ui/figures", 42},       {"ui/panes", 2},      {"ui/slides", 3},    {"ui/theme", 1},
        {"ui/views", 17},         {"ui/window", 13},
    };
    std::map<std::string, int> found;
    forEachSource([&](const std::string& path, const SourceWords& w) {
      const std::string folder = path.substr(0, path.find('/', path.find('/') + 1));
      for (const std::string& phrase : unwantedPhrases()) found[folder] += countOf(phrase, w.comments);
    });
    std::string all;
    for (const auto& [folder, n] : found) {
      const auto limit = most.find(folder);
      const int allowed = limit == most.end() ? 0 : limit->second;
      if (n > allowed)
        all += folder + " has " + std::to_string(n) + ", allowed are " + std::to_string(allowed) + "\n";
    }
    QVERIFY2(all.empty(), all.c_str());
  }

private:
  template <class Take>
  static void forEachSource(Take take) {
    for (const char* part : {"core", "ui", "app"})
      for (const auto& entry : fs::recursive_directory_iterator(fs::path(NEST_SOURCE_DIR) / part)) {
        const auto path = entry.path();
        if (path.extension() != ".cpp" && path.extension() != ".h") continue;
        take(fs::relative(path, NEST_SOURCE_DIR).string(), wordsIn(nest::test::readFile(path.string())));
      }
  }
};
NEST_TEST(TestWords)
#include "test_words.moc"
