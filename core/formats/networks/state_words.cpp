#include "formats/networks/state_words.h"

#include <algorithm>

#include "formats/networks/host_list.h"
#include "text/decimal.h"
#include "units/letters.h"

namespace nest {
namespace {

/// How much a word says of a node that has several; the strongest counts.
enum class Weight { Nothing, Off, Held, Mixed, Leaving, Busy, Silent, Down, Drained };

struct SlurmWord {
  std::string_view name;
  Weight weight;
  HostState state = HostState::Free;
};

// src/common/slurm_protocol_defs.c: node_state_string(), node_state_string_compact(),
// node_state_flag_string(). sinfo shows DRAIN in place of DOWN where a node is both, so it counts more here,
// too.
constexpr SlurmWord kSlurmWords[] = {
    {"idle", Weight::Nothing},
    {"allocated", Weight::Busy, HostState::Busy},
    {"alloc", Weight::Busy, HostState::Busy},
    {"completing", Weight::Busy, HostState::Busy},
    {"comp", Weight::Busy, HostState::Busy},
    {"perfctrs", Weight::Busy, HostState::Busy},
    {"npc", Weight::Busy, HostState::Busy},
    {"mixed", Weight::Mixed, HostState::Busy},
    {"mix", Weight::Mixed, HostState::Busy},
    {"down", Weight::Down, HostState::Down},
    {"error", Weight::Down, HostState::Down},
    {"unknown", Weight::Down, HostState::Down},
    {"unk", Weight::Down, HostState::Down},
    {"future", Weight::Down, HostState::Down},
    {"futr", Weight::Down, HostState::Down},
    {"inval", Weight::Down, HostState::Down},
    {"invalid", Weight::Down, HostState::Down},
    {"invalid_reg", Weight::Down, HostState::Down},
    // Nobody expects an answer of a node that is off or starts: see Weight::Silent in slurmState.
    {"no_respond", Weight::Silent, HostState::Down},
    {"not_responding", Weight::Silent, HostState::Down},
    {"reboot", Weight::Down, HostState::Down},
    {"reboot_issued", Weight::Down, HostState::Down},
    {"boot", Weight::Down, HostState::Down},
    {"fail", Weight::Down, HostState::Down},
    {"failing", Weight::Down, HostState::Down},
    {"failg", Weight::Down, HostState::Down},
    {"drained", Weight::Drained, HostState::Drained},
    {"drain", Weight::Drained, HostState::Drained},
    {"draining", Weight::Drained, HostState::Drained},
    {"drng", Weight::Drained, HostState::Drained},
    {"power_drain", Weight::Drained, HostState::Drained},
    {"reboot_requested", Weight::Leaving, HostState::Drained},
    {"power_down", Weight::Leaving, HostState::Drained},
    {"powering_down", Weight::Leaving, HostState::Drained},
    {"pow_dn", Weight::Leaving, HostState::Drained},
    {"maintenance", Weight::Held, HostState::Reserved},
    {"maint", Weight::Held, HostState::Reserved},
    {"reserved", Weight::Held, HostState::Reserved},
    {"resv", Weight::Held, HostState::Reserved},
    {"res", Weight::Held, HostState::Reserved},
    {"planned", Weight::Held, HostState::Reserved},
    {"plnd", Weight::Held, HostState::Reserved},
    {"blocked", Weight::Held, HostState::Reserved},
    // slurm.schedmd.com/power_save.html: jobs get nodes that are up first, then those that start, then those
    // that are off. "cloud" stays with a node all the time; alone, as in slurm.conf, it means that the node
    // is off.
    {"power_up", Weight::Off},
    {"powering_up", Weight::Off},
    {"pow_up", Weight::Off},
    {"powered_down", Weight::Off},
    {"cloud", Weight::Nothing},
    {"dynamic_norm", Weight::Nothing},
    {"dynamic_future", Weight::Nothing},
    {"external", Weight::Nothing},
    {"reboot_cancel", Weight::Nothing},
    {"undrain", Weight::Nothing},
    {"resume", Weight::Nothing},
};

/// What stands behind a state: not responding, powered off, being powered up, pending and powering down,
/// maintenance, pending and issued reboot, planned.
constexpr SlurmWord kSuffixes[] = {
    {"*", Weight::Silent, HostState::Down},
    {"~", Weight::Off},
    {"#", Weight::Off},
    {"!", Weight::Leaving, HostState::Drained},
    {"%", Weight::Leaving, HostState::Drained},
    {"$", Weight::Held, HostState::Reserved},
    {"@", Weight::Leaving, HostState::Drained},
    {"^", Weight::Down, HostState::Down},
    {"-", Weight::Held, HostState::Reserved},
};

/// By its name, or by the beginning of a name, if all that begin so say the same.
const SlurmWord* findWord(std::string_view name) {
  for (const SlurmWord& w : kSlurmWords)
    if (w.name == name) return &w;
  constexpr std::size_t kShortest = 4;
  const SlurmWord* found = nullptr;
  for (const SlurmWord& w : kSlurmWords) {
    if (name.size() < kShortest || !w.name.starts_with(name)) continue;
    if (found && (found->weight != w.weight || found->state != w.state)) return nullptr;
    found = &w;
  }
  return found;
}

}  // namespace

std::optional<StateWord> slurmState(std::string_view text, std::string* unknown) {
  const std::string all = text::lower(text::trimmed(text));
  const auto fail = [&](std::string_view word) {
    if (unknown) *unknown = std::string(word);
    return std::nullopt;
  };
  if (all.empty()) return fail(all);
  Weight most = Weight::Nothing;
  StateWord out;
  bool isMixed = false, isOther = false, isKnown = false, isSilent = false, isPower = false, isOff = false,
       isCloud = true;
  const auto weigh = [&](const SlurmWord& w) {
    isPower = isPower || w.weight == Weight::Off || w.name.starts_with("pow") || w.name == "%";
    isOff = isOff || w.weight == Weight::Off;
    isCloud = isCloud && w.name == "cloud";
    if (w.weight == Weight::Silent) {
      isSilent = true;
      return;
    }
    isMixed = isMixed || w.weight == Weight::Mixed;
    isOther =
        isOther || (w.weight != Weight::Mixed && w.weight != Weight::Nothing && w.weight != Weight::Off);
    // Of a node that is in use in part and held for others, it is seen that it is in use.
    const auto rank = [](Weight x) { return x == Weight::Mixed ? Weight::Busy : x; };
    if (rank(w.weight) > most) most = rank(w.weight), out.state = w.state;
  };
  // A "+" at the end, as of "allocated+" in older releases, is followed by nothing.
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find_first_of("+,|", at), all.size());
    std::string_view word = std::string_view(all).substr(at, end - at);
    at = end + 1;
    while (!word.empty()) {
      const auto suffix = std::find_if(std::begin(kSuffixes), std::end(kSuffixes),
                                       [&](const SlurmWord& s) { return word.ends_with(s.name); });
      if (suffix == std::end(kSuffixes)) break;
      weigh(*suffix);
      word.remove_suffix(1);
    }
    if (word.empty()) {
      return fail(all);
    }
    const SlurmWord* known = findWord(word);
    if (!known) return fail(word);
    weigh(*known);
    isKnown = true;
  }
  if (!isKnown) return fail(all);
  if (isSilent && !isPower && most < Weight::Silent) out.state = HostState::Down, isOther = true;
  out.isMixed = isMixed && !isOther;
  out.isOff = out.state == HostState::Free && (isOff || isCloud);
  return out;
}

