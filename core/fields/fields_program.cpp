// The choice of the program, and how its values come to stand in the other fields.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "fields/field_tables.h"
#include "fields/program_setting.h"

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

/// What some program sets.
const std::vector<const Field*>& governed() {
  static const std::vector<const Field*> all = [] {
    std::set<std::string> keys;
    for (const Program& p : programs())
      for (const ProgramValue& v : p.values) keys.insert(v.field);
    std::vector<const Field*> out;
    for (const Field& f : fields())
      if (keys.contains(f.key) && f.access.get) out.push_back(&f);
    return out;
  }();
  return all;
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
  a.get = [](const Setting& s, int) {
    const auto& all = programs();
    const auto it = std::find_if(all.begin(), all.end(), [&](const Program& p) { return p.id == s.program; });
    return FieldValue(double(it == all.end() ? 0 : it - all.begin()));
  };
  a.set = [](Setting& s, int, const FieldValue& v) {
    setProgram(s, programs().at(static_cast<std::size_t>(std::get<double>(v))));
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
  for (const Program& p : programs()) {
    f.options.push_back(p.id);
    f.optionLabels.push_back(p.name);
  }
  all.push_back(std::move(f));
}

const Setting& usualSetting(const std::string& program) {
  static const std::map<std::string, Setting> all = [] {
    std::map<std::string, Setting> out;
    for (const Program& p : programs()) {
      Setting s;
      s.program = p.id;
      for (const ProgramValue& v : p.values) setValue(s, v);
      out.emplace(p.id, std::move(s));
    }
    return out;
  }();
  const auto it = all.find(program);
  return it == all.end() ? all.at(kIdealProgram) : it->second;
}

bool setValue(Setting& s, const ProgramValue& v) {
  const Field* f = findField(v.field);
  const auto held = f && f->access.set && !f->access.count ? heldBy(*f, v) : std::nullopt;
  if (held) set(s, *f, v, *held);
  return held.has_value();
}

void setProgram(Setting& s, const Program& to) {
  const Setting &before = usualSetting(s.program), &after = usualSetting(to.id);
  for (const Field* f : governed())
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
  return p ? *p : programs().front();
}

const ProgramValue* programValue(const Setting& s, const Field& f) {
  return programOf(s).valueOf(f.key);
}

bool isAsProgramSets(const Setting& s, const Field& f) {
  return f.access.get(s, 0) == f.access.get(usualSetting(s.program), 0);
}

std::vector<const Field*> changedFromProgram(const Setting& s) {
  std::vector<const Field*> out;
  for (const Field* f : governed()) {
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
        out.push_back(p.id + ": " + v.field + " is no field that a program can set");
      else if (!heldBy(*f, v))
        out.push_back(p.id + ": " + v.field + " cannot hold its value");
      else if (v.citation.empty())
        out.push_back(p.id + ": " + v.field + " has no source");
    }
  return out;
}

}  // namespace nest
