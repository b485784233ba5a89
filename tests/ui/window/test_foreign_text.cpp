// Names that others wrote are text: no widget reads HTML in them, and no character in them hides.
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QHelpEvent>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QTabWidget>
#include <QTextDocument>
#include <QTimer>
#include <QToolTip>
#include <nlohmann/json.hpp>

#include "catalogue/registry.h"
#include "cluster/graph/graph_edit.h"
#include "document/kept_plans.h"
#include "document/scenario_document.h"
#include "export/figure_export.h"
#include "foreign_text.h"
#include "formats/scenario/scenario_json.h"
#include "slides/slide_edits.h"
#include "slides/slides_export.h"
#include "theme/plain_text.h"

using namespace nest;
using namespace nest::test;

namespace {

using Json = nlohmann::ordered_json;

bool isRead(const Json& scenario) {
  const auto reading = readScenario(scenario.dump(), "hostile.nest.json", {});
  return reading && !hasErrors(reading.diagnostics) && buildProblem(*reading);
}

/// Puts the foreign text before every string that may hold any text: those after which the file is still
/// read. Equal strings name each other and change together.
Json withForeignStrings(Json scenario) {
  std::map<std::string, std::vector<std::string>> places;
  const Json flat = scenario.flatten();
  for (const auto& [pointer, leaf] : flat.items())
    if (leaf.is_string() && !pointer.ends_with("/view") && !pointer.ends_with("/imported_from"))
      places[leaf.get<std::string>()].push_back(pointer);
  for (const auto& [text, pointers] : places) {
    Json next = scenario;
    for (const std::string& p : pointers) next[Json::json_pointer(p)] = kForeign + text;
    if (isRead(next)) scenario = std::move(next);
  }
  return scenario;
}

/// The teaching sample with kept plans and a slide of every view, in levels with named hosts or drawn, and
/// foreign text wherever a file can have any.
std::string hostileScenario(bool drawn) {
  WindowBench b;
  if (!QTest::qWaitFor([&] { return b.solved(); }, 30000)) return {};
  ScenarioDocument& document = b.window.document();
  document.edit({}, QStringLiteral("x"), [&](Scenario& s) {
    auto& levels = std::get<LevelsSource>(s.cluster.network);
    levels.hostNames = {"first", "second"};
    if (!drawn) return;
    GraphSource source;
    source.graph = graph::fromLevels(levels);
    for (auto& n : source.graph.nodes) n.name = n.id;
    source.importedFrom = kForeignFile;
    s.cluster.network = source;
  });
  if (!QTest::qWaitFor([&] { return b.solved(); }, 30000)) return {};
  keepPlan(document, *b.window.session().context(), QStringLiteral("Plan A"));
  for (View* view : b.window.views().views()) {
    b.window.views().reveal(view->id());
    QApplication::processEvents();
    keepSlide(document, *view, b.window.selection(), QStringLiteral("Slide of ") + view->id());
  }
  Json scenario = withForeignStrings(Json::parse(writeScenario(b.scenario())));
  Json unknown = scenario["moments"][0];
  unknown["view"] = kForeign;
  Json next = scenario;
  next["moments"].push_back(unknown);
  if (isRead(next)) scenario = next;
  scenario[kForeignFile] = 1;  // the reader says that it does not know it
  return scenario.dump();
}

QString fileOf(const QTemporaryDir& dir, const std::string& text) {
  QFile file(dir.filePath(QLatin1String(kForeignFile)));
  if (text.empty() || !file.open(QIODevice::WriteOnly)) return {};
  file.write(QByteArray::fromStdString(text));
  return file.fileName();
}

}  // namespace

