#pragma once

#include <QColor>
#include <QRectF>
#include <QString>
#include <optional>

#include "evaluation/evaluation.h"
#include "measures/metrics.h"
#include "theme/theme.h"
#include "units/enum_array.h"

namespace nest {

class FigurePainter;
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
/// Of them, what is hidden behind compute; they sum to hidden.
PerLoadPart<double> hiddenParts(const StageEvaluation&);
/// What a bar is stacked of: the parts after overlap. They sum to load.
PerLoadPart<double> shownParts(const StageEvaluation&);

/// The step of a stage in seconds, as a bar is stacked: what it works, after overlap, and what it waits. They
/// sum to the step, whatever the stage.
struct StepParts {
  PerLoadPart<double> work{};
  double imbalance = 0, fillAndDrain = 0;

  double busy() const;
  double total() const { return busy() + imbalance + fillAndDrain; }
};
StepParts stepParts(const Evaluation&, int stage);
QString imbalanceName();
QString fillAndDrainName();
inline constexpr int kImbalanceHatch = 1, kFillAndDrainHatch = 2;

/// Right of a bar of work, what is hidden behind its compute, hollow. `seconds`: of each part; `scale`:
/// pixels a second.
void paintHidden(FigurePainter&, const QRectF& bar, const PerLoadPart<double>& seconds, double scale);
/// The width of a bar that leaves it room, at most `bar`, in the middle of a slot.
double widthBesideHidden(double bar, double slot);
LegendItem hiddenLegend(const Theme&);
/// What a stage's time goes to: "of its microbatch compute 92 %, TP 8 %"; empty without a load.
QString sharesText(const StageEvaluation&);

QString nameOf(MemoryPart);
QString explain(MemoryPart);
QColor colorOf(MemoryPart, const Theme&);
int hatchOf(MemoryPart);
PerMemoryPart<double> memoryParts(const MemoryUse&);  ///< bytes

}  // namespace nest
