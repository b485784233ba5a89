#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QMimeData>
#include <QRegularExpression>
#include <QSettings>
#include <QSignalSpy>
#include <QSlider>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QTimer>
#include <QUndoStack>
#include <QUrl>
#include <algorithm>

#include "editors/what_if/what_if_view.h"
#include "export/export_dialog.h"
#include "fields/field.h"
#include "figures/plan/memory_figure.h"
#include "figures/plan/waterfall_figure.h"
#include "solver/solve.h"
#include "support/desk.h"
#include "support/slider_drag.h"
#include "test_paths.h"
#include "views/compare/compare_view.h"
#include "views/search/search_view.h"
#include "window/main_window.h"
#include "window/views_area.h"

using namespace nest;
using test::buttonOf;
using test::Desk;

namespace {

QString samplePath(const char* name) {
  return QStringLiteral(NEST_SOURCE_DIR) + QStringLiteral("/samples/") + QLatin1String(name);
}

std::unique_ptr<MainWindow> windowOn(const char* sample, Theme::Kind theme = Theme::Kind::Light) {
  WindowOptions options;
  options.theme = theme;
  options.size = {1500, 950};
  options.remembers = false;
  auto window = std::make_unique<MainWindow>(
      [](const Problem& p, const Control& c, const Plan* start) { return solve(p, c, start); }, options);
  window->openPath(samplePath(sample));
  window->show();
  return window;
}

/// The plan shown answers the document as it is.
bool isSettled(MainWindow& window) {
  const PlanContext& c = *window.session().context();
  return c.plan && c.current && c.generation == window.document().generation();
}

/// Answers the file dialog that is about to open with this path.
void answerFileDialog(const QString& path) {
  auto* look = new QTimer;
  QObject::connect(look, &QTimer::timeout, [look, path] {
    auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
    if (!dialog) return;
    dialog->selectFile(path);
    if (auto* name = dialog->findChild<QLineEdit*>()) name->setText(path);
    QMetaObject::invokeMethod(dialog, "accept", Qt::DirectConnection);
    look->deleteLater();
  });
  look->start(10);
}

}  // namespace

/// The promised uses that ask and change: what-if, why, and taking figures away to a talk.
class TestWhatIfJourney : public QObject {
  Q_OBJECT
private slots:
  void init() { QSettings().clear(); }

  void dragASliderKeepCompareUndo() {
    const auto window = windowOn("llama2-7b-h100-128.nest.json");
    QTRY_VERIFY_WITH_TIMEOUT(isSettled(*window), 20000);
    const Scenario before = window->document().scenario();
    const auto planBefore = window->session().context()->plan;
    auto* view = qobject_cast<WhatIfView*>(window->views().view(QStringLiteral("whatif")));
    window->views().showAlone(view->id());
    QTRY_VERIFY(view->sliderOf(QStringLiteral("/cluster/device/memory_bytes")));
    QSlider* memory = view->sliderOf(QStringLiteral("/cluster/device/memory_bytes"));
    QTRY_VERIFY(memory->width() > 60);
    const auto& pair = static_cast<const WaterfallFigure&>(*view->figure());
    QTRY_COMPARE(pair.side(0).plan, planBefore);  // what changes are told against

    // A sixth of the memory: another plan, told in words, and in the figure below them.
    test::dragHandle(*memory, -memory->width() * 3 / 8, [] {});
    const double now = window->document().scenario().cluster.device.memory.value.value();
    QVERIFY(now < before.cluster.device.memory.value.value() / 2);
    QTRY_VERIFY_WITH_TIMEOUT(isSettled(*window), 20000);
    QTRY_VERIFY2(view->story().contains(QStringLiteral("→")), qPrintable(view->story()));
    QVERIFY2(view->story().contains(QStringLiteral("The plan")), qPrintable(view->story()));
    QCOMPARE(pair.side(0).plan, planBefore);
    QCOMPARE(pair.side(1).plan, window->session().context()->plan);
    // Every other view has the plan too, once it is looked at.
    auto* memoryView = window->views().view(QStringLiteral("memory"));
    QCOMPARE(memoryView->context().plan, window->session().context()->plan);
    QCOMPARE(memoryView->context().shownEvaluation()->stages.front().memory.capacity.value(), now);

    // The drag is one undo step with a verb, and so is keeping.
    QUndoStack& history = window->document().history();
    QVERIFY2(history.undoText().startsWith(QStringLiteral("Set Device memory")),
             qPrintable(history.undoText()));
    QTest::mouseClick(buttonOf(*view, QStringLiteral("Keep this what-if")), Qt::LeftButton);
    QCOMPARE(view->keptCount(), 1);
    history.undo();
    QCOMPARE(view->keptCount(), 0);
    history.undo();
    QVERIFY(window->document().scenario() == before);
    QVERIFY(!history.canUndo());
    history.redo();
    history.redo();
    QCOMPARE(view->keptCount(), 1);
    test::dragHandle(*memory, memory->width() / 4, [] {});
    QVERIFY(window->document().scenario().cluster.device.memory.value.value() > now);
    QTRY_VERIFY_WITH_TIMEOUT(isSettled(*window), 20000);

    // Back to the kept one with a click, and from now on told against it.
    auto* strip = view->findChild<QListWidget*>();
    const QPoint thumbnail = strip->visualItemRect(strip->item(0)).center();
    QTest::mouseClick(strip->viewport(), Qt::LeftButton, {}, thumbnail);
    QCOMPARE(window->document().scenario().cluster.device.memory.value.value(), now);
    QTRY_VERIFY_WITH_TIMEOUT(isSettled(*window), 20000);
    QTest::mouseClick(buttonOf(*view, QStringLiteral("Set as baseline")), Qt::LeftButton);
    QVERIFY2(!view->story().contains(QStringLiteral("→")), qPrintable(view->story()));
  }

