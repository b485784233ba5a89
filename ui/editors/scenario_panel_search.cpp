// The sections of the panel that follow from fields alone, and the structured fields among them.
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <algorithm>
#include <initializer_list>

#include "editors/field_rows.h"
#include "editors/form_section.h"
#include "editors/scenario_panel.h"

namespace nest {

/// A row for each field of a group, those of `first` before the others.
void ScenarioPanel::addFields(FormSection* section, const char* group,
                              std::initializer_list<const char*> first) {
  std::vector<const Field*> rows;
  for (const char* key : first) rows.push_back(findField(key));
  for (const Field& f : fields())
    if (f.group == group && f.isInPanel && std::find(rows.begin(), rows.end(), &f) == rows.end())
      rows.push_back(&f);
  for (const Field* f : rows) {
    if (f->key == "/job/optimizer")
      addOptimizer(section);
    else if (f->key == "/constraints/layer_pins")
      buildPins(section);
    else
      addFieldRow(*section, *f);
  }
}

void ScenarioPanel::buildDegrees() {
  addFields(section(tr("Degrees allowed")), "Degrees allowed",
            {"/constraints/tensor", "/constraints/stages", "/constraints/data"});
}

void ScenarioPanel::buildSearch() {
  addFields(section(tr("Search")), "Search");
}

void ScenarioPanel::buildConstraints() {
  FormSection* s = section(tr("Constraints"));
  addFields(s, "Constraints");
  s->setFolded(true);
}

/// Layer and stage pins are set where one sees them, in the cuts; here they can be seen and dropped.
void ScenarioPanel::buildPins(FormSection* s) {
  auto* box = new QWidget(s);
  auto* row = new QHBoxLayout(box);
  row->setContentsMargins(0, 0, 0, 0);
  auto* told = new QLabel(box);
  told->setWordWrap(true);
  told->setProperty("role", "muted");
  auto* drop = new QPushButton(tr("Drop pins"), box);
  drop->setProperty("link", true);
  row->addWidget(told, 1);
  row->addWidget(drop);
  s->addWidget(box, {QStringLiteral("/constraints/layer_pins"), QStringLiteral("/constraints/stage_pins")});
  connect(drop, &QPushButton::clicked, this, [this] {
    m_document.closeStep();
    m_document.edit({}, tr("Drop all pins"), [](Scenario& sc) {
      sc.constraints.layerPins.clear();
      sc.constraints.stagePins.clear();
    });
  });
  const auto refresh = [this, told, drop] {
    const Constraints& k = m_document.scenario().constraints;
    const auto layers = k.layerPins.size(), stages = k.stagePins.size();
    told->setText(layers + stages == 0 ? tr("Nothing is pinned. Pin layers and stages in the Cuts view.")
                                       : tr("%1 layers and %2 stages are pinned.").arg(layers).arg(stages));
    drop->setVisible(layers + stages > 0);
  };
  connect(&m_document, &ScenarioDocument::changed, told, refresh);
  refresh();
}

void ScenarioPanel::buildRun() {
  FormSection* s = section(tr("Run"));
  addFields(s, "Run");
  s->setFolded(true);
}

void ScenarioPanel::buildAssumptions() {
  FormSection* s = section(tr("Assumptions"));
  addFields(s, "Assumptions", {"/assumptions/reserve_bytes"});
  s->setFolded(true);
  for (const auto& [title, group] :
       {std::pair(tr("Device data"), "Device"), std::pair(tr("Kernel assumptions"), "Kernel model")}) {
    FormSection* more = section(title);
    addFields(more, group);
    more->setFolded(true);
  }
}

}  // namespace nest
