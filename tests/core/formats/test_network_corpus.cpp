#include <QtTest/QTest>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "formats/networks/astra_sim.h"
#include "formats/networks/dot.h"
#include "formats/networks/graphml.h"
#include "formats/networks/nccl_xml.h"
#include "formats/networks/nvidia_topo.h"
#include "formats/networks/simgrid.h"
#include "formats/networks/slurm_topology.h"
#include "support/test_main.h"

using namespace nest;
namespace fs = std::filesystem;

namespace {

using Reader = std::function<std::pair<bool, Diagnostics>(std::string_view)>;

template <class T>
Reader reader(Reading<T> (*read)(std::string_view, const std::string&)) {
  return [read](std::string_view text) {
    auto r = read(text, "f");
    return std::pair(bool(r), std::move(r.diagnostics));
  };
}

const std::vector<std::pair<std::string, Reader>>& readers() {
  static const std::vector<std::pair<std::string, Reader>> all = {
      {"slurm_conf", reader(readSlurmTopologyConf)},
      {"slurm_yaml", reader(readSlurmTopologyYaml)},
      {"nvidia_topo",
       [](std::string_view text) {
         auto r = readNvidiaTopo(text, "f");
         return std::pair(bool(r), std::move(r.diagnostics));
       }},
      {"nccl_xml", reader(readNcclXml)},
      {"astra_sim", reader(readAstraSim)},
      {"simgrid", reader(readSimGrid)},
      {"graphml", reader(readGraphMl)},
      {"dot", reader(readDot)},
  };
  return all;
}

/// One line per diagnostic: "error slurm-cycle 3:1".
std::string inBrief(const Diagnostics& all) {
  std::string out;
  for (const Diagnostic& d : all) {
    out += d.severity == Severity::Error ? "error " : d.severity == Severity::Warning ? "warning " : "note ";
    out += d.code + ' ' + std::to_string(d.where.line) + ':' + std::to_string(d.where.column) + '\n';
  }
  return out;
}

}  // namespace

/// tests/data/FORMAT/*: each file beside NAME.expected, its diagnostics in brief (none: the file must not
/// exist). NEST_WRITE_EXPECTED=1 writes them anew, to be read before they are committed.
class TestNetworkCorpus : public QObject {
  Q_OBJECT
private slots:
  void corpus_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<int>("format");
    for (std::size_t i = 0; i < readers().size(); ++i) {
      std::vector<fs::path> files;
      for (const auto& entry : fs::directory_iterator(fs::path(NEST_TEST_DATA) / readers()[i].first))
        if (entry.path().extension() != ".expected") files.push_back(entry.path());
      std::sort(files.begin(), files.end());
      for (const auto& f : files)
        QTest::newRow((readers()[i].first + '/' + f.filename().string()).c_str())
            << QString::fromStdString(f.string()) << int(i);
    }
  }
  void corpus() {
    QFETCH(QString, path);
    QFETCH(int, format);
    const fs::path file(path.toStdString()), expectation(file.string() + ".expected");
    const auto [usable, diagnostics] =
        readers()[std::size_t(format)].second(nest::test::readFile(file.string()));
    const std::string brief = inBrief(diagnostics);
    QCOMPARE(usable, !hasErrors(diagnostics));
    QCOMPARE(usable, file.filename().string().rfind("bad_", 0) != 0);
    for (const Diagnostic& d : diagnostics) {
      QVERIFY(!d.message.empty());
      QVERIFY2(d.message.back() != '.', d.message.c_str());
      QCOMPARE(d.where.file, std::string("f"));
    }
    if (std::getenv("NEST_WRITE_EXPECTED")) {
      if (brief.empty())
        fs::remove(expectation);
      else
        std::ofstream(expectation, std::ios::binary) << brief;
      return;
    }
    QCOMPARE(brief, fs::exists(expectation) ? nest::test::readFile(expectation.string()) : std::string());
  }

  void everyReaderRefusesWhatIsNoneOfItsOwn_data() {
    QTest::addColumn<int>("format");
    for (std::size_t i = 0; i < readers().size(); ++i) QTest::newRow(readers()[i].first.c_str()) << int(i);
  }
  void everyReaderRefusesWhatIsNoneOfItsOwn() {
    QFETCH(int, format);
    const auto& read = readers()[std::size_t(format)].second;
    for (const std::string& text : {std::string(), std::string("\0\0\0", 3), std::string("\xff\xfe\x00\x01"),
                                    std::string("hello"), std::string(100000, '['), std::string(100000, '<'),
                                    std::string(100000, '{'), std::string(70u << 20, ' ')}) {
      const auto [usable, diagnostics] = read(text);
      QVERIFY(!usable);
      QVERIFY(hasErrors(diagnostics));
      QVERIFY(diagnostics.size() <= 101);
    }
  }
};
NEST_TEST(TestNetworkCorpus)
#include "test_network_corpus.moc"
