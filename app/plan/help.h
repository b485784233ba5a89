#pragma once

namespace nest::cli {

inline constexpr const char* kSolveHelp =
    R"(Usage: nest-plan solve SCENARIO [--json] [-o plan.json] [--deadline SECONDS] [--threads N] [--free]

Finds the best plan over the whole search space of the scenario and prints it: times, throughput, MFU, every stage with
its load and its memory, the lower bound and what was searched. Ctrl+C ends with the best so far.

  --json              print the outcome as JSON, all figures in SI units, keys ending in their unit
  -o, --output FILE   also write the best plan alone, for evaluate and export
  --deadline SECONDS  stop then with the best so far, its lower bound and the gap (0: none)
  --threads N         threads to search with
  --free              show beside it the optimum without the rules of the preset "runnable"

SCENARIO is a *.nest.json file ("-" reads standard input):
  {"format": "nest-scenario", "version": 1, "name": "…", "description": "…",
   "cluster": {"device": "h100-sxm", "network": "host:8@450GB/s rack:4@50GB/s,2us pod:32@12.5GB/s"},
   "model": {"path": "models/llama-2-7b.json"},
   "job": {"global_batch": 1024, "sequence_length": 4096, "microbatches": [1, 2, 4]},
   "search": {"preset": "runnable", "objective": "pipeline", "zero_stages": [0, 1, 2, 3],
              "recompute": ["none", "selective", "full"]},
   "constraints": {"tensor": {"most": 8}, "stages": 4},
   "assumptions": {"reserve_bytes": "2 GiB", "overlap": {"data": 0}}}
Where a network is a graph, the best plan is also routed over its links (see nest-plan evaluate --help). A device may be
an object: {"id": "h100-sxm", "memory_bytes": "96 GiB", "sustained_rate": 0.85}. "model" may also hold "profile" (measured
costs, an object or a path: what it does not hold is estimated), "analytic" ({"flash_attention": false, …}: the constants
of the analytic profile) and "calibration" (measured ÷ predicted step time).
resources/schemas/scenario.schema.json tells every key. Figures may be numbers in the unit of their key, or texts with
their own ("450 GB/s", "400 Gb/s", "2 us", "80 GiB"). The network is one line, a list of levels, or a graph.

Exit codes: 0 a plan was found; 1 nothing fits (the nearest miss is shown); 2 bad input.
)";

inline constexpr const char* kEvaluateHelp =
    R"(Usage: nest-plan evaluate SCENARIO PLAN [--json] [--measured TIME [--calibrated SCENARIO]]

Costs a plan on a scenario under the same model that solve uses, and names everything that keeps it from running.
Where the cluster is a graph, the plan's traffic is routed over its links too: the busiest link, the time it needs at
least, how far the levels are from the network (distortion), and what is irregular.

  --measured TIME        a step time that this plan was measured at, for example 12.3s: shows predicted ÷ measured
                         and the factor on all compute times that makes the two equal
  --calibrated SCENARIO  writes the scenario with that factor ("model": {"calibration": …})

PLAN is a plan file (from solve -o, or made by hand) or an outcome of solve --json:
  {"format": "nest-plan", "version": 1, "microbatch": 1, "data_inner": 8, "data_outer": 4, "block_stride": 32, "zero": 1,
   "stages": [{"layers": [0, 1, 2], "strategy": {"tensor": 8, "sequence": true, "context": 1, "expert": 1},
               "recompute": "none"}, …]}
Layers are numbered from 0 in files. An interleaved stage lists "chunks": [[0, 1], [4, 5]] in place of "layers".
"device_order" (optional) lists the devices in the order of the placement; without it they stand in the cluster's
locality order.

Exit codes: 0 the plan can run; 1 it cannot (says why); 2 bad input.
)";

/// The files that import, check and the explorer read, with an example each.
#define NEST_FORMATS_HELP                                                                                     \
  "Files that are read, told by their content:\n"                                                             \
  "  NEST scenario             {\"format\": \"nest-scenario\", …}          see nest-plan solve --help\n"    \
  "  NEST plan, outcome        {\"format\": \"nest-plan\", …}              see nest-plan evaluate --help\n" \
  "  Hugging Face config.json  {\"model_type\": \"llama\", \"hidden_size\": 4096, …}\n"                     \
  "  measured profile          {\"format\": \"nest-profile\", \"layers\": […], \"costs\": […]}\n"         \
  "  Piper profile             {\"nodes\": [{\"TMPCs\": …}], \"edges\": […]}\n"                           \
  "  NEST artifact input       {\"dp_input\": {\"bws\": […], \"nodes\": […]}, \"scales\": …}\n"         \
  "  PipeDream graph.txt       node1 -- Embedding -- forward_compute_time=0.4, …\n"                         \
  "  cluster in one line       host:8@450GB/s rack:4@50GB/s,2us pod:32@12.5GB/s,5us,2:1\n"                    \
  "                            (NAME:FANOUT@BANDWIDTH[,LATENCY][,OVERSUBSCRIPTION]; host:8x31+7@… lists "   \
  "host sizes,\n"                                                                                             \
  "                            !5*0.8,40GiB gives device 5 a speed factor and its own memory)\n"              \
  "  Slurm topology.conf       SwitchName=leaf0 Nodes=gpu[00-03]\n"                                           \
  "  Slurm topology.yaml       - topology: fabric … tree: … switches:\n"                                  \
  "  nvidia-smi topo -m        the matrix as printed\n"                                                       \
  "  NCCL topology XML         <system version=\"1\"> (NCCL_TOPO_DUMP_FILE)\n"                                \
  "  ASTRA-sim network YAML    topology: [ Switch ]  npus_count: [ 8 ]  bandwidth: [ 450 ]  latency: [ 936 "  \
  "]\n"                                                                                                       \
  "  SimGrid platform          <cluster id=\"ft\" radical=\"0-15\" topology=\"FAT_TREE\" …/>\n"             \
  "  GraphML                   node kind=device|host|switch; edge gbps (GB/s one way), lat_us, count\n"       \
  "  DOT                       d0 [kind=device]; d0 -- s0 [gbps=450, lat_us=1]\n"

