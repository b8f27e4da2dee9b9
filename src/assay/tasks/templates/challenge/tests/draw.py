"""Draws a line and points near it: `ASSAY_SEED=7 python draw.py`, in an empty folder.

Grading runs this before the build, with a seed that nobody knows. So coefficients that fit the points of the
workspace are worth nothing, and only a program that fits other points too can pass. `workspace/` is for the build,
`truth/` is for the evaluator. Seed 7 made the points of the workspace.
"""

import json
import os
import random
from pathlib import Path

source = random.Random(int(os.environ.get("ASSAY_SEED", "7")))
constant = source.uniform(-100, 100)
slope = source.choice([-1, 1]) * source.uniform(5, 20)
for path in (Path("workspace/points.json"), Path("truth/hidden.json")):
    places = [source.uniform(-2, 3) for _ in range(100)]
    points = [[round(x, 3), round(constant + slope * x + source.gauss(0, 0.2), 3)] for x in places]
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(points))
