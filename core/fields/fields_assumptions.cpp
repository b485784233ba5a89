// The fields of the assumptions of the cost model. One entry is all that a new one takes besides its use
// there.
#include "fields/field_access.h"
#include "fields/field_tables.h"

namespace nest {
namespace {

using field_access::as;
using field_access::at;
using field_access::by;

constexpr double kMostReserve = 1024.0 * 1024 * 1024 * 1024 * 1024;

}  // namespace

void addAssumptionFields(std::vector<Field>& all) {
  const char* const group = "Assumptions";
  for (int k = 0; k < kExchangeCount; ++k) {
    const std::string name = nameOf(static_cast<Exchange>(k));
    std::string label = name + " overlap";
    label[0] = static_cast<char>(label[0] - 'a' + 'A');
    const auto i = static_cast<std::size_t>(k);
    all.push_back(
        {.key = "/assumptions/overlap/" + name,
         .group = group,
         .label = label,
         .meaning = "share of the " + name + " communication that overlaps with compute",
         .access = as(Measure::Share, by([i](auto& s, int) -> auto& { return s.assumptions.overlap[i]; })),
         .least = 0,
         .most = 1,
         .term = "overlap",
         .slide = Slide::Linear,
         .better = Better::Larger});
  }
  all.insert(
      all.end(),
      {
          {.key = "/assumptions/overlap/sync",
           .group = group,
           .label = "Sync overlap",
           .meaning = "share of the end-of-step gradient reduction that overlaps with the stage's "
                      "last backward and next forward pass",
           .access = as(Measure::Share, at<&Setting::assumptions, &Assumptions::syncOverlap>()),
           .least = 0,
           .most = 1,
           .term = "overlap",
           .stored = Stored::Changed,
           .slide = Slide::Linear,
           .better = Better::Larger},
          {.key = "/assumptions/reserve_bytes",
           .group = group,
           .label = "Reserve",
           .meaning = "memory kept free on each device",
           .access = at<&Setting::assumptions, &Assumptions::reserve>(),
           .least = 0,
           .most = kMostReserve,
           .slide = Slide::Log,
           .usual = 2.0 * 1024 * 1024 * 1024,
           .better = Better::Smaller},
          {.key = "/assumptions/link_efficiency",
           .group = group,
           .label = "Link efficiency",
           .meaning = "share of every level's bandwidth that collectives achieve; 100 % for measured "
                      "bandwidths, less for datasheet ones",
           .access = as(Measure::Share, at<&Setting::assumptions, &Assumptions::linkEfficiency>()),
           .least = 1e-3,
           .most = 1,
           .stored = Stored::Changed,
           .slide = Slide::Linear,
           .better = Better::Larger},
          {.key = "/assumptions/flat_exchange",
           .group = group,
           .label = "Flat exchanges",
           .meaning = "share of the outermost level's bandwidth that every exchange sustains, where a "
                      "program makes no "
                      "use of the host's own links; 0: each exchange runs at its own level",
           .access = as(Measure::Share, at<&Setting::assumptions, &Assumptions::flatExchange>()),
           .least = 0,
           .most = 1,
           .stored = Stored::Changed,
           .slide = Slide::Linear},
          {.key = "/assumptions/zero_all_reduces",
           .group = group,
           .label = "ZeRO 1 all-reduces",
           .meaning =
               "with ZeRO stage 1 gradients are all-reduced whole behind the last backward pass, and nothing "
               "of the gradient reduction is hidden",
           .access = at<&Setting::assumptions, &Assumptions::zeroAllReduces>(),
           .term = "ZeRO",
           .stored = Stored::Changed},
          {.key = "/assumptions/crowding_s_per_byte",
           .group = group,
           .label = "Crowding",
           .meaning =
               "time per byte that each further rank of a group adds to its reduce-scatters and all-gathers "
               "between hosts; 0: as many ranks sustain what two do",
           .access = at<&Setting::assumptions, &Assumptions::crowding>(),
           .least = 0,
           .most = 1,
           .stored = Stored::Changed,
           .slide = Slide::Log,
           .usual = 1e-12,
           .better = Better::Smaller},
          {.key = "/assumptions/held_gradient_bytes_per_parameter",
           .group = group,
           .label = "Gradients in memory",
           .meaning =
               "bytes per parameter that gradients take in memory, where programs hold others than they "
               "exchange; 0: as many",
           .access = at<&Setting::assumptions, &Assumptions::heldGradientBytes>(),
           .least = 0,
           .most = 64,
           .term = "optimizer precision",
           .stored = Stored::Changed,
           .slide = Slide::Linear,
           .better = Better::Smaller},
          {.key = "/assumptions/clipping_passes",
           .group = group,
           .label = "Passes of gradient clipping",
           .meaning = "times the optimizer step goes through its gradients to clip them: 1 to read them for "
                      "their norm (Megatron-Core while the norm is small), 3 if they are also read and "
                      "written to be scaled (PyTorch's clip_grad_norm_); 0: not counted",
           .access = at<&Setting::assumptions, &Assumptions::clippingPasses>(),
           .least = 0,
           .most = 3,
           .term = "optimizer precision",
           .stored = Stored::Changed,
           .slide = Slide::Linear,
           .better = Better::Smaller},
          {.key = "/assumptions/offloaded_optimizer_share",
           .group = group,
           .label = "Optimizer state in host memory",
           .meaning = "share of the optimizer state, master weights included, that stands in the host's "
                      "memory and is updated there",
           .access = as(Measure::Share, at<&Setting::assumptions, &Assumptions::offloadedOptimizer>()),
           .least = 0,
           .most = 1,
           .term = "optimizer precision",
           .stored = Stored::Changed,
           .slide = Slide::Linear},
          {.key = "/assumptions/overlaps_optimizer_copies",
           .group = group,
           .label = "Optimizer copies overlap",
           .meaning = "gradients go to the host, are applied there and come back as weights at the same "
                      "time, part by part; if not, one after the other",
           .access = at<&Setting::assumptions, &Assumptions::overlapsOptimizerCopies>(),
           .stored = Stored::Changed,
           .matters = offloadsOptimizer},
          {.key = "/assumptions/host_update_parameters_per_s",
           .group = group,
           .label = "Host update rate",
           .meaning = "parameters a second that a host's processors update for one of its devices while they "
                      "do so for all; 0: the update is not counted",
           .access = at<&Setting::assumptions, &Assumptions::hostUpdateRate>(),
           .least = 0,
           .most = 1e15,
           .stored = Stored::Changed,
           .slide = Slide::Log,
           .reach = 64,
           .usual = 1e9,
           .matters = offloadsOptimizer},
          {.key = "/assumptions/gathers_groups",
           .group = group,
           .label = "ZeRO 3 gathers groups",
           .meaning =
               "ZeRO stage 3 gathers blocks one by one and what is in no block for the whole step, each into "
               "a buffer of the exchange in addition to the parameters in use; if not, the largest layer",
           .access = at<&Setting::assumptions, &Assumptions::gathersGroups>(),
           .term = "ZeRO",
           .stored = Stored::Changed},
          {.key = "/assumptions/allocator_factor",
           .group = group,
           .label = "Allocator factor",
           .meaning = "memory that the allocator reserves ÷ what it hands out",
           .access = at<&Setting::assumptions, &Assumptions::allocatorFactor>(),
           .least = 1,
           .most = 10,
           .stored = Stored::Changed,
           .slide = Slide::Log,
           .reach = 4,
           .better = Better::Smaller},
          {.key = "/assumptions/headroom",
           .group = group,
           .label = "Headroom",
           .meaning =
               "share of each device's memory that a plan must leave free, so that it still fits where its "
               "prediction errs",
           .access = as(Measure::Share, at<&Setting::assumptions, &Assumptions::headroom>()),
           .least = 0,
           .most = 0.9,
           .term = "headroom",
           .stored = Stored::Changed,
           .slide = Slide::Linear,
           .better = Better::Smaller},
      });
}

}  // namespace nest
