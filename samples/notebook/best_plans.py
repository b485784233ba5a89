"""Best plans from Python, cell by cell as in a notebook: python3 samples/notebook/best_plans.py

Needs the module nest_planner (package python3-nest-planner, or PYTHONPATH=build/release/python); draws with matplotlib
where that is installed, and prints otherwise.
"""

# %% The best plan of a scenario
from pathlib import Path

import nest_planner

scenario = Path(__file__).resolve().parent.parent / "llama2-7b-h100-128.nest.json"
outcome = nest_planner.solve(scenario)
print(outcome["summary"], f"{outcome['batch_time_s']:.3f} s per step, MFU {outcome['mfu']:.1%}")

# %% What a slower network between the racks costs
rows = nest_planner.sweep(scenario, {"cluster.levels.2.bandwidth": ["25 GB/s", "12.5 GB/s", "6.25 GB/s"]})
for row in rows:
    (bandwidth,) = row["values"].values()
    print(f"{bandwidth / 1e9:6.2f} GB/s  {row['batch_time_s']:.3f} s  {row['plan']}")

# %% The pipeline as it runs, and who sends what to whom
timeline = nest_planner.timeline(scenario, outcome)
traffic = nest_planner.traffic(scenario, outcome, groups=16)
busy = sum(i["end_s"] - i["begin_s"] for i in timeline["intervals"] if i["kind"] in ("forward", "backward"))
stages = 1 + max(i["stage"] for i in timeline["intervals"])
print(f"{busy / stages / timeline['total_s']:.1%} of the step is forward and backward")
print(f"{sum(map(sum, traffic['bytes'])) / 1e9:.0f} GB are sent per step")

try:
    import matplotlib.pyplot as plot
except ImportError:
    plot = None
if plot:
    figure, (left, right) = plot.subplots(1, 2, figsize=(12, 4))
    for i in timeline["intervals"]:
        colour = {"forward": "tab:blue", "backward": "tab:orange"}.get(i["kind"], "tab:grey")
        left.barh(i["stage"], i["end_s"] - i["begin_s"], left=i["begin_s"], color=colour)
    left.set(xlabel="time in s", ylabel="stage")
    right.imshow(traffic["bytes"])
    right.set(xlabel="receives", ylabel="sends")
    figure.savefig("best_plans.png")
