#include "editors/scenario_panel.h"

#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <memory>

#include "cluster/device_catalog.h"
#include "editors/field_text.h"
#include "editors/form_section.h"
#include "editors/glossary.h"
#include "editors/levels_editor.h"
#include "formats/hf_config.h"
#include "theme/resources.h"
#include "units/text.h"

namespace nest {
namespace {

QString tr(const char* text) {
  return ScenarioPanel::tr(text);
}
QString q(const std::string& s) {
  return QString::fromStdString(s);
}

LineSpec wholeLine(const QString& id, const QString& label, int most, std::function<int&(Scenario&)> at,
                   const QString& unit, bool doubling = true) {
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
    if (!v || (!zeroAllowed && !(v->value() > 0))) return tr("Type an amount of memory, such as 80 GiB");
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
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFrameShape(QFrame::NoFrame);
  setAccessibleName(tr("Scenario"));
  m_page->setAutoFillBackground(true);
  auto* layout = new QVBoxLayout(m_page);
  layout->setContentsMargins(6, 6, 10, 10);
  layout->setSpacing(4);
  buildScenario();
  buildCluster();
  buildModel();
  buildJob();
  buildDegrees();
  buildSearch();
  buildConstraints();
  buildAssumptions();
  layout->addStretch();
  setWidget(m_page);
  setMinimumWidth(270);
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
  name.read = [](const Scenario& s) { return q(s.name); };
  name.write = [](const QString& text, Scenario& s) {
    s.name = text.trimmed().toStdString();
    return QString();
  };
  section(tr("Scenario"))->addLine(name, QStringLiteral("scenario"));
}

void ScenarioPanel::buildCluster() {
  FormSection* s = section(tr("Cluster"));
  ChoiceSpec device;
  device.id = QStringLiteral("/cluster/device");
  device.label = tr("Device");
  device.verb = tr("Choose another device");
  for (const DeviceSpec& d : deviceCatalog()) device.options += q(d.name);
  device.options += tr("Custom");
  device.read = [](const Scenario& scenario) {
    const auto& all = deviceCatalog();
    const auto it = std::find_if(all.begin(), all.end(),
                                 [&](const DeviceSpec& d) { return d == scenario.cluster.device; });
    return static_cast<int>(it - all.begin());
  };
  device.write = [](int i, Scenario& scenario) {
    if (i < static_cast<int>(deviceCatalog().size()))
      scenario.cluster.device = deviceCatalog()[static_cast<std::size_t>(i)];
  };
  s->addChoice(device, QStringLiteral("device"));
  s->addLine(memoryLine(
      QStringLiteral("/cluster/device/memory_bytes"), tr("Device memory"), tr("Change device memory"),
      [](const Scenario& sc) { return sc.cluster.device.memory.value; },
      [](Bytes b, Scenario& sc) {
        sc.cluster.device.memory = Sourced<Bytes>(b);
        sc.cluster.device.id = "custom";
      },
      false));
  auto* levels = new LevelsEditor(m_document, s);
  connect(levels, &LevelsEditor::networkRequested, this, &ScenarioPanel::networkRequested);
  s->addWidget(levels, QStringLiteral("/cluster"));
}

void ScenarioPanel::buildModel() {
  FormSection* s = section(tr("Model"));
  struct Known {
    QString name;
    TransformerArchitecture model;
  };
  auto known = std::make_shared<std::vector<Known>>();
  const QDir folder(QStringLiteral(":/samples/models"));
  for (const QString& file : folder.entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Name)) {
    QFile in(folder.filePath(file));
    if (!in.open(QIODevice::ReadOnly)) continue;
    if (auto r = readHuggingFaceConfig(in.readAll().toStdString(), file.toStdString()); r)
      known->push_back({file.chopped(5), std::move(*r.value)});
  }
  ChoiceSpec model;
  model.id = QStringLiteral("/model");
  model.label = tr("Model");
  model.verb = tr("Choose another model");
  for (const Known& k : *known) model.options += k.model.name.empty() ? k.name : q(k.model.name);
  const auto sameShape = [](TransformerArchitecture a, const TransformerArchitecture& b) {
    a.name = b.name;
    return a == b;
  };
  model.read = [known, sameShape](const Scenario& sc) {
    for (std::size_t i = 0; i < known->size(); ++i)
      if (sc.model.architecture && sameShape((*known)[i].model, *sc.model.architecture))
        return static_cast<int>(i);
    return -1;
  };
  model.write = [known](int i, Scenario& sc) {
    sc.model = {};
    sc.model.architecture = (*known)[static_cast<std::size_t>(i)].model;
  };
  auto* combo = s->addChoice(model, QStringLiteral("layer"));
  combo->setPlaceholderText(tr("From a file"));
  auto* box = new QWidget(s);
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(0, 0, 0, 0);
  m_modelFacts = new QLabel(box);
  m_modelFacts->setWordWrap(true);
  m_modelFacts->setProperty("role", "muted");
  auto* load = new QPushButton(tr("Load config.json…"), box);
  load->setToolTip(tr("Take the shape of a model from its Hugging Face configuration"));
  load->setProperty("link", true);
  column->addWidget(m_modelFacts);
  column->addWidget(load, 0, Qt::AlignLeft);
  connect(load, &QPushButton::clicked, this, &ScenarioPanel::loadModelRequested);
  s->addWidget(box, QStringLiteral("/model/facts"));
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
    text =
        tr("%1: %2 parameters, %3 blocks, hidden %4, %5 heads, vocabulary %6")
            .arg(q(a.name.empty() ? a.family : a.name),
                 q(text::number(parameterCount(a) * 1e-9)) + QStringLiteral(" B"), q(text::count(a.layers)),
                 q(text::count(a.hidden)), q(text::count(a.heads)), q(text::count(a.vocabulary)));
    if (a.experts)
      text += tr("; %1 experts, %2 a token (%3 B active)")
                  .arg(a.experts->experts)
                  .arg(a.experts->perToken)
                  .arg(q(text::number(activeParameterCount(a) * 1e-9)));
  } else if (model.graph) {
    text = tr("Imported profile: %1 layers").arg(q(text::count(model.graph->layerCount())));
  }
  if (model.calibration != 1) text += tr("; calibrated ×%1").arg(q(text::number(model.calibration)));
  m_modelFacts->setText(text);
}

