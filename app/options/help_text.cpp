#include <algorithm>

#include "options/command.h"

namespace nest::cli {
namespace {

/// Columns of a text without line breaks: UTF-8 characters.
std::size_t columns(const std::string& s) {
  return static_cast<std::size_t>(std::count_if(
      s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string form(const OptionSpec& o) {
  return (o.letter ? std::string("-") + o.letter + ", " : "") + o.name +
         (o.takesValue() ? ' ' + o.value : "");
}

bool mentions(const Command& c, const OptionSpec& o) {
  return std::any_of(c.usage.begin(), c.usage.end(), [&](const std::string& u) {
    const std::string words = ' ' + u + ' ';
    return words.find(' ' + o.name + ' ') != std::string::npos ||
           (o.letter && words.find(std::string(" -") + o.letter + ' ') != std::string::npos);
  });
}

/// The options behind a form of the command: "[--json] [-o FILE]". A blank inside must not be broken at.
std::string optionalPart(const Command& c) {
  std::string out;
  for (const OptionSpec& o : c.options)
    if (!mentions(c, o))
      out += " [" + (o.letter ? std::string("-") + o.letter : o.name) +
             (o.takesValue() ? '\x1f' + o.value : "") + ']' + (o.repeats ? "…" : "");
  return out;
}

std::string usageText(const std::string& path, const Command& c) {
  std::string out;
  for (std::size_t i = 0; i < c.usage.size(); ++i) {
    const std::string all =
        path + (c.usage[i].empty() ? "" : " ") + c.usage[i] + (i == 0 ? optionalPart(c) : "");
    out += (i == 0 ? "Usage: " : "       ") + wrapped(all, 7, 7 + path.size() + 1) + '\n';
  }
  std::replace(out.begin(), out.end(), '\x1f', ' ');
  return out;
}

std::string optionsText(const std::vector<OptionSpec>& options) {
  std::size_t width = 0;
  for (const OptionSpec& o : options)
    if (columns(form(o)) <= 24) width = std::max(width, columns(form(o)));
  std::string out;
  for (const OptionSpec& o : options) {
    const std::string head = "  " + form(o);
    const bool fits = columns(head) <= width + 2;
    out += head + (fits ? std::string(width + 4 - columns(head), ' ') : '\n' + std::string(width + 4, ' '));
    out += wrapped(o.help, width + 4, width + 4) + '\n';
  }
  return out;
}

std::string exitsText(const Command& c) {
  std::string out = "Exit codes:";
  for (std::size_t i = 0; i < c.exits.size(); ++i)
    out += (i ? "; " : " ") + std::to_string(c.exits[i].code) + ' ' + c.exits[i].meaning;
  return wrapped(out + '.', 0, 0) + '\n';
}

void add(std::string& out, const std::string& part) {
  if (part.empty()) return;
  if (!out.empty()) out += '\n';
  out += part;
  if (out.back() != '\n') out += '\n';
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t first, std::size_t indent) {
  constexpr std::size_t kWidth = 120;
  std::string out, line;
  std::size_t before = first;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && before + columns(line) + 1 + columns(word) > kWidth) {
      out += line + '\n' + std::string(indent, ' ');
      line.clear();
      before = indent;
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return out + line;
}

std::string helpText(const std::string& path, const Command& c) {
  std::string out;
  add(out, usageText(path, c));
  add(out, c.description);
  add(out, optionsText(c.options));
  add(out, c.notes);
  for (const Command& part : c.parts) {
    std::string one = helpText(path + ' ' + part.name, part);
    if (const auto exits = one.find("\nExit codes:"); exits != std::string::npos && !c.exits.empty())
      one.erase(exits);
    add(out, one);
  }
  if (!c.exits.empty()) add(out, exitsText(c));
  return out;
}

std::string helpText(const Program& p) {
  const Command& c = p.whole;
  std::string out, list;
  add(out, c.name + ": " + c.summary);
  add(out, usageText(c.name, c));
  add(out, c.description);
  std::size_t width = 0;
  for (const Command& one : p.commands) width = std::max(width, one.name.size());
  for (const Command& one : p.commands)
    list += "  " + one.name + std::string(width + 2 - one.name.size(), ' ') + one.summary + '\n';
  if (!list.empty()) add(out, "Commands:\n" + list);
  add(out, optionsText(c.options));
  if (!p.everywhere.empty()) add(out, "Every command takes:\n" + optionsText(p.everywhere));
  add(out, c.notes);
  if (!c.exits.empty()) add(out, exitsText(c));
  return out;
}

}  // namespace nest::cli
