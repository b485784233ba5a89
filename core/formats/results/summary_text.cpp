#include "formats/results/summary_text.h"

#include <algorithm>

#include "formats/results/plan_report.h"
#include "text/printable.h"

namespace nest {
namespace {

std::string factLine(std::string title, const std::string& value) {
  title.resize(std::max<std::size_t>(title.size() + 2, 16), ' ');
  return "  " + title + printable(value, false) + '\n';  // names may hold line breaks
}

std::string textOf(const ReportPart& part) {
  std::string out = part.isApart || !part.title.empty() ? "\n" : "";
  if (!part.title.empty()) out += part.title + '\n';
  for (const std::string& line : part.lines) out += line + '\n';
  for (const std::string& item : part.items) out += "  - " + item + '\n';
  for (const auto& [name, value] : part.facts) out += factLine(name, value);
  return part.table ? out + part.table->text(2) : out;
}

std::string textOf(const PlanReport& report) {
  std::string out;
  for (const std::string& line : report.title) out += line + '\n';
  if (!report.finding.empty()) out += report.finding + '\n';
  for (const ReportPart& part : report.parts) out += textOf(part);
  return out;
}

}  // namespace

std::string summaryText(const ReportSource& source, const Outcome& o, const Outcome* free) {
  return textOf(reportOf(source, o, free));
}

std::string evaluationText(const ReportSource& source, const RankedPlan& r, const Calibration* c) {
  return textOf(reportOf(source, r, c));
}

}  // namespace nest
