#include "window/message_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QTimer>
#include <QToolButton>
#include <QUndoStack>
#include <QVBoxLayout>
#include <algorithm>

#include "figures/paint/phrases.h"
#include "theme/icon.h"

namespace nest {
namespace {

constexpr int kToastWidth = 440, kToastMargin = 16, kToastGap = 8;  ///< pixels
constexpr int kShortStay = 4000, kLongStay = 12000;  ///< milliseconds that a note stays: alone, with choices

}  // namespace

MessageBar::MessageBar(QWidget* window)
    : QWidget(window),
      m_icon(new QLabel(this)),
      m_text(new QLabel(this)),
      m_leave(new QTimer(this)),
      m_choices(new QHBoxLayout) {
  setAttribute(Qt::WA_StyledBackground);
  m_text->setWordWrap(true);
  m_text->setTextFormat(Qt::PlainText);
  m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_leave->setSingleShot(true);
  connect(m_leave, &QTimer::timeout, this, &MessageBar::leave);
  auto* close = new QToolButton(this);
  close->setIcon(themedIcon(QStringLiteral("close")));
  close->setIconSize({12, 12});
  close->setToolTip(tr("Close this message"));
  close->setAccessibleName(tr("Close this message"));
  connect(close, &QToolButton::clicked, this, &MessageBar::dismiss);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  row->addWidget(m_icon, 0, Qt::AlignTop);
  row->addWidget(m_text, 1);
  row->addWidget(close, 0, Qt::AlignTop);
  m_choices->setSpacing(6);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(12, 9, 8, 9);
  all->setSpacing(7);
  all->addLayout(row);
  all->addLayout(m_choices);
  window->installEventFilter(this);
  hide();
}

void MessageBar::stackOn(MessageBar* below) {
  m_below = below;
  below->m_above = this;
}

void MessageBar::show(Tone tone, const QString& text, std::vector<Choice> choices, const QString& topic) {
  m_topic = topic;
  ++m_shown;
  m_hasLeft = false;
  say(tone, text);
  while (QLayoutItem* item = m_choices->takeAt(0)) {
    if (item->widget()) item->widget()->deleteLater();
    delete item;
  }
  m_choices->addStretch();
  for (Choice& choice : choices) {
    auto* button = new QPushButton(choice.text, this);
    m_choices->insertWidget(m_choices->count() - 1, button);
    if (choice.whileAt)
      connect(choice.whileAt, &QUndoStack::indexChanged, button,
              [this, button, shown = m_shown, shownAt = choice.whileAt->index()](int now) {
                button->hide();
                if (now < shownAt && m_shown == shown) dismiss();
              });
    connect(button, &QPushButton::clicked, this, [this, run = std::move(choice.run)] {
      dismiss();
      if (run) run();
    });
  }
  m_leave->stop();
  if (tone == Tone::Note && !m_stays) m_leave->start(choices.empty() ? kShortStay : kLongStay);
  QWidget::show();
  place();
}

/// Over everything, above the bar that it is stacked on.
void MessageBar::place() {
  if (!isVisible()) {
    if (m_above) m_above->place();
    return;
  }
  const QWidget* room = parentWidget();
  const int width = std::min(kToastWidth, room->width() - 2 * kToastMargin);
  const int height = std::max(layout()->hasHeightForWidth() ? layout()->totalHeightForWidth(width) : 0,
                              layout()->totalMinimumSize().height());
  const MessageBar* below = m_below;
  while (below && !below->isVisible()) below = below->m_below;
  const int bottom = below ? below->y() - kToastGap : room->height() - kToastMargin;
  setGeometry(room->width() - width - kToastMargin, std::max(0, bottom - height), width, height);
  raise();
  if (m_above) m_above->place();
}

/// Not under the hand that is about to press something in it.
void MessageBar::leave() {
  if (underMouse() || (focusWidget() && focusWidget()->hasFocus())) return m_leave->start(kShortStay);
  m_hasLeft = true;
  hide();
}

void MessageBar::dismiss() {
  m_hasLeft = false;
  m_leave->stop();
  hide();
}

/// Buttons that come while it is shown have their room a moment later.
bool MessageBar::event(QEvent* event) {
  const bool done = QWidget::event(event);
  if (event->type() == QEvent::LayoutRequest) place();
  return done;
}

bool MessageBar::eventFilter(QObject* watched, QEvent* event) {
  if (watched == parentWidget() && event->type() == QEvent::Resize) place();
  return QWidget::eventFilter(watched, event);
}

void MessageBar::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  place();
}

void MessageBar::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  if (m_above) m_above->place();
}

void MessageBar::say(Tone tone, const QString& text) {
  m_tone = tone;
  const QString icon = tone == Tone::Error     ? QStringLiteral("error")
                       : tone == Tone::Warning ? QStringLiteral("warning")
                                               : QStringLiteral("note");
  m_icon->setPixmap(themedIcon(icon).pixmap(16, 16));
  m_text->setText(text);
  setAccessibleName(text);
  const QString look = icon;
  if (property("toast") != look) {
    setProperty("toast", look);
    style()->unpolish(this);
    style()->polish(this);
  }
}

void MessageBar::add(Tone tone, const QString& text) {
  if (isHidden()) return show(tone, text);
  say(std::max(tone, m_tone), m_text->text() + QLatin1Char('\n') + text);
  if (m_tone != Tone::Note) m_leave->stop();
  place();
}

void MessageBar::goOn(const QString& topic, const QString& text) {
  if (m_topic != topic || isHidden()) return;
  say(m_tone, text);
  if (m_leave->isActive()) m_leave->start();
  place();
}

MessageBar::Choice MessageBar::undoing(QUndoStack& history) {
  return {tr("Undo"), [&history] { history.undo(); }, &history};
}

void MessageBar::withdraw(const QString& topic) {
  if (m_topic == topic) dismiss();
}

QString MessageBar::text() const {
  return isVisible() || m_hasLeft ? m_text->text() : QString();
}

QString inWords(const Diagnostic& d) {
  QString text = d.where.line > 0 ? MessageBar::tr("line %1: ").arg(d.where.line) : QString();
  text += QString::fromStdString(d.message);
  return d.remedy.empty() ? text : text + QStringLiteral("; ") + phrase(d.remedy);
}

}  // namespace nest
