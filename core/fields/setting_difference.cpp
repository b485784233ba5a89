#include "fields/setting_difference.h"

#include <cctype>
#include <set>
#include <utility>

#include "cluster/devices/device_catalog.h"
#include "cluster/levels/device_change.h"
#include "fields/field.h"
#include "fields/field_text.h"
#include "fields/program_setting.h"

namespace nest {
namespace {

/// Within a sentence: "Global batch" → "global batch", but "ZeRO stages".
std::string inSentence(std::string name) {
  const auto isLower = [&](std::size_t i) { return std::islower(static_cast<unsigned char>(name[i])) != 0; };
  if (name.size() > 1 && isLower(1) && name.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 1) > name.find(' '))
    name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
  return name;
}

class Differences {
public:
  Differences(const Setting& a, const Setting& b) : m_a(a), m_b(b) {}

  std::vector<std::string> run() {
    for (const FieldAt& at : numericFieldsOf(m_a)) {
      if (at.at.front() >= at.field->count(m_b)) continue;
      const auto x = numberOf(m_a, at), y = numberOf(m_b, at);
      if (x && y && *x != *y) add(at, numberText(m_a, at, *x), numberText(m_a, at, *y));
    }
    for (const Field& f : fields()) {
      if (f.access.count || !f.access.get || f.kind() == FieldKind::Structured) continue;
      const FieldAt at{&f, {0}, f.group};
      if (!m_named.contains(f.key) && !(f.access.get(m_a, 0) == f.access.get(m_b, 0)))
        add(at, valueText(m_a, at), valueText(m_b, at));
    }
    rest("/cluster", m_a.cluster == m_b.cluster, "the cluster");
    rest("/model", m_a.model == m_b.model, "the model");
    rest("/job", m_a.job == m_b.job, "the job");
    rest("/search", m_a.search == m_b.search, "what is searched");
    rest("/constraints", m_a.constraints == m_b.constraints, "the constraints");
    rest("/assumptions", m_a.assumptions == m_b.assumptions, "the assumptions");
    rest("/run", m_a.run == m_b.run, "the run");
    return std::move(m_out);
  }

private:
  void add(const FieldAt& at, const std::string& x, const std::string& y) {
    m_named.insert(at.field->key);
    const auto text = [](const std::string& v) { return v.empty() ? std::string("–") : v; };
    m_out.push_back(inSentence(at.name()) + " " + text(x) + " → " + text(y));
  }
  /// A part that differs in nothing that is a field of its own.
  void rest(const std::string& part, bool same, const char* name) {
    for (const std::string& key : m_named) same = same || key.starts_with(part + "/");
    if (!same) m_out.emplace_back(name);
  }

  const Setting &m_a, &m_b;
  std::set<std::string> m_named;
  std::vector<std::string> m_out;
};

}  // namespace

std::vector<std::string> settingDifferences(const Setting& a, const Setting& b) {
  // What a device brings follows from it.
  if (const DeviceSpec& from = a.cluster.device, &to = b.cluster.device;
      from.id != to.id && from.name != to.name) {
    std::vector<std::string> out{from.name + " → " + to.name};
    Setting with = a;
    const DeviceSpec* listed = findDevice(to.id);  // whose numbers may have been edited since
    changeDevice(with.cluster, listed ? *listed : to);
    for (std::string& other : settingDifferences(with, b)) out.push_back(std::move(other));
    return out;
  }
  if (a.program == b.program) return Differences(a, b).run();
  // What the programs set follows from them.
  const FieldAt program{findField("/program"), {0}, {}};
  std::vector<std::string> out{"program " + valueText(a, program) + " → " + valueText(b, program)};
  Setting under = a;
  setProgram(under, programOf(b));
  for (std::string& other : Differences(under, b).run()) out.push_back(std::move(other));
  return out;
}

std::string settingDifference(const Setting& a, const Setting& b) {
  constexpr std::size_t kMost = 3;
  const auto all = settingDifferences(a, b);
  std::string out;
  for (std::size_t i = 0; i < all.size() && i < kMost; ++i) out += (out.empty() ? "" : "; ") + all[i];
  if (all.size() > kMost) out += "; and " + std::to_string(all.size() - kMost) + " more";
  return out;
}

}  // namespace nest
