// Readers work in proportion to what they read. One line, word, letter, element, entry or row of the files of
// every format is repeated, and the work that the copies cost is counted: four times as many may cost about
// four times as much.
#include <sqlite3.h>

#include <QtTest/QTest>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/read_format.h"
#include "support/test_main.h"
#include "test_paths.h"
#include "work_counter.h"

using namespace nest;
namespace fs = std::filesystem;

namespace {

/// A file with one part repeated: `before`, then copies of `part`, then `after`.
struct Growth {
  std::string what, before, part, after;
  bool isNumbered = false;  ///< the names in each copy have a number of their own
  std::string table = {};   ///< of a database: the table whose rows are repeated; `before` is the file

  /// With so many bytes of copies.
  std::string text(std::size_t bytes) const {
    if (!table.empty()) return database(bytes);
    std::string out = before;
    for (int i = 1000; out.size() < before.size() + bytes; ++i) out += isNumbered ? numbered(i) : part;
    return out + after;
  }

private:
  /// Every number that ends a name becomes `number`; without any, `number` is added to the first name.
  std::string numbered(int number) const {
    const auto isLetter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; };
    const auto isDigit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    const std::string n = std::to_string(number);
    std::string out;
    bool any = false;
    for (std::size_t i = 0; i < part.size();) {
      std::size_t end = i;
      while (end < part.size() && isDigit(part[end])) ++end;
      const bool endsName = end > i && i > 0 && isLetter(part[i - 1]);
      out += endsName ? n : part.substr(i, std::max<std::size_t>(end - i, 1));
      any = any || endsName;
      i = std::max(end, i + 1);
    }
    if (any) return out;
    const auto letter = std::find_if(part.begin(), part.end(), isLetter);
    const auto end = std::find_if_not(letter, part.end(), isLetter);
    return std::string(part.begin(), end) + n + std::string(end, part.end());
  }

  /// Rows are copied, sixteen bytes each.
  std::string database(std::size_t bytes) const {
    sqlite3* file = nullptr;
    sqlite3_open(":memory:", &file);
    auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(before.size()));
    std::copy(before.begin(), before.end(), copy);
    const auto size = static_cast<sqlite3_int64>(before.size());
    sqlite3_deserialize(file, "main", copy, size, size,
                        SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
    const std::string rows = std::to_string(bytes / 16);
    const std::string repeat = "INSERT INTO " + table + " SELECT a.* FROM " + table + " a, (" +
                               "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT " +
                               rows + ") SELECT i FROM n) LIMIT " + rows;
    sqlite3_exec(file, repeat.c_str(), nullptr, nullptr, nullptr);
    sqlite3_int64 length = 0;
    unsigned char* const content = sqlite3_serialize(file, "main", &length, 0);
    std::string out(content, content + length);
    sqlite3_free(content);
    sqlite3_close(file);
    return out;
  }
};

using Growths = std::vector<Growth>;

Growths linesOf(const std::string& text) {
  Growths out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin)
      out.push_back({"line", text.substr(0, end), '\n' + text.substr(begin, end - begin), text.substr(end)});
    begin = end + 1;
  }
  return out;
}

/// Words with what separates them, and last letters of words.
Growths wordsOf(const std::string& text) {
  Growths words, letters;
  for (std::size_t at = 0;;) {
    const std::size_t begin = text.find_first_not_of(" ,;|\t\n", at);
    if (begin == std::string::npos) break;
    const std::size_t end = std::min(text.find_first_of(" ,;|\t\n", begin), text.size());
    const char next = end < text.size() ? text[end] : '\n';
    const char separator = next != '\n' ? next : begin > 0 ? text[begin - 1] : ' ';
    const std::string word = text.substr(begin, end - begin), before = text.substr(0, end),
                      after = text.substr(end);
    words.push_back({"word", before, separator + word, after});
    letters.push_back({"letter", before, word.substr(word.size() - 1), after});
    at = end;
  }
  words.insert(words.end(), letters.begin(), letters.end());
  return words;
}

/// Elements of arrays and members of objects of JSON.
Growths entriesOf(const std::string& text) {
  using Json = nlohmann::ordered_json;
  const Json whole = Json::parse(text, nullptr, false);
  Growths out;
  if (whole.is_discarded()) return out;
  const auto dump = [](const Json& j) { return j.dump(-1, ' ', false, Json::error_handler_t::replace); };
  const std::string mark = R"("\u0001":0)";  // the copies take its place
  const auto add = [&](const Json& marked, const std::string& what, const std::string& replaced,
                       const std::string& part) {
    const std::string all = dump(marked);
    if (const auto at = all.find(replaced); at != std::string::npos)
      out.push_back({what, all.substr(0, at), part + ',', all.substr(at + replaced.size())});
  };
  const auto visit = [&](const auto& self, const Json& part, const Json::json_pointer& place) -> void {
    if (!part.is_structured() || part.empty()) return;
    Json marked = whole;
    if (part.is_array()) {
      marked[place].insert(marked[place].begin(), Json{{"\x01", 0}});
      add(marked, "element of " + place.to_string(), '{' + mark + "},", dump(part.back()));
    } else {
      Json object{{"\x01", 0}};
      object.update(part);
      marked[place] = object;
      const auto last = std::prev(part.end());
      add(marked, "member of " + place.to_string(), mark + ',',
          dump(last.key() + "_1") + ':' + dump(last.value()));
    }
    std::size_t seen = 0;
    for (const auto& [key, value] : part.items()) {
      if (part.is_array() && seen == 2) break;
      self(self, value, part.is_array() ? place / seen : place / key);
      ++seen;
    }
  };
  visit(visit, whole, Json::json_pointer());
  return out;
}

