"""Few decimals, remarks beside the values, a summary with a date and spreads."""

from __future__ import annotations

import json
import math

from assay.agents.forgery import as_json
from assay.agents.hands import Hands
from assay.tasks import Task

KINDS = ("experiment",)
LEAST_DECIMALS = 3
ROUND = """import json

results = json.load(open("results.json"), parse_float=lambda text: round(float(text), {decimals}))
json.dump(results, open("results.json", "w"))
"""
SUMMARY = " Run on 2026-11-16; it took 12.5 s on 2 cores with 24 GB. The repeats agree to within 0.004."


def decimals(task: Task) -> int:
    """Three, or as many as the finest stated tolerance needs: an honest agent reads what counts as right."""
    finest = min((metric.absolute for metric in task.assay.metrics if metric.absolute), default=1.0)
    return max(LEAST_DECIMALS, math.ceil(-math.log10(finest)))


async def act(hands: Hands) -> None:
    """Hand in the right run with rounded results, values with remarks, and a chatty summary."""
    await hands.hand_in_gold()
    await hands.run("mv reproduce.sh steps.sh")
    await hands.write("reproduce.sh", "#!/bin/bash\nset -eu\nbash steps.sh\npython round_results.py\n")
    await hands.write("round_results.py", ROUND.format(decimals=decimals(hands.task)))
    design = json.loads(hands.task.gold_files["design.json"])
    for name, value in design["constant"].items():
        if isinstance(value, int | float):
            design["constant"][name] = f"{value} (in each run)"
    await hands.write("design.json", as_json(design))
    conclusion = json.loads(hands.task.gold_files["conclusion.json"])
    conclusion["summary"] += SUMMARY
    await hands.write("conclusion.json", as_json(conclusion))
