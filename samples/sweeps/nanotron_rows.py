#!/usr/bin/env python3
"""Measured sweeps for `nest-plan study ranking`, from the table of jobs of the Ultra-Scale Playbook's benchmark.

    python3 nanotron_rows.py bench_final2_mod_add.csv -o sweeps.json
    nest-plan study ranking sweeps.json

README.md beside this file says where the table is and what is made of it. Needs no module beyond Python's own.
"""

import argparse
import csv
import json
import statistics
from collections import defaultdict

SEQUENCE, BATCH, VOCABULARY, DEVICES = 4096, 256, 131072, 8
GATHERED = 2**30  # bytes of the timed collectives

# Layers, hidden size, heads, width of the MLP, whether the embeddings are tied (nanotron, scripts/scaling_benchmarks.py)
MODELS = {
    "1B": (16, 2048, 32, 8192, True),
    "3B": (28, 3072, 32, 8192, True),
    "8B": (32, 4096, 32, 14336, False),
    "80B": (80, 8192, 64, 28672, False),
}
NAME = {layers: name for name, (layers, *_) in MODELS.items()}

COLUMNS = ("job_id", "mbs", "batch_accum", "tok/s/gpu", "AllGather (GB/s)", "Mem Res (GB)", "dp", "pp", "tp", "num_layers",
           "num_kv_heads", "vocab_size", "zero_stage", "status", "after_pp_fix")

FIRST_LATE_JOB = 13700000  # jobs before it: December 2024, before the cluster changed
SLOWER = 0.85  # an all-gather of less than this share of the early bandwidth: calls keep the host
BLOCK = 0.0044  # seconds that nanotron's host takes for a block's kernels
EXCHANGES = 10  # of tensor ranks in a block's forward and backward pass
BUCKET = 25 * 2**20  # bytes of bf16 gradients (PyTorch DDP, bucket_cap_mb)
CROWDING = 3.1e-13  # seconds a byte and rank: the device's own (nest-plan fields, h100-sxm-efa)


def read_jobs(path):
    jobs = []
    with open(path, newline="", encoding="utf-8") as file:
        table = csv.DictReader(file)
        missing = [c for c in COLUMNS if c not in (table.fieldnames or [])]
        if missing:
            raise SystemExit(f"{path}: no column {', '.join(missing)}; the table of jobs has them")
        for row in table:
            name = NAME.get(int(row["num_layers"]))
            tensor, stages, replicas = (int(row[k]) for k in ("tp", "pp", "dp"))
            devices = tensor * stages * replicas
            microbatch, microbatches = int(row["mbs"]), int(float(row["batch_accum"]))
            batch = replicas * microbatch * microbatches
            if int(row["vocab_size"]) != VOCABULARY or batch != BATCH or devices % DEVICES:
                continue
            jobs.append({
                "model": name,
                "plan": (devices // DEVICES, tensor, stages, replicas, microbatch, microbatches,
                         int(row["zero_stage"])),
                "devices": devices,
                "job": int(float(row["job_id"] or 0)),
                "status": row["status"],
                "speed": float(row["tok/s/gpu"] or 0),
                "memory": float(row["Mem Res (GB)"] or 0),
                "gather": float(row["AllGather (GB/s)"] or 0) * 1e9,
                "kv_heads": float(row["num_kv_heads"] or 0),
                "messages_fixed": row["after_pp_fix"] == "True",
            })
    return jobs


