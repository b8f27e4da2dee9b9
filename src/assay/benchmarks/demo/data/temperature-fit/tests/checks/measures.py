"""results.json says what the predictions say."""

from __future__ import annotations

import numpy as np
from evidence import Unmet, decide, result
from reference import CONDITIONS, REPEATS, RUNS, likelihood_loss, rows_of, submitted_odds, submitted_temperatures, table_of

ROUNDING = 6e-4
"""Results may be rounded to three decimals."""


def measures(odds: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    right = float(np.mean((odds > 0) == (labels == 1)))
    confidence = float(np.mean(np.exp(-np.logaddexp(0.0, -np.abs(odds)))))
    return {"nll": likelihood_loss(odds, labels), "overconfidence": confidence - right, "accuracy": right}


def check() -> str:
    for variation in RUNS:
        odds, temperatures = submitted_odds(variation), submitted_temperatures(variation)
        for condition in CONDITIONS:
            each = []
            for repeat in range(REPEATS):
                labels = table_of(variation)[1][rows_of(variation, repeat)["test"]]
                temperature = {"temperature": temperatures[condition, repeat]}
                each.append(measures(odds[condition, repeat], labels) | temperature)
            for name in each[0]:
                said = result(variation, f"{name}.{condition}")
                recomputed = float(np.mean([one[name] for one in each]))
                if abs(said - recomputed) > ROUNDING * max(1.0, abs(recomputed)):
                    raise Unmet(
                        f"run {variation!r}: {name}.{condition} is {said:.5g} in results.json, "
                        f"{recomputed:.5g} from the predictions"
                    )
    return f"results.json of {len(RUNS)} runs agrees with all four measures recomputed from the predictions"


decide(check)
