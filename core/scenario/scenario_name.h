#pragma once

#include <string>

namespace nest {

struct Scenario;
struct Setting;

/// "Llama-3-8B on 512 H100": what a scenario is, for one that nobody has named. `model`: as its file names
/// it; empty: it has no name.
std::string nameByContent(const std::string& model, const Setting&);
std::string nameByContent(const Setting&);

/// A name that says what `before` was says what `now` is; one that somebody wrote stays.
void followContent(Scenario& now, const Scenario& before);

}  // namespace nest
