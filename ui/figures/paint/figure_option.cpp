#include "figures/paint/figure_option.h"

#include <QCoreApplication>
#include <charconv>

#include "figures/paint/phrases.h"
#include "figures/plan/communication_figure.h"

namespace nest {
namespace {
constexpr std::string_view kLevel = "level";
}

std::vector<FigureOption::Choice> withLevels(std::vector<FigureOption::Choice> choices,
                                             const PlanContext& c) {
  const int levels = c.problem ? c.problem->cluster->levelCount() : kShapeLevels;
  for (int l = 0; l < levels; ++l)
    choices.push_back(
        {levelChoice(l),
         c.problem ? levelName(c, l) : QCoreApplication::translate("nest::FigureView", "level %1").arg(l)});
  return choices;
}

std::string levelChoice(int level) {
  return std::string(kLevel) + std::to_string(level);
}

int levelNamed(const std::string& choice) {
  int level = -1;
  if (!choice.starts_with(kLevel)) return -1;
  const char *begin = choice.data() + kLevel.size(), *end = choice.data() + choice.size();
  const auto [at, error] = std::from_chars(begin, end, level);
  return error == std::errc() && at == end ? level : -1;
}

std::vector<FigureOption::Choice> withExchanges(std::vector<FigureOption::Choice> choices) {
  for (int k = 0; k < kExchangeCount; ++k)
    choices.push_back({nameOf(static_cast<Exchange>(k)), nameOfKind(static_cast<Exchange>(k))});
  return choices;
}

std::optional<Exchange> exchangeNamed(const std::string& choice) {
  for (int k = 0; k < kExchangeCount; ++k)
    if (choice == nameOf(static_cast<Exchange>(k))) return static_cast<Exchange>(k);
  return std::nullopt;
}

}  // namespace nest
