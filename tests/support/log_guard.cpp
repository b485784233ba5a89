#include "support/log_guard.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <QString>
#include <QtTest/QTest>
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <utility>

#include "log/program_log.h"

namespace nest::test {
namespace {

std::atomic<int> told = 0;
QtMessageHandler before = nullptr;

class ErrorCounter : public spdlog::sinks::base_sink<std::mutex> {
protected:
  void sink_it_(const spdlog::details::log_msg& msg) override {
    if (msg.level < spdlog::level::err) return;
    ++told;
    std::fprintf(stderr, "logged error: %.*s\n", static_cast<int>(msg.payload.size()), msg.payload.data());
  }
  void flush_() override {}
};

/// Of the platform without a display, and of machines without fonts, sessions or a bus.
constexpr std::array kOfTheMachine = {
    "This plugin does not support ",
    "QStandardPaths: ",
    "QFontDatabase: ",
    "Populating font family aliases",
};

void onMessage(QtMsgType type, const QMessageLogContext& context, const QString& text) {
  const bool counts = type == QtWarningMsg || type == QtCriticalMsg;
  if (counts && std::none_of(kOfTheMachine.begin(), kOfTheMachine.end(),
                             [&](const char* known) { return text.startsWith(QLatin1String(known)); }))
    ++told;
  if (before) before(type, context, text);
}

}  // namespace

LogGuard::LogGuard() : m_sink(std::make_shared<ErrorCounter>()) {
  addLogSink(m_sink);
}

LogGuard::~LogGuard() {
  removeLogSink(m_sink);
}

void LogGuard::listen() {
  before = qInstallMessageHandler(onMessage);
}

void LogGuard::leave() {
  qInstallMessageHandler(std::exchange(before, nullptr));
}

int LogGuard::take() {
  return told.exchange(0);
}

}  // namespace nest::test
