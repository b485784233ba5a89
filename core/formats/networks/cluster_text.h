#pragma once

#include <string>
#include <string_view>

#include "cluster/levels/cluster_source.h"

namespace nest {

/// A regular cluster in one line, innermost level first, words separated by blanks:
///
///   host:8@450GB/s rack:4@50GB/s,2us pod:32@12.5GB/s,5us,2:1
///
/// A level is NAME:FANOUT@BANDWIDTH[,LATENCY][,OVERSUBSCRIPTION]. Bandwidth is one way and per device, in
/// GB/s or Gb/s, and keeps its unit; latency needs its unit; oversubscription is written 2:1. Without a
/// latency a level takes the default, which is reported. Hosts of different sizes stand in the first fanout:
/// `host:8x31+7@…` is 31 hosts of 8 and one of 7 (0 = a host that is missing). A device that differs is a
/// word of its own, `!DEVICE*SPEED[,MEMORY]`:
/// `!5*0.8` or `!5*1,40GiB`.
///
/// All errors at once, with the column of each; the line is 1.
Reading<LevelsSource> readClusterText(std::string_view text);

/// The inverse: reading the result gives the same levels (host names and origins are not part of the line).
std::string writeClusterText(const LevelsSource&);

/// Latency of a level that names none: 2 µs inside a host, 5 µs outside.
Seconds defaultLatency(int level);

}  // namespace nest
