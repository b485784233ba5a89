#pragma once

#include <QColor>
#include <QString>
#include <array>
#include <optional>

#include "plan/evaluation.h"
#include "plan/metrics.h"
#include "theme/theme.h"

namespace nest {

/// Parts of a stage's load, and what a timeline shows. In the order in which bars stack.
enum class LoadPart {
  Forward,
  Backward,
  Recompute,
  Tensor,
  Context,
  Expert,
  Activation,
  Gradient,
  Data,
  Sync,
  Step,
  WeightGradient
};
inline constexpr int kLoadPartCount = 12;
/// Sync and Step happen once per batch; weight gradients are told apart where a schedule runs them so.
inline constexpr int kLoadPartsInLoad = 9;

QString nameOf(LoadPart);
QString explain(LoadPart);  ///< one sentence for tooltips
QColor colorOf(LoadPart, const Theme&);
int hatchOf(LoadPart);
/// The part whose colour and hatch stand for a share of the batch; nullopt: the bubble, which is no work.
std::optional<LoadPart> partOf(TimePart);

/// Seconds per microbatch of each part of a load, before overlap; they sum to load + hidden.
std::array<double, kLoadPartCount> loadParts(const StageEvaluation&);
/// What limits a stage: "bound by compute (92 %)"; empty without a load.
QString limitText(const StageEvaluation&);

enum class MemoryPart { Weights, Gradients, Optimizer, Stash, Workspace, Gathered, Reserve };
inline constexpr int kMemoryPartCount = 7;

QString nameOf(MemoryPart);
QString explain(MemoryPart);
QColor colorOf(MemoryPart, const Theme&);
int hatchOf(MemoryPart);
std::array<double, kMemoryPartCount> memoryParts(const MemoryUse&);  ///< bytes

}  // namespace nest
