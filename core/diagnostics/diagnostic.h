#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nest {

enum class Severity { Note, Warning, Error };

/// Where in the input something was found. Lines and columns count from 1; 0 means unknown.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
  std::string pointer;  ///< JSON pointer or a dotted field name, e.g. "/cluster/levels/1/bandwidth"

  friend bool operator==(const Place&, const Place&) = default;
};

/// One finding about the input: what is wrong, where, why, and what to do about it.
struct Diagnostic {
  Severity severity = Severity::Error;
  std::string code;  ///< stable kebab-case name, e.g. "bandwidth-not-positive"
  Place where;
  std::string message;  ///< what is wrong, and what is allowed; a sentence without a full stop
  std::string remedy;   ///< what to do; empty if the message contains it

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

using Diagnostics = std::vector<Diagnostic>;

inline Diagnostic error(std::string code, Place where, std::string message, std::string remedy = {}) {
  return {Severity::Error, std::move(code), std::move(where), std::move(message), std::move(remedy)};
}
inline Diagnostic warning(std::string code, Place where, std::string message, std::string remedy = {}) {
  return {Severity::Warning, std::move(code), std::move(where), std::move(message), std::move(remedy)};
}
inline Diagnostic note(std::string code, Place where, std::string message, std::string remedy = {}) {
  return {Severity::Note, std::move(code), std::move(where), std::move(message), std::move(remedy)};
}

bool hasErrors(const Diagnostics&);

/// "file:12:3: error: message (remedy) [code]"; unknown parts are left out.
std::string toText(const Diagnostic&);

/// What a reader returns: the value if the input is usable, and all findings. `value` is empty exactly when
/// `diagnostics` contains an error.
template <class T>
struct Reading {
  std::optional<T> value;
  Diagnostics diagnostics;

  explicit operator bool() const { return value.has_value(); }
  T& operator*() { return *value; }
  const T& operator*() const { return *value; }
  T* operator->() { return &*value; }
  const T* operator->() const { return &*value; }
};

}  // namespace nest
