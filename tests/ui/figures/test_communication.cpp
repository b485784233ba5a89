// Communication: title, table, tips and picture are of one metric and one parallelism, whatever the cluster.
#include <QPainter>
#include <QRegularExpression>
#include <cmath>
#include <set>

#include "evaluation/traffic.h"
#include "figures/paint/phrases.h"
#include "figures/plan/communication_figure.h"
#include "figures/topology/topology_figure.h"
#include "reading.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

using Value = CommunicationFigure::Value;
constexpr QSize kSize(1300, 720);

/// Groups at each level as of a cluster that a figure has to draw, one stage on each host or several.
PlanContext onCluster(std::vector<int> fanouts, int stages, int tensor = 8) {
  ContextShape s;
  s.fanouts = std::move(fanouts), s.stages = stages, s.tensor = tensor;
  s.blocks = std::max(30, stages * 2);
  s.memoryGiB = 2000;
  return contextOf(s);
}

ExchangeMask only(std::optional<Exchange> kind) {
  if (!kind) return kEveryExchange;
  ExchangeMask mask{};
  mask[*kind] = true;
  return mask;
}

QString sentenceIn(const CommunicationFigure& f, const PlanContext& c) {
  return f.asText(c).section(u'\n', 1, 1);
}

}  // namespace

class TestCommunication : public QObject {
  Q_OBJECT
private slots:
  void titleAndFigureStateOneNumberForEachMetric() {
    Dice dice(7);
    for (int k = 0; k < 24; ++k) {
      const PlanContext c = onCluster({8, dice.between(2, 4), dice.between(2, 6)}, 1 << dice.between(0, 3),
                                      dice.chance(0.5) ? 8 : 4);
      const Hierarchy& h = *c.problem->cluster;
      const Traffic traffic(*c.problem, *c.shownPlan());
      for (int kind = -1; kind < kExchangeCount; ++kind)
        for (int level = -1; level < h.levelCount(); ++level)
          for (const Value value : {Value::Volume, Value::Duration}) {
            CommunicationFigure f;
            auto options = f.shown();
            options.value = value, options.level = level;
            if (kind >= 0) options.kind = static_cast<Exchange>(kind);
            f.setOptions(options);
            const auto starts = h.deviceCount() <= 256 ? evenBuckets(h) : groupBuckets(h, 0);
            const TrafficMatrix cells = traffic.matrix(starts, only(options.kind), level);
            Bytes sum;
            Seconds longest;
            for (std::size_t i = 0; i < cells.bytes.size(); ++i)
              sum += cells.bytes[i], longest = std::max(longest, cells.time[i]);
            const QString said = sentenceIn(f, c);
            if (!(sum > Bytes(0))) {
              QVERIFY2(said.contains(QStringLiteral("othing")) || said.contains(QStringLiteral("No device")),
                       qPrintable(said));
              continue;
            }
            const QString number = value == Value::Volume ? memoryText(sum) : timeText(longest);
            QVERIFY2(said.contains(number + QStringLiteral(" per step")), qPrintable(said + u' ' + number));
            if (value == Value::Duration) QVERIFY2(!said.contains(QStringLiteral("iB")), qPrintable(said));
          }
    }
  }

