#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <QtTest/QTest>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "files/file_writer.h"
#include "platform/appending_file.h"
#include "platform/draft.h"
#include "platform/file_target.h"
#include "support/own_folder.h"
#include "support/test_main.h"

using namespace nest;
using nest::test::OwnFolder;
namespace fs = std::filesystem;

namespace {

std::string contentOf(const std::string& path) {
  return nest::test::readFile(path);
}

void store(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

mode_t modeOf(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

QString said(const Diagnostics& all) {
  QString text;
  for (const Diagnostic& d : all) text += QString::fromStdString(toText(d)) + u'\n';
  return text;
}

/// No file that this process writes may grow beyond so many bytes while this lives.
class SizeLimit {
public:
  explicit SizeLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &m_before);
    const rlimit limit{bytes, m_before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~SizeLimit() { setrlimit(RLIMIT_FSIZE, &m_before); }

private:
  rlimit m_before{};
};

/// Root may do everything: this makes its rights those of anybody while it lives.
class AsAnybody {
public:
  AsAnybody() : m_wasRoot(geteuid() == 0) {
    if (m_wasRoot) (void)!seteuid(65534);
  }
  ~AsAnybody() {
    if (m_wasRoot) (void)!seteuid(0);
  }

private:
  bool m_wasRoot;
};

}  // namespace

/// Every file of both programs passes through here.
class TestFileWriter : public QObject {
  Q_OBJECT
private slots:
  void aNewFileGetsWhatTheUmaskLeaves() {
    const OwnFolder dir;
    const mode_t before = umask(027);
    const Diagnostics d = writeFile(dir / "a", "text");
    umask(before);
    QVERIFY2(d.empty(), qPrintable(said(d)));
    QCOMPARE(contentOf(dir / "a"), std::string("text"));
    QCOMPARE(modeOf(dir / "a"), mode_t(0640));
  }

  void anExistingFileKeepsItsMode() {
    const OwnFolder dir;
    for (const mode_t mode : {0600, 0644, 0755, 0660}) {
      store(dir / "a", "old");
      QCOMPARE(chmod((dir / "a").c_str(), mode), 0);
      QVERIFY(writeFile(dir / "a", "new").empty());
      QCOMPARE(modeOf(dir / "a"), mode);
      QCOMPARE(contentOf(dir / "a"), std::string("new"));
    }
  }

  void anExistingFileKeepsItsOwner() {
    if (geteuid() != 0) QSKIP("only root can give files away");
    const OwnFolder dir;
    store(dir / "a", "old");
    QCOMPARE(chown((dir / "a").c_str(), 65534, 65534), 0);
    QVERIFY(writeFile(dir / "a", "new").empty());
    struct stat status {};
    QCOMPARE(stat((dir / "a").c_str(), &status), 0);
    QCOMPARE(status.st_uid, uid_t(65534));
    QCOMPARE(status.st_gid, gid_t(65534));
  }

  void linksAreWrittenThrough() {
    const OwnFolder dir;
    fs::create_directory(dir / "deep");
    store(dir / "deep/file", "old");
    fs::create_symlink("deep/file", dir / "one");
    fs::create_symlink(dir / "one", dir / "two");
    fs::create_symlink("deep/absent", dir / "dangling");
    QVERIFY(writeFile(dir / "two", "new").empty());
    QVERIFY(fs::is_symlink(dir / "one") && fs::is_symlink(dir / "two"));
    QCOMPARE(contentOf(dir / "deep/file"), std::string("new"));
    QVERIFY(writeFile(dir / "dangling", "made").empty());
    QVERIFY(fs::is_symlink(dir / "dangling"));
    QCOMPARE(contentOf(dir / "deep/absent"), std::string("made"));
    fs::create_symlink("loop", dir / "loop");
    QVERIFY(!writeFile(dir / "loop", "x").empty());
    QVERIFY(fs::is_symlink(dir / "loop"));
  }

  void filesBesideItAreLeftAlone() {
    const OwnFolder dir;
    store(dir / "other", "precious");
    store(dir / "a.part", "mine");
    fs::create_symlink("other", dir / "b.part");
    QVERIFY(writeFile(dir / "a", "1").empty());
    QVERIFY(writeFile(dir / "b", "2").empty());
    QCOMPARE(contentOf(dir / "a.part"), std::string("mine"));
    QCOMPARE(contentOf(dir / "other"), std::string("precious"));
    QCOMPARE(dir.entries(), 5);
  }

  void aDeviceStaysADevice() {
    const OwnFolder dir;
    const std::string null = dir / "null", full = dir / "full";
    if (mknod(null.c_str(), S_IFCHR | 0666, makedev(1, 3)) != 0 ||
        mknod(full.c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0)
      QSKIP("devices cannot be made here");
    QVERIFY(writeFile(null, "gone").empty());
    QVERIFY(fs::is_character_file(null));
    const Diagnostics d = writeFile(full, "no room");
    QVERIFY2(said(d).contains("No space left on device; free some space"), qPrintable(said(d)));
    QVERIFY(fs::is_character_file(full));
    fs::create_symlink("null", dir / "link");
    QVERIFY(writeFile(dir / "link", "gone").empty());
    QVERIFY(fs::is_character_file(null) && fs::is_symlink(dir / "link"));
  }

  void aPipeIsWrittenInto() {
    const OwnFolder dir;
    QCOMPARE(mkfifo((dir / "pipe").c_str(), 0600), 0);
    const Diagnostics none = writeFile(dir / "pipe", "x", {.waitsForReader = false});
    QVERIFY2(said(none).contains("nobody reads"), qPrintable(said(none)));
    std::string got;
    std::thread reader([&] { got = contentOf(dir / "pipe"); });
    const std::string large(1 << 20, 'x');
    const Diagnostics d = writeFile(dir / "pipe", large);
    reader.join();
    QVERIFY2(d.empty(), qPrintable(said(d)));
    QVERIFY(got == large);
    QVERIFY(fs::is_fifo(dir / "pipe"));
  }

  void whatIsOpenAlreadyIsWrittenTo() {
    const OwnFolder dir;
    int ends[2];
    QCOMPARE(pipe(ends), 0);
    QVERIFY(writeFile("/dev/fd/" + std::to_string(ends[1]), "through the shell").empty());
    char got[64] = {};
    QCOMPARE(read(ends[0], got, sizeof got), ssize_t(17));
    QCOMPARE(std::string(got), std::string("through the shell"));
    close(ends[0]), close(ends[1]);
    // Redirected to a file, it goes on where the file has been written to, and the file stays the same one.
    const int file = open((dir / "out").c_str(), O_CREAT | O_WRONLY, 0600);
    QCOMPARE(write(file, "first ", 6), ssize_t(6));
    fs::create_symlink("/dev/fd/" + std::to_string(file), dir / "link");
    QVERIFY(writeFile(dir / "link", "second").empty());
    QCOMPARE(write(file, " third", 6), ssize_t(6));
    close(file);
    QCOMPARE(contentOf(dir / "out"), std::string("first second third"));
    QVERIFY(!writeFile("/dev/fd/987", "x").empty());
  }

  void theLongestNamesWork() {
    const OwnFolder dir;
    const std::string longest(255, 'n');
    QVERIFY(writeFile(dir / longest, "x").empty());
    QCOMPARE(contentOf(dir / longest), std::string("x"));
    QVERIFY(writeFile(dir / longest, "y").empty());
    const Diagnostics d = writeFile(dir / (longest + 'n'), "x");
    QVERIFY2(said(d).contains("File name too long; choose a shorter name"), qPrintable(said(d)));
    QVERIFY(writeFile(dir / "caf\xe9.json", "x").empty());  // no UTF-8
    QCOMPARE(dir.entries(), 2);
  }

  void aFailureLeavesTheOldFileAndNothingElse() {
    const OwnFolder dir;
    store(dir / "a", "old");
    {
      const SizeLimit limit(10'000);
      for (const std::size_t size : {11'000, 100'000, 1'000'000}) {
        const Diagnostics d = writeFile(dir / "a", std::string(size, 'x'));
        QVERIFY2(said(d).contains("a: error: the file cannot be written: File too large"),
                 qPrintable(said(d)));
      }
      QVERIFY(!writeFile(dir / "new", std::string(11'000, 'x')).empty());
    }
    QCOMPARE(contentOf(dir / "a"), std::string("old"));
    QCOMPARE(dir.entries(), 1);
    { FileWriter(dir / "a").write("not committed"); }
    QCOMPARE(contentOf(dir / "a"), std::string("old"));
    QCOMPARE(dir.entries(), 1);
  }

  void impossiblePlacesAreRefusedInWords() {
    const OwnFolder dir;
    store(dir / "file", "x");
    const auto refuses = [&](const std::string& path, const char* words) {
      const Diagnostics d = writeFile(path, "x");
      QVERIFY2(d.size() == 1 && said(d).contains(words), qPrintable(said(d)));
    };
    refuses(dir / "absent/a", "create the folder first");
    refuses(dir / "file/a", "create the folder first");
    refuses(dir.path(), "this is a folder, not a file");
    refuses(dir / "new/", "folder");
    refuses("", "No such file");
    refuses(std::string("a\0b", 3), "No such file");
  }

  void aFileThatMayNotBeWrittenIsNotReplaced() {
    const OwnFolder dir;
    store(dir / "a", "old");
    QCOMPARE(chmod(dir.path().c_str(), 0777), 0);
    QCOMPARE(chmod((dir / "a").c_str(), 0444), 0);
    {
      const AsAnybody anybody;
      QVERIFY(said(writeFile(dir / "a", "new")).contains("Permission denied; check the permissions"));
    }
    QCOMPARE(contentOf(dir / "a"), std::string("old"));
    QCOMPARE(chmod(dir.path().c_str(), 0755), 0);
    QCOMPARE(chmod((dir / "a").c_str(), 0666), 0);
    if (geteuid() == 0) {  // a file of one's own in a folder of somebody else's
      const AsAnybody anybody;
      QVERIFY(said(writeFile(dir / "a", "new")).contains("Permission denied"));
    }
    QCOMPARE(dir.entries(), 1);
  }

  void privateFilesAreTheirOwnersAlone() {
    const OwnFolder dir;
    store(dir / "a", "old");
    QCOMPARE(chmod((dir / "a").c_str(), 0644), 0);
    for (const char* name : {"a", "b"}) {
      QVERIFY(writeFile(dir / name, "x", {.isPrivate = true}).empty());
      QCOMPARE(modeOf(dir / name), mode_t(0600));
    }
    QVERIFY(makePrivateFolder(dir / "x/y").empty());
    QCOMPARE(modeOf(dir / "x/y"), mode_t(0700));
    fs::create_directory(dir / "z");
    QVERIFY(makePrivateFolder(dir / "z").empty());
    QCOMPARE(modeOf(dir / "z"), mode_t(0700));
    QVERIFY(!makePrivateFolder(dir / "a/b").empty());
  }

  void draftsWithANameBehaveAlike() {
    const OwnFolder dir;
    store(dir / "a", "old");
    QCOMPARE(chmod((dir / "a").c_str(), 0640), 0);
    struct stat old {};
    QCOMPARE(stat((dir / "a").c_str(), &old), 0);
    {
      Draft given, dropped;
      QCOMPARE(given.open(dir / "a", &old, false, Draft::Kind::Named), 0);
      QCOMPARE(dropped.open(dir / "a", &old, false, Draft::Kind::Named), 0);
      QCOMPARE(dir.entries(), 3);
      QCOMPARE(writeAll(given.number(), "new"), 0);
      QCOMPARE(contentOf(dir / "a"), std::string("old"));
      QCOMPARE(given.putInPlace(), 0);
    }
    QCOMPARE(contentOf(dir / "a"), std::string("new"));
    QCOMPARE(modeOf(dir / "a"), mode_t(0640));
    QCOMPARE(dir.entries(), 1);
  }

  void aFileGrowsByWholeRecords() {
    const OwnFolder dir;
    auto file = AppendingFile::open(dir / "a");
    QVERIFY2(file, qPrintable(said(file.diagnostics)));
    QVERIFY(file->append("one\n").empty());
    {
      const SizeLimit limit(10);
      const Diagnostics d = file->append("a long record\n");
      QVERIFY2(said(d).contains("cannot be written"), qPrintable(said(d)));
    }
    QCOMPARE(contentOf(dir / "a"), std::string("one\n"));
    QVERIFY(file->append("two\n").empty());
    QCOMPARE(contentOf(dir / "a"), std::string("one\ntwo\n"));
    QVERIFY(file->cutTo(4).empty());
    QVERIFY(file->append("three\n").empty());
    QVERIFY(file->bringToDisk().empty());
    QCOMPARE(contentOf(dir / "a"), std::string("one\nthree\n"));
    QCOMPARE(file->size(), std::uint64_t(10));

    QVERIFY(said(AppendingFile::open(dir / "a").diagnostics).contains("another program"));
    file.value.reset();
    const auto again = AppendingFile::open(dir / "a");
    QVERIFY(again);
    QCOMPARE(again->size(), std::uint64_t(10));
    QVERIFY(!AppendingFile::open("/dev/null"));
    QVERIFY(!AppendingFile::open(dir / "absent/a"));
  }
};
NEST_TEST(TestFileWriter)
#include "test_file_writer.moc"
