#include "formats/measurements/step_log.h"

#include <algorithm>
#include <cmath>

#include "text/decimal.h"

namespace nest {
namespace {

constexpr std::string_view kDigits = "0123456789.,eE+-";

/// Behind `label` and the colon or equals sign that follows it; empty: the label is not there.
std::string_view behindLabel(std::string_view line, std::string_view label) {
  if (label.empty()) return {};
  std::string_view rest = behind(line, label);
  rest.remove_prefix(std::min(rest.find_first_not_of(" :="), rest.size()));
  return rest;
}

/// "9.401", "2,097,152", "1.21K": a number, with the letter of a power of 1,000 behind it.
std::optional<double> amountIn(std::string_view text) {
  const auto number = numberBehind(text, "");
  const auto end = text.find_first_not_of(kDigits);
  if (!number || end == std::string_view::npos) return number;
  const auto power = std::string_view("KMBTPE").find(text[end]);
  const bool isAlone =
      end + 1 == text.size() || std::string_view(" |,]").find(text[end + 1]) != std::string_view::npos;
  return power == std::string_view::npos || !isAlone
             ? number
             : *number * std::pow(1000, static_cast<double>(power + 1));
}

/// Behind `key` and the sign that follows it.
std::string_view behindKey(std::string_view line, std::string_view key) {
  const auto isPart = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (std::size_t at = 0; (at = line.find(key, at)) != std::string_view::npos; ++at) {
    if (at > 0 && isPart(line[at - 1])) continue;
    std::string_view rest = line.substr(at + key.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (rest.empty() || (rest.front() != '=' && rest.front() != ':')) continue;
    rest.remove_prefix(1);
    rest.remove_prefix(std::min(rest.find_first_not_of(" '\""), rest.size()));
    return rest;
  }
  return {};
}

}  // namespace

std::optional<Measurement> StepLog::run() {
  forEachLogLine(m_source.text(), [this](std::string_view line, int number) { take(line, number); });
  if (m_steps.empty() && !m_source.failed())
    m_source.error(m_source.whole(), "log-empty", "no step has been logged",
                   "give the output of a run that has trained for some steps");
  if (m_source.failed()) return std::nullopt;
  measure();
  setBatch();
  finish(m_month);
  m_unused.report(m_source);
  if (m_restarts > 0)
    m_source.note(m_source.whole(), "log-restarted",
                  "the run was started " + std::to_string(m_restarts + 1) + " times; the last start counts");
  tellCut(m_source, m_cut);
  return Measurement{std::move(m_run)};
}

void StepLog::take(std::string_view line, int number) {
  m_line = line;
  if (line.find(m_labels.mark) == std::string_view::npos) return readSetup(line);
  // A number that ends with the text may lack digits.
  const auto valueOf = [&](std::string_view label) {
    const std::string_view rest = behindLabel(line, label);
    const bool isOpen = number == m_openLine && rest.find_first_not_of(kDigits) == std::string_view::npos;
    return rest.empty() || isOpen ? std::nullopt : amountIn(rest);
  };
  const auto at = valueOf(m_labels.step), time = valueOf(m_labels.time);
  if (!time && (number == m_openLine || behindLabel(line, m_labels.time).empty())) {
    ++m_cut;
    return;
  }
  if (!at || !time || !(*time > 0)) {
    m_source.error(m_source.placeOfLine(number), "log-step", "a step must have a number and a time above 0",
                   "leave broken lines out");
    return;
  }
  const auto step = static_cast<long long>(std::min(*at, 1e15));
  if (!m_steps.empty() && step + 1 < m_last) {  // ranks that print one another's steps are one apart at most
    m_steps.clear();
    m_run.allocated.reset();
    m_run.reserved.reset();
    ++m_restarts;
  }
  m_last = step;
  m_steps.emplace(step, Step{*time * m_labels.timeUnit, valueOf(m_labels.rate), valueOf(m_labels.batch),
                             valueOf(m_labels.consumed), valueOf(m_labels.tokens)});
  const auto most = [&](std::optional<Bytes>& known, std::string_view label) {
    if (const auto v = valueOf(label); v && *v > 0) known = std::max(known.value_or(Bytes()), Bytes(*v));
  };
  most(m_run.allocated, m_labels.allocated);
  most(m_run.reserved, m_labels.reserved);
  const auto all = valueOf(m_labels.tokenRate), each = valueOf(m_labels.deviceTokenRate);
  if (all && each && *all > 0 && *each > 0) m_devicesByRate = *all / *each;
  if (!m_month) m_month = monthOf(line);
}

void StepLog::measure() {
  const int count = static_cast<int>(m_steps.size());
  // A log may begin in the middle of a run.
  const bool hasFirst = m_steps.begin()->first <= 1;
  const int leftOut = std::min(count - 1, std::max(warmUpOf(count), hasFirst ? m_labels.warmUp : 0));
  std::vector<double> times, rates;
  for (auto it = std::next(m_steps.begin(), leftOut); it != m_steps.end(); ++it) {
    times.push_back(it->second.seconds);
    if (it->second.rate && *it->second.rate > 0) rates.push_back(*it->second.rate);
  }
  m_run.lines = count - leftOut;
  m_run.leftOut = leftOut;
  m_run.isWarmUp = hasFirst && count <= m_labels.warmUp;
  m_run.step = Seconds(medianOf(std::move(times)));
  if (!rates.empty()) m_run.rate = FlopsPerSecond(medianOf(std::move(rates)) * 1e12);
}

void StepLog::setBatch() {
  RunSettings& s = m_run.settings;
  const auto whole = [](double v) {
    return v >= 1 && v <= 1e9 && v == std::floor(v) ? std::optional(static_cast<int>(v)) : std::nullopt;
  };
  const auto last = std::prev(m_steps.end());
  if (last->second.batch) {
    s.globalBatch = whole(*last->second.batch);
  } else if (last->second.consumed && last != m_steps.begin()) {
    const auto before = std::prev(last);
    if (before->second.consumed)
      s.globalBatch =
          whole((*last->second.consumed - *before->second.consumed) / double(last->first - before->first));
  }
  // Where sequences are padded, steps differ, and each has less than a batch.
  const auto& tokens = last->second.tokens;
  if (tokens && *tokens >= 1 && std::all_of(m_steps.begin(), m_steps.end(), [&](const auto& step) {
        return step.second.tokens == tokens;
      }))
    s.batchTokens = tokens;
}

void StepLog::set(std::optional<int>& to, std::string_view key) const {
  if (const auto v = settingIn(m_line, key)) to = v;
}

std::optional<int> settingIn(std::string_view line, std::string_view key) {
  const std::string_view rest = behindKey(line, key);
  const auto v = readWhole(rest.substr(0, rest.find_first_not_of("0123456789")), 1, 1'000'000'000);
  return v ? std::optional(static_cast<int>(*v)) : std::nullopt;
}

std::string_view wordIn(std::string_view line, std::string_view key) {
  const std::string_view rest = behindKey(line, key);
  return rest.substr(0, rest.find_first_of(" ,)'\"\r"));
}

}  // namespace nest