std::optional<StateWord> writtenState(std::string_view text) {
  struct Word {
    std::string_view name;
    HostState state;
  };
  static constexpr Word kWords[] = {
      {"free", HostState::Free},
      {"available", HostState::Free},
      {"avail", HostState::Free},
      {"up", HostState::Free},
      {"ok", HostState::Free},
      {"online", HostState::Free},
      {"ready", HostState::Free},
      {"healthy", HostState::Free},
      {"running", HostState::Free},
      {"active", HostState::Free},
      {"in service", HostState::Free},
      {"busy", HostState::Busy},
      {"in use", HostState::Busy},
      {"used", HostState::Busy},
      {"occupied", HostState::Busy},
      {"taken", HostState::Busy},
      {"offline", HostState::Down},
      {"failed", HostState::Down},
      {"broken", HostState::Down},
      {"dead", HostState::Down},
      {"unhealthy", HostState::Down},
      {"unreachable", HostState::Down},
      {"not ready", HostState::Down},
      {"notready", HostState::Down},
      {"stopped", HostState::Down},
      {"out of service", HostState::Down},
      {"defective", HostState::Down},
      {"repair", HostState::Drained},
      {"in repair", HostState::Drained},
      {"rma", HostState::Drained},
      {"cordoned", HostState::Drained},
      {"under maintenance", HostState::Reserved},
      {"in maintenance", HostState::Reserved},
      {"spare", HostState::Spare},
      {"hot spare", HostState::Spare},
      {"standby", HostState::Spare},
      {"reserve", HostState::Spare},
  };
  std::string name = text::lower(text::trimmed(text));
  std::replace(name.begin(), name.end(), '_', ' ');
  std::replace(name.begin(), name.end(), '-', ' ');
  for (const Word& w : kWords)
    if (w.name == name) return StateWord{w.state, false};
  return slurmState(text);
}

