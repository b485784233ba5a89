#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/measurement.h"
#include "text/source_text.h"

/// Lines that programs print while they train.
namespace nest {

inline constexpr std::size_t kLongestLog = 64u << 20;

/// What a class reads that is made of the source of a text, `what`, of at most so many bytes.
template <class Reader>
Reading<Measurement> readBy(std::string_view text, const std::string& file, std::size_t most,
                            const char* what) {
  SourceText source(text, file);
  if (!source.isReadable(most, what, "give the part of it that counts")) return {std::nullopt, source.take()};
  auto result = Reader(source).run();
  return {std::move(result), source.take()};
}

/// Each line without escape sequences (colours) and its end, with its number from 1. A progress bar that is
/// drawn over itself with carriage returns counts as lines of one number.
void forEachLogLine(std::string_view text, const std::function<void(std::string_view line, int number)>&);

/// The number of the last line, where it lacks its end: what wrote it may have been stopped. 0: it has one.
int openLineOf(std::string_view text);

/// That so many lines are cut off, in a note.
void tellCut(SourceText&, int lines);

/// What stands behind `label`, without blanks before it, up to the end of the line; empty: the label is not
/// there.
std::string_view behind(std::string_view line, std::string_view label);
/// The number behind it; commas between thousands are taken. nullopt: none is there.
std::optional<double> numberBehind(std::string_view line, std::string_view label);
/// The same of a whole number of at least 1.
std::optional<int> countBehind(std::string_view line, std::string_view label);

/// The month in which a line was printed, as year · 12 + month from 0; nullopt: it holds no date like
/// 2025-03-27.
std::optional<int> monthOf(std::string_view line);
constexpr int month(int year, int month) {
  return year * 12 + month - 1;
}

/// The middle of the values, the mean of both where there are two. Not empty.
double medianOf(std::vector<double>);

/// The id of torchtitan's program. The recent one compiles the loss, too, and can run the exchanges of tensor
/// parallelism beside products.
const char* torchtitanProgram(bool compiles, bool isRecent);

/// Of `lines` values how many are warm-up: the first, and a tenth of them.
int warmUpOf(int lines);

}  // namespace nest
