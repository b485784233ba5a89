#include "editors/level_lines.h"

#include <algorithm>
#include <cmath>

#include "editors/field_text.h"
#include "editors/levels_editor.h"
#include "figures/phrases.h"
#include "formats/networks/cluster_text.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr int kMostFanout = 1'000'000;
constexpr double kMostOversubscription = 1e6;

const LevelsSource* levelsOf(const Scenario& s) {
  return std::get_if<LevelsSource>(&s.cluster.network);
}

LevelSpec* levelOf(Scenario& s, int level) {
  auto* source = std::get_if<LevelsSource>(&s.cluster.network);
  return source && level < static_cast<int>(source->levels.size())
             ? &source->levels[static_cast<std::size_t>(level)]
             : nullptr;
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

QString tr(const char* text) {
  return LevelsEditor::tr(text);
}

}  // namespace

LineSpec levelNameLine(int level) {
  LineSpec spec;
  spec.read = [level](const Scenario& s) {
    const LevelSpec* l = levelOf(s, level);
    return l ? QString::fromStdString(l->name) : QString();
  };
  spec.write = [level](const QString& text, Scenario& s) {
    if (text.trimmed().isEmpty()) return tr("A level needs a name, such as rack");
    if (LevelSpec* l = levelOf(s, level)) l->name = text.trimmed().toStdString();
    return QString();
  };
  spec.hint = tr("Name of the group at this level");
  return spec;
}

LineSpec fanoutLine(int level) {
  LineSpec spec;
  spec.read = [level](const Scenario& s) {
    const LevelSpec* l = levelOf(s, level);
    return l ? QString::number(l->fanout) : QString();
  };
  spec.write = [level](const QString& text, Scenario& s) {
    const auto v = field::readWhole(text, 1, kMostFanout);
    if (!v) return tr("A fanout is a whole number from 1: how many groups stand inside one of this level");
    if (LevelSpec* l = levelOf(s, level)) l->fanout = *v;
    return QString();
  };
  spec.step = [](const QString& text, int steps) {
    const auto v = field::readWhole(text, 1, kMostFanout);
    return v ? QString::number(std::clamp(*v + steps, 1, kMostFanout)) : QString();
  };
  spec.hint = tr("Whole number from 1; up and down change it by one");
  return spec;
}

LineSpec bandwidthLine(int level) {
  LineSpec spec;
  spec.read = [level](const Scenario& s) {
    const LevelSpec* l = levelOf(s, level);
    return l ? QString::fromStdString(text::bandwidth(l->bandwidth, l->shownAs)) : QString();
  };
  spec.write = [level](const QString& text, Scenario& s) {
    LevelSpec* l = levelOf(s, level);
    if (!l) return QString();
    // What stands there in three digits must not overwrite the exact figure that it stands for.
    if (text == QString::fromStdString(text::bandwidth(l->bandwidth, l->shownAs))) return QString();
    const auto v = text::readBandwidth(text.toStdString(), l->shownAs);
    if (!v || !(v->value.value() >= 1 && v->value.value() <= 1e15))
      return tr("Type a bandwidth from 1 B/s to 1,000,000 GB/s, such as 450 GB/s or 400 Gb/s");
    l->bandwidth = v->value;
    l->shownAs = v->unit;
    l->origin = Origin::Typed;
    return QString();
  };
  spec.step = [](const QString& text, int steps) {
    const auto v = text::readBandwidth(text.toStdString());
    if (!v) return QString();
    const double factor = std::pow(1.1, steps);
    return QString::fromStdString(text::bandwidth(v->value * factor, v->unit));
  };
  spec.hint = tr("One way, per device: 450 GB/s or 400 Gb/s; up and down change it by a tenth");
  return spec;
}

LineSpec latencyLine(int level) {
  LineSpec spec;
  spec.read = [level](const Scenario& s) {
    const LevelSpec* l = levelOf(s, level);
    return l ? QString::fromStdString(text::time(l->latency)) : QString();
  };
  spec.write = [level](const QString& text, Scenario& s) {
    LevelSpec* l = levelOf(s, level);
    if (!l || text == QString::fromStdString(text::time(l->latency))) return QString();
    const auto v = text::readTime(text.toStdString());
    if (!v || v->value() > 1e3) return tr("Type a latency, such as 2 µs; a bare number is in µs");
    l->latency = *v;
    return QString();
  };
  spec.step = [](const QString& text, int steps) {
    const auto v = text::readTime(text.toStdString());
    return v ? QString::fromStdString(text::time(*v * std::pow(1.1, steps))) : QString();
  };
  spec.hint = tr("End to end: 2 µs or 500 ns; a bare number is in µs");
  return spec;
}

LineSpec oversubscriptionLine(int level) {
  LineSpec spec;
  spec.read = [level](const Scenario& s) {
    const LevelSpec* l = levelOf(s, level);
    return l ? QString::fromStdString(text::exact(l->oversubscription)) : QString();
  };
  spec.write = [level](const QString& text, Scenario& s) {
    LevelSpec* l = levelOf(s, level);
    if (!l) return QString();
    bool ok = false;
    const double v = QString(text).remove(QStringLiteral(":1")).trimmed().toDouble(&ok);
    if (!ok || !(v >= 1 && v <= kMostOversubscription))
      return tr("Oversubscription is a number from 1, such as 4 for 4:1");
    l->oversubscription = v;
    return QString();
  };
  spec.step = [](const QString& text, int steps) {
    const double v = text.toDouble() * std::pow(2.0, steps);
    return QString::fromStdString(text::exact(std::clamp(v, 1.0, kMostOversubscription)));
  };
  spec.hint = tr("What the bandwidth is divided by; up and down double and halve it");
  return spec;
}

QString countsAs(const LevelsSource& source, int level) {
  const LevelSpec& l = source.levels[static_cast<std::size_t>(level)];
  const BytesPerSecond own = l.bandwidth / l.oversubscription;
  const LevelSpec* slowest = nullptr;
  for (int k = 0; k < level; ++k) {
    const LevelSpec& inner = source.levels[static_cast<std::size_t>(k)];
    if (inner.bandwidth / inner.oversubscription <
        (slowest ? slowest->bandwidth / slowest->oversubscription : own))
      slowest = &inner;
  }
  QString out;
  if (l.oversubscription != 1)
    out = tr("%1 ÷ %2 = %3 for each device")
              .arg(phrase(text::bandwidth(l.bandwidth, l.shownAs)), phrase(text::number(l.oversubscription)),
                   phrase(text::bandwidth(own)));
  if (!slowest) return out;
  const QString held = phrase(text::bandwidth(slowest->bandwidth / slowest->oversubscription));
  return out.isEmpty() ? tr("counts as %1: held by %2").arg(held, phrase(slowest->name))
                       : tr("%1, held to %2 by %3").arg(out, held, phrase(slowest->name));
}

LineSpec levelsTextLine() {
  LineSpec spec;
  spec.id = QStringLiteral("/cluster/levels/text");
  spec.label = tr("Levels as text");
  spec.verb = tr("Type the levels as text");
  spec.hint =
      tr("Innermost first, NAME:FANOUT@BANDWIDTH[,LATENCY][,OVERSUBSCRIPTION]: "
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
      if (bad == all.end()) return tr("Type levels such as host:8@450GB/s rack:4@50GB/s");
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
