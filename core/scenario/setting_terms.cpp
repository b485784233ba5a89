#include "scenario/setting_terms.h"

#include <algorithm>

#include "fields/field_text.h"
#include "fields/program_setting.h"

namespace nest {
namespace {

TermUnit unitOf(const Field& f) {
  switch (f.access.measure) {
    case Measure::Time:
      return TermUnit::Time;
    case Measure::Memory:
      return TermUnit::Memory;
    case Measure::Bandwidth:
      return TermUnit::Bandwidth;
    case Measure::Share:
      return TermUnit::Fraction;
    default:
      return TermUnit::Count;
  }
}

double numberIn(const FieldValue& v) {
  if (const auto* d = std::get_if<double>(&v)) return *d;
  if (const auto* flag = std::get_if<bool>(&v)) return *flag ? 1 : 0;
  return 0;
}

TermInput shown(const Setting& s, const Field& f) {
  TermInput in;
  in.symbol = f.label;
  in.meaning = f.meaning;
  in.words = valueText(s, {&f, {0}, {}});
  in.value = numberIn(f.access.get(s, 0));
  in.unit = unitOf(f);
  return in;
}

TermInput inputOf(const Setting& s, const Field& f) {
  const ProgramValue* own = programValue(s, f);
  TermInput in = shown(s, f);
  if (isAsProgramSets(s, f)) {
    in.origin = own->origin;
    in.citation = own->citation;
  } else {
    in.origin = Origin::Typed;
    in.citation = "changed; the program sets " + valueText(usualSetting(s.program), {&f, {0}, {}}) +
                  (own ? " (" + own->citation + ")" : std::string());
  }
  return in;
}

/// Whether estimated layer times follow from it: what a device computes with and a kernel moves, not what it
/// holds or sends.
bool isConstant(const Field& f) {
  if (!f.access.figure) return false;
  if (f.key.starts_with("/model/analytic/")) return true;
  return f.key.starts_with("/cluster/device/") && f.key.find("link") == std::string::npos &&
         f.key != "/cluster/device/memory_bytes";
}

CostTerm listed(const char* id, std::string label, std::string formula, std::vector<TermInput> inputs) {
  CostTerm t;
  t.id = id;
  t.label = std::move(label);
  t.formula = std::move(formula);
  t.unit = TermUnit::Count;
  t.kind = TermKind::Compute;
  t.value = static_cast<double>(inputs.size());
  t.inputs = std::move(inputs);
  t.factor = 0;
  return t;
}

}  // namespace

void addProgram(CostTerm& root, const Setting& s) {
  const Program& program = programOf(s);
  const auto changed = changedFromProgram(s);
  std::vector<TermInput> inputs;
  for (const Field& f : fields())
    if (f.access.get &&
        (program.valueOf(f.key) || std::find(changed.begin(), changed.end(), &f) != changed.end()))
      inputs.push_back(inputOf(s, f));
  root.children.push_back(listed("program",
                                 "Program: " + program.name + (changed.empty() ? "" : ", changed") +
                                     (program.version.empty() ? "" : " (" + program.version + ")"),
                                 program.about, std::move(inputs)));
}

void addConstants(CostTerm& root, const Setting& s) {
  std::vector<TermInput> inputs;
  for (const Field& f : fields()) {
    const auto figure = isConstant(f) ? f.access.figure(s) : std::nullopt;
    if (!figure) continue;
    TermInput in = shown(s, f);
    in.origin = figure->origin;
    in.citation = figure->citation;
    inputs.push_back(std::move(in));
  }
  root.children.push_back(listed("constants", "Constants behind estimated layer times",
                                 "roofline of each operator: the longer of arithmetic and memory traffic",
                                 std::move(inputs)));
}

}  // namespace nest
