#pragma once

namespace nest::test {

/// The work done so far: the basic blocks executed in core/text and core/formats, which CMake compiles a
/// second time for this folder with a call before each (-fsanitize-coverage=trace-pc), and the bytes that
/// were searched, compared or copied by functions of the C library, on which those of std::string rest. It is
/// the same on every machine, however busy.
unsigned long long workDone();

}  // namespace nest::test
