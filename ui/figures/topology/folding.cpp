#include "figures/topology/folding.h"

namespace nest {

FigureOption foldingOption(Folding chosen) {
  return {"folding",
          QStringLiteral("Collapse identical"),
          {},
          {{nameOf(Folding::Automatic), QStringLiteral("Auto")},
           {nameOf(Folding::Everything), QStringLiteral("Always")},
           {nameOf(Folding::Nothing), QStringLiteral("Never")}},
          nameOf(chosen)};
}

Folding foldingNamed(const std::string& name) {
  for (const Folding f : {Folding::Everything, Folding::Nothing})
    if (name == nameOf(f)) return f;
  return Folding::Automatic;
}

const char* nameOf(Folding f) {
  return f == Folding::Everything ? "always" : f == Folding::Nothing ? "never" : "small";
}

}  // namespace nest