  void theTableIsOfTheMetric() {
    const PlanContext c = onCluster({8, 4, 4}, 4);
    const Hierarchy& h = *c.problem->cluster;
    const Traffic traffic(*c.problem, *c.shownPlan());
    CommunicationFigure f;
    QVERIFY(!matching(wordsOf(f, c, kSize), "^Bytes per step, by kind").isEmpty());
    f.setOption("value", "time");
    const Words words = wordsOf(f, c, kSize);
    QVERIFY(!matching(words, "^Longest time of a device per step, by kind").isEmpty());
    const TrafficMatrix all = traffic.matrix(evenBuckets(h));
    const QString most = timeText(*std::max_element(all.time.begin(), all.time.end()));
    QVERIFY2(sentenceIn(f, c).contains(most), qPrintable(sentenceIn(f, c)));
    QVERIFY(!matching(words, qPrintable(QStringLiteral("^%1$").arg(most))).isEmpty());
    // Each entry is the longest time of any cell where that kind and level are looked at alone.
    for (int k = 0; k < kExchangeCount; ++k)
      for (int l = 0; l < h.levelCount(); ++l) {
        const auto kind = static_cast<Exchange>(k);
        if (!(traffic.total(kind, l) > Bytes(0))) continue;
        const TrafficMatrix cells = traffic.matrix(evenBuckets(h), only(kind), l);
        const Seconds longest = *std::max_element(cells.time.begin(), cells.time.end());
        QCOMPARE(traffic.matrix(evenBuckets(h)).longest[k][std::size_t(l)], longest);
        const QString line = QStringLiteral("%1, level %2: at most %3 per step")
                                 .arg(nameOfKind(kind), levelName(c, l), timeText(longest));
        QVERIFY2(f.asText(c).contains(line), qPrintable(line));
      }
    // What is not shown steps back; what is pointed at says the metric first.
    const auto tip = f.locate({ItemKind::Pair, 0, -1, 1}, QRectF(QPointF(0, 0), kSize), c)->tip;
    QVERIFY2(tip.indexOf(QStringLiteral("Longest time")) < tip.indexOf(QStringLiteral("Bytes")),
             qPrintable(tip));
  }

  /// On no cluster are all devices one cell, or more cells than can be seen.
  void cellsAreNeitherFewNorTooMany_data() {
    QTest::addColumn<QList<int>>("fanouts");
    QTest::addColumn<int>("stages");
    QTest::addColumn<QString>("unit");
    QTest::newRow("16,384, 512 leaves") << QList<int>{8, 4, 512} << 16 << "64 devices (2 × rack)";
    QTest::newRow("131,072, 4,096 leaves") << QList<int>{8, 4, 4096} << 16 << "512 devices (16 × rack)";
    QTest::newRow("18,432 in 6 pods") << QList<int>{8, 384, 6} << 16 << "96 devices (12 × host)";
    QTest::newRow("one level") << QList<int>{1024} << 4 << "4 devices";
    QTest::newRow("two levels, few groups") << QList<int>{200, 5} << 4 << "4 devices";
    QTest::newRow("racks") << QList<int>{8, 16, 64} << 4 << "rack";
    QTest::newRow("devices") << QList<int>{8, 4, 4} << 4 << "device";
    QTest::newRow("an odd number") << QList<int>{8, 331, 1} << 1 << "";
  }
  void cellsAreNeitherFewNorTooMany() {
    QFETCH(QList<int>, fanouts);
    QFETCH(int, stages);
    QFETCH(QString, unit);
    const PlanContext c = onCluster({fanouts.begin(), fanouts.end()}, stages);
    CommunicationFigure f;
    const QRectF area(QPointF(0, 0), kSize);
    const auto first = f.locate(*f.step(std::nullopt, InteractiveFigure::Step::First, c), area, c);
    QVERIFY(first);
    const auto last = f.locate(*f.step(first->item, InteractiveFigure::Step::Last, c), area, c);
    const double cells = (last->area.right() - first->area.left()) / first->area.width();
    QVERIFY2(cells > 15.5 && cells < 256.5, qPrintable(QString::number(cells)));
    const QStringList heads = matching(wordsOf(f, c, kSize), "receiver.*, per ");
    QCOMPARE(heads.size(), 1);
    if (!unit.isEmpty())
      QVERIFY2(heads.front().contains(QStringLiteral(", per ") + unit), qPrintable(heads.front()));
    // Cells differ: it is no square of one colour.
    QImage image(kSize, QImage::Format_RGB32);
    QPainter painter(&image);
    f.paint(painter, area, c, {});
    painter.end();
    std::map<QRgb, int> tones;
    const QRectF plot = first->area | last->area;
    for (int y = int(plot.top()) + 2; y < int(plot.bottom()) - 2; y += 2)
      for (int x = int(plot.left()) + 2; x < int(plot.right()) - 2; x += 2) ++tones[image.pixel(x, y)];
    int most = 0, all = 0;
    for (const auto& [tone, count] : tones) most = std::max(most, count), all += count;
    QVERIFY2(tones.size() > 1 && most < all, qPrintable(QString::number(tones.size())));
    for (int k = 0; k < 40; ++k) QVERIFY(f.hit(plot.topLeft() + QPointF(1 + 5 * k, 1 + 7 * k), area, c));
  }

