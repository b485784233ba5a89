#include <QDir>
#include <QtTest/QTest>
#include <cmath>

#include "formats/models/hf_config.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {
std::string modelIn(const char* name) {
  return test::readFile(std::string(NEST_SOURCE_DIR) + "/samples/models/" + name + ".json");
}
bool hasCode(const Diagnostics& all, const std::string& code) {
  return std::any_of(all.begin(), all.end(), [&](const Diagnostic& d) { return d.code == code; });
}
}  // namespace

class TestHfConfig : public QObject {
  Q_OBJECT
private slots:
  void parametersEqualThePublishedCounts_data() {
    QTest::addColumn<double>("published");
    QTest::addColumn<QString>("text");
    const auto file = [](const char* name, double n) {
      QTest::newRow(name) << n << QString::fromStdString(modelIn(name));
    };
    file("llama-2-7b", 6738415616);
    file("llama-2-70b", 68976648192);
    file("llama-3-8b", 8030261248);
    file("llama-3-70b", 70553706496);
    file("llama-3.1-405b", 405853388800);
    file("mixtral-8x7b", 46702792704);
    file("mixtral-8x22b", 140630071296);
    file("mistral-7b", 7241732096);
    file("gpt2", 124439808);
    file("gpt-neox-20b", 20554567680);
    file("qwen2-7b", 7615616512);
    file("qwen3-30b-a3b", 30532122624);
    file("bert-large", 335141888);
    const auto inlined = [](const char* name, double n, const char* t) {
      QTest::newRow(name) << n << QString(t);
    };
    inlined("defaults of llama", 6738415616, R"({"text_config":{"model_type":"llama"}})");
    inlined("defaults of gpt2", 124439808, R"({"text_config":{"model_type":"gpt2"}})");
    inlined("bert-base", 109482240, R"({"text_config":{"model_type":"bert"}})");
    inlined("opt-125m", 125239296, R"({"text_config":{"model_type":"opt"}})");
    inlined(
        "opt-350m", 331196416,
        R"({"model_type":"opt","hidden_size":1024,"ffn_dim":4096,"num_hidden_layers":24,"vocab_size":50272,
      "num_attention_heads":16,"word_embed_proj_dim":512,"do_layer_norm_before":false})");
    inlined("qwen1.5-moe-a2.7b", 14315784192, R"({"text_config":{"model_type":"qwen2_moe"}})");
    inlined("qwen3-0.6b", 596049920, R"({"model_type":"qwen3","hidden_size":1024,"intermediate_size":3072,
      "num_hidden_layers":28,"num_attention_heads":16,"num_key_value_heads":8,"vocab_size":151936,
      "tie_word_embeddings":true})");
    inlined("qwen2-0.5b", 494032768, R"({"model_type":"qwen2","hidden_size":896,"intermediate_size":4864,
      "num_hidden_layers":24,"num_attention_heads":14,"num_key_value_heads":2,"vocab_size":151936,
      "tie_word_embeddings":true})");
    inlined("deepseek-v2-lite", 15706484224,
            R"({"model_type":"deepseek_v2","hidden_size":2048,"vocab_size":102400,
      "intermediate_size":10944,"num_hidden_layers":27,"num_attention_heads":16,"q_lora_rank":null,
      "moe_intermediate_size":1408,"n_routed_experts":64,"n_shared_experts":2,"num_experts_per_tok":6,
      "first_k_dense_replace":1})");
  }
  void parametersEqualThePublishedCounts() {
    QFETCH(double, published);
    QFETCH(QString, text);
    const auto a = readHuggingFaceConfig(text.toStdString(), "config.json");
    QVERIFY(a);
    QCOMPARE(parameterCount(*a), published);
  }
  void deepSeekV3CountsWithinAThousandth() {
    const auto a = readHuggingFaceConfig(modelIn("deepseek-v3"), "config.json");
    QVERIFY(a);
    QVERIFY(std::abs(parameterCount(*a) / 671026419200.0 - 1) <
            1e-5);  // the router's bias is a buffer, not a weight
    QVERIFY(std::abs(activeParameterCount(*a) / 37.5e9 - 1) < 0.02);
    QVERIFY(hasCode(a.diagnostics, "config-extra-layers"));
    QVERIFY(!a->hasExperts(2) && a->hasExperts(3));
  }
  void gpt3IsItsPublishedSize() {
    const auto a = readHuggingFaceConfig(modelIn("gpt3-175b"), "config.json");
    QVERIFY(a);
    QVERIFY(std::abs(parameterCount(*a) / 174.6e9 - 1) < 1e-3);
    // Korthikanti's formula for model FLOPs, table of positions aside.
    const double h = 12288, L = 96, s = 2048, V = 50257;
    const double formula = 72 * s * L * h * h * (1 + s / (6 * h) + V / (12 * h * L));
    QVERIFY(std::abs(modelFlops(*a, 2048, 1).value() / formula - 1) < 1e-9);
  }
  void shapesFollowTheFile() {
    const auto a = readHuggingFaceConfig(modelIn("mistral-7b"), "config.json");
    QVERIFY(a);
    QCOMPARE(a->slidingWindow, 4096);
    QCOMPARE(a->keyValueHeads, 8);
    QCOMPARE(a->name, std::string("Mistral-7B"));
    QVERIFY(a.diagnostics.empty());
    const auto q = readHuggingFaceConfig(
        R"({"text_config":{"model_type":"qwen3_moe","num_hidden_layers":6,"decoder_sparse_step":2,
      "mlp_only_layers":[3]}})",
        "c");
    QVERIFY(q);
    const std::vector<bool> expected = {false, true, false, false, false, true};
    for (int i = 0; i < 6; ++i) QCOMPARE(q->hasExperts(i), bool(expected[std::size_t(i)]));
    QVERIFY(hasCode(q.diagnostics, "config-default"));
    const auto byClass =
        readHuggingFaceConfig(R"({"text_config":{"architectures":["Qwen2MoeForCausalLM"]}})", "c");
    QVERIFY(byClass);
    QCOMPARE(byClass->family, std::string("qwen2_moe"));
    QVERIFY(activeParameterCount(*byClass) < 0.2 * parameterCount(*byClass));
  }
  void everySampleOpens() {
    const QDir dir(QString(NEST_SOURCE_DIR) + "/samples/models");
    const auto files = dir.entryList({"*.json"});
    QVERIFY(files.size() >= 15);
    for (const auto& f : files) {
      const auto a = readHuggingFaceConfig(test::readFile(dir.filePath(f).toStdString()), f.toStdString());
      QVERIFY2(a, qPrintable(f));
    }
  }
  void badConfigs_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("code");
    QTest::addColumn<int>("line");
    QTest::newRow("no type") << "{\"hidden_size\": 8}"
                             << "config-model-type" << 1;
    QTest::newRow("unknown type") << "{\n\"model_type\": \"rwkv\"}"
                                  << "config-model-type" << 2;
    QTest::newRow("type of wrong kind") << "{\n\"model_type\": 3}"
                                        << "json-type" << 2;
    QTest::newRow("array") << "[1]"
                           << "config-not-object" << 1;
    QTest::newRow("infinite") << "{\"model_type\":\"llama\",\n\"hidden_size\": 1e999}"
                              << "json-number-range" << 2;
    QTest::newRow("negative") << "{\"model_type\":\"llama\",\n\n\"hidden_size\": -4096}"
                              << "json-range" << 3;
    QTest::newRow("zero layers") << "{\"model_type\":\"llama\",\n\"num_hidden_layers\": 0}"
                                 << "json-range" << 2;
    QTest::newRow("absurd") << "{\"model_type\":\"llama\",\n\"vocab_size\": 1e30}"
                            << "json-range" << 2;
    QTest::newRow("fraction") << "{\"model_type\":\"gpt2\",\n\"n_layer\": 1.5}"
                              << "json-range" << 2;
    QTest::newRow("text") << "{\"model_type\":\"gpt2\",\n\"n_layer\": \"12\"}"
                          << "json-type" << 2;
    QTest::newRow("heads") << "{\"text_config\":{\"model_type\":\"gpt2\",\n\"n_head\": 7}}"
                           << "config-heads" << 2;
    QTest::newRow("groups") << "{\"text_config\":{\"model_type\":\"llama\",\n\"num_key_value_heads\": 5}}"
                            << "config-key-value-heads" << 2;
    QTest::newRow("experts") << "{\"text_config\":{\"model_type\":\"mixtral\",\n\"num_experts_per_tok\": 9}}"
                             << "config-experts-per-token" << 2;
    QTest::newRow("twice") << "{\"model_type\":\"llama\",\n\"model_type\":\"opt\"}"
                           << "json-duplicate-key" << 2;
    QTest::newRow("layers list")
        << "{\"text_config\":{\"model_type\":\"qwen3_moe\",\n\"mlp_only_layers\":[99]}}"
        << "json-range" << 2;
    QTest::newRow("v2 without top-k") << "{\"model_type\":\"deepseek_v2\"}"
                                      << "config-size-missing" << 1;
  }
  void badConfigs() {
    QFETCH(QString, text);
    QFETCH(QString, code);
    QFETCH(int, line);
    const auto a = readHuggingFaceConfig(text.toStdString(), "config.json");
    QVERIFY(!a);
    QVERIFY(hasErrors(a.diagnostics));
    const auto first = std::find_if(a.diagnostics.begin(), a.diagnostics.end(),
                                    [](const Diagnostic& d) { return d.severity == Severity::Error; });
    QCOMPARE(QString::fromStdString(first->code), code);
    QCOMPARE(first->where.line, line);
    QCOMPARE(first->where.file, std::string("config.json"));
  }
  void severalErrorsComeTogether() {
    const auto a = readHuggingFaceConfig(
        R"({"model_type":"llama","hidden_size":-1,"vocab_size":"x","tie_word_embeddings":3,"num_hidden_layers":2,
           "num_attention_heads":1,"intermediate_size":8})",
        "c");
    QVERIFY(!a);
    QCOMPARE(a.diagnostics.size(), std::size_t(3));
  }
};
NEST_TEST(TestHfConfig)
#include "test_hf_config.moc"
