#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "fields/field.h"
#include "fields/field_text.h"
#include "formats/scenario/scenario_schema.h"
#include "text/json_layout.h"

namespace nest::cli {
namespace {

std::string dotted(const std::string& key) {
  std::string out = key.substr(1);
  for (char& c : out)
    if (c == '/') c = '.';
  return out;
}

std::string allowed(const Field& f) {
  std::string out;
  switch (f.kind()) {
    case FieldKind::Flag:
      return "true or false";
    case FieldKind::Choice:
    case FieldKind::Flags:
      for (const std::string& o : f.options) out += (out.empty() ? "" : ", ") + o;
      return (f.kind() == FieldKind::Flags ? "any of " : "one of ") + out;
    case FieldKind::Wholes:
      return "a list of whole numbers " + rangeText(f);
    case FieldKind::Bound:
      return "a whole number, or {\"least\": …, \"most\": …}, " + rangeText(f);
    case FieldKind::Text:
    case FieldKind::Structured:
      return "an object or a list; see the schema";
    default:
      return rangeText(f);
  }
}

/// What a file without the field means.
std::string usual(const Field& f) {
  if (f.kind() == FieldKind::Structured || f.key.find('*') != std::string::npos || f.required ||
      f.key.starts_with("/cluster/"))
    return {};
  const std::string text = valueText(Setting{}, {&f, {0}, {}});
  return text.empty() ? text : "; default " + text;
}

int list(const Arguments& args) {
  if (args.has("--schema") && (args.has("--json") || !args.files.empty()))
    return report({error("command-line", {}, "--schema is of all fields, and JSON",
                         "leave " + (args.files.empty() ? "--json" : '"' + args.files[0] + '"') + " out")}),
           kBadInput;
  if (args.has("--schema")) return std::cout << scenarioSchema() << std::flush, kDone;
  // Diagnostics name fields by their place in the file, "/job/global_batch".
  std::string part = args.files.empty() ? "" : args.files[0];
  if (part.starts_with('/')) part.erase(0, 1);
  std::replace(part.begin(), part.end(), '/', '.');
  const auto& every = fields();
  if (std::none_of(every.begin(), every.end(),
                   [&part](const Field& f) { return dotted(f.key).find(part) != std::string::npos; }))
    return report({error("fields-none", {}, "no field's key contains \"" + part + '"',
                         "nest-plan fields lists all")}),
           kBadInput;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  std::string group;
  for (const Field& f : fields()) {
    const std::string key = dotted(f.key);
    if (key.find(part) == std::string::npos) continue;
    if (args.has("--json")) {
      all.push_back({{"key", key}, {"label", f.label}, {"meaning", f.meaning}, {"allowed", allowed(f)}});
      if (f.least < f.most) all.back()["least"] = f.least, all.back()["most"] = f.most;
      all.back()["numeric"] = f.isNumeric();
      continue;
    }
    if (f.group != group) std::cout << (group.empty() ? "" : "\n") << f.group << '\n', group = f.group;
    std::cout << "  " << key << (f.isNumeric() ? "  (#)" : "") << "\n      " << f.meaning << "; "
              << allowed(f) << usual(f) << '\n';
  }
  if (args.has("--json")) std::cout << layOut({{"format", "nest-fields"}, {"version", 1}, {"fields", all}});
  return std::cout << std::flush, kDone;
}

}  // namespace

Command fieldsCommand() {
  return {
      .name = "fields",
      .summary = "the fields of a scenario, with what each may be",
      .usage = {"[PART]", "--schema"},
      .description =
          R"(Lists the fields of a scenario file whose key contains PART: what each means, what it may be, and its default. sweep
--set and improve --field take these keys; * stands for the number of a level or link, from 0; a unit at the end may be
left out. Fields marked (#) are numeric: they can be slid, swept and ranked, and have break-even points.)",
      .options = {{"--json", 0, "", "print the fields as JSON"},
                  {"--schema", 0, "", "print the JSON Schema of scenario files"}},
      .exits = {{0, "done"}, {2, "bad input"}},
      .mostFiles = 1,
      .run = list};
}

}  // namespace nest::cli
