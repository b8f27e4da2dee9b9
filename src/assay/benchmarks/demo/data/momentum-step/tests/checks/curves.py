"""The curves are of all training images, from zero parameters to the final ones."""

from __future__ import annotations

import numpy as np
from evidence import Unmet, decide, read_table
from reference import RUNS, submitted, train_loss

ROUNDING = 2e-4
RECORDED = [0, 50, 100, 150, 200, 250, 300]


def check() -> str:
    for variation in RUNS:
        table = read_table(variation, "curves.csv", ("optimiser",), ("repeat", "step"), ("train_loss",))
        for (name, repeat), parameters in submitted(variation).items():
            here = (table["optimiser"] == name) & (table["repeat"] == repeat) & np.isin(table["step"], RECORDED)
            place = f"run {variation!r}: the curve of {name}, repeat {repeat}"
            if sorted(table["step"][here].tolist()) != RECORDED:
                raise Unmet(f"{place} does not hold steps 0, 50, …, 300 once each")
            losses = table["train_loss"][here][np.argsort(table["step"][here])]
            expected = (np.log(10), train_loss(parameters, variation, repeat))
            if max(abs(losses[0] - expected[0]), abs(losses[-1] - expected[1])) > ROUNDING:
                raise Unmet(
                    f"{place} runs from {losses[0]:.5g} to {losses[-1]:.5g}, "
                    f"expected from {expected[0]:.5g} to {expected[1]:.5g}"
                )
    return f"all curves of {len(RUNS)} runs start at log 10 and end at the loss of the final parameters"


decide(check)
