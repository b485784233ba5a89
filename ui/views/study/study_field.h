#pragma once

#include <QString>
#include <vector>

#include "study/lever.h"

namespace nest {

/// One value that a studied field takes.
struct StudyStep {
  double x = 0;  ///< position on a logarithmic axis
  QString text;  ///< "512", "62.5 GB/s"
  Problem problem;
  bool present = false;             ///< as the problem has it
  std::vector<NetworkLevel> typed;  ///< what its levels come from, as far as known; see pulled
};

/// What a study can vary: the device count, the global batch, a figure of the cluster.
struct StudyField {
  enum class Kind { Devices, Batch, Lever };
  Kind kind = Kind::Devices;
  Lever lever;

  QString name(const Problem&) const;
  /// The values tried, ascending, each with `problem` changed to it. `fine`: for a curve; else for a side of
  /// a grid. Never empty: the present value is among them. `typed`: see pulled.
  std::vector<StudyStep> steps(const Problem&, bool fine, const std::vector<NetworkLevel>& typed = {}) const;
};

std::vector<StudyField> studyFields(const Problem&);

}  // namespace nest
