#include "cluster/levels/stand_in_host.h"

namespace nest {
namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

bool isLetterOrDigit(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

std::string standInHost(const std::string& levelName, long long number) {
  std::string name;
  for (const char c : levelName)
    if (isLetterOrDigit(c))
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  if (!name.empty() && name.back() == '-') name.pop_back();
  const bool isNumbered = name.starts_with("level-");  // no name of its own
  if (name.empty() || name == "hosts" || isNumbered) name = "host";
  if (isDigit(name.back())) name += '-';
  return name + std::to_string(number);
}

}  // namespace nest
