#pragma once

#include "document/exchange_player.h"
#include "figures/topology/microbatch_tokens.h"

namespace nest {

class FigurePainter;

/// Over the picture of a cluster: who takes part in an exchange, and in the round that runs lines from rank
/// to rank with a dot where the bytes are.
void paintExchange(FigurePainter&, const ExchangeInstant&, const TopologyLayout&, const TopologyScale&);

}  // namespace nest
