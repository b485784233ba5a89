#include "editors/what_if/what_if_form.h"

#include <QComboBox>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QSlider>
#include <QStyle>
#include <algorithm>
#include <cmath>
#include <utility>

#include "document/scenario_document.h"
#include "editors/field_rows.h"
#include "fields/field_text.h"
#include "figures/paint/phrases.h"
#include "theme/qt_text.h"
#include "units/text.h"

namespace nest {

namespace {

constexpr const char* kAddedSetting = "views/whatif/fields";

QString nameOf(const FieldAt& f) {
  const Field& field = *f.field;
  return toQt(field.numberLabel.empty() ? field.label : field.numberLabel);
}

/// " ÷ 4": what a level's bandwidth counts divided by.
QString divisorOf(const Setting& s, const FieldAt& f) {
  const auto ratio = f.field->key == "/cluster/levels/*/bandwidth_bytes_per_s"
                         ? fieldAt(s, "/cluster/levels/" + std::to_string(f.at.front()) + "/oversubscription")
                         : std::nullopt;
  const double v = ratio ? numberOf(s, *ratio).value_or(1) : 1;
  return v == 1 ? QString() : QStringLiteral(" ÷ ") + toQt(text::number(v));
}

/// Tells apart what has one pointer but changes other things.
QString shapeOf(const FieldAt& f) {
  return toQt(f.pointer() + ':' + f.group) + QString::number(qHashRange(f.at.begin(), f.at.end()), 16) + u';';
}

}  // namespace

WhatIfForm::WhatIfForm(ScenarioDocument* document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_grid(new QGridLayout(this)),
      m_added(QSettings().value(QLatin1String(kAddedSetting)).toStringList()) {
  m_grid->setColumnStretch(1, 1);
  m_grid->setHorizontalSpacing(12);
}

QSlider* WhatIfForm::sliderOf(const QString& pointer) const {
  for (const Row& r : m_rows)
    if (toQt(r.field.pointer()) == pointer) return r.slider;
  return nullptr;
}

void WhatIfForm::setReference(std::shared_ptr<const Scenario> reference) {
  m_reference = std::move(reference);
  showValues();
}

void WhatIfForm::add(const QString& pointer) {
  if (m_added.contains(pointer)) return;
  m_added << pointer;
  QSettings().setValue(QLatin1String(kAddedSetting), m_added);
  rebuild();
  showValues();
  if (QSlider* slider = sliderOf(pointer)) slider->setFocus(Qt::OtherFocusReason);
}

void WhatIfForm::tryValue(const QString& pointer, double value) {
  if (!m_document || m_document->isEmpty()) return;
  for (const FieldAt& field : numericFieldsOf(m_document->scenario())) {
    if (toQt(field.pointer()) != pointer) continue;
    m_document->closeStep();
    edit(field, value, false);
    m_document->closeStep();
    if (!sliderOf(pointer)) add(pointer);
    if (QSlider* slider = sliderOf(pointer)) slider->setFocus(Qt::OtherFocusReason);
    return showValues();
  }
}

void WhatIfForm::rebuild() {
  if (m_dragging) return;  // the handle is in somebody's hand
  const bool open = m_document && !m_document->isEmpty();
  std::vector<FieldAt> shown, others;
  for (FieldAt& f : open ? numericFieldsOf(m_document->scenario()) : std::vector<FieldAt>{}) {
    const QString pointer = toQt(f.pointer());
    // What has no latency is an ideal link: its slider waits in the list. One that has come to 0 stays.
    const bool isUsed = f.field->isOftenMoved && numberOf(m_document->scenario(), f) != 0;
    const bool hasRow = !m_shape.isEmpty() && sliderOf(pointer);
    (isUsed || hasRow || m_added.contains(pointer) ? shown : others).push_back(std::move(f));
  }
  QString shape;
  for (const auto& f : shown) shape += shapeOf(f) + divisorOf(m_document->scenario(), f);
  if (shape == m_shape && !shape.isEmpty()) return;
  m_shape = shape;
  m_rows.clear();
  m_others = nullptr;
  while (QLayoutItem* item = m_grid->takeAt(0)) {
    if (item->widget()) item->widget()->deleteLater();
    delete item;
  }
  int line = 0;
  QString group;
  if (shown.empty())
    m_grid->addWidget(new QLabel(tr("Open a scenario to explore what-ifs.")), line++, 0, 1, 4);
  if (!others.empty()) offerOthers(others, line++);
  for (FieldAt& field : shown) {
    if (toQt(field.group) != group) {
      group = toQt(field.group);
      auto* title = new QLabel(group);
      QFont bold = title->font();
      bold.setBold(true);
      title->setFont(bold);
      m_grid->addWidget(title, line++, 0, 1, 4);
    }
    addRow(std::move(field), line);
    line += 3;
  }
  m_grid->setRowStretch(line, 1);
  arrange();
}

/// A list of the fields without a slider; choosing one gives it one.
void WhatIfForm::offerOthers(const std::vector<FieldAt>& fields, int line) {
  m_others = new QComboBox;
  m_others->setAccessibleName(tr("Add a slider"));
  m_others->setToolTip(
      tr("Any numeric field of the scenario can have a slider; it is kept for other scenarios"));
  m_others->setPlaceholderText(tr("Add a slider …"));
  for (const FieldAt& f : fields)
    m_others->addItem(QStringLiteral("%1: %2").arg(toQt(f.group), nameOf(f)), toQt(f.pointer()));
  m_others->setCurrentIndex(-1);
  m_grid->addWidget(m_others, line, 0, 1, 4);
  connect(m_others, &QComboBox::activated, this, [this](int i) {
    QMetaObject::invokeMethod(
        this, [this, p = m_others->itemData(i).toString()] { add(p); }, Qt::QueuedConnection);
  });
}

void WhatIfForm::addRow(FieldAt field, int line) {
  Row r;
  r.range = slideRangeOf(m_document->scenario(), field);
  r.slider = new QSlider(Qt::Horizontal);
  r.slider->setRange(0, kSteps);
  r.slider->setPageStep(kSteps / 16);
  r.slider->setAccessibleName(toQt(field.group) + QLatin1Char(' ') + nameOf(field));
  r.figure = new QLineEdit;
  r.figure->setMaximumWidth(110);
  r.figure->installEventFilter(this);
  r.figure->setAccessibleName(r.slider->accessibleName());
  r.change = new QLabel;
  r.change->setMinimumWidth(r.change->fontMetrics().horizontalAdvance(QStringLiteral("+1,600 %")));
  const QString divisor = divisorOf(m_document->scenario(), field);
  auto* name = new QLabel(nameOf(field) + divisor);
  name->setBuddy(r.slider);
  QString tip = meaningOf(*field.field);
  if (!divisor.isEmpty()) tip += tr("; before it is divided by the oversubscription");
  name->setToolTip(tip), r.slider->setToolTip(tip);
  r.line = line, r.name = name;
  r.problem = new QLabel;
  r.problem->setProperty("role", "error");
  r.problem->setWordWrap(true);
  r.problem->hide();
  place(r);
  r.field = std::move(field);
  const std::size_t i = m_rows.size();
  connect(r.slider, &QSlider::valueChanged, this, [this, i](int step) { dragged(i, step); });
  connect(r.slider, &QSlider::sliderReleased, this, [this, i] { released(i); });
  connect(r.figure, &QLineEdit::editingFinished, this, [this, i] { typed(i); });
  connect(r.figure, &QLineEdit::textEdited, this, [this, i] { tellProblem(m_rows[i], {}); });
  m_rows.push_back(std::move(r));
}

/// What is typed and not yet applied is the field's to undo; all else the document's.
bool WhatIfForm::eventFilter(QObject* watched, QEvent* event) {
  const auto* line = qobject_cast<QLineEdit*>(watched);
  if (!line || event->type() != QEvent::ShortcutOverride) return false;
  const auto* key = static_cast<QKeyEvent*>(event);
  return (key->matches(QKeySequence::Undo) && !line->isUndoAvailable()) ||
         (key->matches(QKeySequence::Redo) && !line->isRedoAvailable());
}

void WhatIfForm::place(const Row& r) {
  if (m_isNarrow) {
    m_grid->addWidget(r.name, r.line, 0, 1, 2);
    m_grid->addWidget(r.slider, r.line + 1, 0, 1, 4);
    m_grid->addWidget(r.problem, r.line + 2, 0, 1, 4);
  } else {
    m_grid->addWidget(r.name, r.line, 0);
    m_grid->addWidget(r.slider, r.line, 1);
    m_grid->addWidget(r.problem, r.line + 1, 1, 1, 3);
  }
  m_grid->addWidget(r.figure, r.line, 2);
  m_grid->addWidget(r.change, r.line, 3);
}

bool WhatIfForm::isTooNarrow() const {
  int names = 0, beside = 0;
  for (const Row& r : m_rows) {
    names = std::max(names, r.name->sizeHint().width());
    beside = std::max(beside, std::min(r.figure->sizeHint().width(), r.figure->maximumWidth()) +
                                  std::max(r.change->minimumWidth(), r.change->sizeHint().width()));
  }
  const QMargins m = m_grid->contentsMargins();
  return width() < names + kLeastSlider + beside + 3 * m_grid->horizontalSpacing() + m.left() + m.right();
}

void WhatIfForm::resizeEvent(QResizeEvent* e) {
  QWidget::resizeEvent(e);
  arrange();
}

void WhatIfForm::arrange() {
  if (m_rows.empty() || isTooNarrow() == m_isNarrow) return;
  m_isNarrow = !m_isNarrow;
  for (const Row& r : m_rows) {
    for (QWidget* w :
         {static_cast<QWidget*>(r.name), static_cast<QWidget*>(r.slider), static_cast<QWidget*>(r.figure),
          static_cast<QWidget*>(r.change), static_cast<QWidget*>(r.problem)})
      m_grid->removeWidget(w);
    place(r);
  }
}

void WhatIfForm::edit(const FieldAt& field, double v, bool merges) {
  m_document->edit(
      merges ? QStringLiteral("whatif.") + toQt(field.pointer()) : QString(),
      tr("Set %1 to %2").arg(toQt(field.name()), toQt(numberText(m_document->scenario(), field, v))),
      [field, v](Scenario& s) { setNumber(s, field, v); });
}

void WhatIfForm::dragged(std::size_t row, int step) {
  if (m_filling || !m_document) return;
  const FieldAt field = m_rows[row].field;
  const double v = m_rows[row].range.at(double(step) / kSteps);
  if (m_rows[row].slider->isSliderDown()) {
    m_dragging = true;
    m_document->preview([field, v](Scenario& s) { setNumber(s, field, v); });
  } else {  // keys and clicks beside the handle
    edit(field, v, true);
  }
  showValues();
}

void WhatIfForm::released(std::size_t row) {
  if (!std::exchange(m_dragging, false) || !m_document) return;
  edit(m_rows[row].field, m_rows[row].range.at(double(m_rows[row].slider->value()) / kSteps), true);
  m_document->closeStep();
  showValues();
}

void WhatIfForm::typed(std::size_t row) {
  Row& r = m_rows[row];
  if (m_filling || !m_document || !r.figure->isModified()) return;
  const FieldAt field = r.field;
  const auto v = readNumberText(m_document->scenario(), field, r.figure->text().toStdString());
  r.figure->setModified(false);
  if (!v) return tellProblem(r, toQt(expectedText(*field.field)));  // what was typed stays to be fixed
  edit(field, *v, false);
  showValues();
}

void WhatIfForm::tellProblem(Row& r, const QString& problem) {
  if (r.problem->text() == problem) return;
  r.problem->setText(problem);
  r.problem->setVisible(!problem.isEmpty());
  r.figure->setProperty("wrong", !problem.isEmpty());
  r.figure->style()->unpolish(r.figure);
  r.figure->style()->polish(r.figure);
  r.figure->setAccessibleDescription(problem);
}

void WhatIfForm::showValues() {
  if (!m_document || m_document->isEmpty()) return;
  const Scenario& now = m_document->scenario();
  m_filling = true;
  for (Row& r : m_rows) {
    const std::optional<double> v = numberOf(now, r.field);
    if (!r.slider->isSliderDown())
      r.slider->setValue(static_cast<int>(std::lround(r.range.shareOf(v.value_or(0)) * kSteps)));
    const QString text = v ? toQt(numberText(now, r.field, *v)) : tr("any");
    if (!r.figure->hasFocus() || (!r.figure->isModified() && r.problem->text().isEmpty())) {
      r.figure->setText(text);
      tellProblem(r, {});
    }
    const std::optional<double> before = m_reference ? numberOf(*m_reference, r.field) : v;
    const bool same = v == before || (v && before && std::abs(*v - *before) <= 1e-12 * std::abs(*before));
    // Shares differ in points: +25 % of 0 says nothing.
    const bool isShare = r.field.field->access.measure == Measure::Share;
    QString change;
    if (!same && v && before && isShare)
      change = tr("%1 points").arg(phrase(text::signedPercent(*v - *before)).remove(QStringLiteral(" %")));
    else if (!same && v && before && *before > 0)
      change = phrase(text::signedPercent(*v / *before - 1));
    r.change->setText(change);
  }
  m_filling = false;
}

}  // namespace nest
