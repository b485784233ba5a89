#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/levels/host_state.h"

namespace nest {

/// What a source says of a host by a word.
struct StateWord {
  HostState state = HostState::Free;
  bool isMixed = false;  ///< part of the host is in use; the word does not say which
  bool isOff = false;    ///< the host is powered down, or on its way up: a job that asks for it starts it
  friend bool operator==(const StateWord&, const StateWord&) = default;
};

/// States of Slurm's nodes as sinfo and scontrol print them (man sinfo, NODE STATE CODES, 22.05 to 24.05):
/// "idle", "alloc", "drained*", "mixed-", "MIXED+PLANNED", "DOWN*+DRAIN+INVALID_REG". Long names may be cut
/// off behind four letters. nullopt: not such a state; `unknown` receives the word that is not known.
std::optional<StateWord> slurmState(std::string_view text, std::string* unknown = nullptr);

/// The same, and what people write into tables: "available", "in use", "offline", "maintenance", "hot spare".
std::optional<StateWord> writtenState(std::string_view text);

/// For remedies: "idle, alloc, mix, …".
inline constexpr const char* kSlurmStates =
    "use a state that sinfo prints: idle, alloc, mix, comp, drain, drng, down, fail, maint, resv, plnd, …";
inline constexpr const char* kWrittenStates =
    "use free, busy, down, drained, reserved or spare, or a state that sinfo prints";

/// Devices of a host that are in use: their numbers, or how many where the source does not say which.
struct DevicesInUse {
  int count = 0;
  std::vector<int> numbers;  ///< ascending; may be empty
};
/// "gpu:h100:3(IDX:0-2),gpu:a100:0(IDX:N/A)". nullopt: no such text.
std::optional<DevicesInUse> readGresUsed(std::string_view gres);
/// "cpu=24,mem=96G,gres/gpu=3,gres/gpu:h100=3": the devices. nullopt: it does not count any.
std::optional<int> devicesInTres(std::string_view tres);

}  // namespace nest
