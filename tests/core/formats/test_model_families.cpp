#include <QtTest/QTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cluster/devices/device_catalog.h"
#include "formats/models/architecture_json.h"
#include "formats/models/hf_config.h"
#include "formats/networks/cluster_text.h"
#include "formats/scenario/scenario_json.h"
#include "scenario/scenario.h"
#include "solver/solve.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;
using nlohmann::json;

namespace {

const json& facts() {
  static const json all = json::parse(test::readFile(NEST_TEST_DATA "/model_facts.json"));
  return all;
}

json config(const std::string& name) {
  for (const json& m : facts())
    if (m["name"] == name) return m["config"];
  return json::object();
}

Reading<TransformerArchitecture> read(const json& j) {
  return readHuggingFaceConfig(j.dump(), "config.json");
}

const Diagnostic* find(const Diagnostics& all, const std::string& code) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const Diagnostic& d) { return d.code == code; });
  return it == all.end() ? nullptr : &*it;
}

json llama() {
  return {{"model_type", "llama"},          {"hidden_size", 512},       {"intermediate_size", 1376},
          {"num_hidden_layers", 4},         {"num_attention_heads", 8}, {"vocab_size", 32000},
          {"max_position_embeddings", 4096}};
}

Scenario scenarioOf(const TransformerArchitecture& a, int sequence) {
  Scenario s;
  s.cluster = {*findDevice("h100-sxm"), *readClusterText("host:8@450GB/s rack:2@50GB/s").value};
  s.model.architecture = a;
  s.job.globalBatch = 32;
  s.job.sequenceLength = sequence;
  s.job.microbatches = {1};
  return s;
}

/// Forward seconds of one microbatch through all layers on one device.
double forwardSeconds(const TransformerArchitecture& a, int sequence) {
  Job job;
  job.sequenceLength = sequence;
  job.microbatches = {1};
  const auto made = analyticProfile(a, *findDevice("h100-sxm"), job, {Strategy{}});
  double sum = 0;
  for (const Layer& l : made.graph.layers) sum += made.profile.cost(l.classId, 0, 0)->forward.value();
  return sum;
}

}  // namespace

