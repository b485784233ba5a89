#include "formats/networks/cluster_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "formats/networks/network_import.h"
#include "text/source_text.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kLongestText = 1 << 20;
constexpr int kMostTextHosts = 1 << 20;

std::optional<int> wholeNumber(std::string_view s) {
  int v = 0;
  const auto [end, ec] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (ec != std::errc() || end != s.data() + s.size()) return std::nullopt;
  return v;
}

std::optional<double> number(std::string_view s) {
  double v = 0;
  const auto [end, ec] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (ec != std::errc() || end != s.data() + s.size() || !std::isfinite(v)) return std::nullopt;
  return v;
}

/// Reads the words of one line; every method reports at the column of the part that is wrong.
class LineReader {
public:
  explicit LineReader(std::string_view text) : m_text(text, "") {}

  Reading<LevelsSource> run() {
    Reading<LevelsSource> result;
    const std::string_view text = m_text.text();
    if (text.size() > kLongestText) {
      complain("too-long", text, "a cluster in one line is at most 1 MiB long");
    } else {
      std::size_t i = 0;
      while (i < text.size()) {
        const std::size_t begin = text.find_first_not_of(" \t\r\n", i);
        if (begin == std::string_view::npos) break;
        if (text[begin] == '#') {  // a comment, as files have them
          i = std::min(text.find('\n', begin), text.size());
          continue;
        }
        const std::size_t end = std::min(text.find_first_of(" \t\r\n", begin), text.size());
        word(text.substr(begin, end - begin));
        i = end;
      }
      if (m_source.levels.empty() && !m_text.failed())
        complain("no-levels", text.substr(0, 0), "a cluster needs at least one level",
                 "write for example host:8@450GB/s rack:4@50GB/s");
    }
    if (!m_text.failed()) result.value = std::move(m_source);
    result.diagnostics = m_text.take();
    return result;
  }

private:
  Place place(std::string_view part) const {
    return m_text.place(static_cast<std::size_t>(part.data() - m_text.text().data()));
  }
  void complain(std::string code, std::string_view part, std::string message, std::string remedy = {}) {
    m_text.error(place(part), std::move(code), std::move(message), std::move(remedy));
  }

  void word(std::string_view w) {
    if (w.front() == '!')
      exception(w);
    else
      level(w);
  }

  void level(std::string_view w) {
    LevelSpec spec;
    const std::size_t colon = w.find(':');
    const std::size_t atSign = w.find('@');
    if (colon == std::string_view::npos || atSign == std::string_view::npos || colon > atSign || colon == 0) {
      complain("level-form", w, quoted(w) + " is not a level",
               "write NAME:FANOUT@BANDWIDTH, for example host:8@450GB/s");
      return;
    }
    spec.name = std::string(w.substr(0, colon));
    fanout(w.substr(colon + 1, atSign - colon - 1), spec);
    std::string_view rest = w.substr(atSign + 1);
    const std::string_view bandwidth = rest.substr(0, rest.find(','));
    if (const auto b = text::readBandwidth(bandwidth); b && b->value.value() > 0) {
      spec.bandwidth = b->value;
      spec.shownAs = b->unit;
      if (bandwidth.find_first_not_of("0123456789., ") == std::string_view::npos)
        m_text.note(place(bandwidth), "bandwidth-unit",
                    "level " + quoted(spec.name) + " names no unit; it counts with " +
                        text::bandwidth(spec.bandwidth) + " per device, one way");
    } else {
      complain("bandwidth-form", bandwidth, quoted(bandwidth) + " is not a positive bandwidth",
               "write it like 450GB/s or 400Gb/s");
    }
    rest.remove_prefix(bandwidth.size());
    Options given;
    while (!rest.empty()) {
      rest.remove_prefix(1);  // the comma
      const std::string_view part = rest.substr(0, rest.find(','));
      rest.remove_prefix(part.size());
      option(part, spec, given);
    }
    if (!given.latency) {
      spec.latency = defaultLatency(static_cast<int>(m_source.levels.size()));
      m_text.note(
          place(w), "latency-default",
          "level " + quoted(spec.name) + " names no latency; it counts with " + text::time(spec.latency));
    }
    m_source.levels.push_back(std::move(spec));
  }

