#include <sys/stat.h>
#include <unistd.h>

#include <QtTest/QTest>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "files/file_reader.h"
#include "support/own_folder.h"
#include "support/test_main.h"

using namespace nest;
using nest::test::OwnFolder;
namespace fs = std::filesystem;

namespace {

void put(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string codeOf(const Reading<std::string>& r) {
  return r.diagnostics.empty() ? std::string() : r.diagnostics.front().code;
}

}  // namespace

/// Whatever stands behind a path, reading it ends, and no more is held than allowed.
class TestFileReader : public QObject {
  Q_OBJECT
private slots:
  void textsAreRead() {
    const OwnFolder dir;
    const std::string large(200'000, 'x');
    for (const std::string& text : {std::string(), std::string("a\n"), large, std::string("a\0b", 3)}) {
      put(dir / "a", text);
      for (const Sources s : {Sources::Anything, Sources::Files}) QVERIFY(*readText(dir / "a", s) == text);
    }
    put(dir / "a", "\xEF\xBB\xBFtext");
    QCOMPARE(*readText(dir / "a"), std::string("text"));
    QVERIFY(readText("/proc/self/status")->find("Name:") != std::string::npos);  // says that it has no size
  }

  void whatIsNoTextIsRefused_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("anything");
    QTest::addColumn<QString>("files");
    QTest::newRow("missing") << "absent"
                             << "file-missing"
                             << "file-missing";
    QTest::newRow("below a file") << "text/a"
                                  << "file-missing"
                                  << "file-missing";
    QTest::newRow("folder") << "."
                            << "file-is-folder"
                            << "file-is-folder";
    QTest::newRow("endless device") << "/dev/zero"
                                    << "file-too-large"
                                    << "file-device";
    QTest::newRow("random device") << "/dev/urandom"
                                   << "file-too-large"
                                   << "file-device";
    QTest::newRow("pipe") << "pipe"
                          << "file-pipe"
                          << "file-pipe";
    QTest::newRow("large") << "large"
                           << "file-too-large"
                           << "file-too-large";
    QTest::newRow("link to nowhere") << "dangling"
                                     << "file-missing"
                                     << "file-missing";
    QTest::newRow("link to a device") << "zero"
                                      << "file-too-large"
                                      << "file-device";
  }
  void whatIsNoTextIsRefused() {
    QFETCH(QString, path);
    QFETCH(QString, anything);
    QFETCH(QString, files);
    const OwnFolder dir;
    put(dir / "text", "x");
    put(dir / "large", "x");
    fs::resize_file(dir / "large", kLargestText + 1);  // sparse
    QCOMPARE(mkfifo((dir / "pipe").c_str(), 0600), 0);
    fs::create_symlink("absent", dir / "dangling");
    fs::create_symlink("/dev/zero", dir / "zero");
    const std::string at = path.startsWith('/') ? path.toStdString() : dir / path.toStdString();
    QCOMPARE(codeOf(readText(at, Sources::Anything)), anything.toStdString());
    QCOMPARE(codeOf(readText(at, Sources::Files)), files.toStdString());
  }

  void theLimitItselfIsAllowed() {
    const OwnFolder dir;
    put(dir / "large", "");
    fs::resize_file(dir / "large", kLargestText);
    QVERIFY(readText(dir / "large"));
  }

  void compressedTextsAreUnpacked() {
    const OwnFolder dir;
    const std::string member =
        QByteArray::fromHex("1f8b08000000000002032b49ad280100c7a78b3b04000000").toStdString();
    const auto read = [&](const std::string& bytes) {
      put(dir / "a.gz", bytes);
      errno = 0;  // no reason left by what was read before
      return readText(dir / "a.gz", Sources::Files);
    };
    QCOMPARE(*read(member), std::string("text"));
    QCOMPARE(*read(member + member), std::string("texttext"));
    QCOMPARE(*read(member + std::string(1000, '\0')), std::string("text"));
    QCOMPARE(codeOf(read(member.substr(0, 20))), std::string("file-truncated"));
    std::string damaged = member;
    damaged[17] = '!';  // of the checksum
    QCOMPARE(codeOf(read(damaged)), std::string("file-damaged"));
    QCOMPARE(codeOf(read("\x1f\x8b")), std::string("file-truncated"));
    QCOMPARE(*read("\x1f"), std::string("\x1f"));
    put(dir / "a.gz", member + member);
    QCOMPARE(*readBegin(dir / "a.gz", 6), std::string("textte"));
    QCOMPARE(*readBegin(dir / "a.gz", 100), std::string("texttext"));
    std::string lines;
    QVERIFY(readLines(dir / "a.gz", [&](std::string_view line, bool) {
              lines += line;
              return true;
            }).empty());
    QCOMPARE(lines, std::string("texttext"));
  }

  void noMoreIsUnpackedThanIsRead() {
    const OwnFolder dir;
    put(dir / "bomb", "");
    fs::resize_file(dir / "bomb", kLargestText + 1);
    QCOMPARE(std::system(("gzip -1 '" + (dir / "bomb") + "'").c_str()), 0);
    QVERIFY(fs::file_size(dir / "bomb.gz") < kLargestText / 100);
    QCOMPARE(codeOf(readText(dir / "bomb.gz")), std::string("file-too-large"));
  }

