// Names that others wrote are text: no widget reads HTML in them, and no character in them hides.
#include <QAbstractItemView>
#include <QComboBox>
#include <QHelpEvent>
#include <QLabel>
#include <QMessageBox>
#include <QTextDocument>
#include <QTextEdit>
#include <QTimer>
#include <QToolTip>

#include "cluster/graph/graph_edit.h"
#include "document/scenario_document.h"
#include "formats/scenario/scenario_json.h"
#include "theme/plain_text.h"
#include "window_bench.h"

using namespace nest;
using namespace nest::test;

namespace {

constexpr auto kForeign = "<b>x</b><img src='/nowhere'>";

/// The teaching sample, drawn, with foreign names wherever a file can have one.
QString hostileFile(const QTemporaryDir& dir) {
  QFile file(teachingSample());
  if (!file.open(QIODevice::ReadOnly)) return {};
  auto scenario = readScenario(file.readAll().toStdString(), "teaching.nest.json", {});
  if (!scenario) return {};
  const std::string foreign = kForeign;
  GraphSource drawn;
  drawn.graph = graph::fromLevels(std::get<LevelsSource>(scenario->cluster.network));
  for (auto& n : drawn.graph.nodes) {
    if (n.kind != NodeKind::Device) continue;
    n.name = foreign + " of " + n.name;
  }
  for (auto& n : drawn.graph.nodes)
    if (n.kind != NodeKind::Device) n.name = foreign + ' ' + n.id;
  drawn.importedFrom = foreign + ".conf";
  scenario->cluster.network = drawn;
  scenario->cluster.device.name = foreign + " device";
  scenario->name = foreign + " scenario";
  scenario->description = foreign + " description";
  QFile out(dir.filePath(QStringLiteral("hostile.nest.json")));
  if (!out.open(QIODevice::WriteOnly)) return {};
  out.write(QByteArray::fromStdString(writeScenario(*scenario)));
  return out.fileName();
}

bool asksForAPicture(const QString& html) {
  return html.contains(QLatin1String("<img src='/nowhere'"));
}

/// Where a foreign name would be read as HTML; empty: nowhere.
QString readAsHtml(const QWidget& window) {
  for (const QLabel* label : window.findChildren<QLabel*>()) {
    const bool rich = label->textFormat() != Qt::PlainText &&
                      (label->textFormat() != Qt::AutoText || Qt::mightBeRichText(label->text()));
    if (rich && asksForAPicture(label->text())) return QStringLiteral("label: ") + label->text();
  }
  for (const QTextEdit* edit : window.findChildren<QTextEdit*>())
    if (asksForAPicture(edit->toHtml())) return QStringLiteral("document: ") + edit->toPlainText();
  return {};
}

}  // namespace