void ScenarioPanel::buildJob() {
  FormSection* s = section(tr("Job"));
  s->addLine(wholeLine(
      QStringLiteral("/job/global_batch"), tr("Global batch"), 10'000'000,
      [](Scenario& sc) -> int& { return sc.job.globalBatch; }, tr("sequences")));
  s->addLine(wholeLine(
      QStringLiteral("/job/sequence_length"), tr("Sequence length"), 16'777'216,
      [](Scenario& sc) -> int& { return sc.job.sequenceLength; }, tr("tokens")));
  LineSpec micro;
  micro.id = QStringLiteral("/job/microbatches");
  micro.label = tr("Microbatches");
  micro.verb = tr("Change the microbatch sizes on offer");
  micro.hint = tr("Sizes on offer, such as 1, 2, 4");
  micro.read = [](const Scenario& sc) { return field::listText(sc.job.microbatches); };
  micro.write = [](const QString& text, Scenario& sc) {
    const auto v = field::readWholeList(text, 1, 65'536);
    if (!v) return tr("Type the sizes on offer, whole numbers from 1, such as 1, 2, 4");
    sc.job.microbatches = *v;
    return QString();
  };
  s->addLine(micro, QStringLiteral("microbatch"));
  ChoiceSpec regime;
  regime.id = QStringLiteral("/job/optimizer");
  regime.label = tr("Optimizer");
  regime.verb = tr("Choose another optimizer regime");
  regime.options = {tr("Adam, fp32 gradients"), tr("Adam, fp16 gradients"), tr("SGD"), tr("Custom")};
  regime.read = [](const Scenario& sc) {
    for (int i = 0; i < 4; ++i)
      if (sc.job.optimizer.id == kRegimes[i]) return i;
    return 3;
  };
  regime.write = [](int i, Scenario& sc) { sc.job.optimizer = regimeAt(i, sc.job.optimizer); };
  s->addChoice(regime, QStringLiteral("optimizer regime"));
  buildBytes(s);
  LineSpec tokens;
  tokens.id = QStringLiteral("/job/training_tokens");
  tokens.label = tr("Training tokens");
  tokens.verb = tr("Change the training tokens");
  tokens.hint = tr("2 T, 300 B or 2e12; leave it empty to leave out days to train");
  tokens.read = [](const Scenario& sc) { return field::tokensText(sc.job.trainingTokens); };
  tokens.write = [](const QString& text, Scenario& sc) {
    const auto v = field::readTokens(text);
    if (!v) return tr("Type a number of tokens, such as 2 T or 300 B, or nothing");
    sc.job.trainingTokens = *v;
    return QString();
  };
  s->addLine(tokens, QStringLiteral("training tokens"))->setPlaceholderText(tr("none"));
}

/// Bytes per parameter; typing another figure makes the regime a custom one.
void ScenarioPanel::buildBytes(FormSection* s) {
  struct Kind {
    const char* key;
    QString label;
    double OptimizerRegime::*member;
    bool zeroAllowed;
  };
  const Kind kinds[] = {
      {"weight", tr("Weight bytes"), &OptimizerRegime::weightBytes, false},
      {"gradient", tr("Gradient bytes"), &OptimizerRegime::gradientBytes, true},
      {"optimizer", tr("Optimizer bytes"), &OptimizerRegime::optimizerBytes, true},
  };
  for (const Kind& k : kinds) {
    LineSpec spec;
    spec.id = QStringLiteral("/job/optimizer/%1_bytes_per_parameter").arg(QLatin1String(k.key));
    spec.label = k.label;
    spec.verb = tr("Change %1 per parameter").arg(k.label.toLower());
    spec.hint = tr("Bytes for each parameter, such as 2, 4 or 0.5");
    const auto read = [](const QString& text) -> std::optional<double> {
      bool ok = false;
      const double v = text.trimmed().toDouble(&ok);
      return ok && std::isfinite(v) && v >= 0 && v <= 64 ? std::optional(v) : std::nullopt;
    };
    spec.read = [member = k.member](const Scenario& sc) { return q(text::exact(sc.job.optimizer.*member)); };
    spec.write = [read, member = k.member, zero = k.zeroAllowed](const QString& text, Scenario& sc) {
      const auto v = read(text);
      if (!v || (!zero && *v == 0))
        return zero ? tr("Type bytes for each parameter, 0 to 64")
                    : tr("Type bytes for each parameter, above 0 to 64");
      if (sc.job.optimizer.*member == *v) return QString();
      sc.job.optimizer.*member = *v;
      sc.job.optimizer.id = "custom";
      return QString();
    };
    spec.step = [read](const QString& text, int steps) {
      const auto v = read(text);
      return v ? q(text::exact(std::clamp(*v + steps, 0.0, 64.0))) : QString();
    };
    s->addLine(spec, QStringLiteral("optimizer regime"));
  }
}

void ScenarioPanel::buildDegrees() {
  FormSection* s = section(tr("Degrees allowed"));
  s->addLine(boundLine(QStringLiteral("tensor"), tr("Tensor degree"), &Constraints::tensor));
  s->addLine(boundLine(QStringLiteral("stages"), tr("Pipeline degree"), &Constraints::stages));
  s->addLine(boundLine(QStringLiteral("data"), tr("Data degree"), &Constraints::data));
  s->addLine(boundLine(QStringLiteral("context"), tr("Context degree"), &Constraints::context));
  s->addLine(boundLine(QStringLiteral("expert"), tr("Expert degree"), &Constraints::expert));
  s->addLine(boundLine(QStringLiteral("devices"), tr("Devices used"), &Constraints::devices),
             QStringLiteral("device"));
}

void ScenarioPanel::buildSearch() {
  FormSection* s = section(tr("Search"));
  ChoiceSpec preset;
  preset.id = QStringLiteral("/search/preset");
  preset.label = tr("Preset");
  preset.verb = tr("Choose another search preset");
  preset.options = {tr("Runnable"), tr("Free")};
  preset.read = [](const Scenario& sc) { return static_cast<int>(sc.search.preset); };
  preset.write = [](int i, Scenario& sc) { sc.search.preset = static_cast<SearchPreset>(i); };
  s->addChoice(preset);
  ChoiceSpec objective;
  objective.id = QStringLiteral("/search/objective");
  objective.label = tr("Objective");
  objective.verb = tr("Choose another objective");
  objective.options = {tr("Pipeline"), tr("Nest")};
  objective.read = [](const Scenario& sc) { return static_cast<int>(sc.search.objective); };
  objective.write = [](int i, Scenario& sc) { sc.search.objective = static_cast<Objective>(i); };
  s->addChoice(objective);
  std::vector<CheckSpec> recompute;
  for (int r = 0; r < kRecomputeCount; ++r)
    recompute.push_back(
        {QStringLiteral("/search/recompute/%1").arg(r),
         QString::fromLatin1(nameOf(static_cast<Recompute>(r))),
         tr("Change the recompute policies on offer"),
         [r](const Scenario& sc) { return sc.search.recompute[static_cast<std::size_t>(r)]; },
         [r](bool on, Scenario& sc) { sc.search.recompute[static_cast<std::size_t>(r)] = on; },
         {}});
  s->addChecks(tr("Recompute"), recompute);
  std::vector<CheckSpec> zero;
  for (int z = 0; z <= 3; ++z)
    zero.push_back({QStringLiteral("/search/zero_stages/%1").arg(z),
                    QString::number(z),
                    tr("Change the ZeRO stages on offer"),
                    [z](const Scenario& sc) {
                      const auto& all = sc.search.zeroStages;
                      return std::find(all.begin(), all.end(), z) != all.end();
                    },
                    [z](bool on, Scenario& sc) {
                      auto& all = sc.search.zeroStages;
                      std::erase(all, z);
                      if (on) all.insert(std::lower_bound(all.begin(), all.end(), z), z);
                    },
                    {}});
  s->addChecks(tr("ZeRO"), zero);
  const auto option = [&](const char* key, const QString& text, const QString& verb,
                          bool SearchOptions::*member, const QString& tip) {
    s->addChecks({}, {{QStringLiteral("/search/") + QLatin1String(key), text, verb,
                       [member](const Scenario& sc) { return sc.search.*member; },
                       [member](bool on, Scenario& sc) { sc.search.*member = on; }, tip}});
  };
  option("sequence_parallel", tr("Offer sequence parallelism"), tr("Switch sequence parallelism"),
         &SearchOptions::sequenceParallel, glossaryTip(QStringLiteral("sequence parallelism")));
  option("expert_parallel", tr("Offer expert degrees"), tr("Switch expert degrees"),
         &SearchOptions::expertParallel, glossaryTip(QStringLiteral("expert degree")));
  option("context_parallel", tr("Offer context degrees"), tr("Switch context degrees"),
         &SearchOptions::contextParallel, glossaryTip(QStringLiteral("context degree")));
  option("strategy_per_stage", tr("Free strategy per stage"), tr("Switch strategies per stage"),
         &SearchOptions::strategyPerStage,
         tr("Each stage may have its own tensor, context and expert degrees. Takes longer."));
  option("pad_last_microbatch", tr("Pad the last microbatch"), tr("Switch padding"),
         &SearchOptions::padLastMicrobatch,
         tr("The global batch need not divide into microbatches and replicas."));
  LineSpec chunks;
  chunks.id = QStringLiteral("/search/chunks_per_stage");
  chunks.label = tr("Chunks per stage");
  chunks.verb = tr("Change the interleaving on offer");
  chunks.hint = tr("Numbers on offer, such as 1, 2, 4; 1 is no interleaving");
  chunks.read = [](const Scenario& sc) { return field::listText(sc.search.chunksPerStage); };
  chunks.write = [](const QString& text, Scenario& sc) {
    const auto v = field::readWholeList(text, 1, 64);
    if (!v) return tr("Type the numbers on offer, whole from 1 to 64, such as 1, 2");
    sc.search.chunksPerStage = *v;
    return QString();
  };
  s->addLine(chunks, QStringLiteral("interleaving"));
}

void ScenarioPanel::buildConstraints() {
  FormSection* s = section(tr("Constraints"));
  s->addChecks({}, {{QStringLiteral("/constraints/megatron_expressible"), tr("Only what Megatron-LM can say"),
                     tr("Switch the Megatron-LM restriction"),
                     [](const Scenario& sc) { return sc.constraints.megatronExpressible; },
                     [](bool on, Scenario& sc) { sc.constraints.megatronExpressible = on; },
                     tr("One strategy for all stages, devices in its default order, a layer split its layout "
                        "can name.")}});
  const auto cuts = [&](const char* key, const QString& label, const QString& verb,
                        std::vector<LayerIndex> Constraints::*member) {
    LineSpec spec;
    spec.id = QStringLiteral("/constraints/") + QLatin1String(key);
    spec.label = label;
    spec.verb = verb;
    spec.hint = tr("Numbers of layers, counted from 0, such as 9, 17; empty: none");
    spec.read = [member](const Scenario& sc) {
      std::vector<int> all;
      for (const LayerIndex l : sc.constraints.*member) all.push_back(l.value);
      return field::listText(all);
    };
    spec.write = [member](const QString& text, Scenario& sc) {
      const auto v = text.trimmed().isEmpty() ? std::optional(std::vector<int>{})
                                              : field::readWholeList(text, 0, 1'000'000);
      if (!v) return tr("Type numbers of layers, such as 9, 17, or nothing");
      std::vector<LayerIndex> all;
      for (const int l : *v) all.emplace_back(l);
      sc.constraints.*member = all;
      return QString();
    };
    s->addLine(spec, QStringLiteral("cut"))->setPlaceholderText(tr("none"));
  };
  cuts("required_cuts", tr("Stages begin at"), tr("Require cuts"), &Constraints::requiredCuts);
  cuts("forbidden_cuts", tr("No stage begins at"), tr("Forbid cuts"), &Constraints::forbiddenCuts);
  LineSpec out;
  out.id = QStringLiteral("/constraints/excluded_devices");
  out.label = tr("Excluded devices");
  out.verb = tr("Exclude devices");
  out.hint = tr("Numbers of devices that no plan may use, such as 3, 17; empty: none");
  out.read = [](const Scenario& sc) { return field::listText(sc.constraints.excludedDevices); };
  out.write = [](const QString& text, Scenario& sc) {
    const auto v = text.trimmed().isEmpty() ? std::optional(std::vector<int>{})
                                            : field::readWholeList(text, 0, 10'000'000);
    if (!v) return tr("Type numbers of devices, such as 3, 17, or nothing");
    sc.constraints.excludedDevices = *v;
    return QString();
  };
  s->addLine(out, QStringLiteral("device"))->setPlaceholderText(tr("none"));
  buildPins(s);
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
  s->addWidget(box, QStringLiteral("/constraints/layer_pins"));
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
    told->setText(layers + stages == 0 ? tr("No layer or stage is pinned; pin them in the view Cuts.")
                                       : tr("%1 layers and %2 stages are pinned.").arg(layers).arg(stages));
    drop->setVisible(layers + stages > 0);
  };
  connect(&m_document, &ScenarioDocument::changed, told, refresh);
  refresh();
}

