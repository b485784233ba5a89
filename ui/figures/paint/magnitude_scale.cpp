#include "figures/paint/magnitude_scale.h"

#include <algorithm>
#include <cmath>

#include "figures/paint/axis.h"
#include "figures/paint/figure_painter.h"
#include "figures/paint/phrases.h"

namespace nest {
namespace {
/// Where the ramp begins: its darkest tones would vanish on a dark canvas.
double darkest(const Theme& theme) {
  return theme.kind() == Theme::Kind::Dark ? 0.3 : 0.06;
}
}  // namespace

MagnitudeScale::MagnitudeScale(double smallest, double largest, bool logarithmic, Unit unit)
    : m_smallest(smallest), m_largest(largest), m_logarithmic(logarithmic), m_unit(unit) {
  m_isOneValue = textOf(smallest) == textOf(largest);
}

QString MagnitudeScale::textOf(double value) const {
  return m_unit == Unit::Data ? memoryText(Bytes(value)) : timeText(Seconds(value));
}

double MagnitudeScale::fraction(double value) const {
  if (empty() || value <= 0) return 0;
  if (!m_logarithmic || m_isOneValue) return std::min(1.0, value / m_largest);
  return std::clamp(std::log(value / m_smallest) / std::log(m_largest / m_smallest), 0.0, 1.0);
}

QColor MagnitudeScale::color(double value, const Theme& theme) const {
  return theme.magnitude(darkest(theme) + (1 - darkest(theme)) * fraction(value));
}

std::vector<MagnitudeScale::Tick> MagnitudeScale::ticks(int most) const {
  std::vector<Tick> out;
  if (empty()) return out;
  if (!m_logarithmic) {
    const Axis axis = m_unit == Unit::Data ? Axis::memory(m_largest, most) : Axis::time(m_largest, most);
    for (double t : axis.ticks)
      out.push_back({t * axis.unit, t == 0 ? QStringLiteral("0") : textOf(t * axis.unit)});
    return out;
  }
  const double step = m_unit == Unit::Data ? 1024 : 1000;
  for (double unit = m_unit == Unit::Data ? 1 : 1e-9; unit <= m_largest; unit *= step)
    for (double k : {1.0, 10.0, 100.0})
      if (unit * k >= m_smallest * (1 - 1e-9) && unit * k <= m_largest * (1 + 1e-9))
        out.push_back({unit * k, textOf(unit * k)});
  while (static_cast<int>(out.size()) > std::max(2, most)) {
    std::vector<Tick> fewer;
    for (std::size_t i = 0; i < out.size(); i += 2) fewer.push_back(out[i]);
    out = std::move(fewer);
  }
  if (out.size() < 2) out = {{m_smallest, textOf(m_smallest)}, {m_largest, textOf(m_largest)}};
  return out;
}

double MagnitudeScale::paintLegend(FigurePainter& ink, const QRectF& bar) const {
  if (m_isOneValue) {
    const QRectF swatch(bar.left(), bar.top() + 2, 14, 14);
    ink.fill(swatch, color(m_largest, ink.theme()));
    ink.label(QRectF(swatch.right() + 6, swatch.top() - 2, 72, 18), textOf(m_largest),
              Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Theme::Role::Text));
    return swatch.bottom() + 2;
  }
  constexpr int kSteps = 64;
  const double h = bar.height() / kSteps, first = darkest(ink.theme());
  for (int i = 0; i < kSteps; ++i)
    ink.fill(QRectF(bar.left(), bar.bottom() - (i + 1) * h, bar.width(), h + 0.5),
             ink.theme().magnitude(first + (1 - first) * (i + 0.5) / kSteps));
  ink.outline(bar, ink.color(Theme::Role::Border));
  for (const Tick& t : ticks(static_cast<int>(bar.height() / 26))) {
    const double y = bar.bottom() - fraction(t.value) * bar.height();
    ink.line({bar.right(), y}, {bar.right() + 4, y}, ink.color(Theme::Role::Text));
    ink.label(QRectF(bar.right() + 8, y - 8, 70, 16), t.text, Qt::AlignLeft | Qt::AlignVCenter,
              FigurePainter::kSmall, ink.color(Theme::Role::Text));
  }
  return bar.bottom();
}

}  // namespace nest
