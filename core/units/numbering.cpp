#include "units/numbering.h"

namespace nest::text {
namespace {

template <class Tag>
std::string number(Index<Tag> i) {
  return std::to_string(i.value + 1LL);
}

}  // namespace

std::string stageNumber(StageIndex i) {
  return number(i);
}

std::string stageName(StageIndex i) {
  return "stage " + number(i);
}

std::string stageTitle(StageIndex i) {
  return "Stage " + number(i);
}

std::string layerNumber(LayerIndex i) {
  return number(i);
}

std::string layerName(LayerIndex i) {
  return "layer " + number(i);
}

std::string layerNumbers(const std::vector<LayerIndex>& layers) {
  std::string out;
  for (std::size_t a = 0; a < layers.size();) {
    std::size_t b = a;
    while (b + 1 < layers.size() && layers[b + 1].value == layers[b].value + 1) ++b;
    out += (out.empty() ? "" : ", ") + number(layers[a]);
    if (b > a) out += "–" + number(layers[b]);
    a = b + 1;
  }
  return out.empty() ? "none" : out;
}

std::string layersName(const std::vector<LayerIndex>& layers) {
  if (layers.empty()) return "no layers";
  return (layers.size() == 1 ? "layer " : "layers ") + layerNumbers(layers);
}

}  // namespace nest::text
