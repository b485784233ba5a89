#include "lessons/expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "units/letters.h"

namespace nest {
namespace {

constexpr std::size_t kLongestExpression = 1000;
constexpr int kDeepest = 32;
constexpr double kEqual = 1e-9;

struct KnownFunction {
  std::string_view name;
  std::size_t least, most;
};
constexpr std::array kFunctions{
    KnownFunction{"min", 1, 16},  KnownFunction{"max", 1, 16},  KnownFunction{"abs", 1, 1},
    KnownFunction{"round", 1, 1}, KnownFunction{"floor", 1, 1}, KnownFunction{"ceil", 1, 1},
    KnownFunction{"sqrt", 1, 1},  KnownFunction{"log2", 1, 1},  KnownFunction{"if", 3, 3}};

const KnownFunction* functionNamed(std::string_view name) {
  for (const KnownFunction& f : kFunctions)
    if (f.name == name) return &f;
  return nullptr;
}

bool isNameLetter(char c, bool first) {
  return (c >= 'a' && c <= 'z') || c == '_' || (!first && c >= '0' && c <= '9');
}

bool nearlyEqual(double a, double b) {
  return std::abs(a - b) <= kEqual * std::max(std::abs(a), std::abs(b));
}

const char* nameOf(ValueKind k) {
  constexpr std::array kNames = {"a number", "a time", "an amount of memory", "a share"};
  return kNames[static_cast<std::size_t>(k)];
}

bool isPlain(ValueKind k) {
  return k == ValueKind::Number || k == ValueKind::Share;
}

}  // namespace

class ExpressionParser {
public:
  explicit ExpressionParser(std::string_view text) : m_text(text) {}

  std::optional<Expression> parse() {
    Expression e;
    e.m_text = std::string(m_text);
    m_nodes = &e.m_nodes;
    if (m_text.size() > kLongestExpression)
      fail("an expression has at most 1,000 characters");
    else if (any(0, 0) >= 0) {
      skip();
      if (m_at < m_text.size()) fail("expected an operator");
    }
    return m_wrong.empty() ? std::optional(std::move(e)) : std::nullopt;
  }
  const std::string& wrong() const { return m_wrong; }

private:
  using Node = Expression::Node;

  int fail(const std::string& what) {
    if (m_wrong.empty()) m_wrong = what + " at character " + std::to_string(m_at + 1);
    return -1;
  }
  void skip() {
    while (m_at < m_text.size() && m_text[m_at] == ' ') ++m_at;
  }
  int add(Node node) {
    m_nodes->push_back(std::move(node));
    return static_cast<int>(m_nodes->size()) - 1;
  }
  int add(Node::Kind kind, std::string name, std::vector<int> inputs) {
    Node n;
    n.kind = kind;
    n.name.name = std::move(name);
    n.inputs = std::move(inputs);
    return add(std::move(n));
  }

  std::string_view word() {
    skip();
    std::size_t end = m_at;
    while (end < m_text.size() && isNameLetter(m_text[end], end == m_at)) ++end;
    return m_text.substr(m_at, end - m_at);
  }
  bool take(std::string_view token) {
    skip();
    if (!m_text.substr(m_at).starts_with(token)) return false;
    if (isNameLetter(token[0], true) && word() != token) return false;
    m_at += token.size();
    return true;
  }

  /// Operators by how tightly they bind: or, and, comparisons, sums, products.
  int any(int level, int depth) {
    if (depth > kDeepest) return fail("too many parentheses");
    static const std::array<std::vector<std::string_view>, 5> kOperators{
        {{"or"}, {"and"}, {"<=", ">=", "==", "!=", "<", ">"}, {"+", "-"}, {"*", "/"}}};
    if (level == static_cast<int>(kOperators.size())) return single(depth);
    int left = any(level + 1, depth);
    while (left >= 0) {
      const auto& here = kOperators[static_cast<std::size_t>(level)];
      const auto op = std::find_if(here.begin(), here.end(), [this](auto o) { return take(o); });
      if (op == here.end()) break;
      const int right = any(level + 1, depth);
      if (right < 0) return -1;
      left = add(Node::Kind::Operator, std::string(*op), {left, right});
    }
    return left;
  }

