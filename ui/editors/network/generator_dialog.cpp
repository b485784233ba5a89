#include "editors/network/generator_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <cmath>

#include "cluster/graph/generators.h"
#include "figures/paint/phrases.h"

namespace nest {

GeneratorDialog::GeneratorDialog(QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("Generate a network"));
  setMinimumWidth(420);
  auto* column = new QVBoxLayout(this);
  m_choice = new QComboBox;
  m_choice->setAccessibleName(tr("Kind of network"));
  for (const auto& g : networkGenerators())
    m_choice->addItem(QString::fromStdString(g.name), QString::fromStdString(g.id));
  column->addWidget(m_choice);
  m_what = new QLabel;
  m_what->setWordWrap(true);
  column->addWidget(m_what);
  m_form = new QFormLayout;
  column->addLayout(m_form);
  m_result = new QLabel;
  m_result->setWordWrap(true);
  m_result->setMinimumHeight(m_result->fontMetrics().height() * 2);
  column->addWidget(m_result);
  m_buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  m_buttons->button(QDialogButtonBox::Ok)->setText(tr("Generate"));
  column->addWidget(m_buttons);
  connect(m_buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(m_choice, &QComboBox::currentIndexChanged, this, &GeneratorDialog::showForm);
  showForm();
}

QString GeneratorDialog::generatorName() const {
  return m_choice->currentText();
}

void GeneratorDialog::showForm() {
  while (m_form->rowCount() > 0) m_form->removeRow(0);
  m_fields.clear();
  const auto& g = networkGenerators()[m_choice->currentIndex()];
  m_what->setText(QString::fromStdString(g.what));
  for (const auto& parameter : g.parameters) {
    auto* field = new QDoubleSpinBox;
    using Unit = GeneratorParameter::Unit;
    const bool whole = parameter.unit == Unit::Count || parameter.unit == Unit::Switch;
    field->setDecimals(whole ? 0 : 2);
    field->setRange(parameter.least, parameter.most);
    field->setValue(parameter.initial);
    if (parameter.unit == Unit::GigabytesPerSecond) field->setSuffix(tr(" GB/s"));
    if (parameter.unit == Unit::Microseconds) field->setSuffix(tr(" µs"));
    field->setAccessibleName(QString::fromStdString(parameter.label));
    m_form->addRow(QString::fromStdString(parameter.label), field);
    m_fields[parameter.name] = field;
    connect(field, &QDoubleSpinBox::valueChanged, this, &GeneratorDialog::generate);
  }
  generate();
  adjustSize();
}

void GeneratorDialog::generate() {
  std::map<std::string, double> values;
  for (const auto& [name, field] : m_fields) values[name] = field->value();
  auto made = generateNetwork(m_choice->currentData().toString().toStdString(), values);
  m_graph = std::move(made.value);
  if (m_graph) {
    m_result->setText(plural(m_graph->deviceCount(), QStringLiteral("device")) + QStringLiteral(", ") +
                      plural(static_cast<long long>(m_graph->links.size()), QStringLiteral("link")));
  } else {
    QString why;
    for (const auto& d : made.diagnostics)
      why += QString::fromStdString(d.message) +
             (d.remedy.empty() ? QString() : QStringLiteral("; ") + QString::fromStdString(d.remedy)) +
             QLatin1Char('\n');
    m_result->setText(why.trimmed());
  }
  m_buttons->button(QDialogButtonBox::Ok)->setEnabled(m_graph.has_value());
}

}  // namespace nest
