#include "editors/line_specs.h"

#include <algorithm>
#include <cmath>

#include "editors/field_text.h"
#include "editors/scenario_panel.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr double kLeastMemory = 1e3,
                 kMostMemory = 1e15;  ///< bytes of a device; no figure of a plan loses its sense below it

QString tr(const char* text) {
  return ScenarioPanel::tr(text);
}
QString q(const std::string& s) {
  return QString::fromStdString(s);
}

}  // namespace

LineSpec wholeLine(const QString& id, const QString& label, int most, std::function<int&(Scenario&)> at,
                   const QString& unit, bool doubling) {
  LineSpec spec;
  spec.id = id;
  spec.label = label;
  spec.verb = tr("Change %1").arg(label.toLower());
  spec.hint = tr("Whole number of %1 from 1; up and down %2")
                  .arg(unit, doubling ? tr("go to the next power of two") : tr("change it by one"));
  spec.read = [at](const Scenario& s) { return QString::number(at(const_cast<Scenario&>(s))); };
  spec.write = [at, most, unit](const QString& text, Scenario& s) {
    const auto v = field::readWhole(text, 1, most);
    if (!v) return tr("Type a whole number of %1, 1 to %2").arg(unit, q(text::count(most)));
    at(s) = *v;
    return QString();
  };
  spec.step = [most, doubling](const QString& text, int steps) {
    const auto v = field::readWhole(text, 1, most);
    if (!v) return QString();
    return QString::number(std::clamp(doubling ? field::doubled(*v, steps) : *v + steps, 1, most));
  };
  return spec;
}

LineSpec boundLine(const QString& key, const QString& label, Bound Constraints::*member) {
  LineSpec spec;
  spec.id = QStringLiteral("/constraints/") + key;
  spec.label = label;
  spec.verb = tr("Bound the %1").arg(label.toLower());
  spec.hint = tr("any, 8, ≤ 8, ≥ 2 or 2–8");
  spec.read = [member](const Scenario& s) { return field::boundText(s.constraints.*member); };
  spec.write = [member](const QString& text, Scenario& s) {
    const auto v = field::readBound(text);
    if (!v) return tr("Type any, one number, ≤ 8, ≥ 2 or 2–8");
    s.constraints.*member = *v;
    return QString();
  };
  return spec;
}

LineSpec memoryLine(const QString& id, const QString& label, const QString& verb,
                    std::function<Bytes(const Scenario&)> read, std::function<void(Bytes, Scenario&)> write,
                    bool zeroAllowed) {
  LineSpec spec;
  spec.id = id;
  spec.label = label;
  spec.verb = verb;
  spec.hint = tr("80 GiB or 512 MiB; a bare number is in GiB");
  spec.read = [read](const Scenario& s) { return q(text::memory(read(s))); };
  spec.write = [read, write, zeroAllowed](const QString& text, Scenario& s) {
    if (text == q(text::memory(read(s)))) return QString();
    const auto v = text::readMemory(text.toStdString());
    if (v && v->value() > kMostMemory)
      return tr("Type less than %1").arg(q(text::memory(Bytes(kMostMemory))));
    if (!v || (!zeroAllowed && v->value() < kLeastMemory))
      return tr("Type an amount of memory, such as 80 GiB");
    write(*v, s);
    return QString();
  };
  spec.step = [](const QString& text, int steps) {
    const auto v = text::readMemory(text.toStdString());
    if (!v) return QString();
    const double gib = 1024.0 * 1024 * 1024;
    return q(text::memory(Bytes(std::max(0.0, std::round(v->value() / gib * 2) / 2 + steps * 0.5) * gib)));
  };
  return spec;
}

}  // namespace nest
