#pragma once

#include "fields/setting.h"
#include "problem/problem.h"

/// What a program does to costs and memory beyond its layers' own kernels.
namespace nest {

/// The network as the program's exchanges see it: every level at its share of the bandwidth that it has, or
/// all at that of the outermost one (Assumptions::flatExchange; STATEMENT.md §10).
Hierarchy asProgramUses(const Hierarchy&, const Assumptions&);

/// Adds to an analytic profile what depends on the network as well. A block's passes, its tensor exchange
/// inside the innermost group included, take no less than the host needs to issue them. Experts that are
/// reached once per host receive what crosses the network once for each of a token's hosts, and all of it
/// inside the host: the bytes of the exchange are those that cost as much where the group fills its hosts.
/// STATEMENT.md (10.2), (10.3).
void applyNetworkOf(const Setting&, const Hierarchy&, GraphAndProfile&);

/// Bytes of one token's exchange that count ÷ those sent once per expert: `ranks` of an expert group, of
/// which `inside` share a host; `perToken` experts on at most `hosts` hosts; seconds per byte inside and
/// outside.
double perHostShare(int ranks, int inside, double perToken, double hosts, double innerPerByte,
                    double outerPerByte);

}  // namespace nest
