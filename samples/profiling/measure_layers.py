#!/usr/bin/env python3
"""Measure the layers of a transformer on one device and write a profile that NEST Explorer opens.

For each tensor degree t and microbatch size b, one rank's share of a layer is built (heads and MLP width divided by t)
and timed: forward, backward, and the memory that forward leaves behind. The exchanges between the ranks cannot be measured on one
GPU; they are written as collectives, so that the planner prices them on the network at hand. With t > 1 each
row is measured twice, without and with sequence parallelism (norms and residuals on 1/t of the tokens).

Needs torch >= 1.13 with CUDA or ROCm (2.1 or later for fused attention), and a Hugging Face config.json of a llama-,
mistral-, qwen2-, gpt2-, gpt_neox-, opt- or bert-like model. `--device cpu` tries everything out without a GPU; what it
measures says nothing about one.

    python3 measure_layers.py ../models/llama-2-7b.json --sequence 4096 --tensor 1 2 4 8 --microbatch 1 2 4 -o llama.json
    nest-plan import llama.json --network 'host:8@450GB/s rack:4@50GB/s,5us' -o llama.nest.json
"""
import argparse
import datetime
import json
import math
import os
import platform
import re
import statistics
import tempfile
import time

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
    from torch.utils.checkpoint import checkpoint
except ImportError as error:
    raise SystemExit(f"this script needs PyTorch 1.13 or later ({error}); see its first lines for how it is used")

# Whose blocks the script builds: those of others have other products, which would be measured as these.
FAMILIES = ("llama", "mistral", "qwen2", "qwen3", "gpt2", "gpt_neox", "opt", "bert")

NOT_MEASURED = {
    "num_local_experts": "models with experts", "num_experts": "models with experts", "n_routed_experts": "models with experts",
    "is_encoder_decoder": "models with an encoder and a decoder", "text_config": "parts of a model that also sees or hears",
    "vision_config": "models that see", "audio_config": "models that hear",
    "kv_lora_rank": "models with latent attention", "ssm_state_size": "state-space models", "mamba_d_state": "state-space models",
    "linear_num_value_heads": "models with linear attention"}


