#include "editors/network/alignment_guides.h"

#include <algorithm>
#include <cmath>

namespace nest {
namespace {
constexpr double kSame = 1e-6;
}

AlignmentGuides::Mark AlignmentGuides::markOf(const QRectF& r, Kind kind, bool horizontal) {
  const double low = horizontal ? r.left() : r.top(), high = horizontal ? r.right() : r.bottom();
  const double at = kind == Low ? low : kind == High ? high : (low + high) / 2;
  return horizontal ? Mark{at, r.top(), r.bottom()} : Mark{at, r.left(), r.right()};
}

AlignmentGuides::AlignmentGuides(const std::vector<QRectF>& others) {
  for (const Kind kind : {Low, Centre, High}) {
    for (const QRectF& r : others) {
      m_x[kind].push_back(markOf(r, kind, true));
      m_y[kind].push_back(markOf(r, kind, false));
    }
    std::sort(m_x[kind].begin(), m_x[kind].end());
    std::sort(m_y[kind].begin(), m_y[kind].end());
  }
}

const AlignmentGuides::Mark* AlignmentGuides::nearest(const Marks& marks, double at) {
  if (marks.empty()) return nullptr;
  auto next = std::lower_bound(marks.begin(), marks.end(), Mark{at, 0, 0});
  if (next == marks.end()) return &marks.back();
  if (next != marks.begin() && at - std::prev(next)->at < next->at - at) --next;
  return &*next;
}

bool AlignmentGuides::shift(const QRectF& moved, double reach, bool horizontal, double& by) const {
  double least = std::max(reach, kSame);
  bool found = false;
  for (const Kind kind : {Centre, Low, High}) {  // of equals the centre
    const Mark own = markOf(moved, kind, horizontal);
    const Mark* other = nearest((horizontal ? m_x : m_y)[kind], own.at);
    if (!other || std::abs(other->at - own.at) > least - (found ? kSame : 0)) continue;
    by = other->at - own.at;
    least = std::abs(by);
    found = true;
  }
  return found;
}

void AlignmentGuides::addLines(const QRectF& moved, bool horizontal, std::vector<QLineF>& out) const {
  for (const Kind kind : {Centre, Low, High}) {
    const Mark own = markOf(moved, kind, horizontal);
    const Marks& marks = (horizontal ? m_x : m_y)[kind];
    double from = own.from, to = own.to;
    bool any = false;
    for (auto m = std::lower_bound(marks.begin(), marks.end(), Mark{own.at - kSame, 0, 0});
         m != marks.end() && m->at <= own.at + kSame; ++m) {
      from = std::min(from, m->from), to = std::max(to, m->to);
      any = true;
    }
    if (!any) continue;
    out.push_back(horizontal ? QLineF(own.at, from, own.at, to) : QLineF(from, own.at, to, own.at));
    if (kind == Centre) return;  // of boxes of one size it says all
  }
}

AlignmentGuides::Snap AlignmentGuides::at(const QRectF& moved, double reach) const {
  Snap out;
  double dx = 0, dy = 0;
  out.x = shift(moved, reach, true, dx);
  out.y = shift(moved, reach, false, dy);
  out.by = {out.x ? dx : 0, out.y ? dy : 0};
  const QRectF there = moved.translated(out.by);
  if (out.x) addLines(there, true, out.lines);
  if (out.y) addLines(there, false, out.lines);
  return out;
}

}  // namespace nest