/// tests/data/model_facts.json: the figures that shape published models, with their published parameter
/// counts.
class TestModelFamilies : public QObject {
  Q_OBJECT
private slots:
  void countsAreThePublishedOnes_data() {
    QTest::addColumn<int>("row");
    for (std::size_t i = 0; i < facts().size(); ++i)
      QTest::newRow(facts()[i]["name"].get<std::string>().c_str()) << int(i);
    QVERIFY(facts().size() >= 95);
  }
  void countsAreThePublishedOnes() {
    QFETCH(int, row);
    const json& fact = facts()[std::size_t(row)];
    const auto a = read(fact["config"]);
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
    json text = config("minimax-m3");
    const auto plain = read(text);
    text["model_type"] = "minimax_m2";
    text["sparse_attention_config"] = {{"sparse_topk_blocks", 16}};
    const auto whole = read({{"model_type", "minimax_m3_vl"}, {"text_config", text}});
    QVERIFY(plain && whole && whole->experts);
    QCOMPARE(parameterCount(*whole), parameterCount(*plain));
    QCOMPARE(whole->family, plain->family);
    QVERIFY(whole->queryKeyNorm && !whole->wideQueryKeyNorm && whole->clampedGate);
    QCOMPARE(whole->experts->sharedIntermediate, 3072);
    QCOMPARE(whole->intermediate, 12288);
    const Diagnostic* told = find(whole.diagnostics, "config-not-modelled");
    QVERIFY(told);
    QVERIFY(!find(whole.diagnostics, "config-key-unread"));
  }
  /// Two blocks a layer, the first with experts and a dense MLP; of twelve choices eight fall on experts
  /// with weights where 512 of 768 have some, and the router knows all of them.
  void longCatHasTwoBlocksALayer() {
    json c = config("longcat-flash");
    const auto a = read(c);
    QVERIFY(a && a->experts);
    QCOMPARE(a->layers, 56);
    for (int i = 0; i < a->layers; ++i) QCOMPARE(a->hasExperts(i), i % 2 == 0);
    QCOMPARE(a->experts->perToken, 8);
    QCOMPARE(a->experts->sharedIntermediate, 12288);
    QVERIFY(find(a.diagnostics, "config-zero-experts") && find(a.diagnostics, "config-shortcut"));
    // Newer files count both halves of a layer as well.
    c["num_hidden_layers"] = 56;
    const auto newer = read(c);
    QVERIFY(newer && newer->layers == 56 && !find(newer.diagnostics, "config-contradiction"));
    c["zero_expert_num"] = 0;
    const auto plain = read(c);
    QVERIFY(plain && plain->experts->perToken == 12 && !find(plain.diagnostics, "config-zero-experts"));
    QCOMPARE(parameterCount(*a) - parameterCount(*plain), 28 * 6144.0 * 256);
    c["ngram_vocab_size_ratio"] = 78;
    QVERIFY(!read(c));
  }
  /// Three layers with Kimi Delta Attention to one with latent attention; what Kimi K3 has besides is read or
  /// named.
  void kimiLinearMixesBothKinds() {
    json c = config("kimi-linear-48b-a3b");
    const auto a = read(c);
    QVERIFY(a && a->latent && a->deltaNet);
    int linear = 0;
    for (const int v : a->variantOf) linear += a->variants[std::size_t(v)].mixer == Mixer::DeltaNet;
    QCOMPARE(linear, 20);
    QCOMPARE(a->latent->queryRank, 0);
    QCOMPARE(a->deltaNet->gateRank, 128);
    c["linear_attn_config"]["use_full_rank_gate"] = true;
    c["mla_use_output_gate"] = true;
    c["attn_res_block_size"] = 9;
    const auto k3 = read(c);
    QVERIFY(k3 && k3->deltaNet->wholeGate && k3->attentionGate);
    QCOMPARE(find(k3.diagnostics, "config-not-modelled")->where.pointer, std::string("/attn_res_block_size"));
    // A whole gate in place of two products in 20 layers, and one of the attention's output in 7.
    const double width = 4096, h = 2304;
    QCOMPARE(parameterCount(*k3) - parameterCount(*a), 20 * (h * width - 128 * (h + width)) + 7 * h * width);
    c["linear_attn_config"]["kda_layers"] = {1, 2};
    QVERIFY(find(read(c).diagnostics, "config-layer-types"));
  }
  /// LFM2 rounds two thirds of its width up; a convolution has no scores, whose time grows with the sequence.
  void lfm2MixesConvolutionsAndAttention() {
    const auto a = read(config("lfm2-1.2b"));
    QVERIFY(a);
    QCOMPARE(a->intermediate, 8192);
    QCOMPARE(a->shortConvolution, 3);
    int convolutions = 0;
    for (const int v : a->variantOf)
      convolutions += a->variants[std::size_t(v)].mixer == Mixer::ShortConvolution;
    QCOMPARE(convolutions, 10);
    TransformerArchitecture only = a->withVariant(a->variantOf[0]);
    QVERIFY(only.mixer == Mixer::ShortConvolution);
    only.layers = 1;
    const double once = modelFlops(only, 1024, 1).value();
    QCOMPARE(modelFlops(only, 2048, 1).value(), 2 * once);
    QVERIFY(forwardSeconds(*a, 2048) > 0);
    json c = config("lfm2-1.2b");
    c["layer_types"][0] = "recurrent";
    QVERIFY(!read(c));
  }
  /// What has no shape here is refused by what it is.
  void deepSeekV4IsRefusedByName() {
    const auto r = read({{"model_type", "deepseek_v4"},
                         {"hidden_size", 4096},
                         {"num_hidden_layers", 43},
                         {"num_attention_heads", 64},
                         {"vocab_size", 129280},
                         {"compress_ratios", {0, 4, 128}},
                         {"o_lora_rank", 1024},
                         {"hc_mult", 4}});
    QVERIFY(!r);
    QVERIFY(r.diagnostics.front().message.find("DeepSeek-V4") != std::string::npos);
  }
  void everyArchitectureIsWrittenAndReadBack() {
    for (const json& fact : facts()) {
      const auto a = read(fact["config"]);
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
    json j = config(model.toStdString());
    const double own = parameterCount(*read(j).value);
    j["model_type"] = family.toStdString();
    const auto a = read(j);
    if (a)
      QVERIFY2(std::abs(parameterCount(*a) / own - 1) < 0.005,
               qPrintable(QString::number(parameterCount(*a))));
  }
  void missingSizesAreAnError() {
    for (const char* key :
         {"hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "vocab_size"}) {
      json j = llama();
      j.erase(key);
      const auto a = read(j);
      QVERIFY2(!a, key);
      const Diagnostic* d = find(a.diagnostics, "config-size-missing");
      QVERIFY(d && d->message.find(key) != std::string::npos && !d->remedy.empty());
    }
    json experts = llama();
    experts["model_type"] = "qwen3_moe", experts["num_experts"] = 8;
    const auto a = read(experts);
    QVERIFY(!a && find(a.diagnostics, "config-size-missing"));
  }
  void sizesAreReadUnderTheNamesOfOthers() {
    json j = {{"model_type", "llama"}, {"d_model", 512},  {"n_layers", 4},
              {"n_heads", 8},          {"ffn_dim", 1376}, {"padded_vocab_size", 32000},
              {"seq_length", 4096}};
    const auto a = read(j), same = read(llama());
    QVERIFY(a && same);
    QCOMPARE(parameterCount(*a), parameterCount(*same));
  }
  void aRemedyFitsOrIsNotGiven() {
    const auto remedy = [](json j, const char* type) {
      j["model_type"] = type;
      const auto a = read(j);
      const Diagnostic* d = find(a.diagnostics, "config-model-type");
      return d ? d->message + " > " + d->remedy : std::string("taken");
    };
    QVERIFY(remedy(llama(), "newcomer").find("llama") != std::string::npos);
    QVERIFY(remedy(llama(), "newcomer").find("mixtral") == std::string::npos);
    QVERIFY(remedy(config("minimax-m2.5"), "newcomer").find("mixtral") != std::string::npos);
    for (const char* name : {"mamba2-2.7b", "granite-4.0-h-small", "nemotron-3-nano"})
      QVERIFY2(remedy(config(name), "newcomer").find("state-space") != std::string::npos &&
                   remedy(config(name), "newcomer").find("set model_type") == std::string::npos,
               name);
    for (const char* name : {"t5-large", "whisper-small"})
      QVERIFY2(remedy(config(name), "newcomer").find("encoder-decoder") != std::string::npos, name);
    QVERIFY(remedy(config("qwen3.5-27b"), "newcomer").find("linear attention") != std::string::npos);
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
    const auto a = read(j);
    const Diagnostic* d = find(a.diagnostics, "config-not-modelled");
    QVERIFY(d);
    QCOMPARE(d->severity, isError ? Severity::Error : Severity::Warning);
    QCOMPARE(d->where.pointer, "/" + key.toStdString());
    j[key.toStdString()] = nullptr;
    QVERIFY(read(j).diagnostics.empty());
  }
  void unknownSizesAreNamed() {
    json j = llama();
    j["dense_adapter_width"] = 64, j["bos_token_id"] = 7, j["rope_theta"] = 500000;
    const auto a = read(j);
    QVERIFY(a);
    const Diagnostic* d = find(a.diagnostics, "config-key-unread");
    QVERIFY(d && d->message.find("dense_adapter_width") != std::string::npos);
    QVERIFY(d->message.find("token") == std::string::npos && d->message.find("rope") == std::string::npos);
  }
  void whatIsNotUsedIsNamedOnce() {
    json j = llama();
    j["logits_scaling"] = 8.0, j["final_logit_softcapping"] = 30.0, j["eos_token_id"] = 3,
    j["use_cache"] = true;
    j["clip_qkv"] = nullptr, j["embedding_multiplier"] = 0;
    const auto a = read(j);
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
    const auto a = read(j);
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
    const auto a = read(j);
    QVERIFY2(a && a.diagnostics.empty(), a.diagnostics.empty() ? "" : a.diagnostics.front().message.c_str());
    QCOMPARE(std::get<double>(a->details.at("rope_theta")), 208533496.0);
    j["rope_scaling"] = {{"rope_type", "llama3"},
                         {"factor", 8.0},
                         {"low_freq_factor", 1.0},
                         {"high_freq_factor", 4.0},
                         {"original_max_position_embeddings", 8192}};
    QVERIFY(read(j) && read(j).diagnostics.empty());
    // Models with two kinds of attention have positions for each.
    j.erase("rope_theta");
    j["rope_scaling"] = nullptr;
    j["rope_parameters"] = {{"full_attention", {{"rope_theta", 1e6}, {"rope_type", "default"}}},
                            {"sliding_attention", {{"rope_theta", 1e4}}}};
    QCOMPARE(std::get<double>(read(j)->details.at("rope_theta")), 1e6);
  }
  void inlineDetailsHaveTheSameLimits() {
    const auto pointerOf = [](const char* details) {
      Scenario s = scenarioOf(*read(llama()).value, 2048);
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
    const double first = parameterCount(*read(j).value);
    j["moe_intermediate_size"] = 2048;
    QCOMPARE(first - parameterCount(*read(j).value), 2.0 * 8 * 3 * 1024 * 2048);
    j["residual_moe"] = true;
    const auto both = read(j);
    QVERIFY(both && both->experts->sharedIntermediate == 4096 && both->experts->intermediate == 2048);
    QVERIFY(!find(both.diagnostics, "config-key-unread"));
  }
  // The language part of a model of several parts, alone and under the name of the whole.
  void aLanguagePartAloneIsRead() {
    for (const char* type : {"gemma3", "llama4", "qwen3_vl", "minimax_m3"}) {
      json j = llama();
      j["model_type"] = type;
      j["head_dim"] = 64;
      j["num_local_experts"] = 8, j["num_experts_per_tok"] = 2;
      const auto a = read(j);
      QVERIFY2(!find(a.diagnostics, "config-model-type"), type);
    }
  }
  /// Keys of T5's files beside its shape: the relative positions of one table, and what its tasks are.
  void wholeFilesOfT5LeaveNothingUnread() {
    json j = config("t5-large");
    j["relative_attention_num_buckets"] = 32, j["relative_attention_max_distance"] = 128;
    j["n_positions"] = 512, j["num_decoder_layers"] = 24, j["feed_forward_proj"] = "relu";
    j["decoder_start_token_id"] = 0, j["pad_token_id"] = 0, j["dropout_rate"] = 0.1;
    j["task_specific_params"] = {{"summarization", {{"max_length", 200}, {"num_beams", 4}}}};
    const auto a = read(j);
    QVERIFY(a);
    QVERIFY2(a.diagnostics.empty(), a.diagnostics.empty() ? "" : a.diagnostics.front().message.c_str());
    QCOMPARE(parameterCount(*a), parameterCount(*read(config("t5-large")).value));
    j["num_decoder_layers"] = 12, j["feed_forward_proj"] = "gated-gelu";
    const auto other = read(j);
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
  void hybridsHaveLayersOfTheirOwn() {
    const auto next = read(config("qwen3-next-80b-a3b")), nemotron = read(config("nemotron-3-nano"));
    QVERIFY(next && nemotron);
    QCOMPARE(next->variants.size(), std::size_t(2));
    QCOMPARE(next->variants[std::size_t(next->variantOf[0])].mixer, Mixer::DeltaNet);
    QCOMPARE(next->variants[std::size_t(next->variantOf[3])].mixer, Mixer::Attention);
    QCOMPARE(nemotron->variants.size(), std::size_t(3));
    QVERIFY(nemotron->hasExperts(1) && !nemotron->hasExperts(0));
    // State and linear attention grow with the tokens, attention with their square.
    const auto growth = [](const TransformerArchitecture& a) {
      return forwardSeconds(a, 131072) / forwardSeconds(a, 32768) / 4;
    };
    const auto dense = read(config("seed-oss-36b")), mamba = read(config("mamba2-2.7b"));
    QVERIFY(dense && mamba);
    QVERIFY2(std::abs(growth(*mamba) - 1) < 0.02, qPrintable(QString::number(growth(*mamba))));
    QVERIFY(growth(*next) < growth(*dense));
  }
  void windowsChunksAndIndexersShortenAttention() {
    const auto shorter = [](const json& with, const char* without) {
      json full = with;
      full.erase(without);
      const auto a = read(with), b = read(full);
      return forwardSeconds(*a, 131072) / forwardSeconds(*b, 131072);
    };
    QVERIFY(shorter(config("deepseek-v3.2-sparse"), "index_topk") < 0.9);
    json scout = {
        {"model_type", "llama4_text"},    {"hidden_size", 5120},      {"intermediate_size", 8192},
        {"intermediate_size_mlp", 16384}, {"num_hidden_layers", 8},   {"num_attention_heads", 40},
        {"num_key_value_heads", 8},       {"head_dim", 128},          {"vocab_size", 202048},
        {"num_local_experts", 16},        {"num_experts_per_tok", 1}, {"max_position_embeddings", 10485760},
        {"attention_chunk_size", 8192}};
    QVERIFY(shorter(scout, "attention_chunk_size") < 0.6);
    const auto a = read(scout);
    QCOMPARE(a->variants.size(), std::size_t(2));
    QVERIFY(a->variants[std::size_t(a->variantOf[0])].windowIsChunk);
    QCOMPARE(a->variants[std::size_t(a->variantOf[3])].window, 0);
    // Up to the length of a chunk there is no difference.
    json full = scout;
    full.erase("attention_chunk_size");
    QCOMPARE(forwardSeconds(*a, 8192), forwardSeconds(*read(full).value, 8192));
    json gemma = config("gemma-3-27b-text");
    gemma["text_config"]["sliding_window"] = nullptr;
    QVERIFY(forwardSeconds(*read(config("gemma-3-27b-text")).value, 65536) <
            0.8 * forwardSeconds(*read(gemma).value, 65536));
  }
  void encoderDecodersAreGraphs() {
    for (const char* name : {"t5-large", "bart-large", "whisper-small"}) {
      const auto a = read(config(name));
      QVERIFY(a && a->encoder);
      const int length = a->encoder->length > 0 ? 448 : 512;
      const Scenario s = scenarioOf(*a, length);
      const auto problem = buildProblem(s);
      QVERIFY2(problem, name);
      const LayerGraph& g = *problem->graph;
      QVERIFY(!g.isChain());
      std::size_t readers = 0;
      for (const Tensor& t : g.tensors)
        if (g.layers[t.producer.at()].name == "encoder norm") readers = t.consumers.size();
      QCOMPARE(readers, std::size_t(a->layers));
      const Outcome best = solve(*problem);
      QVERIFY2(best.best(), name);
      QVERIFY(best.best()->evaluation.feasible());
    }
  }
  void hybridsAreSolved() {
    for (const char* name :
         {"granite-4.0-h-micro", "gemma-3-4b-text", "mamba2-2.7b", "phi-2", "olmoe-1b-7b"}) {
      const auto a = read(config(name));
      QVERIFY(a);
      const auto problem = buildProblem(scenarioOf(*a, 4096));
      QVERIFY2(problem, name);
      const Outcome best = solve(*problem);
      QVERIFY2(best.best() && best.best()->evaluation.feasible(), name);
      double parameters = 0;
      for (const Layer& l : problem->graph->layers) {
        const LayerCost& c = *problem->profile->cost(l.classId, 0, 0);
        parameters += c.denseParameters + c.expertParameters;
      }
      QVERIFY2(std::abs(parameters / parameterCount(*a) - 1) < 1e-9, name);
    }
  }
};
NEST_TEST(TestModelFamilies)
#include "test_model_families.moc"
