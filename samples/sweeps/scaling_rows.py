#!/usr/bin/env python3
"""Measured sweeps of Aleph Alpha's Scaling for `nest-plan study ranking` (see README.md beside this file)."""

import argparse
import json
import re
import sys
import xml.etree.ElementTree as xml
import zipfile
from pathlib import Path

# Hidden size, blocks, heads and width of the MLP of the paper's models; the vocabulary reproduces its MFU.
MODELS = {"13B": (5120, 40, 40, 13824), "30B": (6656, 60, 52, 17920), "65B": (8192, 80, 64, 22016)}
VOCABULARY = 128000
TOKENS = 2048 * 2048  # a step
COLUMNS = ["tp", "pp", "dp", "microbatch", "sequence_parallel", "recompute", "kernel", "step_s"]


def table(path):
    """The rows of a workbook's first sheet, each a map from its column's head to the cell's text."""
    tag = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    with zipfile.ZipFile(path) as book:
        names = book.namelist()
        shared = []
        if "xl/sharedStrings.xml" in names:
            for item in xml.fromstring(book.read("xl/sharedStrings.xml")):
                shared.append("".join(t.text or "" for t in item.iter(tag + "t")))
        sheet = xml.fromstring(book.read(min(n for n in names if n.startswith("xl/worksheets/sheet"))))
    rows = []
    for row in sheet.iter(tag + "row"):
        cells = {}
        for cell in row:
            value = cell.find(tag + "v")
            if value is None:
                text = "".join(t.text or "" for t in cell.iter(tag + "t"))
            else:
                text = shared[int(value.text)] if cell.get("t") == "s" else value.text
            cells[re.match("[A-Z]+", cell.get("r")).group()] = text
        rows.append(cells)
    head = next(r for r in rows if "micro_batch_size" in r.values())
    return [{head[k]: v for k, v in r.items() if k in head} for r in rows[rows.index(head) + 1 :]]


def sweep(path):
    size = re.search(r"\d+B", path.name).group()
    sequence = 8192 if "8k" in path.name else 2048
    hidden, blocks, heads, width = MODELS[size]
    rows = []
    for run in table(path):
        if not run.get("kernel"):
            continue
        step = run["Average Step Time"]
        if step == "OOM Error":
            step = "out of memory"
        else:
            try:
                step = float(step)
            except ValueError:  # it ended for another reason
                continue
        devices, t, p, b = (
            int(float(run[k]))
            for k in ("World Size", "model_parallel_size", "pipe_parallel_size", "micro_batch_size")
        )
        recompute = "none" if run["activation_checkpointing_type"] == "disabled" else "full"
        sequence_parallel = run.get("sequence_parallel", "0").lower() in ("1", "true")
        rows.append([t, p, devices // (t * p), b, sequence_parallel, recompute, run["kernel"], step])
    return {
        "id": "scaling-a100-" + path.stem.replace("llama_", "").replace("bfloat16_", ""),
        "source": "Hagemann et al. 2023 (arXiv 2311.05610), " + path.name,
        "cluster": "DGX A100 80 GB, InfiniBand",
        "model": {
            "model_type": "llama",
            "hidden_size": hidden,
            "num_hidden_layers": blocks,
            "intermediate_size": width,
            "num_attention_heads": heads,
            "num_key_value_heads": heads,
            "vocab_size": VOCABULARY,
            "max_position_embeddings": sequence,
        },
        "seq": sequence,
        "global_batch": TOKENS // sequence,
        "columns": COLUMNS,
        "rows": rows,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workbook", nargs="+", type=Path, help="llama_….xlsx of the paper's repository")
    parser.add_argument("-o", "--output", help="file to write (standard output without)")
    options = parser.parse_args()
    text = json.dumps({"sets": [sweep(path) for path in options.workbook]}, indent=1) + "\n"
    if options.output:
        Path(options.output).write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
