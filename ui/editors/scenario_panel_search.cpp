// The sections of the panel that say what is searched: degrees, options, constraints, assumptions.
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <algorithm>
#include <cmath>

#include "editors/field_text.h"
#include "editors/form_section.h"
#include "editors/glossary.h"
#include "editors/line_specs.h"
#include "editors/scenario_panel.h"
#include "units/text.h"

namespace nest {
namespace {

QString q(const std::string& s) {
  return QString::fromStdString(s);
}

}  // namespace

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
    spec.hint = tr("Numbers of layers, counted from 1, such as 9, 17; empty: none");
    spec.read = [member](const Scenario& sc) {
      std::vector<int> all;
      for (const LayerIndex l : sc.constraints.*member) all.push_back(l.value + 1);
      return field::listText(all);
    };
    spec.write = [member](const QString& text, Scenario& sc) {
      const auto v = text.trimmed().isEmpty() ? std::optional(std::vector<int>{})
                                              : field::readWholeList(text, 1, 1'000'000);
      if (!v) return tr("Type numbers of layers, such as 9, 17, or nothing");
      std::vector<LayerIndex> all;
      for (const int l : *v) all.emplace_back(l - 1);
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

namespace {

/// A share of the assumptions, typed and stepped by 5 %.
LineSpec shareLine(QString id, QString label, QString verb, QString hint, double least,
                   double Assumptions::*figure) {
  LineSpec spec;
  spec.id = std::move(id), spec.label = std::move(label), spec.verb = std::move(verb);
  spec.hint = std::move(hint);
  spec.read = [figure](const Scenario& sc) { return q(text::percent(sc.assumptions.*figure)); };
  spec.write = [figure, least](const QString& text, Scenario& sc) {
    const auto v = field::readShare(text);
    if (!v || *v < least)
      return ScenarioPanel::tr("Type a share from %1 to 100 %").arg(q(text::percent(least)));
    sc.assumptions.*figure = *v;
    return QString();
  };
  spec.step = [least](const QString& text, int steps) {
    const auto v = field::readShare(text);
    return v ? q(text::percent(std::clamp(*v + 0.05 * steps, least, 1.0))) : QString();
  };
  return spec;
}

}  // namespace

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
  s->addLine(
      shareLine(QStringLiteral("/assumptions/overlap/sync"), tr("Sync overlap"),
                tr("Change the sync overlap"),
                tr("Share that hides of the exchange at the end of a batch, behind the stage's own last "
                   "backward and next forward pass: 0 % to 100 %"),
                0, &Assumptions::syncOverlap),
      QStringLiteral("overlap"));
  s->addLine(
      shareLine(QStringLiteral("/assumptions/link_efficiency"), tr("Link efficiency"),
                tr("Change the link efficiency"),
                tr("Share of every level's bandwidth that exchanges sustain: 100 % if the bandwidths were "
                   "measured; data sheets promise more than is reached"),
                0.01, &Assumptions::linkEfficiency),
      QStringLiteral("link efficiency"));
  s->setFolded(true);
}

}  // namespace nest
