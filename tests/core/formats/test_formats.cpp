#include <QLocale>
#include <QtTest/QTest>
#include <set>

#include "cluster/devices/device_catalog.h"
#include "formats/networks/cluster_text.h"
#include "support/read_format.h"
#include "support/test_main.h"
#include "test_paths.h"
#include "text/json_text.h"

using namespace nest;

namespace {

ClusterSource clusterOf(const char* line) {
  ClusterSource cluster;
  cluster.device = *findDevice("h100-sxm");
  cluster.network = *readClusterText(line);
  return cluster;
}

}  // namespace

class TestFormats : public QObject {
  Q_OBJECT
private slots:
  void eachHasItsOwnKeyAndName() {
    std::set<std::string_view> words;
    for (const Format* f : formats()) {
      QVERIFY2(words.insert(f->key).second && words.insert(f->name).second, f->key.data());
      QVERIFY2(!f->suffixes.empty() && !f->example.empty() && f->claims, f->key.data());
      QCOMPARE(findFormat(f->key), f);
      QVERIFY2(!f->write || f->is<ReadNetwork>(), f->key.data());
    }
    QVERIFY(!findFormat("no-such"));
  }

  // What the program shows as an example is one. What is left out of it is marked.
  void examplesAreWhatTheyShow_data() {
    QTest::addColumn<QString>("key");
    for (const Format* f : formats()) QTest::newRow(f->key.data()) << QString::fromUtf8(f->key);
  }
  void examplesAreWhatTheyShow() {
    QFETCH(QString, key);
    const Format* f = findFormat(key.toStdString());
    QCOMPARE(recognise(f->example), f);
    if (f->example.find("…") != std::string_view::npos) return;
    const auto [usable, diagnostics] = test::readAs(*f, f->example, "f");
    QVERIFY2(usable, diagnostics.empty() ? "" : toText(diagnostics.front()).c_str());
  }
  void networksHaveWholeExamples() {
    for (const Format* f : formats())
      QVERIFY2(!f->isNetwork() || f->example.find("…") == std::string_view::npos, f->key.data());
  }

  // A name decides only where the content does not.
  void contentGoesBeforeNames() {
    for (const Format* f : formats())
      for (const Format* other : formats()) {
        const auto end = other->fileNames.substr(0, other->fileNames.find(' '));
        QCOMPARE(recognise(f->example, "my" + std::string(end)), f);
      }
    QCOMPARE(recognise("hello", "FABRIC.GV"), findFormat("dot"));
  }

  void whatIsWrittenReadsBack() {
    const ClusterSource cluster = clusterOf("host:8@450GB/s,2us rack:4@50GB/s,5us");
    const auto hierarchy = deriveHierarchy(cluster);
    QVERIFY(hierarchy);
    int written = 0;
    for (const Format* f : formats()) {
      if (!f->write) continue;
      const auto text = f->write(cluster, *hierarchy);
      QVERIFY2(text, f->key.data());
      QCOMPARE(recognise(*text), f);
      const auto again = readerOf<ReadNetwork>(f)(*text, "f");
      QVERIFY2(again, f->key.data());
      const auto levels = deriveHierarchy({cluster.device, again->network});
      QVERIFY2(levels && levels->deviceCount() == 32, f->key.data());
      ++written;
    }
    QVERIFY(written >= 4);
  }

  /// The sizes that README.md names are those that are read.
  void theReadmeNamesTheSizes() {
    const QString readme = QString::fromStdString(test::readFile(NEST_SOURCE_DIR "/README.md")).simplified();
    QVERIFY(readme.contains(QStringLiteral("other JSON files up to %1 MiB and %2 values")
                                .arg(JsonLimits{}.bytes >> 20)
                                .arg(QLocale(QLocale::English).toString(qulonglong(JsonLimits{}.values)))));
    for (const auto& [key, most] : {std::pair{"node-link", 32}, {"scenario", 32}, {"hf-config", 4}}) {
      const std::string text =
          "{\"nodes\": \"" + std::string(static_cast<std::size_t>(most) << 20, 'x') + "\"}";
      const auto [usable, diagnostics] = test::readAs(*findFormat(key), text, "f");
      QVERIFY2(!usable, key);
      const std::string limit = std::to_string(most) + " MiB";
      QVERIFY2(diagnostics.front().message.find(limit) != std::string::npos,
               diagnostics.front().message.c_str());
      QVERIFY2(readme.contains(QString::fromStdString("up to " + limit)), key);
    }
  }

  void theReadmeNamesThemAll() {
    const QString readme = QString::fromStdString(test::readFile(NEST_SOURCE_DIR "/README.md")).simplified();
    const auto names = [&](bool (*isIn)(const Format&)) {
      const QString all = QString::fromStdString(namesOfFormats(isIn));
      QVERIFY2(readme.contains(all), qPrintable("README.md has to say: " + all));
    };
    names([](const Format& f) { return f.is<ReadScenario>() || f.is<ReadPlan>(); });
    names([](const Format& f) { return f.is<ReadModel>() || f.is<ReadProfile>(); });
    names([](const Format& f) { return f.isNetwork(); });
    names([](const Format& f) { return f.is<ReadMeasurement>(); });
  }
};
NEST_TEST(TestFormats)
#include "test_formats.moc"
