#include <QtTest/QTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "formats/models/architecture_json.h"
#include "formats/models/hf_config.h"
#include "formats/scenario/scenario_json.h"
#include "model_fixture.h"
#include "solver/solve.h"
#include "support/diagnostic_code.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;
using nlohmann::json;

namespace {

json llama() {
  return {{"model_type", "llama"},          {"hidden_size", 512},       {"intermediate_size", 1376},
          {"num_hidden_layers", 4},         {"num_attention_heads", 8}, {"vocab_size", 32000},
          {"max_position_embeddings", 4096}};
}

}  // namespace

/// tests/data/model_facts.json: the figures that shape published models, with their published parameter
/// counts.
class TestModelFamilies : public QObject {
  Q_OBJECT
private slots:
  void countsAreThePublishedOnes_data() {
    QTest::addColumn<int>("row");
    for (std::size_t i = 0; i < modelFacts().size(); ++i)
      QTest::newRow(modelFacts()[i]["name"].get<std::string>().c_str()) << int(i);
    QVERIFY(modelFacts().size() >= 95);
  }
  void countsAreThePublishedOnes() {
    QFETCH(int, row);
    const json& fact = modelFacts()[std::size_t(row)];
    const auto a = readConfig(fact["config"]);
    QVERIFY2(a, a.diagnostics.empty() ? "" : a.diagnostics.front().message.c_str());
    for (const Diagnostic& d : a.diagnostics)
      QVERIFY2(d.code != "config-not-modelled" && d.code != "config-key-unread", d.message.c_str());
    const double off = parameterCount(*a) / fact["parameters"].get<double>() - 1;
    QVERIFY2(std::abs(off) < 0.005, qPrintable(QString::number(100 * off) + " % off"));
    if (!fact.contains("active")) return;
    // Some count the token table among what is active, and some do not.
    const double activeOff = activeParameterCount(*a) / fact["active"].get<double>() - 1;
    QVERIFY2(std::abs(activeOff) < 0.2, qPrintable(QString::number(100 * activeOff) + " % off, active"));
  }
  /// MiniMax-M3's file calls its language part minimax_m2; the whole says what it is.
  void theWholeNamesItsLanguagePart() {
    json text = modelConfig("minimax-m3");
    const auto plain = readConfig(text);
    text["model_type"] = "minimax_m2";
    text["sparse_attention_config"] = {{"sparse_topk_blocks", 16}};
    const auto whole = readConfig({{"model_type", "minimax_m3_vl"}, {"text_config", text}});
    QVERIFY(plain && whole && whole->experts);
    QCOMPARE(parameterCount(*whole), parameterCount(*plain));
    QCOMPARE(whole->family, plain->family);
    QVERIFY(whole->queryKeyNorm && !whole->wideQueryKeyNorm && whole->clampedGate);
    QCOMPARE(whole->experts->sharedIntermediate, 3072);
    QCOMPARE(whole->intermediate, 12288);
    const Diagnostic* told = findCode(whole.diagnostics, "config-not-modelled");
    QVERIFY(told);
    QVERIFY(!findCode(whole.diagnostics, "config-key-unread"));
  }
  void everyArchitectureIsWrittenAndReadBack() {
    for (const json& fact : modelFacts()) {
      const auto a = readConfig(fact["config"]);
      QVERIFY(a);
      const std::string text = architectureJson(*a).dump();
      const auto parsed = readJsonText(text, "a", {1 << 20, 32, 200'000});
      QVERIFY(parsed);
      Diagnostics out;
      JsonFields fields(*parsed, parsed->root(), "", out);
      const TransformerArchitecture back = readArchitecture(fields, *parsed, out);
      fields.reportUnknown(Severity::Error);
      QVERIFY2(out.empty(), out.empty() ? "" : out.front().message.c_str());
      QVERIFY2(back == *a, fact["name"].get<std::string>().c_str());
    }
  }
  void anotherFamilysNameIsNoWayIn_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("family");
    const auto row = [](const char* model, const char* family) {
      QTest::newRow((std::string(model) + " as " + family).c_str()) << model << family;
    };
    row("gpt-oss-120b", "qwen3_moe"), row("minimax-m2.5", "qwen3_moe"), row("mimo-v2-flash", "qwen3_moe");
    row("jamba-v0.1", "mixtral"), row("nemotron-3-nano", "qwen3_moe"), row("gemma-4-26b-a4b", "gemma");
    row("dbrx", "mixtral"), row("whisper-small", "llama"), row("mamba-2.8b", "llama"),
        row("t5-large", "gpt2");
    row("qwen3-next-80b-a3b", "qwen3_moe"), row("granite-4.0-h-small", "granite"), row("glm-5", "llama");
  }
  /// A model read under another family's name has its own size, or is an error: never a silent third one.
  void anotherFamilysNameIsNoWayIn() {
    QFETCH(QString, model);
    QFETCH(QString, family);
    json j = modelConfig(model.toStdString());
    const double own = parameterCount(*readConfig(j).value);
    j["model_type"] = family.toStdString();
    const auto a = readConfig(j);
    if (a)
      QVERIFY2(std::abs(parameterCount(*a) / own - 1) < 0.005,
               qPrintable(QString::number(parameterCount(*a))));
  }
  void missingSizesAreAnError() {
    for (const char* key :
         {"hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "vocab_size"}) {
      json j = llama();
      j.erase(key);
      const auto a = readConfig(j);
      QVERIFY2(!a, key);
      const Diagnostic* d = findCode(a.diagnostics, "config-size-missing");
      QVERIFY(d && d->message.find(key) != std::string::npos && !d->remedy.empty());
    }
    json experts = llama();
    experts["model_type"] = "qwen3_moe", experts["num_experts"] = 8;
    const auto a = readConfig(experts);
    QVERIFY(!a && findCode(a.diagnostics, "config-size-missing"));
  }
  void sizesAreReadUnderTheNamesOfOthers() {
    json j = {{"model_type", "llama"}, {"d_model", 512},  {"n_layers", 4},
              {"n_heads", 8},          {"ffn_dim", 1376}, {"padded_vocab_size", 32000},
              {"seq_length", 4096}};
    const auto a = readConfig(j), same = readConfig(llama());
    QVERIFY(a && same);
    QCOMPARE(parameterCount(*a), parameterCount(*same));
  }
  void aRemedyFitsOrIsNotGiven() {
    const auto remedy = [](json j, const char* type) {
      j["model_type"] = type;
      const auto a = readConfig(j);
      const Diagnostic* d = findCode(a.diagnostics, "config-model-type");
      return d ? d->message + " > " + d->remedy : std::string("taken");
    };
    QVERIFY(remedy(llama(), "newcomer").find("llama") != std::string::npos);
    QVERIFY(remedy(llama(), "newcomer").find("mixtral") == std::string::npos);
    QVERIFY(remedy(modelConfig("minimax-m2.5"), "newcomer").find("mixtral") != std::string::npos);
    for (const char* name : {"mamba2-2.7b", "granite-4.0-h-small", "nemotron-3-nano"})
      QVERIFY2(remedy(modelConfig(name), "newcomer").find("state-space") != std::string::npos &&
                   remedy(modelConfig(name), "newcomer").find("set model_type") == std::string::npos,
               name);
    for (const char* name : {"t5-large", "whisper-small"})
      QVERIFY2(remedy(modelConfig(name), "newcomer").find("encoder-decoder") != std::string::npos, name);
    QVERIFY(remedy(modelConfig("qwen3.5-27b"), "newcomer").find("linear attention") != std::string::npos);
  }
  void structuralKeysAreHonouredOrNamed_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    QTest::addColumn<bool>("isError");
    const auto row = [](const char* key, const char* value, bool isError) {
      QTest::newRow(key) << key << value << isError;
    };
    row("layer_types", R"(["linear_attention","full_attention","linear_attention","full_attention"])", true);
    row("num_experts", "8", true), row("is_encoder_decoder", "true", true), row("mamba_d_state", "128", true);
    row("kv_lora_rank", "64", true), row("full_attention_interval", "4", true);
    row("parallel_attn", "true", false), row("attention_chunk_size", "1024", false);
    row("index_topk", "2048", false), row("num_kv_shared_layers", "2", false);
    row("cross_attention_layers", "[3, 8]", true), row("add_cross_attention", "true", true);
    row("yoco", "true", false);
  }
  void structuralKeysAreHonouredOrNamed() {
    QFETCH(QString, key);
    QFETCH(QString, value);
    QFETCH(bool, isError);
    json j = llama();
    j[key.toStdString()] = json::parse(value.toStdString());
    const auto a = readConfig(j);
    const Diagnostic* d = findCode(a.diagnostics, "config-not-modelled");
    QVERIFY(d);
    QCOMPARE(d->severity, isError ? Severity::Error : Severity::Warning);
    QCOMPARE(d->where.pointer, "/" + key.toStdString());
    j[key.toStdString()] = nullptr;
    QVERIFY(readConfig(j).diagnostics.empty());
  }
  void unknownSizesAreNamed() {
    json j = llama();
    j["dense_adapter_width"] = 64, j["bos_token_id"] = 7, j["rope_theta"] = 500000;
    const auto a = readConfig(j);
    QVERIFY(a);
    const Diagnostic* d = findCode(a.diagnostics, "config-key-unread");
    QVERIFY(d && d->message.find("dense_adapter_width") != std::string::npos);
    QVERIFY(d->message.find("token") == std::string::npos && d->message.find("rope") == std::string::npos);
  }
  void whatIsNotUsedIsNamedOnce() {
    json j = llama();
    j["logits_scaling"] = 8.0, j["final_logit_softcapping"] = 30.0, j["eos_token_id"] = 3,
    j["use_cache"] = true;
    j["clip_qkv"] = nullptr, j["embedding_multiplier"] = 0;
    const auto a = readConfig(j);
    QVERIFY(a);
    QCOMPARE(a.diagnostics.size(), std::size_t(1));
    QCOMPARE(a.diagnostics[0].code, std::string("not-used"));
    QCOMPARE(a.diagnostics[0].message,
             std::string("not used from this file: final_logit_softcapping, logits_scaling"));
  }
  void detailsHaveLimits_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    QTest::addColumn<bool>("isError");
    const auto row = [](const char* key, const char* value, bool isError) {
      QTest::newRow((std::string(key) + " " + value).c_str()) << key << value << isError;
    };
    for (const char* value : {"-1", "0", "1e308", "\"10000\"", "[1]", "true"}) row("rope_theta", value, true);
    for (const char* value : {"-5", "0", "1e9", "\"x\""}) row("rms_norm_eps", value, true);
    for (const char* value : {"\"x\"", "7", "[]", "{\"factor\": -2}", "{\"rope_type\": 3}",
                              "{\"rope_theta\": 0}", "{\"beta_fast\": -1}", "{\"mscale\": 1e300}",
                              "{\"original_max_position_embeddings\": 0}", "{\"low_freq_factor\": \"1\"}"})
      row("rope_scaling", value, true);
    row("partial_rotary_factor", "1.5", true), row("partial_rotary_factor", "0", true);
    row("torch_dtype", "12", true), row("torch_dtype", "\"float7\"", false);
    row("hidden_act", "\"nonsense\"", false), row("hidden_act", "3", true);
    row("sliding_window", "-4", true), row("sliding_window", "1.5", true);
    row("attention_dropout", "7", true), row("attention_dropout", "-0.1", true);
    row("num_hidden_layers", "[6]", true), row("num_attention_heads", "[8]", true);
    row("num_key_value_heads", "[8, 8, 4, 4]", true), row("hidden_size", "[512]", true);
    row("scoring_func", "\"votes\"", false), row("topk_method", "\"lottery\"", false);
    row("norm_topk_prob", "3", true), row("routed_scaling_factor", "-2.5", true);
    row("rope_scaling", "{\"rope_type\": \"spiral\"}", false);
  }
  void detailsHaveLimits() {
    QFETCH(QString, key);
    QFETCH(QString, value);
    QFETCH(bool, isError);
    json j = llama();
    j[key.toStdString()] = json::parse(value.toStdString());
    const auto a = readConfig(j);
    QCOMPARE(a.value.has_value(), !isError);
    const auto worst = std::min_element(a.diagnostics.begin(), a.diagnostics.end(),
                                        [](const auto& x, const auto& y) { return x.severity > y.severity; });
    QVERIFY(worst != a.diagnostics.end());
    QCOMPARE(worst->severity, isError ? Severity::Error : Severity::Warning);
    QVERIFY2(worst->where.pointer.starts_with("/" + key.toStdString()), worst->where.pointer.c_str());
    QVERIFY(worst->where.line > 0 && !worst->message.empty());
  }
  void usualDetailsAreWithinTheLimits() {
    json j = llama();
    j["rope_theta"] = 208533496, j["rms_norm_eps"] = 1e-6, j["rope_scaling"] = nullptr,
    j["torch_dtype"] = "bfloat16";
    j["hidden_act"] = "silu", j["sliding_window"] = nullptr, j["attention_dropout"] = 0.0;
    j["num_key_value_heads"] = {8, 8, 8, 8};
    const auto a = readConfig(j);
    QVERIFY2(a && a.diagnostics.empty(), a.diagnostics.empty() ? "" : a.diagnostics.front().message.c_str());
    QCOMPARE(std::get<double>(a->details.at("rope_theta")), 208533496.0);
    j["rope_scaling"] = {{"rope_type", "llama3"},
                         {"factor", 8.0},
                         {"low_freq_factor", 1.0},
                         {"high_freq_factor", 4.0},
                         {"original_max_position_embeddings", 8192}};
    QVERIFY(readConfig(j) && readConfig(j).diagnostics.empty());
    // Models with two kinds of attention have positions for each.
    j.erase("rope_theta");
    j["rope_scaling"] = nullptr;
    j["rope_parameters"] = {{"full_attention", {{"rope_theta", 1e6}, {"rope_type", "default"}}},
                            {"sliding_attention", {{"rope_theta", 1e4}}}};
    QCOMPARE(std::get<double>(readConfig(j)->details.at("rope_theta")), 1e6);
  }
  void inlineDetailsHaveTheSameLimits() {
    const auto pointerOf = [](const char* details) {
      Scenario s = scenarioOf(*readConfig(llama()).value, 2048);
      s.model.architecture->details.clear();
      std::string text = writeScenario(s);
      const std::string layers = "\"layers\": 4";
      text.replace(text.find(layers), layers.size(), layers + ", \"details\": " + details);
      const auto again = readScenario(text, "s.nest.json", {});
      return again ? std::string() : again.diagnostics.front().where.pointer;
    };
    QCOMPARE(pointerOf("{\"rope_theta\": 10000}"), std::string());
    QCOMPARE(pointerOf("{\"rope_theta\": -1}"), std::string("/model/architecture/details/rope_theta"));
    QCOMPARE(pointerOf("{\"norm_eps\": \"x\"}"), std::string("/model/architecture/details/norm_eps"));
  }
  // xAI's second model: experts of their own width, and a dense MLP beside them.
  void grokTakesItsExpertsWidthWhereItIsGiven() {
    json j = {{"architectures", {"Grok1ForCausalLM"}},
              {"model_type", "git"},
              {"hidden_size", 1024},
              {"num_hidden_layers", 2},
              {"num_attention_heads", 8},
              {"intermediate_size", 4096},
              {"num_local_experts", 8},
              {"num_experts_per_tok", 2},
              {"vocab_size", 1000},
              {"max_position_embeddings", 4096}};
    const double first = parameterCount(*readConfig(j).value);
    j["moe_intermediate_size"] = 2048;
    QCOMPARE(first - parameterCount(*readConfig(j).value), 2.0 * 8 * 3 * 1024 * 2048);
    j["residual_moe"] = true;
    const auto both = readConfig(j);
    QVERIFY(both && both->experts->sharedIntermediate == 4096 && both->experts->intermediate == 2048);
    QVERIFY(!findCode(both.diagnostics, "config-key-unread"));
  }
  // The language part of a model of several parts, alone and under the name of the whole.
  void aLanguagePartAloneIsRead() {
    for (const char* type : {"gemma3", "llama4", "qwen3_vl", "minimax_m3"}) {
      json j = llama();
      j["model_type"] = type;
      j["head_dim"] = 64;
      j["num_local_experts"] = 8, j["num_experts_per_tok"] = 2;
      const auto a = readConfig(j);
      QVERIFY2(!findCode(a.diagnostics, "config-model-type"), type);
    }
  }
  /// Keys of T5's files beside its shape: the relative positions of one table, and what its tasks are.
  void wholeFilesOfT5LeaveNothingUnread() {
    json j = modelConfig("t5-large");
    j["relative_attention_num_buckets"] = 32, j["relative_attention_max_distance"] = 128;
    j["n_positions"] = 512, j["num_decoder_layers"] = 24, j["feed_forward_proj"] = "relu";
    j["decoder_start_token_id"] = 0, j["pad_token_id"] = 0, j["dropout_rate"] = 0.1;
    j["task_specific_params"] = {{"summarization", {{"max_length", 200}, {"num_beams", 4}}}};
    const auto a = readConfig(j);
    QVERIFY(a);
    QVERIFY2(a.diagnostics.empty(), a.diagnostics.empty() ? "" : a.diagnostics.front().message.c_str());
    QCOMPARE(parameterCount(*a), parameterCount(*readConfig(modelConfig("t5-large")).value));
    j["num_decoder_layers"] = 12, j["feed_forward_proj"] = "gated-gelu";
    const auto other = readConfig(j);
    QVERIFY(other && other->layers == 12 && other->encoder->layers == 24 && other->gatedMlp);
  }
  void numbersThatJsonLacksDoNotMatterWhereTheyAreNotRead() {
    std::string text = llama().dump();
    text.insert(1,
                "\"time_step_limit\":[0.0,Infinity],\"a\":-Infinity,\"b\":NaN,\"c\":\"Infinity \\\" NaN\",");
    QVERIFY(readHuggingFaceConfig(text, "c"));
    const auto bad = readHuggingFaceConfig(
        "{\"model_type\":\"llama\",\n\"hidden_size\":Infinity,\"num_hidden_layers\":2}", "c");
    QVERIFY(!bad);
    QCOMPARE(bad.diagnostics[0].code, std::string("json-type"));
    QCOMPARE(bad.diagnostics[0].where.line, 2);
  }
};
NEST_TEST(TestModelFamilies)
#include "test_model_families.moc"
