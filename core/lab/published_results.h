#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analytic/transformer.h"
#include "diagnostics/diagnostic.h"
#include "program/program.h"

namespace nest {

/// What a published row states, and in which unit the study compares it.
enum class PublishedQuantity {
  TflopsPerDevice,  ///< by the row's FLOP convention
  BatchSeconds,
  ModelUtilization,  ///< MFU, fraction
  TokensPerSecondPerDevice,
  ParameterBytes,   ///< weights, gradients and optimizer of the first stage's device
  ActivationBytes,  ///< stash of the first stage's device
};
const char* nameOf(PublishedQuantity);
bool isThroughput(PublishedQuantity);

/// How a source counts FLOPs (STATEMENT.md §8): Causal counts only the half of the scores that a causal mask
/// leaves.
enum class FlopConvention { Model, Causal, Sc21 };

/// One published figure with the configuration that it was measured at.
struct PublishedRun {
  static constexpr int kToday = 9999;
  std::string set, label;
  std::string device;   ///< catalog id or name
  std::string program;  ///< what ran it, by id: "program", else what its year and scheme say
  TransformerArchitecture model;
  int sequence = 2048, devices = 1, globalBatch = 1;
  std::optional<int> microbatch;  ///< none: the best that fits
  std::optional<int> host;        ///< devices that the device's own links join; none: as usual for it
  std::optional<BytesPerSecond> hostLink;  ///< one way, a device, between hosts; none: as usual for it
  std::optional<int> chunks;               ///< v; none: interleaved, the best count
  int tensor = 1, stages = 1, context = 1, expert = 1;
  bool foldedExperts = false;  ///< expert tensor degree 1
  bool sequenceParallel = false;
  bool flashAttention = false;
  std::optional<AttentionKernel> attentionKernel;  ///< none: the program's
  bool fusedNorm = false;                          ///< norms in one kernel, whatever the program does
  bool fusedSoftmax = false;                       ///< the same of scale, mask and softmax
  Recompute recompute = Recompute::None;
  int year = kToday;        ///< of the software
  int shard = 0;            ///< replicas that share one copy of the sharded state; 0: all of them
  std::optional<int> zero;  ///< none: since 2023 1 (Megatron's distributed optimizer), before 0 if that fits
  NumberFormat format = NumberFormat::Bf16;
  bool fp16Gradients = false;
  PerExchange<std::optional<double>> overlap{};  ///< where the source says what is hidden
  std::optional<double> syncOverlap;             ///< the same of the end of a batch
  std::vector<ProgramValue> settings;            ///< what its configuration sets beside the program's values
  bool isInView = false;                         ///< constants were chosen with this run in view
  FlopConvention convention = FlopConvention::Model;
  PublishedQuantity quantity = PublishedQuantity::TflopsPerDevice;
  double published = 0;
};

/// FLOPs of one batch as a source counts them. SC'21 adds the forward that is computed again (its F =
/// 96·B·s·L·h²·…).
double countedFlops(const PublishedRun&, FlopConvention);

/// Reads {"sets": [{"id", "device", "seq", "vocab", "recompute", "convention", "columns": […], "rows":
/// [[…]…]}]}.
///
/// Columns that say what ran: params_B, hidden, heads, kv_heads, ffn, layers, vocab, seq, experts, top_k, t,
/// p, v, c, e, etp (t, or 1: folded), zero, gpus, global_batch, microbatch, scheme (zero3: DeepSpeed as in
/// 2021; or ptd), tp_times_pp (t = 8), sequence_parallel. Any of them may stand in the set instead, once for
/// all rows. Columns that hold results: tflops_per_gpu, iter_s, iter_s_full, iter_s_sp_selective, mfu
/// (fraction), tokens_per_s_per_gpu, params_optimizer_gib, activations_tp_gib,
/// activations_tp_sp_selective_gib; each makes a run. Without "model", a set's rows are GPT shapes
/// (two-matrix MLP, LayerNorm, tied embeddings); "model" is a Hugging Face configuration, in which row
/// figures replace what they name. "flash": true says that attention was fused; "dropout":
/// false that nothing is dropped (else as the family has it); "format" is bf16, fp16 or
/// fp8; "convention", for what mfu and tflops_per_gpu count, is model, causal or sc21. overlap_tensor,
/// overlap_context, overlap_expert, overlap_pipeline, overlap_data and overlap_sync (the end of a batch) are
/// shares from 0 to 1 of such exchanges that the source says run beside compute. "fitted": true says that
/// constants of the program were chosen with these rows in view. "settings" is an object of what the run's
/// configuration sets beside its program: {"/model/analytic/expert_exchange": "per-expert", …}, fields by
/// key. "host" is how many devices the device's own
/// links join (72 in a GB200 rack; a TPU slice is one by itself), "host_link_GBps" what a device has between
/// hosts, one way, in GB/s. "shard" is how many replicas share a copy of what ZeRO shards (8: hybrid sharding
/// in hosts of 8). "interleaved": true without "v" says that the schedule was interleaved with a chunk count
/// that the source leaves open: the best is taken. "program" is what ran it (program/program.h); without it,
/// Megatron as it was in the "year" of the software, or of today. "source" is a sentence for readers; nothing
/// is taken from it.
Reading<std::vector<PublishedRun>> readPublishedResults(std::string_view text, const std::string& file);

/// Whether a file of "sets" is one of measured sweeps (ranking.h), which have times or failed runs in columns
/// of their own.
bool holdsSweeps(std::string_view text);

}  // namespace nest