  /// A bin is named by what stands in it, and its edge shows a stage only where that is true of it.
  void aBinIsNamedByItsDevices() {
    const PlanContext c = onCluster({8, 4, 512}, 16);
    CommunicationFigure f;
    const QString said = f.describe({ItemKind::Pair, 0, -1, 64}, c);
    QVERIFY2(said.startsWith(QStringLiteral("devices 0–63 (host0 – host7) to devices 64–127 (")),
             qPrintable(said));
    auto options = f.shown();
    options.groups = -1;  // "Device", of which there are too many
    f.setOptions(options);
    QVERIFY(!matching(wordsOf(f, c, kSize), "per 32 devices").isEmpty());
  }

  /// Zooming in makes bins finer, down to devices, and what is shown of a cell stays what is sent there.
  void zoomingMakesBinsFiner() {
    const PlanContext c = onCluster({8, 4, 512}, 16);
    const QRectF area(QPointF(0, 0), kSize);
    CommunicationFigure f;
    QString before = f.bucketName(c);
    std::set<QString> seen{before};
    for (int k = 0; k < 40; ++k) {
      f.zoomAt(area.center() * 0.5, 1.3, area, c);
      seen.insert(f.bucketName(c));
      for (int n = 0; n < 20; ++n) f.hit({40.0 + 30 * n, 60.0 + 20 * n}, area, c);
    }
    QCOMPARE(f.bucketName(c), QStringLiteral("device"));
    QVERIFY2(seen.size() >= 3, qPrintable(QStringList(seen.begin(), seen.end()).join(u'|')));
    const double span = f.viewport().at("span");
    QVERIFY(span < 0.001);
    // A cell in sight sends what the traffic says.
    const int first = static_cast<int>(std::lround(f.viewport().at("from") * 16384));
    const Traffic traffic(*c.problem, *c.shownPlan());
    std::vector<int> starts{0, first, first + 1, first + 2, 16384};
    if (first == 0) starts.erase(starts.begin());
    const auto cells = traffic.matrix(starts);
    const int at = first == 0 ? 0 : 1;
    const QString said = f.describe({ItemKind::Pair, first, -1, first + 1}, c);
    const std::size_t cell = cells.cell(at, at + 1);
    QVERIFY2(cells.level[cell] < 0 || said.contains(memoryText(cells.bytes[cell])), qPrintable(said));
    f.panBy({-5000, 0}, area, c);
    QVERIFY(f.viewport().at("from") > static_cast<double>(first) / 16384);
    f.fit();
    QCOMPARE(f.bucketName(c), before);
    // The place is part of what a view remembers.
    f.zoomAt(area.center(), 4, area, c);
    CommunicationFigure again;
    again.setViewport(f.viewport());
    QCOMPARE(again.bucketName(c), f.bucketName(c));
  }

  /// One value needs no scale, and what is said to be logarithmic is.
  void theScaleIsTheOneThatIsNamed() {
    const PlanContext one = onCluster({8}, 1);
    CommunicationFigure f;
    auto words = wordsOf(f, one, kSize);
    QVERIFY(matching(words, "^0$").size() <= 2);  // the first row and column
    const double step = f.locate({ItemKind::Pair, 0, -1, 1}, QRectF(QPointF(0, 0), kSize), one)->area.width();
    QVERIFY(step > 0);
    f.setOption("scale", "linear");
    QVERIFY(matching(wordsOf(f, one, kSize), "^0$").size() <= 2);
  }

