#include "options/shell_files.h"

#include <algorithm>
#include <cctype>

namespace nest::cli {
namespace {

/// Text as roff shows it unchanged.
std::string plain(const std::string& s) {
  std::string out;
  for (const char c : s) switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        out += c;
    }
  return out.starts_with('.') ? "\\&" + out : out;
}

/// Paragraphs are filled; lines that begin with a blank are shown as they stand, and so is a line that ends
/// with a colon before them.
std::string body(const std::string& text) {
  std::string out;
  bool literal = false, begun = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const bool indented = line.starts_with(' ');
    if (literal && !indented) out += ".EE\n", literal = false;
    if (line.empty()) {
      if (begun) out += ".PP\n";
      begun = false;
      continue;
    }
    if (!literal && indented) out += ".EX\n", literal = true;
    out += plain(line) + '\n';
    begun = true;
  }
  return out + (literal ? ".EE\n" : "");
}

std::string optionLines(const std::vector<OptionSpec>& options) {
  std::string out;
  for (const OptionSpec& o : options) {
    out += ".TP\n";
    if (o.letter) out += std::string("\\fB\\-") + o.letter + "\\fR, ";
    out += "\\fB" + plain(o.name) + "\\fR" + (o.takesValue() ? " \\fI" + plain(o.value) + "\\fR" : "") + '\n';
    out += plain(o.help) + '\n';
    if (!o.choices.empty()) {
      std::string all;
      for (const std::string& c : o.choices) all += (all.empty() ? "" : ", ") + c;
      out += ".br\n" + plain("One of: " + all) + ".\n";
    }
  }
  return out;
}

std::string exitLines(const std::vector<ExitMeaning>& exits) {
  std::string out;
  for (const ExitMeaning& e : exits)
    out += ".TP\n\\fB" + std::to_string(e.code) + "\\fR\n" + plain(e.meaning) + '\n';
  return out;
}

std::string section(const char* title, const std::string& text) {
  return text.empty() ? "" : ".SH " + std::string(title) + '\n' + text;
}

std::string synopsis(const std::string& path, const Command& c) {
  std::string out;
  for (const std::string& form : c.usage)
    out += (out.empty() ? "" : ".br\n") + ("\\fB" + plain(path)) + "\\fR" +
           (c.options.empty() ? "" : " [\\fIOPTION\\fR]…") + (form.empty() ? "" : ' ' + plain(form)) + '\n';
  for (const Command& part : c.parts)
    out += (out.empty() ? "" : ".br\n") + synopsis(path + ' ' + part.name, part);
  return out;
}

std::string upper(std::string s) {
  for (char& c : s) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return s;
}

}  // namespace

std::string manualPage(const Program& p, const Command* command) {
  const Command& c = command ? *command : p.whole;
  const std::string path = p.whole.name + (command ? ' ' + c.name : "");
  std::string page = path;
  std::replace(page.begin(), page.end(), ' ', '-');
  std::string out = ".TH " + plain(upper(page)) + " 1 \"\" \"" + plain(p.whole.name + ' ' + p.version) +
                    "\" \"User Commands\"\n" +
                    section("NAME", plain(page) + " \\- " + plain(c.summary) + '\n') +
                    section("SYNOPSIS", synopsis(path, c)) + section("DESCRIPTION", body(c.description));
  std::string list, also;
  if (!command)
    for (const Command& one : p.commands) {
      list += ".TP\n\\fB" + plain(one.name) + "\\fR\n" + plain(one.summary) + '\n';
      also += (also.empty() ? "" : " ,\n") + (".BR " + plain(p.whole.name + '-' + one.name)) + " (1)";
    }
  else
    also = ".BR " + plain(p.whole.name) + " (1)";
  out += section("COMMANDS", list) + section("OPTIONS", optionLines(c.options));
  if (!command && !p.everywhere.empty())
    out += section("OPTIONS OF EVERY COMMAND", optionLines(p.everywhere));
  for (const Command& part : c.parts)
    out += section(upper(part.name).c_str(),
                   body(part.description) + optionLines(part.options) + body(part.notes));
  out += section("NOTES", body(c.notes)) + section("EXIT STATUS", exitLines(c.exits));
  return out + section("SEE ALSO", also.empty() ? "" : also + '\n');
}

}  // namespace nest::cli
