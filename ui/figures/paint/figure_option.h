#pragma once

#include <QString>
#include <string>
#include <vector>

#include "document/plan_context.h"

namespace nest {

/// Something about a figure that can be set: one of several choices, each with a name that files keep, or a
/// switch.
struct FigureOption {
  struct Choice {
    std::string name;  ///< "level0"; not a number, and the same in every version
    QString label;
  };
  static constexpr const char *kOn = "on", *kOff = "off";  ///< the values of a switch

  std::string key;
  QString label;
  QString tip;
  std::vector<Choice> choices;  ///< empty: a switch
  std::string value;            ///< the name that is chosen

  bool isSwitch() const { return choices.empty(); }
};

/// Choices for the cluster's levels ("level0", …) after the given ones.
std::vector<FigureOption::Choice> withLevels(std::vector<FigureOption::Choice>, const PlanContext&);
/// Level of such a choice; −1: it is none.
int levelNamed(const std::string& choice);
std::string levelChoice(int level);
/// Choices for the kinds of exchange, by their names in core ("tensor", …), after the given ones.
std::vector<FigureOption::Choice> withExchanges(std::vector<FigureOption::Choice>);
std::optional<Exchange> exchangeNamed(const std::string& choice);

}  // namespace nest
