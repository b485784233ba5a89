#include "views/loss_strip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <algorithm>
#include <set>

#include "accessible/screen_reader.h"
#include "document/scenario_document.h"
#include "figures/phrases.h"
#include "words/outcome_words.h"

namespace nest {
namespace {
constexpr int kMostNamed = 30;
}

QStringList failedParts(const Scenario& s) {
  QStringList out;
  for (const int device : s.constraints.excludedDevices) out << LossStrip::tr("Device %1").arg(device);
  const auto* drawn = std::get_if<GraphSource>(&s.cluster.network);
  if (!drawn) return out;
  const NetworkGraph& g = drawn->graph;
  std::set<std::string> hosts;
  for (const auto& n : g.nodes)
    if (n.failed && n.kind == NodeKind::Host) hosts.insert(n.id), hosts.insert(n.name);
  for (const auto& n : g.nodes)
    if (n.failed && (n.host.empty() || !hosts.contains(n.host))) out << phrase(n.name);
  for (const auto& l : g.links)
    if (l.failed)
      out << LossStrip::tr("Link %1 – %2")
                 .arg(phrase(g.nodes[static_cast<std::size_t>(l.from)].name),
                      phrase(g.nodes[static_cast<std::size_t>(l.to)].name));
  return out;
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
  document.edit({}, LossStrip::tr("Fail %1").arg(what), [inputs](Scenario& s) {
    auto& all = s.constraints.excludedDevices;
    all.insert(all.end(), inputs.begin(), inputs.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  });
}

LossStrip::LossStrip(ScenarioDocument* document, QWidget* parent) : QWidget(parent), m_document(document) {
  m_label = new QLabel;
  m_label->setWordWrap(true);
  m_label->setAccessibleName(tr("What the failures cost"));
  auto* restore = new QPushButton(tr("Restore all"));
  restore->setToolTip(tr("Everything that failed works again (one undo step)"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(10, 4, 10, 4);
  row->addWidget(m_label, 1);
  row->addWidget(restore);
  setVisible(false);
  connect(restore, &QPushButton::clicked, this, [this] {
    if (m_document)
      m_document->edit({}, tr("Restore all that failed"), [](Scenario& s) { s = withoutFailures(s); });
  });
}

QString LossStrip::text() const {
  return m_label->text();
}

void LossStrip::setContext(const PlanContextPtr& c) {
  const QStringList failed = c->scenario ? failedParts(*c->scenario) : QStringList();
  if (c->scenario && failed.isEmpty() && c->current) m_whole = c;
  setNamedText(*m_label, failed.isEmpty() ? QString() : sentence(*c, failed));
  m_label->setToolTip(failed.size() > 1 ? failed.mid(0, kMostNamed).join(QStringLiteral("\n")) : QString());
  setVisible(!failed.isEmpty());
}

QString LossStrip::sentence(const PlanContext& c, const QStringList& failed) const {
  const QString what = failed.size() == 1 ? failed.front() : plural(failed.size(), tr("part"));
  QString out = tr("<b>%1 failed.</b> ").arg(what.toHtmlEscaped());
  if (!c.current) return out + tr("Planning anew …");
  if (!m_whole || !m_whole->plan || !(*m_whole->scenario == withoutFailures(*c.scenario)))
    return out +
           (c.plan ? tr("The plan on the rest takes %1 a batch.").arg(timeText(c.plan->evaluation.batchTime))
                   : QString());
  const Seconds before = m_whole->plan->evaluation.batchTime;
  if (!c.problem)
    return out +
           tr("The rest cannot be planned as it stands: see its problems. With everything whole a batch "
              "took %1.")
               .arg(timeText(before));
  if (!c.plan)
    return out + tr("On the rest: %1. Without failures a step takes %2.")
                     .arg(c.outcome ? QString::fromUtf8(words::of(c.outcome->status)) : tr("not solved yet"),
                          timeText(before));
  const Seconds after = c.plan->evaluation.batchTime;
  const int lost = m_whole->problem->cluster->deviceCount() - c.problem->cluster->deviceCount();
  const int idle = c.problem->cluster->deviceCount() - c.plan->plan.devicesUsed();
  out += tr("Planned anew: %1 → %2 a batch (%3)")
             .arg(timeText(before), timeText(after), phrase(text::signedPercent(after / before - 1)));
  if (lost > 0) out += tr(", %1 lost").arg(plural(lost, tr("device")));
  if (idle > 0) out += tr(", %1 left idle").arg(countText(idle));
  if (!(c.plan->plan == m_whole->plan->plan))
    out += tr(" · %1 → %2").arg(phrase(summaryOf(m_whole->plan->plan)), phrase(summaryOf(c.plan->plan)));
  return out;
}

}  // namespace nest
