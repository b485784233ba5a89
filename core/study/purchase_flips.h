#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "study/purchase.h"

namespace nest {

/// Where the choice of a job flips as one numeric field of all its cells moves, between 1/16 and 16 times its
/// value: the nearest value on either side, found on eight steps and by bisection.
struct PurchaseFlip {
  int job = 0;
  std::string field;
  double from = 0, at = 0;
  int before = -1, after = -1;  ///< clusters
  std::string value;            ///< `at` as people read it
};
std::vector<PurchaseFlip> flipsOf(const PurchaseGrid&, const PurchaseMatrix&, std::string_view field,
                                  const Control& = {});

/// The offer to take where a job must be done in less than `days`, which the choice before it takes.
struct PurchaseDeadline {
  int job = 0;
  double days = 0;
  int before = -1, after = -1;  ///< clusters
  bool isTooClose = false;      ///< whether `after` is in time lies inside the error of differences
};
/// From the choice of a job by money or energy to its fastest offer; no solves.
std::vector<PurchaseDeadline> deadlinesOf(const PurchaseMatrix&, int jobs, int clusters);

/// Where the choice of a job flips because hosts of its offer are not there, while all are paid for.
struct PurchaseShortfall {
  int job = 0;
  int hosts = 0, ofHosts = 0;  ///< with so many hosts or fewer; 0: at no number
  /// The same with a batch that may differ by kOtherBatch, since fewer devices may not divide that of the
  /// job; absent where the job allows as much.
  std::optional<int> otherBatchHosts;
  int before = -1, after = -1;  ///< clusters
};
/// Found by bisection over the hosts of each choice, some solves a job. Those that a stop left out are
/// absent.
std::vector<PurchaseShortfall> shortfallsOf(const PurchaseGrid&, const PurchaseMatrix&, int threads,
                                            const Control& = {});

/// Where the choices of a matrix flip, by what was computed.
struct PurchaseFlips {
  std::vector<PurchaseFlip> ofFields;
  std::vector<PurchaseShortfall> ofHosts;
};

namespace report {
/// "Llama-3 8B: at run.pue = 1.4 the choice flips from 512 H100 to 256 B200".
std::string flipText(const PurchaseGrid&, const PurchaseFlip&);
/// "Llama-3 8B: in less than 20.7 d 256 B200 is the choice, 20.3 d, 706 k".
std::string deadlineText(const PurchaseGrid&, const PurchaseMatrix&, const PurchaseDeadline&);
/// "Llama-3 8B: with 63 of its 64 hosts or fewer 512 H100 falls behind 256 B200, with 57 or fewer where the
/// batch may differ by 2 %".
std::string shortfallText(const PurchaseGrid&, const PurchaseShortfall&);
/// "By days 512 H200 is ahead in 3 of 3 jobs; by energy 256 B200 is ahead in 3 of 3 jobs": where another
/// measure than that of the matrix decides otherwise, on the same plans; empty where none does.
std::string otherMeasuresText(const PurchaseGrid&, const PurchaseMatrix&);
/// All of these, deadlines and other measures too, in lines.
std::vector<std::string> flipLines(const PurchaseGrid&, const PurchaseMatrix&, const PurchaseFlips&);
std::string purchaseText(const PurchaseGrid&, const PurchaseMatrix&, const PurchaseFlips& = {});
std::string purchaseJson(const PurchaseGrid&, const PurchaseMatrix&, const PurchaseFlips& = {});
}  // namespace report

}  // namespace nest
