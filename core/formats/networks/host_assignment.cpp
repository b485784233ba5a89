#include "formats/networks/host_assignment.h"

#include <algorithm>

#include "formats/networks/slurm_hostlist.h"
#include "text/source_text.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kMostAssignedHosts = 200'000;
constexpr const char* kHow = "write for example --hosts 'gpu[00-15]=a.xml', or name the file gpu[00-15].xml";

/// What a file's name may say: "dir/gpu[00-15].topo.xml" → "gpu[00-15].topo", "gpu[00-15]".
std::vector<std::string> stems(const std::string& path) {
  const std::string name = path.substr(path.find_last_of('/') + 1);
  const std::size_t list = name.find(']') == std::string::npos ? 0 : name.find(']');
  std::vector<std::string> out;
  for (const std::size_t dot : {name.rfind('.'), name.find('.', list)})
    out.push_back(name.substr(0, dot == std::string::npos || dot < list ? name.size() : dot));
  return out;
}

class Assignment {
public:
  explicit Assignment(const SlurmTopology& t) {
    for (const auto& g : t.groups)
      for (const std::string& h : g.hosts) m_known.emplace(h, m_known.size());
  }

  Reading<std::unordered_map<std::string, std::size_t>> run(const std::vector<HostFile>& files) {
    for (std::size_t i = 0; i < files.size(); ++i)
      if (!files[i].hosts.empty()) takeList(files[i], i);
    for (std::size_t i = 0; i < files.size(); ++i)
      if (files[i].hosts.empty() && !takeNamed(files[i], i)) takeRest(files, i);
    if (m_rest < files.size())
      for (const auto& [host, number] : m_known) m_of.emplace(host, m_rest);
    if (m_of.size() < m_known.size() && m_out.empty()) complainOfMissing();
    if (m_out.empty()) return {std::move(m_of), {}};
    return {std::nullopt, std::move(m_out)};
  }

private:
  void complain(const std::string& path, const char* code, std::string message, std::string remedy = kHow) {
    if (m_out.size() < 20)
      m_out.push_back(error(code, {path, 0, 0, ""}, std::move(message), std::move(remedy)));
  }

  void take(const std::string& host, const HostFile& file, std::size_t number) {
    if (!m_of.emplace(host, number).second && m_of[host] != number)
      complain(file.path, "join-host-twice", "the host " + quoted(host) + " has two files");
  }

  void takeList(const HostFile& file, std::size_t number) {
    const Hostlist list = expandHostlist(file.hosts, kMostAssignedHosts);
    if (!list.error.empty())
      return complain(file.path, "slurm-hostlist", list.error + " in " + quoted(file.hosts));
    for (const std::string& host : list.names)
      if (m_known.count(host))
        take(host, file, number);
      else
        complain(file.path, "join-host-unknown",
                 "the Slurm topology names no host " + quoted(host) + ", which this file is to describe",
                 "correct the list");
  }

  /// A name counts only if it names hosts of the topology alone: "hgx-2.xml" is an ordinary name.
  bool takeNamed(const HostFile& file, std::size_t number) {
    for (const std::string& stem : stems(file.path)) {
      const Hostlist list = expandHostlist(stem, kMostAssignedHosts);
      if (!list.error.empty() || list.names.empty() ||
          !std::all_of(list.names.begin(), list.names.end(),
                       [&](const std::string& h) { return m_known.count(h) > 0; }))
        continue;
      for (const std::string& host : list.names) take(host, file, number);
      return true;
    }
    return false;
  }

  void takeRest(const std::vector<HostFile>& files, std::size_t number) {
    if (m_rest < files.size())
      return complain(files[number].path, "join-which-hosts",
                      "neither this file nor " + quoted(files[m_rest].path) +
                          " shows by its name which hosts it describes");
    m_rest = number;
  }

  void complainOfMissing() {
    std::string first;
    for (const auto& [host, number] : m_known)
      if (!m_of.count(host) && (first.empty() || number < m_known[first])) first = host;
    complain("", "join-host-missing",
             text::count(static_cast<long long>(m_known.size() - m_of.size())) +
                 " hosts of the Slurm topology have no file, the first of them " + quoted(first));
  }

  std::unordered_map<std::string, std::size_t> m_known, m_of;
  std::size_t m_rest = static_cast<std::size_t>(-1);
  Diagnostics m_out;
};

}  // namespace

Reading<std::unordered_map<std::string, std::size_t>> assignHosts(const SlurmTopology& t,
                                                                  const std::vector<HostFile>& files) {
  return Assignment(t).run(files);
}

}  // namespace nest
