#include "diagnostics/diagnostic.h"

#include <algorithm>

#include "diagnostics/field_change.h"

namespace nest {

bool hasErrors(const Diagnostics& all) {
  return std::any_of(all.begin(), all.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::Error; });
}

std::string toText(const Diagnostic& d) {
  std::string out = d.where.file;
  if (d.where.line > 0) out += ':' + std::to_string(d.where.line);
  if (d.where.line > 0 && d.where.column > 0) out += ':' + std::to_string(d.where.column);
  if (!out.empty()) out += ": ";
  out += d.severity == Severity::Error ? "error: " : d.severity == Severity::Warning ? "warning: " : "note: ";
  if (!d.where.pointer.empty()) out += d.where.pointer + ": ";
  out += d.message;
  if (!d.remedy.empty()) out += "; " + adviceText(d.remedy);
  if (!d.code.empty()) out += " [" + d.code + ']';
  return out;
}

}  // namespace nest