class Shape:
    """What of a config.json the layers depend on."""

    def __init__(self, config):
        first = lambda *names, default=None: next((config[n] for n in names if config.get(n) is not None), default)
        self.family = config.get("model_type", "model")
        for key, what in NOT_MEASURED.items():
            if config.get(key):
                raise SystemExit(f"{what} ({key}) are not measured by this script")
        if self.family not in FAMILIES:
            raise SystemExit(f"the blocks of model_type \"{self.family}\" are not built by this script, but those of "
                             f"{', '.join(FAMILIES)}; if they are alike, set model_type to one of these")
        missing = [" or ".join(names) for names in (("hidden_size", "n_embd"), ("num_hidden_layers", "n_layer"),
                                                   ("num_attention_heads", "n_head"), ("vocab_size",))
                   if first(*names) is None]
        if missing:
            raise SystemExit(f"the configuration gives no {', '.join(missing)}: this is no decoder or encoder that "
                             "the script can build")
        for names in (("hidden_size", "n_embd"), ("num_hidden_layers", "n_layer"), ("num_attention_heads", "n_head"),
                      ("num_key_value_heads",), ("intermediate_size", "n_inner"), ("head_dim",), ("vocab_size",)):
            if not isinstance(first(*names, default=1), int) or first(*names, default=1) < 1:
                raise SystemExit(f"{' or '.join(names)} must be a whole number above 0")
        self.hidden = first("hidden_size", "n_embd")
        self.layers = first("num_hidden_layers", "n_layer")
        self.heads = first("num_attention_heads", "n_head")
        self.kv_heads = first("num_key_value_heads", default=self.heads)
        self.head_dim = first("head_dim", default=self.hidden // self.heads)
        if self.heads % self.kv_heads:
            raise SystemExit(f"the {self.heads} attention heads are not a multiple of the {self.kv_heads} key-value heads")
        if self.head_dim * self.heads != self.hidden and not config.get("head_dim"):
            raise SystemExit(f"the hidden size {self.hidden} is not a multiple of the {self.heads} attention heads")
        self.mlp = first("intermediate_size", "n_inner", default=4 * self.hidden)
        self.vocabulary = config["vocab_size"]
        self.qkv_bias = bool(config.get("attention_bias", self.family in ("qwen2", "gpt2", "gpt_neox", "opt", "bert")))
        positions = {"gpt2": ("n_positions", 0), "opt": ("max_position_embeddings", 2), "bert": ("max_position_embeddings", 0)}
        key, more = positions.get(self.family, ("", 0))
        self.positions = config.get(key, 0) + more if key else 0  # rows of a learned position table
        self.gated = self.family not in ("gpt2", "gpt_neox", "opt", "bert")
        self.causal = self.family != "bert"
        self.tied = bool(config.get("tie_word_embeddings", self.family in ("gpt2", "opt", "bert")))
        rotated = {"gpt_neox": config.get("rotary_pct", 0.25), "bert": 0, "gpt2": 0, "opt": 0}.get(
            self.family, config.get("partial_rotary_factor", 1))
        self.rotary = int(self.head_dim * rotated) // 2 * 2  # channels of a head that rotary positions turn


class Block(nn.Module):
    """One rank's share of a block: norms whole, attention heads and MLP width divided by t."""

    def __init__(self, shape, t, split=False, **kw):
        super().__init__()
        self.s = shape
        self.t = t if split else 1  # ranks that share the tokens outside the products
        self.q = shape.heads // t * shape.head_dim
        self.kv = max(1, shape.kv_heads // t) * shape.head_dim
        self.norm1, self.norm2 = norm_of(shape, **kw), norm_of(shape, **kw)
        self.qkv = nn.Linear(shape.hidden, self.q + 2 * self.kv, bias=shape.qkv_bias, **kw)
        self.out = nn.Linear(self.q, shape.hidden, bias=not shape.gated, **kw)
        width = shape.mlp // t
        self.up = nn.Linear(shape.hidden, 2 * width if shape.gated else width, bias=not shape.gated, **kw)
        self.down = nn.Linear(width, shape.hidden, bias=not shape.gated, **kw)

    def forward(self, x):
        b, n = x.shape[0], x.shape[1] * self.t
        q, k, v = self.qkv(self.gather(self.norm1(x))).split((self.q, self.kv, self.kv), dim=-1)
        heads = lambda y: y.view(b, n, -1, self.s.head_dim).transpose(1, 2)
        q, k, v = heads(q), heads(k), heads(v)
        if self.s.rotary:
            q, k = (rotate(y, self.s.rotary) for y in (q, k))
        if k.shape[1] != q.shape[1] and not GROUPED:
            k, v = (y.repeat_interleave(q.shape[1] // y.shape[1], dim=1) for y in (k, v))
        y = attention(q, k, v, self.s.causal)
        x = x + self.scatter(self.out(y.transpose(1, 2).reshape(b, n, -1)))
        y = self.up(self.gather(self.norm2(x)))
        if self.s.gated:
            gate, value = y.chunk(2, dim=-1)
            y = F.silu(gate) * value
        else:
            y = F.gelu(y)
        return x + self.scatter(self.down(y))

    def gather(self, y):
        """Stands for the tokens of the other ranks; the exchange itself is priced by the planner."""
        return y.repeat(1, self.t, 1) if self.t > 1 else y

    def scatter(self, y):
        return y[:, : y.shape[1] // self.t] if self.t > 1 else y


FUSED = hasattr(F, "scaled_dot_product_attention")
# Attention that reads grouped keys and values as they are; without it they are copied for every head.
GROUPED = FUSED and "enable_gqa" in (F.scaled_dot_product_attention.__doc__ or "")


def rotate(y, width):
    """Rotary positions on the first channels of each head, in half-and-half order."""
    n, half = y.shape[-2], width // 2
    angle = torch.arange(n, device=y.device)[:, None] / 10000 ** (torch.arange(half, device=y.device) / half)
    cos, sin = angle.cos().to(y.dtype), angle.sin().to(y.dtype)
    a, c, rest = y[..., :half], y[..., half:width], y[..., width:]
    return torch.cat((a * cos - c * sin, c * cos + a * sin, rest), dim=-1)


def attention(q, k, v, causal):
    if FUSED:
        more = {"enable_gqa": True} if GROUPED and k.shape[1] != q.shape[1] else {}
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal, **more)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if causal:
        n = q.shape[-2]
        scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool, device=q.device).triu(1), float("-inf"))
    return scores.softmax(dim=-1) @ v


class RMSNorm(nn.Module):
    def __init__(self, width, **kw):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width, **kw))

    def forward(self, x):
        return x * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6).to(x.dtype) * self.weight


def norm_of(shape, **kw):
    if not shape.gated:
        return nn.LayerNorm(shape.hidden, **kw)
    return getattr(nn, "RMSNorm", RMSNorm)(shape.hidden, **kw)


