// Layouts that were kept by a version with other views than this one's.
#include <QDataStream>
#include <QDockWidget>

#include "window_bench.h"

using namespace nest;
using namespace nest::test;

namespace {

constexpr int kVersion = 1;

QByteArray written(const QString& name) {
  QByteArray out;
  QDataStream stream(&out, QIODevice::WriteOnly);
  stream << name;
  return out;
}

/// As a version keeps it that calls a view otherwise, or knew it under another name.
QByteArray renamed(QByteArray state, const QString& view) {
  QString other = QStringLiteral("view.") + view;
  const QByteArray now = written(other);
  other.back() = u'_';
  return state.replace(now, written(other));
}

}  // namespace

class TestOldLayouts : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { forgetWindows(); }

  void aViewThatALayoutDoesNotKnowHasItsPlace_data() {
    QTest::addColumn<QString>("view");
    QTest::addColumn<QByteArray>("arrangement");
    for (const char* view : {"topology", "stages", "memory", "communication", "accuracy", "study"})
      for (const char* arrangement : {"view.explore", "view.present", "view.teach"})
        QTest::newRow(qPrintable(QLatin1String(view) + QStringLiteral(", ") + QLatin1String(arrangement)))
            << QString::fromLatin1(view) << QByteArray(arrangement);
  }
  void aViewThatALayoutDoesNotKnowHasItsPlace() {
    QFETCH(QString, view);
    QFETCH(QByteArray, arrangement);
    struct Kept {
      QByteArray state;
      QStringList front;
    };
    static QMap<QByteArray, Kept> all;  // one window an arrangement: its views are the same for each of them
    const auto seen = [](ViewsArea& views) {
      QStringList out;
      for (const View* v : views.views())
        if (v->isInSight()) out << v->id();
      return out;
    };
    if (!all.contains(arrangement)) {
      WindowBench before;
      before.trigger(arrangement.constData());
      QApplication::processEvents();
      all[arrangement] = {before.window.views().saveState(kVersion), seen(before.window.views())};
    }
    const auto& [state, front] = all[arrangement];
    WindowBench b;
    QVERIFY(b.window.views().restoreLayout(renamed(state, view), kVersion));
    QApplication::processEvents();
    ViewsArea& views = b.window.views();
    std::vector<const QDockWidget*> inSight;
    for (const auto* dock : views.findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
      QVERIFY2(!dock->isFloating(), qPrintable(dock->objectName()));
      QVERIFY2(!dock->isHidden(), qPrintable(dock->objectName()));
      if (!dock->visibleRegion().isEmpty()) inSight.push_back(dock);
    }
    QVERIFY(!inSight.empty());
    for (const QDockWidget* a : inSight) {
      QVERIFY2(views.rect().contains(a->geometry()), qPrintable(a->objectName()));
      QVERIFY2(a->width() >= 100 && a->height() >= 60, qPrintable(a->objectName()));
      for (const QDockWidget* c : inSight)
        QVERIFY2(a == c || !a->geometry().intersects(c->geometry()), qPrintable(a->objectName()));
    }
    if (!front.contains(view)) QCOMPARE(seen(views), front);
    views.reveal(view);
    QTRY_VERIFY(views.view(view)->isInSight());
    QCOMPARE(views.current()->id(), view);
  }

  /// The settings of a window without a file are as prone to damage as those of a file.
  void aDamagedLayoutIsLeftAlone_data() {
    QTest::addColumn<QString>("key");
    QTest::newRow("panels") << QStringLiteral("window/panels");
    QTest::newRow("views") << QStringLiteral("window/views");
  }
  void aDamagedLayoutIsLeftAlone() {
    QFETCH(QString, key);
    const auto placesOf = [](WindowBench& b) {
      QApplication::processEvents();
      QList<QRect> out;
      for (const auto* dock : b.window.findChildren<QDockWidget*>()) out << dock->geometry();
      return out;
    };
    QList<QRect> whole;
    {
      WindowBench b(QString(), true);
      whole = placesOf(b);
      b.window.close();
    }
    const QByteArray kept = QSettings().value(key).toByteArray();
    QVERIFY(kept.size() > 100);
    QSettings().setValue(key, kept.left(100));
    WindowBench b(QString(), true);
    QCOMPARE(placesOf(b), whole);
  }
};

NEST_TEST(TestOldLayouts)
#include "test_old_layouts.moc"
