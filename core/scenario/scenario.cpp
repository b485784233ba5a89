#include "scenario/scenario.h"

#include <algorithm>

namespace nest {
namespace {
template <class T>
bool sameTarget(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
  return a == b || (a && b && *a == *b);
}
}  // namespace

bool operator==(const KeptPlan& a, const KeptPlan& b) {
  return a.name == b.name && sameTarget(a.plan, b.plan) && sameTarget(a.setting, b.setting);
}

bool operator==(const SavedState& a, const SavedState& b) {
  return sameTarget(a.setting, b.setting) && a.plan == b.plan && a.byHand == b.byHand &&
         a.edited == b.edited && a.outcome == b.outcome;
}

bool operator==(const SavedSlide::Beside& a, const SavedSlide::Beside& b) {
  return a.name == b.name && a.note == b.note && sameTarget(a.setting, b.setting) && a.plan == b.plan;
}

bool operator==(const SavedSlide& a, const SavedSlide& b) {
  return a.caption == b.caption && a.view == b.view && a.state == b.state && a.selected == b.selected &&
         a.notes == b.notes && a.sentence == b.sentence && sameTarget(a.shown, b.shown) &&
         a.beside == b.beside && a.study == b.study && a.table == b.table && a.playHead == b.playHead &&
         a.steps == b.steps;
}

SavedSlide atStep(const SavedSlide& slide, std::size_t steps) {
  SavedSlide out = slide;
  out.steps.clear();
  if (steps == 0 || steps > slide.steps.size()) return out;
  const SavedSlide::Step& step = slide.steps[steps - 1];
  out.state = step.state;
  out.selected = step.selected;
  out.playHead = step.playHead;
  out.sentence = step.sentence;
  return out;
}

const KeptPlan* keptPlanNamed(const Scenario& s, const std::string& name) {
  const auto it =
      std::find_if(s.keptPlans.begin(), s.keptPlans.end(), [&](const KeptPlan& k) { return k.name == name; });
  return it == s.keptPlans.end() ? nullptr : &*it;
}

}  // namespace nest
