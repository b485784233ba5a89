#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "fields/field.h"
#include "units/enum_array.h"

namespace nest {

/// Field access by a locator: a function of (setting, i) that gives a reference to the member, const or not.
/// Kind, measure, get and set follow from the member's type.
namespace field_access {

template <class T>
struct Traits;
template <>
struct Traits<int> {
  static constexpr FieldKind kind = FieldKind::Whole;
  static constexpr Measure measure = Measure::Count;
  static FieldValue get(int v) { return double(v); }
  static void set(int& v, const FieldValue& x) { v = static_cast<int>(std::lround(std::get<double>(x))); }
};
template <>
struct Traits<double> {
  static constexpr FieldKind kind = FieldKind::Number;
  static constexpr Measure measure = Measure::Number;
  static FieldValue get(double v) { return v; }
  static void set(double& v, const FieldValue& x) { v = std::get<double>(x); }
};
template <class T>
struct Traits<std::optional<T>> : Traits<T> {
  static FieldValue get(const std::optional<T>& v) { return v ? Traits<T>::get(*v) : FieldValue(); }
  static void set(std::optional<T>& v, const FieldValue& x) {
    v.reset();
    if (!std::holds_alternative<std::monostate>(x)) Traits<T>::set(v.emplace(), x);
  }
};
template <>
struct Traits<bool> {
  static constexpr FieldKind kind = FieldKind::Flag;
  static constexpr Measure measure = Measure::Number;
  static FieldValue get(bool v) { return v; }
  static void set(bool& v, const FieldValue& x) { v = std::get<bool>(x); }
};
template <>
struct Traits<std::vector<int>> {
  static constexpr FieldKind kind = FieldKind::Wholes;
  static constexpr Measure measure = Measure::Count;
  static FieldValue get(const std::vector<int>& v) { return v; }
  static void set(std::vector<int>& v, const FieldValue& x) { v = std::get<std::vector<int>>(x); }
};
template <class Tag>
struct Traits<std::vector<Index<Tag>>> : Traits<std::vector<int>> {
  static FieldValue get(const std::vector<Index<Tag>>& v) {
    std::vector<int> out;
    for (const auto i : v) out.push_back(i.value);
    return out;
  }
  static void set(std::vector<Index<Tag>>& v, const FieldValue& x) {
    v.clear();
    for (const int i : std::get<std::vector<int>>(x)) v.emplace_back(i);
  }
};
template <class E, int N>
struct Traits<EnumArray<E, bool, N>> {
  static constexpr FieldKind kind = FieldKind::Flags;
  static constexpr Measure measure = Measure::Number;
  static FieldValue get(const EnumArray<E, bool, N>& v) {
    std::vector<int> on;
    for (int i = 0; i < N; ++i)
      if (v[i]) on.push_back(i);
    return on;
  }
  static void set(EnumArray<E, bool, N>& v, const FieldValue& x) {
    v = {};
    for (const int i : std::get<std::vector<int>>(x)) v.at(static_cast<std::size_t>(i)) = true;
  }
};
template <class T>
requires std::is_enum_v<T>
struct Traits<std::vector<T>> {
  static constexpr FieldKind kind = FieldKind::Flags;
  static constexpr Measure measure = Measure::Number;
  static FieldValue get(const std::vector<T>& v) {
    std::vector<int> on;
    for (const T x : v) on.push_back(static_cast<int>(x));
    return on;
  }
  static void set(std::vector<T>& v, const FieldValue& x) {
    v.clear();
    for (const int i : std::get<std::vector<int>>(x)) v.push_back(static_cast<T>(i));
    std::sort(v.begin(), v.end());
  }
};
template <>
struct Traits<Bound> {
  static constexpr FieldKind kind = FieldKind::Bound;
  static constexpr Measure measure = Measure::Count;
  static FieldValue get(const Bound& v) { return v; }
  static void set(Bound& v, const FieldValue& x) { v = std::get<Bound>(x); }
};
template <class Unit>
struct Traits<Quantity<Unit>> {
  using Q = Quantity<Unit>;
  static constexpr FieldKind kind = FieldKind::Number;
  static constexpr Measure measure = std::is_same_v<Q, Seconds>          ? Measure::Time
                                     : std::is_same_v<Q, Bytes>          ? Measure::Memory
                                     : std::is_same_v<Q, BytesPerSecond> ? Measure::Bandwidth
                                                                         : Measure::Rate;
  static FieldValue get(Q v) { return v.value(); }
  static void set(Q& v, const FieldValue& x) { v = Q(std::get<double>(x)); }
};
template <>
struct Traits<std::string> {
  static constexpr FieldKind kind = FieldKind::Text;
  static constexpr Measure measure = Measure::Number;
  static FieldValue get(const std::string& v) { return v; }
  static void set(std::string& v, const FieldValue& x) { v = std::get<std::string>(x); }
};
template <class T>
requires std::is_enum_v<T>
struct Traits<T> {
  static constexpr FieldKind kind = FieldKind::Choice;
  static constexpr Measure measure = Measure::Number;
  static FieldValue get(T v) { return double(static_cast<int>(v)); }
  static void set(T& v, const FieldValue& x) { v = static_cast<T>(static_cast<int>(std::get<double>(x))); }
};

template <class Locate>
FieldAccess by(Locate locate) {
  using T = std::remove_cvref_t<decltype(locate(std::declval<Setting&>(), 0))>;
  FieldAccess a;
  a.kind = Traits<T>::kind, a.measure = Traits<T>::measure;
  a.get = [locate](const Setting& s, int i) { return Traits<T>::get(locate(s, i)); };
  a.set = [locate](Setting& s, int i, const FieldValue& v) { Traits<T>::set(locate(s, i), v); };
  return a;
}

/// A member reached through others: at<&Setting::job, &Job::globalBatch>().
template <auto... Members>
FieldAccess at() {
  return by([](auto& s, int) -> auto& { return (s.*....*Members); });
}

/// A number that keeps its origin; setting the number alone makes it typed.
template <class Locate>
FieldAccess sourced(Locate locate) {
  FieldAccess a;
  a.kind = FieldKind::Number;
  a.get = [locate](const Setting& s, int) { return FieldValue(locate(s).value); };
  a.set = [locate](Setting& s, int, const FieldValue& v) {
    locate(s) = Sourced<double>(std::get<double>(v));
  };
  a.figure = [locate](const Setting& s) { return std::optional(locate(s)); };
  a.setFigure = [locate](Setting& s, const Sourced<double>& v) { locate(s) = v; };
  return a;
}

/// The same as another measure.
inline FieldAccess as(Measure m, FieldAccess a) {
  a.measure = m;
  return a;
}

}  // namespace field_access
}  // namespace nest