  void aTypedFigureCountsAndNonsenseDoesNot() {
    const auto window = windowOn("teaching-6-layers-2x2.nest.json");
    QTRY_VERIFY_WITH_TIMEOUT(isSettled(*window), 20000);
    auto* view = qobject_cast<WhatIfView*>(window->views().view(QStringLiteral("whatif")));
    window->views().showAlone(view->id());
    QLineEdit* field = nullptr;
    const auto isThere = [&] {
      for (auto* f : view->findChildren<QLineEdit*>())
        if (f->accessibleName() == QStringLiteral("Cluster Device memory")) field = f;
      return field != nullptr;
    };
    QTRY_VERIFY(isThere());
    const Scenario before = window->document().scenario();
    const auto type = [&](const QString& text) {
      QTest::mouseClick(field, Qt::LeftButton);
      field->selectAll();
      QTest::keyClicks(field, text);
      QTest::keyClick(field, Qt::Key_Return);
    };
    type(QStringLiteral("lots"));
    QVERIFY(window->document().scenario() == before);
    QVERIFY(field->accessibleDescription().contains(QStringLiteral("80 GiB")));
    type(QStringLiteral("40 GiB"));
    QCOMPARE(window->document().scenario().cluster.device.memory.value.value(), 40 * 1073741824.0);
  }

  void askWhatWouldHelpAndWhatWouldHurt() {
    Desk desk;
    SearchView view(desk.services());
    desk.show(view);
    const auto askAndWait = [&](const char* button, const char* heading) {
      auto* b = buttonOf(view, QString::fromUtf8(button));
      QTest::mouseClick(b, Qt::LeftButton);
      const bool done = QTest::qWaitFor([&] { return b->isEnabled(); }, 60000);
      return done && view.answer().contains(QString::fromUtf8(heading));
    };
    QVERIFY2(askAndWait("Rank improvements", "Effect of improving one parameter by 25 %"),
             qPrintable(view.answer()));
    QVERIFY2(view.answer().contains(u'%'), qPrintable(view.answer()));
    // Bars, and each parameter a link that tries it; what has no effect is one line.
    auto* browser = view.findChild<QTextBrowser*>();
    QVERIFY(browser->toHtml().contains(QStringLiteral("bgcolor")));
    QVERIFY2(view.answer().contains(QStringLiteral("No effect: ")), qPrintable(view.answer()));
    QVERIFY2(!view.answer().contains(QStringLiteral("0.0 %")), qPrintable(view.answer()));
    QSignalSpy tried(&view, &SearchView::tryRequested);
    const auto link = QRegularExpression(QStringLiteral("href=\"(try:[^\"]+)\"")).match(browser->toHtml());
    QVERIFY2(link.hasMatch(), qPrintable(browser->toHtml()));
    Q_EMIT browser->anchorClicked(QUrl(link.captured(1)));
    QCOMPARE(tried.count(), 1);
    const QString pointer = tried.front().front().toString();
    const auto field = fieldAt(desk.document.scenario(), pointer.toStdString());
    QVERIFY2(field, qPrintable(pointer));
    WhatIfView whatIf(desk.services());
    desk.show(whatIf);
    const double value = tried.front()[1].toDouble();
    whatIf.tryValue(pointer, value);
    QCOMPARE(numberOf(desk.document.scenario(), *field).value_or(0), value);
    QVERIFY(whatIf.sliderOf(pointer));
    desk.document.history().undo();
    QVERIFY(numberOf(desk.document.scenario(), *field) != value);
    QVERIFY2(askAndWait("Rank failures", "Effect of losing one component"), qPrintable(view.answer()));
    QVERIFY2(view.answer().count(u'\n') > 1, qPrintable(view.answer()));
    QVERIFY2(askAndWait("Find break-even points", "Where the best plan changes"), qPrintable(view.answer()));
    QVERIFY2(!view.answer().contains(QStringLiteral("parameters searched")), qPrintable(view.answer()));
    // What was answered before stands below.
    QVERIFY(!view.answer().contains(QStringLiteral("Effect of losing")));
    const QString all = browser->toPlainText();
    QVERIFY(all.indexOf(QStringLiteral("Where the best plan changes")) <
            all.indexOf(QStringLiteral("Effect of losing")));
    QVERIFY(all.indexOf(QStringLiteral("Effect of losing")) <
            all.indexOf(QStringLiteral("Effect of improving")));
  }

