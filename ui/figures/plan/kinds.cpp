#include "figures/plan/kinds.h"

#include <algorithm>

#include "figures/paint/figure_painter.h"
#include "figures/paint/phrases.h"
#include "measures/metrics.h"
#include "units/at.h"
#include "words/metric_words.h"

namespace nest {
namespace {

// Stages own the bright hues (Theme::stage). Parts of time are told in slate (compute), brown and plum (what
// is sent), parts of memory in olive (what stays) and teal grey (what comes and goes). Neighbours in a bar
// differ in lightness, so that they stay apart in grey and to any eye.
constexpr QRgb kForward = 0xff44546a, kBackward = 0xff7d93b8, kRecompute = 0xffc3ccd9, kTensor = 0xff9c5a24,
               kContext = 0xffb98a52, kExpert = 0xffe6cfa8, kActivation = 0xff5b2a4e, kGradient = 0xff8f5f86,
               kData = 0xffe3bcd2, kSync = 0xff93264a, kStep = 0xff4f4a42, kWeightGradient = 0xff84b596;
constexpr QRgb kWeights = 0xff4b5320, kGradients = 0xff93a35f, kOptimizer = 0xffd2daae, kStash = 0xff123a3a,
               kWorkspace = 0xff6fa0a0, kGathered = 0xffc9dedd, kReserve = 0xffd4d6d9;

/// Dark parts would drown on a dark canvas.
QColor on(const Theme& theme, QRgb colour) {
  return theme.kind() == Theme::Kind::Dark ? mixed(QColor(colour), Qt::white, 0.22) : QColor(colour);
}

constexpr double kHiddenShare = 0.22, kHiddenGap = 1;  ///< of a bar's width; pixels

}  // namespace

QString nameOf(LoadPart part) {
  static const PerLoadPart<const char*> names{"Forward",
                                              "Backward",
                                              "Recompute",
                                              "TP communication",
                                              "CP communication",
                                              "EP communication",
                                              "PP send/recv, forward",
                                              "PP send/recv, backward",
                                              "DP communication",
                                              "Gradient reduction",
                                              "Optimizer step",
                                              "Weight gradients"};
  return QString::fromUtf8(names[part]);
}

QString explain(LoadPart part) {
  static const PerLoadPart<const char*> texts{
      "Compute of the forward pass.",
      "Compute of the backward pass.",
      "Forward work repeated because its activations were not kept.",
      "All-reduce, all-gather and reduce-scatter within TP groups.",
      "Keys and values exchanged within CP groups.",
      "All-to-all of tokens to the experts and back.",
      "Send/recv of activations from the previous stage.",
      "Send/recv of gradients from the next stage.",
      "ZeRO traffic of every microbatch.",
      "Gradient reduction across DP ranks, once per step.",
      "Optimizer step, once per step.",
      "Of the backward pass what makes the weights' gradients, run by itself at some later time."};
  return QString::fromUtf8(texts[part]);
}

QColor colorOf(LoadPart part, const Theme& theme) {
  constexpr PerLoadPart<QRgb> kColours{kForward, kBackward, kRecompute,  kTensor,
                                       kContext, kExpert,   kActivation, kGradient,
                                       kData,    kSync,     kStep,       kWeightGradient};
  return on(theme, kColours[part]);
}

int hatchOf(LoadPart part) {
  switch (part) {
    case LoadPart::Recompute:
    case LoadPart::Sync:
      return 1;
    case LoadPart::Context:
    case LoadPart::Gradient:
      return 2;
    case LoadPart::Expert:
    case LoadPart::Step:
      return 3;
    default:
      return 0;
  }
}

std::optional<LoadPart> partOf(TimePart b) {
  switch (b) {
    case TimePart::Compute:
      return LoadPart::Forward;
    case TimePart::Recompute:
      return LoadPart::Recompute;
    case TimePart::Tensor:
      return LoadPart::Tensor;
    case TimePart::Context:
      return LoadPart::Context;
    case TimePart::Expert:
      return LoadPart::Expert;
    case TimePart::Pipeline:
      return LoadPart::Activation;
    case TimePart::Data:
      return LoadPart::Data;
    case TimePart::Step:
      return LoadPart::Step;
    case TimePart::Idle:
      break;
  }
  return std::nullopt;
}

PerLoadPart<double> loadParts(const StageEvaluation& e) {
  const auto exchange = [&](Exchange x) { return e.exchange[x].value(); };
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

PerLoadPart<double> hiddenParts(const StageEvaluation& e) {
  PerLoadPart<double> out{};
  const auto hidden = [&](Exchange x) { return e.hiddenExchange[x].value(); };
  out[LoadPart::Tensor] = hidden(Exchange::Tensor);
  out[LoadPart::Context] = hidden(Exchange::Context);
  out[LoadPart::Expert] = hidden(Exchange::Expert);
  out[LoadPart::Data] = hidden(Exchange::Data);
  const double sent = (e.activationIn + e.gradientIn).value();
  const double share = sent > 0 ? hidden(Exchange::Pipeline) / sent : 0;
  out[LoadPart::Activation] = share * e.activationIn.value();
  out[LoadPart::Gradient] = share * e.gradientIn.value();
  return out;
}

PerLoadPart<double> shownParts(const StageEvaluation& e) {
  PerLoadPart<double> out = loadParts(e);
  const PerLoadPart<double> hidden = hiddenParts(e);
  for (std::size_t k = 0; k < kLoadPartsInLoad; ++k) out[k] = std::max(0.0, out[k] - hidden[k]);
  return out;
}

double StepParts::busy() const {
  double sum = 0;
  for (const double t : work) sum += t;
  return sum;
}

StepParts stepParts(const Evaluation& e, int stage) {
  const StageEvaluation& s = e.stages[stage];
  StepParts out;
  const PerLoadPart<double> shown = shownParts(s);
  for (std::size_t k = 0; k < kLoadPartsInLoad; ++k) out.work[k] = e.microbatchCount * shown[k];
  out.work[LoadPart::Sync] = s.exposed.value();
  out.work[LoadPart::Step] = s.step.value();
  const StageWait wait = waitsOf(e)[static_cast<std::size_t>(stage)];
  out.imbalance = wait.imbalance.value(), out.fillAndDrain = wait.fillAndDrain.value();
  return out;
}

QString imbalanceName() {
  return QStringLiteral("Idle: imbalance");
}

QString fillAndDrainName() {
  return QStringLiteral("Idle: fill and drain");
}

double widthBesideHidden(double bar, double slot) {
  return std::min(bar, std::max(slot * 0.4, (slot - 2 * kHiddenGap) / (1 + 2 * kHiddenShare)));
}

void paintHidden(FigurePainter& ink, const QRectF& bar, const PerLoadPart<double>& seconds, double scale) {
  const double width = std::clamp(bar.width() * kHiddenShare, 1.0, 14.0), left = bar.right() + kHiddenGap;
  double y = bar.bottom();
  for (std::size_t k = 0; k < kLoadPartsInLoad; ++k) {
    const double h = seconds[k] * scale;
    if (h <= 0) continue;
    const QRectF piece(left, y - h, width, h);
    ink.fill(piece, ink.color(Theme::Role::Canvas));
    const double line = std::min({1.2, h, width / 2});
    ink.outline(piece.adjusted(line / 2, line / 2, -line / 2, -line / 2),
                colorOf(static_cast<LoadPart>(k), ink.theme()), line);
    y -= h;
  }
}

LegendItem hiddenLegend(const Theme& theme) {
  return {QStringLiteral("Hidden behind compute"), theme.color(Theme::Role::MutedText), 0, false, true};
}

QString sharesText(const StageEvaluation& e) {
  const std::string shares = words::of(sharesOf(e), "");
  // What they are of comes first: a sentence may be cut at its end.
  return shares.empty() ? QString() : phrase(words::kOfMicrobatch + std::string(" ") + shares);
}

QString nameOf(MemoryPart part) {
  return QString::fromUtf8(wordsOf(part).label);
}

QString explain(MemoryPart part) {
  return QString::fromUtf8(wordsOf(part).meaning);
}

QColor colorOf(MemoryPart part, const Theme& theme) {
  // Nothing is predicted to be there: nearly as empty as what is free.
  if (part == MemoryPart::Headroom)
    return mixed(theme.color(Theme::Role::Canvas), theme.color(Theme::Role::Text), 0.06);
  constexpr PerMemoryPart<QRgb> kColours{kWeights,   kGradients, kOptimizer, kStash,
                                         kWorkspace, kGathered,  kReserve,   {}};
  return on(theme, kColours[part]);
}

int hatchOf(MemoryPart part) {
  return part == MemoryPart::Gradients || part == MemoryPart::Headroom ? 1
         : part == MemoryPart::Reserve                                 ? 2
         : part == MemoryPart::Gathered                                ? 3
                                                                       : 0;
}

PerMemoryPart<double> memoryParts(const MemoryUse& m) {
  PerMemoryPart<double> bytes{};
  for (int k = 0; k < kMemoryPartCount; ++k) bytes[at(k)] = m[at(k)].value();
  return bytes;
}

}  // namespace nest
