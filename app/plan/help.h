#pragma once

namespace nest::cli {

inline constexpr const char* kSolveHelp =
    R"(Usage: nest-plan solve SCENARIO [--json] [-o plan.json] [--deadline SECONDS] [--work-limit N]
                       [--free] [--front]

Finds the best plan over the whole search space of the scenario and prints it: times, throughput, MFU, every stage with
its load and its memory, the lower bound and what was searched. Ctrl+C ends with the best so far.

  --json              print the outcome as JSON, all figures in SI units, keys ending in their unit
  -o, --output FILE   also write the best plan alone, for evaluate and export
  --deadline SECONDS  stop then with the best so far, its lower bound and the gap (0: none)
  --work-limit N      stop after N units of search work instead: the same result on any machine
  --free              show beside it the optimum without the rules of the preset "runnable"
  --front             also search the Pareto front of time, devices and peak memory as far as possible (up to ten times
                      as long), and list it. front_reach in JSON says how far it is exact, among plans with one strategy
                      for all stages: "exact" is the whole front; "stepped" the fastest plan within each of a falling
                      row of device counts and of memory limits; "met" only the best of the plans met (as without it)

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
of the analytic profile) and "calibration" (measured ÷ predicted step time). A path names a file in the scenario's own
folder or below it, never elsewhere.
resources/schemas/scenario.schema.json tells every key. Figures may be numbers in the unit of their key, or texts with
their own ("450 GB/s", "400 Gb/s", "2 us", "80 GiB"). The network is one line, a list of levels, or a graph.

The result is one of: optimal; best so far (stopped, with its gap); stopped without a plan (whether one fits is not known);
does not fit (the closest plan is shown, and what would make one fit).

Exit codes: 0 a plan was found; 1 nothing fits; 2 bad input; 3 stopped before a plan was found.
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

inline constexpr const char* kFormatsHelp =
    R"(The files that are read, told by their content, with an example each. check says what a file is and what is wrong with
it; import makes a scenario of one or several; the explorer opens and takes by drag and drop the same ones. UTF-8, with or
without a byte order mark, or UTF-16 with one. samples/models and samples/topologies hold files of these kinds.

Scenarios and plans
  NEST scenario             {"format": "nest-scenario", …}          see nest-plan solve --help
  NEST plan, outcome        {"format": "nest-plan", …}              see nest-plan evaluate --help