  int single(int depth) {
    skip();
    if (m_at >= m_text.size()) return fail("expected a value");
    if (depth > kDeepest) return fail("too many parentheses");
    for (const char* sign : {"-", "not"})
      if (take(sign)) {
        const int of = single(depth + 1);
        return of < 0 ? -1 : add(Node::Kind::Operator, sign == std::string_view("-") ? "neg" : "not", {of});
      }
    if (take("(")) {
      const int inner = any(0, depth + 1);
      if (inner >= 0 && !take(")")) return fail("expected )");
      return inner;
    }
    const char c = m_text[m_at];
    if ((c >= '0' && c <= '9') || c == '.') return number();
    if (isNameLetter(c, true)) return name(depth);
    return fail("expected a value");
  }

  int number() {
    double v = 0;
    const auto [end, ec] = std::from_chars(m_text.data() + m_at, m_text.data() + m_text.size(), v);
    if (ec != std::errc() || !std::isfinite(v)) return fail("expected a number");
    m_at = static_cast<std::size_t>(end - m_text.data());
    Node n;
    n.number.value = v;
    skip();
    for (const char* unit : {"ms", "us", "s", "min", "GiB", "MiB", "TiB", "%"}) {
      const std::string_view u = unit;
      if (!m_text.substr(m_at).starts_with(u)) continue;
      const std::size_t behind = m_at + u.size();
      if (behind < m_text.size() && (isNameLetter(m_text[behind], false) || m_text[behind] == '(')) continue;
      const LessonUnit known = lessonUnit(u);
      n.number = {v * known.scale, known.kind};
      m_at = behind;
      break;
    }
    return add(std::move(n));
  }

  int name(int depth) {
    Node n;
    n.kind = Node::Kind::Name;
    n.name.name = std::string(word());
    m_at += n.name.name.size();
    if (m_at < m_text.size() && m_text[m_at] == '.') {
      ++m_at;
      n.name.scope = std::exchange(n.name.name, std::string(word()));
      if (n.name.name.empty()) return fail("expected a quantity");
      m_at += n.name.name.size();
    }
    const KnownFunction* function = n.name.scope.empty() ? functionNamed(n.name.name) : nullptr;
    if (m_at < m_text.size() && m_text[m_at] == '(') {
      ++m_at;
      do {
        const int of = any(0, depth + 1);
        if (of < 0) return -1;
        n.inputs.push_back(of);
        if (n.inputs.size() > 16) return fail("too many arguments");
      } while (take(","));
      if (!take(")")) return fail("expected )");
    }
    n.name.arguments = n.inputs.size();
    if (function) {
      n.kind = Node::Kind::Function;
      if (n.inputs.size() < function->least || n.inputs.size() > function->most)
        return fail("wrong number of arguments of " + n.name.name);
    }
    return add(std::move(n));
  }

