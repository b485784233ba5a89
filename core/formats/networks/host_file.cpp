#include <algorithm>
#include <cctype>
#include <map>

#include "formats/format.h"
#include "formats/networks/host_list.h"
#include "formats/networks/text_lines.h"
#include "units/letters.h"
#include "units/text.h"

namespace nest {
namespace {

/// "gpu00 slots=8 max_slots=8" (Open MPI, DeepSpeed), "gpu00:8" (MPICH), "gpu[00-15]" (pdsh, Slurm), "gpu00"
/// on lines of its own, once a slot (PBS).
struct HostLine {
  TextPart hosts;
  std::optional<int> slots;
  std::optional<TextPart> wrong;
};
std::optional<HostLine> hostLine(const TextPart& line) {
  const auto words = wordsOf(line, "#");
  if (words.empty()) return std::nullopt;
  HostLine out{words[0], {}, {}};
  // ssh's user, as DeepSpeed and pdsh take it.
  if (const auto user = out.hosts.text.find('@'); user != std::string_view::npos && user > 0) {
    out.hosts.text.remove_prefix(user + 1);
    out.hosts.offset += user + 1;
  }
  if (const auto colon = out.hosts.text.rfind(':'); colon != std::string_view::npos) {
    out.slots = deviceCountIn(out.hosts.text.substr(colon + 1));
    if (!out.slots) out.wrong = words[0];
    out.hosts.text = out.hosts.text.substr(0, colon);
  }
  if (!isHostWord(out.hosts.text)) out.wrong = words[0];
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string word = text::lower(words[i].text);
    if (word.starts_with("slots=")) {
      out.slots = deviceCountIn(word.substr(6));
      if (!out.slots) out.wrong = words[i];
    } else if (!word.starts_with("max_slots=") && !word.starts_with("max-slots=") &&
               !word.starts_with("port=") && !word.starts_with("user=")) {
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
