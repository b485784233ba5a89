"""Runs every command that prints JSON and holds the output against resources/schemas."""
import copy
import functools
import json
import re
import subprocess
import sys
from pathlib import Path

from jsonschema import Draft202012Validator

build, source, work = map(Path, sys.argv[1:4])
samples = source / "samples"
schemas = {p.name: json.loads(p.read_text()) for p in (source / "resources/schemas").glob("*.schema.json")}
for schema in schemas.values():
    Draft202012Validator.check_schema(schema)


@functools.cache
def validator(name, part=None):
    """Of a schema or one of its definitions; the plans in results are those of plan.schema.json."""
    schema = json.loads(json.dumps(schemas[name]).replace('"plan.schema.json"', '"#/$defs/plan"'))
    definitions = schema.setdefault("$defs", {})
    definitions["plan"] = {k: v for k, v in schemas["plan.schema.json"].items() if k not in ("$id", "$schema")}
    del schema["$id"]
    return Draft202012Validator({"$ref": f"#/$defs/{part}", "$defs": definitions} if part else schema)


failed, formats = [], set()


def hold(document, name, what):
    """One of the formats is meant: its own errors are told, not those of all."""
    part = None
    if name == "results.schema.json":
        formats.add(document.get("format"))
        if document.get("format") not in schemas[name]["$defs"]:
            failed.append(f"{what}: no format {document.get('format')}")
            return
        part = document["format"]
    schema = validator(name, part)
    failed.extend(f"{what}: {e.json_path}: {e.message[:200]}" for e in list(schema.iter_errors(document))[:3])


def json_of(*words):
    run = subprocess.run([build / "bin/nest-plan", *map(str, words)], capture_output=True, text=True, cwd=samples)
    assert run.returncode in (0, 1, 2, 3), (words, run.returncode, run.stderr)
    return json.loads(run.stdout)


def results(*words):
    document = json_of(*words)
    hold(document, "results.schema.json", " ".join(map(str, words)))
    return document


small, usual, none = "teaching-6-layers-2x2.nest.json", "llama2-7b-h100-128.nest.json", "llama3-70b-a100-16-too-small.nest.json"
for sample in sorted(p.name for p in samples.glob("*.nest.json")):
    outcome = results("solve", sample, "--json", "--front", "--work-limit", 100000)
    if "plan" not in outcome:
        continue
    plan = work / "plan.json"
    subprocess.run([build / "bin/nest-plan", "solve", sample, "-o", plan, "--work-limit", "100000"], cwd=samples, capture_output=True)
    hold(json.loads(plan.read_text()), "plan.schema.json", f"plan of {sample}")
    results("evaluate", sample, plan, "--json", "--measured", "3s")
results("evaluate", none, plan, "--json")
results("solve", usual, "--json", "--free")
results("solve", usual, "--json", "--work-limit", 0)
results("solve", "/nowhere", "--json")
network = work / "rails.nest.json"
subprocess.run([build / "bin/nest-plan", "import", "topologies/rails.dot", "models/llama-3-8b.json", "-o", network], cwd=samples, capture_output=True)
results("solve", network, "--json")
for sample in (small, none, usual):
    results("compare", sample, "--json", "--walks", 1, "--steps", 5)
results("compare", usual, "--json", "--work-limit", 0)
for term in ("batch", "memory", "constants"):
    results("why", usual, "--json", "--term", term, "--depth", 9)
results("why", "gpt3-175b-h100-1024.nest.json", "--json", "--term", "program")
results("why", usual, "tp=8", "layer 17 in stage 2", "pp=64", "--json")
results("improve", small, "--json", "--break-even", "--failures")
results("improve", small, "--json")
results("failures", small, "--json")
results("failures", usual, "--json", "--lost", "host0", "--lost", "leaf 1, host0/2")
results("failures", "three-offers-three-jobs.nest.json", "--json", "--lost", "host0")
results("matrix", "three-offers-three-jobs.nest.json", "--json", "--by", "energy")
results("matrix", small, "--json")
results("why", small, "tp=2", "tp=7", "--json")
for limit in ((), ("--work-limit", 2)):
    results("inverse", usual, "--time", "6s", "--json", *limit)
    results("inverse", small, "--devices", "--time", "50ms", "--json", *limit)
