#include <QtTest/QTest>

#include "formats/profiles/pipedream.h"
#include "support/test_main.h"

using namespace nest;

class TestPipedream : public QObject {
  Q_OBJECT
private slots:
  void graph() {
    const auto p = readPipeDream(
        "node1 -- Embedding(30522, 1024) -- forward_compute_time=0.412, backward_compute_time=0.530, "
        "activation_size=8388608.000, parameter_size=131072000.000\n"
        "node2 -- Block -- forward_compute_time=2.100, backward_compute_time=4.200, activation_size=[4.0; "
        "6.0], "
        "parameter_size=50331648.000 -- stage_id=1\n"
        "\tnode1 -- node2\n",
        "graph.txt");
    QVERIFY(p);
    QCOMPARE(p->graph.layerCount(), 2);
    QCOMPARE(p->graph.layers[0].kind, LayerKind::Embedding);
    const LayerCost& block = *p->profile.cost(p->graph.layers[1].classId, 0, 0);
    QCOMPARE(block.forward.value(), 2.1e-3);
    QCOMPARE(block.denseParameters, 50331648.0 / 4);
    QCOMPARE(block.recompute[0].stash.value(), 10.0);
    QCOMPARE(p->profile.tensorBytes(0, 0, 0).value(), 8388608.0);
    QCOMPARE(p.diagnostics.size(), std::size_t(2));
  }
  void badGraphs_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("code");
    QTest::addColumn<int>("line");
    const QString good =
        "a -- A -- forward_compute_time=1, backward_compute_time=1, activation_size=1, parameter_size=1\n";
    QTest::newRow("empty") << ""
                           << "pipedream-empty" << 0;
    QTest::newRow("words") << "hello\n"
                           << "pipedream-node" << 1;
    QTest::newRow("missing") << "a -- A -- forward_compute_time=1\n"
                             << "pipedream-figure" << 1;
    QTest::newRow("nan") << QString(good).replace("time=1", "time=nan") << "pipedream-figure" << 1;
    QTest::newRow("negative") << QString(good).replace("size=1", "size=-1") << "pipedream-figure" << 1;
    QTest::newRow("twice") << good + good << "pipedream-node-twice" << 2;
    QTest::newRow("edge") << good + "\ta -- b\n"
                          << "pipedream-edge" << 2;
    QTest::newRow("half edge") << good + "\ta\n"
                               << "pipedream-edge" << 2;
    QTest::newRow("loop") << good + "\ta -- a\n"
                          << "graph-cycle" << 0;
  }
  void badGraphs() {
    QFETCH(QString, text);
    QFETCH(QString, code);
    QFETCH(int, line);
    const auto p = readPipeDream(text.toStdString(), "graph.txt");
    QVERIFY(!p);
    QCOMPARE(QString::fromStdString(p.diagnostics[0].code), code);
    QCOMPARE(p.diagnostics[0].where.line, line);
  }
};
NEST_TEST(TestPipedream)
#include "test_pipedream.moc"
