#include "lessons/bars_question.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "theme/qt_text.h"
#include "theme/theme.h"

namespace nest {
namespace {

constexpr double kAboveBars = 20, kBelowBars = 34;  ///< px for the number and the label
constexpr double kRoomAbove = 1.5;  ///< of the axis, over the largest bar: it gives nothing away

/// A round number that is at least this.
double roundedUp(double v) {
  if (!(v > 0) || !std::isfinite(v)) return 1;
  const double ten = std::pow(10, std::floor(std::log10(v)));
  for (const double step : {1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0})
    if (v <= step * ten) return step * ten;
  return 10 * ten;
}

}  // namespace

DrawnBar::DrawnBar(const Look& look, QWidget* parent) : QAbstractSlider(parent), m_look(look) {
  setRange(0, kSteps);
  setSingleStep(kSteps / 100);
  setPageStep(kSteps / 10);
  setOrientation(Qt::Vertical);
  setFocusPolicy(look.isGiven ? Qt::NoFocus : Qt::StrongFocus);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  if (!look.isGiven) {
    setCursor(Qt::SizeVerCursor);
    setToolTip(tr("Drag the bar, or use the arrow keys"));
  }
  refreshName();
}

double DrawnBar::amount() const {
  return m_amount;
}

void DrawnBar::setAmount(double amount) {
  m_hasValue = true;
  setValue(static_cast<int>(std::lround(std::clamp(amount / m_look.top, 0.0, 1.0) * kSteps)));
  m_amount = amount;
  refreshName();
  update();
}

void DrawnBar::setRight(double right) {
  m_right = right;
  refreshName();
  update();
}

void DrawnBar::refreshName() {
  const auto shown = [&](double v) { return toQt(inUnit(v, lessonUnit(m_look.unit.toStdString()))); };
  QString name = tr("%1: %2").arg(m_look.label, m_hasValue ? shown(m_amount) : tr("not drawn yet"));
  if (m_look.isGiven) name = tr("%1, given").arg(name);
  if (m_right && !m_look.isGiven) name = tr("%1; right is %2").arg(name, shown(*m_right));
  setAccessibleName(name);
}

void DrawnBar::moveTo(int value) {
  if (m_isFixed || m_look.isGiven) return;
  m_hasValue = true;
  setValue(value);
  m_amount = m_look.top * this->value() / kSteps;
  refreshName();
  update();
  Q_EMIT sliderMoved(this->value());
}

void DrawnBar::sliderChange(SliderChange change) {
  // A screen reader sets the value of the slider itself.
  if (change == SliderValueChange && !m_isFixed && !m_look.isGiven) {
    m_hasValue = true;
    m_amount = m_look.top * value() / kSteps;
    refreshName();
  }
  QAbstractSlider::sliderChange(change);
}

QRectF DrawnBar::room() const {
  return QRectF(rect()).adjusted(6, kAboveBars, -6, -kBelowBars);
}

double DrawnBar::yOf(double amount) const {
  const QRectF r = room();
  return r.bottom() - r.height() * std::clamp(amount / m_look.top, 0.0, 1.0);
}

void DrawnBar::drag(const QPointF& at) {
  const QRectF r = room();
  moveTo(static_cast<int>(std::lround((r.bottom() - at.y()) / r.height() * kSteps)));
}

void DrawnBar::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) drag(event->position());
}

void DrawnBar::mouseMoveEvent(QMouseEvent* event) {
  if (event->buttons() & Qt::LeftButton) drag(event->position());
}

void DrawnBar::keyPressEvent(QKeyEvent* event) {
  const bool coarse = event->modifiers() & Qt::ShiftModifier;
  const int from = m_hasValue ? value() : kSteps / 2, by = coarse ? pageStep() : singleStep();
  switch (event->key()) {
    case Qt::Key_Up:
      return moveTo(from + by);
    case Qt::Key_Down:
      return moveTo(from - by);
    case Qt::Key_PageUp:
      return moveTo(from + pageStep());
    case Qt::Key_PageDown:
      return moveTo(from - pageStep());
    case Qt::Key_Home:
      return moveTo(0);
    case Qt::Key_End:
      return moveTo(kSteps);
    case Qt::Key_Left:
      return void(focusNextPrevChild(false));
    case Qt::Key_Right:
      return void(focusNextPrevChild(true));
    default:
      QAbstractSlider::keyPressEvent(event);
  }
}

void DrawnBar::focusInEvent(QFocusEvent* event) {
  QAbstractSlider::focusInEvent(event);
  update();
}

void DrawnBar::focusOutEvent(QFocusEvent* event) {
  QAbstractSlider::focusOutEvent(event);
  update();
}

