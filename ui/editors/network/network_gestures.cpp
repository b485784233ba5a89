// What hands do on the canvas: mouse, wheel, keys, menu. Each ends in a selection, a view or an edit.
#include <QAccessible>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QMouseEvent>
#include <QResizeEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "editors/network/network_canvas.h"
#include "theme/plain_text.h"
#include "theme/tips.h"
#include "units/text.h"

namespace nest {
namespace {
constexpr double kGuideReach = 6;  ///< pixels within which what is moved comes into line with others
}

void NetworkCanvas::resizeEvent(QResizeEvent* e) {
  if (!m_userMoved) return fit();
  const QSize more = e->size() - m_placedFor;  // what was in the middle stays there
  m_offset += QPointF(more.width(), more.height()) / 2;
  m_placedFor = e->size();
}

void NetworkCanvas::wheelEvent(QWheelEvent* e) {
  const QPoint turned = e->angleDelta();
  if (e->modifiers() & Qt::ShiftModifier || std::abs(turned.x()) > std::abs(turned.y()))
    panBy({static_cast<double>(turned.x() != 0 ? turned.x() : turned.y()), 0});
  else
    zoomBy(std::pow(1.0015, turned.y()), e->position());
  e->accept();
}

void NetworkCanvas::mousePressEvent(QMouseEvent* e) {
  m_pressWidget = m_lastWidget = e->position();
  m_pressScene = m_currentScene = toScene(e->position());
  if (e->button() == Qt::MiddleButton ||
      (e->button() == Qt::LeftButton && e->modifiers() & Qt::AltModifier)) {
    m_gesture = Gesture::Pan;
    setCursor(Qt::ClosedHandCursor);
    return;
  }
  if (e->button() != Qt::LeftButton) return;
  if (minimapArea().contains(e->position())) {
    m_gesture = Gesture::Minimap;
    mouseMoveEvent(e);
    return;
  }
  for (const auto& [number, button] : uplinkButtons())
    if (button.contains(e->position())) {
      const graph::Problem problem = m_scene.problems()[number];  // the scene forgets it while it is settled
      Q_EMIT edited(QString::fromStdString(problem.repairVerb), {}, problem.repair);
      return;
    }
  const int node = m_scene.nodeAt(m_pressScene);
  if (m_editable && m_tool == Tool::Connect) {
    if (node >= 0) m_gesture = Gesture::Connect, m_connectFrom = node;
    return;
  }
  if (m_editable && m_tool != Tool::Select) {
    addAt(m_pressScene);  // the tool stays until Escape, as a stencil does
    return;
  }
  pick(node, node < 0 ? linkAt(m_pressScene) : -1,
       e->modifiers() & (Qt::ShiftModifier | Qt::ControlModifier));
}

void NetworkCanvas::pick(int node, int link, bool adding) {
  if (node >= 0) {
    const bool had = m_marks.nodes.contains(node);
    if (!adding && !had) m_marks.nodes.clear();
    if (!adding) m_marks.links.clear();
    for (int n : m_scene.behind(node))
      had&& adding ? (void)m_marks.nodes.remove(n) : (void)m_marks.nodes.insert(n);
    // Folded drawings place themselves: there is nothing to move.
    m_gesture = m_editable && !m_scene.isFolded() ? Gesture::Move : Gesture::None;
    if (m_gesture == Gesture::Move) beginMove();
  } else {
    if (!adding) m_marks.nodes.clear(), m_marks.links.clear();
    if (link >= 0)
      m_marks.links.insert(link);
    else
      m_gesture = Gesture::RubberBand;
  }
  refresh();
  Q_EMIT selectionChanged();
  Q_EMIT selectedByHand();
}

void NetworkCanvas::mouseMoveEvent(QMouseEvent* e) {
  const QPointF scene = toScene(e->position());
  m_currentScene = scene;
  switch (m_gesture) {
    case Gesture::Pan:
      panBy(e->position() - m_lastWidget);
      break;
    case Gesture::Minimap: {
      const QRectF area = minimapArea(), all = m_scene.bounds().adjusted(-40, -40, 40, 40);
      if (area.isEmpty()) break;
      const QPointF rel((e->position().x() - area.left()) / area.width(),
                        (e->position().y() - area.top()) / area.height());
      const QPointF at(all.left() + rel.x() * all.width(), all.top() + rel.y() * all.height());
      // By whole pixels: what is painted moves along.
      panBy((QPointF(width(), height()) / 2 - at * m_scale - m_offset).toPoint());
      break;
    }
    case Gesture::Move: {
      if ((e->position() - m_pressWidget).manhattanLength() < 4) break;
      if (m_marks.hoverNode >= 0) hover(-1, -1);  // while something moves all else is of interest
      drag(movedBy(scene));
      break;
    }
    case Gesture::None: {
      if (m_editable && m_tool != Tool::Select) update();  // the stencil follows the hand
      const int node = m_scene.nodeAt(scene), link = node < 0 ? linkAt(scene) : -1;
      if (node == m_marks.hoverNode && link == m_marks.hoverLink) return;
      hover(node, link);
      break;
    }
    case Gesture::RubberBand:
    case Gesture::Connect:
      break;
  }
  m_lastWidget = e->position();
  update();
}

void NetworkCanvas::mouseReleaseEvent(QMouseEvent* e) {
  const Gesture gesture = std::exchange(m_gesture, Gesture::None);
  const QPointF scene = toScene(e->position());
  if (gesture == Gesture::Pan) setCursor(m_tool == Tool::Select ? Qt::ArrowCursor : Qt::CrossCursor);
  if (gesture == Gesture::Move && (e->position() - m_pressWidget).manhattanLength() >= 4) finishMove(scene);
  if (gesture == Gesture::RubberBand) finishBand(scene);
  if (gesture == Gesture::Connect) finishConnect(scene);
  const int node = rect().contains(e->position().toPoint()) ? m_scene.nodeAt(scene) : -1;
  if (gesture != Gesture::None && node != m_marks.hoverNode) hover(node, -1);
  gesture == Gesture::RubberBand ? refresh() : update();
}

void NetworkCanvas::beginMove() {
  m_dragged = graph::withContents(m_scene.graph(), selectedNodes());
  m_draggedFrom.clear();
  m_draggedBox = {};
  std::vector<char> moves(m_scene.graph().nodes.size(), 0);
  for (int n : m_dragged) {
    m_draggedFrom.push_back({m_scene.node(n).x, m_scene.node(n).y});
    m_draggedBox |= m_scene.box(n);
    moves[at(n)] = 1;
  }
  // Devices come into line with devices, all else with what stands beside hosts.
  const bool inHost =
      std::all_of(m_dragged.begin(), m_dragged.end(), [&](int n) { return !m_scene.node(n).host.empty(); });
  const QRectF sight = seen();
  std::vector<QRectF> others;
  for (int n : m_scene.shown())
    if (!moves[at(n)] && m_scene.node(n).host.empty() != inHost && m_scene.box(n).intersects(sight))
      others.push_back(m_scene.box(n));
  m_others = AlignmentGuides(others);
}

QPointF NetworkCanvas::movedBy(const QPointF& scene) {
  const QPointF hand = scene - m_pressScene;
  auto snap = m_others.at(m_draggedBox.translated(hand), kGuideReach / m_scale);
  const QPointF by(snap.x ? hand.x() + snap.by.x() : snapped(hand.x()),
                   snap.y ? hand.y() + snap.by.y() : snapped(hand.y()));
  m_guides = m_others.at(m_draggedBox.translated(by), 0).lines;
  return by;
}

/// While the hand moves nodes only the picture changes; the document hears of it at the end.
void NetworkCanvas::drag(const QPointF& by) {
  std::vector<QPointF> places = m_draggedFrom;
  for (QPointF& place : places) place += by;
  m_scene.moveTo(m_dragged, places);
  refresh();
}

void NetworkCanvas::finishMove(const QPointF& scene) {
  const QPointF by = movedBy(scene);
  m_guides.clear();
  drag({0, 0});
  if (by.isNull()) return;
  m_userMoved = true;  // what was put somewhere stays under the hand
  Q_EMIT edited(tr("Move %1").arg(selectedName()), {},
                [nodes = selectedNodes(), by](NetworkGraph& g) { graph::move(g, nodes, by.x(), by.y()); });
}

void NetworkCanvas::finishBand(const QPointF& scene) {
  const QRectF band = QRectF(m_pressScene, scene).normalized();
  for (int n : m_scene.shown())
    if (band.contains(m_scene.box(n)))
      for (int one : m_scene.behind(n)) m_marks.nodes.insert(one);
  Q_EMIT selectionChanged();
  Q_EMIT selectedByHand();
}

void NetworkCanvas::finishConnect(const QPointF& scene) {
  const int from = std::exchange(m_connectFrom, -1), to = m_scene.nodeAt(scene);
  if (from < 0 || to < 0 || to == from) return;
  // What is drawn once is joined all at once, and so is what is selected together with its like.
  const NodeKind kind = m_scene.node(from).kind;
  const bool together =
      m_marks.nodes.contains(from) && (!m_marks.nodes.contains(to) || m_scene.node(to).kind != kind);
  std::vector<int> all = together ? selectedNodes() : m_scene.behind(from);
  std::erase_if(all, [&](int n) { return m_scene.node(n).kind != kind; });
  const QString what = all.size() > 1 ? selectedName() : m_scene.nameOf(from);
  const std::vector<int> with = m_scene.behind(to);
  Q_EMIT edited(tr("Connect %1 and %2").arg(what, m_scene.nameOf(to)), {},
                [all, with, b = m_newBandwidth, a = m_newLatency](NetworkGraph& g) {
                  for (int n : all)
                    for (int m : with) graph::connect(g, n, m, b, a);
                });
  // What was drawn is what one goes on with: its bandwidth, its number.
  const auto isIn = [](const std::vector<int>& nodes, int n) {
    return std::find(nodes.begin(), nodes.end(), n) != nodes.end();
  };
  std::vector<int> drawn;
  const auto& links = m_scene.graph().links;
  for (std::size_t i = 0; i < links.size(); ++i)
    if ((isIn(all, links[i].from) && isIn(with, links[i].to)) ||
        (isIn(with, links[i].from) && isIn(all, links[i].to)))
      drawn.push_back(static_cast<int>(i));
  if (drawn.empty()) return;
  select({}, std::move(drawn));
  Q_EMIT selectedByHand();
}

void NetworkCanvas::hover(int node, int link) {
  const bool other = node != m_marks.hoverNode;
  m_marks.hoverNode = node, m_marks.hoverLink = link;
  update();
  if (other) Q_EMIT hovered(node);
}

void NetworkCanvas::leaveEvent(QEvent*) {
  if (m_tool != Tool::Select) update();  // the stencil goes with the hand
  if (m_marks.hoverNode >= 0 || m_marks.hoverLink >= 0) hover(-1, -1);
}

void NetworkCanvas::mouseDoubleClickEvent(QMouseEvent* e) {
  const QPointF scene = toScene(e->position());
  const int node = m_scene.nodeAt(scene);
  m_gesture = Gesture::None;
  if (node >= 0 && m_scene.alike(node) > 1) return unfold(node);
  if (m_editable && m_tool == Tool::Select) editInPlace(node, node < 0 ? linkAt(scene) : -1);
}

void NetworkCanvas::editInPlace(int node, int link) {
  if (node < 0 && link < 0) return;
  delete m_lineEdit;
  m_lineEdit = new QLineEdit(this);
  QPointF middle;
  if (node >= 0) {
    middle = toWidget(m_scene.centre(node));
    m_lineEdit->setText(QString::fromStdString(m_scene.node(node).name));
    m_lineEdit->setAccessibleName(tr("Name"));
  } else {
    middle = toWidget(m_scene.middleOf(link));
    m_lineEdit->setText(m_scene.bandwidthText(m_scene.link(link).bandwidth));
    m_lineEdit->setAccessibleName(tr("Bandwidth of one link, one way"));
  }
  m_lineEdit->setGeometry(static_cast<int>(middle.x()) - 70, static_cast<int>(middle.y()) - 13, 140, 26);
  m_lineEdit->selectAll();
  m_lineEdit->show();
  m_lineEdit->setFocus();
  connect(m_lineEdit, &QLineEdit::editingFinished, this, [this, node, link] {
    if (!m_lineEdit) return;
    const QString typed = m_lineEdit->text().trimmed();
    m_lineEdit->deleteLater();
    m_lineEdit = nullptr;
    setFocus();
    if (node >= 0 && !typed.isEmpty()) {
      Q_EMIT edited(tr("Rename to %1").arg(typed), {},
                    [node, name = typed.toStdString()](NetworkGraph& g) { g.nodes[node].name = name; });
    } else if (link >= 0) {
      if (const auto b = text::readBandwidth(typed.toStdString()); b && b->value.value() > 0) {
        rememberUnit(*b);
        Q_EMIT edited(tr("Set a link to %1").arg(typed), {},
                      [links = m_scene.linksBehind(link), v = b->value](NetworkGraph& g) {
                        for (int l : links) g.links[l].bandwidth = v;
                      });
      }
    }
  });
}

void NetworkCanvas::walk(int dx, int dy) {
  if (m_scene.shown().empty()) return;
  const int from = m_marks.nodes.isEmpty() ? -1 : m_scene.shownAs(selectedNodes().front());
  int best = from < 0 ? m_scene.shown().front() : -1;
  double nearest = 1e300;
  for (int i : m_scene.shown()) {
    if (from < 0 || i == from) continue;
    const QPointF d = m_scene.centre(i) - m_scene.centre(from);
    const double along = d.x() * dx + d.y() * dy, across = std::abs(d.x() * dy) + std::abs(d.y() * dx);
    if (along <= 0 || along < across * 0.5) continue;
    if (const double cost = along + 2 * across; cost < nearest) nearest = cost, best = i;
  }
  if (best < 0) return;
  select({best}, {});
  Q_EMIT selectedByHand();
  if (!rect().adjusted(20, 20, -20, -20).contains(toWidget(m_scene.centre(best)).toPoint())) {
    m_offset += QPointF(width(), height()) / 2 - toWidget(m_scene.centre(best));
    m_userMoved = true;
  }
  QAccessibleValueChangeEvent told(this, selectedText());
  QAccessible::updateAccessibility(&told);
  showTip(mapToGlobal(toWidget(m_scene.box(best).bottomLeft()).toPoint()), richTip(m_scene.tipOf(best, -1)),
          this);
}

void NetworkCanvas::nudge(int dx, int dy) {
  if (!m_editable || m_scene.isFolded() || m_marks.nodes.isEmpty()) return;
  Q_EMIT edited(
      tr("Move %1").arg(selectedName()), QStringLiteral("nudge"),
      [nodes = selectedNodes(), dx, dy](NetworkGraph& g) { graph::move(g, nodes, dx * kGrid, dy * kGrid); });
}

/// With a drawing tool digits say how many the next click places.
bool NetworkCanvas::typeStamp(const QKeyEvent& e) {
  constexpr int kMostStamped = 4096;
  const bool draws = m_editable && m_tool != Tool::Select && m_tool != Tool::Connect;
  if (!draws || e.modifiers() & ~Qt::KeypadModifier) return false;
  const int digit = e.key() - Qt::Key_0;
  if (digit >= 0 && digit <= 9 && (digit > 0 || m_stamped > 0)) {
    m_stamped = std::min(kMostStamped, m_stamped * 10 + digit);
  } else if (e.key() == Qt::Key_Backspace && m_stamped > 0) {
    m_stamped /= 10;
  } else if (e.key() == Qt::Key_Escape && m_stamped > 0) {
    m_stamped = 0;
  } else {
    return false;
  }
  QAccessibleValueChangeEvent changed(this, QStringLiteral("×%1").arg(stamped()));
  QAccessible::updateAccessibility(&changed);
  update();
  return true;
}

void NetworkCanvas::rememberUnit(const text::BandwidthText& typed) {
  std::set<double> inBits = m_scene.typedInBits();
  if (typed.unit == text::BandwidthUnit::GigabitsPerSecond)
    inBits.insert(typed.value.value());
  else
    inBits.erase(typed.value.value());
  setTyped(std::move(inBits));
}

void NetworkCanvas::keyPressEvent(QKeyEvent* e) {
  const bool moving = e->modifiers() & Qt::ControlModifier;
  const auto arrow = [&](int dx, int dy) {
    constexpr double kStep = 60;
    if (e->modifiers() & Qt::ShiftModifier) return panBy({-dx * kStep, -dy * kStep});
    moving ? nudge(dx, dy) : walk(dx, dy);
  };
  if (typeStamp(*e)) return;
  switch (e->key()) {
    case Qt::Key_Left:
      return arrow(-1, 0);
    case Qt::Key_Right:
      return arrow(1, 0);
    case Qt::Key_Up:
      return arrow(0, -1);
    case Qt::Key_Down:
      return arrow(0, 1);
    case Qt::Key_Delete:
    case Qt::Key_Backspace:
      return removeSelected();
    case Qt::Key_Escape:
      QToolTip::hideText();
      if (m_tool != Tool::Select) return setTool(Tool::Select);  // what was drawn stays selected
      return select({}, {});
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoomBy(1.25, QPointF(width(), height()) / 2);
    case Qt::Key_Minus:
      return zoomBy(0.8, QPointF(width(), height()) / 2);
    case Qt::Key_0:
      return fit();
    case Qt::Key_Space:
      if (const int n = m_marks.nodes.isEmpty() ? -1 : m_scene.shownAs(selectedNodes().front()); n >= 0)
        m_scene.alike(n) > 1 ? unfold(n) : foldAgain(n);
      return;
    case Qt::Key_F2:
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (m_editable)
        editInPlace(m_marks.nodes.isEmpty() ? -1 : m_scene.shownAs(selectedNodes().front()),
                    m_marks.links.isEmpty() ? -1 : *m_marks.links.begin());
      return;
    default:
      break;
  }
  if (e->matches(QKeySequence::Copy)) return copySelected();
  if (e->matches(QKeySequence::Paste)) return paste();
  if (e->matches(QKeySequence::Cut)) return copySelected(), removeSelected();
  if (e->matches(QKeySequence::SelectAll)) {
    std::vector<int> all(m_scene.graph().nodes.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    return select(all, {});
  }
  if (e->key() == Qt::Key_D && moving) return duplicateSelected(1);
  QWidget::keyPressEvent(e);
}

bool NetworkCanvas::event(QEvent* e) {
  if (e->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(e);
    const QPointF scene = toScene(help->pos());
    const int node = m_scene.nodeAt(scene);
    const QString tip = m_scene.tipOf(node, node < 0 ? linkAt(scene) : -1);
    tip.isEmpty() ? QToolTip::hideText() : showTip(help->globalPos(), richTip(tip), this);
    return true;
  }
  return QWidget::event(e);
}

}  // namespace nest
