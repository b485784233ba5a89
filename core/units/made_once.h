#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace nest {

/// A fixed number of values, each made when it is first asked for; one may ask for another while it is made.
/// Values keep their place. Thread safe.
template <class T>
class MadeOnce {
public:
  using Make = std::function<T(std::size_t)>;

  MadeOnce(std::size_t count, Make make)
      : m_make(std::move(make)), m_values(count), m_once(std::make_unique<std::once_flag[]>(count)) {}

  const T& at(std::size_t i) const {
    std::call_once(m_once[i], [&] { m_values[i] = m_make(i); });
    return m_values[i];
  }
  /// Makes those that are missing.
  const std::vector<T>& all() const {
    for (std::size_t i = 0; i < m_values.size(); ++i) at(i);
    return m_values;
  }

private:
  Make m_make;
  mutable std::vector<T> m_values;
  std::unique_ptr<std::once_flag[]> m_once;
};

}  // namespace nest
