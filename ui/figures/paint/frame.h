#pragma once

#include <QRectF>
#include <QString>
#include <optional>

#include "figures/paint/figure.h"

namespace nest {

/// Empty, broken, unsolved, being searched, nothing fits; nullopt when there is a plan to draw (or, without
/// `needsPlan`, a cluster).
std::optional<FigureState> stateOf(const PlanContext&, const QString& what, bool needsPlan = true);

/// Where a figure's own drawing goes: below the title (standalone), the sentence, and the banner of a nearest
/// miss.
QRectF bodyOf(const QRectF& area, const PlanContext&, bool standalone);

/// What is to be said of the plan shown before anything else: nothing fits, it was cut by hand, it is older
/// than the last edit, a search is to replace it; else empty. `saysSearch`: false on screen, where the
/// headline reports the search, and a banner that comes and goes with it would move the figure.
QString bannerOf(const PlanContext&, bool saysSearch = true);
/// Its lines take as much height as they need; 0 without one.
double bannerHeight(const QString& banner, double width);
void paintBanner(FigurePainter&, const QRectF& row, const PlanContext&);

/// The row of the sentence and what stands above it, of an area that is not low: px.
inline constexpr double kSentenceBand = 38;
/// Canvas, title, sentence, banner. Returns bodyOf().
QRectF paintFrame(FigurePainter&, const QRectF& area, const PlanContext&, const QString& title,
                  const QString& sentence);
void paintState(FigurePainter&, const QRectF& area, const FigureState&);

}  // namespace nest