class TestForeignText : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void initTestCase() {
    listenToLoads();
    // That what is loaded is noticed.
    QTextDocument page;
    page.setHtml(QString::fromLatin1(kForeign));
    page.size();
    QCOMPARE(std::exchange(loads(), {}).size(), 2);
    QVERIFY(!isWhole(page.toPlainText()));
  }
  void cleanupTestCase() { stopListening(); }

  void namesAreTextEverywhere_data() {
    QTest::addColumn<bool>("drawn");
    QTest::newRow("levels") << false;
    QTest::newRow("drawn") << true;
  }
  void namesAreTextEverywhere() {
    QFETCH(bool, drawn);
    forgetWindows();
    const std::string scenario = hostileScenario(drawn);
    QTemporaryDir dir;
    const QString path = fileOf(dir, scenario);
    QVERIFY(!path.isEmpty());
    WindowBench b(path);
    QTRY_VERIFY_WITH_TIMEOUT(b.solved(), 30000);
    QVERIFY(b.scenario().slides.size() > 8);
    for (const SavedSlide& m : b.scenario().slides) QVERIFY(m.caption.starts_with(kForeign));
    for (const KeptPlan& k : b.scenario().keptPlans) QVERIFY(k.name.starts_with(kForeign));

    Visitor visitor;
    for (QDockWidget* dock : b.window.findChildren<QDockWidget*>()) dock->show();
    for (const View* view : b.window.views().views()) {
      b.window.views().reveal(view->id());
      for (const SelectionItem& item :
           {SelectionItem{ItemKind::Device, 0}, SelectionItem{ItemKind::Group, 0, 0},
            SelectionItem{ItemKind::Pair, 0, -1, 1}}) {
        b.window.selection().setSelected(item);
        QTest::qWait(item.kind == ItemKind::Device ? 150 : 0);
        if (item.kind == ItemKind::Device) visitor.visit(*b.window.views().dockOf(view->id()));
      }
      for (auto* tabs : b.window.views().dockOf(view->id())->findChildren<QTabWidget*>())
        for (int i = 1; i < tabs->count(); ++i) {
          tabs->setCurrentIndex(i);
          QApplication::processEvents();
          visitor.visit(*tabs->currentWidget());
        }
    }
    for (QDockWidget* dock : b.window.findChildren<QDockWidget*>()) {
      dock->raise();
      QApplication::processEvents();
      if (dock->parentWidget() == &b.window) visitor.visit(*dock);
    }
    visitor.visit(b.window);
    b.trigger("present.start");
    QApplication::processEvents();
    for (QWidget* top : QApplication::topLevelWidgets())
      if (top->inherits("nest::SlideShow")) {
        visitor.visit(*top);
        break;  // tips have come and gone since the list was made
      }
    QVERIFY2(visitor.faults.isEmpty(), qPrintable(visitor.faults.mid(0, 10).join(u'\n')));
    QVERIFY2(visitor.tips > 200 && visitor.foreignTips > 20 && visitor.foreignTexts > 100,
             qPrintable(QStringLiteral("%1 tips, %2 foreign, %3 texts")
                            .arg(visitor.tips)
                            .arg(visitor.foreignTips)
                            .arg(visitor.foreignTexts)));
  }

  void exportsAndTheClipboardHoldText() {
    const auto scenario = readScenario(hostileScenario(false), "hostile.nest.json", {});
    QVERIFY(scenario);
    PlanContext c;
    c.scenario = std::make_shared<const Scenario>(*scenario);
    c.problem = std::make_shared<const Problem>(*buildProblem(*scenario).value);
    const auto outcome = std::make_shared<const Outcome>(solve(*c.problem));
    c.plan = std::shared_ptr<const RankedPlan>(outcome, outcome->best());
    c.outcome = outcome;
    bool named = false;
    for (const auto& figure : planFigures()) {
      const QByteArray svg = renderFigure(*figure, c, ExportFormat::Svg, {});
      QVERIFY2(!svg.contains("<qt") && !svg.contains("<img"), qPrintable(figure->id()));
      named = named || svg.contains("&lt;qt&gt;");
      renderFigure(*figure, c, ExportFormat::Pdf, {});
      copyAsImage(*figure, c, {});
      QVERIFY(!QGuiApplication::clipboard()->mimeData()->hasHtml());
    }
    QVERIFY(named);
    QVERIFY(!slidesAsPdf(*scenario, std::make_shared<const PlanContext>(c)).isEmpty());
    QVERIFY2(loads().isEmpty(), qPrintable(loads().join(u' ')));
  }

  /// What is wrong with a file is said in its own words.
  void messagesAboutAFileAreText_data() {
    QTest::addColumn<bool>("readable");
    QTest::newRow("wrong values") << true;
    QTest::newRow("no scenario") << false;
  }
  void messagesAboutAFileAreText() {
    QFETCH(bool, readable);
    forgetWindows();
    QFile sample(teachingSample());
    QVERIFY(sample.open(QIODevice::ReadOnly));
    Json scenario = Json::parse(sample.readAll().toStdString());
    if (readable) {
      scenario["job"]["microbatches"] = {3, 5};  // none divides the batch
      scenario["name"] = kForeign + std::string("name");
    } else {
      const Json flat = scenario.flatten();
      for (const auto& [pointer, leaf] : flat.items())
        if (leaf.is_string() && pointer != "/format")
          scenario[Json::json_pointer(pointer)] = kForeign + leaf.get<std::string>();
    }
    QTemporaryDir dir;
    WindowBench b{QString()};
    b.window.openPath(fileOf(dir, scenario.dump()));
    QTest::qWait(200);
    Visitor visitor;
    for (QDockWidget* dock : b.window.findChildren<QDockWidget*>()) dock->show(), dock->raise();
    QApplication::processEvents();
    visitor.visit(b.window);
    b.window.showGallery();  // with the file among those that were open
    QApplication::processEvents();
    visitor.visit(b.window);
    QVERIFY2(visitor.faults.isEmpty(), qPrintable(visitor.faults.mid(0, 10).join(u'\n')));
    QVERIFY(visitor.foreignTexts > 0);
  }

  /// Only tips that were made here are HTML, whatever another begins with.
  void onlyOurTipsAreHtml() {
    keepTextPlain();
    const QString ours = richTip(QStringLiteral("<b>bold</b>"));
    QCOMPARE(textOfTip(ours), QStringLiteral("bold"));
    for (const QString& foreign : {QString::fromLatin1(kForeign), QStringLiteral("<qt>"),
                                   QStringLiteral("<qt><!--0000000000000000-->x"),
                                   QStringLiteral("\n<qt><b>x</b></qt>"), u' ' + ours}) {
      QCOMPARE(textOfTip(foreign), foreign);
      QCOMPARE(textOfTip(plainTip(foreign)).trimmed(), foreign.trimmed());
      QLabel label;
      label.resize(50, 20);
      label.setToolTip(foreign);
      label.show();
      QHelpEvent help(QEvent::ToolTip, {5, 5}, label.mapToGlobal(QPoint(5, 5)));
      QApplication::sendEvent(&label, &help);
      QCOMPARE(seen(QToolTip::text()).simplified(), foreign.simplified());
    }
    QVERIFY2(loads().isEmpty(), qPrintable(loads().join(u' ')));
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
