#include "views/failure_strip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <algorithm>

#include "accessible/screen_reader.h"
#include "document/scenario_document.h"
#include "figures/paint/phrases.h"
#include "words/outcome_words.h"

namespace nest {
namespace {
constexpr int kMostNamed = 30;
}

LostParts lostPartsOf(const Scenario& s) {
  return failedParts(s.cluster, s.constraints.excludedDevices);
}

Scenario withoutFailures(Scenario s) {
  s.constraints.excludedDevices.clear();
  if (auto* drawn = std::get_if<GraphSource>(&s.cluster.network)) {
    for (auto& node : drawn->graph.nodes) node.failed = false;
    for (auto& link : drawn->graph.links) link.failed = false;
  }
  return s;
}

void failDevices(ScenarioDocument& document, const std::vector<int>& inputs, const QString& what) {
  document.edit({}, FailureStrip::tr("Fail %1").arg(what), [inputs](Scenario& s) {
    if (auto* drawn = std::get_if<GraphSource>(&s.cluster.network)) {
      drawn->graph = drawnWithout(s.cluster, inputs);
      return;
    }
    auto& all = s.constraints.excludedDevices;
    all.insert(all.end(), inputs.begin(), inputs.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  });
}

FailureStrip::FailureStrip(ScenarioDocument* document, QWidget* parent)
    : QWidget(parent), m_document(document) {
  m_label = new QLabel;
  m_label->setTextFormat(Qt::RichText);
  m_label->setWordWrap(true);
  m_label->setAccessibleName(tr("Cost of failures"));
  auto* restore = new QPushButton(tr("Restore all"));
  restore->setToolTip(tr("Clear all failures (one undo step)"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(10, 4, 10, 4);
  row->addWidget(m_label, 1);
  row->addWidget(restore);
  setVisible(false);
  connect(restore, &QPushButton::clicked, this, [this] {
    if (m_document)
      m_document->edit({}, tr("Restore all failed parts"), [](Scenario& s) { s = withoutFailures(s); });
  });
}

QString FailureStrip::text() const {
  return m_label->text();
}

void FailureStrip::setContext(const PlanContextPtr& c) {
  const LostParts lost = c->scenario ? lostPartsOf(*c->scenario) : LostParts();
  if (c->scenario && lost.empty() && c->current) m_whole = c;
  setNamedText(*m_label, lost.empty() ? QString() : sentence(*c, lost));
  setRichTip(*m_label, plainTip(phrase(inWords(lost, kMostNamed))));
  setVisible(!lost.empty());
}

QString FailureStrip::sentence(const PlanContext& c, const LostParts& lost) const {
  QString out = QStringLiteral("<b>%1.</b> ").arg(phrase(inWords(lost)).toHtmlEscaped());
  if (!c.current) return out + tr("Re-planning …");
  if (!m_whole || !m_whole->plan || m_whole->scenario->setting() != withoutFailures(*c.scenario).setting())
    return out + (c.plan ? tr("The plan on the remaining cluster takes %1 per step.")
                               .arg(timeText(c.plan->evaluation.batchTime))
                         : QString());
  const Seconds before = m_whole->plan->evaluation.batchTime;
  if (!c.problem)
    return out + tr("The remaining cluster cannot be planned; see Issues. Without failures: %1 per step.")
                     .arg(timeText(before));
  if (!c.plan)
    return out + tr("On the remaining cluster: %1. Without failures: %2 per step.")
                     .arg(c.isSearching() ? tr("searching …")
                          : c.outcome     ? QString::fromUtf8(words::of(*c.outcome))
                                          : tr("not solved yet"),
                          timeText(before));
  const Seconds after = c.plan->evaluation.batchTime;
  const int fewer = m_whole->problem->cluster->deviceCount() - c.problem->cluster->deviceCount();
  const int idle = c.problem->cluster->deviceCount() - c.plan->plan.devicesUsed();
  out += tr("Re-planned: %1 → %2 per step (%3)")
             .arg(timeText(before), timeText(after), phrase(text::signedPercent(after / before - 1)));
  if (fewer > 0) out += tr(", %1 lost").arg(plural(fewer, tr("device")));
  if (idle > 0) out += tr(", %1 left idle").arg(countText(idle));
  if (!(c.plan->plan == m_whole->plan->plan))
    out += tr(" · %1 → %2").arg(phrase(summaryOf(m_whole->plan->plan)), phrase(summaryOf(c.plan->plan)));
  return out;
}

}  // namespace nest
