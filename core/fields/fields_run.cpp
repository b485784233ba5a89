// The fields of the run: failures, restarts, checkpoints, money and energy. All may be left out; what they
// are needed for is then not counted.
#include "fields/field_access.h"
#include "fields/field_tables.h"

namespace nest {
namespace {

using field_access::at;

constexpr double kMostRate = 1e6;  ///< failures in 1,000 h
constexpr double kMostSeconds = 1e7;
constexpr double kLeastBandwidth = 1e3, kMostBandwidth = 1e18;
constexpr double kMostHosts = 1 << 20;
constexpr double kMostPrice = 1e6;
constexpr double kMostPower = 1e6;  ///< W
// What a slider moves a value of 0 from.
constexpr double kUsualRate = 0.01, kUsualSeconds = 60, kUsualPrice = 1, kUsualPower = 500,
                 kUsualCarbon = 300;

}  // namespace

void addRunFields(std::vector<Field>& all) {
  const auto add = [&all](const char* key, const char* label, const char* meaning, FieldAccess access,
                          double least, double most, Better better = Better::Smaller,
                          Slide slide = Slide::Log) {
    all.push_back({.key = key,
                   .group = "Run",
                   .label = label,
                   .meaning = meaning,
                   .access = std::move(access),
                   .least = least,
                   .most = most,
                   .stored = Stored::Changed,
                   .slide = slide,
                   .better = better});
  };
  const auto rate = [&](const char* key, const char* label, const char* meaning, FieldAccess access) {
    add(key, label, meaning, std::move(access), 0, kMostRate);
    all.back().usual = kUsualRate;
  };
  const auto time = [&](const char* key, const char* label, const char* meaning, FieldAccess access) {
    add(key, label, meaning, std::move(access), 0, kMostSeconds);
    all.back().usual = kUsualSeconds;
  };
  const auto bandwidth = [&](const char* key, const char* label, const char* meaning, FieldAccess access) {
    add(key, label, meaning, std::move(access), kLeastBandwidth, kMostBandwidth, Better::Larger);
  };
  rate("/run/device_failures_per_1000h", "Device failures / 1,000 h",
       "failures of one device in 1,000 hours that end the job",
       at<&Setting::run, &RunOptions::deviceFailures>());
  rate("/run/host_failures_per_1000h", "Host failures / 1,000 h",
       "failures of one host, without its devices, in 1,000 hours",
       at<&Setting::run, &RunOptions::hostFailures>());
  rate("/run/switch_failures_per_1000h", "Switch failures / 1,000 h",
       "failures of one leaf switch with its cables in 1,000 hours",
       at<&Setting::run, &RunOptions::switchFailures>());
  rate("/run/job_failures_per_1000h", "Job failures / 1,000 h",
       "failures of the job as a whole in 1,000 hours, whatever its size",
       at<&Setting::run, &RunOptions::jobFailures>());
  time("/run/detection_s", "Detection time", "from a failure until it is noticed",
       at<&Setting::run, &RunOptions::detection>());
  time("/run/replacement_s", "Replacement time",
       "until healthy hosts are available, from a spare or from the scheduler",
       at<&Setting::run, &RunOptions::replacement>());
  time("/run/start_s", "Start time", "of processes and communicators, without reading the checkpoint",
       at<&Setting::run, &RunOptions::start>());
  add("/run/spare_hosts", "Spare hosts", "hosts that are reserved and idle until another one fails",
      at<&Setting::run, &RunOptions::spareHosts>(), 0, kMostHosts, Better::Neither, Slide::None);
  all.back().noun = "hosts";
  time("/run/repair_s", "Repair time", "from a failure until the failed host is back",
       at<&Setting::run, &RunOptions::repair>());
  bandwidth("/run/store_write_bandwidth_bytes_per_s", "Store, writing",
            "what the store takes from all hosts together", at<&Setting::run, &RunOptions::storeWrite>());
  bandwidth("/run/store_read_bandwidth_bytes_per_s", "Store, reading",
            "what the store gives to all hosts together; without it, as it writes",
            at<&Setting::run, &RunOptions::storeRead>());
  bandwidth("/run/host_store_bandwidth_bytes_per_s", "Store, one host", "between one host and the store",
            at<&Setting::run, &RunOptions::hostStore>());
  add("/run/asynchronous_checkpoints", "Asynchronous checkpoints",
      "steps go on while a copy in host memory is written", at<&Setting::run, &RunOptions::asynchronous>(), 0,
      0, Better::Neither, Slide::None);
  bandwidth("/run/host_copy_bandwidth_bytes_per_s", "Copy to host memory",
            "of one device to the memory of its host; without it, the device's own",
            at<&Setting::run, &RunOptions::hostCopy>());
  add("/run/checkpoint_interval_s", "Checkpoint interval",
      "work between two checkpoints; without it, the interval that loses least",
      at<&Setting::run, &RunOptions::interval>(), 1e-3, kMostSeconds);
  add("/run/price_per_device_hour", "Price / device-hour", "of one device for one hour, in any currency",
      at<&Setting::run, &RunOptions::pricePerDeviceHour>(), 0, kMostPrice);
  all.back().usual = kUsualPrice;
  add("/run/device_power_w", "Device power, W", "watts of one device while it trains",
      at<&Setting::run, &RunOptions::devicePower>(), 0, kMostPower);
  all.back().usual = kUsualPower;
  add("/run/host_power_w", "Host power, W", "watts of one host without its devices",
      at<&Setting::run, &RunOptions::hostPower>(), 0, kMostPower);
  all.back().usual = kUsualPower;
  add("/run/pue", "PUE", "power of the facility ÷ power of the machines",
      at<&Setting::run, &RunOptions::powerUsage>(), 1, 10);
  add("/run/carbon_g_per_kwh", "CO₂, g/kWh", "grams of CO₂ for one kWh",
      at<&Setting::run, &RunOptions::carbonPerKwh>(), 0, 1e5);
  all.back().usual = kUsualCarbon;
}

}  // namespace nest
