#pragma once

#include <QRectF>
#include <functional>
#include <map>
#include <vector>

#include "figures/focus.h"
#include "figures/ink.h"
#include "figures/topology_layout.h"

namespace nest {

/// What the levels carry, for the picture: one entry per level. Empty: traffic is not shown.
struct LevelTraffic {
  std::vector<Bytes> bytes;  ///< a batch

  bool shown() const { return !bytes.empty(); }
  /// Ground of a level's boxes: the more bytes, the further along the ramp (logarithmic, four decades).
  QColor color(int level, const Theme&) const;
};

/// Paints nested boxes group by group: what one level or one stage has in common is collected and painted at
/// once, and what would be smaller than a few pixels is painted as the group it belongs to.
class TopologyPainter {
public:
  TopologyPainter(Ink&, const PlanContext&, const TopologyLayout&, const QRectF& canvas, double scale,
                  const QPointF& origin, LevelTraffic traffic = {});

  void paint();

private:
  using Box = TopologyLayout::Box;
  QRectF pixels(const QRectF& r) const { return {m_origin + r.topLeft() * m_scale, r.size() * m_scale}; }
  void collect(const Box&);
  void collectHost(const Box&);
  void collectRuns(const Box&, const QRectF&);
  void paintBoxes();
  void paintDevices();
  void paintHeaders();
  void paintMarks();
  bool rests(int stage) const;
  bool exchanges(int level) const;
  QString headerText(const Box&, int variant) const;

  struct Cell {
    QRectF rect;
    int device;
  };
  Ink& m_ink;
  const PlanContext& m_context;
  const TopologyLayout& m_layout;
  QRectF m_canvas;
  double m_scale;
  QPointF m_origin;
  Focus m_focus;
  LevelTraffic m_traffic;
  std::vector<std::vector<Box>> m_boxes;        ///< visible, per level
  std::map<int, std::vector<QRectF>> m_fills;   ///< per stage, −1 = idle
  std::map<int, std::vector<Cell>> m_labelled;  ///< devices large enough for text
};

}  // namespace nest
