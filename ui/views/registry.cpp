#include "views/registry.h"

#include <QCoreApplication>

#include "editors/cuts/cut_view.h"
#include "editors/network/network_editor.h"
#include "editors/what_if/what_if_view.h"
#include "views/compare/compare_view.h"
#include "views/figure_views.h"
#include "views/placement_view.h"
#include "views/search/search_view.h"
#include "views/study/study_view.h"

namespace nest {
namespace {

template <class V>
ViewEntry entry(const char* id, const char* title) {
  return {QString::fromLatin1(id), QCoreApplication::translate("nest::ViewEntry", title),
          [](ViewServices services, QWidget* parent) -> View* { return new V(services, parent); }};
}

}  // namespace

const std::vector<ViewEntry>& viewRegistry() {
  static const std::vector<ViewEntry> all{
      entry<TopologyView>("topology", "Topology"),
      entry<NetworkEditor>("network", "Network"),
      entry<StagesView>("stages", "Stages"),
      entry<MemoryView>("memory", "Memory"),
      entry<CommunicationView>("communication", "Communication"),
      entry<TimelineView>("timeline", "Timeline"),
      entry<PlacementView>("placement", "Placement"),
      entry<CutView>("cuts", "Cuts"),
      entry<WhatIfView>("whatif", "What-if"),
      entry<SearchView>("search", "Search"),
      entry<CompareView>("compare", "Compare"),
      entry<StudyView>("study", "Study"),
  };
  return all;
}

}  // namespace nest
