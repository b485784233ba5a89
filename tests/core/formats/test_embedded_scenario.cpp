#include <QtTest/QTest>

#include "formats/format.h"
#include "formats/scenario/embedded_scenario.h"
#include "formats/scenario/scenario_json.h"
#include "support/test_main.h"

using namespace nest;

namespace {

const std::string kPng(
    "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\0\0\0\0:~\x9bU\0\0\0\0IEND\xae"
    "B`\x82",
    45);
const std::string kSvg =
    "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\">\n<path/></svg>\n";

std::string pdfWith(const std::string& name, const std::string& text) {
  return "%PDF-1.4\n7 0 obj\n<<\n/Length 9\n>>\nstream\n" + text + "\nendstream\nendobj\n9 0 obj\n<<\n/F (" +
         name + ")\n/EF <</F 7 0 R>>\n/Type/Filespec\n>>\nendobj\n";
}

Reading<Scenario> read(const std::string& text) {
  return readScenario(text, "figure.svg", [](const std::string&) { return Reading<std::string>{}; });
}

}  // namespace

/// Scenarios inside figures and reports.
class TestEmbeddedScenario : public QObject {
  Q_OBJECT

private slots:
  void whatIsPutInComesOut() {
    std::string text = "{\"name\": \"a;b\\u0000\"}";
    for (int byte = 0; byte < 256; ++byte) {
      text += static_cast<char>(byte);
      for (const std::string& file : {kPng, kSvg}) {
        const std::string with = withEmbedded(file, {text, "stages"});
        const EmbeddedScenario out = embeddedIn(with);
        QVERIFY(out.text == text && out.view == "stages");
        QVERIFY(mayHoldScenario(with) && !mayHoldScenario(file));
      }
    }
    QVERIFY(embeddedIn(kPng).text.empty() && embeddedIn(kSvg).text.empty());
    QCOMPARE(withEmbedded("plain", {text, "stages"}), std::string("plain"));
    QCOMPARE(embeddedIn(withEmbedded(kSvg, {text, ""})).view, std::string());
  }
  void aPdfHasItAttached() {
    const EmbeddedScenario e{"{}", "memory"};
    const EmbeddedScenario out = embeddedIn(pdfWith(attachmentName(e), e.text));
    QVERIFY(out.text == e.text && out.view == e.view);
    QCOMPARE(embeddedIn(pdfWith(attachmentName({"{}", ""}), "{}")).view, std::string());
    QVERIFY(embeddedIn(pdfWith("other.json", "{}")).text.empty());
  }
  /// Whatever was done to a file, nothing but a scenario or an error comes of it.
  void damagedFilesAreRefused() {
    const std::string whole[] = {withEmbedded(kPng, {"{\"a\": 1}", "x"}),
                                 withEmbedded(kSvg, {"{\"a\": 1}", "x"}),
                                 pdfWith("x.nest.json", "{\"a\": 1}")};
    for (const std::string& file : whole) {
      for (std::size_t n = 0; n < file.size(); ++n) {
        (void)embeddedIn(file.substr(0, n));
        std::string changed = file;
        changed[n] = static_cast<char>(changed[n] ^ 0x15);
        (void)read(changed);
      }
      QCOMPARE(recognise(file, "figure"), findFormat("scenario"));
    }
    const auto none = read("%PDF-1.4\nnothing");
    QVERIFY(!none);
    QCOMPARE(none.diagnostics.front().code, std::string("figure-without-scenario"));
    // Inside one there is not another.
    const auto twice = read(withEmbedded(kSvg, {withEmbedded(kSvg, {"{}", "x"}), "x"}));
    QVERIFY(!twice);
    QCOMPARE(twice.diagnostics.front().code, std::string("figure-without-scenario"));
  }
};

NEST_TEST(TestEmbeddedScenario)
#include "test_embedded_scenario.moc"
