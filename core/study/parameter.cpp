#include "study/parameter.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "fields/field_slide.h"
#include "fields/field_text.h"
#include "problem/device_count.h"
#include "run/goal.h"
#include "scenario/scenario.h"
#include "study/scaling.h"

namespace nest {
namespace {

/// "Bandwidth of rack" → "bandwidth of rack"; "ZeRO stage" and "TP overlap" stay.
std::string inSentence(std::string s) {
  if (s.size() > 1 && std::islower(static_cast<unsigned char>(s[1])))
    s[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(s[0])));
  return s;
}

std::vector<double> deviceCounts(int here, bool fine) {
  int most = fine ? 64 : here;
  while (most < here * (fine ? 16 : 4) && most < 16384) most *= 2;
  int least = 1;
  while (least < std::min(fine ? 64 : std::max(1, here / 8), std::max(8, here / (fine ? 16 : 8)))) least *= 2;
  std::vector<double> out;
  for (const int n : powersOfTwo(least, most)) out.push_back(n);
  if (std::find(out.begin(), out.end(), here) == out.end()) out.push_back(here);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

std::string Parameter::name() const {
  return field ? inSentence(field->name()) : "devices";
}

std::vector<Parameter> parametersOf(const Setting& s) {
  std::vector<Parameter> out{Parameter{}};
  for (FieldAt& f : numericFieldsOf(s)) out.push_back({std::move(f)});
  const auto rank = [](const Parameter& p) {
    if (p.isDevices()) return 0;
    const Field& f = *p.field->field;
    return !f.isOftenMoved ? 3 : f.key.starts_with("/job/") ? 1 : 2;
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const Parameter& a, const Parameter& b) { return rank(a) < rank(b); });
  return out;
}

std::vector<Parameter> usualParametersOf(const Setting& s) {
  std::vector<Parameter> out = parametersOf(s);
  const bool decidesNothing = s.search.goal == Goal::TimePerToken;  // what the run takes beside its steps
  std::erase_if(out, [&](const Parameter& p) {
    return p.field && ((p.field->field->better == Better::Neither && !p.field->field->isOftenMoved) ||
                       (decidesNothing && p.field->field->key.starts_with("/run/")));
  });
  return out;
}

std::optional<double> valueOf(const Setting& s, const Problem& problem, const Parameter& p) {
  if (p.isDevices()) return problem.cluster->deviceCount();
  return numberOf(s, *p.field);
}

std::string valueText(const Setting& s, const Parameter& p, double value) {
  if (p.isDevices()) return text::count(std::llround(value));
  return numberText(s, *p.field, value);
}

std::vector<double> studyValues(const Setting& s, const Problem& problem, const Parameter& p, bool fine) {
  return p.isDevices() ? deviceCounts(problem.cluster->deviceCount(), fine) : studyValues(s, *p.field, fine);
}

std::optional<Problem> problemAt(const Setting& s, const Problem& problem, const Parameter& p, double value) {
  return problemAt(s, problem, {{p, value}});
}

std::optional<Problem> problemAt(const Setting& s, const Problem& problem,
                                 const std::vector<std::pair<Parameter, double>>& values) {
  Setting there = s;
  bool edited = false;
  std::optional<double> devices;
  for (const auto& [p, value] : values) {
    if (p.isDevices()) {
      devices = value;
    } else {
      setNumber(there, *p.field, value);
      edited = true;
    }
  }
  std::optional<Problem> out = edited ? std::move(buildProblem(there).value) : std::optional(problem);
  if (out && devices) {
    out = withDeviceCount(*out, static_cast<int>(std::lround(*devices)));
    weighDevices(*out);
  }
  return out;
}

}  // namespace nest
