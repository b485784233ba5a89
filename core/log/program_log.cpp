#include "log/program_log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/dist_sink.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "log/log.h"
#include "text/printable.h"

namespace nest {
namespace {

namespace sinks = spdlog::sinks;
constexpr std::array<const char*, 6> kLevels = {"trace", "debug", "info", "warning", "error", "off"};
constexpr std::size_t kRotatingBytes = 1 << 20;
constexpr std::size_t kOlderFiles = 2;

/// The one sink of the default logger that others are added to and taken from, at any time and from any
/// thread.
std::shared_ptr<sinks::dist_sink_mt> hub() {
  auto& all = spdlog::default_logger()->sinks();
  for (const auto& sink : all)
    if (auto dist = std::dynamic_pointer_cast<sinks::dist_sink_mt>(sink)) return dist;
  // Nobody has started a log: nothing but what is added hears it.
  auto dist = std::make_shared<sinks::dist_sink_mt>();
  all = {dist};
  return dist;
}

/// Opens a sink on a file; spdlog makes the folder.
template <class Sink, class... More>
Diagnostics addFile(const std::string& path, sinks::dist_sink_mt& to, Severity severity, More... more) {
  try {
    auto sink = std::make_shared<Sink>(path, more...);
    sink->set_pattern("%Y-%m-%d %H:%M:%S.%e %-7l %v");
    to.add_sink(std::move(sink));
    return {};
  } catch (const spdlog::spdlog_ex& e) {
    const int reason = errno;
    return {{severity,
             "log-file",
             {path, 0, 0, {}},
             "the log cannot be written there" +
                 (reason ? ": " + std::string(std::strerror(reason)) : std::string()),
             "name a file in a folder that you may write to: --log-file FILE"}};
  }
}

class LineSink : public sinks::base_sink<std::mutex> {
public:
  explicit LineSink(std::function<void(std::string_view)> heard)
      : base_sink(std::make_unique<spdlog::pattern_formatter>("%H:%M:%S  %v",
                                                              spdlog::pattern_time_type::local, "")),
        m_heard(std::move(heard)) {}

protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    m_heard({line.data(), line.size()});
  }
  void flush_() override {}

private:
  std::function<void(std::string_view)> m_heard;
};

spdlog::level::level_enum levelOf(LogLevel level) {
  switch (level) {
    case LogLevel::Trace:
      return spdlog::level::trace;
    case LogLevel::Debug:
      return spdlog::level::debug;
    case LogLevel::Info:
      return spdlog::level::info;
    case LogLevel::Warning:
      return spdlog::level::warn;
    case LogLevel::Error:
      break;
  }
  return spdlog::level::err;
}

}  // namespace

void logLine(LogLevel level, const std::string& line) {
  spdlog::log(levelOf(level), line);
}

const char* const kLogLevels = "trace, debug, info, warning, error, off";

bool isLogLevel(const std::string& name) {
  return std::find(kLevels.begin(), kLevels.end(), name) != kLevels.end();
}

Diagnostics startLog(const LogOptions& options) {
  const auto level = spdlog::level::from_str(options.level.value_or("info"));
  auto out = std::make_shared<sinks::dist_sink_mt>();
  auto console = std::make_shared<sinks::ostream_sink_mt>(std::cerr, true);
  console->set_pattern("%n: %l: %v");
  console->set_level(options.level && !options.file ? level : std::max(level, spdlog::level::warn));
  out->add_sink(console);

  Diagnostics trouble;
  if (options.file)
    trouble = addFile<sinks::basic_file_sink_mt>(*options.file, *out, Severity::Error, false);
  else if (options.rotating && level != spdlog::level::off)
    trouble = addFile<sinks::rotating_file_sink_mt>(*options.rotating, *out, Severity::Warning,
                                                    kRotatingBytes, kOlderFiles);

  auto logger = std::make_shared<spdlog::logger>(options.program, out);
  logger->set_level(level);
  logger->flush_on(spdlog::level::trace);
  logger->set_error_handler([told = false, program = options.program](const std::string& what) mutable {
    if (!std::exchange(told, true))
      std::cerr << printable(program + ": warning: the log cannot be written: " + what, false) << std::endl;
  });
  spdlog::set_default_logger(std::move(logger));
  return trouble;
}

void addLogSink(std::shared_ptr<sinks::sink> sink) {
  hub()->add_sink(std::move(sink));
}

void removeLogSink(const std::shared_ptr<sinks::sink>& sink) {
  hub()->remove_sink(sink);
}

std::shared_ptr<sinks::sink> lineSink(std::function<void(std::string_view)> heard) {
  return std::make_shared<LineSink>(std::move(heard));
}

}  // namespace nest
