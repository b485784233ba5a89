#pragma once

#include <QApplication>
#include <QLineEdit>
#include <QPushButton>
#include <QtTest/QTest>

#include "cluster/devices/device_catalog.h"
#include "document/scenario_document.h"
#include "editors/network/network_canvas.h"
#include "editors/network/network_editor.h"
#include "formats/scenario/scenario_json.h"
#include "support/test_main.h"
#include "test_paths.h"

/// A network editor in a window of its own, on two hosts of four devices unless another scenario is given.
namespace nest::test {

inline Scenario smallScenario() {
  Scenario s;
  s.cluster.device = *findDevice("h100-sxm");
  LevelsSource levels;
  levels.levels.resize(2);
  levels.levels[0] = {"host", 4, BytesPerSecond(450e9), {}, Seconds(2e-6)};
  levels.levels[1] = {"leaf", 2, BytesPerSecond(50e9), {}, Seconds(4e-6)};
  s.cluster.network = levels;
  return s;
}

inline Scenario sample(const std::string& name) {
  const std::string dir = std::string(NEST_SOURCE_DIR) + "/samples/";
  return *readScenario(readFile(dir + name), name, [&](const std::string& path) {
    Reading<std::string> r;
    r.value = readFile(dir + path);
    return r;
  });
}

struct OpenedNetwork {
  ScenarioDocument document;
  Selection selection;
  NetworkEditor editor{{&selection, &document, nullptr}};

  explicit OpenedNetwork(const Scenario& scenario = smallScenario()) {
    document.reset(scenario, {});
    editor.resize(1200, 800);
    editor.show();
    (void)QTest::qWaitForWindowExposed(&editor);
    QApplication::setActiveWindow(&editor);  // keys of the canvas are shortcuts
    editor.canvas().setFocus();
    editor.setContext(std::make_shared<PlanContext>());
  }
  const NetworkGraph& drawn() const {
    return std::get<GraphSource>(document.scenario().cluster.network).graph;
  }
  bool isDrawn() const { return std::holds_alternative<GraphSource>(document.scenario().cluster.network); }
  void draw() {
    for (auto* button : editor.findChildren<QPushButton*>())
      if (button->text() == "Draw this network") QTest::mouseClick(button, Qt::LeftButton);
  }
  void pressButton(const QString& text) {
    for (auto* button : editor.findChildren<QPushButton*>())
      if (button->text() == text) QTest::mouseClick(button, Qt::LeftButton);
  }
  QLineEdit* fieldNamed(const QString& start) {
    for (auto* edit : editor.findChildren<QLineEdit*>())
      if (edit->accessibleName().startsWith(start)) return edit;
    return nullptr;
  }
  NetworkCanvas& canvas() { return editor.canvas(); }
  QPoint centreOf(const std::string& name) {
    const auto& g = canvas().graph();
    for (const auto& n : g.nodes)
      if (n.name == name) return canvas().toWidget({n.x, n.y}).toPoint();
    return {-1, -1};
  }
  int numberOf(const std::string& name) {
    const auto& g = canvas().graph();
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
      if (g.nodes[i].name == name) return static_cast<int>(i);
    return -1;
  }
};

}  // namespace nest::test
