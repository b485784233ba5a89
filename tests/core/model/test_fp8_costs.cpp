#include <QtTest/QTest>
#include <algorithm>
#include <cmath>

#include "analytic/roofline.h"
#include "analytic_fixture.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

/// What fp8 changes: rates, casts, and what is kept.
class TestFp8Costs : public QObject {
  Q_OBJECT
private slots:
  void fp8IsFasterWhereTheDeviceHasIt() {
    auto j = job(4096, 1);
    const auto a = sample("llama-3-70b");
    const auto wide = analyticProfile(a, *findDevice("h100"), j, {{8, true}});
    j.format = NumberFormat::Fp8;
    const auto narrow = analyticProfile(a, *findDevice("h100"), j, {{8, true}});
    const auto old = analyticProfile(a, *findDevice("a100"), j, {{8, true}});
    j.format = NumberFormat::Bf16;
    const auto oldWide = analyticProfile(a, *findDevice("a100"), j, {{8, true}});
    QVERIFY(block(narrow, 0).forward < block(wide, 0).forward);
    QCOMPARE(block(old, 0).forward, block(oldWide, 0).forward);
  }
  // Each operand of each product is cast once; without that, and in 16 bits, nothing is.
  void fp8CastsItsOperands() {
    auto j = job(4096, 1);
    const auto a = sample("llama-3-8b");
    const auto at = [&](const char* device, double bytes) {
      AnalyticOptions o;
      o.constants.fp8CastTraffic.value = bytes;
      return block(analyticProfile(a, *findDevice(device), j, {{1}}, o), 0);
    };
    QCOMPARE(at("h100", 0).forward, at("h100", 4).forward);
    j.format = NumberFormat::Fp8;
    QCOMPARE(at("a100", 0).forward, at("a100", 4).forward);  // computes in 16 bits
    const DeviceSpec& d = *findDevice("h100");
    const double bandwidth = d.memoryBandwidth.value.value() * d.memoryEfficiency.value;
    const double read = 3.0 * a.hidden + a.intermediate;
    const double made = (a.heads + 2.0 * a.keyValueHeads) * a.headDim + 2.0 * a.hidden + 2.0 * a.intermediate;
    QVERIFY(isNear((at("h100", 4).forward - at("h100", 0).forward).value(), 4096 * read * 4 / bandwidth));
    QVERIFY(isNear((at("h100", 4).backward - at("h100", 0).backward).value(), 4096 * made * 4 / bandwidth));
  }
  /// Formats are entries of a file: their rate, and the bytes of an operand with its scales (8.8).
  void formatsAreData() {
    const auto names = numberFormatNames();
    QCOMPARE((std::vector<std::string>(names.begin(), names.begin() + 4)),
             (std::vector<std::string>{"bf16", "fp16", "fp8", "fp32"}));
    for (const NumberFormatSpec& f : numberFormats()) {
      QCOMPARE(nameOf(*numberFormatNamed(f.id)), f.id.c_str());
      QVERIFY2(!f.isNarrow() || (!f.source.empty() && f.operandBytes < 2), f.id.c_str());
    }
    QVERIFY(!numberFormatNamed("fp7"));
    auto j = job(4096, 1);
    const auto a = sample("llama-3-70b");
    const auto of = [&](const char* format, const char* device, double cast, double kept) {
      AnalyticOptions o;
      o.constants.fp8CastTraffic.value = cast, o.constants.fp8InputBytes.value = kept;
      j.format = *numberFormatNamed(format);
      return block(analyticProfile(a, *findDevice(device), j, {{1}}, o), 0);
    };
    const auto forward = [&](const char* format, const char* device) {
      return of(format, device, 4, 1).forward;
    };
    QVERIFY(forward("nvfp4", "gb200") < forward("mxfp8", "gb200"));
    QVERIFY(forward("fp8", "gb200") < forward("mxfp8", "gb200"));
    QVERIFY(forward("mxfp8", "gb200") < forward("bf16", "gb200"));
    QVERIFY(forward("nvfp4", "gb300") < forward("nvfp4", "gb200"));
    QCOMPARE(forward("nvfp4", "h100"), forward("bf16", "h100"));  // computes in 16 bits
    // 2 · 1/32 more bytes of every operand are moved, and 1/32 more of those that are kept.
    const DeviceSpec& d = *findDevice("gb200");
    const double elements = 4096 * (3.0 * a.hidden + a.intermediate);
    const double bandwidth = d.memoryBandwidth.value.value() * d.memoryEfficiency.value;
    QVERIFY(isNear((forward("mxfp8", "gb200") - forward("fp8", "gb200")).value(), elements / 16 / bandwidth,
                   1e-6));
    const auto stash = [&](const char* format, double kept) {
      return of(format, "gb200", 4, kept).recompute[0].stash.value();
    };
    const double read = 4096 * (3.0 * a.hidden + a.intermediate);
    QVERIFY(isNear(stash("mxfp8", 1) - stash("fp8", 1), read / 32, 1e-9));
    QVERIFY(isNear(stash("fp8", 1) - stash("nvfp4", 1), read * 7 / 16, 1e-9));
    QCOMPARE(stash("nvfp4", 2), stash("fp8", 2));  // a program that keeps 16 bits
  }
  /// The busiest rank decides; where all experts are on one rank, none waits for it.
  void unevenExpertsTakeLonger() {
    const auto j = job(4096, 1);
    const auto a = sample("mixtral-8x7b");
    const auto at = [&](int expert, double imbalance) {
      AnalyticOptions o;
      o.expertImbalance = imbalance;
      return block(analyticProfile(a, *findDevice("h100"), j, {{1, false, 1, expert}}, o), 0);
    };
    const auto sent = [](const LayerCost& c) {
      double bytes = 0;
      for (const Collective& x : c.collectives)
        if (x.kind == CollectiveKind::AllToAll && x.phase == Phase::Forward) bytes += x.bytes.value();
      return bytes;
    };
    QVERIFY(at(1, 2) == at(1, 1));
    QVERIFY(isNear(sent(at(8, 1.5)), 1.5 * sent(at(8, 1))));
    QVERIFY(at(8, 1.5).forward > at(8, 1).forward * 1.2);
    QVERIFY(at(8, 1.5).recompute[0].stash > at(8, 1).recompute[0].stash);
    QCOMPARE(at(8, 1.5).expertParameters, at(8, 1).expertParameters);
  }
  /// A layer of multi-token prediction: a block, a projection of two states, two norms, and the head again.
  void predictionStandsWithTheHead() {
    const auto j = job(4096, 1);
    const auto a = sample("llama-3-8b");
    const auto with = [&](int depth) {
      AnalyticOptions o;
      o.predictionLayers = depth;
      return analyticProfile(a, *findDevice("h100"), j, {{2, true}}, o);
    };
    const auto headOf = [](const GraphAndProfile& m) {
      return *m.profile.cost(m.graph.layers.back().classId, 0, 0);
    };
    const auto none = with(0), one = with(1), two = with(2);
    QCOMPARE(one.graph.layerCount(), none.graph.layerCount());
    const LayerCost head = headOf(none), body = block(none, 0), more = headOf(one);
    const double h = a.hidden;
    QVERIFY(
        isNear(more.denseParameters - head.denseParameters, body.denseParameters + 2 * h * h / 2 + 3 * h));
    QVERIFY(more.forward > head.forward * 2 + body.forward);
    QVERIFY(
        isNear((headOf(two).forward - more.forward).value(), (more.forward - head.forward).value(), 1e-9));
    QVERIFY(more.recompute[0].stash > head.recompute[0].stash + body.recompute[0].stash);
    QVERIFY(isNear(more.recompute[0].workspace.value(),
                   2 * head.recompute[0].workspace.value() + body.recompute[0].workspace.value()));
    QVERIFY(!none.profile.tied && one.profile.tied);  // the embedding stands with the head, too
  }
  void fp8HasAnEfficiencyOfItsOwn() {
    auto j = job(4096, 1);
    DeviceSpec d = *findDevice("h100");
    const auto forward = [&] {
      return block(analyticProfile(sample("llama-3-70b"), d, j, {{1}}), 0).forward;
    };
    d.matrixEfficiencyFp8.reset();
    const Seconds wide = forward();
    d.matrixEfficiencyFp8 = Sourced<double>{0.3};
    QCOMPARE(forward(), wide);
    j.format = NumberFormat::Fp8;
    const Seconds slow = forward();
    d.matrixEfficiencyFp8.reset();
    QVERIFY(forward() < 0.7 * slow);
  }
  // What a product in fp8 read is kept as it read it, where the program does; attention keeps its own result.
  void fp8InputsMayBeKeptInAByte() {
    auto j = job(4096, 1);
    const auto a = sample("llama-3-8b");
    const auto stash = [&](double bytes) {
      AnalyticOptions o;
      o.constants.fp8InputBytes.value = bytes;
      return block(analyticProfile(a, *findDevice("h100"), j, {{1}}, o), 0).recompute[0].stash.value();
    };
    QCOMPARE(stash(1), stash(2));  // in 16 bits
    j.format = NumberFormat::Fp8;
    const double heads = double(a.heads) * a.headDim;
    QVERIFY(isNear(stash(2) - stash(1), 4096 * (2.0 * a.hidden + a.intermediate - heads)));
  }
};
NEST_TEST(TestFp8Costs)
#include "test_fp8_costs.moc"
