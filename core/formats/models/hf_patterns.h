#pragma once

#include "formats/models/hf_families.h"

namespace nest {

/// Which block is of which kind, by the family's pattern; fills `variants` where more than one kind is left.
void readBlocks(const ConfigFamily&, ConfigFields&, TransformerArchitecture&);

/// Layers of a file that lists them without giving their number; 0: it lists none.
int hybridLayers(ConfigFields&);

}  // namespace nest
