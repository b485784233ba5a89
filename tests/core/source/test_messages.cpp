#include <QtTest/QTest>
#include <filesystem>

#include "support/test_main.h"
#include "test_paths.h"

namespace fs = std::filesystem;

namespace {

/// Whether an argument behind the first one is a text that starts so.
bool startsArgument(const std::string& call, const std::string& beginning) {
  for (auto at = call.find('"' + beginning); at != std::string::npos;
       at = call.find('"' + beginning, at + 1)) {
    const auto before = call.find_last_not_of(" \n", at - 1);
    if (at > 0 && before != std::string::npos && call[before] == ',') return true;
  }
  return false;
}

}  // namespace

/// A diagnostic is printed as "file:12:3: error: message (remedy)", so both begin in lower case, unless with
/// a name. The window begins them with a capital.
class TestMessages : public QObject {
  Q_OBJECT
private slots:
  void diagnosticsBeginInLowerCase() {
    const char* const beginnings[] = {
        "A ", "An ", "Each ", "Every ", "It ", "More ", "No ", "One ", "Some ", "That ", "The ", "There ",
        "These ", "This ", "Those ", "Times ", "Which ",
        // remedies
        "Choose ", "Close ", "Did ", "Give ", "Keep ", "Leave ", "Remove ", "Set ", "Use ", "Values "};
    int messages = 0;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(NEST_SOURCE_DIR) / "core")) {
      if (entry.path().extension() != ".cpp") continue;
      const std::string text = nest::test::readFile(entry.path().string());
      for (const char* maker : {"error(\"", "warning(\"", "note(\""}) {
        for (auto at = text.find(maker); at != std::string::npos; at = text.find(maker, at + 1)) {
          const std::string call = text.substr(at, text.find(';', at) - at);
          ++messages;
          for (const char* beginning : beginnings)
            QVERIFY2(!startsArgument(call, beginning), (entry.path().string() + ": " + call).c_str());
        }
      }
    }
    QVERIFY(messages > 150);
  }
};
NEST_TEST(TestMessages)
#include "test_messages.moc"