results("inverse", small, "--time", "1us", "--json")
results("study", "scaling", small, "--from", 4, "--to", 16, "--json")
results("study", "scaling", none, "--from", 16, "--to", 32, "--json")
sweep = work / "sweep.json"
llama = {"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16, "intermediate_size": 8192,
         "num_attention_heads": 32, "vocab_size": 32000, "max_position_embeddings": 4096}
sweep.write_text(json.dumps({"sets": [{
    "id": "x", "program": "scaling-2023", "device": "a100-80", "model": llama, "seq": 4096, "global_batch": 64,
    "columns": ["tp", "pp", "dp", "microbatch", "step_s"], "rows": [[1, 2, 4, 1, 1], [1, 4, 2, 1, 1]]}]}))
results("study", "ranking", sweep, "--json")
runs = work / "runs.json"
runs.write_text(json.dumps({"sets": [{
    "id": "r", "program": "nemo-2024", "device": "h100-sxm", "flash": True, "sequence_parallel": True, "model": llama,
    "seq": 4096, "columns": ["gpus", "t", "p", "global_batch", "microbatch", "iter_s"],
    "rows": [[8, 1, 1, 64, 1, 2], [16, 2, 1, 64, 1, 1]]}]}))
results("study", "validation", runs, "--json")
optima = work / "optima.json"
optima.write_text(json.dumps({"rows": [[1, 2, 1.0, 2]], "infeasible": [[0.5, 1]]}))
results("study", "piper", source / "tests/data/piper/two.json", "--optima", optima, "--json")
results("study", "paper", "--model", "BERT-large", "--devices", 64, "--json")
tables = work / "tables.json"
tables.write_text(json.dumps({"h100_readme": [{"model": "llama3", "devices": 64, "Manual": 2, "NEST": 3}]}))
document = results("study", "paper", "--model", "Llama-3 70B", "--devices", 64, "--published", tables, "--json")
assert any(row["published"] for row in document["rows"]) and any(b["ratio"] is None for row in document["rows"] for b in row["baselines"])
results("study", "paper", "--model", "Llama-3 70B", "--devices", 64, "--work-limit", 0, "--json")
# Bad input: every command that prints JSON prints its errors as JSON, and nothing else.
bad, peers = source / "tests/data/scenario/bad_values.nest.json", source / "tests/data/piper/two.json"
refusals = {
    "solve": [[bad], ["/nowhere"], [small, "--deadline", "soon"], [small, small]],
    "evaluate": [[bad, plan], [small, bad], [small, "/nowhere"], [small, plan, "--measured", "soon"], [small]],
    "compare": [[bad], [small, "--walks", -1], [small, "--only", "nothing"]],
    "why": [[bad], [small, "nonsense"], [small, "--term", "nonsense"], [small, "--depth", -1]],
    "improve": [[bad], [small, "--field", "nonsense"], [small, "--by", 0]],
    "failures": [[bad], ["/nowhere"], [small, "--lost", "nonsense"]],
    "matrix": [[bad], ["/nowhere"], [small]],
    "inverse": [[bad, "--time", "1s"], [small], [small, "--time", "soon"]],
    "fields": [["nonsense"], ["--schema"]],
    "check": [[bad], ["/nowhere"]],
    "sweep": [[bad, "--set", "job.global_batch=8"], ["/nowhere", "--set", "job.global_batch=8"], [small], [small, "--set", "nonsense"],
              [small, "--set", "nonsense=1"], [small, "--set", "job.global_batch=8", "-o", work / "x"], [small, "--merge"],
              [small, small, "--set", "job.global_batch=8"], [small, "--set", "job.global_batch=8", "--shard", "3/2"]],
    "study scaling": [[bad], [small, "--from", 8, "--to", 4], [small, "--restart"]],
    "study ranking": [[bad], ["/nowhere"], [peers]],
    "study validation": [[bad], ["/nowhere"], [small]],
    "study piper": [[bad, "--optima", optima], [peers], [peers, "--optima", bad], [peers, "--optima", "/nowhere"], ["/nowhere", "--optima", optima]],
    "study paper": [["--model", "nonsense"], ["--devices", 0], ["--published", "/nowhere"]],
}


