#include "study/journal.h"

#include <nlohmann/json.hpp>

#include "files/file_reader.h"
#include "text/json_fields.h"

namespace nest {
namespace {

constexpr std::size_t kMostComplaints = 100;

/// Takes a journal line by line.
class JournalReader {
public:
  JournalReader(const std::string& path, const std::string& what,
                const std::function<bool(JsonFields&)>& head, const std::function<bool(JsonFields&)>& row)
      : m_path(path), m_what(what), m_head(head), m_row(row) {}

  /// False: what follows cannot fix it.
  bool take(std::string_view line, bool whole) {
    ++m_number;
    if (m_number == 1) {
      if (whole && isTaken(line, m_head)) return m_bytes = line.size() + 1, true;
      complain("not-a-" + m_what, "this is not a journal of a " + m_what + ": its first line names none",
               "name a file that " + m_what + " -o has written");
      return false;
    }
    if (!whole) {
      m_out.push_back(note(m_what + "-cut-off", {m_path, m_number, 1, ""},
                           "the last row was cut off by an interruption; it is solved again"));
      return false;
    }
    if (!isTaken(line, m_row)) {
      complain(m_what + "-row", "this line is not a row of the " + m_what, {});
      return m_out.size() < kMostComplaints;
    }
    m_bytes += line.size() + 1;
    return true;
  }

  Reading<std::uint64_t> finish(const Diagnostics& unread) {
    m_out.insert(m_out.end(), unread.begin(), unread.end());
    if (m_number == 0 && unread.empty())
      complain("not-a-" + m_what, "the journal is empty", "run the " + m_what + " that is to fill it");
    if (hasErrors(m_out)) return {std::nullopt, std::move(m_out)};
    return {m_bytes, std::move(m_out)};
  }

private:
  bool isTaken(std::string_view line, const std::function<bool(JsonFields&)>& take) {
    Diagnostics ignored;
    const auto json = readJsonText(line, m_path);
    if (!json || !json->root().is_object()) return false;
    JsonFields f(*json, json->root(), "", ignored);
    return take(f);
  }
  void complain(std::string code, std::string message, std::string remedy) {
    m_out.push_back(error(std::move(code), {m_path, std::max(1, m_number), 1, ""}, std::move(message),
                          std::move(remedy)));
  }

  const std::string &m_path, &m_what;
  const std::function<bool(JsonFields&)>&m_head, &m_row;
  Diagnostics m_out;
  std::uint64_t m_bytes = 0;
  int m_number = 0;
};

}  // namespace

Reading<std::uint64_t> readJournalLines(const std::string& path, const std::string& what,
                                        const std::function<bool(JsonFields&)>& head,
                                        const std::function<bool(JsonFields&)>& row) {
  JournalReader reader(path, what, head, row);
  const Diagnostics unread =
      readLines(path, [&](std::string_view line, bool whole) { return reader.take(line, whole); });
  return reader.finish(unread);
}

}  // namespace nest
