#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QObject>
#include <QRegularExpression>
#include <QSet>
#include <QTabBar>
#include <QTimer>
#include <QTranslator>
#include <functional>
#include <memory>
#include <utility>

#include "editors/network/generator_dialog.h"
#include "editors/scenario_panel.h"
#include "inspector/inspector.h"
#include "solver/solve.h"
#include "support/test_main.h"
#include "views/view.h"
#include "window/main_window.h"
#include "window/views_area.h"

using namespace nest;

namespace {

std::unique_ptr<MainWindow> makeWindow() {
  WindowOptions options;
  options.theme = Theme::Kind::Light;
  options.size = {1600, 1000};
  options.remembers = false;
  auto window = std::make_unique<MainWindow>(
      [](const Problem& p, const Control& c, const Plan* start) { return solve(p, c, start); }, options);
  window->openPath(samplePaths().value(0));
  window->findChild<QDockWidget*>(QStringLiteral("panel"))->show();
  window->show();
  return window;
}

bool isSolved(MainWindow& window) {
  return window.session().context()->plan && window.session().context()->current;
}

/// A language whose every text is 40 % longer, with accents above and below.
class LongWords : public QTranslator {
public:
  bool isEmpty() const override { return false; }
  QString translate(const char*, const char* source, const char*, int) const override {
    QString text = QString::fromUtf8(source);
    if (text.isEmpty() || text.contains(QLatin1Char('<'))) return text;
    const qsizetype more = std::max<qsizetype>(1, (text.size() * 2 + 4) / 5);
    const std::pair<char16_t, char16_t> accents[] = {{u'a', u'ä'}, {u'e', u'é'}, {u'o', u'ô'},
                                                     {u'c', u'ç'}, {u'A', u'Å'}, {u'S', u'Š'}};
    for (const auto& [plain, accented] : accents) text.replace(QChar(plain), QChar(accented));
    return text + QStringLiteral("ĝņąý").repeated(more / 4 + 1).left(more);
  }
};

/// Texts among the children of `root` that have less room than they need, or reach beyond it.
QStringList cutTexts(const QWidget* root) {
  QStringList cut;
  const auto look = [&](const QWidget* w, const QString& text, int needed) {
    if (!w->isVisible() || text.isEmpty()) return;
    bool scrolls = false;  // what can be scrolled to is not lost
    for (const QWidget* p = w->parentWidget(); p && p != root; p = p->parentWidget())
      scrolls = scrolls || qobject_cast<const QAbstractScrollArea*>(p);
    const int right = w->mapTo(root, QPoint(std::min(w->width(), needed), 0)).x();
    if (w->width() < needed - 1 || (!scrolls && right > root->width() + 1))
      cut += QStringLiteral("%1 \"%2\" %3 of %4, to %5 of %6")
                 .arg(QLatin1String(w->metaObject()->className()), text)
                 .arg(w->width())
                 .arg(needed)
                 .arg(right)
                 .arg(root->width());
  };
  for (const QLabel* label : root->findChildren<QLabel*>())
    if (!label->wordWrap() && label->sizePolicy().horizontalPolicy() != QSizePolicy::Ignored)
      look(label, label->text(), label->sizeHint().width());
  for (const QAbstractButton* button : root->findChildren<QAbstractButton*>())
    look(button, button->text(), button->minimumSizeHint().width());
  return cut;
}

QStringList cutTextsOnceLaidOut(const QWidget* root) {
  (void)QTest::qWaitFor([root] { return root->isVisible() && cutTexts(root).isEmpty(); });
  return cutTexts(root);
}

}  // namespace

