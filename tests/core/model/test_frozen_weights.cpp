#include <QtTest/QTest>

#include "analytic_fixture.h"
#include "cost/stage_messages.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

/// Llama-2 7B, as its configuration says.
TransformerArchitecture llama2() {
  TransformerArchitecture a;
  a.family = "llama";
  a.hidden = 4096, a.intermediate = 11008, a.layers = 32;
  a.heads = a.keyValueHeads = 32, a.headDim = 128;
  a.vocabulary = 32000, a.maxPositions = 4096;
  return a;
}

/// The LoRA paper's GPT-3: 96 layers of 12,288.
TransformerArchitecture gpt3() {
  return gpt(12288, 96, 96);
}

AnalyticOptions lora(int rank, LoraTargets targets = LoraTargets::AllLinear) {
  AnalyticOptions o;
  o.loraRank = rank, o.loraTargets = targets;
  return o;
}

struct Sums {
  double all = 0, trained = 0;
};
Sums sumsOf(const GraphAndProfile& g, int strategy = 0) {
  Sums s;
  for (const Layer& l : g.graph.layers) {
    const LayerCost& c = *g.profile.cost(l.classId, strategy, 0);
    s.all += c.denseParameters + c.expertParameters;
    s.trained += c.denseParameters + c.expertParameters - c.frozenDense - c.frozenExpert;
  }
  return s;
}

GraphAndProfile profileOf(const TransformerArchitecture& a, const AnalyticOptions& o,
                          const std::vector<Strategy>& strategies = {{1}}) {
  return analyticProfile(a, *findDevice("h100"), job(4096, 1), strategies, o);
}

}  // namespace

