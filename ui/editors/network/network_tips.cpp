// What the canvas says about a node or link that the mouse or the keyboard stands on.
#include "editors/network/network_canvas.h"
#include "figures/phrases.h"
#include "units/text.h"

namespace nest {

QString NetworkCanvas::nameOf(int node) const {
  return phrase(m_graph.nodes[at(node)].name);
}

QString NetworkCanvas::nodeTip(int node) const {
  const NetworkNode& n = m_graph.nodes[at(node)];
  QString tip = QStringLiteral("<b>%1</b>").arg(nameOf(node).toHtmlEscaped());
  if (n.kind == NodeKind::Host)
    tip += tr("<br>host, %1")
               .arg(plural(static_cast<long long>(m_contents[at(node)].size()), QStringLiteral("device")));
  if (n.kind == NodeKind::Switch) tip += tr("<br>switch");
  if (alike(node) > 1)
    tip += tr("<br>represents %1 identical nodes; double-click to expand").arg(alike(node));
  if (n.kind == NodeKind::Device && n.speed != 1)
    tip += tr("<br>speed %1 of nominal").arg(QString::fromStdString(text::percent(n.speed)));
  if (n.kind == NodeKind::Device && n.memory.value() > 0)
    tip += tr("<br>memory %1").arg(QString::fromStdString(text::memory(n.memory)));
  QStringList stages;
  for (int s : m_stagesShown[at(node)]) stages << stageNumber(s);
  if (stages.size() == 1) tip += tr("<br>stage %1").arg(stages.front());
  if (stages.size() > 1) tip += tr("<br>stages %1").arg(stages.join(QStringLiteral(", ")));
  if (n.failed) tip += tr("<br>failed: excluded from every plan");
  if (isCutOff(node)) tip += tr("<br>cut off by a failure: excluded from every plan");
  return tip;
}

QString NetworkCanvas::linkTip(int link) const {
  const NetworkLink& l = m_graph.links[at(link)];
  QString tip = tr("<b>%1 – %2</b><br>%3 × %4 one way, %5")
                    .arg(nameOf(l.from).toHtmlEscaped(), nameOf(l.to).toHtmlEscaped())
                    .arg(l.count)
                    .arg(QString::fromStdString(text::bandwidth(l.bandwidth)),
                         QString::fromStdString(text::time(l.latency)));
  if (m_standsFor[at(link)] > 1) tip += tr("<br>represents %1 identical links").arg(m_standsFor[at(link)]);
  if (l.failed) tip += tr("<br>failed");
  if (!m_loads.empty() && m_loadOf[at(link)] >= 0) {
    const LinkLoad& carried = m_loads[at(m_loadOf[at(link)])];
    tip += tr("<br>carries %1 per step in %2")
               .arg(QString::fromStdString(text::memory(carried.forward + carried.backward)),
                    QString::fromStdString(text::time(carried.time())));
    if (m_loadOf[at(link)] == m_busiest) tip += tr("<br><b>the busiest link</b>");
  }
  return tip;
}

QString NetworkCanvas::tipOf(int node, int link) const {
  QString tip = node >= 0 ? nodeTip(node) : link >= 0 ? linkTip(link) : QString();
  for (const auto& p : m_problems)
    if ((node >= 0 && p.node == node) || (link >= 0 && p.link == link))
      tip +=
          QStringLiteral("<br><b>%1</b>").arg(QString::fromStdString(p.diagnostic.message).toHtmlEscaped());
  return tip;
}

}  // namespace nest
