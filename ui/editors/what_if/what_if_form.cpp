#include "editors/what_if/what_if_form.h"

#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSlider>
#include <cmath>

#include "document/scenario_document.h"
#include "figures/phrases.h"
#include "units/text.h"

namespace nest {

WhatIfForm::WhatIfForm(ScenarioDocument* document, QWidget* parent)
    : QWidget(parent), m_document(document), m_grid(new QGridLayout(this)) {
  m_grid->setColumnStretch(1, 1);
  m_grid->setHorizontalSpacing(12);
}

QSlider* WhatIfForm::sliderOf(const QString& fieldId) const {
  for (const Row& r : m_rows)
    if (r.field.id == fieldId) return r.slider;
  return nullptr;
}

void WhatIfForm::setReference(std::shared_ptr<const Scenario> reference) {
  m_reference = std::move(reference);
  showValues();
}

void WhatIfForm::rebuild() {
  if (m_dragging) return;  // the handle is in somebody's hand
  const bool open = m_document && !m_document->isEmpty();
  const auto fields = open ? whatIfFields(m_document->scenario()) : std::vector<WhatIfField>{};
  QString shape;
  for (const auto& f : fields) shape += f.id + u':' + f.name + u':' + f.members + u';';
  if (shape == m_shape && !shape.isEmpty()) return;
  m_shape = shape;
  m_rows.clear();
  while (QLayoutItem* item = m_grid->takeAt(0)) {
    if (item->widget()) item->widget()->deleteLater();
    delete item;
  }
  int line = 0;
  QString group;
  if (fields.empty()) m_grid->addWidget(new QLabel(tr("Open a scenario to ask what if.")), line++, 0, 1, 4);
  for (const WhatIfField& field : fields) {
    if (field.group != group) {
      group = field.group;
      auto* title = new QLabel(group);
      QFont bold = title->font();
      bold.setBold(true);
      title->setFont(bold);
      m_grid->addWidget(title, line++, 0, 1, 4);
    }
    addRow(field, line++);
  }
  m_grid->setRowStretch(line, 1);
}

void WhatIfForm::addRow(const WhatIfField& field, int line) {
  Row r;
  r.field = field;
  r.slider = new QSlider(Qt::Horizontal);
  r.slider->setRange(0, WhatIfField::kSteps);
  r.slider->setPageStep(WhatIfField::kSteps / 16);
  r.slider->setAccessibleName(field.group + QLatin1Char(' ') + field.name);
  r.figure = new QLineEdit;
  r.figure->setMaximumWidth(110);
  r.figure->setAccessibleName(r.slider->accessibleName());
  r.change = new QLabel;
  r.change->setMinimumWidth(r.change->fontMetrics().horizontalAdvance(QStringLiteral("+1,600 %")));
  auto* name = new QLabel(field.name);
  name->setBuddy(r.slider);
  if (!field.tip.isEmpty()) name->setToolTip(field.tip), r.slider->setToolTip(field.tip);
  m_grid->addWidget(name, line, 0);
  m_grid->addWidget(r.slider, line, 1);
  m_grid->addWidget(r.figure, line, 2);
  m_grid->addWidget(r.change, line, 3);
  const std::size_t i = m_rows.size();
  connect(r.slider, &QSlider::valueChanged, this, [this, i](int step) { dragged(i, step); });
  connect(r.slider, &QSlider::sliderReleased, this, [this, i] { released(i); });
  connect(r.figure, &QLineEdit::editingFinished, this, [this, i] { typed(i); });
  m_rows.push_back(std::move(r));
}

void WhatIfForm::edit(const WhatIfField& field, double v, bool merges) {
  m_document->edit(merges ? QStringLiteral("whatif.") + field.id : QString(),
                   tr("Set %1 of %2 to %3").arg(field.name.toLower(), field.group, field.text(v)),
                   [field, v](Scenario& s) { field.set(s, v); });
}

void WhatIfForm::dragged(std::size_t row, int step) {
  if (m_filling || !m_document) return;
  const WhatIfField field = m_rows[row].field;
  const double v = field.at(step);
  if (m_rows[row].slider->isSliderDown()) {
    m_dragging = true;
    m_document->preview([field, v](Scenario& s) { field.set(s, v); });
  } else {  // keys and clicks beside the handle
    edit(field, v, true);
  }
  showValues();
}

void WhatIfForm::released(std::size_t row) {
  if (!std::exchange(m_dragging, false) || !m_document) return;
  const WhatIfField field = m_rows[row].field;
  edit(field, field.at(m_rows[row].slider->value()), true);
  m_document->closeStep();
  showValues();
}

void WhatIfForm::typed(std::size_t row) {
  if (m_filling || !m_document || !m_rows[row].figure->isModified()) return;
  const WhatIfField field = m_rows[row].field;
  const auto v = field.read(m_rows[row].figure->text());
  m_rows[row].figure->setModified(false);
  if (v)
    edit(field, *v, false);
  else
    m_rows[row].figure->setToolTip(
        tr("A figure like %1").arg(field.text(field.value(m_document->scenario()))));
  showValues();
}

void WhatIfForm::showValues() {
  if (!m_document || m_document->isEmpty()) return;
  const Scenario& now = m_document->scenario();
  m_filling = true;
  for (Row& r : m_rows) {
    const double v = r.field.value(now);
    if (!r.slider->isSliderDown()) r.slider->setValue(r.field.stepOf(v));
    if (!r.figure->hasFocus() || !r.figure->isModified()) r.figure->setText(r.field.text(v));
    const double before = m_reference ? r.field.value(*m_reference) : v;
    const bool same = std::abs(v - before) <= 1e-12 * std::abs(before);
    r.change->setText(same || before <= 0 ? QString() : phrase(text::signedPercent(v / before - 1)));
  }
  m_filling = false;
}

}  // namespace nest
