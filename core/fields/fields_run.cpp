// The fields of the run: failures, restarts, checkpoints, money and energy.
#include "fields/field_access.h"
#include "fields/field_tables.h"

namespace nest {
namespace {

using field_access::as;
using field_access::at;

constexpr double kMostRate = 1e6;  ///< failures per 1,000 h
constexpr double kMostSeconds = 1e7;
constexpr double kMostBandwidth = 1e18;
constexpr double kMostPower = 1e6;  ///< W

/// All of them may be left out, and then nothing of them is counted.
Field optional(Field f) {
  f.group = "Run";
  f.stored = Stored::Changed;
  return f;
}

}  // namespace

void addRunFields(std::vector<Field>& all) {
  const auto rate = [&all](const char* key, const char* label, const char* meaning, FieldAccess access) {
    all.push_back(optional({.key = key,
                            .label = label,
                            .meaning = meaning,
                            .access = std::move(access),
                            .least = 0,
                            .most = kMostRate,
                            .better = Better::Smaller}));
  };
  const auto time = [&all](const char* key, const char* label, const char* meaning, FieldAccess access,
                           double least = 0) {
    all.push_back(optional({.key = key,
                            .label = label,
                            .meaning = meaning,
                            .access = std::move(access),
                            .least = least,
                            .most = kMostSeconds,
                            .better = Better::Smaller}));
  };
  const auto bandwidth = [&all](const char* key, const char* label, const char* meaning, FieldAccess access) {
    all.push_back(optional({.key = key,
                            .label = label,
                            .meaning = meaning,
                            .access = std::move(access),
                            .least = 1e3,
                            .most = kMostBandwidth,
                            .better = Better::Larger}));
  };
  rate("/run/device_failures_per_1000h", "Device failures",
       "failures of one device in 1,000 hours that end the job",
       at<&Setting::run, &RunOptions::deviceFailures>());
  rate("/run/host_failures_per_1000h", "Host failures",
       "failures of one host, without its devices, in 1,000 hours",
       at<&Setting::run, &RunOptions::hostFailures>());
  rate("/run/switch_failures_per_1000h", "Switch failures",
       "failures of one leaf switch with its cables in 1,000 hours",
       at<&Setting::run, &RunOptions::switchFailures>());
  rate("/run/job_failures_per_1000h", "Job failures",
       "failures of the job as a whole in 1,000 hours, whatever its size",
       at<&Setting::run, &RunOptions::jobFailures>());
  time("/run/detection_s", "Detection time", "from a failure until it is noticed",
       at<&Setting::run, &RunOptions::detection>());
  time("/run/replacement_s", "Replacement time",
       "until healthy hosts are available, from a spare or from the scheduler",
       at<&Setting::run, &RunOptions::replacement>());
  time("/run/start_s", "Start time", "of processes and communicators, without reading the checkpoint",
       at<&Setting::run, &RunOptions::start>());
  all.push_back(optional({.key = "/run/spare_hosts",
                          .label = "Spare hosts",
                          .meaning = "hosts that are reserved and idle until another one fails",
                          .access = at<&Setting::run, &RunOptions::spareHosts>(),
                          .least = 0,
                          .most = 1 << 20,
                          .noun = "hosts"}));
  bandwidth("/run/store_write_bandwidth_bytes_per_s", "Store, writing",
            "what the store takes from all hosts together", at<&Setting::run, &RunOptions::storeWrite>());
  bandwidth("/run/store_read_bandwidth_bytes_per_s", "Store, reading",
            "what the store gives to all hosts together; without it, as it writes",
            at<&Setting::run, &RunOptions::storeRead>());
  bandwidth("/run/host_store_bandwidth_bytes_per_s", "Store, one host", "between one host and the store",
            at<&Setting::run, &RunOptions::hostStore>());
  all.push_back(optional({.key = "/run/asynchronous_checkpoints",
                          .label = "Asynchronous checkpoints",
                          .meaning = "steps go on while a copy in host memory is written",
                          .access = at<&Setting::run, &RunOptions::asynchronous>()}));
  bandwidth("/run/host_copy_bandwidth_bytes_per_s", "Copy to host memory",
            "of one device to the memory of its host; without it, the device's own",
            at<&Setting::run, &RunOptions::hostCopy>());
  time("/run/checkpoint_interval_s", "Checkpoint interval",
       "work between two checkpoints; without it, the interval that loses least",
       at<&Setting::run, &RunOptions::interval>(), 1e-3);
  const auto number = [&all](const char* key, const char* label, const char* meaning, FieldAccess access,
                             double least, double most) {
    all.push_back(optional({.key = key,
                            .label = label,
                            .meaning = meaning,
                            .access = std::move(access),
                            .least = least,
                            .most = most,
                            .better = Better::Smaller}));
  };
  number("/run/price_per_device_hour", "Price", "of one device for one hour, in any currency",
         at<&Setting::run, &RunOptions::pricePerDeviceHour>(), 0, 1e6);
  number("/run/device_power_w", "Device power", "watts of one device while it trains",
         at<&Setting::run, &RunOptions::devicePower>(), 0, kMostPower);
  number("/run/host_power_w", "Host power", "watts of one host without its devices",
         at<&Setting::run, &RunOptions::hostPower>(), 0, kMostPower);
  number("/run/pue", "PUE", "power of the facility ÷ power of the machines",
         at<&Setting::run, &RunOptions::powerUsage>(), 1, 10);
  number("/run/carbon_g_per_kwh", "Carbon intensity", "grams of CO₂ for one kWh",
         at<&Setting::run, &RunOptions::carbonPerKwh>(), 0, 1e5);
}

}  // namespace nest
