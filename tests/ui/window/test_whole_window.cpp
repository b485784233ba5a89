#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QObject>
#include <QTabBar>
#include <QTranslator>
#include <memory>

#include "editors/scenario_panel.h"
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
  window->show();
  return window;
}

bool isSolved(MainWindow& window) {
  return window.session().context()->plan && window.session().context()->current;
}

/// A language whose every word is a third longer.
class LongWords : public QTranslator {
public:
  bool isEmpty() const override { return false; }
  QString translate(const char*, const char* source, const char*, int) const override {
    const QString text = QString::fromUtf8(source);
    if (text.isEmpty() || text.contains(QLatin1Char('<'))) return text;
    return text + QString(std::max<qsizetype>(1, text.size() / 3), QLatin1Char('~'));
  }
};

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
      QTest::qWait(1);
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
