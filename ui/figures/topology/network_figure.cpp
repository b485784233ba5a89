#include "figures/topology/network_figure.h"

#include <algorithm>

#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/topology/network_painter.h"

namespace nest {
namespace {

constexpr double kUsualScale = 1.1;  ///< names of nodes are about as large as what else is written
constexpr double kMostScale = 1.7;   ///< on a page with room, where names stay smaller than its title
constexpr double kLeastWidth = 640, kMostWidth = 1200, kMargin = 48, kFrame = 140;

}  // namespace

QSizeF NetworkFigure::preferredSize(const PlanContext&) const {
  const QRectF all = m_scene.bounds();
  const double scale = std::min(kUsualScale, (kMostWidth - kMargin) / std::max(1.0, all.width()));
  const double width = std::max(kLeastWidth, all.width() * scale + kMargin);
  return {width, std::clamp(all.height() * scale + kFrame, width / 2.2, width / 0.6)};
}

std::optional<FigureState> NetworkFigure::state(const PlanContext&, bool) const {
  if (!m_scene.isEmpty()) return std::nullopt;
  return FigureState{tr("Nothing is drawn"), tr("Open a scenario, or draw a network.")};
}

void NetworkFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  QPainter& painter = ink.painter();
  const FigureStyle& style = ink.style();
  QRectF body = paintFrame(ink, area, c, title(), m_caption());
  if (const double key = networkKeyHeight(m_scene); key > 0) {
    paintNetworkKey(painter, QRectF(body.left(), body.bottom() - key, body.width(), key), m_scene,
                    *style.theme);
    body.adjust(0, 0, 0, -key - 6);
  }
  const QRectF all = m_scene.bounds().adjusted(-10, -10, 10, 10);
  const double scale = std::min({kMostScale, body.width() / all.width(), body.height() / all.height()});
  painter.save();
  painter.translate(body.center() - all.center() * scale);
  painter.scale(scale, scale);
  const NetworkMarks none;
  NetworkPainter network(painter, m_scene, none, all, scale, *style.theme);
  network.setMostEnlarged(kUsualScale);
  network.paint();
  painter.restore();
}

QString NetworkFigure::words(const PlanContext&) const {
  const NetworkGraph& g = m_scene.graph();
  QString out = title() + u'\n';
  if (const QString caption = m_caption(); !caption.isEmpty()) out += caption + u'\n';
  for (int i = 0; i < static_cast<int>(g.nodes.size()); ++i) {
    const NetworkNode& n = g.nodes[static_cast<std::size_t>(i)];
    const StateOfHost* state = m_scene.unplanned(i);
    out += (n.kind == NodeKind::Device ? tr("device %1")
            : n.kind == NodeKind::Host ? tr("host %1")
                                       : tr("switch %1"))
               .arg(phrase(n.name)) +
           (n.failed ? tr(" (failed)")
            : state  ? QStringLiteral(" (%1)").arg(phrase(std::string(nameOf(state->state))))
                     : QString()) +
           u'\n';
  }
  for (const auto& l : g.links)
    out += tr("%1 – %2: %3 × %4, %5")
               .arg(phrase(g.nodes[l.from].name), phrase(g.nodes[l.to].name), QString::number(l.count),
                    phrase(text::bandwidth(l.bandwidth)), timeText(l.latency)) +
           (l.failed ? tr(" (failed)") : QString()) + u'\n';
  return out;
}

}  // namespace nest