def help_of(*words):
    return subprocess.run([build / "bin/nest-plan", *words, "--help"], capture_output=True, text=True).stdout


commands = re.findall(r"^  ([a-z]+)  ", help_of().partition("Commands:\n")[2].partition("\n\n")[0], re.M)
studies = [("study", name) for name in re.findall(r"nest-plan study ([a-z]+)", help_of("study"))]
every = [(c,) for c in commands if c != "study"] + list(dict.fromkeys(studies))
assert len(every) > 15, every
for command in (" ".join(c) for c in every if re.search("^  --json", help_of(*c), re.M)):
    assert command in refusals, f"no bad input for {command}"
    for words in refusals[command]:
        words = [*command.split(), *map(str, words), "--json"]
        document = results(*words)
        files = document.get("files")
        told = document.get("diagnostics") if files is None else [d for f in files for d in f["diagnostics"]]
        if not any(d["severity"] == "error" for d in told or []):
            failed.append(f"{words}: no error is told")

results("check", small, source / "README.md", "topologies/rails.dot", "models/llama-3-8b.json", "--json")
results("fields", "--json")
results("sweep", small, "--set", "job.global_batch=8,-1", "--set", "name=a,b", "--json")
results("sweep", small, "--set", "cluster.device.memory=1 MiB,80 GiB", "--json")
profiles = [p for p in (source / "tests/data/profile").glob("*.json") if not p.name.startswith("bad_")]
assert profiles
for profile in profiles:
    hold(json.loads(profile.read_text()), "profile.schema.json", profile.name)

lessons = sorted((source / "resources/lessons").glob("*.json")) + sorted((samples / "lessons").glob("*.lesson.json"))
assert len(lessons) > 9
for lesson in lessons:
    hold(json.loads(lesson.read_text()), "lesson.schema.json", lesson.name)
for name in ("right", "wrong"):
    hold(json.loads((source / f"tests/data/lessons/{name}.answers.json").read_text()), "answers.schema.json", name)


def judged(document, schema, *words):
    """What the reader and the schema say about a document that is written to a file."""
    file = work / ("own" + (".lesson.json" if schema == "lesson.schema.json" else ".answers.json"))
    file.write_text(json.dumps(document))
    code = subprocess.run([build / "bin/nest-plan", *map(str, words), file], capture_output=True, cwd=samples).returncode
    return code == 0, validator(schema).is_valid(document)


NOTHING = object()


def changed(document, path, value):
    """With another value at a path; None removes it, NOTHING is null."""
    document = copy.deepcopy(document)
    *way, last = path
    at = document
    for key in way:
        at = at[key]
    if value is None:
        del at[last]
    else:
        at[last] = None if value is NOTHING else value
    return document


lesson, answered = json.loads((samples / "lessons/slow-link.lesson.json").read_text()), json.loads((source / "tests/data/lessons/right.answers.json").read_text())
do, number, reveal = 0, 1, 2
choose = {"kind": "choose", "id": "slower", "text": "x", "options": [{"text": "a", "right": "1"}, {"text": "b", "right": "0"}]}
draw = {"kind": "draw", "id": "slower", "text": "x", "unit": "ms", "bars": [{"label": "a", "height": "1 ms"}, {"label": "b", "height": "2 ms", "given": True}]}
for path, value in (
        (("minutes",), 240), (("arrange",), "explore"), (("variables",), {"speed": [1]}), (("screen",), None), (("teachers",), None),
        (("steps", do, "view"), "timeline"), (("screen", "views"), ["stages", "run"]), (("steps", number, "points"), 0.5), (("steps", reveal, "gap"), None),
        (("steps",), [choose, draw | {"id": "bars"}]), (("cases", "hand"), {"from": "fast", "cut": [2, 4]}),
        (("cases", "gpipe"), {"from": "fast", "schedule": "gpipe"}), (("screen", "fields"), {"job.global_batch": True, "job.sequence_length": [1, 4096]}),
        (("steps", number, "hints"), []), (("steps", do, "text"), "<b>1</b> {if(1 < 2, 3, 4)}<br>")):
    assert judged(changed(lesson, path, value), "lesson.schema.json", "lessons", "check") == (True, True), (path, value)
