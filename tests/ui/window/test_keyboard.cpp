// The window without a mouse: Tab, menus, and the sheet that lists the keys.
#include <QAccessible>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QSignalSpy>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>

#include "editors/plan_sentence.h"
#include "editors/scenario_panel.h"
#include "window/gallery.h"
#include "window/headline.h"
#include "window/keys_sheet.h"
#include "window_bench.h"

using namespace nest;
using namespace nest::test;

namespace {

QString nameOf(const QWidget* w) {
  return QString::fromLatin1(w->metaObject()->className()) + u' ' + w->accessibleName();
}

/// Lies in a dock behind other tabs.
bool isBehind(const QWidget* w) {
  for (; w; w = w->parentWidget())
    if (qobject_cast<const QDockWidget*>(w) && w->visibleRegion().isEmpty()) return true;
  return false;
}

}  // namespace

class TestKeyboard : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { QSettings().clear(); }

  void tabStaysInSight_data() {
    QTest::addColumn<QString>("arrangement");
    for (const char* id : {"view.explore", "view.present", "view.teach"})
      QTest::newRow(id) << QString::fromLatin1(id);
  }
  void tabStaysInSight() {
    QFETCH(QString, arrangement);
    WindowBench b;
    QTRY_VERIFY(b.solved());
    QVERIFY(QTest::qWaitForWindowActive(&b.window));
    b.trigger(qPrintable(arrangement));
    QTest::qWait(50);  // docks are laid out
    QVERIFY2(!b.window.selection().selected(), "an arrangement selects nothing");
    for (const auto key : {Qt::Key_Tab, Qt::Key_Backtab}) {
      std::vector<QWidget*> stops;
      for (int i = 0; i < 200; ++i) {
        QWidget* before = b.window.focusWidget();
        QTest::keyClick(before ? before : static_cast<QWidget*>(&b.window), key);
        QWidget* now = b.window.focusWidget();
        QVERIFY(now);
        QVERIFY2(!isBehind(now), qPrintable(nameOf(now)));
        const auto place = [&] { return QRect(now->mapTo(&b.window, QPoint()), now->size()); };
        // The panels may still be laid out for what they are about to show.
        QTRY_VERIFY2(place().intersects(b.window.rect()), qPrintable(QStringLiteral("%1 at %2, %3 of %4 × %5")
                                                                         .arg(nameOf(now))
                                                                         .arg(place().x())
                                                                         .arg(place().y())
                                                                         .arg(b.window.width())
                                                                         .arg(b.window.height())));
        if (!stops.empty() && now == stops.front()) break;
        stops.push_back(now);
      }
      QVERIFY(stops.size() > 8);
      QVERIFY2(stops.size() < 200, "Tab comes round");
    }
  }

  /// Tab goes down the panel and along a bar as they are read.
  void tabFollowsTheEye() {
    WindowBench b;
    QTRY_VERIFY(b.solved());
    // A row more: rows that come later stand where the others do.
    b.window.document().edit({}, QStringLiteral("Add"), [](Scenario& s) {
      auto& levels = std::get<LevelsSource>(s.cluster.network).levels;
      levels.push_back(levels.back());
      levels.back().name = "hall";
    });
    QApplication::processEvents();
    const auto stopsIn = [](QWidget* area) {
      std::vector<QWidget*> stops;
      for (QWidget* w = area->nextInFocusChain(); w != area; w = w->nextInFocusChain())
        if (area->isAncestorOf(w) && (w->focusPolicy() & Qt::TabFocus) && w->isVisible()) stops.push_back(w);
      return stops;
    };
    const auto inOrder = [](const QWidget* area, const std::vector<QWidget*>& stops) {
      for (std::size_t i = 1; i < stops.size(); ++i) {
        const QRect a(stops[i - 1]->mapTo(area, QPoint()), stops[i - 1]->size()),
            z(stops[i]->mapTo(area, QPoint()), stops[i]->size());
        const bool sameRow = a.top() < z.center().y() && a.bottom() > z.center().y();
        if (sameRow ? z.left() < a.left() : z.top() < a.top())
          return nameOf(stops[i - 1]) + QStringLiteral(" before ") + nameOf(stops[i]);
      }
      return QString();
    };
    auto* panel = b.window.findChild<ScenarioPanel*>();
    QVERIFY(panel);
    QVERIFY(stopsIn(panel).size() > 40);
    QCOMPARE(inOrder(panel, stopsIn(panel)), QString());
    for (const char* id : {"topology", "stages", "communication", "timeline"}) {
      View* view = b.window.views().view(QLatin1String(id));
      b.window.views().reveal(QLatin1String(id));
      QTRY_VERIFY(view->isInSight());
      std::vector<QWidget*> bar;
      for (QWidget* w : stopsIn(view))
        if (qobject_cast<QComboBox*>(w) || qobject_cast<QToolButton*>(w)) bar.push_back(w);
      QVERIFY2(!bar.empty(), id);
      QCOMPARE(inOrder(view, bar), QString());
    }
  }

  /// From the headline to the sentence, the panel, the views as they stand, and what is right and below; the
  /// bar of a view before its picture.
  void tabGoesThroughTheWindowAsItIsRead() {
    WindowBench b;
    QTRY_VERIFY(b.solved());
    QVERIFY(QTest::qWaitForWindowActive(&b.window));
    b.trigger("view.below");
    QTest::qWait(50);
    const auto partOf = [&](const QWidget* w) -> QString {
      for (const View* v : b.window.views().views())
        if (v->isAncestorOf(w)) return v->id();
      for (const auto* dock : b.window.findChildren<QDockWidget*>())
        if (dock->isAncestorOf(w)) return dock->objectName();
      if (b.window.headline().isAncestorOf(w)) return QStringLiteral("headline");
      return b.window.findChild<PlanSentence*>()->isAncestorOf(w) ? QStringLiteral("sentence") : QString();
    };
    QStringList parts;
    QWidget* first = b.window.findChild<PlanSentence*>()->findChild<QLineEdit*>();
    first->setFocus();
    for (int i = 0; i < 200; ++i) {
      QWidget* now = b.window.focusWidget();
      if (const QString part = partOf(now); !part.isEmpty() && (parts.isEmpty() || parts.last() != part))
        parts << part;
      if (now->objectName() == QLatin1String("edit")) QCOMPARE(parts.last(), QStringLiteral("topology"));
      QTest::keyClick(now, Qt::Key_Tab);
      if (b.window.focusWidget() == first) break;
    }
    QCOMPARE(parts, (QStringList{"sentence", "panel", "topology", "memory", "stages", "inspector", "below",
                                 "headline", "sentence"}));
    auto* topology = b.window.views().view(QStringLiteral("topology"));
    auto* edit = topology->findChild<QToolButton*>(QStringLiteral("edit"));
    edit->setFocus();
    QTest::keyClick(edit, Qt::Key_Tab, Qt::ShiftModifier);
    QCOMPARE(partOf(b.window.focusWidget()), QStringLiteral("panel"));
  }

  /// Ctrl+1 and its like are the way into a view: the next key is the view's.
  void aViewThatIsCalledTakesTheKeys() {
    WindowBench b;
    QTRY_VERIFY(b.solved());
    QVERIFY(QTest::qWaitForWindowActive(&b.window));
    for (View* v : b.window.views().views()) {
      b.line("/name")->setFocus();
      b.trigger(qPrintable(QStringLiteral("view.show.") + v->id()));
      QTRY_VERIFY(v->isInSight());
      QWidget* now = b.window.focusWidget();
      QVERIFY2(now && v->isAncestorOf(now), qPrintable(v->id()));
      QVERIFY2(now->isVisible() && (now->focusPolicy() & Qt::TabFocus), qPrintable(v->id()));
      b.trigger(qPrintable(QStringLiteral("view.show.") + v->id()));
      QCOMPARE(b.window.focusWidget(), now);
      QVERIFY2(!b.window.selection().selected(), qPrintable(v->id()));
    }
    b.line("/name")->setFocus();
    b.trigger("view.show.topology");
    QTest::keyClick(b.window.focusWidget(), Qt::Key_Right);
    QVERIFY(b.window.selection().selected());
  }

  void returnOpensACard() {
    WindowBench b{QString()};
    auto* gallery = b.window.findChild<Gallery*>();
    QTRY_VERIFY(gallery && gallery->isVisible());
    QPushButton* card = nullptr;
    for (auto* button : gallery->findChildren<QPushButton*>())
      if (button->height() > 200 && !card) card = button;
    QVERIFY(card);
    QSignalSpy chosen(gallery, &Gallery::chosen);
    card->setFocus(Qt::TabFocusReason);
    QTest::keyClick(card, Qt::Key_Return);
    QCOMPARE(chosen.count(), 1);
    for (QWidget* w = gallery->nextInFocusChain(); w != gallery; w = w->nextInFocusChain())
      if (gallery->isAncestorOf(w) && (w->focusPolicy() & Qt::TabFocus) && w->isVisible())
        QVERIFY2(qobject_cast<QPushButton*>(w), qPrintable(nameOf(w)));  // each stop is seen
  }

  void menusOpenByKey() {
    WindowBench b;
    QTRY_VERIFY(b.solved());
    QVERIFY(QTest::qWaitForWindowActive(&b.window));
    auto* bar = b.window.findChild<QMenuBar*>();
    QString letters;
    for (const QAction* menu : bar->actions()) {
      const auto at = menu->text().indexOf(QLatin1Char('&'));
      QVERIFY2(at >= 0, qPrintable(menu->text()));
      QVERIFY2(!letters.contains(menu->text().at(at + 1), Qt::CaseInsensitive), qPrintable(menu->text()));
      letters += menu->text().at(at + 1);
    }
    QVERIFY(letters.startsWith(QLatin1Char('F')));
    QTest::keyClick(&b.window, Qt::Key_F, Qt::AltModifier);
    QTRY_VERIFY(QApplication::activePopupWidget());
    QCOMPARE(QApplication::activePopupWidget(), bar->actions().front()->menu());
    QApplication::activePopupWidget()->close();
    QTest::keyClick(&b.window, Qt::Key_F10);
    QTRY_COMPARE(bar->activeAction(), bar->actions().front());
  }

  /// Whatever Tab reaches has a name for those who hear it, with a scenario and without. A label that has a
  /// name is heard by that one: its text is then its description.
  void whatTabReachesHasAName() {
    for (const QString& path : {QString(), teachingSample()}) {
      WindowBench b(path);
      if (!path.isEmpty()) QTRY_VERIFY(b.solved());
      QStringList nameless;
      const auto look = [&] {
        QApplication::processEvents();
        for (const QLabel* l : b.window.findChildren<QLabel*>())
          if (l->isVisible() && !l->text().isEmpty() && !l->accessibleName().isEmpty() &&
              l->accessibleName() != l->text() && l->accessibleDescription().isEmpty())
            nameless << QStringLiteral("text of ") + l->accessibleName();
        for (QWidget* w : b.window.findChildren<QWidget*>()) {
          if (!(w->focusPolicy() & Qt::TabFocus) || !w->isVisible() || w->focusProxy()) continue;
          if (const auto* tabs = qobject_cast<QTabBar*>(w); tabs && tabs->count() == 0) continue;
          QAccessibleInterface* face = QAccessible::queryAccessibleInterface(w);
          if (!face || face->text(QAccessible::Name).trimmed().isEmpty())
            nameless << QString::fromLatin1(w->metaObject()->className()) + QStringLiteral(" in ") +
                            QString::fromLatin1(w->parentWidget()->metaObject()->className()) +
                            QLatin1Char(' ') + w->objectName();
        }
      };
      look();
      for (View* view : b.window.views().views()) {
        b.window.views().reveal(view->id());
        look();
        for (auto* tabs : view->findChildren<QTabWidget*>())
          for (int i = 0; i < tabs->count(); ++i) tabs->setCurrentIndex(i), look();
      }
      nameless.removeDuplicates();
      QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QLatin1Char('\n'))));
    }
  }

  void theSheetListsTheKeysOfTheViews() {
    QString all;
    for (const FixedKeys& k : fixedKeys()) all += k.group + u' ' + k.keys + u'\n';
    for (const char* key : {"+, −, 0", "Shift+Arrow", "Home, End", "V, H, S, D, C", "Delete", "Ctrl+D", "F2",
                            "Space", "R, T", "Page Down", "Shift+Enter", "Alt+Left", "F10", "Tab"})
      QVERIFY2(all.contains(QString::fromUtf8(key)), key);
  }
};
NEST_TEST(TestKeyboard)
#include "test_keyboard.moc"
