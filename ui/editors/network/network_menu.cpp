// The context menu of the canvas: what works for what is pointed at and selected.
#include <QContextMenuEvent>
#include <QMenu>

#include "editors/network/network_canvas.h"

namespace nest {

void NetworkCanvas::contextMenuEvent(QContextMenuEvent* e) {
  const bool pointed = e->reason() == QContextMenuEvent::Mouse;
  const QPointF scene = toScene(e->pos());
  // By key it is about what is selected.
  const int chosen = m_marks.nodes.isEmpty() ? -1 : m_scene.shownAs(selectedNodes().front());
  const int node = pointed ? m_scene.nodeAt(scene) : chosen;
  const int link = node >= 0                 ? -1
                   : pointed                 ? linkAt(scene)
                   : m_marks.links.isEmpty() ? -1
                                             : *m_marks.links.begin();
  if (pointed && node >= 0 && !m_marks.nodes.contains(node)) select({node}, {}), Q_EMIT selectedByHand();
  if (pointed && link >= 0 && !m_marks.links.contains(link)) select({}, {link});
  QMenu menu(this);
  if (m_editable) addRepairs(menu, node, link);
  if (m_editable && (!m_marks.nodes.isEmpty() || !m_marks.links.isEmpty())) addEdits(menu);
  if (node >= 0 && m_scene.alike(node) > 1)
    menu.addAction(tr("Expand all %1").arg(m_scene.alike(node)), this, [this, node] { unfold(node); });
  else if (node >= 0 && m_scene.siblingOf(node) >= 0 && m_scene.folding() != Folding::Nothing &&
           m_scene.unfolded().contains(m_scene.node(m_scene.siblingOf(node)).id))
    menu.addAction(tr("Collapse identical nodes"), this, [this, node] { foldAgain(node); });
  if (m_editable) {
    menu.addAction(tr("Paste"), QKeySequence::Paste, this, &NetworkCanvas::paste);
    menu.addAction(tr("Lay out"), this, &NetworkCanvas::layOut);
  }
  menu.addSeparator();
  menu.addAction(tr("Fit all"), QKeySequence(Qt::Key_0), this, &NetworkCanvas::fit);
  menu.addAction(tr("Fit selection"), this, &NetworkCanvas::fitSelection)
      ->setEnabled(!m_marks.nodes.isEmpty());
  Q_EMIT menuMade(&menu);
  const bool beside = !pointed && node >= 0;
  menu.exec(beside ? mapToGlobal(toWidget(m_scene.box(node).center()).toPoint()) : e->globalPos());
}

void NetworkCanvas::addRepairs(QMenu& menu, int node, int link) {
  bool any = false;
  for (const auto& p : m_scene.problems())
    if (p.repair && ((node >= 0 && p.node == node) || (link >= 0 && p.link == link))) {
      menu.addAction(QString::fromStdString(p.repairVerb), this,
                     [this, verb = p.repairVerb, repair = p.repair] {
                       Q_EMIT edited(QString::fromStdString(verb), {}, repair);
                     });
      any = true;
    }
  if (any) menu.addSeparator();
}

void NetworkCanvas::addEdits(QMenu& menu) {
  const QString what = selectedName();
  if (!m_marks.nodes.isEmpty()) {
    menu.addAction(tr("Duplicate"), QKeySequence(Qt::CTRL | Qt::Key_D), this,
                   [this] { duplicateSelected(1); });
    for (int n : {3, 7, 15, 31})
      menu.addAction(tr("Make ×%1").arg(n + 1), this, [this, n] { duplicateSelected(n); });
    menu.addAction(tr("Copy"), QKeySequence::Copy, this, &NetworkCanvas::copySelected);
    menu.addSeparator();
    bool devices = false;
    for (int n : std::as_const(m_marks.nodes)) devices = devices || m_scene.node(n).kind == NodeKind::Device;
    if (devices) menu.addAction(tr("Group into a host"), this, &NetworkCanvas::groupSelected);
  }
  menu.addAction(isSelectionFailed() ? tr("Restore %1").arg(what) : tr("Fail %1").arg(what), this,
                 &NetworkCanvas::toggleFailed);
  menu.addAction(tr("Delete %1").arg(what), QKeySequence::Delete, this, &NetworkCanvas::removeSelected);
  menu.addSeparator();
}

}  // namespace nest
