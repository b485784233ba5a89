#!/usr/bin/env python3
"""Measure a machine in some ten minutes: matrix products and attention by shape, and collectives of each level.

Started once for each GPU by measure_cluster.sh (srun or torchrun); rank 0 writes one file that NEST Explorer takes as a
whole ("format": "nest-machine"):

    measure_cluster.sh -o machine.json
    nest-plan import topology.conf machine.json config.json -o mine.nest.json
    nest-plan evaluate mine.nest.json plan.json --measured machine.json

Needs torch >= 2.1 with CUDA or ROCm, and NCCL or RCCL. `--device cpu` tries everything out with gloo on a few small sizes;
what it measures says nothing of any machine.
"""
import argparse
import json
import os
import socket
import statistics
import sys
import time

try:
    import torch
    import torch.distributed as dist
    from torch.nn import functional as F
    MISSING = None
except ImportError as error:
    MISSING = error

# Sides of products in training: tokens of a microbatch, widths of blocks, and their parts under tensor parallelism.
SIDES = (512, 1024, 2048, 4096, 8192, 16384)
# (sequences, keys, heads, width of a head), causal.
ATTENTION = [(b, s, h, 128) for s, b in ((2048, 4), (4096, 2), (8192, 1), (16384, 1)) for h in (4, 8, 16, 32)]
MESSAGES = [1 << k for k in range(13, 31, 2)]  # 8 KiB to 512 MiB
KINDS = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all")


class Clock:
    """Median seconds of a call, measured with events of the device; a time limit bounds its repetitions."""

    def __init__(self, device, seconds):
        self.device, self.seconds = device, seconds

    def once(self, call, times):
        if self.device.type == "cpu":
            begin = time.perf_counter()
            for _ in range(times):
                call()
            return (time.perf_counter() - begin) / times
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(times):
            call()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / 1e3 / times

    def median(self, call):
        for _ in range(3):
            call()
        first = self.once(call, 1)
        times = max(1, min(50, int(self.seconds / 5 / max(first, 1e-6))))
        return statistics.median(self.once(call, times) for _ in range(5))


def multiplies_fp8(scaled, device):
    """Whether this PyTorch multiplies in fp8 as it is called below: its function is not public, and changed."""
    try:
        a = torch.ones(64, 64, device=device).to(torch.float8_e4m3fn)
        one = torch.ones((), device=device)
        return isinstance(scaled(a, a.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16), torch.Tensor)
    except (RuntimeError, TypeError, AttributeError) as error:
        print(f"products in fp8 are left out: {str(error).splitlines()[0]}", file=sys.stderr)
        return False


def products(device, clock, small):
    """Every triple of sides, largest ones first left out where the operands take much memory."""
    out = {"bf16": []}
    scaled = getattr(torch, "_scaled_mm", None)
    has_fp8 = device.type == "cuda" and scaled and torch.cuda.get_device_capability() >= (8, 9)
    if has_fp8 and not multiplies_fp8(scaled, device):
        has_fp8 = False
    if has_fp8:
        out["fp8"] = []
    sides = (64, 128) if small else SIDES
    for m in sides:
        for n in sides:
            for k in sides:
                if m * n * k > 2**40:
                    continue
                # Random numbers: zeros draw less power, and run faster.
                a = torch.randn(m, k, device=device, dtype=torch.bfloat16)
                b = torch.randn(n, k, device=device, dtype=torch.bfloat16)
                out["bf16"].append([m, n, k, clock.median(lambda: a @ b.t())])
                if has_fp8:
                    one = torch.ones((), device=device)
                    narrow, other = a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn)
                    out["fp8"].append([m, n, k, clock.median(
                        lambda: scaled(narrow, other.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16))])
    return out


def attention(device, clock, small):
    out = []
    for sequences, keys, heads, width in [(1, 64, 2, 32)] if small else ATTENTION:
        q, k, v = (torch.randn(sequences, heads, keys, width, device=device, dtype=torch.bfloat16) for _ in range(3))
        call = lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True)
        out.append([sequences, keys, heads, width, clock.median(call)])
    return out


