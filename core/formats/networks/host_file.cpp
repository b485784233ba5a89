#include <algorithm>
#include <cctype>
#include <map>

#include "formats/format.h"
#include "formats/networks/host_list.h"
#include "formats/networks/text_lines.h"
#include "units/letters.h"

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
  if (lines.size() == 1 && !hasSlots &&
      lines[0].hosts.text.find_first_of("0123456789") == std::string_view::npos)
    source.error(source.place(lines[0].hosts.offset), "hostfile-line",
                 "expected hosts and their slots, as \"gpu00 slots=8\"; found one word");
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
  int lines = 0;
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
    if (!std::isalpha(static_cast<unsigned char>(name.front())) && !isCertain) return false;
    if (name.find('[') == std::string_view::npos && name.find(',') != std::string_view::npos) return false;
    isCertain =
        isCertain || read->slots || name.find('[') != std::string_view::npos || (hasNumber && lines > 0);
    ++lines;
  }
  return lines > 0 && isCertain;
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
          R"(Of MPI, DeepSpeed, PBS or pdsh: also gpu00:8, gpu[00-15], a host once a slot. Names the hosts, not how they are connected.)",
      .claims = &isHostFile,
      .read = &readHostFile};
  return format;
}

}  // namespace nest
