#include <QtTest/QTest>
#include <algorithm>
#include <cmath>

#include "analytic/roofline.h"
#include "analytic_fixture.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

/// What the kernels of a block take: attention, fp8, experts, and what selective recompute repeats.
class TestKernelCosts : public QObject {
  Q_OBJECT
private slots:
  void fusedAttentionSavesMemoryAndTime() {
    const auto a = gpt(4096, 32, 4);
    const auto fused = analyticProfile(a, *findDevice("a100-80"), job(4096, 1), {{1}});
    const auto stored =
        analyticProfile(a, *findDevice("a100-80"), job(4096, 1), {{1}}, {.flashAttention = false});
    QVERIFY(block(fused, 0).recompute[0].stash < block(stored, 0).recompute[0].stash);
    QVERIFY(block(fused, 0).forward < block(stored, 0).forward);
    QCOMPARE(block(fused, 0).recompute[1].extraBackward.value(), 0.0);
    QVERIFY(block(stored, 0).recompute[1].extraBackward.value() > 0);
    QVERIFY(block(stored, 0).recompute[1].extraBackward < block(stored, 0).recompute[2].extraBackward);
    QCOMPARE(block(stored, 0).recompute[2].extraBackward, block(stored, 0).forward);
  }
  /// 32 heads of 4096 x 4096 scores, 8 to a rank: nine bytes each forward, and nine backward.
  void scoresMoveWhatTheirKernelsMove() {
    const DeviceSpec& device = *findDevice("a100-80");
    const auto costed = [&](double forward, double backward) {
      AnalyticOptions options{.flashAttention = false};
      options.constants.scoreTraffic.value = forward;
      options.constants.scoreBackwardTraffic.value = backward;
      const auto g = analyticProfile(gpt(4096, 32, 4), device, job(4096, 1), {{4, true}}, options);
      return block(g, 0);
    };
    const LayerCost fused = costed(4, 6), eager = costed(13, 15);
    const double seconds =
        9 * 8 * 4096.0 * 4096 / (device.memoryBandwidth.value.value() * device.memoryEfficiency.value);
    QVERIFY(isNear((eager.forward - fused.forward).value(), seconds, 1e-9));
    QVERIFY(isNear((eager.backward - fused.backward).value(), seconds, 1e-9));
    QVERIFY(
        isNear((eager.recompute[1].extraBackward - fused.recompute[1].extraBackward).value(), seconds, 1e-9));
  }
  // Experts that share a device are multiplied one by one: in fp8 the host issues casts and launches of each,
  // and where that takes longer than the device it decides.
  void expertsOnADeviceAreIssuedApart() {
    auto j = job(4096, 1);
    const auto a = sample("mixtral-8x7b");
    const auto at = [&](int degree, double overhead) {
      AnalyticOptions o;
      o.constants.fp8ExpertOverhead.value = overhead;
      return block(analyticProfile(a, *findDevice("h100"), j, {{1, false, 1, degree}}, o), 0);
    };
    QCOMPARE(at(2, 1).forward, at(2, 0).forward);
    j.format = NumberFormat::Fp8;
    // Slower than the device: up and down forward, two products of each backward, for every expert.
    QVERIFY(isNear((at(2, 2).forward - at(2, 1).forward).value(), 2 * 4, 1e-9));
    QVERIFY(isNear((at(2, 2).backward - at(2, 1).backward).value(), 4 * 4, 1e-9));
    QVERIFY(isNear((at(8, 2).forward - at(8, 1).forward).value(), 2, 1e-9));
    QCOMPARE(at(8, 1e-9).forward, at(8, 0).forward);  // the device is the slower one
    QCOMPARE(at(8, 1e-9).backward, at(8, 0).backward);
  }
  // GPT-OSS in Megatron-Core: kernels of their own add the experts' biases and clamp both operands of the
  // gate.
  void biasesAndClampsOfExpertsMoveBytes() {
    const auto a = *readHuggingFaceConfig(
        R"({"model_type":"gpt_oss","num_hidden_layers":36,"hidden_size":2880,"intermediate_size":2880,
            "num_attention_heads":64,"num_key_value_heads":8,"head_dim":64,"vocab_size":201088,
            "num_local_experts":128,"num_experts_per_tok":4,"sliding_window":128})",
        "gpt-oss-120b");
    QVERIFY(a.clampedGate && a.projectionBias && a.experts);
    const auto at = [&](auto member, double bytes) {
      AnalyticOptions o;
      o.constants.*member = Sourced<double>{bytes};
      return block(analyticProfile(a, *findDevice("h100"), job(4096, 1), {{1}}, o), 0);
    };
    const DeviceSpec& d = *findDevice("h100");
    const double bandwidth = d.memoryBandwidth.value.value() * d.memoryEfficiency.value;
    const double routed = 4096.0 * a.experts->perToken;
    using C = AnalyticConstants;
    QVERIFY(isNear(
        (at(&C::expertBiasTraffic, 28).forward - at(&C::expertBiasTraffic, 0).forward).value() * bandwidth,
        28 * routed * a.hidden));
    QVERIFY(isNear(
        (at(&C::clampBackwardTraffic, 20).backward - at(&C::clampBackwardTraffic, 0).backward).value() *
            bandwidth,
        20 * routed * a.experts->intermediate));
    QVERIFY(isNear((at(&C::routedPasses, 8).forward - at(&C::routedPasses, 4).forward).value() * bandwidth,
                   4 * 2 * routed * a.hidden));
    auto unclamped = sample("mixtral-8x7b");
    QVERIFY(!unclamped.clampedGate && !unclamped.projectionBias);
  }
  // Queries and keys of GPT-OSS, which YaRN scales; not those of a model whose two factors cancel.
  void scaledRotaryPositionsMoveBytes() {
    const auto config = [](const char* more) {
      return *readHuggingFaceConfig(std::string(R"({"model_type":"llama","num_hidden_layers":2,
          "hidden_size":4096,"intermediate_size":14336,"num_attention_heads":32,"num_key_value_heads":8,
          "vocab_size":128256)") + more +
                                        "}",
                                    "x");
    };
    const auto scaled = config(R"(,"rope_scaling":{"rope_type":"yarn","factor":4.0})");
    QVERIFY(scaled.scaledRotary && !config("").scaledRotary);
    QVERIFY(!config(R"(,"rope_scaling":{"rope_type":"llama3","factor":8.0})").scaledRotary);
    QVERIFY(!config(R"(,"rope_scaling":{"type":"yarn","factor":40,"mscale":1.0,"mscale_all_dim":1.0})")
                 .scaledRotary);
    QVERIFY(!config(R"(,"rope_scaling":{"type":"yarn","factor":4,"attention_factor":1.0})").scaledRotary);
    const DeviceSpec& d = *findDevice("h100");
    const auto at = [&](const TransformerArchitecture& a, double forward, double backward) {
      AnalyticOptions o;
      o.constants.scaledRotaryTraffic.value = forward,
      o.constants.scaledRotaryBackwardTraffic.value = backward;
      return block(analyticProfile(a, d, job(4096, 1), {{1}}, o), 0);
    };
    const double element =
        4096.0 * (4096 + 1024) / (d.memoryBandwidth.value.value() * d.memoryEfficiency.value);
    const LayerCost usual = at(scaled, 0, 0), counted = at(scaled, 24, 26);
    QVERIFY(isNear((counted.forward - usual.forward).value(), (24 - 4) * element, 1e-9));
    QVERIFY(isNear((counted.backward - usual.backward).value(), (26 - 4 * 1.6) * element, 1e-9));
    QCOMPARE(at(config(""), 24, 26), at(config(""), 0, 0));
  }
  // A sum over the width of each expert that a token is routed to; a dense MLP has no such weights.
  void routingWeightsHaveGradients() {
    const DeviceSpec& d = *findDevice("h100");
    const auto at = [&](const char* model, double bytes) {
      AnalyticOptions o;
      o.constants.routingGradientTraffic.value = bytes;
      return block(analyticProfile(sample(model), d, job(4096, 1), {{1}}, o), 0);
    };
    const auto a = sample("mixtral-8x7b");
    const double element =
        4096.0 * 2 * a.experts->intermediate / (d.memoryBandwidth.value.value() * d.memoryEfficiency.value);
    QVERIFY(
        isNear((at("mixtral-8x7b", 6).backward - at("mixtral-8x7b", 0).backward).value(), 6 * element, 1e-9));
    QCOMPARE(at("mixtral-8x7b", 6).forward, at("mixtral-8x7b", 0).forward);
    QCOMPARE(at("llama-3-8b", 6), at("llama-3-8b", 0));
  }
  // 2,880 columns of experts are 22.5 tiles, computed as 23, where grouped products are measured; the depth
  // of a product has none, and what is narrower than a tile is left to the half sizes.
  void resultsOfExpertsAreComputedInTiles() {
    const auto at = [](double tile, double half) {
      AnalyticOptions o;
      o.constants.matrixTile.value = tile;
      o.constants.groupedHalfSize.value = half, o.constants.groupedGradientHalfSize.value = half;
      return Roofline(*findDevice("h100"), NumberFormat::Bf16, o);
    };
    const Roofline whole = at(128, 180), none = at(0, 180);
    QVERIFY(isNear(whole.groupedProduct(1000, 2880, 4096, 8) / none.groupedProduct(1000, 2880, 4096, 8),
                   2944.0 / 2880, 1e-12));
    QVERIFY(isNear(whole.groupedGradientProduct(2880, 2880, 4096, 8, 0) /
                       none.groupedGradientProduct(2880, 2880, 4096, 8, 0),
                   2944.0 / 2880 * 2944 / 2880, 1e-12));
    for (const double side : {64.0, 128.0, 4096.0})
      QCOMPARE(whole.groupedProduct(4096, side, 2880, 8), none.groupedProduct(4096, side, 2880, 8));
    QCOMPARE(whole.product(4096, 2880, 4096), none.product(4096, 2880, 4096));
    QCOMPARE(at(128, 0).groupedProduct(1000, 2880, 4096, 8), at(0, 0).groupedProduct(1000, 2880, 4096, 8));
  }
  // A window of the whole sequence is no window; a narrow one costs a tile more than its keys.
  void windowsAreComputedInTiles() {
    const auto core = [](int window, int sequence) {
      auto a = sample("llama-3-8b");
      a.slidingWindow = window;
      return block(analyticProfile(a, *findDevice("h100"), job(sequence, 1), {{1}}), 0).forward;
    };
    QCOMPARE(core(8192, 8192), core(0, 8192));
    QVERIFY(core(4096, 8192) < core(0, 8192));
    const auto a = sample("llama-3-8b");
    const Roofline r(*findDevice("h100"), NumberFormat::Bf16, {});
    const auto attention = [&](double keys) {
      return r.attention(2 * 8192.0 * keys * (1 - keys / 2 / 8192) * a.heads * 2 * a.headDim, keys,
                         a.headDim);
    };
    QVERIFY(isNear((core(1024, 8192) - core(128, 8192)).value(), (attention(1152) - attention(256)).value(),
                   1e-9));
  }
  // Megatron's modules layernorm and moe_act, and mla_up_proj: repeated, and their results not kept.
  void modulesAreRecomputed() {
    const auto at = [&](const char* model, SelectiveRecompute what) {
      AnalyticOptions o;
      o.selectiveRecompute = what;
      const auto g = analyticProfile(sample(model), *findDevice("h100"), job(4096, 1), {{1}}, o);
      return block(g, 0).recompute;
    };
    const auto a = sample("llama-3-8b");
    const auto activations = at("llama-3-8b", SelectiveRecompute::Activations);
    QVERIFY(isNear(activations[0].stash.value() - activations[1].stash.value(),
                   4096 * 2.0 * (2.0 * a.hidden + a.intermediate)));
    QVERIFY(activations[1].extraBackward.value() > 0 &&
            activations[1].extraBackward < 0.1 * activations[2].extraBackward);
    QCOMPARE(at("llama-3-8b", SelectiveRecompute::LatentProjection)[1].stash, activations[0].stash);
    const auto b = sample("deepseek-v3");
    const auto latent = at("deepseek-v3", SelectiveRecompute::LatentProjection);
    const double wide =
        b.heads * (2.0 * (b.latent->nopeHeadDim + b.latent->ropeHeadDim) + b.latent->valueHeadDim);
    QVERIFY(isNear(latent[0].stash.value() - latent[1].stash.value(), 4096 * 2 * wide));
    QVERIFY(latent[1].extraBackward.value() > 0 && latent[1].extraBackward < latent[2].extraBackward);
  }
  // What a checkpoint repeats ends with what the backward pass reads: not the product that makes the block's
  // result, nor what adds it to the residual, nor the exchange behind it.
  void recomputeMayStopEarly() {
    const DeviceSpec& d = *findDevice("h100");
    const auto at = [&](const TransformerArchitecture& a, const Strategy& s, bool stops) {
      AnalyticOptions o;
      o.recomputeStopsEarly = stops;
      return block(analyticProfile(a, d, job(4096, 1), {s}, o), 0);
    };
    const auto spared = [&](const TransformerArchitecture& a, const Strategy& s) {
      return at(a, s, false).recompute[2].extraBackward - at(a, s, true).recompute[2].extraBackward;
    };
    const double bandwidth = d.memoryBandwidth.value.value() * d.memoryEfficiency.value;
    const auto a = sample("llama-3-8b");
    const Roofline roofline(d, NumberFormat::Bf16, {});
    const double added = 3 * 2 * 4096.0 * a.hidden / bandwidth;
    QVERIFY(isNear(spared(a, {1}).value(), roofline.product(4096, a.hidden, a.intermediate).value() + added,
                   1e-9));
    using enum CollectiveKind;
    const auto scattered = [&](bool stops) {
      return bytesOf(at(a, {2, true}, stops), ReduceScatter, GroupKind::Tensor, Phase::RecomputeFull);
    };
    QCOMPARE(scattered(true), scattered(false) / 2);
    // A dropped element's mask is kept, so that the product before it runs again.
    QVERIFY(isNear(spared(gpt(4096, 32, 4), {1}).value(), (3 * 2 + 1) * 4096.0 * 4096 / bandwidth, 1e-9));
    // Experts: what comes back from them is not sent again.
    const auto mixtral = sample("mixtral-8x7b");
    const auto sent = [&](bool stops) {
      return bytesOf(at(mixtral, {1, false, 1, 8}, stops), AllToAll, GroupKind::Expert, Phase::RecomputeFull);
    };
    QCOMPARE(sent(true), sent(false) / 2);
  }
  // Query, key, value, output, gate, up, down: the second, fourth and sixth again, the others kept.
  void everySecondProductIsRepeated() {
    const auto a = sample("llama-3-8b");
    const DeviceSpec& d = *findDevice("h100");
    AnalyticOptions o;
    o.selectiveRecompute = SelectiveRecompute::EverySecondProduct;
    const auto c = block(analyticProfile(a, d, job(4096, 1), {{1}}, o), 0);
    const double key = double(a.keyValueHeads) * a.headDim, query = double(a.heads) * a.headDim;
    // Nothing reads the last one's result: compiled blocks drop it.
    const double kept = a.hidden + query + (query + key + a.intermediate);
    QVERIFY(isNear(c.recompute[1].stash.value(), 4096 * 2 * kept));
    const auto eagerly = [&](const Strategy& s) {
      AnalyticOptions eager = o;
      eager.eagerElementwise = true;
      return block(analyticProfile(a, d, job(4096, 1), {s}, eager), 0).recompute[1].stash.value();
    };
    QVERIFY(isNear(eagerly({1}), 4096 * 2 * (kept + a.hidden)));
    // On two tensor ranks the last product's parts of the whole result, and what both scatters leave.
    QVERIFY(
        isNear(eagerly({2, true}), 4096 * 2 * ((kept - a.hidden) / 2 + a.hidden + (1 + 2) * a.hidden / 2.0)));
    const Roofline roofline(d, NumberFormat::Bf16, {});
    const auto product = [&](double out, double in) { return roofline.product(4096, out, in); };
    const Seconds core = roofline.attention(2.0 * 4096 * 4096 * query, 4096, a.headDim);
    const Seconds elementWise = c.forward - core - product(query + 2 * key, a.hidden) -
                                product(a.hidden, query) - product(2.0 * a.intermediate, a.hidden) -
                                product(a.hidden, a.intermediate);
    const Seconds again =
        product(key, a.hidden) + product(a.hidden, query) + product(a.intermediate, a.hidden);
    QVERIFY(isNear(c.recompute[1].extraBackward.value(), (again + elementWise).value(), 1e-9));
  }
  // With all of its input on the host a block keeps two buffers; its passes take no less than the copies.
  void whatIsOffloadedCrossesTheHostsLink() {
    const auto a = sample("llama-3-8b");
    DeviceSpec d = *findDevice("h100");
    const auto at = [&](double share, double bandwidth) {
      AnalyticOptions o;
      o.offloadedShare = share;
      d.hostMemoryBandwidth.reset();
      if (bandwidth > 0) d.hostMemoryBandwidth = Sourced<BytesPerSecond>(BytesPerSecond(bandwidth));
      return block(analyticProfile(a, d, job(4096, 1), {{1}}, o), 0);
    };
    const LayerCost usual = at(0, 64e9);
    const double input = 4096.0 * a.hidden * 2, none = usual.recompute[0].stash.value();
    QCOMPARE(usual.recompute[2].stash.value(), input);
    const LayerCost half = at(0.5, 64e9);
    QCOMPARE(half.recompute[2].stash.value(), input / 2);
    QCOMPARE(half.recompute[0].stash.value(), none / 2);
    QCOMPARE((half.recompute[2].workspace - usual.recompute[2].workspace).value(), input);
    // 33.5 MB take 0.5 ms, a block's passes longer.
    QCOMPARE(at(1, 64e9).recompute[2].extraBackward, usual.recompute[2].extraBackward);
    QCOMPARE(at(1, 64e9).recompute[2].stash.value(), 0.0);
    // At 1 GB/s 33.5 ms each way, which both passes wait for.
    const RecomputeCost late = at(1, 1e9).recompute[2];
    const double passes = (usual.forward + usual.backward + usual.recompute[2].extraBackward).value();
    QVERIFY(isNear((usual.forward + usual.backward + late.extraBackward).value(), 2 * input / 1e9, 1e-9));
    QVERIFY(passes < 2 * input / 1e9);
    // A link that is not known costs nothing.
    QCOMPARE(at(1, 0).recompute[2].extraBackward, usual.recompute[2].extraBackward);
    QCOMPARE(at(1, 1e9).forward, usual.forward);
  }
  // As torchtitan holds them: 14 bytes a logit, 18 among tensor ranks; 6 bytes a parameter of a block.
  void buffersOfLossAndGradients() {
    const auto a = sample("llama-3-8b");
    const auto at = [&](double loss, double shared, double gradients, const Strategy& s) {
      AnalyticOptions o;
      o.constants.lossWorkspace.value = loss;
      o.constants.sharedLossWorkspace.value = shared;
      o.constants.gradientWorkspace.value = gradients;
      return analyticProfile(a, *findDevice("h100"), job(4096, 1), {s}, o);
    };
    const auto head = [](const GraphAndProfile& m) {
      return m.profile.cost(m.graph.layers.back().classId, 0, 0)->recompute[0].workspace.value();
    };
    QCOMPARE(head(at(14, 4, 6, {1})), 4096.0 * a.vocabulary * 14);
    QCOMPARE(head(at(14, 4, 6, {2, true})), 4096.0 * a.vocabulary / 2 * 18);
    const LayerCost without = block(at(14, 4, 0, {1}), 0), with = block(at(14, 4, 6, {1}), 0);
    for (int r = 0; r < kRecomputeCount; ++r)
      QCOMPARE(
          (with.recompute[std::size_t(r)].workspace - without.recompute[std::size_t(r)].workspace).value(),
          6 * without.denseParameters);
  }
  // Of six products the second and fourth: the sixth is the last.
  void theLastProductIsNotRepeated() {
    auto a = sample("llama-3-8b");
    a.gatedMlp = false;
    const DeviceSpec& d = *findDevice("h100");
    AnalyticOptions o;
    o.selectiveRecompute = SelectiveRecompute::EverySecondProduct;
    const auto c = block(analyticProfile(a, d, job(4096, 1), {{1}}, o), 0);
    const Roofline roofline(d, NumberFormat::Bf16, {});
    const auto product = [&](double out, double in) { return roofline.product(4096, out, in); };
    const double key = double(a.keyValueHeads) * a.headDim, query = double(a.heads) * a.headDim;
    const Seconds elementWise = c.forward - roofline.attention(2.0 * 4096 * 4096 * query, 4096, a.headDim) -
                                product(query + 2 * key, a.hidden) - product(a.hidden, query) -
                                product(a.intermediate, a.hidden) - product(a.hidden, a.intermediate);
    const Seconds again = product(key, a.hidden) + product(a.hidden, query);
    QVERIFY(isNear(c.recompute[1].extraBackward.value(), (again + elementWise).value(), 1e-9));
  }
  // As PyTorch's: shared heads are sent repeated, gradients go round in fp32 and one hop further.
  void contextMayBeGathered() {
    const auto a = sample("llama-3-8b");
    const auto at = [&](ContextExchange how, double merged) {
      AnalyticOptions o;
      o.contextExchange = how;
      o.constants.contextMergeTraffic.value = merged;
      return block(analyticProfile(a, *findDevice("h100"), job(16384, 1), {{1, false, 4}}, o), 0);
    };
    const auto sent = [](const LayerCost& c, Phase phase) {
      return bytesOf(c, CollectiveKind::RingExchange, GroupKind::Context, phase);
    };
    const LayerCost ring = at(ContextExchange::Ring, 0), gather = at(ContextExchange::Gather, 0);
    const double hop = 4096 * 2 * 2.0 * a.keyValueHeads * a.headDim, whole = hop * a.heads / a.keyValueHeads;
    QCOMPARE(sent(ring, Phase::Forward), hop);
    QCOMPARE(sent(ring, Phase::Backward), 2 * hop);
    QCOMPARE(sent(gather, Phase::Forward), whole);
    QVERIFY(isNear(sent(gather, Phase::Backward), (1 + 2 * 4 / 3.0) * whole));
    QCOMPARE(ring.forward, gather.forward);
    const DeviceSpec& d = *findDevice("h100");
    const double bandwidth = d.memoryBandwidth.value.value() * d.memoryEfficiency.value;
    const double merged = 3 * 4096 * 10.0 * a.heads * a.headDim / bandwidth;
    const LayerCost summed = at(ContextExchange::Gather, 10);
    QVERIFY(isNear((summed.forward - gather.forward).value(), merged, 1e-9));
    QVERIFY(isNear((summed.backward - gather.backward).value(), 3 * merged, 1e-9));
    QCOMPARE(at(ContextExchange::Ring, 10).forward, ring.forward);
  }
  /// Attention inside chunks computes the causal half of each chunk; a sliding window computes all its keys
  /// but at the sequence's beginning, and the tiles that its edges cut.
  void chunkedAttentionComputesHalfOfEachChunk() {
    const DeviceSpec& device = *findDevice("h100");
    const Roofline kernels(device, NumberFormat::Bf16, {});
    auto a = gpt(4096, 32, 4);
    const double tokens = 16384;
    const auto costed = [&](int window, bool isChunk) {
      a.slidingWindow = window, a.windowIsChunk = isChunk;
      return block(analyticProfile(a, device, job(int(tokens), 1), {{1}}), 0);
    };
    const auto core = [&](double keys, double share) {
      return kernels.attention(2 * tokens * keys * share * 32 * (128 + 128), keys, 128);
    };
    const auto difference = [&](bool isChunk) {
      return (costed(4096, isChunk).forward - costed(1024, isChunk).forward).value();
    };
    QVERIFY(isNear(difference(true), (core(4096, 0.5) - core(1024, 0.5)).value(), 1e-9));
    const auto window = [&](double reach) {
      const double keys = kernels.keysOfWindow(reach);
      return core(keys, 1 - 0.5 * keys / tokens);
    };
    QVERIFY(isNear(difference(false), (window(4096) - window(1024)).value(), 1e-9));
  }
  /// Dropout of unfused attention writes a mask and a result and reads the scores, forward and backward; all
  /// else that dropout costs is there with fused attention, too.
  void dropoutOfScoresMovesBytes() {
    const DeviceSpec& device = *findDevice("a100-80");
    auto a = gpt(4096, 32, 4);
    const auto costed = [&](bool fused, bool dropout) {
      a.dropout = dropout;
      return block(analyticProfile(a, device, job(4096, 1), {{1}}, {.flashAttention = fused}), 0);
    };
    const double scores = 32 * 4096.0 * 4096;
    const double seconds =
        5 * scores / (device.memoryBandwidth.value.value() * device.memoryEfficiency.value);
    const auto more = [&](auto pass) {
      return ((costed(false, true).*pass - costed(false, false).*pass) -
              (costed(true, true).*pass - costed(true, false).*pass))
          .value();
    };
    QVERIFY(isNear(more(&LayerCost::forward), seconds, 1e-9));
    QVERIFY(isNear(more(&LayerCost::backward), seconds, 1e-9));
  }
  /// Rows are read and written; dropout reads and writes them once more, whether they are normalised or not.
  void dropoutOfEmbeddingsMovesBytes() {
    const DeviceSpec& device = *findDevice("a100-80");
    auto a = gpt(4096, 32, 4);
    const auto forward = [&](bool norm, bool dropout) {
      a.embeddingNorm = norm, a.dropout = dropout;
      const auto g = analyticProfile(a, device, job(4096, 1), {{1}});
      return g.profile.cost(g.graph.layers.front().classId, 0, 0)->forward.value();
    };
    const double rows =
        2 * 4096.0 * 4096 * 2 / (device.memoryBandwidth.value.value() * device.memoryEfficiency.value);
    QVERIFY(isNear(forward(false, false), rows, 1e-9));
    QVERIFY(isNear(forward(false, true), 2 * rows, 1e-9));
    QVERIFY(forward(true, false) > 1.5 * rows);
    QVERIFY(isNear(forward(true, true) - forward(true, false), rows, 1e-9));
  }
  /// Learned positions of an encoder have rows of their own, whatever it reads and the decoder has.
  void anEncoderHoldsItsPositions() {
    auto a = gpt(4096, 32, 4);
    a.positionRows = 448;
    const auto parameters = [&](int rows) {
      a.encoder = EncoderStack{.layers = 2, .intermediate = 4 * 4096, .length = 700, .positionRows = rows};
      const auto g = analyticProfile(a, *findDevice("h100"), job(1024, 1), {{1}});
      double sum = 0;
      for (const Layer& l : g.graph.layers) sum += g.profile.cost(l.classId, 0, 0)->denseParameters;
      return sum;
    };
    QCOMPARE(parameters(1500) - parameters(1000), 500 * 4096.0);
    QCOMPARE(parameters(1000) - parameters(0), 1000 * 4096.0);
  }
  /// A decoder's blocks project keys and values of the encoder's tokens, as many as it reads, and attend to
  /// all.
  void crossAttentionReadsTheEncodersTokens() {
    const DeviceSpec& device = *findDevice("h100");
    const Roofline kernels(device, NumberFormat::Bf16, {});
    auto a = gpt(4096, 32, 4);
    a.encoder = EncoderStack{.layers = 2, .intermediate = 4 * 4096};
    const auto decoder = [&](int length) {
      a.encoder->length = length;
      const auto g = analyticProfile(a, device, job(1024, 2), {{1}});
      int last = 0;
      for (std::size_t x = 0; x < g.graph.layers.size(); ++x)
        if (g.graph.layers[x].kind == LayerKind::Block) last = int(x);
      return block(g, 0, last).forward;
    };
    const auto cross = [&](double length) {
      return 2 * kernels.product(2 * length, 4096, 4096) +
             kernels.attention(2 * 2 * 1024 * length * 32 * (128 + 128), length, 128);
    };
    for (const auto& [many, few] : {std::pair{1500, 500}, std::pair{8192, 1024}})
      QVERIFY(isNear((decoder(many) - decoder(few)).value(), (cross(many) - cross(few)).value(), 1e-9));
    QCOMPARE(decoder(0), decoder(1024));
  }
  /// 128 is the width that a data sheet's rate is quoted for: narrower heads are slower, wider ones as fast.
  void wideHeadsRunAtTheUsualRate() {
    const Roofline kernels(*findDevice("h100"), NumberFormat::Bf16, {});
    const auto time = [&](double headDim) { return kernels.attention(1e15, 8192, headDim); };
    QCOMPARE(time(256), time(128));
    QCOMPARE(time(512), time(128));
    QVERIFY(time(64) > time(128));
    QVERIFY(isNear(time(64) / time(128), (128.0 / 144) / (64.0 / 80)));
  }
  void everyKernelTakesItsLatency() {
    const DeviceSpec& device = *findDevice("h100");
    const Roofline kernels(device, NumberFormat::Bf16, {});
    const Seconds latency = device.kernelLatency.value;
    QVERIFY(latency > Seconds(0));
    QCOMPARE(kernels.traffic(1), latency);
    QCOMPARE(kernels.product(1, 1, 1), latency);
    QCOMPARE(kernels.groupedProduct(1, 1, 1, 1), latency);
    QCOMPARE(kernels.attention(1, 1, 128), latency);
    QCOMPARE(kernels.traffic(0), Seconds(0));
    QCOMPARE(kernels.attention(0, 1, 128), Seconds(0));
    const double bandwidth = device.memoryBandwidth.value.value() * device.memoryEfficiency.value;
    QVERIFY(isNear(kernels.traffic(1e9).value(), 1e9 / bandwidth));
  }
};
NEST_TEST(TestKernelCosts)
#include "test_kernel_costs.moc"
