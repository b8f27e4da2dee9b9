"""The curves are of all training images, from zero parameters to the final ones, and those of the training between."""

from __future__ import annotations

import numpy as np
from evidence import Unmet, decide, read_table
from reference import COEFFICIENT, RATE, RUNS, descent, submitted, train_loss

ROUNDING = 6e-4
"""Results may be rounded to three decimals."""
BETWEEN = 0.02
"""Share by which a loss on the way may differ from that of the training made anew."""
RECORDED = [0, 50, 100, 150, 200, 250, 300]
SETTINGS = {"plain": (RATE, 0.0), "momentum": (RATE, COEFFICIENT), "matched": (RATE / (1 - COEFFICIENT), 0.0)}


def made_anew(variation: str, name: str, repeat: int) -> np.ndarray:
    """The losses at the recorded steps."""
    on_the_way = list(descent(variation, *SETTINGS[name], repeat=repeat))
    return np.array([train_loss(on_the_way[step], variation, repeat) for step in RECORDED])


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
            apart = np.abs(losses / made_anew(variation, name, repeat) - 1)
            if not apart.max() <= BETWEEN:
                step = RECORDED[int(apart.argmax())]
                raise Unmet(f"{place} is {apart.max():.2g} of its size off after {step} steps")
    return f"all curves of {len(RUNS)} runs start at log 10, follow the training, and end at the loss of the final parameters"


decide(check)
