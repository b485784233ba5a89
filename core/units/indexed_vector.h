#pragma once

#include <vector>

#include "units/index.h"

namespace nest {

/// A vector that only indices of one kind look into.
template <class I, class T>
class IndexedVector {
public:
  IndexedVector() = default;
  explicit IndexedVector(int size, const T& value = T()) : m_values(static_cast<std::size_t>(size), value) {}

  T& operator[](I i) { return m_values[i.at()]; }
  const T& operator[](I i) const { return m_values[i.at()]; }
  I append(T value) {
    m_values.push_back(std::move(value));
    return I(size() - 1);
  }
  int size() const { return static_cast<int>(m_values.size()); }
  bool empty() const { return m_values.empty(); }
  T& back() { return m_values.back(); }
  const T& back() const { return m_values.back(); }
  auto begin() { return m_values.begin(); }
  auto end() { return m_values.end(); }
  auto begin() const { return m_values.begin(); }
  auto end() const { return m_values.end(); }

  /// All its indices, ascending.
  class Indices {
  public:
    struct Iterator {
      int value;
      I operator*() const { return I(value); }
      Iterator& operator++() { return ++value, *this; }
      friend bool operator==(const Iterator&, const Iterator&) = default;
    };
    explicit Indices(int size) : m_size(size) {}
    Iterator begin() const { return {0}; }
    Iterator end() const { return {m_size}; }

  private:
    int m_size;
  };
  Indices indices() const { return Indices(size()); }

private:
  std::vector<T> m_values;
};

}  // namespace nest
