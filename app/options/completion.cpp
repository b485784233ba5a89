#include <array>
#include <filesystem>

#include "files/file_writer.h"
#include "options/shell_files.h"
#include "platform/descriptor.h"

namespace nest::cli {
namespace {

std::string replaced(std::string s, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = s.find(from, at)) != std::string::npos; at += to.size())
    s.replace(at, from.size(), to);
  return s;
}

/// In single quotes of a POSIX shell.
std::string quoted(const std::string& s) {
  return '\'' + replaced(s, "'", "'\\''") + '\'';
}

OptionSpec help() {
  return {"--help", 'h', "", "show this help", false, {}};
}

std::vector<OptionSpec> optionsOf(const Command& c) {
  std::vector<OptionSpec> all = c.options;
  for (const OptionSpec& o : all)
    if (o.name == "--help") return all;
  all.push_back(help());
  return all;
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : between) + w;
  return out;
}

std::string names(const std::vector<Command>& commands) {
  std::vector<std::string> all;
  for (const Command& c : commands) all.push_back(c.name);
  return joined(all, " ");
}

std::string asFunction(std::string s) {
  for (char& c : s)
    if (c == '-' || c == ' ') c = '_';
  return '_' + s;
}

// bash
// -----------------------------------------------------------------------------------------------------------

std::string bashCase(const std::string& path, const Command& c) {
  std::string out = "    " + quoted(path) + ")\n", words;
  std::string values;
  for (const OptionSpec& o : optionsOf(c)) {
    words += (words.empty() ? "" : " ") + (o.letter ? std::string("-") + o.letter + ' ' : "") + o.name;
    if (!o.takesValue()) continue;
    values += "        " + (o.letter ? std::string("-") + o.letter + '|' : "") + o.name + ") ";
    if (!o.choices.empty())
      values += "_nest_words " + quoted(joined(o.choices, "\n"));
    else if (completes(o.value) == Completes::Nothing)
      values += ":";
    else
      values += completes(o.value) == Completes::Folders ? "_nest_files -d" : "_nest_files -f";
    values += "; return ;;\n";
  }
  if (!values.empty()) out += "      case $before in\n" + values + "      esac\n";
  std::string rest;
  if (!c.parts.empty())
    rest = "; else _nest_words " + quoted(replaced(names(c.parts), " ", "\n"));
  else if (c.mostFiles > 0)
    rest = "; else _nest_files -f";
  out += "      if [[ $current == -* ]]; then _nest_words " + quoted(replaced(words, " ", "\n")) + rest +
         "; fi ;;\n";
  return out;
}

// zsh
// ------------------------------------------------------------------------------------------------------------

std::string zshAction(const std::string& value, const std::vector<std::string>& choices) {
  if (!choices.empty()) {
    std::string all;
    for (const std::string& c : choices) all += (all.empty() ? "" : " ") + replaced(c, " ", "\\ ");
    return "(" + all + ")";
  }
  switch (completes(value)) {
    case Completes::Files:
      return "_files";
    case Completes::Folders:
      return "_files -/";
    case Completes::Nothing:
      break;
  }
  return " ";
}

std::string zshText(const std::string& s) {
  return replaced(replaced(replaced(s, "[", "("), "]", ")"), ":", "\\:");
}

std::string zshOption(const OptionSpec& o) {
  const std::string tail =
      '[' + zshText(o.help) + ']' +
      (o.takesValue() ? ':' + zshText(o.value) + ':' + zshAction(o.value, o.choices) : "");
  const std::string star = o.repeats ? "*" : "";
  if (!o.letter) return quoted(star + o.name + tail);
  const std::string letter = std::string("-") + o.letter;
  const std::string apart = o.repeats ? "'*'" : quoted('(' + letter + ' ' + o.name + ')');
  return apart + '{' + letter + ',' + o.name + '}' + quoted(tail);
}

std::string zshFunction(const std::string& path, const Command& c, const std::vector<Command>& commands) {
  std::string out = asFunction(path) + "() {\n";
  std::string arguments;
  for (const OptionSpec& o : optionsOf(c)) arguments += " \\\n    " + zshOption(o);
  if (commands.empty()) {
    if (c.mostFiles > 0) arguments += " \\\n    '*:file:_files'";
    return out + "  _arguments -s" + arguments + "\n}\n";
  }
  out += "  local state line\n  _arguments -C" + arguments +
         " \\\n    '1:command:->command' '*::argument:->rest'\n";
  out += "  case $state in\n    command)\n      local -a commands=(\n";
  std::string below;
  for (const Command& one : commands) {
    out += "        " + quoted(one.name + ':' + zshText(one.summary)) + '\n';
    below += "        " + one.name + ") " + asFunction(path + ' ' + one.name) + " ;;\n";
  }
  out += "      )\n      _describe command commands ;;\n    rest)\n      case $line[1] in\n" + below +
         "      esac ;;\n  esac\n}\n";
  for (const Command& one : commands) out += zshFunction(path + ' ' + one.name, one, one.parts);
  return out;
}

// fish
// -----------------------------------------------------------------------------------------------------------

std::string fishQuoted(const std::string& s) {
  return '\'' + replaced(replaced(s, "\\", "\\\\"), "'", "\\'") + '\'';
}