  struct Options {
    bool latency = false, oversubscription = false;
  };
  void first(bool& given, std::string_view part, const char* what) {
    if (given) complain("option-twice", part, "the level has a second " + std::string(what), "write one");
    given = true;
  }

  void option(std::string_view part, LevelSpec& spec, Options& given) {
    if (part.size() > 2 && part.substr(part.size() - 2) == ":1") {
      first(given.oversubscription, part, "oversubscription");
      const auto ratio = number(part.substr(0, part.size() - 2));
      if (ratio && *ratio >= 1)
        spec.oversubscription = *ratio;
      else
        complain("oversubscription-form", part, quoted(part) + " is not an oversubscription of 1:1 or more",
                 "write it like 2:1");
      return;
    }
    const auto latency = number(part) ? std::nullopt : text::readTime(part);
    first(given.latency, part, "latency");  // even a wrong one was meant as one
    if (latency) {
      spec.latency = *latency;
    } else {
      complain("latency-form", part,
               quoted(part) + " is neither a latency with its unit nor an oversubscription",
               "write a latency like 2us, an oversubscription like 2:1");
    }
  }

  void fanout(std::string_view part, LevelSpec& spec) {
    if (part.find_first_of("x+") == std::string_view::npos) {
      const auto v = wholeNumber(part);
      if (v && *v >= 1)
        spec.fanout = *v;
      else
        complain("fanout-form", part, quoted(part) + " is not a fanout",
                 "a fanout is a whole number of 1 or more");
      return;
    }
    if (!m_source.levels.empty()) {
      complain("fanout-form", part, "only the first level may list sizes, " + quoted(part),
               "write one fanout");
      return;
    }
    hostSizes(part, spec);
  }

  void hostSizes(std::string_view part, LevelSpec& spec) {
    std::string_view rest = part;
    while (true) {
      const std::string_view run = rest.substr(0, rest.find('+'));
      const std::size_t x = run.find('x');
      const auto size = wholeNumber(run.substr(0, x));
      const auto times = x == std::string_view::npos ? std::optional(1) : wholeNumber(run.substr(x + 1));
      if (!size || !times || *size < 0 || *times < 1 || *times > kMostTextHosts ||
          static_cast<int>(m_source.hostSizes.size()) > kMostTextHosts - *times) {
        complain("host-sizes-form", run, quoted(run) + " is not SIZE or SIZExHOSTS",
                 "write for example 8x31+7");
        return;
      }
      m_source.hostSizes.insert(m_source.hostSizes.end(), static_cast<std::size_t>(*times), *size);
      spec.fanout = std::max(spec.fanout, *size);
      if (run.size() == rest.size()) return;
      rest.remove_prefix(run.size() + 1);
    }
  }

  void exception(std::string_view w) {
    const std::size_t star = w.find('*');
    const std::string_view device = w.substr(1, star == std::string_view::npos ? star : star - 1);
    const std::string_view rest = star == std::string_view::npos ? std::string_view() : w.substr(star + 1);
    const std::string_view speed = rest.substr(0, rest.find(','));
    LevelsSource::Exception e;
    const auto number_ = wholeNumber(device);
    const auto factor = number(speed);
    const auto memory = speed.size() == rest.size() ? std::optional(Bytes(0))
                                                    : text::readMemory(rest.substr(speed.size() + 1));
    if (!number_ || *number_ < 0 || !factor || !(*factor > 0 && *factor <= 1) || !memory) {
      complain(
          "exception-form", w, quoted(w) + " is not an exception",
          "write !DEVICE*SPEED or !DEVICE*SPEED,MEMORY with a speed in (0, 1], for example !5*0.8,40GiB");
      return;
    }
    e.device = *number_;
    e.factor = {*factor, *memory};
    m_source.exceptions.push_back(e);
  }

  SourceText m_text;
  LevelsSource m_source;
};

std::string exactBandwidth(const LevelSpec& l) {
  // Only a text that reads back to the same figure will do; bytes per second always does.
  const bool bits = l.shownAs == text::BandwidthUnit::GigabitsPerSecond;
  const std::string nice = text::exact(l.bandwidth.value() * (bits ? 8 : 1) / 1e9) + (bits ? "Gb/s" : "GB/s");
  const auto back = text::readBandwidth(nice);
  return back && back->value == l.bandwidth ? nice : text::exact(l.bandwidth.value()) + "B/s";
}