std::optional<DevicesInUse> readGresUsed(std::string_view gres) {
  const auto counted = readGres(gres);
  if (!counted) return std::nullopt;
  DevicesInUse out;
  out.count = counted->devices;
  for (std::size_t at = gres.find("(IDX:"); at != std::string_view::npos; at = gres.find("(IDX:", at + 1)) {
    std::string_view list = gres.substr(at + 5, gres.find(')', at) - at - 5);
    while (!list.empty()) {
      const std::string_view one = list.substr(0, list.find(','));
      list.remove_prefix(std::min(list.size(), one.size() + 1));
      const auto dash = one.find('-');
      const auto first = readWhole(one.substr(0, dash), 0, kMostDevicesOfHost);
      const auto last =
          dash == std::string_view::npos ? first : readWhole(one.substr(dash + 1), 0, kMostDevicesOfHost);
      if (!first || !last) continue;  // N/A
      for (long long i = *first; i <= *last; ++i) out.numbers.push_back(static_cast<int>(i));
    }
  }
  std::sort(out.numbers.begin(), out.numbers.end());
  // Indices count per kind of resource; they say nothing where they do not match the count.
  if (static_cast<int>(out.numbers.size()) != out.count ||
      std::adjacent_find(out.numbers.begin(), out.numbers.end()) != out.numbers.end())
    out.numbers.clear();
  return out;
}

std::optional<int> devicesInTres(std::string_view tres) {
  constexpr std::string_view kKey = "gres/gpu";
  int typed = 0;
  bool isTyped = false;
  while (!tres.empty()) {
    const std::string_view one = tres.substr(0, tres.find(','));
    tres.remove_prefix(std::min(tres.size(), one.size() + 1));
    const auto equals = one.find('=');
    if (!one.starts_with(kKey) || equals == std::string_view::npos) continue;
    const auto count = readWhole(one.substr(equals + 1), 0, kMostDevicesOfHost);
    if (!count) continue;
    if (equals == kKey.size()) return static_cast<int>(*count);
    if (one[kKey.size()] != ':') continue;  // gres/gpumem
    typed += static_cast<int>(*count);
    isTyped = true;
  }
  return isTyped ? std::optional(typed) : std::nullopt;
}

}  // namespace nest
