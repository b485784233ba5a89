#pragma once

#include <QColor>
#include <QString>
#include <optional>

#include "plan/evaluation.h"
#include "plan/metrics.h"
#include "theme/theme.h"
#include "units/enum_array.h"

namespace nest {

struct LegendItem;

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
template <class T>
using PerLoadPart = EnumArray<LoadPart, T, kLoadPartCount>;
/// Sync and Step happen once per batch; weight gradients are told apart where a schedule runs them so.
inline constexpr int kLoadPartsInLoad = 9;

QString nameOf(LoadPart);
QString explain(LoadPart);  ///< one sentence for tooltips
QColor colorOf(LoadPart, const Theme&);
int hatchOf(LoadPart);
/// The part whose colour and hatch stand for a share of the batch; nullopt: the bubble, which is no work.
std::optional<LoadPart> partOf(TimePart);

/// Seconds per microbatch of each part of a load, before overlap; they sum to load + hidden.
PerLoadPart<double> loadParts(const StageEvaluation&);
/// Over bars of them, whose numbers are loads; as long as fits beside the axis of a plot of that width.
QString loadAxisTitle(bool overlaps, double width);
/// Of the line that shows the load in a bar which is higher.
LegendItem afterOverlap(const Theme&);
/// What limits a stage: "bound by compute (92 %)"; empty without a load.
QString limitText(const StageEvaluation&);

enum class MemoryPart { Weights, Gradients, Optimizer, Stash, Workspace, Gathered, Reserve, Headroom };
inline constexpr int kMemoryPartCount = 8;
template <class T>
using PerMemoryPart = EnumArray<MemoryPart, T, kMemoryPartCount>;

QString nameOf(MemoryPart);
QString explain(MemoryPart);
QColor colorOf(MemoryPart, const Theme&);
int hatchOf(MemoryPart);
PerMemoryPart<double> memoryParts(const Problem&, const MemoryUse&);  ///< bytes

}  // namespace nest