class TestWholeWindow : public QObject {
  Q_OBJECT
private Q_SLOTS:
  /// Whatever the keyboard can reach, in any view, says what it is.
  void everythingThatTakesFocusHasAName() {
    const auto window = makeWindow();
    QTRY_VERIFY(isSolved(*window));
    QStringList nameless;
    for (View* view : window->views().views()) {
      window->views().reveal(view->id());
      QTRY_VERIFY(view->isInSight());
      for (const QWidget* w : view->findChildren<QWidget*>()) {
        if (!(w->focusPolicy() & Qt::TabFocus) || w->objectName().startsWith(QLatin1String("qt_"))) continue;
        const auto* button = qobject_cast<const QAbstractButton*>(w);
        if (!w->accessibleName().isEmpty() || (button && !button->text().isEmpty())) continue;
        if (w->inherits("QComboBoxListView")) continue;  // Qt's own, named by its box
        if (qobject_cast<const QLineEdit*>(w) && qobject_cast<const QComboBox*>(w->parentWidget())) continue;
        bool labelled = false;
        for (const QLabel* label : view->findChildren<QLabel*>()) labelled |= label->buddy() == w;
        // A scroll area around a form only scrolls; what is in it is walked by itself.
        const bool frame = w->metaObject()->className() == QByteArray("QScrollArea");
        if (!labelled && !frame)
          nameless += QStringLiteral("%1: %2 \"%3\"")
                          .arg(view->id(), QLatin1String(w->metaObject()->className()), w->objectName());
      }
    }
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QStringLiteral("\n"))));
  }

  /// Panels, panes, bars and dialogs too, as a screen reader asks for it.
  void everythingInTheWindowIsNamedToScreenReaders() {
    const auto window = makeWindow();
    QTRY_VERIFY(isSolved(*window));
    QSet<QString> nameless;
    const auto walk = [&](const QString& where) {
      QWidgetList all;
      for (QWidget* top : QApplication::topLevelWidgets())
        if (top->isVisible()) all += top->findChildren<QWidget*>();
      for (QWidget* w : std::as_const(all)) {
        if (!w->isVisible() || w->focusPolicy() == Qt::NoFocus || !w->isEnabled()) continue;
        if (w->objectName().startsWith(QLatin1String("qt_")) || w->inherits("QComboBoxListView")) continue;
        if (qobject_cast<const QLineEdit*>(w) && (qobject_cast<const QComboBox*>(w->parentWidget()) ||
                                                  qobject_cast<const QAbstractSpinBox*>(w->parentWidget())))
          continue;
        if (w->metaObject()->className() == QByteArray("QScrollArea")) continue;
        const QAccessibleInterface* a = QAccessible::queryAccessibleInterface(w);
        if (a && a->text(QAccessible::Name).trimmed().isEmpty())
          nameless += QStringLiteral("%1: %2 \"%3\" in %4")
                          .arg(where, QLatin1String(w->metaObject()->className()), w->objectName(),
                               QLatin1String(w->parentWidget()->metaObject()->className()));
      }
    };
    for (View* view : window->views().views()) {
      window->views().reveal(view->id());
      QTRY_VERIFY(view->isInSight());
      walk(view->id());
    }
    for (auto* tabs : window->findChildren<QTabBar*>())
      if (tabs->isVisible())
        for (int i = 0; i < tabs->count(); ++i) tabs->setCurrentIndex(i), walk(tabs->tabText(i));
    // Modal ones too: they are walked, and closed with Escape, from within.
    const auto walkDialog = [&](const QString& which, const std::function<void()>& open) {
      const auto opened = [&]() -> QDialog* {
        if (auto* modal = qobject_cast<QDialog*>(QApplication::activeModalWidget())) return modal;
        for (QWidget* top : QApplication::topLevelWidgets())
          if (auto* dialog = qobject_cast<QDialog*>(top); dialog && dialog->isVisible()) return dialog;
        return nullptr;
      };
      bool seen = false;
      const auto look = [&] {
        QDialog* dialog = opened();
        if (!dialog || std::exchange(seen, true)) return;
        walk(which);
        if (dialog->windowTitle().isEmpty() && dialog->accessibleName().isEmpty()) nameless += which;
        QTest::keyClick(dialog, Qt::Key_Escape);
        if (dialog->isVisible()) nameless += which + QStringLiteral(" stays open after Escape");
        dialog->close();
      };
      QTimer inside;
      inside.setInterval(50);
      connect(&inside, &QTimer::timeout, look);
      inside.start();
      open();
      for (int i = 0; i < 100 && !seen; ++i) QTest::qWait(20);
      QVERIFY2(seen, qPrintable(which + QStringLiteral(" does not open")));
    };
    for (const char* id :
         {"help.keys", "help.words", "help.about", "edit.find", "plan.launch", "view.export"})
      walkDialog(QLatin1String(id), [&] { window->actions().find(QLatin1String(id))->trigger(); });
    GeneratorDialog generator(window.get());
    walkDialog(QStringLiteral("generator"), [&] { generator.show(); });
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.values().join(QStringLiteral("\n"))));
  }

  /// No tags are read aloud, and what a label says is heard even where it has a name.
  void screenReadersHearWords() {
    const auto window = makeWindow();
    QTRY_VERIFY(isSolved(*window));
    window->views().reveal(QStringLiteral("search"));
    const auto* facts = window->findChild<Inspector*>();
    const auto heard = [facts] {
      for (const auto* label : facts->findChildren<QLabel*>())
        if (label->accessibleDescription().contains(QStringLiteral("Step time"))) return true;
      return false;
    };
    QTRY_VERIFY(heard());
    static const QRegularExpression tag(QStringLiteral("</?[a-z]+>"));
    for (QWidget* w : window->findChildren<QWidget*>()) {
      if (!w->isVisible()) continue;
      QAccessibleInterface* a = QAccessible::queryAccessibleInterface(w);
      const QString said = a->text(QAccessible::Name) + QLatin1Char('\n') + a->text(QAccessible::Description);
      QVERIFY2(!said.contains(tag), qPrintable(said));
      const auto* label = qobject_cast<QLabel*>(w);
      if (!label || label->accessibleName().isEmpty() || label->text().isEmpty()) continue;
      QVERIFY2(!a->text(QAccessible::Description).isEmpty(), qPrintable(label->accessibleName()));
    }
  }

  /// Views behind other tabs are visible to Qt, but not to anyone.
  void screenReadersPassByWhatLiesBehind() {
    const auto window = makeWindow();
    QTRY_VERIFY(isSolved(*window));
    ViewsArea& views = window->views();
    for (const QString& id : {QStringLiteral("timeline"), QStringLiteral("search")}) {
      views.reveal(id);
      QTRY_VERIFY(views.view(id)->isInSight());
      for (View* view : views.views()) {
        QAccessibleInterface* a = QAccessible::queryAccessibleInterface(view);
        QCOMPARE(a->childCount() > 0, view->isInSight());
        QCOMPARE(bool(a->state().invisible), !view->isInSight());
      }
    }
  }

  void longerWordsAreNotCutInAnyView() {
    LongWords words;
    QCoreApplication::installTranslator(&words);
    const auto window = makeWindow();
    QTRY_VERIFY(isSolved(*window));
    window->resize(1500, 900);
    QStringList cut;
    for (View* view : window->views().views()) {
      window->views().showAlone(view->id());
      for (const QString& text : cutTextsOnceLaidOut(view)) cut += view->id() + QStringLiteral(": ") + text;
    }
    for (const char* dock : {"panel", "inspector", "below", "lessons"}) {
      auto* d = window->findChild<QDockWidget*>(QLatin1String(dock));
      d->show();
      d->raise();
      for (const QString& text : cutTextsOnceLaidOut(d))
        cut += QLatin1String(dock) + QStringLiteral(": ") + text;
    }
    QCoreApplication::removeTranslator(&words);
    QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QStringLiteral("\n"))));
  }

  /// The menus and the tools beside them do not lie on each other.
  void longerWordsFitIntoTheMenuBar() {
    LongWords words;
    QCoreApplication::installTranslator(&words);
    const auto window = makeWindow();
    QCoreApplication::removeTranslator(&words);
    auto* bar = window->findChild<QMenuBar*>();
    for (const int width : {1500, 1000}) {
      window->resize(width, 900);
      QTRY_COMPARE(bar->width(), width);
      const QWidget* tools = bar->cornerWidget();
      for (QAction* menu : bar->actions()) {
        const QRect at = bar->actionGeometry(menu);
        if (at.isEmpty()) continue;  // behind the »
        QVERIFY2(at.width() >= bar->fontMetrics().horizontalAdvance(menu->text()), qPrintable(menu->text()));
        QVERIFY2(!tools->isVisible() || !at.intersects(tools->geometry()), qPrintable(menu->text()));
      }
    }
  }

  /// From any view, Tab goes through everything in it that takes the focus, and goes on.
  void tabReachesEverythingInEveryView() {
    const auto window = makeWindow();
    QApplication::setActiveWindow(window.get());
    QTRY_VERIFY(isSolved(*window));
    QStringList missed;
    for (View* view : window->views().views()) {
      window->views().showAlone(view->id());
      QTRY_VERIFY(view->isInSight());
      QSet<const QWidget*> wanted, met;
      for (const QWidget* w : view->findChildren<QWidget*>())
        if (w->isVisible() && w->isEnabled() && (w->focusPolicy() & Qt::TabFocus) && !w->focusProxy() &&
            !w->objectName().startsWith(QLatin1String("qt_")) && !w->inherits("QScrollArea"))
          wanted += w;
      view->setFocus(Qt::TabFocusReason);
      for (int i = 0; i < 400 && QApplication::focusWidget(); ++i) {
        met += QApplication::focusWidget();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
      }
      const QWidget* last = QApplication::focusWidget();
      for (const QWidget* w : wanted - met)
        missed += QStringLiteral("%1: %2 \"%3\", the focus stays in %4")
                      .arg(view->id(), QLatin1String(w->metaObject()->className()), w->accessibleName(),
                           last ? QLatin1String(last->metaObject()->className()) + QLatin1Char(' ') +
                                      last->accessibleName()
                                : QString());
    }
    QVERIFY2(missed.isEmpty(), qPrintable(missed.join(QStringLiteral("\n"))));
  }

  void longerWordsAreNotCutInThePanel() {
    LongWords words;
    QCoreApplication::installTranslator(&words);
    const auto window = makeWindow();
    QCoreApplication::removeTranslator(&words);
    QTRY_VERIFY(isSolved(*window));
    const QWidget* page = window->panel().widget();
    QString widest;
    for (const QWidget* w : page->findChildren<QWidget*>())
      if (w->isVisible() && w->minimumSizeHint().width() > 250)
        widest += QStringLiteral("%1 %2 %3; ")
                      .arg(QLatin1String(w->metaObject()->className()), w->objectName())
                      .arg(w->minimumSizeHint().width());
    QVERIFY2(
        page->width() <= window->panel().viewport()->width(),
        qPrintable(QStringLiteral("%1 > %2: ").arg(page->width()).arg(window->panel().viewport()->width()) +
                   widest));
    QStringList cut;
    for (const QLabel* label : page->findChildren<QLabel*>()) {
      if (!label->isVisible() || label->text().isEmpty() || label->wordWrap()) continue;
      const bool room = label->width() >= label->sizeHint().width() - 1;
      const bool inside = label->mapTo(page, QPoint(label->width(), 0)).x() <= page->width();
      if (!room || !inside) cut += label->text();
    }
    for (const QAbstractButton* button : page->findChildren<QAbstractButton*>()) {
      if (!button->isVisible() || button->text().isEmpty()) continue;
      if (button->width() < button->minimumSizeHint().width() ||
          button->mapTo(page, QPoint(button->width(), 0)).x() > page->width())
        cut += button->text();
    }
    QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QStringLiteral("\n"))));
  }
};

NEST_TEST(TestWholeWindow)
#include "test_whole_window.moc"
