#pragma once

#include <QSet>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "figures/topology/network_scene.h"
#include "theme/theme.h"

class QPainter;

namespace nest {

/// What stands out in the picture of a network for now.
struct NetworkMarks {
  QSet<int> nodes, links;  ///< selected
  int hoverNode = -1, hoverLink = -1;
  /// Per node: what is pointed at or chosen in other views; empty: nobody. While somebody is pointed at all
  /// other devices step back.
  std::vector<char> litHovered, litChosen;
  /// Task of each stage at the play head (see TaskKind) or kWaits; empty: it stands nowhere.
  std::vector<int> running;
  static constexpr int kWaits = -1;
};

/// Paints a network in the units of its drawing. Level of detail by size on screen: where hundreds are in
/// sight a device is a filled box without outline, below legibility it has no text; names of switches and
/// hosts keep their size on screen and go where they would lie on each other.
class NetworkPainter {
public:
  /// `scale`: pixels to a unit of the drawing.
  NetworkPainter(QPainter&, const NetworkScene&, const NetworkMarks&, const QRectF& visible, double scale,
                 const Theme&);

  /// What depends on how much is in sight.
  struct Detail {
    bool crowded = false, hairlines = false, hairTrunks = false;
  };
  Detail detail() const;

  /// Names grow with their boxes up to this scale and stay as large from there on; unset: without end.
  void setMostEnlarged(double scale) { m_enlarged = scale; }

  void paint();        ///< paintGround(), then paintTop()
  void paintGround();  ///< frames, links below boxes, boxes
  void paintTop();     ///< trunks, switches, names
  void paintLit();  ///< between the two: devices that NetworkMarks::litHovered names, over a ground without
  /// The same for a part of a picture that has this detail, without what is written: that goes where the
  /// whole has room for it.
  void paintGroundOf(const Detail& whole);
  void paintTopOf(const Detail& whole);
  void paintPointedAt();  ///< over both: what the mouse is on, over a picture without

private:
  static std::size_t at(int number) { return static_cast<std::size_t>(number); }
  QRectF box(int node) const { return m_scene.box(node); }
  bool isCrowded() const;  ///< boxes are painted by the colour, not one by one
  QFont nameFont(double size, bool bold) const;
  bool isSwitch(int node) const { return m_scene.node(node).kind == NodeKind::Switch; }
  const std::vector<int>& nodesInSight() const;
  const std::vector<int>& linksInSight() const;
  void paintBoxes(const std::vector<int>& nodes, bool crowded);
  bool stepsBack(int node) const;
  bool isTrunk(int link) const { return m_scene.isTrunk(m_scene.link(link)); }
  QColor fillOf(int node) const;
  void paintNode(int node);
  void paintSmallNodes(const std::vector<int>& nodes);
  void paintDeviceText(int node, const QColor& fill);
  void paintStack(int node);
  void paintImpliedHosts();
  std::vector<std::pair<QString, QRectF>> impliedHostNames() const;
  void paintImpliedHostNames();
  void paintFarLabels();
  void paintHatch(const QRectF& box, const RankKind&, const QColor& fill);
  void paintState(int node);
  void paintCross(const QRectF& box);
  void paintRunNumbers(const std::vector<int>& nodes);
  /// Those between switches lie over hosts, all others below.
  void paintLinks(bool trunks);
  bool areHairlines(std::size_t links, bool trunks) const;
  void paintLink(int link);
  QColor colourOf(int link, double& width) const;
  void paintLinkLabels();
  QString labelOf(int link) const;
  bool isShared(const QPointF&, int link) const;
  std::vector<double> labelSpots(int link) const;

  QPainter& m_p;
  const NetworkScene& m_scene;
  const NetworkMarks& m_marks;
  QRectF m_visible;
  double m_scale;
  const Theme& m_theme;
  double m_enlarged = std::numeric_limits<double>::infinity();
  std::vector<QRectF> m_farNames;                            ///< pixels that names beside their boxes cover
  std::optional<Detail> m_detail;                            ///< of the whole, where a part is painted
  mutable std::optional<std::vector<int>> m_nodes, m_links;  ///< in sight, once asked for
};

/// Below the drawing: what the colours of links mean and which stage has which, as far as there are any.
inline constexpr double kNetworkKeyRow = 22;  ///< pixels
double networkKeyHeight(const NetworkScene&);
void paintNetworkKey(QPainter&, const QRectF& area, const NetworkScene&, const Theme&);

}  // namespace nest
