#include "formats/results/report_page.h"

#include <algorithm>
#include <vector>

#include "fields/field.h"
#include "fields/field_text.h"
#include "formats/scenario/embedded_scenario.h"
#include "formats/scenario/scenario_json.h"
#include "program/program.h"
#include "scenario/scenario.h"
#include "text/printable.h"
#include "text/text_hash.h"

namespace nest {
namespace {

/// Colours by role, so that one set of pictures serves both settings. On paper it is light.
constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --canvas: #ffffff; --panel: #f4f5f7; --border: #d3d7dd; --grid: #e7eaee;
  --text: #1b1f24; --muted: #5b6572; --accent: #0a62ab; --warning: #8f5a00; --error: #b3261e; }
@media screen and (prefers-color-scheme: dark) { :root { --canvas: #16191d; --panel: #1f2328; --border: #3a414a;
  --grid: #2a3037; --text: #e8ebee; --muted: #9aa5b1; --accent: #58b0ee; --warning: #e5b050; --error: #ff8a7d; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 32px 24px 64px; max-width: 1120px; background: var(--canvas); color: var(--text);
  font: 15px/1.5 Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { margin: 0; font-size: 17px; font-weight: 500; color: var(--muted); }
h2 { margin: 40px 0 8px; font-size: 18px; font-weight: 500; }
h2 .kind { font-weight: 400; color: var(--muted); padding-right: 6px; }
.finding { margin: 4px 0 8px; }
.finding b { font-size: 34px; line-height: 1.2; font-weight: 700; }
.finding span { white-space: nowrap; }
.assumed { color: var(--warning); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th { font-weight: 500; color: var(--muted); border-bottom: 1px solid var(--border); vertical-align: bottom; }
th, td { padding: 4px 10px 4px 0; text-align: right; vertical-align: top; }
th.l, td.l { text-align: left; }
table.facts { font-size: inherit; }
.facts th { border: none; font-weight: 400; white-space: nowrap; padding: 2px 20px 2px 0; }
.facts td { padding: 2px 0; overflow-wrap: anywhere; }
td:first-child { white-space: nowrap; }
table:not(.facts) tr + tr td { border-top: 1px solid var(--grid); }
figure { margin: 24px 0; }
figure svg { display: block; max-width: 100%; height: auto; }
[data-stage] { fill: transparent; stroke: none; }
[data-stage].lit { stroke: var(--accent); stroke-width: 2.5; }
code { font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
button { font: inherit; padding: 6px 14px; color: var(--accent); background: var(--panel); border: 1px solid var(--border);
  border-radius: 6px; cursor: pointer; }
details { margin: 8px 0; padding: 8px 14px; background: var(--panel); border-radius: 6px; }
summary { cursor: pointer; color: var(--accent); }
footer { margin-top: 48px; color: var(--muted); font-size: 13px; }
@page { size: A4; margin: 14mm; }
@media print { body { padding: 0; max-width: none; font-size: 10pt; } button { display: none; }
  figure, tr, #reproduce { break-inside: avoid; } #reproduce { break-after: avoid; } #reproduce + p { display: none; }
  figure svg { max-height: 105mm; }
  footer { margin-top: 12px; break-before: avoid; } h2 { break-after: avoid; } .finding span { white-space: normal; }
  .wide { overflow: visible; } table { font-size: 7.5pt; } th, td { padding-right: 6px; } }
)";

constexpr std::string_view kScript = R"(
const parts = [...document.querySelectorAll('[data-stage]')];
const light = stage => parts.forEach(p => p.classList.toggle('lit', stage !== null && p.dataset.stage === stage));
parts.forEach(p => { p.addEventListener('mouseenter', () => light(p.dataset.stage));
                     p.addEventListener('mouseleave', () => light(null)); });
document.querySelectorAll('.save').forEach(save => save.addEventListener('click', () => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([document.getElementById(save.dataset.from).textContent.trim() + '\n']));
  link.download = save.dataset.name;
  link.click();
}));
)";

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string shown(const std::string& text) {
  return escaped(printable(text, false));
}

std::string tableHtml(const TextTable& table) {
  std::string out = "<div class=\"wide\"><table>\n<tr>";
  const auto cell = [&](const char* tag, std::size_t column, const std::string& text) {
    const bool isLeft = table.columns()[column].align == TextTable::Align::Left;
    out += std::string("<") + tag + (isLeft ? " class=\"l\">" : ">") + shown(text) + "</" + tag + '>';
  };
  for (std::size_t i = 0; i < table.columns().size(); ++i) cell("th", i, table.columns()[i].title);
  out += "</tr>\n";
  for (const auto& row : table.rows()) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) cell("td", i, row[i]);
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

std::string figureHtml(const PageFigure& f, bool hasTitle) {
  const std::string heading = f.finding.empty()
                                  ? shown(f.title)
                                  : "<span class=\"kind\">" + shown(f.title) + "</span> " + shown(f.finding);
  return "<figure id=\"figure-" + escaped(f.id) + "\">\n" +
         (hasTitle ? "<h2>" + heading + "</h2>\n" : std::string()) + f.svg +
         (f.table ? tableHtml(*f.table) : std::string()) + "</figure>\n";
}

std::string partHtml(const ReportPart& part, const PageContent& content) {
  std::string out = "<section id=\"" + escaped(part.id) + "\">\n";
  if (!part.title.empty()) out += "<h2>" + shown(part.title) + "</h2>\n";
  for (const std::string& paragraph : part.html) out += "<p>" + paragraph + "</p>\n";
  for (const std::string& line : part.lines) out += "<p>" + shown(line) + "</p>\n";
  if (!part.items.empty()) {
    out += "<ul>\n";
    for (const std::string& item : part.items) out += "<li>" + shown(item) + "</li>\n";
    out += "</ul>\n";
  }
  if (!part.facts.empty()) {
    out += "<table class=\"facts\">\n";
    for (const auto& [name, value] : part.facts)
      out += "<tr><th class=\"l\">" + shown(name) + "</th><td class=\"l\">" + shown(value) + "</td></tr>\n";
    out += "</table>\n";
  }
  if (part.table) out += tableHtml(*part.table);
  if (!part.folded.empty()) {
    out += "<details><summary>" + shown(part.foldedTitle) + "</summary>\n";
    for (const std::string& paragraph : part.folded) out += "<p>" + paragraph + "</p>\n";
  }
  for (const PageFigure& f : content.figures)
    if (!part.figure.empty() && f.id == part.figure) out += figureHtml(f, false);
  if (!part.folded.empty()) out += "</details>\n";
  return out + "</section>\n";
}

/// The headline: its first part large, the others below it; no part is broken at the end of a line. Without a
/// plan: its first sentence large, what is known and what helps below it.
std::string findingHtml(const std::string& finding) {
  constexpr std::string_view kJoint = " · ";
  const auto large = [](const std::string& text) {
    return "<p class=\"finding\"><b>" + shown(text) + "</b></p>\n";
  };
  const std::size_t first = finding.find(kJoint);
  if (first == std::string::npos) {
    const std::size_t sentence = finding.find(". ");
    if (sentence == std::string::npos) return large(finding);
    return large(finding.substr(0, sentence + 1)) + "<p>" + shown(finding.substr(sentence + 2)) + "</p>\n";
  }
  std::string out = large(finding.substr(0, first));
  out += "<p class=\"finding\">";
  for (std::size_t begin = first + kJoint.size(), end = 0; begin < finding.size();
       begin = end + kJoint.size()) {
    end = std::min(finding.find(kJoint, begin), finding.size());
    out += "<span>" + shown(finding.substr(begin, end - begin)) +
           (end < finding.size() ? " ·</span>\n" : "</span>");
  }
  return out + "</p>\n";
}

std::string titleOf(const PlanReport& report) {
  return report.title.empty() ? std::string("A placement plan") : report.title.front();
}

/// What ends a script element, or begins a comment in one, cannot stand in it.
std::string inScript(const std::string& json) {
  std::string out;
  for (const char c : json) out += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return out;
}

/// Of the script that holds a scenario.
std::string scriptId(std::size_t i, const PageContent& content) {
  return i + 1 == content.scenarios.size() ? std::string("nest-scenario")
                                           : "nest-scenario-" + std::to_string(i + 1);
}

}  // namespace

ReportPart assumptionPart(const Scenario& s) {
  ReportPart out{.id = "assumptions", .title = "What the times rest on"};
  TextTable table({{"", TextTable::Align::Left},
                   {"value"},
                   {"", TextTable::Align::Left},
                   {"source", TextTable::Align::Left}});
  for (const Field& f : fields()) {
    if (!f.access.figure || (f.matters && !f.matters(s))) continue;
    const auto figure = f.access.figure(s);
    if (!figure) continue;
    const FieldAt at{&f};
    table.add({at.name(), valueText(s, at), std::string(nameOf(figure->origin)), figure->citation});
  }
  if (!table.rows().empty()) out.table = std::move(table);
  return out;
}

std::string shortHashOf(const Scenario& s) {
  return hashOf(writeScenario(s)).substr(0, 8);
}

ReportPart reproductionPart(const PageContent& content) {
  ReportPart out{.id = "reproduce", .title = "To come to the same answer"};
  const bool isOne = content.scenarios.size() == 1;
  out.lines.push_back(std::string(isOne ? "The scenario is" : "Both scenarios are") +
                      " inside this file: save " + (isOne ? "it " : "them ") + content.saving +
                      ", then run one of these commands.");
  std::string all;
  for (const PageScenario& s : content.scenarios) all += ' ' + s.fileName;
  if (isOne)
    out.items = {"nest-plan solve" + all, "nest-plan improve --failures" + all, "nest-explorer" + all};
  else
    out.items = {"nest-plan report" + all, "nest-explorer" + all};
  out.facts = {{"program", content.program}};
  for (const PageScenario& s : content.scenarios)
    out.facts.emplace_back(isOne ? "scenario" : s.fileName, shortHashOf(*s.scenario));
  return out;
}

std::string reportBody(const PlanReport& report, const PageContent& content) {
  const bool isOne = content.scenarios.size() == 1;
  std::string before = "<h1>" + shown(titleOf(report)) + "</h1>\n", after;
  if (!report.finding.empty()) before += findingHtml(report.finding);
  for (std::size_t i = 1; i < report.title.size(); ++i)
    before += "<p class=\"assumed\">" + shown(report.title[i]) + "</p>\n";
  for (const PageScenario& s : content.scenarios)
    if (isOne && !s.scenario->description.empty())
      before += "<p>" + shown(s.scenario->description) + "</p>\n";
  for (const ReportPart& part : report.parts)
    (part.title.empty() || part.isAhead ? before : after) += partHtml(part, content);
  std::vector<ReportPart> assumptions;
  for (const PageScenario& s : content.scenarios) assumptions.push_back(assumptionPart(*s.scenario));
  const auto rowsOf = [](const ReportPart& p) {
    return p.table ? p.table->rows() : std::vector<std::vector<std::string>>();
  };
  const bool areEqual = std::all_of(assumptions.begin(), assumptions.end(), [&](const ReportPart& p) {
    return rowsOf(p) == rowsOf(assumptions.front());
  });
  if (areEqual && assumptions.size() > 1) assumptions.resize(1);
  for (std::size_t i = 0; i < assumptions.size(); ++i) {
    if (!assumptions[i].table) continue;
    if (!areEqual) assumptions[i].title += ": " + content.scenarios[i].fileName;
    after += partHtml(assumptions[i], content);
  }
  after += partHtml(reproductionPart(content), content);
  for (const PageFigure& f : content.figures)
    if (std::none_of(report.parts.begin(), report.parts.end(),
                     [&](const ReportPart& p) { return p.figure == f.id; }))
      before += figureHtml(f, true);
  return before + after;
}

std::string writeReportPage(const PlanReport& report, const PageContent& content) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'; img-src data:; font-src data:\">\n"
      "<meta name=\"generator\" content=\"" +
      shown(content.program) + "\">\n<title>" + shown(titleOf(report)) + "</title>\n<style>" +
      std::string(kStyle) + content.style + "</style>\n";
  // The last is what the page opens as.
  for (std::size_t i = 0; i + 1 < content.scenarios.size(); ++i)
    out += "<script type=\"application/json\" id=\"" + scriptId(i, content) + "\">\n" +
           inScript(writeScenario(*content.scenarios[i].scenario)) + "</script>\n";
  out += std::string(kScenarioScript) + inScript(writeScenario(*content.scenarios.back().scenario)) +
         "</script>\n</head>\n<body>\n" + reportBody(report, content) + "<p>";
  for (std::size_t i = 0; i < content.scenarios.size(); ++i)
    out += "<button class=\"save\" data-from=\"" + scriptId(i, content) + "\" data-name=\"" +
           shown(content.scenarios[i].fileName) + "\">Save " +
           (content.scenarios.size() == 1 ? "the scenario" : shown(content.scenarios[i].fileName)) +
           "</button>\n";
  out += "</p>\n<footer>" + shown(content.program) +
         (content.date.empty() ? "" : " · " + shown(content.date)) + "</footer>\n";
  out += "<script>" + std::string(kScript) + "</script>\n</body>\n</html>\n";
  return out;
}

}  // namespace nest
