#pragma once

#include <QString>
#include <string>

#include "document/plan_context.h"
#include "theme/plain_text.h"
#include "units/numbering.h"
#include "units/text.h"

namespace nest {

/// Safe to show, whoever wrote it (see visibleText); fields go by their labels.
QString phrase(const std::string&);
inline QString timeText(Seconds t) {
  return phrase(text::time(t));
}
inline QString memoryText(Bytes b) {
  return phrase(text::memory(b));
}
inline QString countText(long long n) {
  return phrase(text::count(n));
}
/// Number of a stage or layer as people count, from 1 (units/numbering.h).
inline QString stageNumber(int stage) {
  return phrase(text::stageNumber(StageIndex(stage)));
}
inline QString layerNumber(int layer) {
  return phrase(text::layerNumber(LayerIndex(layer)));
}
QString inSentence(const QString& name);               ///< words::inSentence()
QString plural(long long n, const QString& singular);  ///< "1 device", "1,024 devices", "2 microbatches"

/// "12.345 ms", "39.5 GiB (42,412,345,678 bytes)": what a rounded value opens to.
QString exactTime(Seconds);
QString exactMemory(Bytes);

/// A tooltip: bold heading, then rows of label and value. Text is escaped.
class Tip {
public:
  explicit Tip(const QString& heading);
  Tip& row(const QString& label, const QString& value);
  Tip& note(const QString& sentence);
  QString html() const;

private:
  QString m_heading, m_rows, m_notes;
};

/// "Searching stages, 40 % after 2.1 s; best so far 16.9 s"; of one that has just begun "Searching …".
QString searchText(const SearchState&);

/// Name of a network level, "–" for −1.
QString levelName(const PlanContext&, int level);
/// "rack · 50 GB/s · 2 µs".
QString levelText(const NetworkLevel&);
/// "host3 #5", the device's host and slot.
QString deviceName(const Hierarchy&, int position);
/// "host0 – host3"; one name if it is one host.
QString hostSpan(const Hierarchy&, int begin, int end);
/// "embedding, block 1–8"; what is no run of layers of one kind stands apart. "none" without layers.
QString layerSpan(const LayerGraph&, const std::vector<LayerIndex>&);
/// "Llama-2 7B on 128 H100 SXM" from the scenario's name, for subtitles; may be empty.
QString scenarioText(const PlanContext&);

}  // namespace nest