/// Frozen weights and LoRA's adapters (STATEMENT.md (10.13)).
class TestFrozenWeights : public QObject {
  Q_OBJECT
private slots:
  /// What PEFT prints for Llama-2 7B: 4,194,304 with rank 8 on queries and values, 39,976,960 with rank 16 on
  /// all projections.
  void adaptersHaveThePublishedParameters() {
    const TransformerArchitecture a = llama2();
    QCOMPARE(parameterCount(a), 6738415616.0);
    QCOMPARE(trainedParameterCount(a, lora(8, LoraTargets::QueryValue)), 4194304.0);
    QCOMPARE(trainedParameterCount(a, lora(16)), 39976960.0);
    QCOMPARE(trainedParameterCount(a, lora(16, LoraTargets::Attention)), 32 * 4 * 16 * 8192.0);
    QCOMPARE(trainedParameterCount(a, {}), parameterCount(a));
    const Sums s = sumsOf(profileOf(a, lora(16)));
    QCOMPARE(s.trained, 39976960.0);
    QCOMPARE(s.all, 6738415616.0 + 39976960.0);
    // Tensor ranks split the adapters of what they split.
    QCOMPARE(sumsOf(profileOf(a, lora(16), {{4, true}})).trained, 39976960.0 / 4);
  }
  /// Weights of all, gradients and optimizer state of the adapters: 16 bytes for each of these and 2 for each
  /// of the others on one device; without LoRA 18 for all, more than an H100 has.
  void llama2FitsOneDeviceWithAdapters() {
    const double q = 39976960, p = 6738415616.0 + q;
    const ModelState state{p, 0, 1, 1, 0, p - q, 0};
    const StateBytes held = StateBytes::of(OptimizerRegime::megatron(), {}, 0);
    const auto all = [&](const ModelState& s) {
      return (held.weights.of(s) + held.gradients.of(s) + held.optimizer.of(s)).value();
    };
    QCOMPARE(all(state), 2 * p + 16 * q);
    QVERIFY(all(state) < 14.2e9);
    QCOMPARE(all({p, 0, 1, 1, 0}), 18 * p);
    // Under ZeRO 3 with 8 shards weights are an eighth, too.
    const StateBytes sharded = StateBytes::of(OptimizerRegime::megatron(), {}, 3);
    const ModelState eighth{p, 0, 8, 1, 0, p - q, 0};
    QCOMPARE(sharded.weights.of(eighth).value(), 2 * p / 8);
    QCOMPARE(sharded.optimizer.of(eighth).value(), 12 * q / 8);
  }
  /// Rank 4 on queries and values of GPT-3: 16-bit adapters of 35 MB (Hu 2021, §4.2).
  void gpt3HasTheAdaptersOfThePaper() {
    const double q = trainedParameterCount(gpt3(), lora(4, LoraTargets::QueryValue));
    QCOMPARE(q, 96 * 2 * 4 * 2 * 12288.0);
    QVERIFY(isNear(2 * q / (1024 * 1024), 35, 0.04));
  }
  void expertsHaveAdaptersOfTheirOwn() {
    const auto a = sample("mixtral-8x7b");
    const double h = a.hidden, f = a.experts->intermediate, k = double(a.keyValueHeads) * a.headDim;
    const double attention = 2 * (h + h) + 2 * (h + k), expert = 3 * (h + f);
    const double each = 8 * (attention + a.experts->experts * expert);
    QCOMPARE(trainedParameterCount(a, lora(8)), a.layers * each);
    const auto g = profileOf(a, lora(8), {{1, false, 1, 4}});
    QCOMPARE(block(g, 0).expertParameters - block(g, 0).frozenExpert, 8 * a.experts->experts * expert / 4);
    QCOMPARE(block(g, 0).denseParameters - block(g, 0).frozenDense, 8 * attention);
  }
  /// Of a frozen block's backward pass the products that make input gradients are left.
  void frozenWeightsMakeNoGradients() {
    const TransformerArchitecture a = llama2();
    const auto at = [&](double share) {
      AnalyticOptions o;
      o.frozenBlocks = o.frozenEmbedding = o.frozenHead = share;
      return profileOf(a, o);
    };
    const auto whole = at(0), half = at(0.5), none = at(1);
    for (const int layer : {0, 1, a.layers + 2}) {
      const auto of = [&](const GraphAndProfile& g) {
        return *g.profile.cost(g.graph.layers[std::size_t(layer)].classId, 0, 0);
      };
      const Seconds weights = of(whole).weightGradientSeconds();
      QVERIFY(weights.value() > 0);
      QCOMPARE(of(none).weightGradientSeconds().value(), 0.0);
      QVERIFY(isNear((of(whole).backward - of(none).backward).value(), weights.value(), 1e-9));
      QVERIFY(isNear((of(whole).backward - of(half).backward).value(), weights.value() / 2, 1e-9));
      QCOMPARE(of(none).forward, of(whole).forward);
      QCOMPARE(of(none).frozenDense, of(none).denseParameters);
    }
    QCOMPARE(sumsOf(none).trained, 0.0);
    QCOMPARE(sumsOf(half).trained, parameterCount(a) / 2);
  }
  /// Products of blocks and head do two thirds; what attention does between them stays.
  void utilisationCountsWhatIsDone() {
    const TransformerArchitecture a = llama2();
    const int s = 4096;
    QCOMPARE(trainedWork(a, {}, s), 1.0);
    AnalyticOptions o;
    o.frozenBlocks = o.frozenEmbedding = o.frozenHead = 1;
    const double products = 2 * (parameterCount(a) - 32000.0 * 4096 - 65 * 4096),
                 scores = 32 * 4.0 * s * 4096;
    QVERIFY(isNear(trainedWork(a, o, s), (2 * products + 3 * scores) / (3 * (products + scores)), 1e-9));
    QVERIFY(isNear(trainedWork(a, lora(16), s),
                   (2 * products + 3 * scores + 6 * 39976960.0) / (3 * (products + scores)), 1e-9));
    QCOMPARE(profileOf(a, o).profile.trainedWork, trainedWork(a, o, s));
  }
  /// Gradients of what is trained; weights all for a pass of ZeRO 3, and what changed at a step's end.
  void frozenWeightsAreGatheredAndNotReduced() {
    const auto sent = [](int zero, const ModelState& s) {
      std::vector<GroupMessages> groups;
      addGradientMessages(s, 1, zero, OptimizerRegime::megatron(), {}, groups);
      std::map<std::pair<Payload, MessagePhase>, double> out;
      for (const GroupMessages& g : groups)
        for (const Message& m : g.messages) out[{m.payload, m.phase}] += m.times * m.bytes.value();
      return out;
    };
    const ModelState some{100, 0, 4, 1, 0, 90, 0}, none{100, 0, 4, 1, 0, 100, 0};
    auto one = sent(1, some);
    QCOMPARE((one[{Payload::Gradients, MessagePhase::StepEnd}]), 40.0);
    QCOMPARE((one[{Payload::Weights, MessagePhase::StepEnd}]), 20.0);
    auto three = sent(3, some);
    QCOMPARE((three[{Payload::Gradients, MessagePhase::WeightGradient}]), 40.0);
    QCOMPARE((three[{Payload::Weights, MessagePhase::Forward}]), 200.0);
    QCOMPARE((three[{Payload::Weights, MessagePhase::Backward}]), 200.0);
    QVERIFY(sent(0, none).empty() && sent(1, none).empty());
    QCOMPARE(sent(3, none).size(), std::size_t(2));
  }
  /// A small rank makes slow products: the time that adapters add is far more than their operations.
  void adaptersTakeTimeAndKeepTheirRank() {
    const TransformerArchitecture a = llama2();
    AnalyticOptions frozen;
    frozen.frozenBlocks = 1;
    const LayerCost without = block(profileOf(a, frozen), 0), with = block(profileOf(a, lora(16)), 0);
    QVERIFY(with.forward > without.forward && with.backward > without.backward);
    QVERIFY(with.weightGradientSeconds().value() > 0);
    QCOMPARE((with.recompute[0].stash - without.recompute[0].stash).value(), 7 * 4096 * 16 * 2.0);
  }
};

NEST_TEST(TestFrozenWeights)
#include "test_frozen_weights.moc"
