#pragma once

namespace nest::cli {

inline constexpr const char* kFormats =
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
      links: gbps (GB/s one way) or bandwidth ("400 Gb/s"), lat_us, count, failed, direction (one-way, both).)";

}  // namespace nest::cli