std::string exactTime(Seconds t) {
  const std::string nice = fmt::format("{:.15g}us", t.value() * 1e6);  // the 16th digit is of the product
  const auto back = text::readTime(nice);
  return back && *back == t ? nice : text::exact(t.value()) + "s";
}

std::string exactMemory(Bytes b) {
  const std::string nice = text::exact(b.value() / (1024.0 * 1024 * 1024)) + "GiB";
  const auto back = text::readMemory(nice);
  return back && *back == b ? nice : text::exact(b.value()) + "B";
}

std::string sizesText(const std::vector<int>& sizes) {
  std::string out;
  for (std::size_t i = 0; i < sizes.size();) {
    std::size_t run = i;
    while (run < sizes.size() && sizes[run] == sizes[i]) ++run;
    out += (out.empty() ? "" : "+") + std::to_string(sizes[i]) + "x" + std::to_string(run - i);
    i = run;
  }
  return out;
}

}  // namespace

Seconds defaultLatency(int level) {
  return level == 0 ? Seconds(2e-6) : Seconds(5e-6);
}

Reading<LevelsSource> readClusterText(std::string_view text) {
  return LineReader(text).run();
}

std::string writeClusterText(const LevelsSource& s) {
  std::string out;
  for (std::size_t l = 0; l < s.levels.size(); ++l) {
    const LevelSpec& spec = s.levels[l];
    std::string name = spec.name.empty() ? "level" + std::to_string(l) : spec.name;
    for (char& c : name)
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ':' || c == '@' || c == '!') c = '-';
    if (name.front() == '#') name.front() = '-';
    out += (l > 0 ? " " : "") + name + ':' +
           (l == 0 && !s.hostSizes.empty() ? sizesText(s.hostSizes) : std::to_string(spec.fanout)) + '@' +
           exactBandwidth(spec) + ',' + exactTime(spec.latency);
    if (spec.oversubscription != 1) out += ',' + text::exact(spec.oversubscription) + ":1";
  }
  for (const LevelsSource::Exception& e : s.exceptions) {
    out += " !" + std::to_string(e.device) + '*' + text::exact(e.factor.speed);
    if (e.factor.memory.value() > 0) out += ',' + exactMemory(e.factor.memory);
  }
  return out;
}

const Format& clusterTextFormat() {
  static constexpr Format format = {
      .key = "cluster-text",
      .name = "cluster in one line",
      .suffixes = "txt",
      .fileNames = "",
      .example = "host:8@450GB/s rack:4@50GB/s,2us pod:32@12.5GB/s,5us,2:1",
      .remarks =
          R"(NAME:FANOUT@BANDWIDTH[,LATENCY][,OVERSUBSCRIPTION]; host:8x31+7@… lists host sizes, !5*0.8,40GiB gives device 5 a
speed factor and its own memory; # begins a comment.)",
      .claims =
          [](const FileLook& f) {
            const auto colon = f.word.find(':'), at = f.word.find('@');
            return colon != std::string::npos && at != std::string::npos && colon > 0 && colon < at;
          },
      .read = ReadNetwork([](std::string_view text, const std::string& file) {
        auto out = asNetwork(readClusterText(text));
        for (Diagnostic& d : out.diagnostics) d.where.file = file;
        return out;
      }),
      .write = [](const ClusterSource& cluster, const Hierarchy&) -> Reading<std::string> {
        if (const auto* levels = std::get_if<LevelsSource>(&cluster.network)) {
          Reading<std::string> out{writeClusterText(*levels) + '\n', {}};
          warnOfLostStates(cluster, "a cluster in one line", out.diagnostics);
          if (!levels->hostNames.empty())
            out.diagnostics.push_back(warning("host-names-lost", {"", 0, 0, "/cluster/levels/host_names"},
                                              "a cluster in one line has no names of hosts; they are lost",
                                              "export it as graphml or dot to keep them"));
          return out;
        }
        return {std::nullopt,
                {error("export", {}, "a drawn network does not go into one line",
                       "export it as graphml or dot")}};
      }};
  return format;
}

}  // namespace nest
