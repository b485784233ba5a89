#include "editors/network/dendrogram_pane.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "accessible/screen_reader.h"
#include "figures/paint/phrases.h"

namespace nest {
namespace {
constexpr int kMostBranches = 400;  ///< beyond it, groups are drawn as one triangle with their device count
}

DendrogramPane::DendrogramPane(QWidget* parent) : QWidget(parent), m_theme(&Theme::of(Theme::Kind::Light)) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(200, 160);
  makeGraphic(*this);
  setAccessibleName(tr("Levels of the network"));
  setAccessibleDescription(tr("Up and down move the cut between two levels, Tab chooses the cut"));
}

void DendrogramPane::setTheme(const Theme& theme) {
  m_theme = &theme;
  update();
}

void DendrogramPane::setAbstraction(std::optional<LevelAbstraction> levels, const QString& message) {
  m_levels = std::move(levels);
  m_message = message;
  m_cuts = m_levels ? m_levels->cuts : std::vector<double>{};
  m_focused = std::clamp(m_focused, 0, std::max(0, static_cast<int>(m_cuts.size()) - 1));
  lay();
  update();
}

void DendrogramPane::lay() {
  m_branches.clear();
  if (!m_levels) return;
  const auto& nodes = m_levels->dendrogram.nodes;
  m_low = 1e300, m_high = 0;
  for (const auto& n : nodes)
    if (n.device < 0 && n.bandwidth > 0)
      m_low = std::min(m_low, n.bandwidth), m_high = std::max(m_high, n.bandwidth);
  for (double c : m_cuts) m_low = std::min(m_low, c), m_high = std::max(m_high, c);
  if (m_high <= 0) return;
  m_low /= 1.6, m_high *= 1.6;

  // Breadth first until there are as many branches as can be told apart; what is below folds.
  const double total = nodes[m_levels->dendrogram.root()].devices;
  std::vector<std::pair<int, double>> open = {{m_levels->dendrogram.root(), 0.0}}, next;
  while (!open.empty()) {
    std::size_t children = 0;
    for (const auto& [n, left] : open) children += nodes[n].children.size();
    const bool fold = m_branches.size() + children > kMostBranches;
    next.clear();
    for (const auto& [n, left] : open) {
      const auto& node = nodes[n];
      if (node.device >= 0) continue;
      m_branches.push_back({left, left + node.devices / total, node.bandwidth, n, node.devices, fold});
      double x = left;
      for (int c : node.children) {
        if (!fold) next.emplace_back(c, x);
        x += nodes[c].devices / total;
      }
    }
    open.swap(next);
  }
}

QRectF DendrogramPane::plot() const {
  return QRectF(rect()).adjusted(70, 26, -12, -56);
}

double DendrogramPane::yOf(double bandwidth) const {
  // Fast at the bottom, where the devices are.
  const double t = std::log(bandwidth / m_low) / std::log(m_high / m_low);
  return plot().top() + plot().height() * t;
}

double DendrogramPane::bandwidthAt(double y) const {
  const double t = std::clamp((y - plot().top()) / plot().height(), 0.0, 1.0);
  return m_low * std::pow(m_high / m_low, t);
}

int DendrogramPane::cutAt(double y) const {
  for (std::size_t i = 0; i < m_cuts.size(); ++i)
    if (std::abs(yOf(m_cuts[i]) - y) < 6) return static_cast<int>(i);
  return -1;
}

