#include "fields/own_catalogs.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cluster/devices/device_catalog.h"
#include "cluster/devices/number_format_reader.h"
#include "fields/program_setting.h"
#include "text/catalog.h"
#include "text/json_fields.h"

namespace nest {
namespace {

using nlohmann::json;

constexpr std::size_t kMostEntries = 200;
constexpr JsonLimits kLimits{.bytes = 1u << 20, .depth = 16, .values = 100'000};

/// As names of devices are compared (findDevice).
std::string folded(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Behind the JSON object that begins at `at`; the text has been parsed before.
std::size_t endOfObject(std::string_view text, std::size_t at) {
  int depth = 0;
  bool isString = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (isString && c == '\\')
      ++at;
    else if (c == '"')
      isString = !isString;
    else if (!isString && (c == '{' || c == '['))
      ++depth;
    else if (!isString && (c == '}' || c == ']') && --depth == 0)
      return at + 1;
  }
  return text.size();
}

/// The object at a place of the text, behind as many lines and blanks as stand before it there: its
/// diagnostics then have the lines and columns of the file.
std::string inItsPlace(std::string_view text, const Place& place) {
  std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  for (int line = 1; line < place.line; ++line) at = std::min(text.find('\n', at), text.size() - 1) + 1;
  const auto isInside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  for (int column = 1; column < place.column && at < text.size(); ++column)
    for (++at; at < text.size() && isInside(text[at]);) ++at;
  return std::string(static_cast<std::size_t>(place.line - 1), '\n') +
         std::string(static_cast<std::size_t>(place.column - 1), ' ') +
         std::string(text.substr(at, endOfObject(text, at) - at));
}

/// What entries are "like" and may not be called again: those of the program, and of the files so far.
class Known {
public:
  Known() {
    for (const std::string_view catalog : kCatalogs)
      for (const CatalogEntry& e : catalogEntries(catalog))
        add({std::string(catalog), std::string(e.id), std::string(e.name), std::string(e.aliases),
             std::string(e.like), std::string(e.text), std::string(e.file)});
  }

  void add(const OwnEntry& e) {
    m_entries[e.catalog].push_back(e);
    for (const std::string& name : namesOf(e)) m_names[e.catalog].insert(name);
  }
  /// nullptr: there is none.
  const OwnEntry* find(const std::string& catalog, const std::string& id) const {
    const auto list = m_entries.find(catalog);
    if (list == m_entries.end()) return nullptr;
    for (const OwnEntry& e : list->second)
      if (e.id == id) return &e;
    return nullptr;
  }
  bool isTaken(const std::string& catalog, const std::string& name) const {
    const auto names = m_names.find(catalog);
    return names != m_names.end() && names->second.contains(nameIn(catalog, name));
  }

private:
  static std::string nameIn(const std::string& catalog, const std::string& name) {
    return catalog == "devices" ? folded(name) : name;
  }
  static std::vector<std::string> namesOf(const OwnEntry& e) {
    std::vector<std::string> out{nameIn(e.catalog, e.id)};
    if (e.catalog != "devices") return out;
    out.push_back(folded(e.name));
    const json aliases = json::parse(e.aliases, nullptr, false);
    if (aliases.is_array())
      for (const json& one : aliases)
        if (one.is_string()) out.push_back(folded(one.get<std::string>()));
    return out;
  }

  std::map<std::string, std::vector<OwnEntry>> m_entries;
  std::map<std::string, std::set<std::string>> m_names;
};

Reading<DeviceSpec> readAsDevice(const Known& known, const OwnEntry& e) {
  const OwnEntry* like = e.like.empty() ? nullptr : known.find(e.catalog, e.like);
  const auto above = like ? readAsDevice(known, *like).value : std::nullopt;
  return readCatalogDevice(e.text, e.file, above.value_or(DeviceSpec{}));
}

Reading<Program> readAsProgram(const Known& known, const OwnEntry& e) {
  const OwnEntry* like = e.like.empty() ? nullptr : known.find(e.catalog, e.like);
  const auto above = like ? readAsProgram(known, *like).value : std::nullopt;
  return readProgram(e.text, e.file, above.value_or(Program{}));
}

/// An entry, and where its file has it: "/programs/0".
struct PlacedEntry {
  OwnEntry entry;
  std::string pointer;
};

/// Reads one file.
class CatalogReader {
public:
  CatalogReader(const OwnCatalog& file, Known& known, Diagnostics& out)
      : m_file(file), m_known(known), m_out(out) {}

  /// Its entries; empty where it has an error.
  std::vector<PlacedEntry> run() {
    const auto text = readJsonText(m_file.text, m_file.file, kLimits);
    m_found = text.diagnostics;
    if (text && !text->root().is_object())
      m_found.push_back(error("json-type", text->placeOf(""), "a catalog is an object",
                              "write {\"devices\": […], \"number_formats\": […], \"programs\": […]}"));
    else if (text)
      readLists(*text);
    m_out.insert(m_out.end(), m_found.begin(), m_found.end());
    return hasErrors(m_found) ? std::vector<PlacedEntry>() : m_entries;
  }

private:
  void readLists(const JsonText& text) {
    Known known = m_known;
    JsonFields fields(text, text.root(), "", m_found);
    (void)fields.string("about");
    for (const std::string_view catalog : kCatalogs) {
      const json* list = fields.array(catalog);
      for (std::size_t i = 0; list && i < list->size(); ++i) {
        const std::string pointer = jsonPointer(jsonPointer("", catalog), i);
        if (i == kMostEntries || !(*list)[i].is_object()) {
          m_found.push_back(error("catalog-entry", text.placeOf(pointer),
                                  i == kMostEntries ? "a catalog has at most 200 entries of a kind"
                                                    : "an entry of a catalog is an object"));
          break;
        }
        readEntry(text, std::string(catalog), (*list)[i], pointer, known);
      }
    }
    fields.reportUnknown(Severity::Warning);
    if (!hasErrors(m_found)) m_known = std::move(known);
  }

  void readEntry(const JsonText& text, const std::string& catalog, const json& object,
                 const std::string& pointer, Known& known) {
    const auto textOf = [&](const char* key) {
      const auto it = object.find(key);
      return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
    };
    OwnEntry e{catalog,        textOf("id"),
               textOf("name"), object.contains("aliases") ? object.at("aliases").dump() : std::string(),
               textOf("like"), inItsPlace(m_file.text, text.placeOf(pointer)),
               m_file.file};
    const Place place = text.placeOf(jsonPointer(pointer, "id"));
    if (known.isTaken(catalog, e.id))
      m_found.push_back(error("catalog-taken", place,
                              '"' + e.id + "\" is taken: " + catalog + " has it already",
                              "give it another id, and name that one under \"like\""));
    if (!e.like.empty() && !known.find(catalog, e.like)) {
      m_found.push_back(error("catalog-like", text.placeOf(jsonPointer(pointer, "like")),
                              "there is no \"" + e.like + "\" further up in " + catalog,
                              "name an entry of the program or one before this one"));
      return;  // what it lacks would follow from that
    }
    const Diagnostics of = catalog == "devices"    ? readAsDevice(known, e).diagnostics
                           : catalog == "programs" ? readAsProgram(known, e).diagnostics
                                                   : readNumberFormat(e.text, e.file).diagnostics;
    for (Diagnostic d : of) {
      d.where.pointer = pointer + d.where.pointer;
      m_found.push_back(std::move(d));
    }
    known.add(e);
    m_entries.push_back({std::move(e), pointer});
  }

  const OwnCatalog& m_file;
  Known& m_known;
  Diagnostics& m_out;
  Diagnostics m_found;
  std::vector<PlacedEntry> m_entries;
};

/// Whether the fields of a scenario take what an added program sets. They are made of all entries, so this
/// comes behind addCatalogEntries().
void checkValues(const PlacedEntry& placed, Diagnostics& out) {
  const OwnEntry& entry = placed.entry;
  const Program* program = findProgram(entry.id);
  const auto text = readJsonText(entry.text, entry.file);
  if (!program || !text || !text->root().contains("values")) return;
  for (const auto& [field, value] : text->root().at("values").items()) {
    const ProgramValue* v = program->valueOf(field);
    if (!v) continue;
    Program alone;
    alone.values = {*v};
    Place place = text->placeOf(jsonPointer("/values", field));
    place.pointer = placed.pointer + place.pointer;
    for (const std::string& fault : faultsOfPrograms({alone}))
      out.push_back(error("program-value", place, entry.id + fault,
                          "nest-plan fields lists what a scenario can set, and the limits"));
  }
}

}  // namespace

Diagnostics addOwnCatalogs(const std::vector<OwnCatalog>& files) {
  Diagnostics out;
  if (files.empty()) return out;
  Known known;
  std::vector<PlacedEntry> added;
  for (const OwnCatalog& file : files)
    for (PlacedEntry& e : CatalogReader(file, known, out).run()) added.push_back(std::move(e));
  std::vector<OwnEntry> entries;
  for (const PlacedEntry& e : added) entries.push_back(e.entry);
  addCatalogEntries(entries);
  for (const PlacedEntry& e : added)
    if (e.entry.catalog == "programs") checkValues(e, out);
  return out;
}

}  // namespace nest
