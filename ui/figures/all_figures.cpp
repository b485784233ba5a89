#include "figures/all_figures.h"

#include "figures/communication_figure.h"
#include "figures/memory_figure.h"
#include "figures/stages_figure.h"
#include "figures/timeline_figure.h"
#include "figures/topology_figure.h"

namespace nest {

std::vector<std::unique_ptr<InteractiveFigure>> allFigures() {
  std::vector<std::unique_ptr<InteractiveFigure>> all;
  all.push_back(std::make_unique<TopologyFigure>());
  all.push_back(std::make_unique<StagesFigure>());
  all.push_back(std::make_unique<MemoryFigure>());
  all.push_back(std::make_unique<CommunicationFigure>());
  all.push_back(std::make_unique<TimelineFigure>());
  return all;
}

}  // namespace nest
