#include "units/numbering.h"

#include <QtTest/QTest>

#include "support/test_main.h"

using namespace nest;

namespace {

std::vector<LayerIndex> layers(std::initializer_list<int> indices) {
  std::vector<LayerIndex> out;
  for (const int i : indices) out.emplace_back(i);
  return out;
}

}  // namespace

class TestNumbering : public QObject {
  Q_OBJECT
private slots:
  void countsFromOne() {
    QCOMPARE(text::stageNumber(StageIndex(0)), std::string("1"));
    QCOMPARE(text::stageName(StageIndex(2)), std::string("stage 3"));
    QCOMPARE(text::stageTitle(StageIndex(15)), std::string("Stage 16"));
    QCOMPARE(text::layerNumber(LayerIndex(6)), std::string("7"));
    QCOMPARE(text::layerName(LayerIndex(0)), std::string("layer 1"));
  }
  void joinsNeighbours() {
    QCOMPARE(text::layerNumbers({}), std::string("none"));
    QCOMPARE(text::layerNumbers(layers({4})), std::string("5"));
    QCOMPARE(text::layerNumbers(layers({0, 1, 2, 3})), std::string("1–4"));
    QCOMPARE(text::layerNumbers(layers({0, 1, 3, 7, 8})), std::string("1–2, 4, 8–9"));
  }
  void saysLayerOrLayers() {
    QCOMPARE(text::layersName({}), std::string("no layers"));
    QCOMPARE(text::layersName(layers({4})), std::string("layer 5"));
    QCOMPARE(text::layersName(layers({4, 5, 8})), std::string("layers 5–6, 9"));
  }
};

NEST_TEST(TestNumbering)
#include "test_numbering.moc"
