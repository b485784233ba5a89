#include <QFile>
#include <QtTest/QTest>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "analytic/transformer.h"
#include "cluster/devices/device_catalog.h"
#include "formats/models/architecture_json.h"
#include "formats/models/hf_config.h"
#include "formats/models/hf_families.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;
using nlohmann::json;

namespace {

Reading<TransformerArchitecture> modelOf(const json& config) {
  return readHuggingFaceConfig(config.dump(), "config.json");
}

}  // namespace

/// Every family and every published model at once.
class TestFamilyTables : public QObject {
  Q_OBJECT
private slots:
  /// What a family takes where a file says next to nothing, each default as read
  /// (tests/data/family_defaults.json, which NEST_WRITE_EXPECTED=1 writes again).
  void familiesHaveTheirDefaults() {
    json found = json::object();
    for (const ConfigFamily& family : configFamilies()) {
      json config = {{"model_type", family.type}, {"vocab_size", 32000}};
      for (const auto& [keys, value] :
           {std::pair{std::vector{"hidden_size", "n_embd", "d_model"}, 2048},
            std::pair{std::vector{"num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers",
                                  "decoder_layers"},
                      8},
            std::pair{std::vector{"num_attention_heads", "n_head", "n_heads", "num_heads",
                                  "encoder_attention_heads", "decoder_attention_heads"},
                      32},
            std::pair{
                std::vector{"intermediate_size", "d_ff", "ffn_dim", "encoder_ffn_dim", "decoder_ffn_dim"},
                4096}})
        for (const char* key : keys) config[key] = value;
      if (family.pattern == BlockPattern::LocalGlobal) config["attention_types"] = {{{"global", "local"}, 4}};
      if (family.pattern == BlockPattern::DeltaPeriod) {
        for (const char* key : {"linear_num_key_heads", "linear_num_value_heads"}) config[key] = 32;
        for (const char* key : {"linear_key_head_dim", "linear_value_head_dim"}) config[key] = 64;
      }
      if (family.hasExperts())
        for (const auto& [keys, value] :
             {std::pair{std::vector{"num_experts", "n_routed_experts", "num_local_experts"}, 16},
              std::pair{std::vector{"num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_k",
                                    "experts_per_token"},
                        2},
              std::pair{std::vector{"moe_intermediate_size"}, 512}})
          for (const char* key : keys) config[key] = value;
      const auto a = modelOf(config);
      found[family.type] = a ? json(architectureJson(*a)) : json(a.diagnostics.front().code);
    }
    const std::string file = NEST_TEST_DATA "/family_defaults.json";
    if (std::getenv("NEST_WRITE_EXPECTED")) {
      QFile out(QString::fromStdString(file));
      QVERIFY(out.open(QIODevice::WriteOnly));
      std::string text = "{";
      for (const auto& [type, value] : found.items())
        text += (text.size() > 1 ? ",\n" : "\n") + json(type).dump() + ": " + value.dump();
      out.write((text + "\n}\n").c_str());
      return;
    }
    const json expected = json::parse(test::readFile(file));
    QCOMPARE(found.size(), expected.size());
    for (const auto& [type, value] : found.items())
      QVERIFY2(value == expected.value(type, json()), (type + ": " + value.dump()).c_str());
  }

  /// Encoders and decoders, experts and hybrids: what the layers hold is what the model has.
  void layersHoldTheParametersOfTheModel() {
    int models = 0;
    for (const json& m : json::parse(test::readFile(NEST_TEST_DATA "/model_facts.json"))) {
      const auto a = modelOf(m["config"]);
      QVERIFY2(a, m["name"].get<std::string>().c_str());
      const auto g = analyticProfile(*a, *findDevice("h100-sxm"), Job{}, {Strategy{}});
      double sum = 0;
      for (const Layer& l : g.graph.layers)
        sum += g.profile.cost(l.classId, 0, 0)->denseParameters +
               g.profile.cost(l.classId, 0, 0)->expertParameters;
      // Encoder and decoder share a table of tokens, and each has a layer that reads it.
      const bool isShared = a->encoder && a->encoder->patchInputs == 0;
      const double all = parameterCount(*a) + (isShared ? double(a->vocabulary) * a->hidden : 0);
      QVERIFY2(std::abs(sum - all) <= 1e-9 * sum, m["name"].get<std::string>().c_str());
      ++models;
    }
    QVERIFY(models > 90);
  }
};
NEST_TEST(TestFamilyTables)
#include "test_family_tables.moc"
