#include <sys/stat.h>
#include <QtTest/QTest>
#include <filesystem>
#include <fstream>
#include <set>

#include "files/folder_writer.h"
#include "support/own_folder.h"
#include "support/test_main.h"

using namespace nest;
namespace fs = std::filesystem;

namespace {

const std::vector<FolderFile> kFirst = {
    {"mark", "1"}, {"a", "first", true}, {"only", "x"}, {"start", "go", true}};
const std::vector<FolderFile> kSecond = {{"mark", "2"}, {"a", "second", true}, {"start", "go on", true}};

std::string textOf(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Hidden ones, too.
std::set<std::string> namesIn(const fs::path& folder) {
  std::set<std::string> out;
  for (const auto& entry : fs::directory_iterator(folder)) out.insert(entry.path().filename().string());
  return out;
}

}  // namespace

class TestFolderWriter : public QObject {
  Q_OBJECT
private slots:
  void aNewFolderIsWhole() {
    const test::OwnFolder dir;
    const fs::path place = fs::path(std::string(dir / "above/new"));
    QVERIFY(writeFolder(place.string() + '/', kFirst).empty());
    QCOMPARE(namesIn(place), (std::set<std::string>{"mark", "a", "only", "start"}));
    QCOMPARE(namesIn(place.parent_path()), std::set<std::string>{"new"});
    QCOMPARE(textOf(place / "a"), std::string("first"));
    struct stat program {
    }, text{}, folder{};
    QVERIFY(stat((place / "a").c_str(), &program) == 0 && stat((place / "mark").c_str(), &text) == 0 &&
            stat(place.c_str(), &folder) == 0);
    QVERIFY((program.st_mode & 0111) && !(text.st_mode & 0111));
    const mode_t mask = umask(0);
    umask(mask);
    QCOMPARE(folder.st_mode & 0777, 0777 & ~mask);
  }

  void anOlderFolderIsWrittenAgain() {
    const test::OwnFolder dir;
    const fs::path place = std::string(dir / "f");
    QVERIFY(writeFolder(place.string(), kFirst).empty());
    std::ofstream(place / "train.log") << "mine";
    QVERIFY(writeFolder(place.string(), kSecond, {"only", "not there"}).empty());
    QCOMPARE(namesIn(place), (std::set<std::string>{"mark", "a", "start", "train.log"}));
    QCOMPARE(textOf(place / "a") + textOf(place / "start") + textOf(place / "train.log"),
             std::string("secondgo onmine"));
  }

  /// What a program leaves that is killed before the new files are in place, or while they move there.
  void anInterruptedCallIsRepeated() {
    const test::OwnFolder dir;
    const fs::path place = std::string(dir / "f");
    for (const fs::path& staging :
         {fs::path(std::string(dir / ".nest-export-1-0")), place / ".nest-export-1-0"}) {
      fs::create_directories(staging);
      std::ofstream(staging / "a") << "part";
      QVERIFY(writeFolder(place.string(), kFirst).empty());
      QVERIFY(!fs::exists(staging));
    }
    fs::remove(place / "start");
    std::ofstream(place / "mark") << "2";
    QVERIFY(writeFolder(place.string(), kSecond, {"only"}).empty());
    QCOMPARE(namesIn(place), (std::set<std::string>{"mark", "a", "start"}));
  }

  void aFailureLeavesTheOldFolder() {
    const test::OwnFolder dir;
    const fs::path place = std::string(dir / "f");
    QVERIFY(writeFolder(place.string(), kFirst).empty());
    fs::create_directory(place / "b");
    auto files = kSecond;
    files.insert(files.begin(), {"b", "in the way"});
    const Diagnostics failed = writeFolder(place.string(), files);
    QVERIFY(hasErrors(failed));
    QVERIFY2(failed.front().where.file.ends_with("/f/b"), failed.front().where.file.c_str());
    QCOMPARE(textOf(place / "a") + textOf(place / "start"), std::string("firstgo"));
    QCOMPARE(namesIn(place), (std::set<std::string>{"mark", "a", "only", "start", "b"}));
    QVERIFY(hasErrors(writeFolder((place / "a").string(), kFirst)));
    QVERIFY(hasErrors(writeFolder((place / "a/below").string(), kFirst)));
    QVERIFY(hasErrors(writeFolder("/proc/none", kFirst)));
  }
};
NEST_TEST(TestFolderWriter)
#include "test_folder_writer.moc"