std::string fishLines(const std::string& program, const std::string& condition, const Command& c) {
  const std::string head =
      "complete -c " + program + (condition.empty() ? "" : " -n " + fishQuoted(condition));
  std::string out;
  for (const OptionSpec& o : optionsOf(c)) {
    out += head + (o.letter ? std::string(" -s ") + o.letter : "") + " -l " + o.name.substr(2);
    if (!o.choices.empty()) {
      std::string all;
      for (const std::string& w : o.choices) all += (all.empty() ? "" : " ") + replaced(w, " ", "\\ ");
      out += " -x -a " + fishQuoted(all);
    } else if (o.takesValue()) {
      const Completes what = completes(o.value);
      out += what == Completes::Nothing   ? " -x"
             : what == Completes::Folders ? " -x -a '(__fish_complete_directories)'"
                                          : " -r -F";
    }
    out += " -d " + fishQuoted(o.help) + '\n';
  }
  return out;
}

/// The program with the options of all commands in each of them.
Program spreadOut(Program p) {
  const auto add = [&](const auto& self, std::vector<Command>& commands) -> void {
    for (Command& c : commands) {
      c.options.insert(c.options.end(), p.everywhere.begin(), p.everywhere.end());
      self(self, c.parts);
    }
  };
  add(add, p.commands);
  return p;
}

}  // namespace

Completes completes(const std::string& valueName) {
  static constexpr std::array files = {"FILE", "SCENARIO", "PLAN", "PROFILE", "JOURNAL"};
  for (const char* f : files)
    if (valueName == f) return Completes::Files;
  return valueName == "FOLDER" ? Completes::Folders : Completes::Nothing;
}

std::string bashCompletion(const Program& program) {
  const Program p = spreadOut(program);
  Command whole = p.whole;
  whole.parts = p.commands;
  std::string cases = bashCase("", whole);
  std::string nested;
  for (const Command& c : p.commands) {
    cases += bashCase(c.name, c);
    for (const Command& part : c.parts) cases += bashCase(c.name + ' ' + part.name, part);
    if (!c.parts.empty()) nested += (nested.empty() ? "" : "|") + c.name;
  }
  const std::string function = asFunction(p.whole.name);
  std::string find;
  if (!p.commands.empty())
    find = "  (( COMP_CWORD > 1 )) && [[ ${COMP_WORDS[1]} != -* ]] && command=${COMP_WORDS[1]}\n";
  if (!nested.empty())
    find +=
        "  case $command in " + nested + ") (( COMP_CWORD > 2 )) && command+=\" ${COMP_WORDS[2]}\" ;; esac\n";
  return "# bash completion for " + p.whole.name + "\n" + function +
         "() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=\n"
         "  # bash splits --option=value at the sign\n"
         "  if [[ $current == = ]]; then current=\n"
         "  elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n" +
         find +
         "  _nest_words() { local IFS=$'\\n'; mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$current\"); "
         "}\n"
         "  _nest_files() { compopt -o filenames; mapfile -t COMPREPLY < <(compgen \"$1\" -- \"$current\"); "
         "}\n"
         "  COMPREPLY=()\n"
         "  case $command in\n" +
         cases + "  esac\n}\ncomplete -F " + function + ' ' + p.whole.name + '\n';
}

std::string zshCompletion(const Program& program) {
  const Program p = spreadOut(program);
  return "#compdef " + p.whole.name + "\n\n" + zshFunction(p.whole.name, p.whole, p.commands) + '\n' +
         asFunction(p.whole.name) + " \"$@\"\n";
}

std::string fishCompletion(const Program& program) {
  const Program p = spreadOut(program);
  const std::string& name = p.whole.name;
  std::string out = "# fish completion for " + name + '\n';
  if (p.commands.empty()) return out + fishLines(name, "", p.whole);
  const auto list = [&](const std::string& condition, const std::vector<Command>& commands) {
    for (const Command& c : commands)
      out += "complete -c " + name + " -f -n " + fishQuoted(condition) + " -a " + c.name + " -d " +
             fishQuoted(c.summary) + '\n';
  };
  list("__fish_use_subcommand", p.commands);
  out += fishLines(name, "__fish_use_subcommand", p.whole);
  for (const Command& c : p.commands) {
    const std::string inside = "__fish_seen_subcommand_from " + c.name;
    if (c.parts.empty()) {
      out += fishLines(name, inside, c);
      continue;
    }
    list(inside + "; and not __fish_seen_subcommand_from " + names(c.parts), c.parts);
    for (const Command& part : c.parts)
      out += fishLines(name, inside + "; and __fish_seen_subcommand_from " + part.name, part);
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> shellFiles(const Program& p) {
  const std::string& name = p.whole.name;
  std::vector<std::pair<std::string, std::string>> all = {
      {"share/man/man1/" + name + ".1", manualPage(p)},
      {"share/bash-completion/completions/" + name, bashCompletion(p)},
      {"share/zsh/vendor-completions/_" + name, zshCompletion(p)},
      {"share/fish/vendor_completions.d/" + name + ".fish", fishCompletion(p)}};
  for (const Command& c : p.commands)
    all.emplace_back("share/man/man1/" + name + '-' + c.name + ".1", manualPage(p, &c));
  return all;
}

Diagnostics writeShellFiles(const Program& p, const std::string& folder) {
  Diagnostics failed;
  for (const auto& [path, text] : shellFiles(p)) {
    const std::filesystem::path place = std::filesystem::path(folder) / path;
    std::error_code ec;
    std::filesystem::create_directories(place.parent_path(), ec);
    if (ec)
      failed.push_back(unwritable(place.parent_path().string(), ec.value()));
    else
      for (Diagnostic& d : writeFile(place.string(), text)) failed.push_back(std::move(d));
  }
  return failed;
}

}  // namespace nest::cli
