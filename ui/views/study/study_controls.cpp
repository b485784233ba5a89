#include "views/study/study_controls.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QFocusEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QStringListModel>
#include <algorithm>
#include <map>

#include "fields/field_text.h"
#include "theme/qt_text.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr int kParameterRole =
    Qt::UserRole + 1;  ///< of the parameter; −1: none, not set: the name of a group

QString parameterGroup(const Parameter& p) {
  return p.isDevices() ? ParameterBox::tr("Cluster") : toQt(p.field->field->group);
}

/// In SI units; nullopt: not a value of the parameter.
std::optional<double> readParameter(const Setting& s, const Parameter& p, const QString& text) {
  if (p.field) return readNumberText(s, *p.field, text.toStdString());
  bool isNumber = false;
  QString digits = text.trimmed();
  const int n = digits.remove(u',').toInt(&isNumber);
  return isNumber && n > 0 ? std::optional<double>(n) : std::nullopt;
}

}  // namespace

ParameterBox::ParameterBox(const QString& name, const QString& none, QWidget* parent)
    : QComboBox(parent), m_none(none) {
  setAccessibleName(name);
  setEditable(true);
  setInsertPolicy(QComboBox::NoInsert);
  setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  setMinimumContentsLength(16);
  setMaxVisibleItems(18);
  auto* completer = new QCompleter(this);
  completer->setModel(new QStringListModel(completer));
  completer->setCaseSensitivity(Qt::CaseInsensitive);
  completer->setFilterMode(Qt::MatchContains);
  completer->setCompletionMode(QCompleter::PopupCompletion);
  completer->setMaxVisibleItems(12);
  setCompleter(completer);
  lineEdit()->setPlaceholderText(tr("Type to search"));
  lineEdit()->setAccessibleName(name);
  connect(completer, qOverload<const QString&>(&QCompleter::activated), this, [this] { takeText(); });
  connect(lineEdit(), &QLineEdit::returnPressed, this, &ParameterBox::takeText);
  connect(this, &QComboBox::currentIndexChanged, this, &ParameterBox::chosenChanged);
}

QString ParameterBox::nameOf(const Parameter& p) {
  return p.isDevices() ? tr("devices") : toQt(p.name());
}

void ParameterBox::setParameters(const std::vector<Parameter>& all) {
  QStringList names;
  for (const Parameter& p : all) names << nameOf(p);
  if (names == m_names && count() > 0) return;
  const QString before = currentIndex() >= 0 ? itemText(currentIndex()) : QString();
  const QSignalBlocker quiet(this);
  m_names = names;
  clear();
  if (!m_none.isEmpty()) addItem(m_none);
  if (!m_none.isEmpty()) setItemData(0, -1, kParameterRole);
  // Groups in the order of their first parameter.
  std::vector<QString> groups;
  std::map<QString, std::vector<int>> members;
  for (int i = 0; i < static_cast<int>(all.size()); ++i) {
    const QString group = parameterGroup(all[static_cast<std::size_t>(i)]);
    if (members[group].empty()) groups.push_back(group);
    members[group].push_back(i);
  }
  auto* rows = qobject_cast<QStandardItemModel*>(model());
  for (const QString& group : groups) {
    addItem(group);
    if (QStandardItem* head = rows ? rows->item(count() - 1) : nullptr) {
      head->setFlags(Qt::NoItemFlags);
      QFont bold = font();
      bold.setBold(true);
      head->setFont(bold);
    }
    for (const int i : members[group]) {
      addItem(names[i]);
      setItemData(count() - 1, i, kParameterRole);
    }
  }
  if (auto* list = qobject_cast<QStringListModel*>(completer()->model())) list->setStringList(names);
  const int kept = names.indexOf(before);
  setCurrentIndex(kept >= 0 ? rowOf(kept) : m_none.isEmpty() && !names.isEmpty() ? rowOf(0) : 0);
  view()->setMinimumWidth(view()->sizeHintForColumn(0) + 24);
}

int ParameterBox::rowOf(int index) const {
  return findData(index, kParameterRole);
}

int ParameterBox::chosen() const {
  const QVariant index = currentData(kParameterRole);
  return index.isValid() ? index.toInt() : -1;
}

void ParameterBox::choose(int index) {
  if (const int row = rowOf(index); row >= 0) setCurrentIndex(row);
}

