#pragma once

#include <QImage>
#include <QRectF>
#include <cstddef>
#include <utility>
#include <vector>

#include "evaluation/schedule.h"
#include "figures/plan/focus.h"
#include "figures/plan/kinds.h"

namespace nest {

class FigurePainter;

LoadPart partOf(TaskKind);
inline constexpr int kBubbleHatch = 1;
QColor bubbleColor(const Theme&);
QColor bubbleLineColor(const Theme&);  ///< of the hatch

/// The picture of a dense timeline, kept while what is visible stays the same.
struct TimelineImage {
  QImage image;
  double begin = 0, end = 0, row = 0;
  const Theme* theme = nullptr;
};

/// The rows of a timeline: `plot` shows the seconds from `begin` to `end`, stage 0 on top. Where tasks are
/// too many or too narrow the rows become bands that tell their shares of the time, in an image whose cost
/// depends on what is visible alone. What shows between tasks is bubble, hatched either way.
class TimelineRows {
public:
  TimelineRows(const Schedule&, const std::vector<std::size_t>& stageStarts, const QRectF& plot, double begin,
               double end);

  static constexpr double kTallestRow = 110;  ///< pixels

  void paint(FigurePainter&, const Focus&, TimelineImage& kept) const;
  bool drawsTasks() const;  ///< one by one, not as bands
  double rowHeight() const { return m_row; }
  QRectF rowBox(int stage) const {
    return {m_plot.left(), m_plot.top() + stage * m_row, m_plot.width(), m_row};
  }
  double xOf(double seconds) const {
    return m_plot.left() + (seconds - m_begin) / (m_end - m_begin) * m_plot.width();
  }
  double timeAt(double x) const { return m_begin + (x - m_plot.left()) / m_plot.width() * (m_end - m_begin); }
  /// Intervals of a stage that touch the visible span.
  std::pair<std::size_t, std::size_t> visible(int stage) const;

private:
  /// What a row has for its tasks, in lines of pixels from the top of the plot: [first, last). Rows that are
  /// not a whole number of pixels high differ by one.
  std::pair<int, int> linesOf(int stage, double scale) const;
  QRectF laneOf(int stage, double scale) const;  ///< the same as a box

  bool meetsItsLike(std::size_t task, std::size_t end) const;
  void paintGround(FigurePainter&) const;
  void paintBoxes(FigurePainter&, const Focus&) const;
  void paintImage(FigurePainter&, const Focus&, TimelineImage& kept) const;
  class Done;
  int stageCount() const { return static_cast<int>(m_starts.size()) - 1; }
  double periodOf(int stage) const;
  QImage bandImage(const Theme&, const QSize&, double scale) const;
  void paintNumbers(FigurePainter&, const Focus&) const;

  const Schedule& m_schedule;
  const std::vector<std::size_t>& m_starts;
  QRectF m_plot;
  double m_begin, m_end, m_row;
};

}  // namespace nest