  /// Topology is coloured by time and says so; Edit's key says the same of its links.
  void topologyIsColouredByTime() {
    const PlanContext c = onCluster({8, 4, 4}, 4);
    const Traffic traffic(*c.problem, *c.shownPlan());
    const auto times = traffic.sendingTimes();
    TopologyFigure t;
    t.setTraffic(TopologyFigure::kAllTraffic);
    const Words words = wordsOf(t, c, {1300, 700});
    QVERIFY(!matching(words, "^Longest time a device sends per step:").isEmpty());
    for (int l = 0; l < 3; ++l) {
      if (!(traffic.total(Exchange::Tensor, l) + traffic.total(Exchange::Pipeline, l) +
                traffic.total(Exchange::Data, l) >
            Bytes(0)))
        continue;
      const auto& level = times[std::size_t(l)];
      const QString said = QStringLiteral("^%1 %2").arg(
          levelName(c, l), timeText(*std::max_element(level.begin(), level.end())));
      QVERIFY2(!matching(words, qPrintable(said)).isEmpty(), qPrintable(said));
    }
    // The busiest level is named with its share of the step.
    QCOMPARE(matching(words, "^busiest: \\S+, [\\d.]+ % of the step$").size(), 1);
    const auto tip = t.locate({ItemKind::Group, 0, 1}, QRectF(0, 0, 1300, 700), c)->tip;
    QVERIFY2(tip.contains(QStringLiteral("Longest time a device sends")), qPrintable(tip));
  }

  /// Memory and busy share as magnitudes, with the numbers on the devices and the range in the key.
  void topologyIsColouredByMemoryAndBusyShare() {
    const PlanContext c = onCluster({8, 4}, 4);
    const auto& stages = c.shownEvaluation()->stages;
    TopologyFigure t;
    t.setOption("colour", "memory");
    Words words = wordsOf(t, c, {1300, 700});
    const auto percentOf = [&](std::size_t stage) {
      const MemoryUse& use = stages[stage].memory;
      return phrase(text::number(100 * (use.total() / use.capacity), 2));
    };
    for (std::size_t s = 0; s < stages.size(); ++s)
      QCOMPARE(matching(words, qPrintable(u'^' + QRegularExpression::escape(percentOf(s)) + u'$')).isEmpty(),
               false);
    QVERIFY(!matching(words, "^Memory of a device at its peak").isEmpty());
    t.setOption("colour", "busy");
    words = wordsOf(t, c, {1300, 700});
    QVERIFY(!matching(words, "^Time that a device works").isEmpty());
    QVERIFY(!matching(words, "most .+ on stage").isEmpty());
    t.setOption("colour", "tp-rank");
    words = wordsOf(t, c, {1300, 700});
    QVERIFY(!matching(words, "^Rank in its TP group:").isEmpty());
    QVERIFY(!matching(words, "^7$").isEmpty());
    t.setOption("colour", "stage");
    QVERIFY(matching(wordsOf(t, c, {1300, 700}), "^Rank in its TP group:").isEmpty());
  }

  /// Large devices say more: replica and rank from 60 pixels, their memory from 120.
  void largeDevicesSayMore() {
    const PlanContext c = onCluster({8, 4, 4}, 4);
    const QRectF area(0, 0, 1300, 700);
    TopologyFigure t;
    const auto has = [&](const char* pattern) {
      return !matching(wordsOf(t, c, {1300, 700}), pattern).isEmpty();
    };
    QVERIFY(!has("^device \\d+$"));
    const auto height = [&] { return t.locate({ItemKind::Device, 0}, area, c)->area.height(); };
    while (height() < 62) t.zoomAt({120, 120}, 1.2, area, c);
    QVERIFY(has("rank \\d"));
    QVERIFY(has("^device \\d+$"));
    QVERIFY(!has("GiB$"));
    while (height() < 125) t.zoomAt({120, 120}, 1.2, area, c);
    QVERIFY(has("GiB"));
  }
};
NEST_TEST(TestCommunication)
#include "test_communication.moc"
