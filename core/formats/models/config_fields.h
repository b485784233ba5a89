#pragma once

#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "text/json_fields.h"

namespace nest {

/// The most that configurations may say, so that what is made of them stays small.
inline constexpr int kMostWidth = 1 << 20, kMostLayers = 10'000, kMostTokens = 100'000'000;

/// Names under which one figure stands in configurations, the usual one first.
using Names = std::initializer_list<const char*>;

/// Field access with the defaults of a configuration class. Remembers which keys were read, which sizes are
/// missing, and what was filled in.
class ConfigFields {
public:
  /// `object` stands at `pointer` inside `text`. `takesDefaults`: a size that is missing is that of the
  /// class, as in the parts of a model of several parts; else it is an error.
  ConfigFields(const JsonText& text, const nlohmann::json& object, const std::string& pointer,
               Diagnostics& out, bool takesDefaults);

  JsonFields& fields() { return m_fields; }
  const JsonText& text() const { return m_text; }
  Diagnostics& diagnostics() { return m_out; }
  /// From here on figures may also be lists that hold the same number for each of so many layers.
  void setLayers(int layers) { m_layers = layers; }
  bool isGiven(Names names);
  /// A warning where a file gives two of these names, which mean the same, with different numbers: the first
  /// one is read.
  void checkAgreement(Names names);
  bool isNull(const char* key) const;
  /// A size that a model cannot be without; `byDefault` 0: it has none.
  int size(Names names, int byDefault, long long least, long long most);
  /// A figure that shapes the model: an absent one is named in the note of defaults.
  int shape(Names names, int byDefault, long long least, long long most);
  int optional(Names names, int byDefault, long long least, long long most);
  bool flag(Names names, bool byDefault);
  std::string string(const char* name);
  const nlohmann::json* array(const char* name);
  const nlohmann::json* value(const char* name);  ///< of any kind; null: absent

  /// The keys that were never asked for and hold something, in order.
  std::vector<std::string> unread() const;
  const nlohmann::json& object() const { return m_object; }
  bool lacksSizes() const { return !m_missing.empty(); }
  /// One error for all missing sizes; true: there were some.
  bool reportMissing(const std::string& family);
  /// One note for all absent keys that shape the model.
  void noteDefaults(const std::string& family);

private:
  /// Of the object itself, or of one of the objects inside it that some families keep figures in.
  JsonFields* holderOf(Names names, const char*& name);

  const JsonText& m_text;
  Diagnostics& m_out;
  JsonFields m_fields;
  const nlohmann::json& m_object;
  int m_layers = 0;
  std::vector<std::unique_ptr<JsonFields>> m_inner;
  bool m_takesDefaults;
  std::set<std::string, std::less<>> m_read;
  std::string m_defaulted, m_missing;
};

}  // namespace nest
