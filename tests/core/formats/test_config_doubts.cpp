#include <QtTest/QTest>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "formats/models/hf_config.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;
using nlohmann::json;

namespace {

json llamaWith(const json& more) {
  json j = {{"model_type", "llama"},          {"hidden_size", 512},       {"intermediate_size", 1376},
            {"num_hidden_layers", 4},         {"num_attention_heads", 8}, {"vocab_size", 32000},
            {"max_position_embeddings", 4096}};
  j.update(more);
  return j;
}
json jambaWith(const json& more) {
  json j = {{"model_type", "jamba"},
            {"hidden_size", 512},
            {"intermediate_size", 1376},
            {"num_hidden_layers", 16},
            {"num_attention_heads", 8},
            {"num_key_value_heads", 8},
            {"vocab_size", 32000},
            {"num_experts", 16},
            {"num_experts_per_tok", 2},
            {"mamba_d_state", 16},
            {"mamba_d_conv", 4},
            {"mamba_expand", 2},
            {"attn_layer_period", 8},
            {"attn_layer_offset", 4},
            {"expert_layer_period", 2},
            {"expert_layer_offset", 1},
            {"max_position_embeddings", 4096}};
  j.update(more);
  return j;
}
json qwenNextWith(const json& types) {
  return {{"model_type", "qwen3_next"},
          {"hidden_size", 2048},
          {"num_hidden_layers", 4},
          {"num_attention_heads", 16},
          {"num_key_value_heads", 2},
          {"head_dim", 256},
          {"intermediate_size", 5120},
          {"moe_intermediate_size", 512},
          {"num_experts", 16},
          {"num_experts_per_tok", 2},
          {"vocab_size", 151936},
          {"shared_expert_intermediate_size", 512},
          {"linear_conv_kernel_dim", 4},
          {"linear_key_head_dim", 128},
          {"linear_num_key_heads", 16},
          {"linear_num_value_heads", 32},
          {"linear_value_head_dim", 128},
          {"max_position_embeddings", 8192},
          {"full_attention_interval", 4},
          {"layer_types", types}};
}

Reading<TransformerArchitecture> readConfig(const json& j) {
  return readHuggingFaceConfig(j.dump(), "config.json");
}
const Diagnostic* codeIn(const Reading<TransformerArchitecture>& r, const std::string& code) {
  const auto it = std::find_if(r.diagnostics.begin(), r.diagnostics.end(),
                               [&](const Diagnostic& d) { return d.code == code; });
  return it == r.diagnostics.end() ? nullptr : &*it;
}
bool tells(const Diagnostic* d, const std::string& part) {
  return d && d->severity == Severity::Warning && d->message.find(part) != std::string::npos;
}

}  // namespace

