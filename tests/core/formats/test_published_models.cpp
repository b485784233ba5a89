#include <QtTest/QTest>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "formats/models/hf_config.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

Reading<TransformerArchitecture> configOf(const std::string& name) {
  return readHuggingFaceConfig(test::readFile(NEST_TEST_DATA "/hf-config/" + name + ".json"), "config.json");
}
Reading<TransformerArchitecture> inlined(const char* text) {
  return readHuggingFaceConfig(text, "config.json");
}
bool reports(const Diagnostics& all, const std::string& code) {
  return std::any_of(all.begin(), all.end(), [&](const Diagnostic& d) { return d.code == code; });
}

}  // namespace

/// tests/data/hf-config/*.json: configurations in the shapes in which they are published, and the parameter
/// counts that go with them (tests/data/published_models.txt).
class TestPublishedModels : public QObject {
  Q_OBJECT
private slots:
  void counts_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<double>("published");
    std::istringstream lines(test::readFile(NEST_TEST_DATA "/published_models.txt"));
    std::string line;
    std::size_t rows = 0;
    while (std::getline(lines, line)) {
      if (line.empty() || line[0] == '#') continue;
      const auto blank = line.find(' ');
      QTest::newRow(line.substr(0, blank).c_str())
          << QString::fromStdString(line.substr(0, blank)) << std::stod(line.substr(blank));
      ++rows;
    }
    const std::filesystem::directory_iterator files(NEST_TEST_DATA "/hf-config");
    QCOMPARE(rows, static_cast<std::size_t>(std::count_if(begin(files), end(files), [](const auto& entry) {
               return entry.path().extension() == ".json" &&
                      !entry.path().filename().string().starts_with("bad_");
             })));
  }
  void counts() {
    QFETCH(QString, name);
    QFETCH(double, published);
    const auto a = configOf(name.toStdString());
    QVERIFY(a);
    const double off = parameterCount(*a) / published - 1;
    QVERIFY2(std::abs(off) < 1e-3, qPrintable(QString::number(100 * off) + " % off"));
  }

  void theLanguagePartOfLargerModelsIsRead() {
    const auto a = configOf("mistral-small-3.1");
    QVERIFY(a);
    QVERIFY(reports(a.diagnostics, "config-part"));
    QCOMPARE(a->family, std::string("mistral"));
    QCOMPARE(a->headDim, 128);
    const auto tied = configOf("qwen3-vl-4b-tied-outside");
    QVERIFY(tied && tied->tiedEmbeddings);
    const auto bad = inlined(
        "{\"model_type\":\"llava\",\n\"text_config\":{\"model_type\":\"llama\",\n\"num_hidden_layers\":0}}");
    QVERIFY(!bad);
    QCOMPARE(bad.diagnostics[0].where.line, 3);
    QCOMPARE(bad.diagnostics[0].where.pointer, std::string("/text_config/num_hidden_layers"));
  }
  void anUnknownTypeOfAKnownClassIsReadAsItsClass() {
    const auto a =
        inlined(R"({"text_config":{"model_type":"my_llama","architectures":["LlamaForCausalLM"]}})");
    QVERIFY(a);
    QVERIFY(reports(a.diagnostics, "config-model-type"));
    QVERIFY(!inlined(R"({"model_type":"mamba","architectures":["MambaForCausalLM"],"n_embd":64})"));
    QVERIFY(!inlined(R"({"model_type":"bert-generation","architectures":["BertGenerationEncoder"]})"));
    QVERIFY(inlined(R"({"text_config":{"model_type":"my_bert","architectures":["BertModel"]}})"));
    const auto bare = inlined(R"({"n_embd":768,"n_layer":12,"n_head":12,"vocab_size":50257})");
    QVERIFY(bare);
    QCOMPARE(bare->family, std::string("gpt2"));
  }
  void windowsHoldForTheLayersThatHaveThem() {
    const auto windows = [](const std::string& rest) {
      const auto a = inlined(
          (R"({"text_config":{"model_type":"qwen2","num_hidden_layers":4,"max_position_embeddings":32768,
        "sliding_window":4096,)" +
           rest + "}}")
              .c_str());
      std::string out;
      for (int i = 0; a && i < a->layers; ++i)
        out += std::to_string(a->variants.empty()
                                  ? a->slidingWindow
                                  : a->variants[std::size_t(a->variantOf[std::size_t(i)])].window) +
               ' ';
      return out;
    };
    QCOMPARE(windows(R"("use_sliding_window":false)"), std::string("0 0 0 0 "));
    QCOMPARE(windows(R"("use_sliding_window":true,"max_window_layers":0)"),
             std::string("4096 4096 4096 4096 "));
    QCOMPARE(windows(R"("use_sliding_window":true,"max_window_layers":1)"), std::string("0 4096 4096 4096 "));
    QCOMPARE(
        windows(R"("layer_types":["full_attention","sliding_attention","full_attention","full_attention"])"),
        std::string("0 4096 0 0 "));
    QCOMPARE(
        windows(R"("layer_types":["full_attention","full_attention","full_attention","full_attention"])"),
        std::string("0 0 0 0 "));
    // The list counts, whatever the switches say.
    QCOMPARE(
        windows(
            R"("use_sliding_window":true,"max_window_layers":1,"layer_types":["full_attention","full_attention","sliding_attention","full_attention"])"),
        std::string("0 0 4096 0 "));
  }
};
NEST_TEST(TestPublishedModels)
#include "test_published_models.moc"
