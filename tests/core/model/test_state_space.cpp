#include <QtTest/QTest>

#include "analytic/analytic_constants.h"
#include "analytic/block_shape.h"
#include "analytic/roofline.h"
#include "analytic_fixture.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

TransformerArchitecture stateSpaceModel(int heads, int timeRank) {
  auto a = gpt(2048, 16, 2);
  a.mixer = Mixer::StateSpace;
  a.stateSpace = {.heads = heads, .headDim = 64, .stateSize = 128, .groups = 8, .timeRank = timeRank};
  return a;
}

/// Bytes that the element-wise work of a block moves, forward and backward. Products are so slow on this
/// device that the memory bandwidth changes nothing else.
std::pair<double, double> elementwiseBytes(const TransformerArchitecture& a) {
  DeviceSpec slow = *findDevice("h100");
  slow.peak.value = slow.peak.value * 1e-3;
  DeviceSpec narrow = slow;
  narrow.memoryBandwidth.value = slow.memoryBandwidth.value * 0.5;
  const auto wideBlock = analyticProfile(a, slow, job(8192, 1), {{1}});
  const auto narrowBlock = analyticProfile(a, narrow, job(8192, 1), {{1}});
  const double rate = slow.memoryBandwidth.value.value() * slow.memoryEfficiency.value;
  return {(block(narrowBlock, 0).forward - block(wideBlock, 0).forward).value() * rate,
          (block(narrowBlock, 0).backward - block(wideBlock, 0).backward).value() * rate};
}

}  // namespace

/// Layers with a state in place of attention.
class TestStateSpace : public QObject {
  Q_OBJECT
private slots:
  /// Products inside a chunk run three times their forward work backward (C·B again and two gradients; two
  /// gradients and that of decays), those with states five for two; states between chunks move 8 bytes each
  /// forward and 24 backward. Chunk lengths alone differ, so that all else cancels.
  void stateSpacesComputeTheirStatesAgain() {
    const DeviceSpec& device = *findDevice("h100");
    const Roofline kernels(device, NumberFormat::Bf16, {});
    const double tokens = 8192, heads = 64, width = 64, state = 128, groups = 8;
    auto a = gpt(2048, 16, 2);
    a.mixer = Mixer::StateSpace;
    a.stateSpace = {
        .heads = int(heads), .headDim = int(width), .stateSize = int(state), .groups = int(groups)};
    const auto core = [&](double chunk) {
      const double n = tokens / chunk;
      const auto scores = kernels.wideProduct(chunk, chunk, state, groups * n);
      const auto inside = kernels.wideProduct(chunk, width, chunk, heads * n);
      const auto into = kernels.wideProduct(state, width, chunk, heads * n);
      const auto out = kernels.wideProduct(chunk, width, state, heads * n);
      const double states = heads * n * width * state;
      return std::pair(scores + inside + into + out + kernels.traffic(8 * states),
                       3 * scores + 3 * inside + 2 * into + 3 * out + kernels.traffic(24 * states));
    };
    const auto costed = [&](int chunk) {
      a.stateSpace->chunk = chunk;
      const auto g = analyticProfile(a, device, job(int(tokens), 1), {{1}});
      return std::pair(block(g, 0).forward, block(g, 0).backward);
    };
    const auto [forward, backward] = costed(128);
    const auto [longForward, longBackward] = costed(256);
    QVERIFY(isNear((forward - longForward).value(), (core(128).first - core(256).first).value(), 1e-6));
    QVERIFY(isNear((backward - longBackward).value(), (core(128).second - core(256).second).value(), 1e-6));
    // The products around it and the MLP count besides.
    const auto product = [&](double to, double from) { return kernels.product(tokens, to, from); };
    QVERIFY(forward > core(128).first + product(2 * heads * width, 2048) + product(2048, heads * width) +
                          product(4 * 2048, 2048) + product(2048, 4 * 2048));
  }

  /// Mamba-1 has a projection of time steps and one decay a channel and state; Mamba-2 one decay a head, and
  /// its tokens meet in chunks besides.
  void bothKindsHaveTheirOwnParametersAndWork() {
    const auto first = stateSpaceModel(64, 128), second = stateSpaceModel(64, 0);
    const double h = 2048, inner = 64 * 64, state = 128, groups = 8, rank = 128, heads = 64, layers = 2;
    const double kernel = first.stateSpace->convolution + (first.stateSpace->convolutionBias ? 1 : 0);
    const double ofFirst = h * 2 * inner + inner * (rank + 2 * state) + rank * inner + inner +
                           inner * kernel + inner * (state + 1);
    const double ofSecond = h * (2 * inner + 2 * groups * state + heads) +
                            (inner + 2 * groups * state) * kernel + 3 * heads + inner;
    const double biases =
        first.stateSpace->projectionBias ? (2 * inner - (2 * inner + 2 * groups * state + heads)) : 0;
    QCOMPARE(parameterCount(first) - parameterCount(second), layers * (ofFirst - ofSecond + biases));
    QCOMPARE(mixerFlopsPerToken(first, blockShape(first, false), 8192), 6 * inner * state);
    const double chunk = second.stateSpace->chunk;
    QCOMPARE(mixerFlopsPerToken(second, blockShape(second, false), 8192),
             2 * chunk * (groups * state + inner) + 4 * inner * state);
  }

  /// Convolution and gate move twelve bytes forward for each token and each of the added 32 heads x 64
  /// channels, and the states of chunks eight; backward computes the convolution again.
  void moreHeadsMoveMoreBytes() {
    const double tokens = 8192, channels = 32 * 64, states = 32 * (tokens / 256) * 64 * 128;
    const double repeated = AnalyticConstants{}.backwardTraffic.value;
    const auto [forward, backward] = elementwiseBytes(stateSpaceModel(64, 0));
    const auto [few, fewBackward] = elementwiseBytes(stateSpaceModel(32, 0));
    QVERIFY(isNear(forward - few, 12 * tokens * channels + 8 * states, 1e-6));
    QVERIFY(isNear(backward - fewBackward, (12 * repeated + 4) * tokens * channels + 24 * states, 1e-6));
  }
  /// Mamba-1 scans in place of products: eight bytes more for each token and channel.
  void theScanOfMamba1MovesBytes() {
    const double tokens = 8192, channels = 32 * 64;
    const double repeated = AnalyticConstants{}.backwardTraffic.value;
    const auto [forward, backward] = elementwiseBytes(stateSpaceModel(64, 128));
    const auto [few, fewBackward] = elementwiseBytes(stateSpaceModel(32, 128));
    QVERIFY(isNear(forward - few, 20 * tokens * channels, 1e-6));
    QVERIFY(isNear(backward - fewBackward, 20 * repeated * tokens * channels, 1e-6));
  }
};
NEST_TEST(TestStateSpace)
#include "test_state_space.moc"