  /// Traces of profilers are larger than any other text.
  void tracesMayBeLarger() {
    const OwnFolder dir;
    for (const char* begin : {"SQLite format 3", "{\"deviceProperties\": [", "{\"traceEvents\": ["}) {
      put(dir / "trace", begin);
      fs::resize_file(dir / "trace", kLargestText + 1);
      QVERIFY2(readText(dir / "trace"), begin);
      fs::resize_file(dir / "trace", kLargestTrace + 1);
      QCOMPARE(codeOf(readText(dir / "trace")), std::string("file-too-large"));
    }
  }

  void pipesOfAShellAreRead() {
    int ends[2];
    QCOMPARE(pipe(ends), 0);
    QCOMPARE(write(ends[1], "text", 4), ssize_t(4));
    close(ends[1]);
    const auto got = readText("/dev/fd/" + std::to_string(ends[0]), Sources::Files);
    close(ends[0]);
    QVERIFY(got);
    QCOMPARE(*got, std::string("text"));
  }

  void aScenarioNamesOnlyWhatStandsBelowIt() {
    const OwnFolder dir;
    fs::create_directories(dir / "own/models");
    put(dir / "own/s.nest.json", "");
    put(dir / "own/models/m.json", "inside");
    put(dir / "outside.json", "outside");
    fs::create_symlink("../../outside.json", dir / "own/models/link.json");
    fs::create_symlink("/dev/zero", dir / "own/zero");
    fs::create_symlink("..", dir / "own/folder");
    fs::create_symlink("models/m.json", dir / "own/same.json");
    QCOMPARE(mkfifo((dir / "own/pipe").c_str(), 0600), 0);
    const auto load = loaderBeside(dir / "own/s.nest.json");
    QCOMPARE(*load("models/m.json"), std::string("inside"));
    QCOMPARE(*load("./models/../models/m.json"), std::string("inside"));
    QCOMPARE(*load(dir / "own/models/m.json"), std::string("inside"));
    // An archive may bring links; what they lead to outside is not read, so no message can quote it.
    for (const char* link : {"models/link.json", "zero", "folder/outside.json"}) {
      const auto outside = load(link);
      QVERIFY2(codeOf(outside) == "reference-outside", link);
      QVERIFY2(outside.diagnostics.front().message.find(" /") != std::string::npos, link);  // where it leads
    }
    QCOMPARE(*load("same.json"), std::string("inside"));
    for (const std::string& path :
         {std::string("../outside.json"), dir / "outside.json", std::string("models/../../outside.json"),
          std::string("/etc/passwd"), std::string("/dev/zero"), std::string("/dev/fd/0"), std::string(".")})
      QVERIFY2(codeOf(load(path)) == "reference-outside", path.c_str());
    QCOMPARE(codeOf(load("-")), std::string("file-missing"));
    QCOMPARE(codeOf(load("models")), std::string("file-is-folder"));
    QCOMPARE(codeOf(load("pipe")), std::string("file-pipe"));

    const fs::path before = fs::current_path();
    fs::current_path(dir / "own");
    for (const char* scenario : {"s.nest.json", "./s.nest.json", "-"}) {
      QCOMPARE(*loaderBeside(scenario)("models/m.json"), std::string("inside"));
      QCOMPARE(codeOf(loaderBeside(scenario)("../outside.json")), std::string("reference-outside"));
      QCOMPARE(codeOf(loaderBeside(scenario)("-")), std::string("file-missing"));
    }
    fs::current_path(before);
  }

  void referencesAreRelativeToTheScenario() {
    QCOMPARE(referenceTo("/a/models/m.json", "/a/s.nest.json"), std::string("models/m.json"));
    QCOMPARE(referenceTo("/a/b/../models/m.json", "/a/./s.nest.json"), std::string("models/m.json"));
    QCOMPARE(referenceTo("/b/m.json", "/a/s.nest.json"), std::string());
    QCOMPARE(referenceTo("/ab/m.json", "/a/s.nest.json"), std::string());
  }

  void linesOfAnyFileAreHandedOut() {
    const OwnFolder dir;
    std::string text;
    for (int i = 0; i < 20'000; ++i)
      text += std::to_string(i) + std::string(static_cast<std::size_t>(i % 50), '.') + '\n';
    put(dir / "a", text + "torn");
    std::string joined;
    int whole = 0, torn = 0;
    const Diagnostics d = readLines(dir / "a", [&](std::string_view line, bool isWhole) {
      joined += line;
      if (isWhole) joined += '\n';
      ++(isWhole ? whole : torn);
      return true;
    });
    QVERIFY(d.empty());
    QVERIFY(joined == text + "torn");
    QCOMPARE(whole, 20'000);
    QCOMPARE(torn, 1);
    int taken = 0;
    QVERIFY(readLines(dir / "a", [&](std::string_view, bool) { return ++taken < 3; }).empty());
    QCOMPARE(taken, 3);
    const auto ignore = [](std::string_view, bool) { return true; };
    QCOMPARE(readLines("/dev/zero", ignore).front().code, std::string("file-line-too-long"));
    QCOMPARE(readLines(dir / "absent", ignore).front().code, std::string("file-missing"));
  }
};
NEST_TEST(TestFileReader)
#include "test_file_reader.moc"
