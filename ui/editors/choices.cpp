#include "editors/choices.h"

#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QSignalBlocker>
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "cluster/devices/device_catalog.h"
#include "cluster/levels/device_change.h"
#include "editors/field_rows.h"
#include "fields/program_setting.h"
#include "formats/models/hf_config.h"
#include "theme/qt_text.h"
#include "theme/resources.h"

namespace nest {
namespace {

struct KnownModel {
  QString name;
  TransformerArchitecture model;
};

const std::vector<KnownModel>& knownModels() {
  static const std::vector<KnownModel> all = [] {
    loadResources();
    std::vector<KnownModel> known;
    const QDir folder(QStringLiteral(":/samples/models"));
    for (const QString& file : folder.entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Name)) {
      QFile in(folder.filePath(file));
      if (!in.open(QIODevice::ReadOnly)) continue;
      if (auto r = readHuggingFaceConfig(in.readAll().toStdString(), file.toStdString()); r)
        known.push_back({file.chopped(5), std::move(*r.value)});
    }
    return known;
  }();
  return all;
}

bool sameShape(TransformerArchitecture a, const TransformerArchitecture& b) {
  a.name = b.name;
  return a == b;
}

}  // namespace

ChoiceSpec deviceChoice(std::function<void(const Diagnostic&)> noticed) {
  ChoiceSpec device;
  device.id = QStringLiteral("/cluster/device");
  device.label = QObject::tr("Device");
  device.verb = QObject::tr("Change device");
  for (const DeviceSpec& d : deviceCatalog()) device.options += toQt(d.name);
  device.options += QObject::tr("Custom");
  device.read = [](const Scenario& scenario) {
    const auto& all = deviceCatalog();
    const auto it = std::find_if(all.begin(), all.end(),
                                 [&](const DeviceSpec& d) { return d == scenario.cluster.device; });
    return static_cast<int>(it - all.begin());
  };
  device.write = [noticed = std::move(noticed)](int i, Scenario& scenario) {
    if (i >= static_cast<int>(deviceCatalog().size())) return;
    const DeviceSpec& to = deviceCatalog()[i];
    for (const KeptLink& kept : changeDevice(scenario.cluster, to))
      if (noticed) noticed(noteOn(kept, to));
  };
  return device;
}

ChoiceSpec modelChoice() {
  ChoiceSpec model;
  model.id = QStringLiteral("/model");
  model.label = QObject::tr("Model");
  model.verb = QObject::tr("Change model");
  for (const KnownModel& k : knownModels())
    model.options += k.model.name.empty() ? k.name : toQt(k.model.name);
  model.read = [](const Scenario& sc) {
    const auto& known = knownModels();
    for (std::size_t i = 0; i < known.size(); ++i)
      if (sc.model.architecture && sameShape(known[i].model, *sc.model.architecture))
        return static_cast<int>(i);
    return -1;
  };
  model.write = [](int i, Scenario& sc) { setModel(sc, knownModels()[i].model); };
  return model;
}

void bindChoice(QComboBox& box, const ChoiceSpec& spec, ScenarioDocument& document) {
  const auto refresh = [&box, &document, read = spec.read] {
    const QSignalBlocker quiet(box);
    box.setEnabled(!document.isEmpty());
    box.setCurrentIndex(document.isEmpty() ? -1 : read(document.scenario()));
    box.updateGeometry();
  };
  QObject::connect(&document, &ScenarioDocument::changed, &box, refresh);
  QObject::connect(&box, &QComboBox::activated, &document, [&document, &box, spec](int index) {
    if (index >= spec.options.size()) return;
    document.closeStep();
    document.edit(spec.id, spec.verb, [&](Scenario& s) { spec.write(index, s); });
  });
  refresh();
}

}  // namespace nest