/// The name that was typed, or the first that has it; else what was chosen before.
void ParameterBox::takeText() {
  const QString typed = currentText().trimmed();
  qsizetype found = m_names.indexOf(typed);
  for (qsizetype i = 0; found < 0 && !typed.isEmpty() && i < m_names.size(); ++i)
    if (m_names[i].contains(typed, Qt::CaseInsensitive)) found = i;
  if (found >= 0 && typed != m_none) setCurrentIndex(rowOf(static_cast<int>(found)));
  lineEdit()->setText(itemText(currentIndex()));
}

void ParameterBox::focusOutEvent(QFocusEvent* event) {
  QComboBox::focusOutEvent(event);
  if (event->reason() != Qt::PopupFocusReason) takeText();
}

RangeBox::RangeBox(const QString& of, QWidget* parent)
    : QWidget(parent),
      m_from(new QLineEdit),
      m_to(new QLineEdit),
      m_steps(new QSpinBox),
      m_scale(new QComboBox),
      m_of(of) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  const auto add = [row](const QString& text, QWidget* widget) {
    auto* label = new QLabel(text);
    label->setBuddy(widget);
    row->addWidget(label);
    row->addWidget(widget);
  };
  for (QLineEdit* end : {m_from, m_to}) {
    end->setFixedWidth(84);
    connect(end, &QLineEdit::textChanged, this, &RangeBox::changed);
  }
  m_from->setAccessibleName(tr("%1: from").arg(of));
  m_to->setAccessibleName(tr("%1: to").arg(of));
  m_from->setToolTip(tr("First value, with or without a unit. Empty: as usual."));
  m_to->setToolTip(tr("Last value, with or without a unit. Empty: as usual."));
  m_steps->setRange(0, kMostStudySteps);
  m_steps->setSpecialValueText(tr("usual"));
  m_steps->setAccessibleName(tr("%1: number of values").arg(of));
  m_steps->setToolTip(tr("How many values to try"));
  for (const StudyScale s : {StudyScale::Usual, StudyScale::Even, StudyScale::Log, StudyScale::Doubling})
    m_scale->addItem(QString::fromLatin1(labelOf(s)), QString::fromLatin1(nest::nameOf(s)));
  m_scale->setAccessibleName(tr("%1: how values follow each other").arg(of));
  m_scale->setToolTip(tr("Even steps, even factors, or each twice the one before"));
  add(tr("from"), m_from);
  add(tr("to"), m_to);
  add(tr("values"), m_steps);
  row->addWidget(m_scale);
  connect(m_steps, &QSpinBox::valueChanged, this, &RangeBox::changed);
  connect(m_scale, &QComboBox::currentIndexChanged, this, &RangeBox::changed);
}

void RangeBox::showUsual(const Setting& s, const Problem& problem, const Parameter& p, bool fine) {
  const QString name = ParameterBox::nameOf(p);
  if (property("parameter").toString() != name) {
    setProperty("parameter", name);
    setRange({}, {}, 0, StudyScale::Usual);
  }
  const auto usual = studyValues(s, problem, p, fine);
  m_from->setPlaceholderText(usual.empty() ? QString() : toQt(valueText(s, p, usual.front())));
  m_to->setPlaceholderText(usual.empty() ? QString() : toQt(valueText(s, p, usual.back())));
}

void RangeBox::setRange(const QString& from, const QString& to, int steps, StudyScale scale) {
  m_from->setText(from);
  m_to->setText(to);
  m_steps->setValue(steps);
  m_scale->setCurrentIndex(static_cast<int>(scale));
}

std::optional<StudyRange> RangeBox::range(const Setting& s, const Parameter& p, QString& wrong) const {
  StudyRange out;
  const auto read = [&](const QLineEdit* line, std::optional<double>& value) {
    if (line->text().trimmed().isEmpty()) return true;
    value = readParameter(s, p, line->text());
    if (!value)
      wrong = tr("\"%1\" is not a value of %2.").arg(line->text().trimmed(), ParameterBox::nameOf(p));
    return value.has_value();
  };
  if (!read(m_from, out.from) || !read(m_to, out.to)) return std::nullopt;
  if (out.from && out.to && *out.from > *out.to) {
    wrong = tr("The range of %1 runs backwards.").arg(ParameterBox::nameOf(p));
    return std::nullopt;
  }
  out.steps = m_steps->value();
  out.scale = static_cast<StudyScale>(m_scale->currentIndex());
  return out;
}

}  // namespace nest
