#include "figures/paint/phrases.h"

#include <QStringList>

#include "fields/field_advice.h"
#include "words/in_sentence.h"

namespace nest {

QString phrase(const std::string& s) {
  return visibleText(QString::fromStdString(s.find('`') == std::string::npos ? s : adviceInLabels(s)));
}

QString plural(long long n, const QString& singular) {
  const QString ending = singular.endsWith(QLatin1String("ch")) ? QStringLiteral("es") : QStringLiteral("s");
  return countText(n) + u' ' + (n == 1 ? singular : singular + ending);
}

QString inSentence(const QString& name) {
  return QString::fromStdString(words::inSentence(name.toStdString()));
}

QString exactTime(Seconds t) {
  return phrase(text::precise(t));
}

QString exactMemory(Bytes b) {
  return QStringLiteral("%1 (%2 bytes)")
      .arg(memoryText(b), countText(static_cast<long long>(b.value() + 0.5)));
}

Tip::Tip(const QString& heading) : m_heading(heading.toHtmlEscaped()) {}

Tip& Tip::row(const QString& label, const QString& value) {
  m_rows += QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td align=\"right\">%2</td></tr>")
                .arg(label.toHtmlEscaped(), value.toHtmlEscaped());
  return *this;
}

Tip& Tip::note(const QString& sentence) {
  m_notes += QStringLiteral("<div>%1</div>").arg(sentence.toHtmlEscaped());
  return *this;
}

QString Tip::html() const {
  QString out = QStringLiteral("<div><b>%1</b></div>").arg(m_heading);
  if (!m_rows.isEmpty()) out += QStringLiteral("<table cellspacing=\"0\">%1</table>").arg(m_rows);
  return out + m_notes;
}

QString searchText(const SearchState& s) {
  if (!s.lasting) return QStringLiteral("Searching …");
  const bool named = !s.step.empty() && s.step != "search";
  QString out = QStringLiteral("Searching%1, %2 after %3")
                    .arg(named ? u' ' + phrase(s.step) : QString(), phrase(text::percent(s.fraction)),
                         timeText(s.elapsed));
  if (s.best)
    out += (s.settled ? QStringLiteral("; the optimum is %1") : QStringLiteral("; best so far %1"))
               .arg(timeText(*s.best));
  return out;
}

QString levelName(const PlanContext& c, int level) {
  if (level < 0 || !c.problem || level >= c.problem->cluster->levelCount()) return QStringLiteral("–");
  return phrase(c.problem->cluster->level(level).name);
}

QString levelText(const NetworkLevel& level) {
  return QStringLiteral("%1 · %2 · %3")
      .arg(phrase(level.name), phrase(text::bandwidth(level.bandwidth)), timeText(level.latency));
}

QString deviceName(const Hierarchy& h, int position) {
  const auto id = h.identity(DeviceIndex(position));
  return QStringLiteral("%1 #%2").arg(phrase(id.host), QString::number(id.slot));
}

QString hostSpan(const Hierarchy& h, int begin, int end) {
  const QString first = phrase(h.identity(DeviceIndex(begin)).host);
  const QString last = phrase(h.identity(DeviceIndex(end - 1)).host);
  return first == last ? first : first + QStringLiteral(" – ") + last;
}

namespace {

/// "block 8–15" for "block 8" and "block 15"; else both names.
QString spanOf(const QString& first, const QString& last) {
  const qsizetype at = first.lastIndexOf(u' ') + 1;
  bool numbered = at > 1 && last.left(at) == first.left(at);
  for (const QString& name : {first, last}) {
    bool isNumber = false;
    name.mid(at).toInt(&isNumber);
    numbered = numbered && isNumber;
  }
  return numbered ? first + QChar(0x2013) + last.mid(at) : first + QStringLiteral(" – ") + last;
}

}  // namespace

QString layerSpan(const LayerGraph& graph, const std::vector<LayerIndex>& layers) {
  QStringList parts;
  const auto name = [&](LayerIndex x) { return phrase(graph.layers[x.at()].name); };
  for (std::size_t i = 0; i < layers.size();) {
    std::size_t j = i;
    const LayerKind kind = graph.layers[layers[i].at()].kind;
    while (j + 1 < layers.size() && layers[j + 1].value == layers[j].value + 1 &&
           graph.layers[layers[j + 1].at()].kind == kind)
      ++j;
    parts << (i == j ? name(layers[i]) : spanOf(name(layers[i]), name(layers[j])));
    i = j + 1;
  }
  return parts.isEmpty() ? QStringLiteral("none") : parts.join(QStringLiteral(", "));
}

QString scenarioText(const PlanContext& c) {
  return c.scenario ? phrase(c.scenario->name) : QString();
}

}  // namespace nest
