#include "views/figure_views.h"

#include <array>

#include "figures/communication_figure.h"
#include "figures/memory_figure.h"
#include "figures/stages_figure.h"
#include "figures/timeline_figure.h"
#include "figures/topology_figure.h"

namespace nest {

TopologyView::TopologyView(ViewServices services, QWidget* parent)
    : FigureView(std::make_unique<TopologyFigure>(), services, parent) {
  auto* f = &figureAs<TopologyFigure>();
  addChoice(QStringLiteral("folding"), tr("Fold alike"), {tr("When small"), tr("Always"), tr("Never")}, 0,
            [f](int i) {
              constexpr std::array<Folding, 3> all{Folding::Automatic, Folding::Everything, Folding::Nothing};
              f->setFolding(all[static_cast<std::size_t>(i)]);
            });
  QStringList kinds{tr("Nothing"), nameOfKind(std::nullopt)};
  for (int k = 0; k < kExchangeCount; ++k) kinds << nameOfKind(static_cast<Exchange>(k));
  addChoice(QStringLiteral("traffic"), tr("Traffic"), kinds, 0, [f](int i) {
    f->setTraffic(i == 0 ? TopologyFigure::kNoTraffic : i == 1 ? TopologyFigure::kAllTraffic : i - 2);
  });
}

StagesView::StagesView(ViewServices services, QWidget* parent)
    : FigureView(std::make_unique<StagesFigure>(), services, parent) {
  auto* f = &figureAs<StagesFigure>();
  addChoice(QStringLiteral("scale"), tr("Columns"), {tr("Time"), tr("Share of load")}, 0,
            [f](int i) { f->setScale(i == 0 ? StagesFigure::Scale::Time : StagesFigure::Scale::Share); });
}

MemoryView::MemoryView(ViewServices services, QWidget* parent)
    : FigureView(std::make_unique<MemoryFigure>(), services, parent) {
  auto* f = &figureAs<MemoryFigure>();
  addChoice(QStringLiteral("by"), tr("A bar per"), {tr("Stage"), tr("Device")}, 0,
            [f](int i) { f->setBy(i == 0 ? MemoryFigure::By::Stage : MemoryFigure::By::Device); });
}

CommunicationView::CommunicationView(ViewServices services, QWidget* parent)
    : FigureView(std::make_unique<CommunicationFigure>(), services, parent) {
  auto* f = &figureAs<CommunicationFigure>();
  const auto change = [f](auto edit) {
    auto options = f->options();
    edit(options);
    f->setOptions(options);
  };
  addChoice(QStringLiteral("value"), tr("Show"), {tr("Level"), tr("Bytes"), tr("Time")}, 1, [change](int i) {
    change([i](auto& o) { o.value = static_cast<CommunicationFigure::Value>(i); });
  });
  QStringList kinds{nameOfKind(std::nullopt)};
  for (int k = 0; k < kExchangeCount; ++k) kinds << nameOfKind(static_cast<Exchange>(k));
  addChoice(QStringLiteral("kind"), tr("of"), kinds, 0, [change](int i) {
    change([i](auto& o) { o.kind = i == 0 ? std::nullopt : std::optional(static_cast<Exchange>(i - 1)); });
  });
  // Levels are offered by place, not by name: the names change with the cluster.
  addChoice(QStringLiteral("groups"), tr("between"),
            {tr("Fitting groups"), tr("Devices"), tr("Hosts"), tr("Groups of level 1"),
             tr("Groups of level 2"), tr("Groups of level 3")},
            0, [change](int i) { change([i](auto& o) { o.groups = i - 2; }); });
  addChoice(QStringLiteral("scale"), tr("Scale"), {tr("Logarithmic"), tr("Linear")}, 0,
            [change](int i) { change([i](auto& o) { o.logarithmic = i == 0; }); });
}

TimelineView::TimelineView(ViewServices services, QWidget* parent)
    : FigureView(std::make_unique<TimelineFigure>(), services, parent) {
  auto* f = &figureAs<TimelineFigure>();
  addSwitch(QStringLiteral("memory"), tr("Memory curve"), true, [f](bool on) { f->setShowsMemory(on); });
}

}  // namespace nest
