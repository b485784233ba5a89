#include "views/failure_strip.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <algorithm>
#include <unordered_map>

#include "accessible/screen_reader.h"
#include "document/scenario_document.h"
#include "figures/paint/phrases.h"
#include "figures/topology/topology_key.h"
#include "measures/pace.h"
#include "units/amount.h"
#include "units/at.h"
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
  m_difference = new QPushButton(tr("Show difference"));
  m_difference->setToolTip(tr("Where the time goes without and with these failures"));
  row->addWidget(m_difference);
  row->addWidget(restore);
  setVisible(false);
  connect(m_difference, &QPushButton::clicked, this, [this] { Q_EMIT differenceRequested(m_whole); });
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
  m_difference->setVisible(isComparable(*c));
  setVisible(!lost.empty());
}

bool FailureStrip::isComparable(const PlanContext& c) const {
  return c.current && c.plan && c.problem && m_whole && m_whole->plan &&
         m_whole->scenario->setting() == withoutFailures(*c.scenario).setting();
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
  const Pace was = paceOf(*m_whole->problem, *m_whole->plan), is = paceOf(*c.problem, *c.plan);
  out += tr("Re-planned: %1 → %2 per step (%3), %4 → %5")
             .arg(timeText(before), timeText(after), phrase(text::signedPercent(after / before - 1)),
                  phrase(text::amount(was.tokensPerSecond())), phrase(tokensRate(is.tokensPerSecond())));
  if (fewer > 0) out += tr(", %1 lost").arg(plural(fewer, tr("device")));
  if (idle > 0) out += tr(", %1 left idle").arg(countText(idle));
  if (!(c.plan->plan == m_whole->plan->plan))
    out += tr(" · %1 → %2").arg(phrase(summaryOf(m_whole->plan->plan)), phrase(summaryOf(c.plan->plan)));
  return out;
}

namespace {

constexpr std::size_t kMostListedHosts = 40;  ///< hosts of a menu

QString hostText(const char* text) {
  return QCoreApplication::translate("HostStates", text);
}

QString hostStateName(HostState s) {
  QString name = phrase(std::string(nameOf(s)));
  name[0] = name[0].toUpper();
  return name;
}

QString hostsTogether(const std::vector<std::string>& hosts) {
  return hosts.size() == 1 ? phrase(hosts.front())
                           : plural(static_cast<long long>(hosts.size()), QStringLiteral("host"));
}

void setHostStates(ScenarioDocument& document, const std::vector<std::string>& hosts, HostState state,
                   const std::string& word, const QString& verb) {
  document.edit({}, verb, [hosts, state, word](Scenario& s) { setHostState(s.cluster, hosts, state, word); });
}

}  // namespace

void addHostStates(QMenu& menu, ScenarioDocument& document, const std::vector<std::string>& hosts) {
  if (hosts.empty()) return;
  const QString who = hostsTogether(hosts);
  QMenu* states = menu.addMenu(hostText("Set state of %1").arg(who));
  states->setObjectName(QStringLiteral("host-states"));
  const StateOfHost* now = stateOf(document.scenario().cluster, hosts.front());
  const bool areEqual = std::all_of(hosts.begin(), hosts.end(), [&](const std::string& h) {
    const StateOfHost* s = stateOf(document.scenario().cluster, h);
    return (s ? s->state : HostState::Free) == (now ? now->state : HostState::Free) &&
           (!s || s->devices.empty());
  });
  for (int s = 0; s < kHostStateCount; ++s) {
    const auto state = static_cast<HostState>(s);
    QAction* action = states->addAction(hostStateName(state), [&document, hosts, state, who] {
      setHostStates(document, hosts, state, {},
                    hostText("Set %1 to %2").arg(who, phrase(std::string(nameOf(state)))));
    });
    action->setCheckable(true);
    action->setChecked(areEqual && (now ? now->state : HostState::Free) == state);
  }
  const bool anyTaken = std::any_of(hosts.begin(), hosts.end(), [&](const std::string& h) {
    const StateOfHost* s = stateOf(document.scenario().cluster, h);
    return s && s->state != HostState::Free;
  });
  const QString question =
      anyTaken ? hostText("What if %1 were free").arg(who) : hostText("What if %1 were taken").arg(who);
  menu.addAction(question, [&document, hosts, anyTaken, question] {
    setHostStates(document, hosts, anyTaken ? HostState::Free : HostState::Busy, anyTaken ? "" : "what if",
                  question);
  });
}

void addUnplannedHosts(QMenu& menu, ScenarioDocument& document) {
  const auto groups = unplannedGroups(document.scenario().cluster);
  if (groups.empty()) return;
  QMenu* all = menu.addMenu(hostText("Hosts not planned on"));
  all->setObjectName(QStringLiteral("unplanned-hosts"));
  for (const UnplannedGroup& g : groups) {
    const QString state = phrase(std::string(nameOf(g.state)));
    const QString whole = hostText("What if all %1 %2 hosts were free")
                              .arg(countText(static_cast<long long>(g.hosts.size())), state);
    if (g.hosts.size() > 1)
      all->addAction(whole, [&document, hosts = g.hosts, whole] {
        setHostStates(document, hosts, HostState::Free, {}, whole);
      });
    for (std::size_t i = 0; i < std::min(g.hosts.size(), kMostListedHosts); ++i) {
      const QString one = hostText("What if %1 (%2) were free").arg(phrase(g.hosts[i]), state);
      all->addAction(one, [&document, host = g.hosts[i], one] {
        setHostStates(document, {host}, HostState::Free, {}, one);
      });
    }
    all->addSeparator();
  }
}

std::vector<std::string> hostsOfNodes(const NetworkGraph& g, const std::vector<int>& nodes) {
  std::unordered_map<std::string, const NetworkNode*> hosts;
  for (const NetworkNode& n : g.nodes)
    if (n.kind == NodeKind::Host) hosts.emplace(n.id, &n);
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  };
  for (const int i : nodes) {
    const NetworkNode& n = g.nodes[at(i)];
    if (n.kind == NodeKind::Host) add(n.name.empty() ? n.id : n.name);
    if (n.kind != NodeKind::Device) continue;
    const auto host = hosts.find(n.host);
    add(host == hosts.end() ? n.host : host->second->name.empty() ? host->second->id : host->second->name);
  }
  return out;
}

}  // namespace nest
