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