class TestForeignText : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void namesAreTextInEveryView() {
    QTemporaryDir dir;
    const QString path = hostileFile(dir);
    QVERIFY(!path.isEmpty());
    WindowBench b(path);
    QTRY_VERIFY_WITH_TIMEOUT(b.solved(), 30000);
    int seen = 0;
    for (const View* view : b.window.views().views()) {
      b.window.views().reveal(view->id());
      for (const SelectionItem& item :
           {SelectionItem{ItemKind::Device, 0}, SelectionItem{ItemKind::Group, 0, 0},
            SelectionItem{ItemKind::Pair, 0, -1, 1}}) {
        b.window.selection().setSelected(item);
        QApplication::processEvents();
        const QString where = readAsHtml(b.window);
        QVERIFY2(where.isEmpty(), qPrintable(view->id() + u' ' + where));
      }
      for (const QLabel* label : b.window.findChildren<QLabel*>())
        seen += label->isVisible() && label->textFormat() == Qt::PlainText &&
                label->text().contains(QLatin1String(kForeign));
    }
    QVERIFY(seen > 0);  // the names do stand in labels
  }

  void tipsShowNamesAsTheyAre() {
    QTemporaryDir dir;
    WindowBench b(hostileFile(dir));
    QTRY_VERIFY_WITH_TIMEOUT(b.solved(), 30000);
    int shown = 0;
    const auto ask = [&](QWidget* widget, const QPoint& at) {
      QHelpEvent help(QEvent::ToolTip, at, widget->mapToGlobal(at));
      QApplication::sendEvent(widget, &help);
      const QString tip = QToolTip::text();
      shown += !tip.isEmpty();
      return !asksForAPicture(tip) || !Qt::mightBeRichText(tip);
    };
    for (const View* view : b.window.views().views()) {
      b.window.views().reveal(view->id());
      QApplication::processEvents();
      for (QWidget* w : b.window.findChildren<QWidget*>()) {
        if (!w->isVisible() || w->size().isEmpty()) continue;
        const bool canvas = w->metaObject()->className() == QByteArray("nest::NetworkCanvas") ||
                            w->metaObject()->className() == QByteArray("nest::FigureCanvas");
        const int steps = canvas ? 12 : 2;
        for (int x = 1; x < steps; ++x)
          for (int y = 1; y < steps; ++y) {
            const QPoint at(w->width() * x / steps, w->height() * y / steps);
            QVERIFY2(ask(w, at), qPrintable(view->id() + u' ' + QToolTip::text()));
          }
      }
      for (auto* view2 : b.window.findChildren<QAbstractItemView*>())
        if (view2->isVisible() && view2->model())
          for (int row = 0; row < std::min(view2->model()->rowCount(), 20); ++row)
            for (int column = 0; column < view2->model()->columnCount(); ++column) {
              const QRect r = view2->visualRect(view2->model()->index(row, column));
              if (!r.isEmpty()) QVERIFY2(ask(view2->viewport(), r.center()), qPrintable(QToolTip::text()));
            }
    }
    QVERIFY(shown > 20);
  }

  void messagesAreText() {
    WindowBench b;
    QTimer::singleShot(0, &b.window, [] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      if (!box) return;
      for (const QLabel* label : box->findChildren<QLabel*>())
        if (label->text().contains(QLatin1String(kForeign))) QCOMPARE(label->textFormat(), Qt::PlainText);
      box->setProperty("looked", true);
      box->reject();
    });
    QMessageBox box(QMessageBox::Warning, QStringLiteral("Title"), QString::fromLatin1(kForeign),
                    QMessageBox::Ok, &b.window);
    box.exec();
    QVERIFY(box.property("looked").toBool());
  }

  void ourOwnMarkupIsNotShownAsText() {
    WindowBench b;
    QTRY_VERIFY(b.solved());
    for (const View* view : b.window.views().views()) {
      b.window.views().reveal(view->id());
      QApplication::processEvents();
      for (const QLabel* label : b.window.findChildren<QLabel*>())
        QVERIFY2(!label->isVisible() || label->textFormat() != Qt::PlainText ||
                     !Qt::mightBeRichText(label->text()),
                 qPrintable(view->id() + u' ' + label->text()));
    }
  }

  void labelsShowWhatHides() {
    WindowBench b;
    QTRY_VERIFY(b.solved());
    b.window.document().edit({}, QStringLiteral("x"), [](Scenario& s) { s.name = "a\u202Eb\x1b"; });
    const QString shown = QStringLiteral("a⟨U+202E⟩b␛");
    QTRY_VERIFY([&] {
      for (const QLabel* label : b.window.findChildren<QLabel*>())
        if (label->isVisible() && label->text().contains(shown)) return true;
      return false;
    }());
    for (const QLabel* label : b.window.findChildren<QLabel*>())
      if (label->isVisible()) QCOMPARE(label->text(), visibleText(label->text()));
  }

  void whatHidesIsMadeVisible() {
    QCOMPARE(visibleText(QStringLiteral("plain\ttext\n")), QStringLiteral("plain\ttext\n"));
    QCOMPARE(visibleText(QStringLiteral("a\x1b[2J")), QStringLiteral("a␛[2J"));
    QCOMPARE(visibleText(QString(QChar(0x202E)) + QStringLiteral("gpj.exe")),
             QStringLiteral("⟨U+202E⟩gpj.exe"));
    QCOMPARE(visibleText(QString(QChar(0x85))), QStringLiteral("⟨U+0085⟩"));
  }
};
NEST_TEST(TestForeignText)
#include "test_foreign_text.moc"
