#include <QApplication>
#include <QLabel>
#include <QtTest/QTest>

#include "editors/bound_line.h"
#include "editors/levels_editor.h"
#include "support/desk.h"

using namespace nest;

namespace {

struct Panel : test::Desk {
  LevelsEditor editor{document};

  Panel() : Desk("llama3-70b-h100-1024.nest.json") {
    editor.resize(300, 260);
    editor.show();
    (void)QTest::qWaitForWindowExposed(&editor);
  }
  const LevelSpec& level(std::size_t l) const {
    return std::get<LevelsSource>(document.scenario().cluster.network).levels[l];
  }
  BoundLine* shown(const char* field) const {  // rows of before live on until the next event
    for (auto* line : editor.findChildren<BoundLine*>(QLatin1String(field)))
      if (line->isVisible()) return line;
    return nullptr;
  }
  void type(const char* field, const QString& text) {
    QTRY_VERIFY2(shown(field), field);
    BoundLine* line = shown(field);
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, text);
    QTest::keyClick(line, Qt::Key_Return);
  }
  QStringList words() const {
    QStringList out;
    for (const auto* label : editor.findChildren<QLabel*>())
      if (label->isVisible() &&
          (label->text().contains(u'=') || label->text().contains(QStringLiteral("counts as"))))
        out << label->text();
    return out;
  }
};

}  // namespace