void DrawnBar::paintEvent(QPaintEvent*) {
  QPainter p(this);
  p.setRenderHint(QPainter::Antialiasing);
  const QRectF r = room();
  const QPalette colors = palette();
  const QColor accent = colors.color(QPalette::Highlight), text = colors.color(QPalette::Text),
               muted = colors.color(QPalette::PlaceholderText);
  p.setPen(QPen(muted, 1));
  p.drawLine(QPointF(0, r.bottom()), QPointF(width(), r.bottom()));
  const double wide = std::min(44.0, r.width());
  const auto box = [&](double amount) {
    return QRectF(QPointF(r.center().x() - wide / 2, yOf(amount)),
                  QPointF(r.center().x() + wide / 2, r.bottom()));
  };
  const auto number = [&](double amount, double y, const QColor& color, bool bold) {
    p.setFont(Theme::font(12, bold));
    p.setPen(color);
    p.drawText(QRectF(-8, y - 18, width() + 16, 16), Qt::AlignCenter, toQt(inUnit(amount, LessonUnit{})));
  };
  // What is right stands solid; what was said, or is drawn, as an outline with a light filling.
  const std::optional<double> solid = m_look.isGiven ? std::optional(m_amount) : m_right;
  if (solid) {
    QColor filling = m_look.isGiven ? muted : accent;
    if (m_right && !m_look.isGiven) filling.setAlpha(110);  // the outline of what was said is seen through it
    p.fillRect(box(*solid), filling);
    // Not where the outline of what was said passes through it.
    const double said = m_right && m_hasValue ? yOf(m_amount) : yOf(*solid), y = yOf(*solid);
    number(*solid, y - said > 0 && y - said <= 20 ? said : y, text, true);
  }
  if (!m_look.isGiven && m_hasValue) {
    QColor light = accent;
    light.setAlpha(m_right ? 0 : 70);
    p.setBrush(light);
    p.setPen(QPen(m_right ? text : accent, 2, m_right ? Qt::DashLine : Qt::SolidLine));
    p.drawRect(box(m_amount));
    const double gap = m_right ? std::abs(yOf(m_amount) - yOf(*m_right)) : 99;
    if (gap > 20) number(m_amount, yOf(m_amount), text, false);
  } else if (!m_look.isGiven && !m_right) {
    p.setPen(QPen(accent, 1.5, Qt::DashLine));
    p.setBrush(Qt::NoBrush);
    p.drawRect(box(m_look.top / 2));
    p.setFont(Theme::font(20, true));
    p.setPen(accent);
    p.drawText(box(m_look.top / 2), Qt::AlignCenter, QStringLiteral("?"));
  }
  p.setFont(Theme::font(12));
  p.setPen(text);
  p.drawText(QRectF(0, r.bottom() + 2, width(), kBelowBars - 2),
             Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap, m_look.label);
  if (hasFocus()) {
    p.setPen(QPen(accent, 1.5));
    p.setBrush(Qt::NoBrush);
    p.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
  }
}

BarsQuestion::BarsQuestion(const LessonStep& step, const std::vector<double>& right, QWidget* parent)
    : LessonQuestion(parent) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(2);
  double largest = 0;
  for (const double v : right) largest = std::max(largest, v);
  const double top = roundedUp(kRoomAbove * largest);
  for (std::size_t i = 0; i < step.bars.size(); ++i) {
    const LessonBar& bar = step.bars[i];
    auto* drawn = new DrawnBar({toQt(bar.label), toQt(step.unit.name), top, bar.isGiven}, this);
    if (bar.isGiven && i < right.size()) drawn->setAmount(right[i]);
    row->addWidget(drawn);
    m_bars.push_back(drawn);
    if (bar.isGiven) continue;
    connect(drawn, &QAbstractSlider::valueChanged, this, &LessonQuestion::edited);
    connect(drawn, &QAbstractSlider::sliderMoved, this, &LessonQuestion::edited);
    if (!focusProxy()) setFocusProxy(drawn);
  }
}

void BarsQuestion::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
    Q_EMIT entered();
  else
    LessonQuestion::keyPressEvent(event);
}

std::optional<std::vector<double>> BarsQuestion::given(QString& whyNot) const {
  std::vector<double> out;
  int missing = 0;
  for (const DrawnBar* bar : m_bars) {
    missing += !bar->hasValue();
    out.push_back(bar->amount());
  }
  if (missing == 0) return out;
  whyNot = missing == 1 ? tr("One bar is not drawn yet.") : tr("%1 bars are not drawn yet.").arg(missing);
  return std::nullopt;
}

void BarsQuestion::showAnswer(const std::vector<double>& given, const std::vector<double>& right) {
  for (std::size_t i = 0; i < m_bars.size(); ++i) {
    if (i < given.size() && !m_bars[i]->isGiven()) m_bars[i]->setAmount(given[i]);
    if (i < right.size()) m_bars[i]->setRight(right[i]);
    m_bars[i]->fix();
  }
}

}  // namespace nest
