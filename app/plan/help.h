#pragma once

namespace nest::cli {

inline constexpr const char* kSolveHelp =
    R"(Usage: nest-plan solve SCENARIO [--json] [-o plan.json] [--deadline SECONDS] [--threads N]

Finds the best plan over the whole search space of the scenario and prints it: times, throughput, MFU, every stage with
its load and its memory, the lower bound and what was searched. Ctrl+C ends with the best so far.

  --json              print the outcome as JSON, all figures in SI units, keys ending in their unit
  -o, --output FILE   also write the best plan alone, for evaluate and export
  --deadline SECONDS  stop then with the best so far, its lower bound and the gap (0: none)
  --threads N         threads to search with

SCENARIO is a *.nest.json file ("-" reads standard input):
  {"format": "nest-scenario", "version": 1, "name": "…", "description": "…",
   "cluster": {"device": "h100-sxm", "network": "host:8@450GB/s rack:4@50GB/s,2us pod:32@12.5GB/s"},
   "model": {"path": "models/llama-2-7b.json"},
   "job": {"global_batch": 1024, "sequence_length": 4096, "microbatches": [1, 2, 4]},
   "search": {"preset": "runnable", "objective": "pipeline", "zero_stages": [0, 1, 2, 3],
              "recompute": ["none", "selective", "full"]},
   "constraints": {"tensor": {"most": 8}, "stages": 4},
   "assumptions": {"reserve_bytes": "2 GiB", "overlap": {"data": 0}}}
resources/schemas/scenario.schema.json tells every key. Figures may be numbers in the unit of their key, or texts with
their own ("450 GB/s", "400 Gb/s", "2 us", "80 GiB"). The network is one line, a list of levels, or a graph.

Exit codes: 0 a plan was found; 1 nothing fits (the nearest miss is shown); 2 bad input.
)";

inline constexpr const char* kEvaluateHelp = R"(Usage: nest-plan evaluate SCENARIO PLAN [--json]

Costs a plan on a scenario under the same model that solve uses, and names everything that keeps it from running.

PLAN is a plan file (from solve -o, or made by hand) or an outcome of solve --json:
  {"format": "nest-plan", "version": 1, "microbatch": 1, "data_inner": 8, "data_outer": 4, "block_stride": 32, "zero": 1,
   "stages": [{"layers": [0, 1, 2], "strategy": {"tensor": 8, "sequence": true, "context": 1, "expert": 1},
               "recompute": "none"}, …]}
An interleaved stage lists "chunks": [[0, 1], [4, 5]] in place of "layers". "device_order" (optional) lists the devices
in the order of the placement; without it they stand in the cluster's locality order.

Exit codes: 0 the plan can run; 1 it cannot (says why); 2 bad input.
)";

inline constexpr const char* kCheckHelp = R"(Usage: nest-plan check FILE… [--json]

Says what each file is, told by its content, and everything that is wrong with it: file, line and column, what is
allowed, what to do. Reads scenarios, plans, outcomes, Hugging Face config.json files, and clusters in one line
(host:8@450GB/s rack:4@50GB/s,2us pod:32@12.5GB/s).

Exit codes: 0 all files are good (warnings and notes aside); 2 at least one is not.
)";

}  // namespace nest::cli
