#include "theme/plain_text.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QMenu>
#include <QRandomGenerator>
#include <QTabBar>
#include <QTextDocumentFragment>
#include <QToolTip>
#include <QWhatsThis>
#include <algorithm>

#include "theme/tips.h"

namespace nest {
namespace {

/// What our own tips begin with. The number is drawn when the program starts, so that no file can hold it.
const QString& mark() {
  static const QString drawn =
      QStringLiteral("<qt><!--%1-->").arg(QRandomGenerator::system()->generate64(), 16, 16, QLatin1Char('0'));
  return drawn;
}

bool isOurs(const QString& tip) {
  return tip.startsWith(mark());
}

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
      return showForeign(*static_cast<QWidget*>(o), *static_cast<QHelpEvent*>(e), Qt::ToolTipRole);
    } else if (e->type() == QEvent::WhatsThis && o->isWidgetType()) {
      return showForeign(*static_cast<QWidget*>(o), *static_cast<QHelpEvent*>(e), Qt::WhatsThisRole);
    }
    return false;
  }

private:
  /// Shows a text that Qt might take for HTML, or that hides something; false: Qt may show it.
  static bool showForeign(QWidget& widget, const QHelpEvent& help, Qt::ItemDataRole role) {
    const QString text = textAt(widget, help.pos(), role);
    if (isOurs(text) || (!Qt::mightBeRichText(text) && !hides(text))) return false;
    if (role == Qt::ToolTipRole)
      showTip(help.globalPos(), text, &widget);
    else
      QWhatsThis::showText(help.globalPos(), plainTip(text), &widget);
    return true;
  }

  /// What Qt would show there.
  static QString textAt(const QWidget& widget, const QPoint& at, Qt::ItemDataRole role) {
    const bool isTip = role == Qt::ToolTipRole;
    QString text;
    if (const auto* view = qobject_cast<const QAbstractItemView*>(widget.parentWidget());
        view && view->viewport() == &widget) {
      const auto* header = qobject_cast<const QHeaderView*>(view);
      text =
          !header ? view->indexAt(at).data(role).toString()
          : view->model()
              ? view->model()->headerData(header->logicalIndexAt(at), header->orientation(), role).toString()
              : QString();
    } else if (const auto* menu = qobject_cast<const QMenu*>(&widget)) {
      if (const QAction* action = menu->actionAt(at)) text = isTip ? action->toolTip() : action->whatsThis();
    } else if (const auto* tabs = qobject_cast<const QTabBar*>(&widget); tabs && tabs->tabAt(at) >= 0) {
      text = isTip ? tabs->tabToolTip(tabs->tabAt(at)) : tabs->tabWhatsThis(tabs->tabAt(at));
    }
    if (text.isEmpty()) text = isTip ? widget.toolTip() : widget.whatsThis();
    return text;
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
  return html.isEmpty() ? html : mark() + html + QStringLiteral("</qt>");
}

QString textOfTip(const QString& tip) {
  return isOurs(tip) ? QTextDocumentFragment::fromHtml(tip).toPlainText() : tip;
}

void showTip(const QPoint& globalPosition, const QString& tip, QWidget* widget, const QRect& area) {
  QToolTip::showText(globalPosition, isOurs(tip) ? tip : plainTip(tip), widget, area);
}

void keepTextPlain() {
  static PlainText* filter = nullptr;
  if (filter && filter->parent() == qApp) return;
  filter = new PlainText(qApp);
  qApp->installEventFilter(filter);
}

}  // namespace nest
