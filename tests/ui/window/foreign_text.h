#pragma once

#include <QAbstractItemView>
#include <QAccessible>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QPointer>
#include <QTabBar>
#include <QTextDocument>
#include <QTextDocumentFragment>
#include <QTextEdit>
#include <QToolTip>
#include <QTreeView>

#include "theme/tips.h"
#include "window_bench.h"

/// Texts of others that look like HTML, and a visitor that notices where one is read as HTML.
namespace nest::test {

/// Stands before the text of every string of a file: the beginning of a page of Qt's own, a picture, a style
/// sheet, and places such as QString::arg() fills in.
inline constexpr auto kForeign =
    "<qt><link rel='stylesheet' href='/nowhere.css'></link><img src='/nowhere.png'>%1%2%3 mark ";
/// The same of a file's name, in which no '/' can stand.
inline constexpr auto kForeignFile = "<qt><img src='nowhere.png'>%1 mark .nest.json";

/// What documents wanted to load since the program began: Qt asks here, of every document there is, for what
/// it did not find where the document looked for it.
inline QStringList& loads() {
  static QStringList all;
  return all;
}

/// Whether each foreign text stands there whole; where a part was read as HTML or filled in, the mark alone
/// remains.
inline bool isWhole(const QString& shown) {
  const auto marks = shown.count(QLatin1String(" mark"));
  // In the place of a key, a JSON pointer, each '/' stands as "~1".
  const QString whole = QString::fromLatin1(kForeign).trimmed();
  return marks == shown.count(whole) + shown.count(QString(whole).replace(u'/', QLatin1String("~1"))) +
                      shown.count(QString::fromLatin1(kForeignFile).section(QLatin1String(" mark"), 0, 0));
}

/// What a user sees of a text that Qt takes for HTML if it looks like that.
inline QString seen(const QString& text) {
  return Qt::mightBeRichText(text) ? QTextDocumentFragment::fromHtml(text).toPlainText() : text;
}

/// From now on loads() fills, until stopListening().
inline void listenToLoads() {
  QTextDocument::setDefaultResourceProvider([](const QUrl& url) {
    loads() += url.toString();
    return QVariant();
  });
}
inline void stopListening() {
  QTextDocument::setDefaultResourceProvider({});
}

/// Looks at all that a widget shows, rests the pointer on all of it, and listens to what a screen reader says
/// of it.
class Visitor {
public:
  QStringList faults;
  int tips = 0, foreignTips = 0, foreignTexts = 0;

  void visit(QWidget& top) {
    QList<QPointer<QWidget>> all;  // the window of a tip is a child, too, and goes with the next tip
    for (QWidget* w : top.findChildren<QWidget*>()) all += w;
    for (const QPointer<QWidget>& w : std::as_const(all)) {
      if (!w || w->inherits("QTipLabel") || !w->isVisible() || w->size().isEmpty()) continue;
      m_at = QLatin1String(w->metaObject()->className()) + u' ' + w->accessibleName().left(30);
      read(*w);
      listen(*w);
      hover(*w);
    }
  }

private:
  void check(const QString& shown, const char* what) {
    foreignTexts += shown.contains(QLatin1String(" mark"));
    if (!isWhole(shown)) faults += m_at + QStringLiteral(": ") + QLatin1String(what) + u' ' + shown;
    for (const QString& url : std::exchange(loads(), {}))
      faults += m_at + QStringLiteral(": ") + QLatin1String(what) + QStringLiteral(" loads ") + url;
  }

  void read(QWidget& w) {
    if (const auto* label = qobject_cast<const QLabel*>(&w)) {
      const bool isRich = label->textFormat() == Qt::RichText ||
                          (label->textFormat() == Qt::AutoText && Qt::mightBeRichText(label->text()));
      check(isRich ? QTextDocumentFragment::fromHtml(label->text()).toPlainText() : label->text(), "label");
    } else if (const auto* edit = qobject_cast<const QTextEdit*>(&w)) {
      check(edit->toPlainText(), "document");
      if (edit->toHtml().contains(QLatin1String("<img"))) faults += m_at + QStringLiteral(" has a picture");
    }
    check(w.statusTip(), "status tip");
  }

  void listen(QWidget& w) {
    QAccessibleInterface* heard = QAccessible::queryAccessibleInterface(&w);
    if (!heard) return;
    for (const auto part :
         {QAccessible::Name, QAccessible::Description, QAccessible::Value, QAccessible::Help})
      check(textOfTip(heard->text(part)), "accessible text");
  }

  void rest(QWidget& w, const QPoint& at) {
    for (const auto type : {QEvent::ToolTip, QEvent::WhatsThis}) {
      QHelpEvent help(type, at, w.mapToGlobal(at));
      QApplication::sendEvent(&w, &help);
      if (type != QEvent::ToolTip) continue;
      const QString tip = seen(QToolTip::text());
      tips += !tip.isEmpty();
      foreignTips += tip.contains(QLatin1String(" mark"));
      check(tip, "tip");
    }
  }

  void hover(QWidget& w) {
    if (const auto* tabs = qobject_cast<const QTabBar*>(&w)) {
      for (int i = 0; i < tabs->count(); ++i) rest(w, tabs->tabRect(i).center());
    } else if (auto* view = qobject_cast<QAbstractItemView*>(w.parentWidget());
               view && view->viewport() == &w) {
      hoverItems(*view);
    } else {
      const bool isPicture = w.inherits("nest::FigureCanvas") || w.inherits("nest::NetworkCanvas");
      const int steps = isPicture ? 9 : 2;
      for (int x = 1; x < steps; ++x)
        for (int y = 1; y < steps; ++y) rest(w, {w.width() * x / steps, w.height() * y / steps});
    }
  }

  void hoverItems(QAbstractItemView& view) {
    if (!view.model()) return;
    if (const auto* header = qobject_cast<const QHeaderView*>(&view)) {
      for (int i = 0; i < std::min(header->count(), 30); ++i)
        rest(*view.viewport(), header->orientation() == Qt::Horizontal
                                   ? QPoint(header->sectionViewportPosition(i) + 3, 3)
                                   : QPoint(3, header->sectionViewportPosition(i) + 3));
      return;
    }
    if (auto* tree = qobject_cast<QTreeView*>(&view)) tree->expandToDepth(1);
    const int step = std::max(1, view.viewport()->height() / 12);
    for (int y = 2; y < view.viewport()->height(); y += step) {
      const QModelIndex at = view.indexAt({2, y});
      for (int column = 0; at.isValid() && column < view.model()->columnCount(at.parent()); ++column)
        if (const QRect r = view.visualRect(at.siblingAtColumn(column)); !r.isEmpty())
          rest(*view.viewport(), r.center());
    }
  }

  QString m_at;
};

}  // namespace nest::test