def exchange(kind, size, ranks, group, device):
    """A call that moves `size` bytes as nccl-tests counts them, in 16-bit numbers."""
    count = max(ranks, size // 2 // ranks * ranks)
    whole = torch.ones(count, device=device, dtype=torch.bfloat16 if device.type == "cuda" else torch.float32)
    part = torch.ones(count // ranks, device=device, dtype=whole.dtype)
    if kind == "all-reduce":
        return lambda: dist.all_reduce(whole, group=group)
    if kind == "all-gather":
        return lambda: dist.all_gather_into_tensor(whole, part, group=group)
    if kind == "reduce-scatter":
        return lambda: dist.reduce_scatter_tensor(part, whole, group=group)
    other = torch.empty_like(whole)
    return lambda: dist.all_to_all_single(other, whole, group=group)


def groups_of(hosts):
    """Ranks of one host, then of two hosts, of four, …, of all: what differs between them is the network's levels."""
    names = list(dict.fromkeys(hosts))
    ranks_of = lambda some: [r for r, h in enumerate(hosts) if h in some]
    counts, count = [], 1
    while count < len(names):
        counts.append(count)
        count *= 2
    return [ranks_of(set(names[:n])) for n in counts + [len(names)]]


def exchanges(device, clock, hosts, small):
    out = []
    for ranks in groups_of(hosts):
        group = dist.new_group(ranks)
        if len(ranks) > 1:
            for kind in KINDS:
                if device.type == "cpu" and kind in ("reduce-scatter", "all-to-all"):
                    continue  # gloo has neither
                rows = []
                for size in MESSAGES[:2] if small else MESSAGES:
                    seconds = 0.0
                    if dist.get_rank() in ranks:
                        call = exchange(kind, size, len(ranks), group, device)
                        times = 20 if size <= 1 << 22 else 5
                        for _ in range(3):
                            call()
                        seconds = statistics.median(clock.once(call, times) for _ in range(5))
                    slowest = torch.tensor([seconds], device=device)
                    dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
                    rows.append([size, slowest.item()])
                out.append({"kind": kind, "hosts": [hosts[r] for r in ranks], "rows": rows})
        dist.barrier()
    return out


def write(path, result):
    with open(path, "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-o", "--output", default="machine.json")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--seconds", type=float, default=0.5, help="at most about so long for one shape")
    parser.add_argument("--only", choices=["kernels", "exchanges"], help="leave the other part out")
    args = parser.parse_args()
    if MISSING:
        raise SystemExit(f"measuring needs PyTorch 2.1 or later in this Python, {sys.executable} ({MISSING}): "
                         "activate the environment that trains, or run inside its container. Without it, import "
                         "what nccl-tests print, a profiler trace or a training log (nest-plan formats)")
    env = os.environ
    for ours, theirs in (("RANK", "SLURM_PROCID"), ("WORLD_SIZE", "SLURM_NTASKS"), ("LOCAL_RANK", "SLURM_LOCALID")):
        env.setdefault(ours, env.get(theirs, "1" if ours == "WORLD_SIZE" else "0"))
    env.setdefault("MASTER_ADDR", "localhost")
    env.setdefault("MASTER_PORT", "29531")
    small = args.device == "cpu"
    if not small and not torch.cuda.is_available():
        raise SystemExit("no GPU is visible to PyTorch; --device cpu tries the script out without one")
    device = torch.device("cpu") if small else torch.device("cuda", int(env["LOCAL_RANK"]))
    if not small:
        torch.cuda.set_device(device)
    ranks = int(env["WORLD_SIZE"])
    name = socket.gethostname().split(".")[0]
    hosts = [name]
    if ranks > 1:
        dist.init_process_group("gloo" if small else "nccl", rank=int(env["RANK"]), world_size=ranks)
        hosts = [None] * ranks
        dist.all_gather_object(hosts, name)
    clock = Clock(device, args.seconds)
    result = {"format": "nest-machine", "version": 1,
              "device": "CPU" if small else torch.cuda.get_device_name(device),
              "source": f"measure_cluster.py, torch {torch.__version__}"}
    is_first = int(env["RANK"]) == 0
    if args.only != "exchanges" and is_first:
        result["products"] = products(device, clock, small)
        result["attention"] = attention(device, clock, small)
    if ranks > 1:
        if is_first and "products" in result:
            write(args.output, result)  # should an exchange fail, what was measured is there
        dist.barrier()
        if args.only != "kernels":
            result["exchanges"] = exchanges(device, clock, hosts, small)
        dist.destroy_process_group()
    if is_first:
        write(args.output, result)
        print(f"{args.output}: {sum(map(len, result.get('products', {}).values()))} products, "
              f"{len(result.get('attention', []))} attention kernels, {len(result.get('exchanges', []))} exchanges")


if __name__ == "__main__":
    main()
