#include "formats/measurements/trace_events.h"

#include <map>
#include <nlohmann/json.hpp>

#include "text/decimal.h"
#include "units/letters.h"

namespace nest {
namespace {

using Event = TraceEvent;
using Kind = TraceEventKind;

/// Collects the events of a trace while it is parsed: traces are large, and little of them counts.
class TraceSax : public nlohmann::json_sax<nlohmann::json> {
public:
  explicit TraceSax(TraceEvents& out) : m_out(out) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t v) override { return number(double(v), v); }
  bool number_unsigned(number_unsigned_t v) override {
    return number(double(v), v > (1ULL << 62) ? -1 : static_cast<long long>(v));
  }
  bool number_float(number_float_t v, const string_t&) override {
    return number(v, v >= 0 && v < 9e15 ? static_cast<long long>(v) : -1);
  }
  bool string(string_t& s) override {
    if (isField()) {
      if (m_key == "ph")
        m_phase = s;
      else if (m_key == "cat")
        m_category = s;
      else if (m_key == "name")
        m_event.name = s;
      else if (m_key == "pid")
        m_process = s;
      else if (m_key == "tid")
        m_thread = s;
      else if (m_key == "ts")
        m_event.begin = readDecimal(s).value_or(0);
      else if (m_key == "dur")
        m_duration = readDecimal(s).value_or(-1);
    } else if (m_depth == 3 && !m_isInEvents && m_key == "name" && m_out.device.empty()) {
      m_out.device = s;
    }
    return true;
  }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    if (m_isInEvents && m_depth == m_listDepth) begin();
    if (m_isInEvents && m_depth == m_listDepth + 1) m_isInArguments = m_key == "args";
    return ++m_depth <= 64 || stop("it is nested too deeply");
  }
  bool end_object() override {
    --m_depth;
    if (m_isInEvents && m_depth == m_listDepth + 1) m_isInArguments = false;
    if (m_isInEvents && m_depth == m_listDepth) return keep();
    return true;
  }
  bool start_array(std::size_t) override {
    if (m_depth == 1 && m_key == "traceEvents") {
      m_isInEvents = m_out.hasEvents = true;
      m_listDepth = m_depth + 1;
    }
    return ++m_depth <= 64 || stop("it is nested too deeply");
  }
  bool end_array() override {
    if (m_isInEvents && m_depth == m_listDepth) m_isInEvents = false;
    --m_depth;
    return true;
  }
  bool key(string_t& k) override {
    m_key = k;
    return true;
  }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception&) override {
    m_out.faultAt = at;
    return stop("its JSON is incomplete");
  }

private:
  bool stop(const char* why) {
    if (m_out.fault.empty()) m_out.fault = why;
    return false;
  }
  bool isField() const { return m_isInEvents && m_depth == m_listDepth + 1; }

  bool number(double v, long long whole) {
    if (isField()) {
      if (m_key == "ts")
        m_event.begin = v;
      else if (m_key == "dur")
        m_duration = v;
      else if (m_key == "pid")
        m_process = std::to_string(whole);
      else if (m_key == "tid")
        m_thread = std::to_string(whole);
    } else if (m_isInArguments && m_depth == m_listDepth + 2) {
      if (m_key == "correlation")
        m_event.correlation = whole;
      else if (m_key == "Sequence number")
        m_event.sequence = whole;
      else if (m_key == "Fwd thread id")
        m_event.forwardThread = whole;
    }
    return true;
  }

  void begin() {
    m_event = {};
    m_phase.clear();
    m_category.clear();
    m_process.clear();
    m_thread.clear();
    m_duration = -1;
  }

  bool keep() {
    if (m_phase != "X" || !(m_duration >= 0)) return true;
    if (m_category == "kernel")
      m_event.kind = Kind::Kernel;
    else if (m_category == "cuda_runtime" || m_category == "cuda_driver")
      m_event.kind = Kind::Launch;
    else if (m_category == "cpu_op")
      m_event.kind = Kind::Operator;
    else if ((m_category == "user_annotation" || m_category == "python_function") &&
             layerNameIn(m_event.name))
      m_event.kind = Kind::Annotation;
    else
      return true;
    if (m_event.kind == Kind::Kernel && isExchange(m_event.name)) return true;
    m_event.isTask = m_event.name.starts_with("autograd::engine::evaluate_function");
    if (m_event.kind == Kind::Operator && m_event.sequence < 0) return true;
    if (m_event.kind != Kind::Annotation) m_event.name.clear();
    m_event.end = m_event.begin + m_duration;
    m_event.thread =
        m_threads.emplace(m_process + '/' + m_thread, static_cast<int>(m_threads.size())).first->second;
    m_out.events.push_back(std::move(m_event));
    return m_out.events.size() <= kMostTraceEvents || stop("it has more than 5 million events");
  }

  TraceEvents& m_out;
  Event m_event;
  std::string m_key, m_phase, m_category, m_process, m_thread;
  std::map<std::string, int> m_threads;
  double m_duration = -1;
  int m_depth = 0, m_listDepth = 0;
  bool m_isInEvents = false, m_isInArguments = false;
};

}  // namespace

bool isExchange(std::string_view kernel) {
  return kernel.find("nccl") != std::string_view::npos || kernel.find("rccl") != std::string_view::npos;
}

std::optional<LayerName> layerNameIn(std::string_view name) {
  constexpr std::string_view kModule = "nn.Module: ", kDigits = "0123456789", kBetween = "_.-#: ";
  if (name.starts_with(kModule)) name.remove_prefix(kModule.size());
  const auto last = name.find_last_of(kDigits);
  if (name.size() > 200 || last == std::string_view::npos || name.find("::") != std::string_view::npos)
    return std::nullopt;
  LayerName out;
  if (last + 1 < name.size()) {
    std::string pass = text::lower(name.substr(last + 1));
    pass.erase(0, std::min(pass.find_first_not_of(kBetween), pass.size()));
    out.isBackward = pass == "b" || pass == "bwd" || pass == "backward";
    if (!out.isBackward && pass != "f" && pass != "fwd" && pass != "forward") return std::nullopt;
  }
  std::string_view base = name.substr(0, last);
  const auto before = base.find_last_not_of(kDigits);
  const auto digits = before == std::string_view::npos ? 0 : before + 1;
  const auto number = readWhole(name.substr(digits, last + 1 - digits), 0, 100'000);
  base = base.substr(0, digits);
  const auto letter = base.find_last_not_of(kBetween);
  if (!number || letter == std::string_view::npos) return std::nullopt;
  base = base.substr(0, letter + 1);
  const std::string lower = text::lower(base);
  const auto has = [&lower](const char* part) { return lower.find(part) != std::string::npos; };
  // "layer_1f-layer_2b": both passes in one range, which cannot be told apart.
  if ((!has("layer") && !has("block")) || has("norm") || has("(") || has("f-layer")) return std::nullopt;
  out.base = std::string(base);
  out.number = static_cast<int>(*number);
  return out;
}

TraceEvents readTraceEvents(std::string_view json) {
  TraceEvents out;
  TraceSax sax(out);
  nlohmann::json::sax_parse(json.begin(), json.end(), &sax);
  return out;
}

}  // namespace nest
