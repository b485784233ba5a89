#pragma once

#include <utility>

#include "calibration/measurement.h"
#include "formats/format.h"
#include "formats/networks/fabric.h"
#include "formats/networks/host_topology.h"
#include "formats/profiles/imported_profile.h"
#include "plan/plan.h"

namespace nest::test {

/// Whether a text can be read as a format, and what is to be said of it. No file stands beside it.
inline std::pair<bool, Diagnostics> readAs(const Format& format, std::string_view text,
                                           const std::string& file, const DeviceSpec& device = {}) {
  const auto nothing = [](const std::string& path) -> Reading<std::string> {
    return {std::nullopt, {error("file-not-found", {path, 0, 0, {}}, "there is no such file")}};
  };
  return std::visit(
      [&]<class Read>(Read read) {
        const auto reading = [&] {
          if constexpr (std::is_same_v<Read, ReadScenario>)
            return read(text, file, nothing);
          else if constexpr (std::is_same_v<Read, ReadProfile>)
            return read(text, file, {});
          else if constexpr (std::is_same_v<Read, ReadHost>)
            return read(text, file, device);
          else
            return read(text, file);
        }();
        return std::pair(reading.value.has_value(), reading.diagnostics);
      },
      format.read);
}

}  // namespace nest::test
