#include "formats/networks/slurm_topology.h"

#include <algorithm>
#include <cctype>

#include "formats/format.h"
#include "formats/networks/slurm_hostlist.h"
#include "formats/networks/slurm_parts.h"
#include "text/decimal.h"
#include "text/source_text.h"
#include "units/letters.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kMostSlurmTopologyBytes = 16u << 20, kMostSlurmKeys = 64;

/// One `Key=Value` of a record, with the offset of its value.
struct Pair {
  std::string key;
  std::string value;
  std::size_t keyOffset = 0, offset = 0;
};

/// A record: one line, continuation lines joined, comment removed. Bytes keep their offsets.
struct Record {
  std::string text;
  std::vector<std::size_t> offsets;  ///< of each byte of `text`, and of its end
};

std::vector<Record> records(std::string_view all) {
  std::vector<Record> out;
  Record r;
  std::size_t at = all.substr(0, 3) == "\xef\xbb\xbf" ? 3 : 0;
  while (at < all.size()) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    std::string_view line = all.substr(at, end - at);
    line = line.substr(0, line.find('#'));
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.remove_suffix(1);
    const bool continues = !line.empty() && line.back() == '\\';
    if (continues) line.remove_suffix(1);
    // A list that breaks off at a comma goes on behind the indentation.
    if (!r.text.empty() && r.text.back() == ',')
      while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front())))
        line.remove_prefix(1), ++at;
    for (std::size_t i = 0; i < line.size(); ++i) r.text += line[i], r.offsets.push_back(at + i);
    at = end + 1;
    if (continues && at < all.size()) continue;
    r.offsets.push_back(std::min(end, all.size()));
    if (r.text.find_first_not_of(" \t\r") != std::string::npos) out.push_back(std::move(r));
    r = {};
  }
  return out;
}

/// Blanks may stand around "="; a value may be quoted. What is more than a record may have is left out.
std::vector<Pair> pairs(const Record& r, SourceText& source) {
  std::vector<Pair> out;
  const std::string& text = r.text;
  std::size_t i = 0;
  const auto isBlank = [&] { return std::isspace(static_cast<unsigned char>(text[i])) != 0; };
  const auto skipBlanks = [&] {
    while (i < text.size() && isBlank()) ++i;
  };
  while (true) {
    skipBlanks();
    if (i >= text.size() || out.size() > kMostSlurmKeys) return out;
    const std::size_t begin = i;
    while (i < text.size() && !isBlank() && text[i] != '=') ++i;
    Pair p{text::lower(std::string_view(text).substr(begin, i - begin)), {}, r.offsets[begin], 0};
    const std::size_t end = i;
    skipBlanks();
    if (i >= text.size() || text[i] != '=') {
      source.error(source.place(r.offsets[begin]), "slurm-syntax",
                   "expected Key=Value; found " + quoted(std::string_view(text).substr(begin, end - begin)));
      continue;
    }
    ++i;
    skipBlanks();
    const bool isQuoted = i < text.size() && text[i] == '"';
    const std::size_t value = isQuoted ? ++i : i;
    p.offset = r.offsets[std::min(value, text.size())];
    while (i < text.size() && (isQuoted ? text[i] != '"' : !isBlank())) ++i;
    p.value = text.substr(value, i - value);
    if (isQuoted && i >= text.size())
      source.error(source.place(r.offsets[value - 1]), "slurm-syntax", "a quote is not closed");
    if (isQuoted && i < text.size()) ++i;
    out.push_back(std::move(p));
  }
}

const Pair* find(const std::vector<Pair>& all, std::string_view key) {
  for (const Pair& p : all)
    if (p.key == key) return &p;
  return nullptr;
}

class ConfReader {
public:
  ConfReader(std::string_view text, const std::string& file) : m_source(text, file), m_assembly(m_source) {}

  Reading<SlurmTopology> run() {
    if (!m_source.isReadable(kMostSlurmTopologyBytes, "topology.conf"))
      return {std::nullopt, m_source.take()};
    for (const Record& r : records(m_source.text())) read(r);
    if (m_speeds > 0 && !m_source.failed())
      m_source.note(m_source.whole(), "slurm-link-speed",
                    "LinkSpeed of " + text::count(m_speeds) + (m_speeds == 1 ? " switch" : " switches") +
                        " is not used: Slurm gives it no unit",
                    "set the bandwidth of the levels (--level 1=50GB/s)");
    return m_assembly.finish();
  }

private:
  void read(const Record& r) {
    if (const std::string word = text::lower(r.text.substr(0, r.text.find_first_of(" \t=")));
        word == "include" || word == "aggregatedblock") {
      // scontrol prints joined blocks beside the blocks that they are made of.
      if (word == "include")
        m_source.error(m_source.place(r.offsets.front()), "slurm-include", "included files are not read",
                       "put the records of that file here");
      return;
    }
    const auto all = pairs(r, m_source);
    if (all.size() > kMostSlurmKeys)
      return m_source.error(m_source.place(r.offsets.front()), "slurm-syntax",
                            "a record has more than 64 keys");
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (all[i].key == all[j].key)
          m_source.error(m_source.place(all[i].keyOffset), "slurm-key-twice",
                         "the key " + quoted(all[i].key) + " is duplicated in this record");
    if (all.empty()) return;
    const Pair& head = all.front();
    if (head.key == "switchname")
      group(all, SlurmTopology::Kind::Tree, {"switchname", "switches", "nodes", "linkspeed", "level"});
    else if (head.key == "blockname")
      group(all, SlurmTopology::Kind::Block, {"blockname", "nodes", "blockindex", "blocksize"});
    else if (head.key == "ringname")
      group(all, SlurmTopology::Kind::Ring, {"ringname", "nodes"});
    else if (head.key == "blocksizes")
      sizes(head);
    else
      m_source.error(
          m_source.place(head.keyOffset), "slurm-record",
          "a record begins with SwitchName, BlockName, BlockSizes or RingName; found " + quoted(head.key));
  }

