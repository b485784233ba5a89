#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace nest {

/// Letters to insert, remove or replace until one text is the other.
inline int editDistance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (const char c : a) {
    int diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const int above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (c != b[j])});
      diagonal = above;
    }
  }
  return row.back();
}

/// Finds the name that was meant, where another one looks like a slip of it.
class NearestName {
public:
  explicit NearestName(std::string_view typed)
      : m_typed(typed), m_best(1 + static_cast<int>(typed.size() / 3)) {}

  void offer(std::string_view known) {
    const int distance = m_typed.size() <= kLongest ? editDistance(m_typed, known) : m_best;
    if (distance < m_best) m_best = distance, m_name = known;
  }
  const std::string& name() const { return m_name; }  ///< empty: none is near

private:
  static constexpr std::size_t kLongest = 64;
  std::string_view m_typed;
  int m_best;
  std::string m_name;
};

}  // namespace nest
