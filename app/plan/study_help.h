#pragma once

namespace nest::cli {

inline constexpr const char* kCompareHelp =
    R"(Usage: nest-plan compare SCENARIO [--json] [--only METHOD]… [--manual t=8,p=4] [--seed N] [--walks N] [--steps N]

Solves the scenario exactly and by five other methods, and judges every plan by the same evaluator:
  Manual            hand rules: tensor degree up to one host, then the fewest stages that fit, equal layers
  MCMC              a Metropolis walk over degrees, cuts and placement order; seeded, best of 10 (FlexFlow, TopoOpt)
  Network-unaware   the exact search as if every level were level 0 (Phaze)
  Memory-unaware    the exact search without the memory check; what does not fit does not run (Alpa)
  Equal split       every degree with equal layer counts (Calculon)

  --manual DEGREES    degrees for Manual: t, c, e, p, d, b, z; what is left out follows the hand rules
  --only METHOD       only this method; may be repeated
  --seed, --walks, --steps   of MCMC
  --deadline SECONDS, --work-limit N   stop then (see solve --help); what was not decided is named
  --json              as JSON

Exit codes: 0 done; 1 nothing fits; 2 bad input; 3 the exact search was stopped before a plan was found.
)";

inline constexpr const char* kWhyHelp = R"(Usage: nest-plan why SCENARIO [DEMAND…] [--json]

Without a demand: the best plan's batch time, opened into its formula, its parts and where each figure comes from.
  --depth N    levels to open (3)
  --term ID    begin there: batch, memory, constants, stage1/load, stage2/memory, stage1/tensor, …

With demands: what would be if each were met, found by solving anew.
  tp=4  cp=2  ep=4  dp=16  pp=8  mbs=2  vpp=2  zero=1  fsdp  devices=512   (also <= and >=), joined by commas
  "layer 17 in stage 2"   "cut at layer 17"   "no cut at layer 17"   "recompute full"   "recompute full in stage 3"
Layers and stages count from 1.
  --deadline SECONDS, --work-limit N   stop then (see solve --help)

Exit codes: 0 answered; 1 nothing fits at all; 2 bad input; 3 stopped before a plan was found.
)";

inline constexpr const char* kImproveHelp =
    R"(Usage: nest-plan improve SCENARIO [--by PERCENT] [--field KEY]… [--break-even] [--failures] [--json]

Improves one parameter at a time (bandwidths, latencies, device memory and rates, overlaps, link efficiency, reserve, device
count, …), re-solves and ranks the gains in time per token.

  --by PERCENT     by how much (25)
  --field KEY      only this parameter, which may be any numeric field (nest-plan fields lists them) or "devices"; may be
                   repeated. Of one that is not better for being more or less, such as job.sequence_length, the better of
                   both directions counts
  --break-even     also the nearest value of each parameter at which another plan becomes the best
  --failures       also what the loss of a device, a host, a group or half a level's bandwidth costs, after planning anew
  --deadline SECONDS, --work-limit N   stop then (see solve --help); what was not decided is named

Exit codes: 0 done; 1 nothing fits; 2 bad input; 3 stopped before all was decided.
)";

inline constexpr const char* kInverseHelp =
    R"(Usage: nest-plan inverse SCENARIO --time TIME [--most N | --devices] [--json]

The fewest devices whose best plan takes no longer than TIME a batch ("8.5s", "900ms").

  --most N      consider up to N devices, the cluster repeated beyond its own count
  --devices     instead: every device of the catalog in place of the scenario's, and which of them meet TIME
  --deadline SECONDS, --work-limit N   stop then (see solve --help); what was not decided is named

Exit codes: 0 it can be met; 1 it cannot; 2 bad input; 3 stopped before it was known.
)";

inline constexpr const char* kStudyHelp =
    R"(Usage: nest-plan study paper [--published FILE] [--model NAME]… [--devices N]… [--csv FILE] [--json]
       nest-plan study scaling SCENARIO [--from N] [--to N] [--json]
       nest-plan study validation RESULTS
       nest-plan study piper PROFILE --optima FILE [--per-stage] [--seconds N] [--json]

paper       two clusters (TPUv4-like fat tree, H100 spine-leaf), five models: throughput of every method relative to Manual.
            --published: the reference's readme_tables.json; its ratios then stand beside ours.
validation  published training runs (a table like training_results.json), predicted beside measured. A row, or its set for
            all rows, may say hidden, heads, kv_heads, ffn, layers, vocab, seq, experts, top_k or model (a Hugging Face
            configuration), device, host (devices joined by their own links), t, p, v, c, e, zero, gpus, global_batch, microbatch, recompute, sequence_parallel, flash,
            format, convention (model, causal, sc21), year of the software, overlap_tensor, overlap_context, overlap_expert,
            overlap_pipeline, overlap_data, overlap_sync (shares hidden; sync: the end of a batch), fitted (true: in view when
            constants were chosen); measured is any of tflops_per_gpu, iter_s, mfu, tokens_per_s_per_gpu.
piper       a measured profile of the Piper planner, solved at each memory and device count of a table of that planner's optima:
            our steady-state seconds per sample beside its own, and what makes the difference. --per-stage also frees the
            tensor degree of each stage (--seconds: deadline of each solve, 20).
scaling     the same job on N, 2N, 4N … devices (64 to 16,384), the plan's changes marked.

All but validation take --deadline SECONDS and --work-limit N (see solve --help).

Exit codes: 0 done; 2 bad input; 3 stopped before all rows were solved.
)";

}  // namespace nest::cli