void ScenarioPanel::buildAssumptions() {
  FormSection* s = section(tr("Assumptions"));
  s->addLine(memoryLine(
                 QStringLiteral("/assumptions/reserve_bytes"), tr("Reserve"), tr("Change the memory reserve"),
                 [](const Scenario& sc) { return sc.assumptions.reserve; },
                 [](Bytes b, Scenario& sc) { sc.assumptions.reserve = b; }, true),
             QStringLiteral("reserve"));
  for (int e = 0; e < kExchangeCount; ++e) {
    const QString kind = QString::fromLatin1(nameOf(static_cast<Exchange>(e)));
    LineSpec spec;
    spec.id = QStringLiteral("/assumptions/overlap/") + kind;
    spec.label = tr("%1 overlap").arg(QString(kind).replace(0, 1, kind.left(1).toUpper()));
    spec.verb = tr("Change the %1 overlap").arg(kind);
    spec.hint = tr("Share of the exchange that hides behind compute: 0 % to 100 %");
    spec.read = [e](const Scenario& sc) {
      return q(text::percent(sc.assumptions.overlap[static_cast<std::size_t>(e)]));
    };
    spec.write = [e](const QString& text, Scenario& sc) {
      const auto v = field::readShare(text);
      if (!v) return tr("Type a share from 0 % to 100 %");
      sc.assumptions.overlap[static_cast<std::size_t>(e)] = *v;
      return QString();
    };
    spec.step = [](const QString& text, int steps) {
      const auto v = field::readShare(text);
      return v ? q(text::percent(std::clamp(*v + 0.05 * steps, 0.0, 1.0))) : QString();
    };
    s->addLine(spec, QStringLiteral("overlap"));
  }
  s->setFolded(true);
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
