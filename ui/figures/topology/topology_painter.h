#pragma once

#include <QRectF>
#include <map>
#include <optional>
#include <vector>

#include "figures/paint/figure_painter.h"
#include "figures/plan/focus.h"
#include "figures/topology/rank_colours.h"
#include "figures/topology/topology_layout.h"

namespace nest {

/// What the levels carry, for the picture: one entry per level. Empty: traffic is not shown. A level is as
/// busy as the device that spends most time sending over it: a fast one may carry most bytes in less time.
struct LevelTraffic {
  std::vector<Bytes> bytes;   ///< a batch
  std::vector<Seconds> busy;  ///< a batch, of the device that sends longest
  int only = -1;            ///< the one level looked at, sender by sender; −1: all levels, each as a whole
  std::vector<Bytes> sent;  ///< then: across that level, by each group of senders()
  std::vector<Seconds> sending;  ///< the same, of the device of the group that sends longest

  bool shown() const { return !bytes.empty(); }
  int senders() const { return only > 0 ? only - 1 : only; }  ///< level of the boxes that send across it
  bool tints(int level) const { return shown() && (only < 0 || senders() == level); }
  /// Of a box that is tinted.
  Bytes carried(int level, int group) const { return only < 0 ? bytes[level] : sent[group]; }
  Seconds timeOf(int level, int group) const { return only < 0 ? busy[level] : sending[group]; }
  /// Its ground: the longer, the further along the ramp; levels on a logarithmic scale of four decades,
  /// senders on a linear one from zero.
  QColor color(int level, int group, const Theme&) const;
};

/// Paints nested boxes group by group: what one level or one stage has in common is collected and painted at
/// once, and what would be smaller than a few pixels is painted as the group it belongs to.
class TopologyPainter {
public:
  /// `colouredBy`: ranks with this in common have one colour; neighbouring groups have different ones.
  TopologyPainter(FigurePainter&, const PlanContext&, const TopologyLayout&, const QRectF& canvas,
                  double scale, const QPointF& origin, LevelTraffic traffic = {},
                  Together colouredBy = Together::Stage);

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
  QColor groundOf(const Box&) const;
  bool rests(int stage) const;
  bool exchanges(int level) const;
  QString headerText(const Box&, int variant) const;
  /// Where a box's header goes, and in which size; nullopt: it has no room.
  struct Header {
    QRectF line;
    double size;
    bool tight;  ///< too far out: the name stands on a plate over the middle of the box
  };
  std::optional<Header> headerOf(const Box&) const;
  int briefest(const std::vector<Box>&) const;

  struct Cell {
    QRectF rect;
    int device;
  };
  RankKind kindAt(int device) const;
  bool dims(const RankKind& k) const { return k.stage >= 0 && (m_focus.dims(k.stage) || rests(k.stage)); }
  FigurePainter& m_ink;
  const PlanContext& m_context;
  const TopologyLayout& m_layout;
  QRectF m_canvas;
  double m_scale;
  QPointF m_origin;
  Focus m_focus;
  LevelTraffic m_traffic;
  Together m_colouredBy;
  std::vector<std::vector<Box>> m_boxes;  ///< visible, per level
  std::map<RankKind, std::vector<QRectF>> m_fills;
  std::map<RankKind, std::vector<Cell>> m_labelled;  ///< devices large enough for text
};

}  // namespace nest