inline constexpr const char* kCheckHelp =
    R"(Usage: nest-plan check FILE… [--json]

Says what each file is and everything that is wrong with it: file, line and column, what is allowed, what to do.

)" NEST_FORMATS_HELP R"(

Exit codes: 0 all files are good (warnings and notes aside); 2 at least one is not.
)";

inline constexpr const char* kImportHelp =
    R"(Usage: nest-plan import FILE… [--into SCENARIO] [--device ID] [--level L=BANDWIDTH[,LATENCY]]… [--batch N]
                        [--sequence N] [--hosts LIST=FILE]… [--devices N] [-o scenario.nest.json]

Makes a scenario of what is at hand: a network and a model, or either put into a scenario that exists. A host's own
topology (nvidia-smi, NCCL) and a Slurm topology together become the whole cluster. What files leave open is filled from
the device and said; --level sets a level's figures (0 = inside the host).

Hosts of several kinds: give each kind's file and say which hosts it describes, by --hosts or by its name
(node[0-15].xml, gpu07.txt); one file without such a name describes all hosts that are left:
  nest-plan import topology.conf --hosts 'node[0-15]=a100.xml' --hosts 'node[16-31]=h100.xml' config.json

  --into SCENARIO     keep its job, search and all that the files do not bring
  --device ID         the accelerator, by its catalog id (default h100-sxm, or that of --into)
  --level L=BW[,LAT]  for example --level 1=50GB/s,2us
  --hosts LIST=FILE   FILE is the topology of the hosts in the Slurm host list LIST
  --devices N         which of the cluster sizes in a NEST artifact's input (default: the smallest)
  --batch, --sequence global batch and sequence length
  -o, --output FILE   where the scenario goes (default: standard output)

)" NEST_FORMATS_HELP R"(
Exit codes: 0 done; 2 bad input.
)";

inline constexpr const char* kExportHelp = R"(Usage: nest-plan export SCENARIO [PLAN] --as FORMAT [-o FILE]

Writes a plan so that it runs, or a cluster for another program. Without PLAN the scenario is solved first. What a
format cannot say is refused with every reason.

  megatron        flags of Megatron-LM as a shell array, with the pipeline layout ("Et*8|t*8|…|tL")
  deepspeed       DeepSpeed configuration, JSON
  torchtitan      torchtitan configuration, TOML
  nanotron        nanotron configuration, YAML
  hostfile        hosts and slots in rank order (Open MPI, DeepSpeed)
  slurm-hostfile  one host per rank, for SLURM_HOSTFILE and srun -m arbitrary: places every rank exactly
  rankfile        host and slot of each rank, for mpirun --map-by rankfile:file=FILE
  chrome-trace    the simulated schedule, for Perfetto and chrome://tracing
  plan            the plan itself, for evaluate
  scenario        the scenario in its normal form
  cluster-text    the cluster in one line: host:8@450GB/s rack:4@50GB/s,2us
  graphml, dot    the cluster as a graph
  astra-sim       the cluster as a network of ASTRA-sim, YAML

Ranks are numbered stage by stage, then replica, context, tensor fastest (Megatron's tp-cp-ep-dp-pp).
Exit codes: 0 done; 1 no plan fits, or the format cannot express it (says why); 2 bad input.
)";

inline constexpr const char* kSweepHelp =
    R"(Usage: nest-plan sweep SCENARIO --set FIELD=VALUES… [-o BASE] [--threads N] [--shard i/n] [--restart] [--json]
       nest-plan sweep --merge BASE.shard-*.jsonl -o BASE

Solves the scenario for every combination of values. FIELD is any field of the scenario file, as a path:
job.global_batch, cluster.levels.1.bandwidth, assumptions.overlap.data, constraints.tensor, model.path. VALUES are separated
by commas; 8..64x2 is 8,16,32,64 and 1..4+1 is 1,2,3,4. Figures may carry their unit.

  nest-plan sweep s.nest.json --set job.global_batch=512..4096x2 --set "cluster.levels.1.bandwidth=25 GB/s,50 GB/s" -o out

writes out.csv and out.json when done. On the way every row goes to out.jsonl: after an interruption (Ctrl+C, a lost
machine) the same command goes on from there; --restart begins anew. Without -o the table goes to standard output.

  --threads N    solves at once (default: all cores)
  --shard i/n    only every n-th combination, beginning with the i-th; rows go to BASE.shard-i-of-n.jsonl
  --merge        join the journals of shards into BASE.csv and BASE.json

Spread over machines, with Slurm or GNU parallel:
  sbatch --array=1-16 --wrap 'nest-plan sweep s.nest.json --set … --shard $SLURM_ARRAY_TASK_ID/16 -o out'
  parallel nest-plan sweep s.nest.json --set … --shard {}/16 -o out ::: $(seq 16)
  nest-plan sweep --merge out.shard-*.jsonl -o out

Exit codes: 0 done (rows on which nothing fits included); 2 bad input.
)";

}  // namespace nest::cli
