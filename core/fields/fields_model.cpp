// The fields of how a model's layers are priced from its architecture.
#include "fields/field_access.h"
#include "fields/field_tables.h"

namespace nest {
namespace {

using field_access::as;
using field_access::at;

}  // namespace

void addModelFields(std::vector<Field>& all) {
  const char* const group = "Kernel model";
  all.push_back({.key = "/model/analytic/flash_attention",
                 .group = group,
                 .label = "Fused attention",
                 .meaning = "a fused attention kernel, so that scores are never stored",
                 .access = at<&Setting::model, &ModelSource::analytic, &AnalyticOptions::flashAttention>(),
                 .stored = Stored::Changed,
                 .matters = isComputed});
  all.push_back(
      {.key = "/model/analytic/separate_gradient_sums",
       .group = group,
       .label = "Separate gradient sums",
       .meaning = "share of the microbatches whose weight gradients a kernel of its own adds up, as before "
                  "2022; 0: the "
                  "matrix product adds them",
       .access = as(Measure::Share,
                    at<&Setting::model, &ModelSource::analytic, &AnalyticOptions::separateGradientSums>()),
       .least = 0,
       .most = 1,
       .stored = Stored::Changed,
       .slide = Slide::Linear,
       .better = Better::Smaller,
       .matters = isComputed});
  using A = AnalyticOptions;
  const auto option = [&](Field f) {
    f.group = group, f.stored = Stored::Changed, f.matters = isComputed;
    f.key = "/model/analytic/" + f.key;
    all.push_back(std::move(f));
  };
  option({.key = "attention_kernel",
          .label = "Attention kernel",
          .meaning =
              "generation of the fused attention: the latest for the device, FlashAttention-2, or of before "
              "mid 2023",
          .access = at<&Setting::model, &ModelSource::analytic, &A::attentionKernel>(),
          .options = {"latest", "flash-2", "early"},
          .optionLabels = {"Latest", "FlashAttention-2", "Before mid 2023"}});
  option(
      {.key = "selective_recompute",
       .label = "Selective recompute",
       .meaning =
           "what selective recompute repeats: the attention's core (Megatron), norms and activations "
           "(Megatron: layernorm, moe_act), the up projections of latent attention (Megatron: mla_up_proj), "
           "or every second matrix product and all element-wise work (torchtitan)",
       .access = at<&Setting::model, &ModelSource::analytic, &A::selectiveRecompute>(),
       .term = "recompute",
       .options = {"attention-core", "activations", "latent-projection", "every-second-product"},
       .optionLabels = {"Attention core", "Norms and activations", "Latent up projections",
                        "Every second product"}});
  option({.key = "expert_exchange",
          .label = "Expert exchange",
          .meaning =
              "a token crosses the network once for each expert that it is sent to, or once for each host "
              "that holds one of them",
          .access = at<&Setting::model, &ModelSource::analytic, &A::expertExchange>(),
          .term = "expert degree",
          .options = {"per-expert", "per-host"},
          .optionLabels = {"Per expert", "Per host"}});
  option({.key = "context_exchange",
          .label = "Context exchange",
          .meaning = "keys and values pass from one context rank to the next, or are gathered with shared "
                     "heads repeated "
                     "and summed in fp32 (PyTorch)",
          .access = at<&Setting::model, &ModelSource::analytic, &A::contextExchange>(),
          .term = "context degree",
          .options = {"ring", "gather"},
          .optionLabels = {"Ring", "Gather"}});
  option({.key = "recompute_stops_early",
          .label = "Recompute stops early",
          .meaning = "full recompute does not repeat what only makes a block's result: the last product of a "
                     "dense MLP, "
                     "the way back from experts, the last addition",
          .access = at<&Setting::model, &ModelSource::analytic, &A::recomputeStopsEarly>(),
          .term = "recompute"});
  option({.key = "eager_elementwise",
          .label = "Eager element-wise work",
          .meaning = "norms, rotary positions and gated MLPs take a kernel for each operation",
          .access = at<&Setting::model, &ModelSource::analytic, &A::eagerElementwise>()});
  option({.key = "boundary_in_parts",
          .label = "Boundaries in parts",
          .meaning = "without sequence parallelism, each tensor rank sends its part of a stage boundary",
          .access = at<&Setting::model, &ModelSource::analytic, &A::boundaryInParts>()});
  option({.key = "keeps_gathered_inputs",
          .label = "Gathered inputs kept",
          .meaning =
              "with sequence parallelism, products keep what they gathered until their backward pass, which "
              "else gathers it again",
          .access = at<&Setting::model, &ModelSource::analytic, &A::keepsGatheredInputs>(),
          .term = "sequence parallelism"});
  option({.key = "reorders_exchanges",
          .label = "Exchanges reordered",
          .meaning =
              "with sequence parallelism, what is gathered is copied into the order of the tokens, and "
              "what is scattered out of it",
          .access = at<&Setting::model, &ModelSource::analytic, &A::reordersExchanges>(),
          .term = "sequence parallelism"});
  option(
      {.key = "keeps_whole_projection",
       .label = "Whole projection kept",
       .meaning =
           "in multi-head attention, queries are kept inside the projection's whole result, keys and values "
           "once more in addition",
       .access = at<&Setting::model, &ModelSource::analytic, &A::keepsWholeProjection>()});
  option({.key = "sums_each_input",
          .label = "Input gradients summed apart",
          .meaning = "without sequence parallelism, tensor ranks sum the input gradients of each product "
                     "alone: of a gate and what it gates, and of queries, keys and values where heads share "
                     "keys",
          .access = at<&Setting::model, &ModelSource::analytic, &A::sumsEachInput>(),
          .term = "tensor degree"});
  option({.key = "whole_logits",
          .label = "Whole logits",
          .meaning = "tensor ranks gather each other's logits, and each computes the whole loss",
          .access = at<&Setting::model, &ModelSource::analytic, &A::wholeLogits>()});
  option({.key = "host_time_per_block_s",
          .label = "Host time per block",
          .meaning =
              "least time of a block's forward and backward passes under tensor parallelism: what the host "
              "takes to issue their kernels",
          .access = at<&Setting::model, &ModelSource::analytic, &A::hostTimePerBlock>(),
          .least = 0,
          .most = 10,
          .slide = Slide::Log,
          .usual = 1e-3,
          .better = Better::Smaller});
  option({.key = "expert_imbalance",
          .label = "Expert imbalance",
          .meaning = "tokens that the busiest expert rank gets ÷ the mean over all of them",
          .access = at<&Setting::model, &ModelSource::analytic, &A::expertImbalance>(),
          .least = 1,
          .most = 1024,
          .term = "expert degree",
          .slide = Slide::Log,
          .reach = 4,
          .better = Better::Smaller});
  option({.key = "prediction_layers",
          .label = "Multi-token prediction",
          .meaning =
              "further tokens that are predicted: each adds a block, a projection and the head with its "
              "loss once more, all on the last stage",
          .access = at<&Setting::model, &ModelSource::analytic, &A::predictionLayers>(),
          .least = 0,
          .most = 16});
  option(
      {.key = "expert_dispatch_share",
       .label = "Expert dispatch bytes",
       .meaning = "bytes sent to and from experts ÷ those of 16-bit numbers both ways",
       .access = as(Measure::Share, at<&Setting::model, &ModelSource::analytic, &A::expertDispatchShare>()),
       .least = 0.01,
       .most = 2,
       .slide = Slide::Linear,
       .better = Better::Smaller});
  const auto factor = [&](const char* key, const char* label, const char* meaning, FieldAccess access) {
    option({.key = key,
            .label = label,
            .meaning = meaning,
            .access = std::move(access),
            .least = 0.1,
            .most = 10,
            .slide = Slide::Log,
            .reach = 4,
            .better = Better::Smaller});
  };
  option({.key = "offloaded_share",
          .label = "Activations offloaded",
          .meaning =
              "share of what a block keeps for its backward pass that stands in the host's memory meanwhile; "
              "the device's link to it bounds both passes",
          .access = as(Measure::Share, at<&Setting::model, &ModelSource::analytic, &A::offloadedShare>()),
          .least = 0,
          .most = 1,
          .slide = Slide::Linear});
  const auto frozen = [&](const char* key, const char* label, const char* meaning, FieldAccess access) {
    option({.key = key,
            .label = label,
            .meaning = meaning,
            .access = as(Measure::Share, std::move(access)),
            .least = 0,
            .most = 1,
            .slide = Slide::Linear});
  };
  frozen("frozen_embedding_share", "Frozen embedding",
         "share of the embedding's weights that is not trained; tied heads go with it",
         at<&Setting::model, &ModelSource::analytic, &A::frozenEmbedding>());
  frozen("frozen_block_share", "Frozen blocks", "share of each block's weights that is not trained",
         at<&Setting::model, &ModelSource::analytic, &A::frozenBlocks>());
  frozen("frozen_head_share", "Frozen head",
         "share of the weights of the last norm and the head that is not trained",
         at<&Setting::model, &ModelSource::analytic, &A::frozenHead>());
  option({.key = "lora_rank",
          .label = "LoRA rank",
          .meaning = "rank of the adapters of the blocks' projections; no other weight is trained then; "
                     "0: there are no adapters",
          .access = at<&Setting::model, &ModelSource::analytic, &A::loraRank>(),
          .least = 0,
          .most = 65536,
          .slide = Slide::Log,
          .usual = 16});
  option({.key = "lora_targets",
          .label = "LoRA targets",
          .meaning = "projections that have adapters: every one but routers, those of attention, or queries "
                     "and values alone",
          .access = at<&Setting::model, &ModelSource::analytic, &A::loraTargets>(),
          .options = {"all-linear", "attention", "query-value"},
          .optionLabels = {"All projections", "Attention", "Queries and values"}});
  factor("activation_factor", "Activation memory factor", "activations in memory ÷ those counted",
         at<&Setting::model, &ModelSource::analytic, &A::activationFactor>());
  factor("workspace_factor", "Workspace factor", "transient memory ÷ that counted",
         at<&Setting::model, &ModelSource::analytic, &A::workspaceFactor>());
  const auto constant = [&](const char* key, const char* label, Sourced<double> AnalyticConstants::*member,
                            double least, double most, const char* meaning, Measure measure = Measure::Number,
                            double usual = 0) {
    all.push_back({.key = std::string("/model/analytic/") + key,
                   .group = group,
                   .label = label,
                   .meaning = meaning,
                   .access = as(measure, field_access::sourced([member](auto& s) -> auto& {
                                  return s.model.analytic.constants.*member;
                                })),
                   .least = least,
                   .most = most,
                   .stored = Stored::Changed,
                   .slide = measure == Measure::Share ? Slide::Linear : Slide::Log,
                   .reach = 4,
                   .usual = usual,
                   .matters = isComputed});
  };
  using C = AnalyticConstants;
  constant("backward_traffic", "Backward traffic", &C::backwardTraffic, 0.1, 100,
           "bytes moved by element-wise backward kernels ÷ those of the forward ones");
  constant("attention_backward_work", "Attention backward work", &C::attentionBackwardWork, 0.1, 100,
           "operations of a fused attention's backward ÷ forward");
  constant("attention_backward_rate", "Attention backward rate", &C::attentionBackwardRate, 1e-3, 100,
           "rate of a fused attention's backward ÷ forward");
  constant("attention_half_length", "Attention half length", &C::attentionHalfLength, 0, 1e6,
           "keys per query at which a fused attention reaches half its rate");
  constant("fp32_rate", "fp32 rate", &C::fp32Rate, 1e-3, 1, "fp32 (TF32) matrix rate ÷ 16-bit rate",
           Measure::Share);
  constant("fp8_cast_traffic_bytes_per_element", "fp8 cast traffic", &C::fp8CastTraffic, 0, 1e4,
           "bytes moved per element of an operand that is cast to fp8");
  constant("fp8_input_bytes", "fp8 inputs kept", &C::fp8InputBytes, 0.5, 4,
           "bytes per element that fp8 products keep of what they read");
  constant("fp8_gather_bytes", "fp8 inputs gathered", &C::fp8GatherBytes, 0.5, 4,
           "bytes per element of what tensor ranks gather for fp8 products");
  constant(
      "fp8_expert_overhead_s", "fp8 expert overhead", &C::fp8ExpertOverhead, 0, 1,
      "least time of a grouped product in fp8 for each expert on a device: casts and launches of its own",
      Measure::Time);
  constant("loss_traffic_bytes_per_logit", "Loss traffic", &C::lossTraffic, 0, 1e4,
           "bytes moved by the loss, forward");
  constant("loss_backward_traffic_bytes_per_logit", "Loss backward traffic", &C::lossBackwardTraffic, 0, 1e4,
           "bytes moved by the loss, backward");
  constant("loss_workspace_bytes_per_logit", "Loss buffers", &C::lossWorkspace, 0, 1e4,
           "bytes held by the loss");
  constant("shared_loss_workspace_bytes_per_logit", "Loss buffers of tensor ranks", &C::sharedLossWorkspace,
           0, 1e4, "bytes held by the loss besides, where tensor ranks share the vocabulary", Measure::Number,
           4);
  constant(
      "gradient_workspace_bytes_per_parameter", "Gradient buffers", &C::gradientWorkspace, 0, 64,
      "bytes per parameter of a block that its backward pass holds: whole gradients, and what is reduced "
      "of them",
      Measure::Number, 6);
  constant("score_traffic_bytes", "Score traffic", &C::scoreTraffic, 0, 1e4,
           "bytes moved per score by the scale, mask and softmax of an attention that is not fused");
  constant("stored_scores", "Stored scores", &C::storedScores, 0, 100,
           "how often an attention that is not fused keeps its scores for the backward pass");
  constant("score_backward_traffic_bytes", "Score backward traffic", &C::scoreBackwardTraffic, 0, 1e4,
           "the same, backward");
  constant("context_merge_traffic_bytes", "Context merge traffic", &C::contextMergeTraffic, 0, 1e4,
           "bytes moved per element where attention to gathered keys is added up rank by rank");
  constant("early_attention", "Early attention", &C::earlyAttention, 1e-3, 10,
           "rate of fused attention of before mid 2023 ÷ FlashAttention-2");
  constant("matrix_tile", "Tile", &C::matrixTile, 0, 65536,
           "windows of attention, and sides of experts' matrices beyond this where grouped products have a "
           "half size of their own, are computed in whole tiles",
           Measure::Number, 128);
  constant("grouped_half_size", "Grouped half size", &C::groupedHalfSize, 0, 1e6,
           "tokens per expert at which grouped products lose half their rate; 0: as for any product",
           Measure::Number, 180);
  constant("grouped_gradient_half_size", "Grouped half size, weight gradients", &C::groupedGradientHalfSize,
           0, 1e6, "the same of the products that make weight gradients", Measure::Number, 570);
  constant("eager_norm_traffic_bytes", "Eager norm traffic", &C::eagerNormTraffic, 0, 1e4,
           "bytes moved per element by an eager RMSNorm");
  constant("eager_rotary_traffic_bytes", "Eager rotary traffic", &C::eagerRotaryTraffic, 0, 1e4,
           "bytes moved per element by eager rotary positions");
  constant("scaled_rotary_traffic_bytes", "Scaled rotary traffic", &C::scaledRotaryTraffic, 0, 1e4,
           "bytes moved per element by rotary positions that scale it, too (YaRN); 0: as others",
           Measure::Number, 24);
  constant("scaled_rotary_backward_traffic_bytes", "Scaled rotary backward traffic",
           &C::scaledRotaryBackwardTraffic, 0, 1e4, "the same, backward", Measure::Number, 26);
  constant("eager_gate_traffic_bytes", "Eager gate traffic", &C::eagerGateTraffic, 0, 1e4,
           "bytes moved per element by an eager gated activation, beyond the fused kernel");
  constant("eager_gate_backward_traffic_bytes", "Eager gate backward traffic", &C::eagerGateBackwardTraffic,
           0, 1e4, "the same, backward");
  constant("routed_passes", "Routed passes", &C::routedPasses, 0, 100,
           "how often an element that is routed to an expert is read or written in addition to the exchange");
  constant("expert_bias_traffic_bytes", "Expert bias traffic", &C::expertBiasTraffic, 0, 1e4,
           "bytes moved per element that experts write by kernels that add their biases", Measure::Number,
           28);
  constant("expert_bias_backward_traffic_bytes", "Expert bias backward traffic",
           &C::expertBiasBackwardTraffic, 0, 1e4, "the same, backward", Measure::Number, 40);
  constant("routing_gradient_traffic_bytes", "Routing gradient traffic", &C::routingGradientTraffic, 0, 1e4,
           "bytes moved per element of an expert's gated MLP by a kernel that makes the gradients of routing "
           "weights",
           Measure::Number, 6);
  constant("clamp_traffic_bytes", "Clamp traffic", &C::clampTraffic, 0, 1e4,
           "bytes moved per element by kernels that clamp a gated MLP's operands", Measure::Number, 16);
  constant("clamp_backward_traffic_bytes", "Clamp backward traffic", &C::clampBackwardTraffic, 0, 1e4,
           "the same, backward", Measure::Number, 20);
  all.push_back({.key = "/model/calibration",
                 .group = group,
                 .label = "Compute time",
                 .meaning = "measured ÷ predicted step time; all compute seconds are multiplied by it",
                 .access = at<&Setting::model, &ModelSource::calibration>(),
                 .least = 1e-6,
                 .most = 1e6,
                 .stored = Stored::Changed,
                 .slide = Slide::Log,
                 .reach = 8,
                 .better = Better::Smaller});
}

}  // namespace nest
