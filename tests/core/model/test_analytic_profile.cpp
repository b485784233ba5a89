#include <QtTest/QTest>
#include <algorithm>
#include <cmath>

#include "analytic_fixture.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

class TestAnalyticProfile : public QObject {
  Q_OBJECT
private slots:
  void stashFollowsKorthikanti() {
    const double s = 2048, b = 4, h = 6144, a = 64;
    const auto g = analyticProfile(gpt(6144, 64, 48), *findDevice("a100-80"), job(2048, 4),
                                   {{1}, {8}, {8, true}}, {.flashAttention = false});
    const auto stash = [&](int strategy, Recompute r) {
      return block(g, strategy).recompute[std::size_t(r)].stash.value();
    };
    QVERIFY(isNear(stash(0, Recompute::None), s * b * h * (34 + 5 * a * s / h)));
    QVERIFY(isNear(stash(1, Recompute::None), s * b * h * (10 + 24.0 / 8 + 5 * a * s / (h * 8))));
    QVERIFY(isNear(stash(2, Recompute::None), s * b * h / 8 * (34 + 5 * a * s / h)));
    QVERIFY(isNear(stash(1, Recompute::Selective), s * b * h * (10 + 24.0 / 8)));
    QVERIFY(isNear(stash(2, Recompute::Selective), 34 * s * b * h / 8));
    QVERIFY(isNear(stash(1, Recompute::Full), 2 * s * b * h));
    QVERIFY(isNear(stash(2, Recompute::Full), 2 * s * b * h / 8));
  }
  /// One kernel for the activation and one for the product keep what the first made, norms of several kernels
  /// a quarter of what they move, of which 4 bytes are input and result; LLaMA's widths are 28672 and 8192.
  void eagerKernelsKeepMore() {
    const auto stash = [](bool eager, double normTraffic = 4) {
      AnalyticOptions options{.eagerElementwise = eager};
      options.constants.eagerNormTraffic.value = normTraffic;
      const auto g = analyticProfile(sample("llama-3-70b"), *findDevice("h100"), job(4096, 1),
                                     {{1}, {8, true}}, options);
      return std::pair(block(g, 0).recompute[0].stash.value(), block(g, 1).recompute[0].stash.value());
    };
    const auto fused = stash(false), eager = stash(true);
    QCOMPARE(eager.first - fused.first, 4096.0 * 28672 * 2);
    QCOMPARE(eager.second - fused.second, 4096.0 * 28672 * 2 / 8);
    QCOMPARE(stash(true, 24).first - eager.first, 2 * 4096.0 * 8192 * 2);
    QCOMPARE(stash(true, 40).first - eager.first, 2 * 4096.0 * 8192 * 6);
    QVERIFY(stash(true, 10) == eager);
  }
  /// Scores of 16 heads, as often as the constants say, where attention is not fused.
  void scoresAreKept() {
    const auto stash = [](double times, bool flash) {
      AnalyticOptions options{.flashAttention = flash};
      options.constants.storedScores.value = times;
      const auto g = analyticProfile(sample("llama-3-8b"), *findDevice("h100"), job(4096, 1), {{2}}, options);
      return block(g, 0).recompute[0].stash.value();
    };
    const double scores = 4096.0 * 4096 * 16, logarithms = 4096.0 * 4 * 16;
    QCOMPARE(stash(1, false) - stash(1, true) + logarithms, scores * 2);
    QCOMPARE(stash(2, false) - stash(2, true) + logarithms, scores * 4);
  }
  /// Two inputs of 2048 widths in full instead of an eighth each, which are not gathered again.
  void whatWasGatheredMayBeKept() {
    const auto costed = [](bool kept, bool sequence) {
      AnalyticOptions options{.keepsGatheredInputs = kept};
      const auto g =
          analyticProfile(gpt(2048, 16, 2), *findDevice("h100"), job(4096, 1), {{8, sequence}}, options);
      const int head = static_cast<int>(g.graph.layers.size()) - 1;
      return std::tuple(block(g, 0).recompute[0].stash.value(), block(g, 0, head).recompute[0].stash.value(),
                        bytesOf(block(g, 0), CollectiveKind::AllGather, GroupKind::Tensor, Phase::Backward));
    };
    const double whole = 4096.0 * 2048 * 2;
    const auto [stash, head, gathered] = costed(false, true);
    const auto [keptStash, keptHead, keptGathered] = costed(true, true);
    QCOMPARE(keptStash - stash, 2 * whole * 7 / 8);
    QCOMPARE(keptHead - head, whole * 7 / 8);
    QCOMPARE(gathered - keptGathered, 2 * whole);
    QCOMPARE(costed(true, false), costed(false, false));
  }
  /// A copy of each of a block's four exchanges, forward and backward; none without sequence parallelism. A
  /// recompute that stops early spares the last exchange, and its copy.
  void exchangesMayBeReordered() {
    const auto costed = [](bool reorders, bool sequence) {
      AnalyticOptions options{
          .recomputeStopsEarly = true, .keepsGatheredInputs = true, .reordersExchanges = reorders};
      const auto g =
          analyticProfile(sample("llama-3-8b"), *findDevice("h100"), job(4096, 2), {{8, sequence}}, options);
      const LayerCost& c = block(g, 0);
      return std::tuple(c.forward.value(), c.backward.value(),
                        c.recompute[std::size_t(Recompute::Full)].extraBackward.value());
    };
    const DeviceSpec& h100 = *findDevice("h100");
    const double copy =
        2 * (2 * 4096.0 * 4096 * 2) / (h100.memoryBandwidth.value.value() * h100.memoryEfficiency.value);
    const auto [forward, backward, again] = costed(false, true);
    const auto [reorderedForward, reorderedBackward, reorderedAgain] = costed(true, true);
    QVERIFY(isNear(reorderedForward - forward, 4 * copy, 1e-9));
    QVERIFY(isNear(reorderedBackward - backward, 4 * copy, 1e-9));
    QVERIFY(isNear(reorderedAgain - again, 3 * copy, 1e-9));
    QCOMPARE(costed(true, false), costed(false, false));
  }
  /// What fp8 products read, and backward the gradients of their results; what is scattered stays in 16 bits.
  void inputsMayBeGatheredInFp8() {
    const auto exchanged = [](NumberFormat format, double bytes, CollectiveKind kind, Phase phase) {
      AnalyticOptions options{.keepsGatheredInputs = true};
      options.constants.fp8GatherBytes.value = bytes;
      Job j = job(4096, 1);
      j.format = format;
      const auto g = analyticProfile(sample("llama-3-8b"), *findDevice("h100"), j, {{8, true}}, options);
      return bytesOf(block(g, 0), kind, GroupKind::Tensor, phase);
    };
    const double whole = 4096.0 * 4096 * 2;
    for (const Phase phase : {Phase::Forward, Phase::Backward}) {
      QCOMPARE(exchanged(NumberFormat::Fp8, 2, CollectiveKind::AllGather, phase), 2 * whole);
      QCOMPARE(exchanged(NumberFormat::Fp8, 1, CollectiveKind::AllGather, phase), whole);
      QCOMPARE(exchanged(NumberFormat::Fp8, 1, CollectiveKind::ReduceScatter, phase), 2 * whole);
      QCOMPARE(exchanged(NumberFormat::Bf16, 1, CollectiveKind::AllGather, phase), 2 * whole);
    }
  }
  /// torchtitan keeps results of products and of scatters: what its recompute reads is gathered once more.
  void everySecondProductGathersAgain() {
    const auto gathered = [](SelectiveRecompute what, bool sequence) {
      AnalyticOptions options{.selectiveRecompute = what, .keepsGatheredInputs = true};
      const auto g =
          analyticProfile(gpt(2048, 16, 2), *findDevice("h100"), job(4096, 1), {{8, sequence}}, options);
      return bytesOf(block(g, 0), CollectiveKind::AllGather, GroupKind::Tensor, Phase::RecomputeSelective);
    };
    QCOMPARE(gathered(SelectiveRecompute::EverySecondProduct, true), 2 * 4096.0 * 2048 * 2);
    QCOMPARE(gathered(SelectiveRecompute::EverySecondProduct, false), 0.0);
    QCOMPARE(gathered(SelectiveRecompute::AttentionCore, true), 0.0);
  }
  /// One all-reduce more before a gated MLP, and two more where queries, keys and values are three products.
  void inputGradientsMayBeSummedApart() {
    const auto reduced = [](const TransformerArchitecture& a, bool apart, bool sequence) {
      AnalyticOptions options{.sumsEachInput = apart};
      const auto g = analyticProfile(a, *findDevice("a100-80"), job(4096, 1), {{4, sequence}}, options);
      return std::pair(bytesOf(block(g, 0), CollectiveKind::AllReduce, GroupKind::Tensor, Phase::Backward),
                       bytesOf(block(g, 0), CollectiveKind::AllReduce, GroupKind::Tensor, Phase::Forward));
    };
    const auto llama = sample("llama-2-7b"), grouped = sample("llama-3-70b");
    const double whole = 4096.0 * llama.hidden * 2, wide = 4096.0 * grouped.hidden * 2;
    QCOMPARE(reduced(llama, false, false), std::pair(2 * whole, 2 * whole));
    QCOMPARE(reduced(llama, true, false), std::pair(3 * whole, 2 * whole));
    QCOMPARE(reduced(grouped, true, false), std::pair(5 * wide, 2 * wide));
    QCOMPARE(reduced(gpt(2048, 16, 2), true, false), reduced(gpt(2048, 16, 2), false, false));
    QCOMPARE(reduced(llama, true, true), std::pair(0.0, 0.0));
  }
  /// Keys and values twice where the projection is one for all heads, not where queries share them.
  void aWholeProjectionMayBeKept() {
    const auto stash = [](const TransformerArchitecture& a, bool kept) {
      AnalyticOptions options{.keepsWholeProjection = kept};
      const auto g = analyticProfile(a, *findDevice("h100"), job(4096, 1), {{2}}, options);
      return block(g, 0).recompute[0].stash.value();
    };
    const auto multi = gpt(2048, 16, 2);
    QCOMPARE(stash(multi, true) - stash(multi, false), 4096.0 * 2 * 2048 * 2 / 2);
    QCOMPARE(stash(sample("llama-3-70b"), true), stash(sample("llama-3-70b"), false));
  }
  void tensorRanksMayGatherAllLogits() {
    const auto head = [](bool whole, int tensor) {
      AnalyticOptions options{.wholeLogits = whole};
      auto g = analyticProfile(gpt(1024, 16, 2), *findDevice("a100-80"), job(2048, 2), {{tensor}}, options);
      return block(g, 0, static_cast<int>(g.graph.layers.size()) - 1);
    };
    const LayerCost divided = head(false, 4), whole = head(true, 4);
    // Twice more, in 16 bits: as they arrive, and in the ranks' parts.
    QCOMPARE(whole.recompute[0].workspace.value(),
             divided.recompute[0].workspace.value() * 4 + 2.0 * 2048 * 51200 * 4);
    QVERIFY(whole.forward > divided.forward && whole.backward > divided.backward);
    QCOMPARE(bytesOf(whole, CollectiveKind::AllGather, GroupKind::Tensor, Phase::Forward) -
                 bytesOf(divided, CollectiveKind::AllGather, GroupKind::Tensor, Phase::Forward),
             2.0 * 2048 * 51200 * 2);
    QCOMPARE(head(true, 1), head(false, 1));
  }
  /// While a block's backward runs, what was not kept has to be there again: all of the stash under full
  /// recompute, the scores under selective.
  void workspaceHoldsWhatWasRecomputed() {
    const double s = 2048, b = 4, h = 6144, a = 64, scores = a * s * s * b;
    const auto g = analyticProfile(gpt(6144, 64, 48), *findDevice("a100-80"), job(2048, 4), {{1}},
                                   {.flashAttention = false});
    const auto workspace = [&](Recompute r) {
      return block(g, 0).recompute[std::size_t(r)].workspace.value();
    };
    // Gradients of both inputs and of the MLP's inner width, and of the scores before and behind softmax.
    const double gradients = s * b * h * (2 + 4) * 2 + 2 * 2 * scores;
    QVERIFY(isNear(workspace(Recompute::None), gradients));
    QVERIFY(isNear(workspace(Recompute::Selective), gradients + 5 * scores));
    QVERIFY(isNear(workspace(Recompute::Full), gradients + 5 * scores + 34 * s * b * h));
  }
  /// DeepSeek-V3's first block: besides what others keep, the compressed queries, keys and values.
  void latentAttentionKeepsWhatItCompressed() {
    const double tokens = 4096, h = 7168, heads = 128;
    const auto g =
        analyticProfile(sample("deepseek-v3"), *findDevice("h100"), job(4096, 1), {{1}, {8, true}});
    const double compressed = 1536 + 512 + 64;
    const double inner = heads * (192 + 192 + 128 + 128) * 2 + 3 * 18432 * 2 + 4 * heads;
    const auto stash = [&](int strategy) { return block(g, strategy).recompute[0].stash.value(); };
    QVERIFY(isNear(stash(0), tokens * (4 * h * 2 + compressed * 2 + inner)));
    QVERIFY(isNear(stash(1), tokens / 8 * (4 * h * 2 + compressed * 2 + inner)));
  }
  /// A narrow window hides little from a causal model, whose first queries see less than it holds; one as
  /// long as the sequence half, as if there were none.
  void causalModelsComputeHalfTheirScoresOrTheirWindow() {
    const auto forward = [](bool causal, int window) {
      auto a = sample("llama-3-8b");
      a.causal = causal;
      a.slidingWindow = window;
      return block(analyticProfile(a, *findDevice("h100"), job(32768, 1), {{1}}), 0).forward;
    };
    QVERIFY(forward(true, 4096) < forward(false, 4096));
    QVERIFY(isNear(forward(true, 4096).value(), forward(false, 4096).value(), 0.03));
    QVERIFY(forward(true, 4096) < forward(true, 16384) && forward(true, 16384) < forward(true, 0));
    QCOMPARE(forward(true, 32768), forward(true, 0));
    QVERIFY(forward(true, 0).value() < 0.9 * forward(false, 0).value());
  }
  void parametersOfAllLayersSumToTheModel() {
    for (const char* name :
         {"llama-3-70b", "gpt3-175b", "mixtral-8x7b", "deepseek-v3", "bert-large", "qwen2-7b"}) {
      const auto a = sample(name);
      const auto g = analyticProfile(a, *findDevice("h100"), job(2048, 1), {{1}});
      double sum = 0;
      for (const Layer& l : g.graph.layers)
        sum += g.profile.cost(l.classId, 0, 0)->denseParameters +
               g.profile.cost(l.classId, 0, 0)->expertParameters;
      QVERIFY2(isNear(sum, parameterCount(a)), name);
      QVERIFY(g.graph.isChain());
      QCOMPARE(g.profile.tied.has_value(), a.tiedEmbeddings);
    }
  }
  void tensorRanksShareParametersAndHeads() {
    const auto a = sample("llama-3-70b");  // 8 key-value heads
    const auto g = analyticProfile(a, *findDevice("h100"), job(4096, 1), {{1}, {8}, {16}});
    const double norms = 2.0 * a.hidden, whole = block(g, 0).denseParameters - norms;
    QVERIFY(isNear(block(g, 1).denseParameters, whole / 8 + norms));
    // Sixteen ranks hold each key-value head twice.
    const double keyValue = 2.0 * a.hidden * a.keyValueHeads * a.headDim;
    QVERIFY(isNear(block(g, 2).denseParameters, (whole - keyValue) / 16 + keyValue / 8 + norms));
    QVERIFY(block(g, 1).forward < block(g, 0).forward);
    QVERIFY(block(g, 1).forward * 8 > block(g, 0).forward);  // smaller products run less well
  }
  void exchangesOfTensorParallelism() {
    const auto g =
        analyticProfile(sample("llama-2-7b"), *findDevice("h100"), job(4096, 2), {{8}, {8, true}, {1}});
    const double hidden = 2.0 * 4096 * 4096 * 2;
    for (const Phase p : {Phase::Forward, Phase::Backward, Phase::RecomputeFull}) {
      QCOMPARE(bytesOf(block(g, 0), CollectiveKind::AllReduce, GroupKind::Tensor, p), 2 * hidden);
      // Backward gathers its inputs once more, for the weight gradients.
      const double gathers = p == Phase::Backward ? 4 : 2;
      QCOMPARE(bytesOf(block(g, 1), CollectiveKind::AllGather, GroupKind::Tensor, p), gathers * hidden);
      QCOMPARE(bytesOf(block(g, 1), CollectiveKind::ReduceScatter, GroupKind::Tensor, p), 2 * hidden);
    }
    QVERIFY(block(g, 2).collectives.empty());
    QCOMPARE(g.profile.tensorBytes(0, 0, 0).value(), hidden);
    QCOMPARE(g.profile.tensorBytes(0, 1, 0).value(), hidden / 8);
  }
  void expertsAreSpreadAndExchanged() {
    const auto a = sample("mixtral-8x7b");
    const auto g =
        analyticProfile(a, *findDevice("h100"), job(4096, 1), {{1}, {1, false, 1, 8}, {2, true, 1, 8}});
    QVERIFY(isNear(block(g, 1).expertParameters, block(g, 0).expertParameters / 8));
    QCOMPARE(block(g, 1).denseParameters, block(g, 0).denseParameters);
    const double sent = 4096.0 * 2 * a.hidden * 2;
    QCOMPARE(bytesOf(block(g, 1), CollectiveKind::AllToAll, GroupKind::Expert, Phase::Forward), 2 * sent);
    QCOMPARE(bytesOf(block(g, 2), CollectiveKind::AllToAll, GroupKind::Expert, Phase::Backward), sent);
    QCOMPARE(bytesOf(block(g, 0), CollectiveKind::AllToAll, GroupKind::Expert, Phase::Forward), 0.0);
    // The same tokens in fewer, fuller experts: never slower.
    QVERIFY(block(g, 1).forward <= block(g, 0).forward);
  }
  /// Whole on a rank: the same work and parameters where twice as many ranks form a group, no gathering.
  void foldedExpertsTakeTheirOwnTokens() {
    const auto a = sample("mixtral-8x7b");
    const auto g = analyticProfile(a, *findDevice("h100"), job(4096, 1),
                                   {{2, true, 1, 4}, {2, true, 1, 8, true}, {2, true, 1, 1, true}, {1}});
    const LayerCost &split = block(g, 0), &folded = block(g, 1), &whole = block(g, 2);
    QVERIFY(isNear(folded.expertParameters, split.expertParameters));
    QCOMPARE(whole.expertParameters, block(g, 3).expertParameters);
    QCOMPARE(folded.denseParameters, split.denseParameters);
    const double sent = 4096.0 / 2 * 2 * a.hidden * 2, hidden = 4096.0 * a.hidden * 2;
    for (const Phase p : {Phase::Forward, Phase::Backward}) {
      QCOMPARE(bytesOf(folded, CollectiveKind::AllToAll, GroupKind::Expert, p), 2 * sent);
      QCOMPARE(bytesOf(split, CollectiveKind::AllToAll, GroupKind::Expert, p), 2 * sent);
      // Attention alone is split over tensor ranks; its input is gathered again backward.
      QCOMPARE(bytesOf(folded, CollectiveKind::AllGather, GroupKind::Tensor, p),
               (p == Phase::Backward ? 2 : 1) * hidden);
      QCOMPARE(bytesOf(folded, CollectiveKind::ReduceScatter, GroupKind::Tensor, p), hidden);
      QVERIFY(bytesOf(split, CollectiveKind::AllGather, GroupKind::Tensor, p) > 2 * hidden);
    }
    // Wider matrices for the same tokens: never slower.
    QVERIFY(folded.forward <= split.forward);
    QVERIFY(folded.recompute[0].stash < split.recompute[0].stash);
  }
  void contextRanksPassKeysAndValues() {
    const auto a = sample("llama-3-8b");
    const auto g = analyticProfile(a, *findDevice("h100"), job(32768, 1), {{1}, {1, false, 4}});
    const double hop = 32768.0 / 4 * 2 * a.keyValueHeads * a.headDim * 2;
    QCOMPARE(bytesOf(block(g, 1), CollectiveKind::RingExchange, GroupKind::Context, Phase::Forward), hop);
    QCOMPARE(bytesOf(block(g, 1), CollectiveKind::RingExchange, GroupKind::Context, Phase::Backward),
             2 * hop);
    QVERIFY(isNear(block(g, 1).recompute[0].stash.value(), block(g, 0).recompute[0].stash.value() / 4));
    QVERIFY(isNear(block(g, 1).forward.value(), block(g, 0).forward.value() / 4, 0.02));
    QCOMPARE(g.profile.tensorBytes(0, 1, 0).value() * 4, g.profile.tensorBytes(0, 0, 0).value());
  }
  void timeIsNeverBetterThanTheDevice() {
    for (const char* name : {"llama-2-7b", "mixtral-8x7b", "deepseek-v3", "gpt3-175b"}) {
      const auto a = sample(name);
      const auto& device = *findDevice("h100");
      const auto g = analyticProfile(a, device, job(2048, 1), {{1}});
      double seconds = 0;
      for (const Layer& l : g.graph.layers) {
        const LayerCost& c = *g.profile.cost(l.classId, 0, 0);
        QVERIFY(c.backward > c.forward);
        seconds += (c.forward + c.backward).value();
      }
      // Narrow experts with few tokens each read weights more than they compute.
      const double least = modelFlops(a, 2048, 1).value() / device.peak.value.value();
      QVERIFY2(seconds > least && seconds < (a.experts ? 20 : 4) * least, name);
    }
  }
  void theHeadHoldsItsLogitsAndTheirGradients() {
    const auto a = gpt(1024, 16, 2);
    const auto g = analyticProfile(a, *findDevice("a100-80"), job(2048, 2), {{1}, {4}});
    const int head = static_cast<int>(g.graph.layers.size()) - 1;
    const double logits = 2.0 * 2048 * 51200, each = AnalyticConstants().lossWorkspace.value;
    QVERIFY(each >= 2);
    for (const auto& r : block(g, 0, head).recompute) QVERIFY(isNear(r.workspace.value(), logits * each));
    QVERIFY(isNear(block(g, 1, head).recompute[0].workspace.value(), logits / 4 * each));
  }
  void fp32NumbersTakeFourBytes() {
    Job j = job(2048, 2);
    const auto passed = [&] {
      const auto g = analyticProfile(gpt(1024, 16, 2), *findDevice("a100-80"), j, {{4}});
      return std::pair(g.profile.tensorBytes(0, 0, 0).value(),
                       bytesOf(block(g, 0), CollectiveKind::AllReduce, GroupKind::Tensor, Phase::Forward));
    };
    const auto wide = passed();
    j.format = NumberFormat::Fp32;
    const auto wider = passed();
    QVERIFY(wide.first > 0 && wide.second > 0);
    QCOMPARE(wider.first, 2 * wide.first);
    QCOMPARE(wider.second, 2 * wide.second);
  }
  void sequenceParallelRanksHoldEvenParts() {
    SearchOptions search;
    search.contextParallel = true;
    // 2 · 2,049 tokens: halves, but no quarters.
    const auto all = strategiesOnOffer(sample("llama-3-70b"), search, {}, job(4098, 1), 2, 4);
    const auto offers = [&](const Strategy& s) { return std::find(all.begin(), all.end(), s) != all.end(); };
    QVERIFY(offers({2, true, 1, 1}) && offers({2, false, 2, 1}));
    QVERIFY(!offers({2, true, 2, 1}));
  }
  void strategiesFollowThePreset() {
    SearchOptions search;
    const auto a = sample("llama-3-70b");
    const auto runnable = strategiesOnOffer(a, search, {}, job(4096, 1), 8, 64);
    std::vector<std::string> names;
    for (const auto& s : runnable) names.push_back(toText(s));
    QCOMPARE(names, (std::vector<std::string>{"TP1", "TP2", "TP2+SP", "TP4", "TP4+SP", "TP8", "TP8+SP"}));
    names.clear();  // hosts of six, or four devices of each
    for (const auto& s : strategiesOnOffer(a, search, {}, job(4096, 1), 6, 64)) names.push_back(toText(s));
    QCOMPARE(names, (std::vector<std::string>{"TP1", "TP2", "TP2+SP", "TP4", "TP4+SP"}));
    search.preset = SearchPreset::Free;
    QVERIFY(strategiesOnOffer(a, search, {}, job(4096, 1), 6, 64).size() > 16);
    search.preset = SearchPreset::Runnable;
    Constraints only;
    only.tensor = {4, 4};
    QCOMPARE(strategiesOnOffer(a, search, only, job(4096, 1), 8, 64).size(), std::size_t(2));
    search.contextParallel = true;
    search.sequenceParallel = false;
    const auto moe = strategiesOnOffer(sample("mixtral-8x7b"), search, only, job(4096, 1), 8, 16);
    // t = 4 leaves four devices: c1 e1, e2, e4; c2 e1, e2; c4 e1.
    QCOMPARE(moe.size(), std::size_t(6));
    // Folded, groups may span all sixteen devices: c1 e1, e2, e4, e8; c2 and c4 the same.
    search.sequenceParallel = true;
    search.expertFolding = ExpertFolding::Only;
    const auto folded = strategiesOnOffer(sample("mixtral-8x7b"), search, only, job(4096, 1), 8, 16);
    QCOMPARE(folded.size(), std::size_t(12));
    QVERIFY(std::all_of(folded.begin(), folded.end(),
                        [](const Strategy& s) { return s.foldedExperts && s.sequence; }));
    search.expertFolding = ExpertFolding::Both;
    QCOMPARE(strategiesOnOffer(sample("mixtral-8x7b"), search, only, job(4096, 1), 8, 16).size(),
             std::size_t(12 + 2 * 6));
  }
};
NEST_TEST(TestAnalyticProfile)
#include "test_analytic_profile.moc"
