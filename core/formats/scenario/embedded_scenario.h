#pragma once

#include <string>
#include <string_view>

namespace nest {

struct Scenario;

/// The scenario as it is sent without the files around it: it names none of them.
Scenario standingAlone(const Scenario&);

/// A scenario inside a figure or a report, so that whoever gets the picture can open the plan.
struct EmbeddedScenario {
  std::string text;  ///< as writeScenario() writes it; empty: there is none
  std::string view;  ///< the view that the figure is of; empty: a report
};

/// As one line of ASCII without quotation marks, for metadata of any kind: "nest-scenario;VIEW;base64,…;".
std::string embeddingMark(const EmbeddedScenario&);

/// Puts the mark into a PNG (a tEXt chunk) or an SVG (<metadata>); anything else is returned as it is.
std::string withEmbedded(std::string file, const EmbeddedScenario&);

/// The name under which a PDF carries the scenario as an attachment: "stages.nest.json"; "scenario.nest.json"
/// of a report.
std::string attachmentName(const EmbeddedScenario&);

/// What is inside a PNG or SVG figure, an HTML report, or a PDF that this program wrote (other programs may
/// arrange a PDF in ways that are not read). At most 64 MiB are unpacked.
EmbeddedScenario embeddedIn(std::string_view file);
/// Whether a file that begins like this may hold one.
bool mayHoldScenario(std::string_view begin);

/// An HTML report holds it readable, as a script of this type that is not run.
inline constexpr std::string_view kScenarioScript =
    "<script type=\"application/json\" id=\"nest-scenario\">\n";

}  // namespace nest