  void group(const std::vector<Pair>& all, SlurmTopology::Kind kind,
             const std::vector<std::string_view>& allowed) {
    for (const Pair& p : all)
      if (std::find(allowed.begin(), allowed.end(), p.key) == allowed.end())
        m_source.error(m_source.place(p.keyOffset), "slurm-key",
                       "the key " + quoted(p.key) + " is not known in a record of " + all.front().key);
    // scontrol prints 1 where none was set.
    if (const Pair* speed = find(all, "linkspeed"); speed && speed->value != "1") ++m_speeds;
    const Pair *nodes = find(all, "nodes"), *switches = find(all, "switches");
    const bool isPrinted = find(all, "level") || find(all, "blockindex");
    // What "scontrol show topology" prints names the hosts below every switch.
    if (nodes && switches && isPrinted) (switches->value.empty() ? switches : nodes) = nullptr;
    const Place place = m_source.place(all.front().keyOffset);
    if (all.front().value.empty()) return m_source.error(place, "slurm-name", "a name is missing");
    if (!nodes && !switches && isPrinted) return m_assembly.addEmpty(kind, all.front().value, place);
    if (!nodes == !switches) {
      m_source.error(place, "slurm-members",
                     quoted(all.front().value) +
                         (nodes ? " has both Nodes and Switches; expected: one of them"
                                : " needs Nodes" +
                                      std::string(kind == SlurmTopology::Kind::Tree ? " or Switches" : "")));
      return;
    }
    const Pair& members = nodes ? *nodes : *switches;
    if (text::lower(members.value) == "all")
      return m_source.error(m_source.place(members.offset), "slurm-all",
                            "ALL stands for what slurm.conf lists, which is not given", "list the names");
    m_assembly.add(kind, all.front().value, place, members.value, m_source.place(members.offset),
                   nodes != nullptr);
  }

  void sizes(const Pair& p) {
    std::vector<int> out;
    std::size_t at = 0;
    while (at <= p.value.size()) {
      const std::size_t end = std::min(p.value.find(',', at), p.value.size());
      const auto n = readWhole(std::string_view(p.value).substr(at, end - at), 1, 1'000'000);
      if (!n)
        return m_source.error(m_source.place(p.offset + at), "slurm-block-sizes",
                              "BlockSizes lists whole numbers of 1 or more; found " +
                                  quoted(std::string_view(p.value).substr(at, end - at)));
      out.push_back(static_cast<int>(*n));
      at = end + 1;
    }
    m_assembly.setBlockSizes(std::move(out), m_source.place(p.offset));
  }

  SourceText m_source;
  SlurmAssembly m_assembly;
  int m_speeds = 0;  ///< switches with LinkSpeed
};

}  // namespace

Reading<SlurmTopology> readSlurmTopologyConf(std::string_view text, const std::string& file) {
  return ConfReader(text, file).run();
}

const Format& slurmConfFormat() {
  static constexpr Format format = {
      .key = "slurm-conf",
      .name = "Slurm topology.conf",
      .suffixes = "conf",
      .fileNames = "topology.conf",
      .example =
          "SwitchName=leaf0 Nodes=gpu[00-03]\n"
          "SwitchName=leaf1 Nodes=gpu[04-07]\n"
          "SwitchName=spine Switches=leaf[0-1]",
      .remarks =
          R"(Also BlockName with BlockSizes, RingName. Carries no bandwidth: import --level 1=50GB/s,2us sets it. What scontrol show
topology prints is read too; switches that join the very same switches (the spines of a fat tree) count as one.)",
      .claims =
          [](const FileLook& f) {
            return (f.word == "include" && f.has("switchname")) || f.word == "switchname" ||
                   f.word == "blockname" || f.word == "blocksizes" || f.word == "ringname";
          },
      .read = &readSlurmTopologyConf};
  return format;
}

}  // namespace nest
