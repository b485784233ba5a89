#pragma once

#include <QString>
#include <vector>

namespace nest {

/// How many ticks go into so many pixels: at least two.
int ticksWithin(double pixels, double each);

/// Round values (1, 2, 2.5 or 5 times a power of ten) from 0 to at most `largest`, at most `most` of them
/// after 0.
std::vector<double> roundTicks(double largest, int most);

/// The least round value (1, 2, 2.5 or 5 times a power of ten) that is not below `value` > 0; with `down` the
/// largest not above it.
double roundBound(double value, bool down = false);
/// Round values within [low, high], 0 < low, for a logarithmic axis: powers of ten, with all or with 2 and 5
/// times them where these are at most `most`; round steps where that gives fewer than two.
std::vector<double> logTicks(double low, double high, int most);

/// A tick in words: "0.25", "40", "1,000".
QString tickLabel(double);

/// Which of 0 … count−1 to label (stages, devices): every 1st, 2nd, 5th, 10th …, at most `most`.
std::vector<int> wholeTicks(int count, int most);
/// The same for things that people count from 1: indices whose numbers are round (the 5th, the 10th …).
std::vector<int> countedTicks(int count, int most);

}  // namespace nest
