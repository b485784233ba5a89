#pragma once

#include <QString>
#include <vector>

namespace nest {

/// Round values (1, 2, 2.5 or 5 times a power of ten) from 0 to at most `largest`, at most `most` of them
/// after 0.
std::vector<double> roundTicks(double largest, int most);

/// A tick in words: "0.25", "40", "1,000".
QString tickLabel(double);

/// Which of 0 … count−1 to label (stages, devices): every 1st, 2nd, 5th, 10th …, at most `most`.
std::vector<int> wholeTicks(int count, int most);
/// The same for things that people count from 1: indices whose numbers are round (the 5th, the 10th …).
std::vector<int> countedTicks(int count, int most);

}  // namespace nest
