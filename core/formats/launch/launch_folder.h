#pragma once

#include <string>
#include <vector>

#include "formats/launch/launch_export.h"

namespace nest {

/// One file of a folder that starts a plan.
struct LaunchFile {
  std::string name;
  std::string text;
  bool isProgram = false;  ///< to be made executable
};

/// Everything that starts a plan with one framework: its configuration, host files, a script for srun, mpirun
/// and torchrun, one that checks where ranks run, one that compares measured steps with the predicted one,
/// and a README that says what was assumed. The target starts a program. Errors:
/// what the program or the host files cannot express. Warnings of both are in the README, too.
Reading<std::vector<LaunchFile>> writeLaunchFolder(const LaunchTarget&, const ReportSource&, const Plan&);

/// The names of all files that any framework's folder has.
std::vector<std::string> launchFileNames();

}  // namespace nest
