#include "scenario/program_term.h"

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

TermInput inputOf(const Setting& s, const Field& f) {
  const ProgramValue* own = programValue(s, f);
  TermInput in;
  in.symbol = f.label;
  in.meaning = f.meaning;
  in.words = valueText(s, {&f, {0}, {}});
  in.value = numberIn(f.access.get(s, 0));
  in.unit = unitOf(f);
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

}  // namespace

void addProgram(CostTerm& root, const Setting& s) {
  const Program& program = programOf(s);
  CostTerm t;
  t.id = "program";
  t.label = "Program: " + programText(s) + (program.version.empty() ? "" : " (" + program.version + ")");
  t.formula = program.about;
  t.unit = TermUnit::Count;
  t.kind = TermKind::Compute;
  const auto changed = changedFromProgram(s);
  for (const Field& f : fields())
    if (f.access.get &&
        (program.valueOf(f.key) || std::find(changed.begin(), changed.end(), &f) != changed.end()))
      t.inputs.push_back(inputOf(s, f));
  t.value = static_cast<double>(t.inputs.size());
  t.factor = 0;
  root.children.push_back(std::move(t));
}

}  // namespace nest
