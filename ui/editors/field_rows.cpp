#include "editors/field_rows.h"

#include <QCoreApplication>
#include <algorithm>

#include "editors/choices.h"
#include "editors/glossary.h"
#include "fields/field_slide.h"
#include "fields/field_text.h"
#include "theme/qt_text.h"

namespace nest {
namespace {

constexpr int kMostChoices = 8;  ///< whole numbers to choose from that have a box each

/// Words of fields are told by core; translations name them in this context.
QString labelOf(const Field& f) {
  return QObject::tr(f.label.c_str());
}
QString termOf(const Field& f) {
  return toQt(f.term);
}
QString verbOf(const Field& f) {
  QString label = labelOf(f);
  if (label.size() > 1 && label[1].isLower()) label[0] = label[0].toLower();
  return QObject::tr("Change %1").arg(label);
}
QString optionOf(const Field& f, std::size_t i) {
  return QObject::tr((f.optionLabels.empty() ? f.options : f.optionLabels)[i].c_str());
}

QString hintOf(const Field& f) {
  const bool ranged = f.least < f.most;
  QString hint = meaningOf(f) + (ranged ? QStringLiteral(": ") + toQt(rangeText(f)) : QString());
  if (f.kind() == FieldKind::Bound) hint = meaningOf(f) + QObject::tr(": any, 8, ≤ 8, ≥ 2 or 2–8");
  if (f.slide == Slide::Doubling && f.kind() == FieldKind::Whole)
    hint += QObject::tr("; up and down go to the next power of two");
  return hint;
}

std::vector<int> listOf(const Field& f, const Scenario& s) {
  return std::get<std::vector<int>>(f.access.get(s, 0));
}

/// A box for each of its options, or of its few whole numbers.
void addBoxes(FormSection& section, const Field& f) {
  std::vector<CheckSpec> boxes;
  const bool named = f.kind() == FieldKind::Flags;
  const int first = named ? 0 : static_cast<int>(f.least);
  const int last = named ? static_cast<int>(f.options.size()) - 1 : static_cast<int>(f.most);
  for (int v = first; v <= last; ++v)
    boxes.push_back({toQt(f.key) + QStringLiteral("/%1").arg(v),
                     named ? optionOf(f, static_cast<std::size_t>(v)) : QString::number(v),
                     verbOf(f),
                     [&f, v](const Scenario& s) {
                       const auto all = listOf(f, s);
                       return std::find(all.begin(), all.end(), v) != all.end();
                     },
                     [&f, v](bool on, Scenario& s) {
                       auto all = listOf(f, s);
                       std::erase(all, v);
                       if (on) all.insert(std::lower_bound(all.begin(), all.end(), v), v);
                       f.access.set(s, 0, all);
                     },
                     {}});
  section.addChecks(labelOf(f), boxes, termOf(f));
}

}  // namespace

QString meaningOf(const Field& f) {
  QString meaning = QObject::tr(f.meaning.c_str());
  if (meaning.size() > 1 && !meaning[1].isDigit()) meaning[0] = meaning[0].toUpper();
  return meaning;
}

LineSpec fieldLine(const Field& f, int i) {
  LineSpec spec;
  const FieldAt at{&f, {i}, {}};
  spec.id = toQt(at.pointer());
  spec.label = labelOf(f);
  spec.verb = verbOf(f);
  spec.hint = hintOf(f);
  spec.read = [&f, at, i](const Scenario& s) { return i < f.count(s) ? toQt(valueText(s, at)) : QString(); };
  spec.write = [&f, at, i](const QString& text, Scenario& s) {
    if (i >= f.count(s)) return QString();
    // What stands there in three digits must not overwrite the exact number that it stands for.
    if (text == toQt(valueText(s, at))) return QString();
    const auto v = readValueText(s, at, text.toStdString());
    if (!v) return QObject::tr(expectedText(f).c_str());
    f.access.set(s, i, *v);
    return QString();
  };
  if (f.kind() == FieldKind::Whole || f.kind() == FieldKind::Number)
    spec.step = [at](const QString& text, int steps) {
      const auto v = readNumberText({}, at, text.toStdString());
      return v ? toQt(numberText({}, at, stepped(at, *v, steps))) : QString();
    };
  return spec;
}

ChoiceSpec fieldChoice(const Field& f) {
  ChoiceSpec spec;
  spec.id = toQt(f.key), spec.label = labelOf(f), spec.verb = verbOf(f);
  for (std::size_t o = 0; o < f.options.size(); ++o) spec.options += optionOf(f, o);
  spec.read = [&f](const Scenario& s) { return static_cast<int>(std::get<double>(f.access.get(s, 0))); };
  spec.write = [&f](int o, Scenario& s) { f.access.set(s, 0, double(o)); };
  return spec;
}

void addFieldRow(FormSection& section, const Field& f) {
  switch (f.kind()) {
    case FieldKind::Structured:
      return;
    case FieldKind::Flag:
      return section.addChecks({}, {{toQt(f.key), labelOf(f), verbOf(f),
                                     [&f](const Scenario& s) { return std::get<bool>(f.access.get(s, 0)); },
                                     [&f](bool on, Scenario& s) { f.access.set(s, 0, on); },
                                     f.term.empty() ? meaningOf(f) : glossaryTip(termOf(f))}});
    case FieldKind::Choice:
      section.addChoice(fieldChoice(f), termOf(f));
      return;
    case FieldKind::Flags:
      return addBoxes(section, f);
    case FieldKind::Wholes:
      if (f.most - f.least < kMostChoices) return addBoxes(section, f);
      break;
    default:
      break;
  }
  BoundLine* line = section.addLine(fieldLine(f), termOf(f));
  if (f.stored == Stored::Changed && f.kind() != FieldKind::Bound)
    line->setPlaceholderText(QObject::tr("none"));
}

}  // namespace nest
