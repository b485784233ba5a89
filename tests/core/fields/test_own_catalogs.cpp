#include <QtTest/QTest>

#include "cluster/devices/device_catalog.h"
#include "cluster/devices/device_facts.h"
#include "cluster/devices/device_names.h"
#include "cluster/devices/number_format.h"
#include "fields/field.h"
#include "fields/own_catalogs.h"
#include "fields/program_setting.h"
#include "program/container.h"
#include "program/prediction_interval.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

/// Devices, number formats and programs come from a file of the user's. They are added once a process, so all
/// is in one class.
class TestOwnCatalogs : public QObject {
  Q_OBJECT
  Diagnostics m_found;

  const Diagnostic* found(const std::string& file, const std::string& code) const {
    for (const Diagnostic& d : m_found)
      if (d.where.file == file && d.code == code) return &d;
    return nullptr;
  }

private slots:
  void initTestCase() {
    m_found = addOwnCatalogs({
        {"example.json", test::readFile(NEST_SOURCE_DIR "/samples/catalogs/example.json")},
        {"variant.json",
         R"({"devices": [{"id": "h200-nvl-500w", "name": "H200 NVL, 500 W", "like": "h200-nvl",
            "sustained_rate": 0.7, "family": "Hopper", "words": ["grüner", "nvl500"]}]})"},
        {"wrong.json", R"({
 "devices": [
  {"id": "H100 SXM", "like": "h100-sxm", "name": "Mine"},
  {"id": "ä", "name": "B", "like": "h200-nvl-500w", "memory_bytes": "80 apples"},
  {"id": "c", "name": "C", "like": "later"}],
 "number_formats": [{"id": "f", "rate": "fp2", "element_bytes": 2}],
 "programs": [{"id": "p", "name": "P", "containers": [{"image": "nemo", "from": "new", "to": "26.12"}]}]})"},
        {"values.json", R"({"programs": [
 {"id": "q", "name": "Q", "like": "nemo-2024", "values": {
   "/assumptions/overlap/expert": {"value": 5, "origin": "estimated", "source": "s"}}}]})"},
        {"broken.json", "{"},
    });
  }

  void entriesCountLikeTheProgramsOwn() {
    QVERIFY2(!found("example.json", "catalog-taken"), "");
    for (const Diagnostic& d : m_found) QVERIFY2(d.where.file != "example.json", toText(d).c_str());
    const DeviceSpec* device = findDevice("H200-NVL");
    QVERIFY(device && device == findDevice("NVIDIA H200 NVL") &&
            device == deviceCalled("NVIDIA H200 NVL").device);
    QCOMPARE(device->peak.value.value(), 835.5e12);
    QCOMPARE(device->memory, findDevice("h200")->memory);
    QCOMPARE(deviceFamily("h200-nvl"), std::string("Hopper"));

    const auto format = numberFormatNamed("mxfp6");
    QVERIFY(format && specOf(*format).isNarrow());
    QCOMPARE(specOf(*format).operandBytes, 0.78125);

    const Program* program = findProgram("megatron-bridge-2026-10");
    QVERIFY(program);
    QCOMPARE(std::get<std::string>(program->valueOf("/model/analytic/expert_exchange")->value),
             std::string("per-expert"));
    QVERIFY(program->valueOf("/assumptions/overlap/expert")->value ==
            findProgram("megatron-bridge-2026-06")->valueOf("/assumptions/overlap/expert")->value);
    QCOMPARE(programOfContainer("nvcr.io/nvidia/nemo:26.10.01")->program, program->id);
    QCOMPARE(programLineage(program->id), programLineage("megatron-bridge-2026-06"));
    QVERIFY(predictionErrorOf(program->id, "h200-nvl", false).time > 0);
  }
  void entriesMayBeLikeThoseOfOtherFiles() {
    const DeviceSpec* device = findDevice("h200-nvl-500w");
    QVERIFY(device);
    QCOMPARE(device->peak.value.value(), 835.5e12);
    QCOMPARE(device->sustainedRate.value, 0.7);
    QVERIFY(deviceCalled("rack nvl500").device == device);
  }
  void fieldsOfferThem() {
    Setting s;
    setProgram(s, *findProgram("megatron-bridge-2026-10"));
    QCOMPARE(programOf(s).id, std::string("megatron-bridge-2026-10"));
    QVERIFY(changedFromProgram(s).empty());
    const Field* format = findField("/job/format");
    QVERIFY(format &&
            std::find(format->options.begin(), format->options.end(), "mxfp6") != format->options.end());
  }
  void eachErrorHasItsPlace() {
    QCOMPARE(found("wrong.json", "catalog-taken")->where.line, 3);
    const Diagnostic* quantity = found("wrong.json", "quantity");
    QVERIFY(quantity);
    QCOMPARE(quantity->where.line, 4);
    QCOMPARE(quantity->where.column, 69);  // in characters
    QCOMPARE(quantity->where.pointer, std::string("/devices/1/memory_bytes"));
    QCOMPARE(found("wrong.json", "catalog-like")->where.line, 5);
    QCOMPARE(found("wrong.json", "json-choice")->where.line, 6);
    QCOMPARE(found("wrong.json", "program-container")->where.pointer,
             std::string("/programs/0/containers/0/from"));
    const Diagnostic* value = found("values.json", "program-value");
    QVERIFY(value);
    QCOMPARE(value->where.line, 3);
    QCOMPARE(value->where.pointer, std::string("/programs/0/values/~1assumptions~1overlap~1expert"));
    for (const Diagnostic& d : m_found)
      QVERIFY2(!d.remedy.empty() || d.message.size() > 20, toText(d).c_str());
    QVERIFY(hasErrors(m_found) && m_found.back().where.file == "values.json");
  }
  void aFileWithAnErrorAddsNothing() {
    QVERIFY(!findProgram("p") && !numberFormatNamed("f") && !findDevice("ä"));
    for (const DeviceSpec& d : deviceCatalog()) QVERIFY(d.name != "Mine" && d.name != "B");
  }
};

NEST_TEST(TestOwnCatalogs)
#include "test_own_catalogs.moc"
