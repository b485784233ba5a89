#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "lab/paper.h"
#include "lab/piper_study.h"

/// What reproductions of published studies found, as JSON for programs (keys end in their units).
namespace nest::report {

nlohmann::ordered_json peerJson(const std::vector<PeerRow>&);
nlohmann::ordered_json paperJson(const std::vector<PaperRow>&);

}  // namespace nest::report
