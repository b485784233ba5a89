"""The Python module against the command line: same answers, and errors that say what is wrong."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

build, source = map(Path, sys.argv[1:3])
sys.path.insert(0, sys.argv[3])
import nest_planner as nest

samples = source / "samples"
small, large = (samples / f"{n}.nest.json" for n in ("teaching-6-layers-2x2", "gpt3-175b-h100-1024"))


def command(*words):
    run = subprocess.run([build / "bin/nest-plan", *words], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def without_times(outcome):
    """What a clock and the heap say differs from run to run."""
    return {k: v for k, v in outcome.items() if k not in ("verdict", "headline", "statistics")}


outcome = nest.solve(small)
assert without_times(outcome) == without_times(command("solve", small, "--json"))
assert nest.solve(str(small))["plan"] == outcome["plan"]
as_dict = json.loads(large.read_text())
assert nest.solve(as_dict, folder=samples)["summary"] == command("solve", large, "--json")["summary"]

for plan in (outcome, outcome["plan"]):
    assert nest.evaluate(small, plan)["batch_time_s"] == outcome["batch_time_s"]

timeline = nest.timeline(small, outcome)
assert abs(timeline["total_s"] - outcome["simulated_time_s"]) < 1e-9
assert {i["kind"] for i in timeline["intervals"]} >= {"forward", "backward"}
assert max(i["end_s"] for i in timeline["intervals"]) <= timeline["total_s"] * (1 + 1e-9)
assert max(m["used_bytes"] for m in timeline["memory"]) > 0
traffic = nest.traffic(small, outcome, 4)
assert len(traffic["bytes"]) == 4 and all(traffic["bytes"][i][i] == 0 for i in range(4))
assert len(nest.traffic(small, outcome, 1000)["bytes"]) == 4

rows = nest.sweep(small, {"job.global_batch": [8, 16], "constraints.tensor": [1, 2]})
assert [list(r["values"].values()) for r in rows] == [[8, 1], [8, 2], [16, 1], [16, 2]]
assert rows[0]["batch_time_s"] < rows[2]["batch_time_s"]

lost = nest.failures(small, ["host0/0"])
assert [a["answer"] for a in lost["failures"][0]["answers"]] == ["swap", "shrink", "re-plan"]
assert lost["failures"] == command("failures", small, "--lost", "host0/0", "--json")["failures"]
offers = samples / "three-offers-three-jobs.nest.json"
run = nest.solve(offers)["run"]
assert run == command("solve", offers, "--json")["run"]
for split in (run, run["simulated"]):
    parts = split["checkpoints_s"] + split["restarts_s"] + split["repeated_work_s"]
    assert abs(run["work_s"] + parts - split["total_time_s"]) < 1e-6 * split["total_time_s"]
assert abs(run["simulated"]["goodput"] / run["goodput"] - 1) < 0.02
choices = nest.failures(offers, ["host0"])["spare_benefit"]["choices"]
assert choices[0]["spare_hosts"] == 0 and choices[0]["share"] < choices[1]["share"]
assert choices[0]["total_time_s"] > choices[1]["total_time_s"] and choices[0]["money"] > 0
matrix = nest.matrix(offers, by="money")
assert len(matrix["cells"]) == 9 and sum(c["best"] for c in matrix["cells"]) == 3

# Which hosts may be planned on: in the scenario, and what if.
shared = json.loads(small.read_text())
shared["cluster"]["states"] = [{"hosts": "host1", "state": "busy"}]
everything = {**shared, "cluster": {**shared["cluster"], "plan_on": "all"}}
assert nest.solve(shared)["unplanned_hosts"]["hosts"] == 1
assert "unplanned_hosts" not in nest.solve(shared, free_hosts="host1")
freed = nest.solve(shared, free_hosts="host1")
assert freed["plan"] == outcome["plan"] == nest.solve(everything)["plan"]
taken = nest.solve(small, taken_hosts="host1")
assert taken["status"] == nest.solve(shared)["status"] == "infeasible" and taken["unplanned_hosts"]["hosts"] == 1
assert nest.evaluate(shared, outcome, free_hosts="host1")["batch_time_s"] == outcome["batch_time_s"]

for wrong, told in (
    (lambda: nest.failures(small, ["no such host"]), "no such host"),
    (lambda: nest.matrix(small), "offers"),
    (lambda: nest.solve(small, free_hosts="host7"), "host7"),
    (lambda: nest.solve(small, taken_hosts="host[0-"), "host[0-"),
    (lambda: nest.solve(small, taken_hosts="host[0-1]"), "no host is free"),
    (lambda: nest.evaluate(small, outcome, taken_hosts="host9"), "host9"),
    (lambda: nest.solve("/nowhere.nest.json"), "/nowhere.nest.json"),
    (lambda: nest.solve({"version": 1}), "cluster"),
    (lambda: nest.evaluate(small, {"format": "nest-plan"}), "stages"),
    (lambda: nest.sweep(small, {"job.batch": [1]}), "job/batch"),
    (lambda: nest.sweep(small, {"job.global_batch": []}), "job/global_batch"),
    (lambda: nest.timeline(large, outcome), "in no stage"),
    (lambda: nest.traffic(large, outcome), "in no stage"),
):
    try:
        wrong()
    except nest.Error as error:
        assert told in str(error) and error.diagnostics[0]["code"], error
    else:
        raise AssertionError("no error: " + told)

for wrong, kind in (
    (lambda: nest.solve(small, deadline="soon"), TypeError),
    (lambda: nest.solve(small, deadline=float("nan")), ValueError),
    (lambda: nest.solve(small, deadline=-1), ValueError),
    (lambda: nest.solve(small, work_limit=-1), ValueError),
    (lambda: nest.solve(small, work_limit=1.5), TypeError),
    (lambda: nest.solve(3), TypeError),
    (lambda: nest.sweep(small, {"job.global_batch": 8}), TypeError),
    (lambda: nest.sweep(small, {"name": "abc"}), TypeError),
    (lambda: nest.sweep(small, {"job.global_batch": [float("nan")]}), ValueError),
    (lambda: nest.traffic(small, outcome, 0), ValueError),
):
    try:
        wrong()
    except kind as error:
        assert str(error)
    else:
        raise AssertionError(f"no {kind.__name__}")
assert nest.solve(os.fsencode(small))["plan"] == outcome["plan"]

# Names that are no UTF-8, in files that are read and in what is said of those that cannot be.
with tempfile.TemporaryDirectory() as folder:
    odd = os.path.join(os.fsencode(folder), b"r\xe9seau.nest.json")
    shutil.copy(small, odd)
    assert nest.solve(odd)["plan"] == nest.solve(Path(os.fsdecode(odd)))["plan"] == outcome["plan"]
    os.truncate(odd, 0)
    for path in (odd, os.fsdecode(odd), Path(os.fsdecode(odd))):
        try:
            nest.solve(path)
        except nest.Error as error:
            assert "r\\xe9seau.nest.json" in str(error) and error.diagnostics[0]["file"], error
        else:
            raise AssertionError("an empty file is no scenario")

# Two threads solve at once, each its own scenario.
solved = {}
both = [threading.Thread(target=lambda s=s: solved.update({s: nest.solve(s)})) for s in (small, large)]
for thread in both:
    thread.start()
for thread in both:
    thread.join()
assert solved[small]["plan"] == outcome["plan"] and solved[large]["status"] == "optimal"

early = nest.solve(large, work_limit=0)
assert early["status"] == "stopped" and early["stopped_by"] == "work-limit"
assert nest.solve(large, deadline=1e-9)["stopped_by"] == "deadline"

# Ctrl+C ends a long sweep, and other threads of Python run meanwhile.
ticks = 0


def interrupt():
    global ticks
    for _ in range(10):
        time.sleep(0.02)
        ticks += 1
    os.kill(os.getpid(), signal.SIGINT)


thread = threading.Thread(target=interrupt)
try:
    thread.start()
    nest.sweep(large, {"job.global_batch": list(range(1024, 200000, 1024))}, threads=1)
except KeyboardInterrupt:
    assert ticks == 10
else:
    raise AssertionError("Ctrl+C was not heard")
finally:
    thread.join()
assert nest.__version__ in subprocess.run([build / "bin/nest-plan", "--version"], capture_output=True, text=True).stdout