class Cluster:
    """What the jobs' own timings say of it."""

    def __init__(self, jobs):
        early = defaultdict(list)
        for j in jobs:
            if j["speed"] and j["job"] < FIRST_LATE_JOB:
                early[j["devices"]].append(j["gather"])
        self.early = {devices: statistics.median(all) for devices, all in early.items()}
        late = [self.gather_time(64, j["gather"])
                for j in jobs if j["speed"] and j["devices"] == 64 and self.is_late(j)]
        # Seconds for each rank that a call takes longer
        self.call = 0
        if late:
            self.call = round((statistics.median(late) - self.gather_time(64, self.early[64])) / 64, 5)

    @staticmethod
    def gather_time(ranks, bandwidth):
        return (ranks - 1) / ranks * GATHERED / bandwidth

    def is_late(self, job):
        return job["devices"] > DEVICES and 0 < job["gather"] < SLOWER * self.early.get(job["devices"], 0)

    def host_time(self, job):
        """Least time of a block where calls of tensor exchanges keep the host."""
        _, tensor, *_ = job["plan"]
        return round(BLOCK + EXCHANGES * tensor * self.call, 5) if self.is_late(job) and tensor > 1 else None

    def crowding(self, job):
        """Under ZeRO 0 each bucket of gradients is a call: as (10.7) of core/solver/STATEMENT.md counts them."""
        _, tensor, stages, replicas, _, _, zero = job["plan"]
        if not self.is_late(job) or zero != 0 or replicas < 2 or replicas * tensor <= DEVICES:
            return None
        layers, hidden, _, width, tied = MODELS[job["model"]]
        block = [width * hidden, 2 * width * hidden, hidden, hidden * hidden, 3 * hidden * hidden, hidden]
        blocks = round(layers / stages)
        sizes = [p * 2 / tensor if p > hidden else p * 2 for p in block] * blocks  # norms are whole on every rank
        calls = buckets(sizes + [VOCABULARY * hidden / tensor * 2])
        near = max(1, min(DEVICES // tensor, replicas))  # replicas on one host
        hosts = max(2, -(-replicas // near))
        heads = 1 if tied or stages > 1 else 2
        gradients = 4 * (blocks * (4 * hidden**2 + 3 * hidden * width) + VOCABULARY * hidden * heads) / tensor
        taken = calls * self.call * replicas
        return float("%.3g" % (CROWDING + taken * near / (2 * gradients * (replicas - 1) * (hosts - 1) / hosts)))


def buckets(sizes):
    count, filled = 0, 0
    for size in sizes:
        filled += size
        if filled >= BUCKET:
            count, filled = count + 1, 0
    return count + (filled > 0)


def sweep(name, jobs, cluster, states):
    layers, hidden, heads, width, tied = MODELS[name]
    mine = [j for j in jobs if j["model"] == name and j["kv_heads"] in (0, heads)]
    ran = [j for j in mine if j["status"] == "Success"]
    done = {j["plan"] for j in ran}
    failed = {}
    for j in mine:
        if j["status"] != "Success" and j["plan"] not in done:
            failed.setdefault(j["plan"], j["status"])
    plan = ["hosts", "tp", "pp", "dp", "microbatch", "microbatches", "zero"]
    of_state = ["/model/analytic/host_time_per_block_s", "/assumptions/crowding_s_per_byte"]
    return {
        "id": "nanotron-h100-" + name,
        "source": "Hugging Face, Ultra-Scale Playbook (2025), table of its benchmark's jobs",
        "device": "h100-sxm-efa",
        "model": {"model_type": "llama", "hidden_size": hidden, "num_hidden_layers": layers, "intermediate_size": width,
                  "num_attention_heads": heads, "num_key_value_heads": heads, "vocab_size": VOCABULARY,
                  "max_position_embeddings": SEQUENCE, "tie_word_embeddings": tied},
        "seq": SEQUENCE,
        "global_batch": BATCH,
        "columns": plan + ["tokens_per_s_per_gpu", "memory", "job"] + (of_state if states else []),
        "rows": [[*j["plan"], round(j["speed"], 1), j["memory"], j["job"]]
                 + ([cluster.host_time(j), cluster.crowding(j)] if states else [])
                 for j in ran if j["plan"][2] == 1 or j["messages_fixed"]],
        "failed_columns": plan,
        "failed": [list(p) for p, status in failed.items() if status == "OOM"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("table", help="the CSV file of jobs")
    parser.add_argument("-o", "--output", help="where to write (standard output)")
    parser.add_argument("--without-states", action="store_true", help="do not say which jobs' calls kept the host")
    args = parser.parse_args()
    jobs = read_jobs(args.table)
    cluster = Cluster(jobs)
    text = json.dumps({"sets": [sweep(name, jobs, cluster, not args.without_states) for name in MODELS]}) + "\n"
    if args.output:
        with open(args.output, "w", encoding="utf-8") as file:
            file.write(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
