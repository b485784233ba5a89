// The choice of the program, and how its values come to stand in the other fields.
#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "fields/field_tables.h"
#include "fields/program_setting.h"
#include "units/made_once.h"

namespace nest {
namespace {

/// As the field holds it; nullopt: the field cannot hold it.
std::optional<FieldValue> heldBy(const Field& f, const ProgramValue& v) {
  const auto isWhole = [](double d) { return d == std::floor(d); };
  if (const auto* flag = std::get_if<bool>(&v.value))
    return f.kind() == FieldKind::Flag ? std::optional<FieldValue>(*flag) : std::nullopt;
  if (const auto* number = std::get_if<double>(&v.value)) {
    const bool fits = f.allows(*number) &&
                      (f.kind() == FieldKind::Number || (f.kind() == FieldKind::Whole && isWhole(*number)));
    return fits ? std::optional<FieldValue>(*number) : std::nullopt;
  }
  if (const auto* name = std::get_if<std::string>(&v.value)) {
    const auto it = std::find(f.options.begin(), f.options.end(), *name);
    return f.kind() == FieldKind::Choice && it != f.options.end()
               ? std::optional<FieldValue>(double(it - f.options.begin()))
               : std::nullopt;
  }
  std::vector<int> all;
  for (const double d : std::get<std::vector<double>>(v.value)) {
    if (!isWhole(d) || !f.allows(d)) return std::nullopt;
    all.push_back(static_cast<int>(d));
  }
  return f.kind() == FieldKind::Wholes ? std::optional<FieldValue>(all) : std::nullopt;
}

void set(Setting& s, const Field& f, const ProgramValue& v, const FieldValue& held) {
  if (f.access.setFigure && std::holds_alternative<double>(held))
    f.access.setFigure(s, {std::get<double>(held), v.origin, v.citation});
  else
    f.access.set(s, 0, held);
}

/// What one of the programs sets.
std::vector<const Field*> governed(std::span<const Program* const> all) {
  std::set<std::string> keys;
  for (const Program* p : all)
    for (const ProgramValue& v : p->values) keys.insert(v.field);
  std::vector<const Field*> out;
  for (const Field& f : fields())
    if (keys.contains(f.key) && f.access.get) out.push_back(&f);
  return out;
}

const std::vector<const Field*>& governedByAny() {
  static const std::vector<const Field*> all = [] {
    std::vector<const Program*> each;
    for (const Program& p : programs()) each.push_back(&p);
    return governed(each);
  }();
  return all;
}

std::size_t numberOf(std::string_view program) {
  const auto& names = programNames();
  const auto it = std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.id == program; });
  return it == names.end() ? 0 : static_cast<std::size_t>(it - names.begin());
}

void copy(const Setting& from, const Field& f, Setting& to) {
  if (f.access.figure)
    f.access.setFigure(to, *f.access.figure(from));
  else
    f.access.set(to, 0, f.access.get(from, 0));
}

FieldAccess choice() {
  FieldAccess a;
  a.kind = FieldKind::Choice;
  a.get = [](const Setting& s, int) { return FieldValue(double(numberOf(s.program))); };
  a.set = [](Setting& s, int, const FieldValue& v) {
    setProgram(s, *findProgram(programNames().at(static_cast<std::size_t>(std::get<double>(v))).id));
  };
  return a;
}

}  // namespace

void addProgramFields(std::vector<Field>& all) {
  Field f{.key = "/program",
          .group = "Program",
          .label = "Program",
          .meaning =
              "what runs the plan: it sets what overlaps, which kernels run and what memory is taken; ideal: "
              "nothing overlaps",
          .access = choice(),
          .term = "program",
          .stored = Stored::Changed};
  for (const auto& [id, name] : programNames()) {
    f.options.push_back(id);
    f.optionLabels.push_back(name);
  }
  all.push_back(std::move(f));
}

const Setting& usualSetting(const std::string& program) {
  static const MadeOnce<Setting> all(programNames().size(), [](std::size_t i) {
    const Program& p = *findProgram(programNames()[i].id);
    Setting s;
    s.program = p.id;
    for (const ProgramValue& v : p.values) setValue(s, v);
    return s;
  });
  return all.at(numberOf(program));
}

bool setValue(Setting& s, const ProgramValue& v) {
  const Field* f = findField(v.field);
  const auto held = f && f->access.set && !f->access.count ? heldBy(*f, v) : std::nullopt;
  if (held) set(s, *f, v, *held);
  return held.has_value();
}

void setProgram(Setting& s, const Program& to) {
  const Setting &before = usualSetting(s.program), &after = usualSetting(to.id);
  const Program* const both[] = {&programOf(s), &to};
  for (const Field* f : governed(both))
    if (f->access.get(s, 0) == f->access.get(before, 0)) copy(after, *f, s);
  s.program = to.id;
}

void setModel(Setting& s, ModelSource model) {
  model.analytic = s.model.analytic;
  s.model = std::move(model);
}

void setModel(Setting& s, TransformerArchitecture architecture) {
  ModelSource model;
  model.architecture = std::move(architecture);
  setModel(s, std::move(model));
}

const Program& programOf(const Setting& s) {
  const Program* p = findProgram(s.program);
  return p ? *p : *findProgram(kIdealProgram);
}

const ProgramValue* programValue(const Setting& s, const Field& f) {
  return programOf(s).valueOf(f.key);
}

bool isAsProgramSets(const Setting& s, const Field& f) {
  return f.access.get(s, 0) == f.access.get(usualSetting(s.program), 0);
}

std::vector<const Field*> changedFromProgram(const Setting& s) {
  const Setting& usual = usualSetting(s.program);
  if (s.assumptions == usual.assumptions && s.model.analytic == usual.model.analytic) return {};
  std::vector<const Field*> out;
  for (const Field* f : governedByAny()) {
    const bool costs = f->key.starts_with("/assumptions/") || f->key.starts_with("/model/");
    if (costs && !isAsProgramSets(s, *f)) out.push_back(f);
  }
  return out;
}

ProgramUse programUse(const Setting& s) {
  return {&programOf(s), !changedFromProgram(s).empty()};
}

std::vector<std::string> faultsOfPrograms(const std::vector<Program>& all) {
  std::vector<std::string> out;
  for (const Program& p : all)
    for (const ProgramValue& v : p.values) {
      const Field* f = findField(v.field);
      if (!f || !f->access.set || f->access.count)
        out.push_back(p.id + ": " + v.field + " is not a field that a program can set");
      else if (!heldBy(*f, v))
        out.push_back(p.id + ": " + v.field + " cannot hold its value");
      else if (v.citation.empty())
        out.push_back(p.id + ": " + v.field + " has no source");
    }
  return out;
}

}  // namespace nest
