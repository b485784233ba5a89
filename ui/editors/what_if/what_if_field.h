#pragma once

#include <QString>
#include <functional>
#include <optional>
#include <vector>

#include "scenario/scenario.h"

namespace nest {

/// One figure of a scenario that a slider can move: read, write, range, and how it is printed and read back.
struct WhatIfField {
  QString id;                  ///< "level1.bandwidth"; steps of one field merge
  QString group;               ///< "rack", "Device", "Job"
  QString name;                ///< "Bandwidth"
  QString tip;                 ///< what the name leaves out; may be empty
  QString members;             ///< tells apart fields of one id that change different things; may be empty
  double least = 0, most = 0;  ///< SI
  bool whole = false;          ///< a count
  double unit = 1;             ///< SI, of what is printed: steps are round figures in it
  double doubling = 0;         ///< > 0: moves in powers of two times this, so that batches stay divisible
  std::function<double(const Scenario&)> value;
  std::function<void(Scenario&, double)> set;
  std::function<QString(double)> text;
  std::function<std::optional<double>(const QString&)> read;

  static constexpr int kSteps = 240;  ///< of a slider, even in the logarithm
  double at(int step) const;
  int stepOf(double v) const;
};

/// The fields that this scenario offers: bandwidth and latency of each typed level or of the most frequent
/// kinds of drawn links, hosts, device memory and speed, batch, microbatch and sequence.
std::vector<WhatIfField> whatIfFields(const Scenario&);

}  // namespace nest