void DendrogramPane::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.fillRect(rect(), m_theme->color(Theme::Role::Canvas));
  p.setRenderHint(QPainter::Antialiasing);
  p.setPen(m_theme->color(Theme::Role::Text));
  p.setFont(Theme::font(12, true));
  p.drawText(QRectF(12, 4, width() - 24, 20), Qt::AlignLeft | Qt::AlignVCenter,
             tr("Levels: bandwidth of a device when all send"));
  p.setFont(Theme::font(12));
  if (!m_levels || m_branches.empty()) {
    p.setPen(m_theme->color(Theme::Role::MutedText));
    p.drawText(QRectF(rect()).adjusted(16, 30, -16, -16), Qt::AlignCenter | Qt::TextWordWrap,
               m_message.isEmpty() ? tr("No levels yet") : m_message);
    return;
  }
  const QRectF area = plot();
  const auto x = [&](double t) { return area.left() + t * area.width(); };
  const auto& nodes = m_levels->dendrogram.nodes;

  // Bandwidth axis: one tick for each level, where the levels are.
  p.setFont(Theme::font(11));
  std::vector<double> ticks;
  for (const auto& level : m_levels->input.levels) ticks.push_back(level.bandwidth.value());
  double lastY = -100;
  for (auto it = ticks.rbegin(); it != ticks.rend(); ++it) {
    const double y = yOf(*it);
    p.setPen(m_theme->color(Theme::Role::Grid));
    p.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    if (std::abs(y - lastY) < 14) continue;
    p.setPen(m_theme->color(Theme::Role::MutedText));
    p.drawText(QRectF(0, y - 8, 64, 16), Qt::AlignRight | Qt::AlignVCenter,
               QString::fromStdString(text::bandwidth(BytesPerSecond(*it))));
    lastY = y;
  }

  for (const Branch& b : m_branches) {
    const auto& node = nodes[b.node];
    const double y = yOf(b.y);
    const QColor colour =
        node.level >= 0 ? m_theme->stage(node.level) : m_theme->color(Theme::Role::MutedText);
    p.setPen(QPen(colour, 2));
    double left = b.left, first = -1, last = -1;
    const double total = nodes[m_levels->dendrogram.root()].devices;
    if (b.folded) {
      const double middle = x((b.left + b.right) / 2);
      p.setBrush(colour);
      p.drawPolygon(QPolygonF(
          {QPointF(middle, y), QPointF(x(b.left), area.bottom()), QPointF(x(b.right), area.bottom())}));
      continue;
    }
    for (int c : node.children) {
      const auto& child = nodes[c];
      const double middle = x(left + child.devices / total / 2);
      left += child.devices / total;
      if (first < 0) first = middle;
      last = middle;
      const double below = child.device >= 0 ? area.bottom() : yOf(child.bandwidth);
      p.drawLine(QPointF(middle, y), QPointF(middle, below));
    }
    p.drawLine(QPointF(first, y), QPointF(last, y));
  }

  for (std::size_t i = 0; i < m_cuts.size(); ++i) {
    const double y = yOf(m_cuts[i]);
    const bool active = static_cast<int>(i) == m_dragged || (hasFocus() && static_cast<int>(i) == m_focused);
    p.setPen(QPen(m_theme->color(Theme::Role::Accent), active ? 2.5 : 1.5, Qt::DashLine));
    p.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    p.setBrush(m_theme->color(Theme::Role::Accent));
    p.setPen(Qt::NoPen);
    p.drawEllipse(QPointF(area.right(), y), 5, 5);
    if (!active) continue;
    const QString cut = tr("cut at %1").arg(phrase(text::bandwidth(BytesPerSecond(m_cuts[i]))));
    const QRectF words(area.right() - p.fontMetrics().horizontalAdvance(cut) - 14, y - 17,
                       p.fontMetrics().horizontalAdvance(cut) + 6, 15);
    p.fillRect(words, m_theme->color(Theme::Role::Canvas));
    p.setPen(m_theme->color(Theme::Role::Accent));
    p.drawText(words, Qt::AlignCenter, cut);
  }
  p.setPen(m_theme->color(Theme::Role::MutedText));
  p.setFont(Theme::font(11));
  const auto& d = m_levels->distortion;
  QString foot =
      plural(m_levels->dendrogram.nodes[m_levels->dendrogram.root()].devices, QStringLiteral("device")) +
      tr(" · distortion %1× when all send; of a lone transfer %2× at 1 MB, %3× at 1 GB")
          .arg(phrase(text::number(d.whenAllSend)), phrase(text::number(d.atMegabyte)),
               phrase(text::number(d.atGigabyte)));
  if (!m_levels->irregularities.empty())
    foot += QStringLiteral("\n") + QString::fromStdString(m_levels->irregularities.front());
  if (m_levels->irregularities.size() > 1)
    foot += tr(" (and %1 more)").arg(countText(static_cast<long long>(m_levels->irregularities.size()) - 1));
  p.drawText(QRectF(12, area.bottom() + 6, width() - 24, 48), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
             foot);
  setToolTip(
      tr("Drag a dashed cut to move the border between two levels; right-click to add, remove or reset "
         "cuts.\nDistortion: how far the levels misjudge a transfer between two devices, at worst. A lone "
         "transfer has shared links to itself, which levels do not count with."));
}

void DendrogramPane::mousePressEvent(QMouseEvent* e) {
  if (e->button() != Qt::LeftButton || !m_editable) return;
  m_dragged = cutAt(e->position().y());
  if (m_dragged >= 0) m_focused = m_dragged;
  update();
}

void DendrogramPane::mouseMoveEvent(QMouseEvent* e) {
  if (m_dragged < 0) {
    setCursor(m_editable && m_levels && cutAt(e->position().y()) >= 0 ? Qt::SizeVerCursor : Qt::ArrowCursor);
    return;
  }
  m_cuts[m_dragged] = bandwidthAt(e->position().y());
  update();
}

void DendrogramPane::mouseReleaseEvent(QMouseEvent*) {
  if (std::exchange(m_dragged, -1) < 0) return;
  std::sort(m_cuts.rbegin(), m_cuts.rend());
  Q_EMIT cutsMoved(m_cuts, true);
}

void DendrogramPane::keyPressEvent(QKeyEvent* e) {
  if (!m_editable || m_cuts.empty()) return QWidget::keyPressEvent(e);
  auto& cut = m_cuts[m_focused];
  if (e->key() == Qt::Key_Up || e->key() == Qt::Key_Down) {
    cut *= e->key() == Qt::Key_Up ? 1 / 1.1 : 1.1;
    Q_EMIT cutsMoved(m_cuts, true);
  } else if (e->key() == Qt::Key_Left || e->key() == Qt::Key_Right) {
    m_focused = (m_focused + (e->key() == Qt::Key_Right ? 1 : static_cast<int>(m_cuts.size()) - 1)) %
                static_cast<int>(m_cuts.size());
  } else {
    return QWidget::keyPressEvent(e);
  }
  update();
}

void DendrogramPane::contextMenuEvent(QContextMenuEvent* e) {
  if (!m_editable || !m_levels) return;
  QMenu menu(this);
  const int cut = cutAt(e->pos().y());
  if (cut >= 0)
    menu.addAction(tr("Remove this cut"), this, [this, cut] {
      auto cuts = m_cuts;
      cuts.erase(cuts.begin() + cut);
      Q_EMIT cutsMoved(cuts, true);
    });
  if (m_cuts.size() < 4)
    menu.addAction(
        tr("Add a cut at %1")
            .arg(QString::fromStdString(text::bandwidth(BytesPerSecond(bandwidthAt(e->pos().y()))))),
        this, [this, b = bandwidthAt(e->pos().y())] {
          auto cuts = m_cuts;
          cuts.push_back(b);
          std::sort(cuts.rbegin(), cuts.rend());
          Q_EMIT cutsMoved(cuts, true);
        });
  menu.addAction(tr("Cut at the largest gaps"), this, &DendrogramPane::cutsReset);
  menu.exec(e->globalPos());
}

}  // namespace nest