  /// One word for it in all lists: what lacks memory does not fit.
  void aLossThatDoesNotFitSaysSo() {
    Desk desk("teaching-6-layers-2x2.nest.json");
    SearchView view(desk.services());
    desk.show(view);
    auto* ask = buttonOf(view, QStringLiteral("Rank failures"));
    QTest::mouseClick(ask, Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return ask->isEnabled(); }, 60000));
    QVERIFY2(view.answer().contains(QStringLiteral("does not fit")), qPrintable(view.answer()));
    QVERIFY2(!view.answer().contains(QStringLiteral("no plan")), qPrintable(view.answer()));
  }

  void aQuestionCanBeCancelled() {
    Desk desk("gpt3-175b-h100-1024.nest.json");
    SearchView view(desk.services());
    desk.show(view);
    auto* ask = buttonOf(view, QStringLiteral("Find break-even points"));
    QTest::mouseClick(ask, Qt::LeftButton);
    auto* stop = buttonOf(view, QStringLiteral("Cancel"));
    QVERIFY(stop->isVisible() && !ask->isEnabled());
    QTest::mouseClick(stop, Qt::LeftButton);
    QTRY_VERIFY(ask->isEnabled() && !stop->isVisible());
    const auto says = [&view](const char* words) {
      for (const auto* label : view.findChildren<QLabel*>())
        if (label->isVisible() && label->text().startsWith(QLatin1String(words))) return true;
      return view.answer().startsWith(QLatin1String(words));
    };
    QVERIFY(says("Cancelled") && !says("Varying"));
    // Another plan makes the answer that was asked for void.
    QTest::mouseClick(ask, Qt::LeftButton);
    QVERIFY(says("Varying"));
    view.setContext(desk.snapshot());
    QVERIFY(ask->isEnabled() && !stop->isVisible() && !says("Varying"));
  }

  void anAnswerOfAnEarlierPlanSaysSo() {
    Desk desk;
    SearchView view(desk.services());
    desk.show(view);
    view.ask(QStringLiteral("p=1"));
    QTRY_VERIFY_WITH_TIMEOUT(view.answer().contains(QStringLiteral("Why not")), 20000);
    const auto saysSo = [&view] {
      for (const auto* label : view.findChildren<QLabel*>())
        if (label->text().contains(QStringLiteral("changed since"))) return true;
      return false;
    };
    view.setContext(desk.snapshot());
    QVERIFY(!saysSo());  // the same plan
    desk.solveIt();
    view.setContext(desk.snapshot());
    QVERIFY(saysSo() && view.answer().contains(QStringLiteral("Why not")));
    view.ask(QStringLiteral("p=1"));
    QVERIFY(!saysSo());
    // A refused question is answered for the plan at hand, too.
    QTRY_VERIFY_WITH_TIMEOUT(view.answer().contains(QStringLiteral("Why not")), 20000);
    desk.solveIt();
    view.setContext(desk.snapshot());
    QVERIFY(saysSo());
    view.ask(QStringLiteral("mbs 64"));
    QVERIFY2(view.answer().contains(QStringLiteral("is not searched")), qPrintable(view.answer()));
    QVERIFY(!saysSo());
  }

  /// Fields go by their labels in an answer, each with a link that makes the change as one undo step; what
  /// changes in the plan is listed once.
  void answersLinkTheFieldsTheyName() {
    Desk desk;
    SearchView view(desk.services());
    desk.show(view);
    view.ask(QStringLiteral("zb-h1"));
    QTRY_VERIFY_WITH_TIMEOUT(view.answer().contains(QStringLiteral("Why not")), 20000);
    auto* answer = view.findChild<QTextBrowser*>();
    QVERIFY(answer);
    QVERIFY2(view.answer().contains(QStringLiteral("not searched: add ZB-H1 to \"Schedules\"")),
             qPrintable(view.answer()));
    QVERIFY(!view.answer().contains(QStringLiteral("search.schedules")));
    QCOMPARE(view.answer().count(QStringLiteral("→ ZB-H1")), 1);
    const QString html = answer->toHtml();
    const auto link = QRegularExpression(QStringLiteral("href=\"([^\"]+)\"")).match(html);
    QVERIFY2(link.hasMatch(), qPrintable(html));
    const int before = desk.document.history().count();
    Q_EMIT answer->anchorClicked(QUrl(link.captured(1)));
    QCOMPARE(desk.document.history().count(), before + 1);
    const auto& schedules = desk.document.scenario().search.schedules;
    QVERIFY(std::find(schedules.begin(), schedules.end(), ScheduleKind::ZbH1) != schedules.end());
  }

  void aDarkWindowGivesLightFiguresToATalk() {
    const auto window = windowOn("teaching-6-layers-2x2.nest.json", Theme::Kind::Dark);
    QTRY_VERIFY_WITH_TIMEOUT(isSettled(*window), 20000);
    window->views().showAlone(QStringLiteral("memory"));
    window->views().view(QStringLiteral("memory"))->setFocus();
    window->actions().find(QStringLiteral("view.copyImage"))->trigger();
    const QImage copied = qvariant_cast<QImage>(QApplication::clipboard()->mimeData()->imageData());
    QCOMPARE(copied.pixelColor(2, 2), QColor(Qt::white));
    QVERIFY(QApplication::clipboard()->mimeData()->hasFormat(QStringLiteral("image/svg+xml")));

    QTemporaryDir dir;
    answerFileDialog(dir.path());
    window->actions().find(QStringLiteral("file.export"))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(dir.filePath(QStringLiteral("summary.txt"))), 20000);
    const QStringList files = QDir(dir.path()).entryList(QDir::Files);
    for (const char* figure : {"topology", "stages", "memory", "communication", "timeline"})
      for (const char* format : {"svg", "png", "pdf"})
        QVERIFY2(files.contains(QStringLiteral("%1.%2").arg(QLatin1String(figure), QLatin1String(format))),
                 qPrintable(files.join(u' ')));
    QVERIFY(files.contains(QStringLiteral("plan.json")));
    QVERIFY(files.contains(QStringLiteral("summary.txt")));
  }

  void oneFigureInMillimetres() {
    const Desk desk;
    const MemoryFigure figure;
    ExportDialog dialog(figure, desk.context);
    dialog.show();
    const QSizeF pixels = dialog.options().size;
    auto boxes = dialog.findChildren<QComboBox*>();
    for (auto* box : boxes)
      if (box->accessibleName() == QStringLiteral("Unit of length")) box->setCurrentIndex(1);
    for (auto* box : dialog.findChildren<QDoubleSpinBox*>())
      if (box->accessibleName() == QStringLiteral("Width")) {
        QVERIFY(std::abs(box->value() - pixels.width() * 25.4 / 96) <= 0.5);
        box->setValue(160);
      }
    QVERIFY(std::abs(dialog.options().size.width() - 160 * 96 / 25.4) < 1e-6);
    QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("memory.svg"));
    answerFileDialog(path);
    QTest::mouseClick(buttonOf(dialog, QStringLiteral("Save…")), Qt::LeftButton);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll().contains("<svg"));
  }

  /// A name without its ending, or with that of another format, is none that opens by a double click.
  void figuresEndAsTheirFormat() {
    const Desk desk;
    const MemoryFigure figure;
    QTemporaryDir dir;
    const auto save = [&](const QString& typed) {
      ExportDialog dialog(figure, desk.context);
      dialog.show();
      answerFileDialog(dir.filePath(typed));
      dialog.save();
    };
    save(QStringLiteral("plan"));
    save(QStringLiteral("plan.png"));
    QCOMPARE(QDir(dir.path()).entryList(QDir::Files),
             (QStringList{QStringLiteral("plan.png.svg"), QStringLiteral("plan.svg")}));
    QFile known(dir.filePath(QStringLiteral("plan.svg")));  // the file dialog has asked about another name
    QVERIFY(known.open(QIODevice::WriteOnly) && known.write("mine") == 4);
    known.close();
    QTimer no;
    QObject::connect(&no, &QTimer::timeout, [] {
      if (auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget()))
        box->button(QMessageBox::No)->click();
    });
    no.start(10);
    save(QStringLiteral("plan"));
    QVERIFY(known.open(QIODevice::ReadOnly));
    QCOMPARE(known.readAll(), QByteArray("mine"));
  }
};
NEST_TEST(TestWhatIfJourney)
#include "test_what_if_journey.moc"