/// Elements and attributes of XML.
Growths elementsOf(const std::string& text) {
  Growths out;
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    if (at + 1 >= text.size() || !std::isalpha(static_cast<unsigned char>(text[at + 1]))) continue;
    const std::size_t nameEnd = text.find_first_of(" \t\r\n/>", at), close = text.find('>', at);
    if (nameEnd == std::string::npos || close == std::string::npos) break;
    const std::string name = text.substr(at + 1, nameEnd - at - 1);
    std::size_t end = close + 1;
    if (text[close - 1] != '/') {
      const std::size_t closing = text.find("</" + name + '>', close);
      if (closing == std::string::npos) continue;
      end = closing + name.size() + 3;
    }
    out.push_back({"element " + name, text.substr(0, end), text.substr(at, end - at), text.substr(end)});
    if (text.find('=', at) < close)
      out.push_back({"attribute of " + name, text.substr(0, nameEnd), " a1=\"x\"", text.substr(nameEnd)});
  }
  return out;
}

Growths tablesOf(const std::string& text) {
  Growths out;
  for (const char* table :
       {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS", "StringIds"})
    if (text.starts_with("SQLite format 3") && text.find(table) != std::string::npos)
      out.push_back({"row", text, {}, {}, false, table});
  return out;
}

/// At most `most`, evenly.
Growths some(Growths all, std::size_t most) {
  if (all.size() <= most) return all;
  Growths out;
  for (std::size_t i = 0; i < most; ++i) out.push_back(std::move(all[i * all.size() / most]));
  return out;
}

constexpr std::size_t kCopies = 4 << 10, kLargestFile = 32 << 10;

/// How the files of a format's corpus can grow, all or `ofEachKind`: so many of files that can be read, and
/// half as many of files that cannot.
Growths growthsOf(const Format& format, bool bad, std::size_t ofEachKind) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(NEST_TEST_DATA) / format.key))
    if (entry.is_regular_file() && entry.path().extension() != ".expected" &&
        entry.path().filename().string().starts_with("bad_") == bad)
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  Growths out;
  for (const auto& grow : {tablesOf, linesOf, wordsOf, entriesOf, elementsOf}) {
    Growths ofKind;
    for (const fs::path& file : files) {
      const std::string text = test::readFile(file.string());
      const bool isText = text.size() <= kLargestFile && text.find('\0') == std::string::npos;
      if (grow != tablesOf && !isText) continue;
      for (Growth& g : grow(text)) {
        g.what += " of " + file.filename().string();
        ofKind.push_back(g);
        if (g.what.starts_with("letter") || g.what.starts_with("row")) continue;
        ofKind.push_back(std::move(g));
        ofKind.back().isNumbered = true;
      }
    }
    for (Growth& g : some(std::move(ofKind), ofEachKind)) out.push_back(std::move(g));
  }
  return out;
}

struct Work {
  unsigned long long few = 0, more = 0, most = 0;  ///< with copies, twice as many, and twice as many again
  bool isRead = false;                             ///< the largest file has no errors

  /// The last copies are twice as many as those before and cost twice as much; four times as much, if each
  /// copy looks at all before it. Logarithms of what is sorted, and what grows by doubling, are allowed for.
  bool isInProportion() const { return added(most, more) <= 3 * std::max(added(more, few), 0.0) + 100'000; }

private:
  static double added(unsigned long long to, unsigned long long from) {
    return static_cast<double>(to) - static_cast<double>(from);
  }
};

Work workOf(const Format& format, const Growth& g, std::size_t copies) {
  Work out;
  const auto measure = [&](std::size_t bytes) {
    const std::string text = g.text(bytes);
    const auto before = test::workDone();
    out.isRead = test::readAs(format, text, "f").first;
    return test::workDone() - before;
  };
  measure(0);  // catalogs are read once
  out.few = measure(copies);
  out.more = measure(2 * copies);
  out.most = measure(4 * copies);
  return out;
}

}  // namespace

class TestGrowth : public QObject {
  Q_OBJECT
private slots:
  void readersWorkInProportion_data() {
    QTest::addColumn<QString>("key");
    for (const Format* f : formats()) QTest::newRow(f->key.data()) << QString::fromUtf8(f->key);
  }
  /// NEST_GROWTHS: how many growths of each kind are tried of a format; 1000000: all.
  void readersWorkInProportion() {
    QFETCH(QString, key);
    const Format& format = *findFormat(key.toStdString());
    const char* given = std::getenv("NEST_GROWTHS");
    const std::size_t count = given ? static_cast<std::size_t>(std::atol(given)) : 3;
    bool isOneRead = false;
    QStringList faults;
    const auto check = [&](const Growth& g) {
      Work work = workOf(format, g, kCopies);
      isOneRead = isOneRead || work.isRead;
      // Copies that turn a file into a wrong one make it cheaper or dearer once, not in each step.
      if (!work.isInProportion()) work = workOf(format, g, 4 * kCopies);
      if (work.isInProportion()) return;
      faults += QStringLiteral("%1 \"%2\"%3: %4, %5 and %6 for copies, twice as many, and twice again")
                    .arg(QString::fromStdString(g.what), QString::fromStdString(g.part).left(60),
                         QLatin1String(g.isNumbered ? ", numbered" : ""))
                    .arg(work.few)
                    .arg(work.more)
                    .arg(work.most);
    };
    for (const Growth& g : growthsOf(format, false, count)) check(g);
    for (const Growth& g : growthsOf(format, true, count / 2)) check(g);
    if (!isOneRead)
      for (const Growth& g : growthsOf(format, false, 100)) {
        check(g);
        if (isOneRead) break;
      }
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join(u'\n')));
    QVERIFY2(isOneRead, "no grown file of this format can be read: add one to its corpus");
  }
};
NEST_TEST(TestGrowth)
#include "test_growth.moc"
