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
  void type(const char* field, const QString& text) {
    auto* line = editor.findChild<BoundLine*>(QLatin1String(field));
    QVERIFY2(line && line->isVisible(), field);
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
