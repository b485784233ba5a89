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

/// What the colours of devices say instead of what ranks have in common.
enum class DeviceShade {
  None,
  TensorRank,  ///< ranks of one number in their TP groups
  Memory,      ///< share of a device's memory at its peak
  Busy,        ///< share of the step that a device works
};

/// What the levels carry, for the picture: one entry per level. Empty: traffic is not shown. A level is as
/// busy as the device that spends most time sending over it: a fast one may carry most bytes in less time.
struct LevelTraffic {
  std::vector<Bytes> bytes;   ///< a batch
  std::vector<Seconds> busy;  ///< a batch, of the device that sends longest
  Seconds step;               ///< of the plan, for shares
  int only = -1;            ///< the one level looked at, sender by sender; −1: all levels, each as a whole
  std::vector<Bytes> sent;  ///< then: across that level, by each group of senders()
  std::vector<Seconds> sending;  ///< the same, of the device of the group that sends longest

  bool shown() const { return !bytes.empty(); }
  double share(Seconds t) const { return step > Seconds() ? t / step : 0; }
  int busiest() const;  ///< the level that is busy for longest; −1: none
  int senders() const { return only > 0 ? only - 1 : only; }  ///< level of the boxes that send across it
  bool tints(int level) const { return shown() && (only < 0 || senders() == level); }
  /// Of a box that is tinted.
  Bytes carried(int level, int group) const { return only < 0 ? bytes[level] : sent[group]; }
  Seconds timeOf(int level, int group) const { return only < 0 ? busy[level] : sending[group]; }
  /// Its ground: the longer, the further along the ramp; levels on a logarithmic scale of four decades,
  /// senders on a linear one from zero.
  QColor color(int level, int group, const Theme&) const;
};

/// Per stage what a shade shows: 0.89 of the memory, 0.72 of the step. Empty for a shade that is not a
/// magnitude. Memory is that at the peak, or at one time.
std::vector<double> sharesOf(DeviceShade, const PlanContext&, const ScheduleInstant* now = nullptr);
/// The time at which the playhead stands, as far as the picture shows it; null: none.
const ScheduleInstant* instantOf(const FigureStyle&);
/// The exchange that is played, as far as the picture shows it; null: none.
const ExchangeInstant* exchangeOf(const FigureStyle&);

/// Paints nested boxes group by group: what one level or one stage has in common is collected and painted at
/// once, and what would be smaller than a few pixels is painted as the group it belongs to.
class TopologyPainter {
public:
  /// `colouredBy`: ranks with this in common have one colour; neighbouring groups have different ones.
  TopologyPainter(FigurePainter&, const PlanContext&, const TopologyLayout&, const QRectF& canvas,
                  double scale, const QPointF& origin, LevelTraffic traffic = {},
                  Together colouredBy = Together::Stage, DeviceShade shade = DeviceShade::None);

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
  void paintBottleneck();
  void paintDetails(const QRectF& device, int index, const QColor& ground, const QColor& text);
  QColor colourOf(const RankKind&) const;
  void paintMarks();
  QColor groundOf(const Box&) const;
  bool rests(int stage) const;
  enum class Crossing { Nothing, Within, Between };
  Crossing crossing(int level) const;
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
  DeviceShade m_shade;
  std::vector<double> m_shares;           ///< per stage, of a shade that is a magnitude
  std::vector<std::vector<Box>> m_boxes;  ///< visible, per level
  std::map<RankKind, std::vector<QRectF>> m_fills;
  std::map<RankKind, std::vector<Cell>> m_labelled;  ///< devices large enough for text
};

}  // namespace nest
