// What is said about a node or link that the mouse or the keyboard stands on.
#include "figures/paint/phrases.h"
#include "figures/topology/network_scene.h"
#include "units/text.h"

namespace nest {

QString NetworkScene::nodeTip(int node) const {
  const NetworkNode& n = m_graph.nodes[at(node)];
  Tip tip(nameOf(node));
  if (n.kind == NodeKind::Host)
    tip.note(tr("Host, %1")
                 .arg(plural(static_cast<long long>(m_contents[at(node)].size()), QStringLiteral("device"))));
  if (n.kind == NodeKind::Switch) tip.note(tr("Switch"));
  const bool isOne = behind(node).size() == 1;
  if (const auto& placed = placedOn(node)) {
    if (isOne && plan())
      addRankRows(tip, m_seats[at(node)], *m_plan);
    else
      tip.row(tr("Stage"), stageNumber(placed->stage));
  }
  if (n.kind == NodeKind::Device) addDeviceRows(tip, n.memory, n.speed);
  if (alike(node) > 1)
    tip.note(tr("Represents %1 identical nodes; double-click to expand.").arg(alike(node)));
  else if (!isOne)
    tip.note(tr("Represents %1 devices of this stage.")
                 .arg(countText(static_cast<long long>(behind(node).size()))));
  if (unplanned(node)) tip.note(stateSentence(node) + u'.');
  if (n.failed) tip.note(tr("Failed: excluded from every plan."));
  if (isCutOff(node)) tip.note(tr("Cut off by a failure: excluded from every plan."));
  return tip.html();
}

/// "Busy (alloc): plans leave it out".
QString NetworkScene::stateSentence(int node) const {
  const StateOfHost& s = *unplanned(node);
  QString state = phrase(std::string(nest::nameOf(s.state)));
  state[0] = state[0].toUpper();
  if (!s.word.empty() && s.word != nest::nameOf(s.state))
    state += QStringLiteral(" (%1)").arg(phrase(s.word));
  return tr("%1: plans leave it out").arg(state);
}

QString NetworkScene::bandwidthText(BytesPerSecond b) const {
  return phrase(text::bandwidth(b, m_inBits.contains(b.value()) ? text::BandwidthUnit::GigabitsPerSecond
                                                                : text::BandwidthUnit::GigabytesPerSecond));
}

QString NetworkScene::figuresOf(int link) const {
  const NetworkLink& l = m_graph.links[at(link)];
  return (l.count > 1 ? countText(l.count) + QStringLiteral(" × ") : QString()) + bandwidthText(l.bandwidth);
}

QString NetworkScene::linkTip(int link) const {
  const NetworkLink& l = m_graph.links[at(link)];
  QString tip =
      tr("<b>%1 – %2</b><br>%3 × %4 one way, %5")
          .arg(nameOf(l.from).toHtmlEscaped(), nameOf(l.to).toHtmlEscaped(), QString::number(l.count),
               bandwidthText(l.bandwidth), QString::fromStdString(text::time(l.latency)));
  if (m_standsFor[at(link)] > 1) tip += tr("<br>represents %1 identical links").arg(m_standsFor[at(link)]);
  if (l.failed) tip += tr("<br>failed");
  if (const LinkLoad* carried = loadOf(link)) {
    const auto way = [&](int from, int to, Bytes bytes, Seconds time) {
      if (bytes.value() > 0)
        tip += tr("<br>%1 → %2: %3 per step, busy %4")
                   .arg(nameOf(from).toHtmlEscaped(), nameOf(to).toHtmlEscaped(), memoryText(bytes),
                        timeText(time));
    };
    way(carried->a, carried->b, carried->forward, carried->forwardTime());
    way(carried->b, carried->a, carried->backward, carried->backwardTime());
    if (isBusiest(link)) tip += tr("<br><b>the busiest link</b>");
  }
  return tip;
}

QString NetworkScene::sentenceOf(int node) const {
  const NetworkNode& n = m_graph.nodes[at(node)];
  const QString name = nameOf(node);
  if (n.failed) return tr("%1: failed").arg(name);
  if (unplanned(node)) return tr("%1: %2").arg(name, stateSentence(node));
  if (isCutOff(node)) return tr("%1: cut off by a failure").arg(name);
  if (n.kind == NodeKind::Switch) return tr("%1: switch").arg(name);
  if (n.kind == NodeKind::Host)
    return tr("%1: host, %2")
        .arg(name, plural(static_cast<long long>(m_contents[at(node)].size()), QStringLiteral("device")));
  if (!plan() || at(node) >= m_seats.size()) return name;
  const auto count = static_cast<long long>(behind(node).size());
  if (count > 1 && placedOn(node))
    return tr("%1: stage %2, represents %3 devices of this stage")
        .arg(name, stageNumber(placedOn(node)->stage), countText(count));
  return name + QStringLiteral(": ") + rankText(m_seats[at(node)]);
}

QString NetworkScene::tipOf(int node, int link) const {
  QString tip = node >= 0 ? nodeTip(node) : link >= 0 ? linkTip(link) : QString();
  for (const auto& p : m_problems)
    if ((node >= 0 && p.node == node) || (link >= 0 && p.link == link))
      tip +=
          QStringLiteral("<br><b>%1</b>").arg(QString::fromStdString(p.diagnostic.message).toHtmlEscaped());
  return tip;
}

}  // namespace nest
