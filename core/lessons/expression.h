#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "lessons/lesson_value.h"

namespace nest {

/// A name in an expression: `batch`, `zero3.step_time`, `now.load(2)`.
struct LessonName {
  std::string scope;  ///< before the point; empty: none
  std::string name;
  std::size_t arguments = 0;
};

/// Arithmetic over the quantities of solved plans: numbers with or without a unit (`3 GiB`, `5 %`), + − * /,
/// comparisons, `and`, `or`, `not`, parentheses, and min, max, abs, round, floor, ceil, sqrt, log2 and
/// if(condition, then, else). A comparison gives 1 or 0; equal means to 1e-9.
class Expression {
public:
  /// At most 1,000 characters and 32 levels of parentheses.
  static Reading<Expression> parse(std::string_view text, const Place& where);

  /// The value of a name. nullopt: it has none, `why` says so.
  using Lookup = std::function<std::optional<LessonValue>(
      const LessonName&, const std::vector<double>& arguments, std::string& why)>;
  std::optional<LessonValue> evaluate(const Lookup&, std::string& why) const;

  const std::string& text() const { return m_text; }
  std::vector<LessonName> names() const;

private:
  friend class ExpressionParser;
  struct Node {
    enum class Kind { Number, Name, Function, Operator } kind = Kind::Number;
    LessonValue number;
    LessonName name;          ///< of functions and operators, too: "min", "+", "not"
    std::vector<int> inputs;  ///< nodes before this one
  };
  std::optional<LessonValue> valueOf(const Node&, const std::vector<LessonValue>& inputs, const Lookup&,
                                     std::string& why) const;

  std::string m_text;
  std::vector<Node> m_nodes;  ///< inputs first; the last is the result
};

}  // namespace nest
