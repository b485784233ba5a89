#pragma once

#include <optional>

#include "units/quantity.h"

namespace nest {

/// What a training run takes in addition to its steps. Nothing here has a default value: what is not given is
/// not counted, and where a result needs it, it is asked for by name (RunForecast::missing).
struct RunOptions {
  // Failures that end the job, per 1,000 hours.
  std::optional<double> deviceFailures;  ///< of one device
  std::optional<double> hostFailures;    ///< of one host, without its devices
  std::optional<double> switchFailures;  ///< of one group of hosts: its leaf switch and cables
  std::optional<double> jobFailures;     ///< of the job as a whole, whatever its size

  // What follows a failure until steps run again.
  std::optional<Seconds> detection;    ///< until the failure is noticed
  std::optional<Seconds> replacement;  ///< until healthy hosts are available: a swap, or the scheduler
  std::optional<Seconds> start;        ///< of processes and communicators, reading the checkpoint apart
  int spareHosts = 0;                  ///< reserved and idle
  std::optional<Seconds> repair;       ///< until a failed host is back

  // Checkpoints.
  std::optional<BytesPerSecond> storeWrite;  ///< of the store, all hosts together
  std::optional<BytesPerSecond> storeRead;   ///< absent: as it writes
  std::optional<BytesPerSecond> hostStore;   ///< of one host to and from the store
  /// Steps go on while a copy in host memory is written; absent bandwidth: the device's, as far as known.
  bool asynchronous = false;
  std::optional<BytesPerSecond> hostCopy;  ///< of one device to the memory of its host
  std::optional<Seconds> interval;         ///< work between two checkpoints; absent: the best

  // Money and energy.
  std::optional<double> pricePerDeviceHour;  ///< in any currency
  std::optional<double> devicePower;         ///< W, of one device while it trains
  std::optional<double> hostPower;           ///< W, of one host, without its devices
  std::optional<double> powerUsage;          ///< facility ÷ machines (PUE)
  std::optional<double> carbonPerKwh;        ///< g CO₂ of one kWh

  bool hasFailures() const { return deviceFailures || hostFailures || switchFailures || jobFailures; }
  friend bool operator==(const RunOptions&, const RunOptions&) = default;
};

}  // namespace nest