Models
  Hugging Face config.json  {"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, …}
      Dense and with experts: llama, mistral, qwen2 to qwen3_5, deepseek to v3.2, kimi_k2, glm4, glm4_moe, glm_moe_dsa,
      gpt_oss, minimax_m2, gemma to gemma4, olmo, olmoe, cohere, nemotron, phi, granite, falcon, starcoder2, ernie4_5, …
      Hybrids with state-space or linear attention: nemotron_h, granitemoehybrid, qwen3_next, jamba, mamba, mamba2.
      Encoder-decoders: t5, bart, whisper. Images: vit. Of models that also see or hear the language part (text_config).
      Sizes have to be there; other absent keys get the defaults of transformers, and are told. What a file asks for and
      its family does not have is named.
  measured profile          {"format": "nest-profile", "version": 1,
                             "layers": [{"name": "block", "kind": "block", "class": "b", "repeat": 32}],
                             "costs": [{"class": "b", "tensor": 2, "microbatch": 1, "forward_s": 0.01, "backward_s": 0.02,
                                        "parameters": 1e8, "stash_bytes": 5e8, "output_bytes": 3e7,
                                        "recompute": {"full": {"stash_bytes": 3e7, "extra_backward_s": 0.01}},
                                        "collectives": [{"kind": "all-reduce", "group": "tensor", "phase": "forward",
                                                         "bytes": 3e7, "times": 2}]}]}
      samples/profiling/measure_layers.py writes it.
  Piper profile             {"nodes": [{"TMPCs": …}], "edges": […], "bandwidth": 25e9, "mbsInBatch": 64, …}
  NEST artifact input       {"dp_input": {"bws": […], "nodes": […]}, "scales": …}; import --devices N takes one of the scales
  PipeDream graph.txt       node1 -- Embedding -- forward_compute_time=0.4, backward_compute_time=0.5,
                                     activation_size=8388608.0, parameter_size=131072000.0    (ms, bytes)
                            <tab>node1 -- node2

Networks
  cluster in one line       host:8@450GB/s rack:4@50GB/s,2us pod:32@12.5GB/s,5us,2:1
      NAME:FANOUT@BANDWIDTH[,LATENCY][,OVERSUBSCRIPTION]; host:8x31+7@… lists host sizes, !5*0.8,40GiB gives device 5 a
      speed factor and its own memory; # begins a comment.
  Slurm topology.conf       SwitchName=leaf0 Nodes=gpu[00-03]
                            SwitchName=spine Switches=leaf[0-1]       or BlockName=… with BlockSizes=…
      Carries no bandwidth: import --level 1=50GB/s,2us sets it. What scontrol show topology prints is read too; switches
      that join the very same switches (the spines of a fat tree) count as one.
  Slurm topology.yaml       - topology: fabric
                              tree: {switches: [{switch: leaf0, nodes: "gpu[00-03]"}]}
  nvidia-smi topo -m        the matrix as printed, of one host
  NCCL topology XML         <system version="1"><cpu numaid="0"><pci busid="…"><gpu dev="0" sm="90"><nvlink …/></gpu></pci></cpu>
                            </system>, of one host, or of hosts that NVLink joins
                            (NCCL_TOPO_DUMP_FILE; RCCL's xgmi links too)
      A Slurm topology and the files of its hosts make a cluster: import --hosts 'gpu[00-15]=a.xml', or a.xml for all.
  ASTRA-sim network YAML    topology: [ Switch, Ring ]
                            npus_count: [ 8, 4 ]
                            bandwidth: [ 450, 50 ]      GB/s
                            latency: [ 936, 1000 ]      ns
  SimGrid platform          <platform version="4.1"><cluster id="ft" prefix="n" radical="0-15" suffix="" speed="1Tf" bw="50GBps"
                             lat="1us" topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,2"/></platform>
                            also TORUS, DRAGONFLY and flat clusters; one cluster a file
  GraphML                   <key id="k" for="node" attr.name="kind"/><key id="b" for="edge" attr.name="gbps"/> …
                            <node id="d0"><data key="k">device</data></node>
                            <edge source="d0" target="s0"><data key="b">450</data></edge>
  DOT                       graph { d0 [kind=device]; s0 [kind=switch]; d0 -- s0 [gbps=450, lat_us=1]; }
      Attributes of both, of nodes: kind (device, host, switch), label, host, hbm_gib, speed or tflops, x, y, failed; of
      links: gbps (GB/s one way) or bandwidth ("400 Gb/s"), lat_us, count, failed, direction (one-way, both).
)";

inline constexpr const char* kCheckHelp =
    R"(Usage: nest-plan check FILE… [--json]

Says what each file is and everything that is wrong with it: file, line and column, what is allowed, what to do.

nest-plan formats lists the files that are read, with an example each.

Exit codes: 0 all files are good (warnings and notes aside); 2 at least one is not.
)";

inline constexpr const char* kImportHelp =
    R"(Usage: nest-plan import FILE… [--into SCENARIO] [--device ID] [--level L=BANDWIDTH[,LATENCY]]… [--batch N]
                        [--sequence N] [--network LINE] [--hosts LIST=FILE]… [--devices N]
                        [--devices-per-host N] [-o scenario.nest.json]

Makes a scenario of what is at hand: a network and a model, or either put into a scenario that exists. A host's own
topology (nvidia-smi, NCCL) and a Slurm topology together become the whole cluster. What files leave open is filled from
the device and said; --level sets a level's figures (0 = inside the host).

Hosts of several kinds: give each kind's file and say which hosts it describes, by --hosts or by its name
(node[0-15].xml, gpu07.txt); one file without such a name describes all hosts that are left:
  nest-plan import topology.conf --hosts 'node[0-15]=a100.xml' --hosts 'node[16-31]=h100.xml' config.json
NCCL files tell the devices' generation: slower ones get their share of the device's speed and their own memory, as a note
says. Choose the fastest as --device. With joined hosts --level sets the switches' figures (1 = leaf).

  --into SCENARIO     keep its job, search and all that the files do not bring
  --device ID         the accelerator, by its catalog id (default h100-sxm, or that of --into)
  --level L=BW[,LAT]  for example --level 1=50GB/s,2us
  --network LINE      a cluster in one line, for example --network 'host:8@450GB/s rack:4@50GB/s,2us'
  --hosts LIST=FILE   FILE is the topology of the hosts in the Slurm host list LIST
  --devices-per-host N  of a Slurm topology, which does not say (default: usual for the device, with a warning)
  --devices N         which of the cluster sizes in a NEST artifact's input (default: the smallest)
  --batch, --sequence global batch and sequence length
  -o, --output FILE   where the scenario goes (default: standard output)

nest-plan formats lists the files that are read, with an example each.

Exit codes: 0 done; 2 bad input.
)";

