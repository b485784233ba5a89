#include <set>

#include "schedule/pipeline_schedule.h"
#include "support/test_main.h"

using namespace nest;

class TestSchedules : public QObject {
  Q_OBJECT
private slots:
  void idsAndKindsAreDistinct() {
    std::set<std::string_view> ids, labels;
    for (const PipelineSchedule* s : schedules()) {
      QVERIFY(ids.insert(s->id()).second);
      QVERIFY(labels.insert(s->label()).second);
      QCOMPARE(scheduleNamed(s->id()), s);
      QCOMPARE(&scheduleOf(s->kind()), s);
    }
    QCOMPARE(scheduleNamed("2f2b"), nullptr);
  }
  void stashesInFlight_data() {
    QTest::addColumn<int>("stage");
    QTest::addColumn<int>("stages");
    QTest::addColumn<int>("microbatches");
    QTest::addColumn<int>("chunks");
    QTest::addColumn<int>("expected");
    QTest::newRow("first of 4") << 0 << 4 << 16 << 1 << 4;
    QTest::newRow("last of 4") << 3 << 4 << 16 << 1 << 1;
    QTest::newRow("few microbatches") << 0 << 4 << 2 << 1 << 2;
    QTest::newRow("interleaved first") << 0 << 4 << 16 << 2 << 11;
    QTest::newRow("interleaved last") << 3 << 4 << 16 << 2 << 5;
    QTest::newRow("interleaved few") << 0 << 4 << 4 << 2 << 8;
  }
  void stashesInFlight() {
    QFETCH(int, stage);
    QFETCH(int, stages);
    QFETCH(int, microbatches);
    QFETCH(int, chunks);
    QTEST(scheduleOf(usualSchedule(chunks)).stashesInFlight(stage, stages, microbatches, chunks), "expected");
  }
  /// The formulas and the weights that the search reads agree.
  void weightsGiveTheTime() {
    const Seconds sum(10), max(4), tail(1);
    QCOMPARE(scheduleOf(ScheduleKind::OneForwardOneBackward).time(sum, max, tail, 8, 1).value(),
             10 + 7 * 4 + 1.0);
    QCOMPARE(scheduleOf(ScheduleKind::Interleaved).time(sum, max, tail, 8, 2).value(), 8 * 4 + 3 + 1.0);
    for (const PipelineSchedule* s : schedules()) {
      const int v = s->kind() == ScheduleKind::Interleaved ? 3 : 1;
      const LoadWeights w = s->weights(12, v);
      QCOMPARE(w.sum * sum.value() + w.max * max.value() + tail.value(),
               s->time(sum, max, tail, 12, v).value());
    }
  }
  /// Every microbatch passes every chunk once forward, then once backward; never more are held than
  /// stashesInFlight says, and at some moment as many.
  void ordersHoldWhatTheySay_data() {
    QTest::addColumn<int>("stages");
    QTest::addColumn<int>("chunks");
    QTest::addColumn<int>("microbatches");
    QTest::newRow("one stage") << 1 << 1 << 3;
    QTest::newRow("few microbatches") << 4 << 1 << 2;
    QTest::newRow("many") << 4 << 1 << 12;
    QTest::newRow("two chunks") << 4 << 2 << 8;
    QTest::newRow("three chunks") << 2 << 3 << 6;
  }
  void ordersHoldWhatTheySay() {
    QFETCH(int, stages);
    QFETCH(int, chunks);
    QFETCH(int, microbatches);
    int tried = 0;
    for (const PipelineSchedule* s : schedules()) {
      if (!s->refusals(stages, chunks, microbatches).empty()) continue;
      ++tried;
      for (int i = 0; i < stages; ++i) {
        int held = 0, most = 0;
        std::set<std::pair<int, int>> forward, backward;
        for (const PipelineTask& t : s->taskOrder(i, stages, chunks, microbatches)) {
          if (t.forward) {
            QVERIFY(forward.insert({t.chunk, t.microbatch}).second);
          } else {
            QVERIFY(forward.count({t.chunk, t.microbatch}) == 1);
            QVERIFY(backward.insert({t.chunk, t.microbatch}).second);
          }
          held += t.forward ? 1 : -1;
          most = std::max(most, held);
        }
        QCOMPARE(static_cast<int>(backward.size()), chunks * microbatches);
        QCOMPARE(most, s->stashesInFlight(i, stages, microbatches, chunks));
      }
    }
    QCOMPARE(tried, 2);  // GPipe, and the one that suits the chunks
  }
};

NEST_TEST(TestSchedules)
#include "test_schedules.moc"
