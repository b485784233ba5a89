#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "calibration/measurement.h"
#include "formats/format.h"
#include "program/program.h"

namespace nest {

/// A file as it was opened or dropped.
struct NamedText {
  std::string path, text;
  std::string hosts =
      {};  ///< a host's topology: which hosts of the Slurm topology it stands for, a host list
  std::optional<int> level = {};  ///< times of exchanges: which level they are of; unset: as their ranks tell
};

/// What the files hold, taken together.
struct Imported {
  struct Part {
    std::string path;
    const Format* format = nullptr;  ///< nullptr: none that is known
    std::string holds;               ///< "32 devices on 2 levels"; a phrase
  };
  std::vector<Part> parts;               ///< one per file, in order: what was recognised
  std::optional<Scenario> scenario;      ///< of a scenario file
  std::optional<ClusterSource> cluster;  ///< of network files
  std::optional<ModelSource> model;      ///< of a model's file
  std::string modelName;
  std::optional<Job> job;  ///< where a profile tells it
  struct Measured {
    Measurement measurement;
    std::string path;
    std::optional<int> level;
  };
  std::vector<Measured> measured;  ///< of logs, benchmarks and traces
  /// Which values of a scenario the files state, beside network and model; all else is assumed.
  struct Tells {
    bool device = false, program = false, batch = false, sequence = false;
  } tells;
  /// Whether no file says what is to be searched: a scenario, or a run with its degrees.
  bool leavesSearchOpen() const;
  bool assumedHostSize = false;  ///< a Slurm topology's hosts were taken to have the device's usual size
  int joinedLevels =
      0;  ///< levels of figures that joining hosts took, the host's own (0) counted; 0: none joined
};

/// What import is told beside the files.
struct ImportOptions {
  struct LevelFigures {
    BytesPerSecond bandwidth;
    std::optional<Seconds> latency;
  };
  std::optional<int> devicesPerHost;  ///< of a Slurm topology, which does not say; absent: the device's usual
  std::optional<int> scale;    ///< which of a profile's cluster sizes, in devices; absent: its smallest
  bool choosesDevice = false;  ///< the device was not asked for: what the files name goes before it
  std::map<int, LevelFigures> levels;  ///< of a Slurm topology joined with hosts; 1: the leaf switches
};

/// Reads any files that the program knows (recognise()). Topologies of hosts (nvidia-smi, NCCL) and a Slurm
/// topology together become the whole cluster, each host of the kind that NamedText::hosts or the file's name
/// says (assignHosts()); otherwise at most one network, one model and one scenario are taken. `device` fills
/// what the networks leave open; what files name is compared with it, and hosts of slower devices get their
/// share of its speed. All errors of all files at once.
Reading<Imported> importFiles(const std::vector<NamedText>& files, const DeviceSpec& device,
                              const ReferenceLoader& load, const ImportOptions& options = {});

/// The scenario that the parts make: the scenario file, or `base`, with the cluster and the model put in,
/// under `program`; nullptr: the one that a log tells, else as it is, and a new one runs under `ideal`, which
/// a note says, with the program that its device suggests. Logs set degrees and batch, times of exchanges
/// their level. Errors: what is missing, and how to give it.
Reading<Scenario> assemble(const Imported&, const Scenario* base, const Program* program = nullptr);

/// The errors of a scenario that was assembled of `files`, each with its place in the file that it came from:
/// what nest-plan check would report of the scenario once it is written. `base`: the file of the scenario
/// that was changed.
Diagnostics faultsOf(const Scenario&, const Imported&, const std::vector<NamedText>& files,
                     const NamedText* base = nullptr);

/// Where an import takes from what its files do not say.
enum class ImportBase {
  None,     ///< the usual values
  Example,  ///< a sample, which nobody chose
  Open,     ///< the scenario that the files are put into
};
/// What of the scenario that assemble() made no file says: cluster or device, model, program, batch, sequence
/// length, training tokens; what was unstated in the scenario that the files were put into stays so. Of a
/// scenario's file: what it says itself.
std::vector<UnstatedValue> unstatedBy(const Imported&, const Scenario& made, ImportBase);

}  // namespace nest
