#pragma once

#include <cstddef>

#include "formats/measurements/log_lines.h"

/// What Megatron's arguments say of its release, and which of them have no counterpart here.
namespace nest::megatron {

/// What ran a log, from old to new, and the month from which on releases of it were out.
struct Release {
  const char* program;
  int since;
};
inline constexpr Release kReleases[] = {{"megatron-2021", month(2019, 1)},
                                        {"megatron-2022", month(2022, 2)},
                                        {"megatron-core-2023", month(2023, 9)},
                                        {"megatron-core-2024", month(2024, 6)},
                                        {"megatron-core-2025", month(2025, 3)}};
inline constexpr std::size_t kOldest = 0, k2022 = 1, k2023 = 2, k2024 = 3, k2025 = 4;

/// Arguments by the release that brought them (megatron/training/arguments.py of each), the newest first.
struct Mark {
  const char* argument;
  std::size_t release;  ///< in kReleases
  const char* name;
};
inline constexpr Mark kMarks[] = {
    {"yarn_beta_fast", k2025, "Megatron-Core 0.19"},
    {"cuda_graph_modules", k2025, "Megatron-Core 0.18"},
    {"mla_down_proj_fusion", k2025, "Megatron-Core 0.17"},
    {"linear_attention_freq", k2025, "Megatron-Core 0.16"},
    {"cuda_graph_impl", k2025, "Megatron-Core 0.15"},
    {"softmax_type", k2025, "Megatron-Core 0.15"},
    {"overlap_moe_expert_parallel_comm", k2025, "Megatron-Core 0.14"},
    {"use_megatron_fsdp", k2025, "Megatron-Core 0.14"},
    {"moe_router_fusion", k2025, "Megatron-Core 0.14"},
    {"pipeline_model_parallel_layout", k2025, "Megatron-Core 0.13"},
    {"delay_wgrad_compute", k2025, "Megatron-Core 0.13"},
    {"moe_router_padding_for_fp8", k2025, "Megatron-Core 0.13"},
    {"recompute_modules", k2025, "Megatron-Core 0.12"},
    {"fp8_recipe", k2025, "Megatron-Core 0.12"},
    {"moe_enable_deepep", k2025, "Megatron-Core 0.12"},
    {"moe_router_dtype", k2025, "Megatron-Core 0.12"},
    {"mtp_num_layers", k2025, "Megatron-Core 0.12"},
    {"data_parallel_sharding_strategy", k2025, "Megatron-Core 0.12"},
    {"optimizer_cpu_offload", k2025, "Megatron-Core 0.12"},
    {"cross_entropy_fusion_impl", k2025, "Megatron-Core 0.12"},
    {"attention_backend", k2025, "Megatron-Core 0.11"},
    {"moe_permute_fusion", k2025, "Megatron-Core 0.11"},
    {"moe_router_score_function", k2025, "Megatron-Core 0.11"},
    {"moe_router_num_groups", k2025, "Megatron-Core 0.11"},
    {"moe_router_enable_expert_bias", k2025, "Megatron-Core 0.11"},
    {"use_precision_aware_optimizer", k2025, "Megatron-Core 0.11"},
    {"account_for_embedding_in_pipeline_split", k2025, "Megatron-Core 0.11"},
    {"num_virtual_stages_per_pipeline_rank", k2025, "Megatron-Core 0.11"},
    {"expert_tensor_parallel_size", k2024, "Megatron-Core 0.10"},
    {"moe_ffn_hidden_size", k2024, "Megatron-Core 0.10"},
    {"moe_layer_freq", k2024, "Megatron-Core 0.10"},
    {"moe_shared_expert_intermediate_size", k2024, "Megatron-Core 0.10"},
    {"multi_latent_attention", k2024, "Megatron-Core 0.10"},
    {"cp_comm_type", k2024, "Megatron-Core 0.10"},
    {"num_distributed_optimizer_instances", k2024, "Megatron-Core 0.10"},
    {"decoder_first_pipeline_num_layers", k2024, "Megatron-Core 0.9"},
    {"fp8_param_gather", k2024, "Megatron-Core 0.9"},
    {"ckpt_format", k2024, "Megatron-Core 0.9"},
    {"cross_entropy_loss_fusion", k2024, "Megatron-Core 0.8"},
    {"rotary_base", k2024, "Megatron-Core 0.8"},
    {"calculate_per_token_loss", k2024, "Megatron-Core 0.7"},
    {"moe_expert_capacity_factor", k2024, "Megatron-Core 0.7"},
    {"ddp_bucket_size", k2024, "Megatron-Core 0.7"},
    {"moe_token_dispatcher_type", k2023, "Megatron-Core 0.6"},
    {"tp_comm_overlap_ag", k2023, "Megatron-Core 0.6"},
    {"qk_layernorm", k2023, "Megatron-Core 0.6"},
    {"moe_grouped_gemm", k2023, "Megatron-Core 0.5"},
    {"moe_router_topk", k2023, "Megatron-Core 0.5"},
    {"apply_rope_fusion", k2023, "Megatron-Core 0.5"},
    {"expert_model_parallel_size", k2023, "Megatron-Core 0.4"},
    {"context_parallel_size", k2023, "Megatron-Core 0.4"},
    {"overlap_param_gather", k2023, "Megatron-Core 0.4"},
    {"tp_comm_overlap", k2023, "Megatron-Core 0.4"},
    {"use_mcore_models", k2023, "Megatron-Core 0.4"},
    {"overlap_grad_reduce", k2023, "Megatron-LM of September 2023"},
    {"group_query_attention", k2023, "Megatron-LM of September 2023"},
    {"sequence_parallel", k2022, "Megatron-LM of April 2022"},
    {"recompute_granularity", k2022, "Megatron-LM of April 2022"},
    {"transformer_impl", k2022, "Megatron-LM of 2022"},
    {"use_distributed_optimizer", k2022, "Megatron-LM of March 2022"},
};
/// No release had fewer arguments; a list of fewer was cut by hand.
inline constexpr std::size_t kLeastArguments = 100;

/// Arguments that change time or memory and that nothing is made of here, with their usual values.
struct Unmodelled {
  const char *argument, *usual;
};
inline constexpr Unmodelled kUnmodelled[] = {{"moe_expert_capacity_factor", "None"},
                                             {"moe_pad_expert_input_to_capacity", "False"},
                                             {"moe_layer_recompute", "False"},
                                             {"moe_enable_deepep", "False"},
                                             {"moe_shared_expert_overlap", "False"},
                                             {"overlap_moe_expert_parallel_comm", "False"},
                                             {"delay_wgrad_compute", "False"},
                                             {"tp_comm_overlap", "False"},
                                             {"cp_comm_type", "p2p"},
                                             {"hierarchical_context_parallel_sizes", "None"},
                                             {"num_distributed_optimizer_instances", "1"},
                                             {"use_precision_aware_optimizer", "False"},
                                             {"grad_reduce_in_bf16", "False"},
                                             {"fp8_param_gather", "False"},
                                             {"cpu_offloading", "False"},
                                             {"fine_grained_activation_offloading", "False"},
                                             {"cross_entropy_loss_fusion", "False"},
                                             {"enable_cuda_graph", "False"},
                                             {"external_cuda_graph", "False"},
                                             {"cuda_graph_impl", "none"},
                                             {"pipeline_model_parallel_layout", "None"},
                                             {"decoder_first_pipeline_num_layers", "None"},
                                             {"decoder_last_pipeline_num_layers", "None"},
                                             {"account_for_embedding_in_pipeline_split", "False"},
                                             {"account_for_loss_in_pipeline_split", "False"},
                                             {"standalone_embedding_stage", "False"},
                                             {"pipeline_model_parallel_split_rank", "None"},
                                             {"encoder_pipeline_model_parallel_size", "0"},
                                             {"encoder_tensor_model_parallel_size", "0"},
                                             {"rampup_batch_size", "None"},
                                             {"mtp_num_layers", "None"},
                                             {"optimizer", "adam"},
                                             {"distribute_saved_activations", "False"},
                                             {"use_ring_exchange_p2p", "False"},
                                             {"order", "tp-cp-ep-dp-pp"},
                                             {"use_tp_pp_dp_mapping", "False"},
                                             {"window_size", "None"}};

}  // namespace nest::megatron