inline constexpr const char* kExportHelp = R"(Usage: nest-plan export SCENARIO [PLAN] --as FORMAT [-o FILE]
       nest-plan export SCENARIO [PLAN] --as folder [--for PROGRAM] -o FOLDER

Writes a plan so that it runs, or a cluster for another program. Without PLAN the scenario is solved first. What a
format cannot say is refused with every reason.

  megatron        flags of Megatron-LM as a shell array, with the pipeline layout ("Et*8|t*8|…|tL")
  deepspeed       DeepSpeed configuration, JSON
  torchtitan      configuration of torchtitan v0.2.2, TOML
  nanotron        nanotron configuration, YAML
  hostfile        hosts and slots in rank order (Open MPI, DeepSpeed)
  slurm-hostfile  one host per rank, for SLURM_HOSTFILE and srun -m arbitrary: places every rank exactly
  rankfile        host and slot of each rank, for mpirun --rankfile FILE (Open MPI 4) or --map-by rankfile:file=FILE
                  (Open MPI 5); slots are CPU cores, shared out with --cores-per-host N; the device is chosen by local rank
  visible-devices a shell script to start ranks through: it restricts each host to the plan's devices, as is
                  needed where a device has failed or is excluded
  folder          all that starts the plan with --for megatron (default), deepspeed, torchtitan or nanotron: the
                  configuration, host files, run.sh (srun, mpirun, torchrun), check.sh (do the ranks run where the
                  plan has them?), stopwatch.sh (measured step against the predicted one) and a README
  chrome-trace    the simulated schedule, for Perfetto and chrome://tracing
  plan            the plan itself, for evaluate
  scenario        the scenario in its normal form
  cluster-text    the cluster in one line: host:8@450GB/s rack:4@50GB/s,2us
  graphml, dot    the cluster as a graph
  astra-sim       the cluster as a network of ASTRA-sim, YAML

Ranks are numbered stage by stage, then replica, context, tensor fastest (Megatron's tp-cp-ep-dp-pp).
--deadline and --work-limit end the search early, as in solve; the best plan so far is exported.
Exit codes: 0 done; 1 no plan fits, or the format cannot express it (says why); 2 bad input; 3 stopped before a plan was
found.
)";

inline constexpr const char* kFieldsHelp = R"(Usage: nest-plan fields [PART] [--json]
       nest-plan fields --schema

Lists the fields of a scenario file whose key contains PART: what each means, what it may be, and its default. sweep --set
and improve --field take these keys; * stands for the number of a level or link, from 0; a unit at the end may be left out.
Fields marked (#) are numeric: they can be slid, swept and ranked, and have break-even points. --schema prints the JSON
Schema of scenario files.

Exit codes: 0 done; 2 bad input.
)";

inline constexpr const char* kSweepHelp =
    R"(Usage: nest-plan sweep SCENARIO --set FIELD=VALUES… [-o BASE] [--threads N] [--shard i/n] [--restart] [--json]
       nest-plan sweep --merge BASE.shard-*.jsonl -o BASE

Solves the scenario for every combination of values. FIELD is any field of the scenario file, as a path:
job.global_batch, cluster.levels.1.bandwidth, assumptions.overlap.data, constraints.tensor, model.path. VALUES are separated
by commas; 8..64x2 is 8,16,32,64 and 1..4+1 is 1,2,3,4. Figures may carry their unit. nest-plan fields lists all fields.

  nest-plan sweep s.nest.json --set job.global_batch=512..4096x2 --set "cluster.levels.1.bandwidth=25 GB/s,50 GB/s" -o out

writes out.csv and out.json when done. On the way every row goes to out.jsonl: after an interruption (Ctrl+C, SIGTERM, a
full disk, a lost machine) the same command goes on from there; --restart solves all again, and so it must be where a model
file of the scenario has changed. Without -o the table goes to standard output, after an interruption as far as it is solved.

  --threads N    solves at once (default: all cores)
  --shard i/n    only every n-th combination, beginning with the i-th; rows go to BASE.shard-i-of-n.jsonl
  --merge        join the journals of shards into BASE.csv and BASE.json

Spread over machines, with Slurm or GNU parallel:
  sbatch --array=1-16 --wrap 'nest-plan sweep s.nest.json --set … --shard $SLURM_ARRAY_TASK_ID/16 -o out'
  parallel nest-plan sweep s.nest.json --set … --shard {}/16 -o out ::: $(seq 16)
  nest-plan sweep --merge out.shard-*.jsonl -o out

Exit codes: 0 done (rows on which nothing fits included); 2 bad input, or a file that cannot be written; 3 interrupted.
)";

}  // namespace nest::cli