for path, value in (
        (("title",), None), (("title",), "a<b"), (("title",), "x" * 81), (("about",), 4), (("version",), 3), (("format",), "nest-plan"), (("scenario",), 4),
        (("minutes",), 0), (("arrange",), "both"), (("scren",), {}), (("screen", "views"), []), (("screen", "views"), ["stage"]),
        (("screen", "fields"), {"job.global_batch": [1]}), (("variables",), {"Speed": [1]}), (("variables",), {"speed": []}), (("variables",), {"speed": ["1"]}),
        (("cases", "base"), {}), (("cases", "a b"), {}), (("cases", "hand"), {"cut": [1, 3]}), (("cases", "hand"), {"schedule": "best"}),
        (("cases", "hand"), {"cut": [2, 4], "set": {"job.global_batch": 8}}), (("cases", "hand"), {"to": "fast"}), (("steps",), []), (("steps",), None),
        (("teachers",), NOTHING), (("steps", number, "hints"), NOTHING), (("steps", number, "id"), ""), (("steps", reveal, "of"), ""),
        (("steps", do, "kind"), "ask"), (("steps", do, "kind"), None), (("steps", do, "text"), None), (("steps", do, "text"), "<script>"),
        (("steps", do, "text"), "{1"), (("steps", do, "answer"), "1"), (("steps", do, "until"), "now.fits"), (("steps", do, "hints"), ["a"] * 4),
        (("steps", do, "view"), "stage"), (("steps", do, "points"), 2), (("steps", number, "answer"), 544), (("steps", number, "answer"), None),
        (("steps", number, "id"), None), (("steps", number, "id"), "said"), (("steps", number, "tolerance"), 2), (("steps", number, "points"), -1),
        (("steps", number, "unit"), "<b>"), (("steps", number, "of"), "x"), (("steps", number), choose | {"options": choose["options"][:1]}),
        (("steps", number), draw | {"bars": draw["bars"][1:] * 2}), (("steps", number), draw | {"bars": draw["bars"] * 7}),
        (("steps", reveal, "of"), None), (("steps", reveal, "gap"), [{"when": "1"}]), (("steps", reveal, "gap"), [{"text": "x", "if": "1"}])):
    assert judged(changed(lesson, path, value), "lesson.schema.json", "lessons", "check") == (False, False), (path, value)
grading = ("grade", "--lesson", samples / "lessons/slow-link.lesson.json")
assert judged(answered, "answers.schema.json", *grading) == (True, True)
for path, value in ((("version",), 2), (("student",), "<b>"), (("student",), 4711), (("lessons",), {}), (("extra",), 1),
                    (("lessons", 0, "step"), -1), (("lessons", 0, "finished"), "yes"), (("lessons", 0, "lesson"), None), (("lessons", 0, "points"), 9),
                    (("lessons", 0, "answers", 0, "given"), []), (("lessons", 0, "answers", 0, "given"), ["1"]), (("lessons", 0, "answers", 0, "given"), None),
                    (("lessons", 0, "answers", 0, "hints"), 4), (("lessons", 0, "answers", 0, "skipped"), True), (("student",), NOTHING), (("lessons", 0, "answers", 0, "question"), None)):
    assert judged(changed(answered, path, value), "answers.schema.json", *grading) == (False, False), (path, value)
assert not validator("answers.schema.json").is_valid(json.loads((source / "tests/data/lessons/hostile.answers.json").read_text()))

told = set(schemas["results.schema.json"]["oneOf"][i]["$ref"].split("/")[-1] for i in range(len(schemas["results.schema.json"]["oneOf"])))
missing = told - formats
assert not missing, f"no output of {missing}"
assert not failed, "\n".join(failed)

# What is wrong is refused.
wrong = copy.deepcopy(outcome if "plan" in outcome else json_of("solve", small, "--json"))
wrong["batch_time_s"] = "fast"
assert not validator("results.schema.json").is_valid(wrong)
for spoil in (lambda p: p.update(zero=4), lambda p: p.pop("stages"), lambda p: p["stages"][0].update(recompute="all"), lambda p: p.update(tensor=2)):
    bad = json.loads(plan.read_text())
    assert validator("plan.schema.json").is_valid(bad)
    spoil(bad)
    assert not validator("plan.schema.json").is_valid(bad), bad
print(f"{len(formats)} formats")
