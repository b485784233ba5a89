#include "figures/kinds.h"

#include <algorithm>

#include "figures/ink.h"
#include "figures/phrases.h"
#include "words/metric_words.h"

namespace nest {
namespace {

// The Okabe–Ito colours; related parts share one and differ by hatch.
const QColor kOrange(0xE6, 0x9F, 0x00), kSky(0x56, 0xB4, 0xE9), kGreen(0x00, 0x9E, 0x73),
    kYellow(0xF0, 0xE4, 0x42), kBlue(0x00, 0x72, 0xB2), kVermilion(0xD5, 0x5E, 0x00),
    kPurple(0xCC, 0x79, 0xA7), kGrey(0x8C, 0x8C, 0x8C);

}  // namespace

QString nameOf(LoadPart part) {
  static const std::array<const char*, kLoadPartCount> names{"Forward",
                                                             "Backward",
                                                             "Recompute",
                                                             "Tensor exchange",
                                                             "Context exchange",
                                                             "Expert exchange",
                                                             "Activation transfer",
                                                             "Gradient transfer",
                                                             "Data exchange",
                                                             "Sync",
                                                             "Optimizer step"};
  return QString::fromUtf8(names[static_cast<std::size_t>(part)]);
}

QString explain(LoadPart part) {
  static const std::array<const char*, kLoadPartCount> texts{
      "Compute of the forward pass.",
      "Compute of the backward pass.",
      "Forward work done again because its results were not kept.",
      "All-reduce, all-gather and reduce-scatter inside tensor groups.",
      "Keys and values passed round the context group.",
      "Tokens sent to the experts and back.",
      "Waiting for the activations of the stage before.",
      "Waiting for the gradients of the stage after.",
      "ZeRO traffic of every microbatch.",
      "Gradient exchange between replicas, once per batch.",
      "Optimizer step, once per batch."};
  return QString::fromUtf8(texts[static_cast<std::size_t>(part)]);
}

QColor colorOf(LoadPart part, const Theme&) {
  switch (part) {
    case LoadPart::Forward:
      return kSky;
    case LoadPart::Backward:
      return kBlue;
    case LoadPart::Recompute:
      return mixed(kBlue, kSky, 0.5);
    case LoadPart::Tensor:
      return kOrange;
    case LoadPart::Context:
      return kYellow;
    case LoadPart::Expert:
      return kPurple;
    case LoadPart::Activation:
      return kGreen;
    case LoadPart::Gradient:
      return mixed(kGreen, Qt::white, 0.3);
    case LoadPart::Data:
      return kVermilion;
    case LoadPart::Sync:
      return kVermilion;
    case LoadPart::Step:
      break;
  }
  return kGrey;
}

int hatchOf(LoadPart part) {
  switch (part) {
    case LoadPart::Recompute:
      return 1;
    case LoadPart::Gradient:
      return 2;
    case LoadPart::Sync:
      return 1;
    case LoadPart::Expert:
    case LoadPart::Step:  // grey, as transfers are to eyes that see no green
      return 3;
    default:
      return 0;
  }
}

std::array<double, kLoadPartCount> loadParts(const StageEvaluation& e) {
  const auto exchange = [&](Exchange x) { return e.exchange[static_cast<std::size_t>(x)].value(); };
  return {e.forward.value(),
          e.backward.value(),
          e.recompute.value(),
          exchange(Exchange::Tensor),
          exchange(Exchange::Context),
          exchange(Exchange::Expert),
          e.activationIn.value(),
          e.gradientIn.value(),
          exchange(Exchange::Data),
          e.sync.value(),
          e.step.value()};
}

QString limitText(const StageEvaluation& e) {
  if (!(e.load.value() > 0)) return {};
  return phrase(words::of(limitOf(e), "its time"));
}

QString nameOf(MemoryPart part) {
  static const std::array<const char*, kMemoryPartCount> names{
      "Weights", "Gradients", "Optimizer", "Activation stash", "Workspace", "Gathered weights", "Reserve"};
  return QString::fromUtf8(names[static_cast<std::size_t>(part)]);
}

QString explain(MemoryPart part) {
  static const std::array<const char*, kMemoryPartCount> texts{
      "Parameters in training precision.",
      "Gradients of the parameters held here.",
      "Optimizer state: master weights and moments.",
      "Activations kept for backward, for all microbatches in flight.",
      "Recomputed activations and logits, for a moment.",
      "ZeRO 3: the largest layer, gathered.",
      "Kept free: context, fragmentation, communication buffers."};
  return QString::fromUtf8(texts[static_cast<std::size_t>(part)]);
}

QColor colorOf(MemoryPart part, const Theme&) {
  switch (part) {
    case MemoryPart::Weights:
      return kBlue;
    case MemoryPart::Gradients:
      return kSky;
    case MemoryPart::Optimizer:
      return kGreen;
    case MemoryPart::Stash:
      return kOrange;
    case MemoryPart::Workspace:
      return kYellow;
    case MemoryPart::Gathered:
      return kPurple;
    case MemoryPart::Reserve:
      break;
  }
  return kGrey;
}

int hatchOf(MemoryPart part) {
  return part == MemoryPart::Gradients ? 1 : part == MemoryPart::Reserve ? 2 : 0;
}

std::array<double, kMemoryPartCount> memoryParts(const MemoryUse& m) {
  return {m.weights.value(),   m.gradients.value(), m.optimizer.value(), m.stash.value(),
          m.workspace.value(), m.gathered.value(),  m.reserve.value()};
}

}  // namespace nest
