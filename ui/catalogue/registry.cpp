#include "catalogue/registry.h"

#include <QCoreApplication>

#include "editors/cuts/cut_view.h"
#include "editors/network/topology_view.h"
#include "editors/what_if/what_if_view.h"
#include "figures/plan/communication_figure.h"
#include "figures/plan/exchange_figure.h"
#include "figures/plan/memory_figure.h"
#include "figures/plan/run_figure.h"
#include "figures/plan/stages_figure.h"
#include "figures/plan/timeline_figure.h"
#include "figures/topology/topology_figure.h"
#include "views/accuracy/accuracy_view.h"
#include "views/compare/compare_view.h"
#include "views/exchange_view.h"
#include "views/figure_views.h"
#include "views/placement_view.h"
#include "views/purchase/purchase_view.h"
#include "views/run/run_view.h"
#include "views/search/search_view.h"
#include "views/study/study_view.h"

namespace nest {
namespace {

template <class V>
ViewEntry entry(const char* id, const char* title) {
  return {QString::fromLatin1(id), QCoreApplication::translate("nest::ViewEntry", title),
          [](ViewServices services, QWidget* parent) -> View* { return new V(services, parent); }, nullptr};
}

template <class V, class F>
ViewEntry entry(const char* id, const char* title) {
  ViewEntry e = entry<V>(id, title);
  e.makeFigure = []() -> std::unique_ptr<InteractiveFigure> { return std::make_unique<F>(); };
  return e;
}

}  // namespace

const std::vector<ViewEntry>& viewRegistry() {
  static const std::vector<ViewEntry> all{
      entry<TopologyView, TopologyFigure>("topology", "Topology"),
      entry<StagesView, StagesFigure>("stages", "Stages"),
      entry<MemoryView, MemoryFigure>("memory", "Memory"),
      entry<CommunicationView, CommunicationFigure>("communication", "Communication"),
      entry<ExchangeView, ExchangeFigure>("exchange", "Exchange"),
      entry<TimelineView, TimelineFigure>("timeline", "Timeline"),
      entry<PlacementView>("placement", "Placement"),
      entry<CutView>("cuts", "Cuts"),
      entry<WhatIfView>("whatif", "What-if"),
      entry<SearchView>("search", "Search"),
      entry<CompareView>("compare", "Compare"),
      entry<RunView, RunFigure>("run", "Run"),
      entry<StudyView>("study", "Study"),
      entry<PurchaseView>("purchase", "Purchase"),
      entry<AccuracyView>("accuracy", "Accuracy"),
  };
  return all;
}

const std::vector<ViewMode>& viewModes() {
  static const std::vector<ViewMode> all{{QStringLiteral("network"), QStringLiteral("topology"), "edit"}};
  return all;
}

ViewPlace placeOf(const QString& id, View::State state) {
  for (const ViewMode& mode : viewModes()) {
    if (mode.id == id) {
      state[mode.key] = 1;
      return {mode.view, std::move(state)};
    }
    if (mode.view == id) state.try_emplace(mode.key, 0);
  }
  return {id, std::move(state)};
}

std::vector<std::unique_ptr<InteractiveFigure>> planFigures() {
  std::vector<std::unique_ptr<InteractiveFigure>> all;
  for (const ViewEntry& e : viewRegistry())
    if (e.makeFigure) all.push_back(e.makeFigure());
  return all;
}

}  // namespace nest
