#include "views/chip_box.h"

#include <QStyleOptionComboBox>
#include <QStylePainter>
#include <QWheelEvent>
#include <algorithm>

#include "theme/appearance.h"

namespace nest {
namespace {
constexpr int kAroundChip = 34;   ///< pixels: margins, border and arrow
constexpr int kAboveChip = 8;     ///< pixels: above and below its text
constexpr int kWidestChip = 260;  ///< of a chip whose choice has a long name
}  // namespace

ChipBox::ChipBox(const QString& label, QWidget* parent) : QComboBox(parent), m_label(label) {
  setProperty("chip", true);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  connect(this, &QComboBox::currentTextChanged, this, &QWidget::updateGeometry);
}

QString ChipBox::shownText() const {
  const QString chosen = currentIndex() < 0 ? placeholderText() : currentText();
  return m_label.isEmpty() ? chosen : QStringLiteral("%1: %2").arg(m_label, chosen);
}

QSize ChipBox::sizeHint() const {
  const int text = fontMetrics().horizontalAdvance(shownText()), around = atWindowScale(kAroundChip);
  const int widest = std::max(atWindowScale(kWidestChip), fontMetrics().horizontalAdvance(m_label) + around);
  // The style's own height is that of a field in a form.
  return {std::min(text + around, widest), fontMetrics().height() + atWindowScale(kAboveChip)};
}

void ChipBox::paintEvent(QPaintEvent*) {
  QStylePainter painter(this);
  QStyleOptionComboBox option;
  initStyleOption(&option);
  option.currentText = shownText();
  painter.drawComplexControl(QStyle::CC_ComboBox, option);
  painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

void ChipBox::wheelEvent(QWheelEvent* event) {
  event->ignore();
}

}  // namespace nest
