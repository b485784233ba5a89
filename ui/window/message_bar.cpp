#include "window/message_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QUndoStack>
#include <algorithm>

#include "figures/paint/phrases.h"
#include "theme/icon.h"

namespace nest {

MessageBar::MessageBar(QWidget* parent)
    : QWidget(parent), m_icon(new QLabel(this)), m_text(new QLabel(this)), m_choices(new QHBoxLayout) {
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Midlight);
  m_text->setWordWrap(true);
  m_text->setTextFormat(Qt::PlainText);
  m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* close = new QToolButton(this);
  close->setIcon(themedIcon(QStringLiteral("close")));
  close->setIconSize({12, 12});
  close->setToolTip(tr("Close this message"));
  close->setAccessibleName(tr("Close this message"));
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(14, 5, 8, 5);
  row->setSpacing(8);
  row->addWidget(m_icon);
  row->addWidget(m_text, 1);
  row->addLayout(m_choices);
  row->addWidget(close);
  hide();
}

void MessageBar::show(Tone tone, const QString& text, std::vector<Choice> choices, const QString& topic) {
  m_topic = topic;
  ++m_shown;
  say(tone, text);
  while (QLayoutItem* item = m_choices->takeAt(0)) {
    item->widget()->deleteLater();
    delete item;
  }
  for (Choice& choice : choices) {
    auto* button = new QPushButton(choice.text, this);
    m_choices->addWidget(button);
    if (choice.whileAt)
      connect(choice.whileAt, &QUndoStack::indexChanged, button,
              [this, button, shown = m_shown, shownAt = choice.whileAt->index()](int now) {
                button->hide();
                if (now < shownAt && m_shown == shown) hide();
              });
    connect(button, &QPushButton::clicked, this, [this, run = std::move(choice.run)] {
      hide();
      if (run) run();
    });
  }
  QWidget::show();
}

void MessageBar::say(Tone tone, const QString& text) {
  m_tone = tone;
  const QString icon = tone == Tone::Error     ? QStringLiteral("error")
                       : tone == Tone::Warning ? QStringLiteral("warning")
                                               : QStringLiteral("note");
  m_icon->setPixmap(themedIcon(icon).pixmap(16, 16));
  m_text->setText(text);
  setAccessibleName(text);
}

void MessageBar::add(Tone tone, const QString& text) {
  if (isHidden()) return show(tone, text);
  say(std::max(tone, m_tone), m_text->text() + QLatin1Char('\n') + text);
}

MessageBar::Choice MessageBar::undoing(QUndoStack& history) {
  return {tr("Undo"), [&history] { history.undo(); }, &history};
}

void MessageBar::withdraw(const QString& topic) {
  if (m_topic == topic) hide();
}

QString MessageBar::text() const {
  return isVisible() ? m_text->text() : QString();
}

QString inWords(const Diagnostic& d) {
  QString text = d.where.line > 0 ? MessageBar::tr("line %1: ").arg(d.where.line) : QString();
  text += QString::fromStdString(d.message);
  return d.remedy.empty() ? text : text + QStringLiteral("; ") + phrase(d.remedy);
}

}  // namespace nest