class TestLevelsEditor : public QObject {
  Q_OBJECT
private slots:
  /// "4,09" was read where 4,096 stood.
  void numbersAreShownWhole() {
    Panel p;
    p.editor.resize(250, 260);
    p.type("/cluster/levels/2/fanout", QStringLiteral("4096"));
    QTRY_COMPARE(p.level(2).fanout, 4096);
    QApplication::processEvents();
    for (const char* field :
         {"/cluster/levels/2/fanout", "/cluster/levels/1/fanout", "/cluster/levels/2/latency",
          "/cluster/levels/0/bandwidth", "/cluster/levels/2/oversubscription"}) {
      const BoundLine* line = p.shown(field);
      constexpr int kAround = 8;  // frame and padding, at the least
      QVERIFY2(line->width() >= line->fontMetrics().horizontalAdvance(line->text()) + kAround,
               qPrintable(line->text() + u' ' + QString::number(line->width())));
    }
  }
  /// Who opens another scenario, or takes an edit back, in the middle of a wrong text gets that scenario, and
  /// not what the field held before the text went wrong.
  void leavingAWrongTextTouchesNoOtherScenario() {
    const auto typeWrongly = [](const Panel& p, const char* field) {
      QTRY_VERIFY(p.shown(field));
      BoundLine* line = p.shown(field);
      QApplication::setActiveWindow(line->window());
      line->setFocus();
      line->selectAll();
      QTest::keyClicks(line, QStringLiteral("9 GB/s"));
      QTest::keyClicks(line, QStringLiteral("x"));
      QVERIFY(!line->problem().isEmpty());
    };
    Panel p;
    const Scenario before = p.document.scenario();
    p.document.edit({}, {}, [](Scenario& s) {
      auto& levels = std::get<LevelsSource>(s.cluster.network).levels;
      levels.push_back(levels.back());
    });
    typeWrongly(p, "/cluster/levels/3/bandwidth");
    while (p.document.history().canUndo()) p.document.history().undo();
    QCoreApplication::processEvents();
    QVERIFY(p.document.scenario() == before);
    QVERIFY(p.document.history().canRedo());

    typeWrongly(p, "/cluster/levels/2/bandwidth");
    const test::Desk other;
    p.document.reset(other.document.scenario(), {});  // two levels in place of three
    QCoreApplication::processEvents();
    QVERIFY(p.document.scenario() == other.document.scenario());
    QCOMPARE(p.document.history().count(), 0);
    p.type("/cluster/levels/1/fanout", QStringLiteral("8"));
    QCOMPARE(p.level(1).fanout, 8);
  }
  void oversubscriptionIsAColumnAndItsEffectIsSaid() {
    Panel p;
    QCOMPARE(p.words(), QStringList{QStringLiteral("400 Gb/s ÷ 4 = 12.5 GB/s for each device")});
    p.type("/cluster/levels/2/oversubscription", QStringLiteral("1"));
    QCOMPARE(p.level(2).oversubscription, 1.0);
    QVERIFY(p.words().isEmpty());
    QCOMPARE(p.document.history().undoText(), QStringLiteral("Change oversubscription of level 2"));
    p.document.history().undo();
    QCOMPARE(p.level(2).oversubscription, 4.0);
    QCOMPARE(p.words().size(), 1);
    p.type("/cluster/levels/2/oversubscription", QStringLiteral("0.5"));
    QCOMPARE(p.level(2).oversubscription, 4.0);  // less than none is refused
  }
  void theTextAndTheRowsSayTheSame() {
    Panel p;
    const Scenario before = p.document.scenario();
    auto* line = p.editor.findChild<BoundLine*>(QStringLiteral("/cluster/levels/text"));
    QVERIFY(line && line->text().startsWith(QStringLiteral("host:8@450GB/s,2us leaf:4@400Gb/s,4us")));
    p.type("/cluster/levels/text", QStringLiteral("node:4@300GB/s,1us rack:2@100Gb/s,3us,2:1"));
    QCOMPARE(std::get<LevelsSource>(p.document.scenario().cluster.network).levels.size(), std::size_t(2));
    QCOMPARE(p.level(0).name, std::string("node"));
    QCOMPARE(p.level(1).oversubscription, 2.0);
    QVERIFY(!p.shown("/cluster/levels/2/fanout"));
    p.type("/cluster/levels/1/fanout", QStringLiteral("5"));
    QCOMPARE(line->text(), QStringLiteral("node:4@300GB/s,1us rack:5@100Gb/s,3us,2:1"));
    p.document.history().undo();
    p.document.history().undo();
    QVERIFY(p.document.scenario() == before);  // typing it was one step
    // What cannot be read is said, and leaves nothing behind.
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, QStringLiteral("node:4@fast"));
    QVERIFY(!line->problem().isEmpty());
    QTest::keyClick(line, Qt::Key_Escape);
    QVERIFY(p.document.scenario() == before);
    QVERIFY(line->problem().isEmpty());
  }
  void theBeginningsOfAWrongLineGoWithIt() {
    Panel p;
    const Scenario before = p.document.scenario();
    auto* line = p.editor.findChild<BoundLine*>(QStringLiteral("/cluster/levels/text"));
    const QString wanted = line->text();
    const auto spoil = [&] {
      line->setFocus();
      line->selectAll();
      QTest::keyClicks(line, QStringLiteral("host:8@450GB/s leaf:4"));
      QVERIFY(!line->problem().isEmpty());
      QVERIFY(p.document.scenario() != before);  // the line was right up to the second level
    };
    spoil();
    QTest::keyClick(line, Qt::Key_Escape);
    QVERIFY(p.document.scenario() == before);
    QCOMPARE(line->text(), wanted);
    spoil();
    while (p.document.history().canUndo()) p.document.history().undo();
    QVERIFY(p.document.scenario() == before);
    QCOMPARE(line->text(), wanted);
    // What was entered before stays.
    p.type("/cluster/levels/text", QStringLiteral("node:4@300GB/s,1us"));
    const Scenario entered = p.document.scenario();
    spoil();
    QTest::keyClick(line, Qt::Key_Escape);
    QVERIFY(p.document.scenario() == entered);
    QVERIFY(line->problem().isEmpty());
  }
  void aDrawnNetworkIsReplacedByTextAndComesBack() {
    Panel p;
    p.document.edit({}, "Draw", [](Scenario& s) { s.cluster.network = GraphSource{}; });
    auto* line = p.editor.findChild<BoundLine*>(QStringLiteral("/cluster/levels/text"));
    QVERIFY(line->text().isEmpty());
    p.type("/cluster/levels/text", QStringLiteral("host:8@450GB/s"));
    QCOMPARE(p.level(0).fanout, 8);
    p.document.history().undo();
    QVERIFY(std::holds_alternative<GraphSource>(p.document.scenario().cluster.network));
    QVERIFY(line->text().isEmpty());
  }
  void linkEfficiencyIsSaidOnce() {
    Panel p;
    p.document.edit({}, "Set", [](Scenario& s) { s.assumptions.linkEfficiency = 0.7; });
    QCOMPARE(p.words(), QStringList{QStringLiteral("400 Gb/s ÷ 4 = 12.5 GB/s for each device\n"
                                                   "70 % of each counts (link efficiency)")});
    p.document.history().undo();
    QCOMPARE(p.words(), QStringList{QStringLiteral("400 Gb/s ÷ 4 = 12.5 GB/s for each device")});
  }
  void aLevelHeldByTheOneInsideSaysSo() {
    Panel p;
    p.type("/cluster/levels/1/bandwidth", QStringLiteral("8 GB/s"));
    QCOMPARE(p.words(),
             QStringList{QStringLiteral("400 Gb/s ÷ 4 = 12.5 GB/s for each device, held to 8 GB/s by leaf")});
    p.type("/cluster/levels/2/oversubscription", QStringLiteral("1"));
    QCOMPARE(p.words(), QStringList{QStringLiteral("counts as 8 GB/s: held by leaf")});
  }
};
NEST_TEST(TestLevelsEditor)
#include "test_levels_editor.moc"
