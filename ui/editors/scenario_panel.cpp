#include "editors/scenario_panel.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>

#include "editors/choices.h"
#include "editors/field_rows.h"
#include "editors/form_section.h"
#include "editors/glossary.h"
#include "editors/levels_editor.h"
#include "fields/program_setting.h"
#include "theme/qt_text.h"
#include "theme/resources.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr const char* kRegimes[] = {"adam-fp32-grads", "adam-fp16-grads", "sgd", "custom"};

OptimizerRegime regimeAt(int i, const OptimizerRegime& now) {
  if (i == 0) return OptimizerRegime::megatron();
  if (i == 1) return OptimizerRegime::zeroPaper();
  if (i == 2) return OptimizerRegime::sgd();
  OptimizerRegime custom = now;
  custom.id = "custom";
  return custom;
}

}  // namespace

ScenarioPanel::ScenarioPanel(ScenarioDocument& document, QWidget* parent)
    : QScrollArea(parent), m_document(document), m_page(new QWidget(this)) {
  loadResources();
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setAccessibleName(tr("Scenario"));
  m_page->setAutoFillBackground(true);
  auto* layout = new QVBoxLayout(m_page);
  layout->setContentsMargins(6, 6, 10, 10);
  layout->setSpacing(4);
  buildScenario();
  buildCluster();
  buildModel();
  addFields(section(tr("Program")), "Program");
  buildJob();
  buildDegrees();
  buildSearch();
  buildConstraints();
  buildRun();
  buildAssumptions();
  layout->addStretch();
  setWidget(m_page);
  setMinimumWidth(180);  // narrower than its fields it scrolls
}

FormSection* ScenarioPanel::section(const QString& title) {
  auto* s = new FormSection(title, m_document, m_page);
  static_cast<QVBoxLayout*>(m_page->layout())->addWidget(s);
  m_sections.push_back(s);
  return s;
}

void ScenarioPanel::buildScenario() {
  LineSpec name;
  name.id = QStringLiteral("/name");
  name.label = tr("Name");
  name.verb = tr("Rename the scenario");
  name.hint = tr("What this scenario is called in titles and exports");
  name.read = [](const Scenario& s) { return toQt(s.name); };
  name.write = [](const QString& text, Scenario& s) {
    s.name = text.trimmed().toStdString();
    return QString();
  };
  section(tr("Scenario"))->addLine(name, QStringLiteral("scenario"));
}

void ScenarioPanel::buildCluster() {
  FormSection* s = section(tr("Cluster"));
  s->addChoice(deviceChoice([this](const Diagnostic& d) { Q_EMIT noticed(d); }), QStringLiteral("device"));
  addFieldRow(*s, *findField("/cluster/device/memory_bytes"));
  auto* levels = new LevelsEditor(m_document, s);
  connect(levels, &LevelsEditor::networkRequested, this, &ScenarioPanel::networkRequested);
  s->addWidget(levels, {QStringLiteral("/cluster")});
}

void ScenarioPanel::buildModel() {
  FormSection* s = section(tr("Model"));
  auto* combo = s->addChoice(modelChoice(), QStringLiteral("layer"));
  combo->setPlaceholderText(tr("From a file"));
  auto* box = new QWidget(s);
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(0, 0, 0, 0);
  m_modelFacts = new QLabel(box);
  m_modelFacts->setWordWrap(true);
  m_modelFacts->setProperty("role", "muted");
  auto* load = new QPushButton(tr("Load config.json…"), box);
  load->setToolTip(tr("Read the model from its Hugging Face configuration"));
  load->setProperty("link", true);
  column->addWidget(m_modelFacts);
  column->addWidget(load, 0, Qt::AlignLeft);
  connect(load, &QPushButton::clicked, this, &ScenarioPanel::loadModelRequested);
  s->addWidget(box, {QStringLiteral("/model/facts")});
  connect(&m_document, &ScenarioDocument::changed, this, [this](ScenarioParts parts) {
    if (parts & ScenarioPart::Model) refreshModel();
  });
  refreshModel();
}

void ScenarioPanel::refreshModel() {
  const auto& model = m_document.scenario().model;
  QString text;
  if (model.architecture) {
    const TransformerArchitecture& a = *model.architecture;
    text = tr("%1: %2 parameters, %3 blocks, hidden %4, %5 heads, vocabulary %6")
               .arg(toQt(a.name.empty() ? a.family : a.name),
                    toQt(text::number(parameterCount(a) * 1e-9)) + QStringLiteral(" B"),
                    toQt(text::count(a.layers)), toQt(text::count(a.hidden)), toQt(text::count(a.heads)),
                    toQt(text::count(a.vocabulary)));
    if (a.experts)
      text += tr("; %1 experts, %2 a token (%3 B active)")
                  .arg(a.experts->experts)
                  .arg(a.experts->perToken)
                  .arg(toQt(text::number(activeParameterCount(a) * 1e-9)));
  } else if (model.graph) {
    text = tr("Imported profile: %1 layers").arg(toQt(text::count(model.graph->layerCount())));
  }
  if (model.calibration != 1) text += tr("; calibrated ×%1").arg(toQt(text::number(model.calibration)));
  m_modelFacts->setText(text);
}

void ScenarioPanel::buildJob() {
  addFields(section(tr("Job")), "Job");
}

/// Choosing a known optimizer sets its bytes per parameter; another number of bytes makes it a custom one.
void ScenarioPanel::addOptimizer(FormSection* s) {
  ChoiceSpec regime;
  regime.id = QStringLiteral("/job/optimizer");
  regime.label = tr("Optimizer");
  regime.verb = tr("Change optimizer precision");
  regime.options = {tr("Adam, fp32 gradients"), tr("Adam, 16-bit gradients"), tr("SGD"), tr("Custom")};
  regime.read = [](const Scenario& sc) {
    for (int i = 0; i < 4; ++i)
      if (sc.job.optimizer.id == kRegimes[i]) return i;
    return 3;
  };
  regime.write = [](int i, Scenario& sc) { sc.job.optimizer = regimeAt(i, sc.job.optimizer); };
  s->addChoice(regime, QStringLiteral("optimizer precision"));
}

void ScenarioPanel::showDiagnostics(const Diagnostics& diagnostics) {
  for (FormSection* s : m_sections) s->showDiagnostics(diagnostics);
}

bool ScenarioPanel::reveal(const QString& pointer) {
  for (FormSection* s : m_sections)
    if (s->reveal(pointer)) {
      if (QWidget* focused = m_page->focusWidget()) ensureWidgetVisible(focused);
      return true;
    }
  return false;
}

QStringList ScenarioPanel::foldedSections() const {
  QStringList all;
  for (const FormSection* s : m_sections)
    if (s->isFolded()) all += s->title();
  return all;
}

void ScenarioPanel::setFoldedSections(const QStringList& titles) {
  for (FormSection* s : m_sections) s->setFolded(titles.contains(s->title()));
}

}  // namespace nest
