#!/usr/bin/env python3
"""Finds the few actions of a life of the monkey that break the window.

  tests/ui/monkey/shrink.py PROGRAM SEED [ACTIONS]     PROGRAM: build/…/bin/tests_ui_monkey

Prints the numbers for NEST_ONLY, and what the program says when only they are carried out."""
import os, re, subprocess, sys

program, seed = sys.argv[1:3]
actions = int(sys.argv[3]) if len(sys.argv) > 3 else 150


def live(numbers):
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "NEST_SEED": seed, "NEST_LIVES": "1",
           "NEST_ACTIONS": str(actions), "NEST_ONLY": " ".join(map(str, numbers)) or "-1"}
    r = subprocess.run([program, "--file", "test_monkey"], env=env, capture_output=True, text=True, errors="replace")
    return r.returncode, r.stdout + r.stderr


def breaks(numbers):
    return live(numbers)[0] != 0


last = re.findall(r"^  (\d+) ", live(range(actions))[1], re.M)
kept = list(range(int(last[-1]) + 1)) if last else list(range(actions))
if not breaks(kept):
    sys.exit("this life breaks nothing")
size = len(kept)
while size > 1:
    size = (size + 1) // 2
    at = 0
    while at < len(kept):
        fewer = kept[:at] + kept[at + size:]
        if breaks(fewer):
            kept = fewer
        else:
            at += size
print(*kept)
print(live(kept)[1])
