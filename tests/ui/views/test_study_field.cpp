#include <QTest>
#include <cmath>

#include "support/desk.h"
#include "views/study/study_field.h"

using namespace nest;

/// What a study varies begins with what was typed, though a level may count for less.
class TestStudyField : public QObject {
  Q_OBJECT
private slots:
  void aHeldLevelIsVariedAsTyped() {
    test::Desk desk("llama2-7b-h100-128.nest.json");
    desk.document.edit({}, "Slow down", [](Scenario& s) {
      auto& levels = std::get<LevelsSource>(s.cluster.network).levels;
      levels[0].bandwidth = BytesPerSecond(10e9);  // holds the next one, typed as 12.5 GB/s
      levels[1].bandwidth = BytesPerSecond(40e9);
      levels[2].oversubscription = 1;
    });
    desk.solveIt();
    const auto typed = levelsAsTyped(desk.document.scenario().cluster);
    const StudyField leaf{StudyField::Kind::Lever, {Lever::Kind::Bandwidth, 1}};
    for (const StudyStep& step : leaf.steps(*desk.context.problem, false, typed)) {
      const double asked = 40e9 * step.x;
      QCOMPARE(step.problem.cluster->level(1).bandwidth.value(), std::min(10e9, asked));
      QCOMPARE(step.typed[1].bandwidth.value(), asked);
      if (step.x == 1) QCOMPARE(step.text, QStringLiteral("40 GB/s"));
    }
    // Of two fields at once the second begins with what the first one leaves.
    const StudyField host{StudyField::Kind::Lever, {Lever::Kind::Bandwidth, 0}};
    for (const StudyStep& row : host.steps(*desk.context.problem, false, typed))
      for (const StudyStep& cell : leaf.steps(row.problem, false, row.typed))
        QCOMPARE(cell.problem.cluster->level(1).bandwidth.value(), std::min(10e9 * row.x, 40e9 * cell.x));
    for (const StudyField::Kind kind : {StudyField::Kind::Devices, StudyField::Kind::Batch})
      for (const StudyStep& row : StudyField{kind, {}}.steps(*desk.context.problem, false, typed))
        QCOMPARE(row.typed.size(), typed.size());
  }
};
NEST_TEST(TestStudyField)
#include "test_study_field.moc"
