#include <cmath>
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
    QTest::addColumn<double>("expected");
    QTest::newRow("first of 4") << 0 << 4 << 16 << 1 << 4.0;
    QTest::newRow("last of 4") << 3 << 4 << 16 << 1 << 1.0;
    QTest::newRow("few microbatches") << 0 << 4 << 2 << 1 << 2.0;
    QTest::newRow("interleaved first") << 0 << 4 << 16 << 2 << 11.0;
    QTest::newRow("interleaved last") << 3 << 4 << 16 << 2 << 5.0;
    QTest::newRow("interleaved few") << 0 << 4 << 4 << 2 << 8.0;
  }
  void stashesInFlight() {
    QFETCH(int, stage);
    QFETCH(int, stages);
    QFETCH(int, microbatches);
    QFETCH(int, chunks);
    QTEST(scheduleOf(usualSchedule(chunks)).stashesInFlight(stage, stages, microbatches, chunks), "expected");
  }
  void timesByHand() {
    // load 10 = 3 + 4 + 3 and 8 = 2 + 3 + 3.
    const std::vector<StagePasses> stages = {{10, 3, 3}, {8, 2, 3}};
    const auto time = [&](ScheduleKind k, int v) {
      return scheduleOf(k).time(stages, Seconds(1), 8, v).value();
    };
    QCOMPARE(time(ScheduleKind::OneForwardOneBackward, 1), 18 + 7 * 10 + 1.0);
    QCOMPARE(time(ScheduleKind::Interleaved, 2), 8 * 10 + 8 / 2.0 + 1);
    // g = 3 + 4 − 3 and 2 + 3 − 3.
    QCOMPARE(time(ScheduleKind::ZbH1, 1), (4 + 2) + (80 - 4) + 1.0);
    // (4 + 3 + 4 − 2·3)/2 and (3 + 3 + 3 − 2·3)/2.
    QCOMPARE(time(ScheduleKind::DualPipeV, 2), (2.5 + 1.5) + (80 - 2.5) + 1.0);
    // max(3/2, 4/2, 4 − 3) and max(2/2, 3/2, 3 − 3).
    QCOMPARE(time(ScheduleKind::ZbV, 2), (2 + 1.5) + (80 - 2) + 1.0);
    // max(2/2, 5/2, 5 − 1).
    QCOMPARE(scheduleOf(ScheduleKind::ZbV).fill({8, 2, 1}, 2), 4.0);
  }
  /// Of equal stages 1F1B's bubble is (s − 1)(f + b + w), ZB-H1's (s − 1)(f + b − w) [Qi 2024, table 1].
  void bubblesOfEqualStages() {
    const std::vector<StagePasses> stages(4, {6, 1, 3});
    const auto bubble = [&](ScheduleKind k) {
      return scheduleOf(k).time(stages, Seconds(), 8, 1).value() - 8 * 6;
    };
    QCOMPARE(bubble(ScheduleKind::OneForwardOneBackward), 3 * 6.0);
    QCOMPARE(bubble(ScheduleKind::ZbH1), 0.0);
  }
  /// T as every schedule states it, and in the weights that the search reads.
  void fillsGiveTheTime() {
    const std::vector<StagePasses> stages = {{10, 3, 3}, {8, 2, 3}, {9, 4, 0.5}};
    for (const PipelineSchedule* s : schedules()) {
      const int v = s->takesChunks(1) ? 1 : 2;
      double fills = 0, rest = 0, sum = 0, max = 0;
      for (const StagePasses& p : stages) {
        const double g = s->fill(p, v);
        QVERIFY(g >= 0 && g <= p.load);
        fills += g, rest = std::max(rest, 12 * p.load - g);
        sum += p.load, max = std::max(max, p.load);
      }
      const double time = s->time(stages, Seconds(1), 12, v).value();
      QVERIFY(std::abs(time - (fills + rest + 1)) < 1e-12 * time);
      const LoadWeights w = s->weights(12, v);
      QCOMPARE(s->fillsByLoad(), std::abs(w.sum * sum + w.max * max + 1 - time) < 1e-12 * time);
    }
  }
  /// What bounds on Σ g build on: two stages together never fill more than both apart; and where g is no
  /// share of the load it falls neither with f nor with b, and does not grow with w.
  void fillsKeepTheirPromises() {
    const std::vector<double> lengths = {0, 0.5, 1, 3};
    for (const PipelineSchedule* s : schedules()) {
      const int v = s->takesChunks(1) ? 1 : 2;
      const auto fill = [&](double f, double b, double w) { return s->fill({f + b + w, f, w}, v); };
      for (const double f : lengths)
        for (const double b : lengths)
          for (const double w : lengths) {
            for (const double f2 : lengths)
              for (const double b2 : lengths)
                for (const double w2 : lengths)
                  QVERIFY(fill(f + f2, b + b2, w + w2) <= fill(f, b, w) + fill(f2, b2, w2) + 1e-12);
            if (s->fillsByLoad()) continue;
            QVERIFY(fill(f + 0.2, b, w) >= fill(f, b, w) - 1e-12);
            QVERIFY(fill(f, b + 0.2, w) >= fill(f, b, w) - 1e-12);
            QVERIFY(fill(f, b, w + 0.2) <= fill(f, b, w) + 1e-12);
          }
    }
  }
  /// Each part of the model stands in one stage.
  void partsAreShared() {
    for (const PipelineSchedule* s : schedules()) {
      std::set<int> seen;
      for (int i = 0; i < 4; ++i)
        for (int q = 0; q < 2; ++q) {
          const int part = s->partOf(i, q, 4);
          QVERIFY(seen.insert(part).second);
          QCOMPARE(s->stageOf(part, 4), i);
        }
      QCOMPARE(*seen.rbegin(), 7);
    }
    QCOMPARE(scheduleOf(ScheduleKind::DualPipeV).partOf(0, 1, 4), 7);
    QCOMPARE(scheduleOf(ScheduleKind::DualPipeV).partOf(3, 1, 4), 4);
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
        std::set<std::pair<int, int>> forward, input, weight;
        for (const PipelineTask& t : s->taskOrder(i, stages, chunks, microbatches)) {
          const std::pair key(t.chunk, t.microbatch);
          if (t.pass == Pass::Forward) QVERIFY(forward.insert(key).second);
          if (t.pass == Pass::Backward || t.pass == Pass::InputGradient)
            QVERIFY(forward.count(key) == 1 && input.insert(key).second);
          if (t.pass == Pass::Backward || t.pass == Pass::WeightGradient)
            QVERIFY(input.count(key) == 1 && weight.insert(key).second);
          // Weight gradients read what the forward pass kept.
          held += t.pass == Pass::Forward ? 1 : t.pass == Pass::InputGradient ? 0 : -1;
          most = std::max(most, held);
        }
        QCOMPARE(static_cast<int>(weight.size()), chunks * microbatches);
        const double each = s->stashesWholeStages() ? chunks : 1;
        QCOMPARE(most / each, s->stashesInFlight(i, stages, microbatches, chunks));
      }
    }
    QVERIFY(tried >= 2);  // GPipe, and at least one that suits the chunks
  }
};

NEST_TEST(TestSchedules)
#include "test_schedules.moc"