class Norm(nn.Module):
    def __init__(self, shape, t, **kw):
        super().__init__()
        self.norm = norm_of(shape, **kw)

    def forward(self, x):
        return self.norm(x)


class Embedding(nn.Module):
    def __init__(self, shape, t, **kw):
        super().__init__()
        self.table = nn.Embedding((shape.vocabulary + t - 1) // t, shape.hidden, **kw)
        self.positions = nn.Embedding(shape.positions, shape.hidden, **kw) if shape.positions else None

    def forward(self, tokens):
        x = self.table(tokens % self.table.num_embeddings)
        if self.positions is None:
            return x
        return x + self.positions(torch.arange(tokens.shape[-1], device=tokens.device) % self.positions.num_embeddings)


class Head(nn.Module):
    """Logits and loss over one rank's share of the vocabulary."""

    def __init__(self, shape, t, **kw):
        super().__init__()
        self.project = nn.Linear(shape.hidden, (shape.vocabulary + t - 1) // t, bias=False, **kw)

    def forward(self, x):
        logits = self.project(x).float()
        target = torch.zeros(logits.shape[:-1], dtype=torch.long, device=x.device)
        return F.cross_entropy(logits.flatten(0, -2), target.flatten())


class Gpu:
    """Times by device events, memory by the allocator's own counters."""

    def __init__(self, name):
        if not re.fullmatch(r"cuda(:\d+)?", name):
            raise SystemExit(f"--device takes cuda, cuda:N or cpu, not {name}")
        if not torch.cuda.is_available():
            raise SystemExit("there is no GPU here; --device cpu tries the script out without one")
        # set_device takes no device without a number.
        self.torch_name = name if ":" in name else f"{name}:{torch.cuda.current_device()}"
        self.dtype = torch.bfloat16
        try:
            torch.cuda.set_device(torch.device(self.torch_name))  # events and memory counters are those of the current device
        except RuntimeError as error:
            raise SystemExit(f"{self.torch_name} cannot be used: {str(error).splitlines()[0]}")
        self.described = torch.cuda.get_device_name(self.torch_name)

    def seconds(self, run):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        run()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3

    def memory(self, layer, x, gradient):
        """Bytes that forward leaves beside its output, and bytes that backward needs beyond those."""
        torch.cuda.synchronize()
        before = torch.cuda.memory_allocated()
        y = layer(x)
        torch.cuda.synchronize()
        kept = torch.cuda.memory_allocated() - before - y.numel() * y.element_size()
        torch.cuda.reset_peak_memory_stats()
        held = torch.cuda.memory_allocated()
        y.backward(gradient)
        torch.cuda.synchronize()
        return max(0, kept), max(0, torch.cuda.max_memory_allocated() - held)

    def forget(self):
        torch.cuda.empty_cache()


class Cpu:
    """Times by the clock, memory by what autograd keeps; what is needed for a moment alone is not seen."""

    def __init__(self):
        self.torch_name, self.dtype = "cpu", torch.float32
        self.described = f"a CPU ({platform.machine()}, {torch.get_num_threads()} threads), transient memory not measured"

    def seconds(self, run):
        begin = time.perf_counter()
        run()
        return time.perf_counter() - begin

    def memory(self, layer, x, gradient):
        own = {p.data_ptr() for p in layer.parameters()} | {x.data_ptr()} if hasattr(layer, "parameters") else {x.data_ptr()}
        kept = {}

        def keep(tensor):
            if tensor.data_ptr() not in own:
                kept[tensor.data_ptr()] = max(kept.get(tensor.data_ptr(), 0), tensor.numel() * tensor.element_size())
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            y = layer(x)
        kept.pop(y.data_ptr(), None)  # belongs to the next layer
        y.backward(gradient)
        return sum(kept.values()), None

    def forget(self):
        pass


def median_seconds(device, run, repeats):
    """Median seconds of run(), after three runs to warm up."""
    return statistics.median([device.seconds(run) for _ in range(repeats + 3)][3:])


def measure(device, layer, make_input, repeats):
    """Forward and backward seconds, seconds of backward that make weight gradients, bytes that forward leaves for backward, and
    bytes needed beyond those in backward (None: not measured)."""
    x = make_input()
    gradient = torch.ones_like(layer(x))

    def both():
        layer(x).backward(gradient)  # adds into the gradients, as a step of several microbatches does

    both()  # gradients of the parameters exist from here on and do not count as activations
    forward = median_seconds(device, lambda: layer(x), repeats)
    total = median_seconds(device, both, repeats)
    weights = weight_seconds(device, layer, x, both, total, repeats)
    kept, workspace = device.memory(layer, x, gradient)
    # What the layer reads is kept for it too; what it puts out belongs to the next layer.
    stash = kept + (x.numel() * x.element_size() if x.is_floating_point() else 0)
    backward = max(0.0, total - forward)
    return forward, backward, None if weights is None else min(backward, max(0.0, weights)), stash, workspace


def weight_seconds(device, layer, x, both, total, repeats):
    """What backward takes longer than it does with the weights frozen. A layer that reads tokens makes nothing else."""
    if not x.is_floating_point():
        return total
    if not hasattr(layer, "parameters"):
        return None
    trained = [p for p in layer.parameters() if p.requires_grad]
    for p in trained:
        p.requires_grad = False
    frozen = median_seconds(device, both, repeats)
    for p in trained:
        p.requires_grad = True
    return total - frozen


def parameters_of(layer):
    return sum(p.numel() for p in layer.parameters())


def exchange(kind, phase, size, times=1):
    return {"kind": kind, "group": "tensor", "phase": phase, "bytes": size, "times": times}


def memory_of(stash, workspace):
    return {"stash_bytes": stash, **({} if workspace is None else {"workspace_bytes": workspace})}


def rows_for(shape, t, b, split, args, device, dtype):
    kw = {"device": device.torch_name, "dtype": dtype}
    outer = args.sequence // t if split else args.sequence  # tokens of a rank outside the products
    hidden = lambda: torch.randn(b, outer, shape.hidden, requires_grad=True, **kw)
    whole = lambda: torch.randn(b, args.sequence, shape.hidden, requires_grad=True, **kw)
    tokens = lambda: torch.randint(0, shape.vocabulary, (b, args.sequence), device=device.torch_name)
    size = b * args.sequence * shape.hidden * torch.finfo(dtype).bits // 8
    # What ranks gather before a product is not kept but gathered again for its weights' gradients.
    gathered = 2 * (size - size // t) if split else 0
    parts = (("embedding", Embedding, tokens), ("block", Block, hidden), ("norm", Norm, hidden), ("head", Head, whole))
    for name, kind, make_input in parts:
        layer = kind(shape, t, split, **kw) if name == "block" else kind(shape, t, **kw)
        forward, backward, weights, stash, workspace = measure(device, layer, make_input, args.repeats)
        if name == "block":
            stash = max(0, stash - gathered)
        row = {"class": name, "tensor": t, "sequence": split, "microbatch": b, "forward_s": forward,
               "backward_s": backward, "weight_gradient_s": weights, "parameters": parameters_of(layer), **memory_of(stash, workspace),
               "output_bytes": size // t if split else size, "origin": "measured"}
        if name == "head" and shape.tied:
            row["parameters"] = 0
        if t > 1:
            if name == "block" and split:
                row["collectives"] = [exchange(kind, phase, size, 2) for phase in ("forward", "backward", "recompute-full")
                                      for kind in ("all-gather", "reduce-scatter")]
                row["collectives"].append(exchange("all-gather", "backward", size, 2))  # inputs of the products, again
            elif name == "block":
                row["collectives"] = [exchange("all-reduce", p, size, 2) for p in ("forward", "backward", "recompute-full")]
            elif name == "norm":
                pass
            elif split:
                forth = ("reduce-scatter", "all-gather") if name == "embedding" else ("all-gather", "reduce-scatter")
                row["collectives"] = [exchange(forth[0], "forward", size), exchange(forth[1], "backward", size)]
            else:
                row["collectives"] = [exchange("all-reduce", "forward" if name == "embedding" else "backward", size)]
        if name == "block":
            again = lambda x: checkpoint(layer, x, use_reentrant=False)
            _, slower, _, kept, room = measure(device, again, make_input, args.repeats)
            row["recompute"] = {"full": {"extra_backward_s": max(0.0, slower - backward), **memory_of(kept, room)}}
        else:
            row["recompute"] = {"full": {"extra_backward_s": 0, **memory_of(stash, workspace)}}
        del layer
        device.forget()
        yield row


def count(text):
    """A whole number above 0, of the command line."""
    if not re.fullmatch(r"\d{1,9}", text) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a whole number above 0, not {text!r}")
    return int(text)


def read_config(path):
    try:
        with open(path, encoding="utf-8") as file:
            config = json.load(file)
    except OSError as error:
        raise SystemExit(f"{path} cannot be read: {error.strerror}")
    except ValueError as error:
        raise SystemExit(f"{path} is no JSON: {error}")
    if not isinstance(config, dict):
        raise SystemExit(f"{path} is no config.json: it holds no object")
    return config


def write(profile, path):
    """Measured for minutes or hours: where the path turns out not to be writable, the profile goes elsewhere."""
    text = json.dumps(profile, indent=1)
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False, encoding="utf-8") as file:
            file.write(text)
        print(f"{path} cannot be written: {error.strerror}")
        path = file.name
    print(f"wrote {path}: {len(profile['costs'])} rows")


def is_out_of_memory(error):
    return isinstance(error, torch.cuda.OutOfMemoryError) or "memory" in str(error)


def measure_all(shape, args, device, dtype):
    rows = []
    for t in args.tensor:
        if shape.heads % t or shape.mlp % t:
            print(f"t = {t} does not divide the {shape.heads} heads and the MLP width; left out")
            continue
        if shape.kv_heads % t and t % shape.kv_heads:
            print(f"t = {t} does not divide the {shape.kv_heads} key-value heads; left out")
            continue
        for b, split in ((b, split) for b in args.microbatch for split in (False, True)):
            if split and (t == 1 or args.sequence % t):
                continue
            name = f"t = {t}{' with sequence parallelism' if split else ''}, b = {b}"
            try:
                rows += list(rows_for(shape, t, b, split, args, device, dtype))
                print(f"{name}: forward {rows[-3]['forward_s'] * 1e3:.3f} ms a block", flush=True)
            except KeyboardInterrupt:
                print("interrupted: what was measured until now is written")
                return rows
            except RuntimeError as error:
                device.forget()
                why = "does not fit" if is_out_of_memory(error) else str(error).splitlines()[0]
                print(f"{name}: {why}; left out", flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("config", help="a Hugging Face config.json")
    parser.add_argument("--sequence", type=count, default=2048, help="tokens (default 2048)")
    parser.add_argument("--tensor", type=count, nargs="+", default=[1, 2, 4, 8], help="tensor degrees (default 1 2 4 8)")
    parser.add_argument("--microbatch", type=count, nargs="+", default=[1, 2, 4], help="microbatch sizes (default 1 2 4)")
    parser.add_argument("--repeats", type=count, default=20, help="of which the median counts (default 20)")
    parser.add_argument("--device", default="cuda", help="cuda (default), cuda:1, … or cpu, which only tries the script out")
    parser.add_argument("--dtype", choices=["bfloat16", "float16", "float32"], help="default bfloat16, on a CPU float32")
    parser.add_argument("-o", "--output", default="profile.json", help="where to write (default profile.json)")
    args = parser.parse_args()
    args.tensor, args.microbatch = sorted(set(args.tensor)), sorted(set(args.microbatch))
    device = Cpu() if args.device == "cpu" else Gpu(args.device)
    shape = Shape(read_config(args.config))
    folder = os.path.dirname(os.path.abspath(args.output))
    if os.path.isdir(args.output) or not os.access(folder, os.W_OK):
        raise SystemExit(f"{args.output} cannot be written: {'it' if os.path.isdir(args.output) else folder} is "
                         f"{'a folder' if os.path.isdir(args.output) else 'no folder that can be written to'}")
    dtype = getattr(torch, args.dtype) if args.dtype else device.dtype

    rows = measure_all(shape, args, device, dtype)
    if not rows:
        raise SystemExit("nothing could be measured")

    strategies = sorted({(r["tensor"], r["sequence"]) for r in rows})
    profile = {
        "format": "nest-profile", "version": 1, "name": shape.family,
        "provenance": f"measured on {device.described}, {datetime.date.today()}, torch {torch.__version__}, "
                      f"{str(dtype)[6:]}, {'fused' if FUSED else 'unfused'} attention",
        "sequence_length": args.sequence,
        "strategies": [{"tensor": t, "sequence": split} for t, split in strategies],
        "layers": [{"name": "embedding", "kind": "embedding", "class": "embedding"},
                   {"name": "block", "kind": "block", "class": "block", "repeat": shape.layers},
                   {"name": "final norm", "kind": "norm", "class": "norm"},
                   {"name": "head", "kind": "head", "class": "head"}],
        "costs": rows,
    }
    if shape.tied:
        table = shape.vocabulary * shape.hidden
        profile["tied"] = {"first": 0, "second": shape.layers + 2, "parameters": [table / t for t, _ in strategies]}
    write(profile, args.output)


if __name__ == "__main__":
    main()