  std::string_view m_text;
  std::size_t m_at = 0;
  std::vector<Node>* m_nodes = nullptr;
  std::string m_wrong;
};

Reading<Expression> Expression::parse(std::string_view text, const Place& where) {
  Reading<Expression> result;
  ExpressionParser parser(text);
  result.value = parser.parse();
  if (!result.value)
    result.diagnostics.push_back(
        error("lesson-expression", where, "this is not an expression: " + parser.wrong(),
              "write for example zero3.step_time / base.step_time, or base.memory > 3 GiB"));
  return result;
}

std::vector<LessonName> Expression::names() const {
  std::vector<LessonName> out;
  for (const Node& n : m_nodes)
    if (n.kind == Node::Kind::Name) out.push_back(n.name);
  return out;
}

std::optional<LessonValue> Expression::evaluate(const Lookup& lookup, std::string& why) const {
  std::vector<std::optional<LessonValue>> values;
  values.reserve(m_nodes.size());
  std::vector<std::string> reasons(m_nodes.size());
  for (std::size_t k = 0; k < m_nodes.size(); ++k) {
    const Node& n = m_nodes[k];
    // Only the branch that is taken needs a value.
    if (n.kind == Node::Kind::Function && n.name.name == "if") {
      const auto& condition = values[static_cast<std::size_t>(n.inputs[0])];
      const auto from = static_cast<std::size_t>(n.inputs[condition ? (condition->value != 0 ? 1 : 2) : 0]);
      values.push_back(values[from]), reasons[k] = reasons[from];
      continue;
    }
    std::vector<LessonValue> inputs;
    bool known = true;
    for (const int i : n.inputs) {
      const auto& v = values[static_cast<std::size_t>(i)];
      if (!v && known) known = false, reasons[k] = reasons[static_cast<std::size_t>(i)];
      if (v) inputs.push_back(*v);
    }
    values.push_back(known ? valueOf(n, inputs, lookup, reasons[k]) : std::nullopt);
    if (values.back() && !std::isfinite(values.back()->value)) {
      values.back().reset();
      reasons[k] = '"' + m_text + "\" is not a finite number";
    }
  }
  if (values.empty()) return std::nullopt;
  if (!values.back()) why = reasons.back();
  return values.back();
}

std::optional<LessonValue> Expression::valueOf(const Node& n, const std::vector<LessonValue>& in,
                                               const Lookup& lookup, std::string& why) const {
  if (n.kind == Node::Kind::Number) return n.number;
  if (n.kind == Node::Kind::Name) {
    std::vector<double> arguments;
    for (const LessonValue& v : in) arguments.push_back(v.value);
    return lookup(n.name, arguments, why);
  }
  const std::string& op = n.name.name;
  const double a = in[0].value, b = in.size() > 1 ? in[1].value : 0;
  const auto truth = [](bool t) { return LessonValue{t ? 1.0 : 0.0}; };
  if (n.kind == Node::Kind::Function) {
    LessonValue out = in[0];
    for (const LessonValue& v : in) {
      if (op == "min") out.value = std::min(out.value, v.value);
      if (op == "max") out.value = std::max(out.value, v.value);
    }
    if (op == "abs") out.value = std::abs(a);
    if (op == "round") out.value = std::round(a);
    if (op == "floor") out.value = std::floor(a);
    if (op == "ceil") out.value = std::ceil(a);
    if (op == "sqrt") out = {std::sqrt(a)};
    if (op == "log2") out = {std::log2(a)};
    return out;
  }
  if (op == "neg") return LessonValue{-a, in[0].kind};
  if (op == "not") return truth(a == 0);
  if (op == "and") return truth(a != 0 && b != 0);
  if (op == "or") return truth(a != 0 || b != 0);
  const ValueKind left = in[0].kind, right = in[1].kind;
  if (op == "*") {
    if (isPlain(left)) return LessonValue{a * b, isPlain(right) ? ValueKind::Number : right};
    if (isPlain(right)) return LessonValue{a * b, left};
    return LessonValue{a * b};
  }
  if (op == "/") return LessonValue{a / b, isPlain(right) && !isPlain(left) ? left : ValueKind::Number};
  if (left != right && !(isPlain(left) && isPlain(right))) {
    why = '"' + m_text + "\" puts " + nameOf(left) + " against " + nameOf(right);
    return std::nullopt;
  }
  if (op == "+") return LessonValue{a + b, left};
  if (op == "-") return LessonValue{a - b, left};
  const bool same = nearlyEqual(a, b);
  if (op == "==") return truth(same);
  if (op == "!=") return truth(!same);
  if (op == "<") return truth(a < b && !same);
  if (op == ">") return truth(a > b && !same);
  if (op == "<=") return truth(a < b || same);
  return truth(a > b || same);
}

}  // namespace nest
