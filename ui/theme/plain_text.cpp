#include "theme/plain_text.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QHelpEvent>
#include <QLabel>
#include <QMenu>
#include <QTabBar>
#include <QToolTip>
#include <algorithm>

namespace nest {
namespace {

constexpr auto kOurs = "<qt>";

bool turnsWriting(char16_t c) {
  return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F ||
         c == 0x061C;
}

bool isHidden(QChar q) {
  const char16_t c = q.unicode();
  return (c < 0x20 && c != u'\n' && c != u'\t') || (c >= 0x7F && c < 0xA0) || turnsWriting(c);
}

bool hides(const QString& text) {
  return std::any_of(text.cbegin(), text.cend(), isHidden);
}

class PlainText : public QObject {
public:
  using QObject::QObject;

  bool eventFilter(QObject* o, QEvent* e) override {
    if (e->type() == QEvent::Polish) {
      // The window of tips is a label, too; what it shows was settled where it came from.
      auto* label = qobject_cast<QLabel*>(o);
      if (label && label->textFormat() == Qt::AutoText && !label->inherits("QTipLabel"))
        label->setTextFormat(Qt::PlainText);
    } else if (e->type() == QEvent::Paint) {
      auto* label = qobject_cast<QLabel*>(o);
      if (label && label->textFormat() == Qt::PlainText && hides(label->text()))
        label->setText(visibleText(label->text()));
    } else if (e->type() == QEvent::ToolTip && o->isWidgetType()) {
      auto* widget = static_cast<QWidget*>(o);
      const auto* help = static_cast<QHelpEvent*>(e);
      const QString tip = tipAt(*widget, help->pos());
      if (Qt::mightBeRichText(tip) && !tip.startsWith(QLatin1String(kOurs))) {
        QToolTip::showText(help->globalPos(), plainTip(tip), widget);
        return true;
      }
    }
    return false;
  }

private:
  static QString tipAt(const QWidget& widget, const QPoint& at) {
    if (const auto* view = qobject_cast<const QAbstractItemView*>(widget.parentWidget());
        view && view->viewport() == &widget)
      return view->indexAt(at).data(Qt::ToolTipRole).toString();
    if (const auto* menu = qobject_cast<const QMenu*>(&widget))
      return menu->actionAt(at) ? menu->actionAt(at)->toolTip() : QString();
    if (const auto* tabs = qobject_cast<const QTabBar*>(&widget); tabs && tabs->tabAt(at) >= 0)
      return tabs->tabToolTip(tabs->tabAt(at));
    return widget.toolTip();
  }
};

}  // namespace

QString visibleText(QString text) {
  if (!hides(text)) return text;
  QString out;
  for (const QChar c : std::as_const(text)) {
    if (!isHidden(c))
      out += c;
    else if (c.unicode() < 0x20)
      out += QChar(0x2400 + c.unicode());  // the pictures of control characters
    else
      out += QStringLiteral("⟨U+%1⟩").arg(c.unicode(), 4, 16, QLatin1Char('0')).toUpper();
  }
  return out;
}

QString plainTip(const QString& text) {
  if (text.isEmpty()) return text;
  QString html = visibleText(text).toHtmlEscaped();
  return richTip(html.replace(QLatin1Char('\n'), QStringLiteral("<br>")));
}

QString richTip(const QString& html) {
  return html.isEmpty() ? html : QLatin1String(kOurs) + html + QStringLiteral("</qt>");
}

void keepTextPlain() {
  static PlainText* filter = nullptr;
  if (filter && filter->parent() == qApp) return;
  filter = new PlainText(qApp);
  qApp->installEventFilter(filter);
}

}  // namespace nest
