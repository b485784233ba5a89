#include "editors/level_lines.h"

#include <algorithm>
#include <cmath>

#include "editors/field_rows.h"
#include "editors/levels_editor.h"
#include "figures/paint/phrases.h"
#include "formats/networks/cluster_text.h"
#include "units/text.h"

namespace nest {
namespace {

const LevelsSource* levelsOf(const Scenario& s) {
  return std::get_if<LevelsSource>(&s.cluster.network);
}

LevelSpec* levelOf(Scenario& s, int level) {
  auto* source = std::get_if<LevelsSource>(&s.cluster.network);
  return source && level < static_cast<int>(source->levels.size()) ? &source->levels[level] : nullptr;
}

const LevelSpec* levelOf(const Scenario& s, int level) {
  return levelOf(const_cast<Scenario&>(s), level);
}

/// What the text does not say stays as it was: where figures come from, names of hosts.
void keepUnsaid(const LevelsSource& before, LevelsSource& after) {
  for (std::size_t l = 0; l < std::min(before.levels.size(), after.levels.size()); ++l)
    if (before.levels[l].bandwidth == after.levels[l].bandwidth)
      after.levels[l].origin = before.levels[l].origin;
  std::size_t hosts = after.hostSizes.empty() ? 1 : after.hostSizes.size();
  for (std::size_t l = 1; after.hostSizes.empty() && l < after.levels.size(); ++l)
    hosts *= static_cast<std::size_t>(after.levels[l].fanout);
  if (before.hostNames.size() == hosts) after.hostNames = before.hostNames;
}

}  // namespace

LineSpec levelNameLine(int level) {
  LineSpec spec;
  spec.read = [level](const Scenario& s) {
    const LevelSpec* l = levelOf(s, level);
    return l ? QString::fromStdString(l->name) : QString();
  };
  spec.write = [level](const QString& text, Scenario& s) {
    if (text.trimmed().isEmpty()) return LevelsEditor::tr("A level needs a name, such as rack");
    if (LevelSpec* l = levelOf(s, level)) l->name = text.trimmed().toStdString();
    return QString();
  };
  spec.hint = LevelsEditor::tr("Name of the group at this level");
  return spec;
}

LineSpec fanoutLine(int level) {
  return fieldLine(*findField("/cluster/levels/*/fanout"), level);
}

LineSpec bandwidthLine(int level) {
  LineSpec spec = fieldLine(*findField("/cluster/levels/*/bandwidth_bytes_per_s"), level);
  spec.write = [level, write = spec.write](const QString& text, Scenario& s) {
    const QString problem = write(text, s);
    LevelSpec* l = levelOf(s, level);
    // It is shown in the unit in which it was typed.
    if (const auto v = text::readBandwidth(text.toStdString(), l ? l->shownAs : text::BandwidthUnit());
        l && v && problem.isEmpty())
      l->shownAs = v->unit;
    return problem;
  };
  spec.step = [](const QString& text, int steps) {
    const auto v = text::readBandwidth(text.toStdString());
    if (!v) return QString();
    return QString::fromStdString(text::bandwidth(v->value * std::pow(1.1, steps), v->unit));
  };
  return spec;
}

LineSpec latencyLine(int level) {
  return fieldLine(*findField("/cluster/levels/*/latency_s"), level);
}

LineSpec oversubscriptionLine(int level) {
  LineSpec spec = fieldLine(*findField("/cluster/levels/*/oversubscription"), level);
  spec.write = [write = spec.write](const QString& text, Scenario& s) {
    return write(QString(text).remove(QStringLiteral(":1")).trimmed(), s);
  };
  return spec;
}

QString countsAs(const LevelsSource& source, int level) {
  const LevelSpec& l = source.levels[level];
  const BytesPerSecond own = l.bandwidth / l.oversubscription;
  const LevelSpec* slowest = nullptr;
  for (int k = 0; k < level; ++k) {
    const LevelSpec& inner = source.levels[k];
    if (inner.bandwidth / inner.oversubscription <
        (slowest ? slowest->bandwidth / slowest->oversubscription : own))
      slowest = &inner;
  }
  QString out;
  if (l.oversubscription != 1)
    out = LevelsEditor::tr("%1 ÷ %2 = %3 for each device")
              .arg(phrase(text::bandwidth(l.bandwidth, l.shownAs)), phrase(text::number(l.oversubscription)),
                   phrase(text::bandwidth(own)));
  if (!slowest) return out;
  const QString held = phrase(text::bandwidth(slowest->bandwidth / slowest->oversubscription));
  return out.isEmpty() ? LevelsEditor::tr("counts as %1: held by %2").arg(held, phrase(slowest->name))
                       : LevelsEditor::tr("%1, held to %2 by %3").arg(out, held, phrase(slowest->name));
}

LineSpec levelsTextLine() {
  LineSpec spec;
  spec.id = QStringLiteral("/cluster/levels/text");
  spec.label = LevelsEditor::tr("Levels as text");
  spec.verb = LevelsEditor::tr("Type the levels as text");
  spec.hint = LevelsEditor::tr(
      "Innermost first, NAME:FANOUT@BANDWIDTH[,LATENCY][,OVERSUBSCRIPTION]: "
      "host:8@450GB/s rack:4@50GB/s,2us pod:32@12.5GB/s,5us,2:1");
  spec.read = [](const Scenario& s) {
    const LevelsSource* levels = levelsOf(s);
    return levels ? QString::fromStdString(writeClusterText(*levels)) : QString();
  };
  spec.write = [read = spec.read](const QString& text, Scenario& s) {
    const LevelsSource* now = levelsOf(s);
    if (text == read(s)) return QString();
    const auto levels = readClusterText(text.toStdString());
    if (!levels) {
      const auto& all = levels.diagnostics;
      const auto bad = std::find_if(all.begin(), all.end(),
                                    [](const Diagnostic& d) { return d.severity == Severity::Error; });
      if (bad == all.end()) return LevelsEditor::tr("Type levels such as host:8@450GB/s rack:4@50GB/s");
      return phrase(bad->message) +
             (bad->remedy.empty() ? QString() : QStringLiteral("; ") + phrase(bad->remedy));
    }
    LevelsSource next = *levels;
    if (now) keepUnsaid(*now, next);
    s.cluster.network = std::move(next);
    return QString();
  };
  return spec;
}

}  // namespace nest