/// Configurations whose keys contradict one another, or that describe layers they do not have.
class TestConfigDoubts : public QObject {
  Q_OBJECT
private slots:
  void namesOfOneSizeAgree_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("alias");
    QTest::addColumn<int>("value");
    const auto row = [](const char* key, const char* alias, int value) {
      QTest::newRow(alias) << key << alias << value;
    };
    row("hidden_size", "n_embd", 512);
    row("hidden_size", "d_model", 512);
    row("num_hidden_layers", "num_layers", 4);
    row("num_hidden_layers", "n_layer", 4);
    row("num_attention_heads", "n_head", 8);
    row("intermediate_size", "n_inner", 1376);
    row("vocab_size", "n_vocab", 32000);
    row("max_position_embeddings", "n_positions", 4096);
  }
  void namesOfOneSizeAgree() {
    QFETCH(QString, key);
    QFETCH(QString, alias);
    QFETCH(int, value);
    const auto with = [&](int other) { return readConfig(llamaWith({{alias.toStdString(), other}})); };
    QVERIFY(!codeIn(with(value), "config-contradiction"));
    const auto odd = with(2 * value);
    const Diagnostic* told = codeIn(odd, "config-contradiction");
    QVERIFY(odd && tells(told, '"' + key.toStdString() + "\" is " + std::to_string(value)));
    QVERIFY(tells(told, '"' + alias.toStdString() + "\" is " + std::to_string(2 * value)));
  }
  void namesOfExpertsAgree() {
    json j = llamaWith({{"model_type", "mixtral"}, {"num_local_experts", 8}, {"num_experts_per_tok", 2}});
    QVERIFY(!codeIn(readConfig(j), "config-contradiction"));
    j["num_experts"] = 16;
    QVERIFY(tells(codeIn(readConfig(j), "config-contradiction"), "\"num_experts\" is 16"));
    j["num_experts"] = 8, j["experts_per_token"] = 4;
    QVERIFY(tells(codeIn(readConfig(j), "config-contradiction"), "\"experts_per_token\" is 4"));
  }
  /// A decoder may have other layers than its encoder, which num_hidden_layers repeats.
  void aDecoderMayHaveOtherLayers() {
    const auto r = readConfig({{"model_type", "whisper"},
                               {"d_model", 512},
                               {"encoder_layers", 6},
                               {"decoder_layers", 2},
                               {"num_hidden_layers", 6},
                               {"encoder_attention_heads", 8},
                               {"decoder_attention_heads", 8},
                               {"encoder_ffn_dim", 2048},
                               {"decoder_ffn_dim", 2048},
                               {"vocab_size", 51865}});
    QVERIFY(r && !codeIn(r, "config-contradiction"));
  }
  void layersThatTheFileDescribesExist() {
    const auto jamba = [](const json& more) { return readConfig(jambaWith(more)); };
    QVERIFY(!codeIn(jamba(json::object()), "config-no-such-layer"));
    QVERIFY(tells(codeIn(jamba({{"attn_layer_offset", 8}}), "config-no-such-layer"), "attention"));
    QVERIFY(tells(codeIn(jamba({{"expert_layer_offset", 7}}), "config-no-such-layer"), "experts"));
    QVERIFY(tells(codeIn(jamba({{"attn_layer_period", 1}, {"attn_layer_offset", 0}}), "config-no-such-layer"),
                  "a state space"));
    json deepseek =
        json::parse(test::readFile(std::string(NEST_SOURCE_DIR) + "/samples/models/deepseek-v3.json"));
    QVERIFY(!codeIn(readConfig(deepseek), "config-no-such-layer"));
    deepseek["first_k_dense_replace"] = 70;
    QVERIFY(tells(codeIn(readConfig(deepseek), "config-no-such-layer"), "experts"));
  }
  /// The refusal said that the family had no linear attention.
  void listedTypesMayLeaveLinearAttentionOut() {
    const json full = "full_attention", linear = "linear_attention";
    const auto all = readConfig(qwenNextWith({full, full, full, full}));
    QVERIFY(all);
    QVERIFY(tells(codeIn(all, "config-no-such-layer"), "linear attention"));
    QVERIFY(!codeIn(readConfig(qwenNextWith({linear, linear, linear, full})), "config-no-such-layer"));
    QVERIFY(tells(codeIn(readConfig(qwenNextWith({linear, linear, linear, linear})), "config-no-such-layer"),
                  "attention"));
  }
  void widthsOfAStateSpaceAgree() {
    const auto mamba = [](int heads) {
      return readConfig({{"model_type", "mamba2"},
                         {"hidden_size", 512},
                         {"num_hidden_layers", 4},
                         {"state_size", 128},
                         {"expand", 2},
                         {"num_heads", heads},
                         {"head_dim", 64},
                         {"vocab_size", 32768}});
    };
    QVERIFY(mamba(16) && !codeIn(mamba(16), "config-contradiction"));
    QVERIFY(tells(codeIn(mamba(20), "config-contradiction"), "1280 wide"));
  }
  void classAndTypeAgree() {
    const auto with = [](const char* name) { return readConfig(llamaWith({{"architectures", {name}}})); };
    QVERIFY(with("LlamaForCausalLM").value && !codeIn(with("LlamaForCausalLM"), "config-model-type"));
    QVERIFY(!codeIn(with("MyOwnForCausalLM"), "config-model-type"));
    const auto other = with("MixtralForCausalLM");
    QVERIFY(other && tells(codeIn(other, "config-model-type"), "mixtral"));
    QVERIFY(tells(codeIn(other, "config-model-type"), "\"llama\""));
  }
  void classesWithoutAHeadAreTold() {
    const auto isTold = [](const json& j) {
      return tells(codeIn(readConfig(j), "config-head"), "output layer");
    };
    for (const char* name : {"LlamaForSequenceClassification", "LlamaForTokenClassification", "LlamaModel",
                             "LlamaForQuestionAnswering"})
      QVERIFY2(isTold(llamaWith({{"architectures", {name}}})), name);
    QVERIFY(!isTold(llamaWith({{"architectures", {"LlamaForCausalLM"}}})));
    QVERIFY(!isTold(llamaWith({{"model_type", "gpt2"}, {"architectures", {"GPT2LMHeadModel"}}})));
  }
  void prunedHeadsAreTold() {
    QVERIFY(tells(codeIn(readConfig(llamaWith({{"pruned_heads", {{"3", {0, 1}}}}})), "config-not-modelled"),
                  "pruned"));
    QVERIFY(!codeIn(readConfig(llamaWith({{"pruned_heads", json::object()}})), "config-not-modelled"));
  }
  /// A window alone was not used, and a window with a list of types was.
  void aWindowThatTheFamilyLacksIsNotUsed() {
    const auto alone = readConfig(llamaWith({{"sliding_window", 128}}));
    QVERIFY(alone && alone->slidingWindow == 0);
    const json s = "sliding_attention";
    const auto listed = readConfig(llamaWith({{"sliding_window", 128}, {"layer_types", {s, s, s, s}}}));
    QVERIFY(listed && listed->slidingWindow == 0 && listed->variants.empty());
    QVERIFY(tells(codeIn(listed, "config-not-modelled"), "llama"));
    const auto mistral = readConfig(
        llamaWith({{"model_type", "mistral"}, {"sliding_window", 128}, {"layer_types", {s, s, s, s}}}));
    QVERIFY(mistral && mistral->slidingWindow == 128);
  }
};
NEST_TEST(TestConfigDoubts)
#include "test_config_doubts.moc"
