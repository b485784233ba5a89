#include <algorithm>
#include <cctype>
#include <map>

#include "formats/format.h"
#include "formats/networks/host_list.h"
#include "formats/networks/text_lines.h"
#include "text/decimal.h"
#include "units/letters.h"
#include "units/text.h"

namespace nest {
namespace {

/// "gpu00 slots=8 max_slots=8" (Open MPI, DeepSpeed), "gpu00:8" (MPICH), "gpu[00-15]" (pdsh, Slurm), "gpu00"
/// on lines of its own, once a slot (PBS).
struct HostLine {
  TextPart hosts;
  std::optional<int> slots, colon, most;  ///< colon: what stands behind it; most: max_slots
  std::optional<TextPart> wrong;
};
/// Of any size: the list says which hosts cannot have so many.
std::optional<int> slotsIn(std::string_view s) {
  const auto n = readWhole(s, 0, 1'000'000'000);
  return n ? std::optional(static_cast<int>(*n)) : std::nullopt;
}
std::optional<HostLine> hostLine(const TextPart& line) {
  const auto words = wordsOf(line, "#");
  if (words.empty()) return std::nullopt;
  HostLine out{words[0], {}, {}, {}, {}};
  // ssh's user, as DeepSpeed and pdsh take it.
  if (const auto user = out.hosts.text.find('@'); user != std::string_view::npos && user > 0) {
    out.hosts.text.remove_prefix(user + 1);
    out.hosts.offset += user + 1;
  }
  if (const auto colon = out.hosts.text.rfind(':'); colon != std::string_view::npos) {
    out.slots = out.colon = slotsIn(out.hosts.text.substr(colon + 1));
    if (!out.slots) out.wrong = words[0];
    out.hosts.text = out.hosts.text.substr(0, colon);
  }
  if (!isHostWord(out.hosts.text)) out.wrong = words[0];
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string word = text::lower(words[i].text);
    if (word.starts_with("slots=")) {
      out.slots = slotsIn(word.substr(6));
      if (!out.slots) out.wrong = words[i];
    } else if (word.starts_with("max_slots=") || word.starts_with("max-slots=")) {
      out.most = slotsIn(word.substr(10));
      if (!out.most) out.wrong = words[i];
    } else if (!word.starts_with("port=") && !word.starts_with("user=")) {
      out.wrong = words[i];
    }
  }
  return out;
}

/// Names without digits are words, as in a list of packages or of people; hosts are numbered, repeat once a
/// slot, or have addresses.
bool looksLikeHosts(const std::map<std::string, int>& names) {
  std::map<std::string, int> stems;
  std::size_t numbered = 0, repeats = 0;
  for (const auto& [name, times] : names) {
    std::string stem;
    bool hasDigit = false;
    for (const char c : name)
      if (std::isdigit(static_cast<unsigned char>(c)))
        hasDigit = true;
      else
        stem += c;
    repeats += times > 1 ? 1 : 0;
    if (!hasDigit) continue;
    ++numbered;
    ++stems[stem];
  }
  if (2 * numbered < names.size()) return false;
  return names.size() < 3 || repeats > 0 ||
         std::any_of(stems.begin(), stems.end(), [](const auto& s) { return s.second > 1; });
}

/// What a line says twice: slots and their maximum, a number behind the colon and slots, a host of a line
/// before. `times`: how often each host was there.
void checkHostLine(SourceText& source, const HostLine& line, const std::map<std::string, int>& times) {
  constexpr int kSshPort = 22;
  const std::string host(line.hosts.text);
  const Place place = source.place(line.hosts.offset);
  if (line.slots && line.most && *line.slots > *line.most)
    source.error(place, "hostfile-slots",
                 "the host " + quoted(host) + " has slots=" + std::to_string(*line.slots) +
                     ", more than its max_slots=" + std::to_string(*line.most),
                 "correct one of them");
  else if (!line.slots && line.most)
    source.note(place, "hostfile-slots",
                "max_slots=" + std::to_string(*line.most) + " of the host " + quoted(host) +
                    " is not used: it limits processes, and does not count devices",
                "give slots=" + std::to_string(*line.most) + " if the host has so many devices");
  if (line.colon && line.slots != line.colon)
    source.warning(place, "hostfile-port",
                   "the " + std::to_string(*line.colon) + " behind the colon of " + quoted(host) +
                       " is taken as a port; the host has slots=" + std::to_string(*line.slots),
                   "leave one of the two numbers out");
  else if (line.colon == kSshPort)
    source.warning(
        place, "hostfile-port",
        "the 22 behind the colon of " + quoted(host) + " counts as devices; it is also the port of ssh",
        "leave the port out, and give slots=8 or how many devices the host has");
  if (line.slots && times.count(host) > 0)
    source.warning(place, "hostfile-twice",
                   "the host " + quoted(host) + " is listed again; it counts once, with the " +
                       std::to_string(*line.slots) + " slots of a line",
                   "name each host once, with all its slots");
}

Reading<SlurmTopology> readHostFile(std::string_view text, const std::string& file) {
  SourceText source(text, file);
  if (!source.isReadable(kMostHostListBytes, "a host file")) return {std::nullopt, source.take()};
  HostList hosts(source, "a host file");
  std::vector<HostLine> lines;
  std::map<std::string, int> times;
  bool hasSlots = false;
  for (const TextPart& line : linesOf(text)) {
    auto read = hostLine(line);
    if (!read) continue;
    if (read->wrong)
      source.error(source.place(read->wrong->offset), "hostfile-line",
                   "expected a host and its slots, as \"gpu00 slots=8\"; found " + quoted(read->wrong->text));
    if (!read->wrong) checkHostLine(source, *read, times);
    hasSlots = hasSlots || read->slots;
    ++times[std::string(read->hosts.text)];
    lines.push_back(std::move(*read));
  }
  const bool hasRange = std::any_of(times.begin(), times.end(),
                                    [](const auto& t) { return t.first.find('[') != std::string::npos; });
  if (!lines.empty() && !hasSlots && !hasRange && !source.failed() && !looksLikeHosts(times))
    source.error(source.place(lines[0].hosts.offset), "hostfile-words",
                 lines.size() == 1 ? "one word alone does not look like a list of hosts"
                                   : "these " + text::count(static_cast<long long>(lines.size())) +
                                         " words do not look like hosts: their names are not numbered",
                 "if they are hosts, say how many devices each has, as \"gpu00 slots=8\"");
  // A host once a slot, where no line gives slots.
  const bool repeats =
      !hasSlots && std::any_of(times.begin(), times.end(), [](const auto& t) { return t.second > 1; });
  if (!source.failed())
    for (const HostLine& l : lines)
      hosts.addList(l.hosts.text, repeats ? times[std::string(l.hosts.text)] : l.slots,
                    source.place(l.hosts.offset));
  return hosts.finish();
}

/// Every line that says something is one of a host file, and at least one can be nothing else.
bool isHostFile(const FileLook& f) {
  bool isCertain = f.file.find("host") != std::string::npos || f.file.find("nodes") != std::string::npos;
  int lines = 0, numbered = 0;
  std::map<std::string, int> names;
  const auto all = linesOf(f.text);
  for (const TextPart& line : all) {
    // The look may end within a line.
    if (line.offset + line.text.size() == f.text.size() && lines > 100) break;
    const auto read = hostLine(line);
    if (!read) continue;
    if (read->wrong) return false;
    const std::string_view name = read->hosts.text;
    const bool hasNumber =
        std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c); });
    if (!std::isalpha(static_cast<unsigned char>(name.front())) && !isCertain && !read->slots) return false;
    if (name.find('[') == std::string_view::npos && name.find(',') != std::string_view::npos) return false;
    isCertain = isCertain || read->slots || name.find('[') != std::string_view::npos;
    ++names[std::string(name)];
    numbered += hasNumber ? 1 : 0;
    ++lines;
  }
  return lines > 0 && (isCertain || (lines > 1 && numbered > 0 && looksLikeHosts(names)));
}

}  // namespace

const Format& hostFileFormat() {
  static constexpr Format format = {
      .key = "host-list",
      .name = "host file",
      .suffixes = "txt",
      .fileNames = "hostfile machinefile",
      .example = "gpu00 slots=8\ngpu01 slots=8",
      .remarks =
          R"(Of MPI, DeepSpeed, PBS or pdsh: also gpu00:8, root@gpu00, gpu[00-15], a host once a slot. Names the hosts, not how they are connected.)",
      .claims = &isHostFile,
      .read = &readHostFile};
  return format;
}

}  // namespace nest
